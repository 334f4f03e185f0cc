-- Sessions and their events; the text of messages is indexed from the events themselves.
CREATE TABLE session (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL DEFAULT '',
  cwd TEXT NOT NULL DEFAULT '',
  model TEXT NOT NULL DEFAULT '',
  mode TEXT NOT NULL DEFAULT 'ask',
  created REAL NOT NULL,
  updated REAL NOT NULL,
  messages INTEGER NOT NULL DEFAULT 0,
  last INTEGER NOT NULL DEFAULT 0,
  open_turn INTEGER NOT NULL DEFAULT 0,
  prefix TEXT NOT NULL DEFAULT ''
);
CREATE INDEX session_updated ON session(updated);
CREATE INDEX session_open ON session(key) WHERE open_turn;

CREATE TABLE event (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  ts REAL NOT NULL,
  kind TEXT NOT NULL,
  v INTEGER NOT NULL,
  data TEXT NOT NULL,
  UNIQUE (session, n)
);
CREATE UNIQUE INDEX event_input ON event(session, data ->> 'input_id') WHERE kind = 'input_received';
CREATE UNIQUE INDEX event_import ON event(session, data ->> 'message_id') WHERE kind = 'message_imported';
CREATE INDEX event_typed ON event(ts) WHERE kind = 'input_received';

-- The frozen first part of a session's prompt, kept once for all sessions that share it.
CREATE TABLE prefix (
  digest TEXT PRIMARY KEY,
  data TEXT NOT NULL
) WITHOUT ROWID;

CREATE VIEW message AS
  SELECT id, session, n, ts, kind, data,
         CASE kind WHEN 'tool_ended' THEN data ->> 'for_model' ELSE data ->> 'text' END AS text
    FROM event
   WHERE (kind IN ('input_received', 'reply_received', 'message_imported') AND data ->> 'text' <> '')
      OR (kind = 'tool_ended' AND data ->> 'for_model' <> '');

CREATE VIRTUAL TABLE message_index USING fts5(
  text, content='message', content_rowid='id', tokenize="unicode61 remove_diacritics 2"
);
