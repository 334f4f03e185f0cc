-- How a session's folder was before and after each turn that may have changed it.
-- before, after: digests of trees, empty when there is none (any more); problem says why.
CREATE TABLE checkpoint (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE,
  turn INTEGER NOT NULL,
  kind TEXT NOT NULL,
  made REAL NOT NULL,
  root TEXT NOT NULL,
  before TEXT NOT NULL DEFAULT '',
  after TEXT NOT NULL DEFAULT '',
  files INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  problem TEXT NOT NULL DEFAULT ''
);
CREATE INDEX checkpoint_turn ON checkpoint(session, turn);
