-- What is remembered: statements, where each came from, every change of one, and their words.
CREATE TABLE fact (
  key INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  kind TEXT NOT NULL,
  topic TEXT NOT NULL DEFAULT '',
  scope TEXT NOT NULL,
  place TEXT NOT NULL DEFAULT '',
  person TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL,
  taint TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL DEFAULT '',
  pinned INTEGER NOT NULL DEFAULT 0,
  other INTEGER,
  made REAL NOT NULL,
  changed REAL NOT NULL,
  used REAL NOT NULL DEFAULT 0,
  uses INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX fact_changed ON fact(changed);

CREATE TABLE fact_source (
  fact INTEGER NOT NULL REFERENCES fact(key) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  session TEXT NOT NULL DEFAULT '',
  message TEXT NOT NULL DEFAULT '',
  ts REAL NOT NULL,
  PRIMARY KEY (fact, at)
) WITHOUT ROWID;

-- One row a statement and write; rows of one write share `batch`. before, after: JSON, '' = none.
CREATE TABLE fact_change (
  id INTEGER PRIMARY KEY,
  batch INTEGER NOT NULL,
  ts REAL NOT NULL,
  op TEXT NOT NULL,
  who TEXT NOT NULL,
  session TEXT NOT NULL DEFAULT '',
  fact INTEGER NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL,
  undone INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX fact_change_batch ON fact_change(batch);
CREATE INDEX fact_change_fact ON fact_change(fact);

-- When a statement was put before a model, and why.
CREATE TABLE fact_use (
  id INTEGER PRIMARY KEY,
  fact INTEGER NOT NULL REFERENCES fact(key) ON DELETE CASCADE,
  session TEXT NOT NULL,
  turn INTEGER NOT NULL,
  ts REAL NOT NULL,
  why TEXT NOT NULL
);
CREATE INDEX fact_use_fact ON fact_use(fact);
CREATE INDEX fact_use_session ON fact_use(session);

-- Up to which change a session was told, by turn; turn 0 is the frozen part of its prompt.
CREATE TABLE fact_told (
  session TEXT NOT NULL,
  turn INTEGER NOT NULL,
  change INTEGER NOT NULL,
  PRIMARY KEY (session, turn)
) WITHOUT ROWID;

CREATE VIRTUAL TABLE fact_index USING fts5(words, tokenize="unicode61 remove_diacritics 2");
INSERT INTO fact_index (fact_index, rank) VALUES ('secure-delete', 1);
