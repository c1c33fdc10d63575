-- Rooms: who belongs to a channel and why, who answered a message and why, and how long bots may still talk.

-- How a persona came (file, settings, invited, addressed, alone), and why it went (left, stopped, removed). An open row of
-- `presence` is a membership.
ALTER TABLE presence ADD COLUMN via TEXT;
ALTER TABLE presence ADD COLUMN ended TEXT;
CREATE INDEX presence_by_channel ON presence (channel_id, persona, from_id);

-- What a room has to know after a restart: JSON of the runtime. Rooms of one persona have no row.
CREATE TABLE rooms (
    channel_id INTEGER PRIMARY KEY REFERENCES channels (id) DEFERRABLE INITIALLY DEFERRED,
    state      TEXT NOT NULL
);

-- Who answers a message and why: JSON of the runtime, without names of people. Asked again after each answer. Where one
-- persona is alone with a message and answers it there is no row.
CREATE TABLE decisions (
    message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    after_id   INTEGER NOT NULL,    -- the newest message that was known: the message itself, or an answer
    decision   TEXT NOT NULL,
    PRIMARY KEY (message_id, after_id)
) WITHOUT ROWID;

-- Until now every persona was present everywhere. Those that answered in a channel stay as its members.
UPDATE presence SET until_id = max(from_id, (SELECT last + 1 FROM message_ids))
    WHERE until_id IS NULL
        AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.persona = presence.persona AND t.channel_id = presence.channel_id);
UPDATE presence SET via = 'addressed' WHERE until_id IS NULL;
