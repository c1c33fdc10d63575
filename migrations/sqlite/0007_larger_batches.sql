-- Words are written less often still: a batch of 256 texts costs the index little more than one of 32, and a
-- summary that is written anew every few seconds stands in none of them before it rests.
DROP TRIGGER messages_worded;
CREATE TRIGGER messages_worded AFTER INSERT ON messages WHEN NEW.id % 256 = 0 BEGIN
    INSERT INTO messages_words (rowid, text, channel_id) SELECT id, text, channel_id FROM messages
        WHERE id > (SELECT worded FROM message_ids) ORDER BY id;
    UPDATE message_ids SET worded = NEW.id;
END;
DROP TRIGGER memories_worded;
CREATE TRIGGER memories_worded AFTER INSERT ON unworded WHEN (SELECT count(*) FROM unworded) >= 256 BEGIN
    INSERT INTO memories_words (rowid, text, persona) SELECT id, text, persona FROM memories
        WHERE id IN (SELECT memory_id FROM unworded) ORDER BY id;
    DELETE FROM unworded;
END;
