-- Turns that broke, by the message that was to be answered: a message that breaks every turn is given up after a
-- few (S8). The program ended in the middle of such a turn, or the turn itself broke.
CREATE INDEX turns_broken ON turns (trigger_id, persona) WHERE code IN ('internal', 'interrupted');
-- What an operator has looked at and does not want answered.
CREATE TABLE dismissed (
    message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    persona    TEXT NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (message_id, persona)
) WITHOUT ROWID;
