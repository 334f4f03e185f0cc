-- What each call of a model cost. open: 1 while it is under way, or was when the core died; then
-- the numbers are what was expected. cost: US dollars, NULL where no price is known. guessed: the
-- provider did not say how many tokens it took.
CREATE TABLE spend (
  id INTEGER PRIMARY KEY,
  ts REAL NOT NULL,
  session TEXT NOT NULL DEFAULT '',
  job TEXT NOT NULL DEFAULT '',
  task TEXT NOT NULL DEFAULT 'chat',
  provider TEXT NOT NULL DEFAULT '',
  model TEXT NOT NULL,
  prompt INTEGER NOT NULL DEFAULT 0,
  cached INTEGER NOT NULL DEFAULT 0,
  completion INTEGER NOT NULL DEFAULT 0,
  cost REAL,
  open INTEGER NOT NULL DEFAULT 0,
  guessed INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX spend_ts ON spend(ts);
CREATE INDEX spend_session ON spend(session);
CREATE INDEX spend_job ON spend(job) WHERE job <> '';
