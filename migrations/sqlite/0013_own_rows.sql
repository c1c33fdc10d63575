-- Whether a message is new is read from its own row before it is written.
ALTER TABLE message_ids DROP COLUMN fresh;

-- A known speaker is no conflict, whatever the statement that fires the trigger says of conflicts: an OR IGNORE
-- here would give way to the OR FAIL there.
DROP TRIGGER messages_new;
CREATE TRIGGER messages_new AFTER INSERT ON messages BEGIN
    INSERT INTO changes (item, item_id) VALUES ('message', NEW.id);
    INSERT INTO speakers (channel_id, author, author_id, name, since, messages)
        VALUES (NEW.channel_id, NEW.author, NEW.author_id, NEW.author_name, NEW.id, 0)
        ON CONFLICT DO NOTHING;
    UPDATE speakers SET messages = messages + 1
        WHERE channel_id = NEW.channel_id AND author_id = NEW.author_id AND name = NEW.author_name
            AND author = NEW.author;
END;
