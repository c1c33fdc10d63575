-- Where a persona answers for the first time, what was said there before becomes its to recall: whoever
-- embeds texts for it learns of the channel from the journal.
CREATE TRIGGER turns_first BEFORE INSERT ON turns
WHEN NOT EXISTS (SELECT 1 FROM turns WHERE persona = NEW.persona AND channel_id = NEW.channel_id) BEGIN
    INSERT INTO changes (item, item_id, persona) VALUES ('channel', NEW.channel_id, NEW.persona);
END;
