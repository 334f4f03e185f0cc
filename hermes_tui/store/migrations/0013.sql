-- Who may talk to the agent in chats, beside the owners in the settings.
CREATE TABLE people (
  platform TEXT NOT NULL,
  sender TEXT NOT NULL,
  name TEXT NOT NULL DEFAULT '',
  role TEXT NOT NULL,
  since REAL NOT NULL,
  PRIMARY KEY (platform, sender)
);

-- Codes that let somebody in, as digests. For a stranger who wrote: their sender and chat; for
-- a code that an owner made to hand on: sender empty.
CREATE TABLE pairing (
  id INTEGER PRIMARY KEY,
  platform TEXT NOT NULL,
  sender TEXT NOT NULL DEFAULT '',
  chat TEXT NOT NULL DEFAULT '',
  name TEXT NOT NULL DEFAULT '',
  role TEXT NOT NULL,
  digest TEXT NOT NULL,
  shown TEXT NOT NULL DEFAULT '',
  made REAL NOT NULL,
  expires REAL NOT NULL
);
CREATE TABLE pairing_tries (platform TEXT NOT NULL, sender TEXT NOT NULL, ts REAL NOT NULL);

-- A chat and the session in it. key: the chat or thread, in a group with the person behind `|`;
-- told: the last event of the session that was put into the outbox for it; parked: why nothing is
-- sent there any more.
CREATE TABLE chats (
  key TEXT PRIMARY KEY,
  target TEXT NOT NULL,
  session TEXT NOT NULL,
  person TEXT NOT NULL DEFAULT '',
  grouped INTEGER NOT NULL DEFAULT 0,
  told INTEGER NOT NULL DEFAULT 0,
  last_in REAL NOT NULL DEFAULT 0,
  last_out REAL NOT NULL DEFAULT 0,
  parked TEXT NOT NULL DEFAULT ''
);
CREATE INDEX chats_session ON chats(session);

-- What buttons and codes under questions stand for; each works once.
CREATE TABLE nonces (
  nonce TEXT PRIMARY KEY,
  target TEXT NOT NULL,
  session TEXT NOT NULL,
  ask TEXT NOT NULL,
  choice TEXT NOT NULL,
  expires REAL NOT NULL,
  used REAL NOT NULL DEFAULT 0
);
CREATE INDEX nonces_ask ON nonces(session, ask);

-- How far each gateway had come.
CREATE TABLE marks (
  platform TEXT NOT NULL,
  name TEXT NOT NULL DEFAULT '',
  value TEXT NOT NULL,
  PRIMARY KEY (platform, name)
);

-- kind: `text`, `ask` (data: its buttons), `file` (data: path and name) or `draft` (a reply that
-- is still being written; not sent by itself). edits: the message this one replaces. rank: whose
-- turn it is first, 0 for the owner.
ALTER TABLE outbox ADD COLUMN kind TEXT NOT NULL DEFAULT 'text';
ALTER TABLE outbox ADD COLUMN data TEXT NOT NULL DEFAULT '';
ALTER TABLE outbox ADD COLUMN edits TEXT NOT NULL DEFAULT '';
ALTER TABLE outbox ADD COLUMN rank INTEGER NOT NULL DEFAULT 1;

-- target: the chat or thread; batch: the row whose input this one is a part of; rank as above.
ALTER TABLE inbox ADD COLUMN target TEXT NOT NULL DEFAULT '';
ALTER TABLE inbox ADD COLUMN batch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inbox ADD COLUMN rank INTEGER NOT NULL DEFAULT 1;
CREATE INDEX inbox_order ON inbox(rank, id) WHERE state = 'waiting';
