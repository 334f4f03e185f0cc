-- Work in sessions of its own. The row is there before anything is done and keeps the end.
CREATE TABLE subagent (
  id TEXT PRIMARY KEY,
  parent TEXT NOT NULL,
  session TEXT NOT NULL,
  call_id TEXT NOT NULL,
  state TEXT NOT NULL,
  started REAL NOT NULL,
  data TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX subagent_open ON subagent(state) WHERE state = 'running';
CREATE INDEX subagent_parent ON subagent(parent, call_id);
