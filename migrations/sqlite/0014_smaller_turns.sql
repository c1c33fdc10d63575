-- A turn takes less of the disk.

-- A receipt is most of a turn, and only the newest of a channel are kept: in a table of their own the space of
-- those that go is used again. What was kept so far is JSON in the turn's row and is not carried over.
DROP INDEX turns_with_receipt;
ALTER TABLE turns DROP COLUMN receipt;
DELETE FROM shows;
CREATE TABLE receipts (
    reply_id   INTEGER PRIMARY KEY, -- the reply of the turn
    channel_id INTEGER NOT NULL,
    receipt    BLOB NOT NULL        -- JSON, deflated
);
CREATE INDEX receipts_by_channel ON receipts (channel_id, reply_id);
CREATE TRIGGER receipts_gone AFTER DELETE ON messages BEGIN
    DELETE FROM receipts WHERE reply_id = OLD.id;
END;

-- Vectors are little-endian f16 from now on. Those of before are made again by the next embedding.
DELETE FROM vectors WHERE vector IS NOT NULL;
