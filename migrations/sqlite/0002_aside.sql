-- Messages with memory switched off (BD6): what answers them and they themselves stand in no summary.
CREATE TABLE aside (
    message_id INTEGER PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE
);

-- Where a persona has answered.
CREATE INDEX turns_by_place ON turns (persona, channel_id);
