-- What was looked back on: every turn once, with why anything was asked and what came of it.
-- calls: tool calls of the turn; failed: those that failed; asked: model calls it took.
CREATE TABLE learning_turn (
  session TEXT NOT NULL,
  turn INTEGER NOT NULL,
  ts REAL NOT NULL,
  task TEXT NOT NULL DEFAULT '',
  calls INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  went TEXT NOT NULL DEFAULT '',
  occasion TEXT NOT NULL DEFAULT '',
  result TEXT NOT NULL DEFAULT '',
  why TEXT NOT NULL DEFAULT '',
  asked INTEGER NOT NULL DEFAULT 0,
  steps BLOB NOT NULL DEFAULT x'',
  PRIMARY KEY (session, turn)
) WITHOUT ROWID;
CREATE INDEX learning_turn_ts ON learning_turn(ts);

-- kind: failure (holds under a condition, until a date) or correction (a person's words on a skill).
CREATE TABLE learning_note (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  about TEXT NOT NULL,
  text TEXT NOT NULL,
  condition TEXT NOT NULL DEFAULT '',
  source TEXT NOT NULL,
  ts REAL NOT NULL,
  expires REAL NOT NULL,
  state TEXT NOT NULL DEFAULT 'open',
  why TEXT NOT NULL DEFAULT ''
);
CREATE INDEX learning_note_open ON learning_note(kind, about) WHERE state = 'open';

-- Versions of skills that were tried on past uses, by number.
CREATE TABLE learning_replay (
  name TEXT NOT NULL,
  n INTEGER NOT NULL,
  ts REAL NOT NULL,
  told TEXT NOT NULL,
  worse INTEGER NOT NULL,
  PRIMARY KEY (name, n)
) WITHOUT ROWID;

-- When all that was learned was gone through, and what that changed, a line each.
CREATE TABLE learning_review (ts REAL PRIMARY KEY, lines TEXT NOT NULL) WITHOUT ROWID;
