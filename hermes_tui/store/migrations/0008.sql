-- Jobs at set times. data: the job as JSON; seen: up to when its times were looked at.
CREATE TABLE cron_job (
  id TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  made REAL NOT NULL,
  seen REAL NOT NULL,
  data TEXT NOT NULL
) WITHOUT ROWID;

-- One row a job and time it was due: the row is there before anything is done, so that a time
-- is never run twice. missed: how many times a row of state `missed` stands for.
CREATE TABLE cron_run (
  id INTEGER PRIMARY KEY,
  job TEXT NOT NULL REFERENCES cron_job(id) ON DELETE CASCADE,
  slot REAL NOT NULL,
  state TEXT NOT NULL,
  started REAL NOT NULL DEFAULT 0,
  ended REAL NOT NULL DEFAULT 0,
  session TEXT NOT NULL DEFAULT '',
  text TEXT NOT NULL DEFAULT '',
  error TEXT NOT NULL DEFAULT '',
  note TEXT NOT NULL DEFAULT '',
  attempt INTEGER NOT NULL DEFAULT 1,
  tokens INTEGER NOT NULL DEFAULT 0,
  missed INTEGER NOT NULL DEFAULT 1,
  UNIQUE (job, slot)
);
CREATE INDEX cron_run_open ON cron_run(state) WHERE state IN ('waiting', 'running');

-- What became of an answer, apart from what became of the run.
CREATE TABLE cron_delivery (
  run INTEGER NOT NULL REFERENCES cron_run(id) ON DELETE CASCADE,
  target TEXT NOT NULL,
  state TEXT NOT NULL,
  detail TEXT NOT NULL DEFAULT '',
  proof TEXT NOT NULL DEFAULT '',
  ts REAL NOT NULL,
  PRIMARY KEY (run, target)
) WITHOUT ROWID;
