-- Inputs that were reworded while they waited: the event with the last wording of a message.
CREATE TABLE recall_edit (
  session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  edited INTEGER NOT NULL,
  PRIMARY KEY (session, n)
) WITHOUT ROWID;

-- What messages mean as numbers of one byte each, by the id of the message; all of one model.
CREATE TABLE recall_vector (
  id INTEGER PRIMARY KEY,
  data BLOB NOT NULL
);
CREATE TABLE recall_vectors (
  model TEXT NOT NULL
);

-- The files beside each version of a skill; their contents once each, compressed.
CREATE TABLE skill_content (
  digest TEXT PRIMARY KEY,
  data BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE skill_version_file (
  name TEXT NOT NULL,
  n INTEGER NOT NULL,
  path TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (name, n, path)
) WITHOUT ROWID;
