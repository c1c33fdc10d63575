-- A reply is no event that may come again: the turn it comes from ends once. Only what was said to us is looked
-- for by its event.
DROP INDEX messages_by_event;
CREATE UNIQUE INDEX messages_by_event ON messages (channel_id, event_id) WHERE turn_id IS NULL;
