-- What was erased, whoever did it: nothing that was made of it is stored afterwards, and nobody is told of it again.
-- No texts and no keys.
CREATE TABLE erasures (
    seq        INTEGER PRIMARY KEY, -- the newest row is never removed, so it only grows
    item       TEXT NOT NULL CHECK (item IN ('message', 'memory')),
    item_id    INTEGER NOT NULL,
    channel_id INTEGER              -- where it may have been shown; nothing: anywhere
);
-- The newest 20,000 are kept, and up to a thousand more.
CREATE TRIGGER erasures_trimmed AFTER INSERT ON erasures WHEN NEW.seq % 1000 = 0 BEGIN
    DELETE FROM erasures WHERE seq <= NEW.seq - 20000;
END;
CREATE TRIGGER messages_erased AFTER DELETE ON messages BEGIN
    INSERT INTO erasures (item, item_id, channel_id) VALUES ('message', OLD.id, OLD.channel_id);
END;
CREATE TRIGGER memories_erased AFTER DELETE ON memories BEGIN
    INSERT INTO erasures (item, item_id, channel_id) VALUES ('memory', OLD.id,
        (SELECT id FROM channels WHERE OLD.scope = 'channel' AND key = OLD.scope_of));
END;
-- It said when something of a channel was erased last.
ALTER TABLE channels DROP COLUMN erased;
