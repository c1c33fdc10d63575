-- A statement that may fail when it has written something already keeps a copy of every page before it writes
-- there, to be undone by itself. Nothing here is undone but whole transactions, so that copy is made for
-- nothing, and a message writes to twenty pages. A statement may fail in the middle where a key of another
-- table is looked for at once, where it writes words, and where it updates a row in place of another: keys are
-- looked for at the commit now, where the most is written, the writer writes the words of messages beside
-- what it stores, and who speaks is counted in two steps.
DROP TRIGGER messages_worded;
DROP TRIGGER messages_new;
CREATE TRIGGER messages_new AFTER INSERT ON messages BEGIN
    INSERT INTO changes (item, item_id) VALUES ('message', NEW.id);
    INSERT OR IGNORE INTO speakers (channel_id, name, messages) VALUES (NEW.channel_id, NEW.author_name, 0);
    UPDATE speakers SET messages = messages + 1 WHERE channel_id = NEW.channel_id AND name = NEW.author_name;
END;

-- Whether the last statement that was to write a message did: others do something only then.
ALTER TABLE message_ids ADD COLUMN fresh INTEGER NOT NULL DEFAULT 0;

-- As before, but not for a turn that is ignored for want of a new message.
DROP TRIGGER turns_first;
CREATE TRIGGER turns_first BEFORE INSERT ON turns
WHEN NEW.trigger_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM turns WHERE persona = NEW.persona AND channel_id = NEW.channel_id) BEGIN
    INSERT INTO changes (item, item_id, persona) VALUES ('channel', NEW.channel_id, NEW.persona);
END;

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
