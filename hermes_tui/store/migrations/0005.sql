-- What became of each skill: whether it counts, every text it had, what is proposed, how it was used.
CREATE TABLE skill (
  name TEXT PRIMARY KEY,
  state TEXT NOT NULL DEFAULT '',
  enabled INTEGER NOT NULL DEFAULT 1,
  accepted TEXT NOT NULL DEFAULT '',
  since REAL NOT NULL DEFAULT 0,
  expires REAL NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- text: the SKILL.md, deflated; by: person, agent, update, outside, undo; source: SESSION:TURN.
CREATE TABLE skill_version (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  n INTEGER NOT NULL,
  ts REAL NOT NULL,
  by TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  source TEXT NOT NULL DEFAULT '',
  digest TEXT NOT NULL,
  text BLOB NOT NULL,
  lost REAL NOT NULL DEFAULT 0,
  restores INTEGER NOT NULL DEFAULT 0,
  UNIQUE (name, n)
);

CREATE TABLE skill_proposal (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  ts REAL NOT NULL,
  reason TEXT NOT NULL,
  source TEXT NOT NULL DEFAULT '',
  base TEXT NOT NULL DEFAULT '',
  text BLOB NOT NULL,
  state TEXT NOT NULL DEFAULT 'open',
  replay TEXT NOT NULL DEFAULT '',
  answered REAL NOT NULL DEFAULT 0,
  note TEXT NOT NULL DEFAULT ''
);
CREATE INDEX skill_proposal_open ON skill_proposal(name) WHERE state = 'open';

-- outcome: empty until it is judged, then ok, failed or corrected.
CREATE TABLE skill_use (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  session TEXT NOT NULL,
  turn INTEGER NOT NULL,
  ts REAL NOT NULL,
  task TEXT NOT NULL DEFAULT '',
  outcome TEXT NOT NULL DEFAULT '',
  why TEXT NOT NULL DEFAULT '',
  UNIQUE (name, session, turn)
);
CREATE INDEX skill_use_turn ON skill_use(session, turn);
