-- The search index: words as `store/message_text.py` cuts them, and where each message is.
DROP TABLE message_index;

-- Message ids are given out in blocks, so that a session's messages have neighbouring ids.
CREATE TABLE recall_block (
  block INTEGER PRIMARY KEY,
  session INTEGER NOT NULL
);
CREATE INDEX recall_block_session ON recall_block(session);

-- id: block and place in the block, as `store/message_index.py` packs them.
CREATE TABLE recall_message (
  id INTEGER PRIMARY KEY,
  n INTEGER NOT NULL,
  ts REAL NOT NULL,
  kind INTEGER NOT NULL
);

-- rowid: the id above with what kind of message it is.
CREATE VIRTUAL TABLE recall_index USING fts5(
  text, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);

-- Sessions whose messages of before are not in the index yet, and how far it has come.
CREATE TABLE recall_pending (
  session INTEGER PRIMARY KEY REFERENCES session(key) ON DELETE CASCADE,
  upto INTEGER NOT NULL DEFAULT 0
);
INSERT INTO recall_pending (session) SELECT key FROM session WHERE last > 0;

-- Summaries of what a search found, by what they were made of.
CREATE TABLE recall_summary (
  digest TEXT PRIMARY KEY,
  made REAL NOT NULL,
  data TEXT NOT NULL
) WITHOUT ROWID;

-- Who made a session and for whom: what one person or group said is for nobody else.
ALTER TABLE session ADD COLUMN origin TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN person TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN chat TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN grouped INTEGER NOT NULL DEFAULT 0;
UPDATE session SET origin = coalesce((
  SELECT data ->> 'origin' FROM event WHERE session = key AND n = 1 AND kind = 'session_started'
), '');
