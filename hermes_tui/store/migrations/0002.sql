-- What a person does to keep the list of sessions in order.
ALTER TABLE session ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
