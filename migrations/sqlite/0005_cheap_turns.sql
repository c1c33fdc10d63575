-- A turn is what is written most. What it writes beside its rows is written less often, or at once.

-- Which receipts show the beginning of recalled items: a row a receipt, with the ids as `,1,2,`.
CREATE TABLE shows (
    turn_id  TEXT PRIMARY KEY,
    memories TEXT NOT NULL,
    messages TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO shows SELECT turn_id,
        coalesce(',' || group_concat(CASE item WHEN 'memory' THEN item_id END) || ',', ''),
        coalesce(',' || group_concat(CASE item WHEN 'message' THEN item_id END) || ',', '')
    FROM shown GROUP BY turn_id;
DROP TABLE shown;

-- Words are looked for here only beside a new memory, and while an index is not there yet. They are written
-- a batch at a time, and before they are looked for: a text that goes or changes before that costs the
-- index nothing, and a batch costs it little more than a text.
ALTER TABLE message_ids ADD COLUMN worded INTEGER NOT NULL DEFAULT 0; -- up to here messages_words goes
UPDATE message_ids SET worded = last;
CREATE TABLE unworded (
    memory_id INTEGER PRIMARY KEY   -- not in memories_words yet
);

DROP TRIGGER messages_new;
CREATE TRIGGER messages_new AFTER INSERT ON messages BEGIN
    INSERT INTO changes (item, item_id) VALUES ('message', NEW.id);
    INSERT INTO speakers (channel_id, name, messages) VALUES (NEW.channel_id, NEW.author_name, 1)
        ON CONFLICT DO UPDATE SET messages = messages + 1;
END;
CREATE TRIGGER messages_worded AFTER INSERT ON messages WHEN NEW.id % 32 = 0 BEGIN
    INSERT INTO messages_words (rowid, text, channel_id) SELECT id, text, channel_id FROM messages
        WHERE id > (SELECT worded FROM message_ids) ORDER BY id;
    UPDATE message_ids SET worded = NEW.id;
END;
DROP TRIGGER messages_gone;
CREATE TRIGGER messages_gone AFTER DELETE ON messages BEGIN
    INSERT INTO messages_words (messages_words, rowid, text, channel_id)
        SELECT 'delete', OLD.id, OLD.text, OLD.channel_id
        WHERE OLD.id <= (SELECT worded FROM message_ids);
    DELETE FROM vectors WHERE item = 'message' AND item_id = OLD.id;
    INSERT INTO changes (item, item_id, channel_id) VALUES ('message', OLD.id, OLD.channel_id);
    UPDATE speakers SET messages = messages - 1
        WHERE channel_id = OLD.channel_id AND name = OLD.author_name;
    DELETE FROM speakers WHERE channel_id = OLD.channel_id AND name = OLD.author_name AND messages = 0;
END;

DROP TRIGGER memories_new;
CREATE TRIGGER memories_new AFTER INSERT ON memories BEGIN
    INSERT INTO unworded VALUES (NEW.id);
    INSERT INTO changes (item, item_id) VALUES ('memory', NEW.id);
END;
CREATE TRIGGER memories_worded AFTER INSERT ON unworded WHEN (SELECT count(*) FROM unworded) >= 32 BEGIN
    INSERT INTO memories_words (rowid, text, persona) SELECT id, text, persona FROM memories
        WHERE id IN (SELECT memory_id FROM unworded) ORDER BY id;
    DELETE FROM unworded;
END;
DROP TRIGGER memories_changed;
CREATE TRIGGER memories_changed AFTER UPDATE OF text ON memories BEGIN
    INSERT INTO memories_words (memories_words, rowid, text, persona)
        SELECT 'delete', OLD.id, OLD.text, OLD.persona
        WHERE NOT EXISTS (SELECT 1 FROM unworded WHERE memory_id = OLD.id);
    INSERT INTO unworded VALUES (NEW.id) ON CONFLICT DO NOTHING;
    DELETE FROM vectors WHERE item = 'memory' AND item_id = OLD.id;
    INSERT INTO changes (item, item_id) VALUES ('memory', NEW.id);
END;
DROP TRIGGER memories_gone;
CREATE TRIGGER memories_gone AFTER DELETE ON memories BEGIN
    INSERT INTO memories_words (memories_words, rowid, text, persona)
        SELECT 'delete', OLD.id, OLD.text, OLD.persona
        WHERE NOT EXISTS (SELECT 1 FROM unworded WHERE memory_id = OLD.id);
    DELETE FROM unworded WHERE memory_id = OLD.id;
    DELETE FROM vectors WHERE item = 'memory' AND item_id = OLD.id;
    INSERT INTO changes (item, item_id, persona, scope, scope_of)
        VALUES ('memory', OLD.id, OLD.persona, OLD.scope, OLD.scope_of);
END;
