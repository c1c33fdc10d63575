-- Who spoke in a channel, by id and name, since which message, and how often. The first person of a name keeps
-- it; whoever takes the same name later is told apart from them.
DROP TRIGGER messages_new;
DROP TRIGGER messages_gone;
DROP TABLE speakers;
CREATE TABLE speakers (
    channel_id INTEGER NOT NULL REFERENCES channels (id) DEFERRABLE INITIALLY DEFERRED,
    author     TEXT NOT NULL, -- 'user' or 'persona'
    author_id  TEXT NOT NULL,
    name       TEXT NOT NULL,
    since      INTEGER NOT NULL, -- the id of a message
    messages   INTEGER NOT NULL,
    PRIMARY KEY (channel_id, author_id, name, author)
) WITHOUT ROWID;
INSERT INTO speakers
    SELECT channel_id, author, author_id, author_name, min(id), count(*) FROM messages
    GROUP BY channel_id, author, author_id, author_name;

CREATE TRIGGER messages_new AFTER INSERT ON messages BEGIN
    INSERT INTO changes (item, item_id) VALUES ('message', NEW.id);
    INSERT OR IGNORE INTO speakers (channel_id, author, author_id, name, since, messages)
        VALUES (NEW.channel_id, NEW.author, NEW.author_id, NEW.author_name, NEW.id, 0);
    UPDATE speakers SET messages = messages + 1
        WHERE channel_id = NEW.channel_id AND author_id = NEW.author_id AND name = NEW.author_name
            AND author = NEW.author;
END;
CREATE TRIGGER messages_gone AFTER DELETE ON messages BEGIN
    INSERT INTO messages_words (messages_words, rowid, text, channel_id)
        SELECT 'delete', OLD.id, OLD.text, OLD.channel_id
        WHERE OLD.id <= (SELECT worded FROM message_ids);
    DELETE FROM vectors WHERE item = 'message' AND item_id = OLD.id;
    INSERT INTO changes (item, item_id, channel_id) VALUES ('message', OLD.id, OLD.channel_id);
    UPDATE speakers SET messages = messages - 1
        WHERE channel_id = OLD.channel_id AND author_id = OLD.author_id AND name = OLD.author_name
            AND author = OLD.author;
    DELETE FROM speakers
        WHERE channel_id = OLD.channel_id AND author_id = OLD.author_id AND name = OLD.author_name
            AND author = OLD.author AND messages = 0;
END;
