-- What goes out to chats. key: whoever puts the same twice has put it once. parts: how many
-- messages of a long text have gone; doubt: an earlier core died between sending and noting it.
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  platform TEXT NOT NULL,
  target TEXT NOT NULL,
  text TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  parts INTEGER NOT NULL DEFAULT 0,
  doubt INTEGER NOT NULL DEFAULT 0,
  due REAL NOT NULL,
  made REAL NOT NULL,
  expires REAL NOT NULL,
  proof TEXT NOT NULL DEFAULT '',
  error TEXT NOT NULL DEFAULT ''
);
CREATE INDEX outbox_open ON outbox(target, id) WHERE state IN ('waiting', 'sending');

-- What came in, under the platform's own number, before it is acknowledged there.
CREATE TABLE inbox (
  id INTEGER PRIMARY KEY,
  platform TEXT NOT NULL,
  chat TEXT NOT NULL,
  message TEXT NOT NULL,
  state TEXT NOT NULL,
  received REAL NOT NULL,
  data TEXT NOT NULL,
  UNIQUE (platform, chat, message)
);
CREATE INDEX inbox_open ON inbox(id) WHERE state = 'waiting';
