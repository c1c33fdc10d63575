-- A statement that may fail when it has written something already keeps a copy of every page before it writes
-- there, to be undone by itself. Nothing here is undone but whole transactions, so that copy is made for
-- nothing, and a message writes to twenty pages. A statement fails in the middle where a key of another
-- table is looked for at once, and where it writes words: keys are looked for at the commit now, where the
-- most is written, and the writer writes the words of messages beside what it stores.
DROP TRIGGER messages_worded;

-- Whether the last statement that was to write a message did: others do something only then.
ALTER TABLE message_ids ADD COLUMN fresh INTEGER NOT NULL DEFAULT 0;

-- What is stored stays as it is, so no table is written anew (sqlite.org/lang_altertable.html, 7).
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(sql, 'REFERENCES channels (id)', 'REFERENCES channels (id) DEFERRABLE INITIALLY DEFERRED')
WHERE type = 'table' AND name IN ('messages', 'speakers', 'turns', 'presence');
UPDATE sqlite_schema
SET sql = replace(sql, 'REFERENCES spaces (id)', 'REFERENCES spaces (id) DEFERRABLE INITIALLY DEFERRED')
WHERE type = 'table' AND name = 'vectors';
UPDATE sqlite_schema
SET sql = replace(replace(sql,
    'REFERENCES messages (id) ON DELETE CASCADE',
    'REFERENCES messages (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED'),
    'REFERENCES messages (id) ON DELETE SET NULL',
    'REFERENCES messages (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED')
WHERE type = 'table' AND name = 'turns';
PRAGMA writable_schema = RESET;
