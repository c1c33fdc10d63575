-- The data model: everything that Greenroom keeps. Times are microseconds since 1970-01-01 UTC.
--
-- Rules of the file
--   * Foreign keys of tables that a turn writes are checked at the commit (DEFERRABLE INITIALLY DEFERRED): an immediate
--     check makes SQLite copy each page before it writes, so that it can undo a single statement. The writer undoes
--     whole transactions instead.
--   * Triggers write what follows from a row whatever wrote it: the journals, and what goes with a row that goes.
--   * Numbers of messages, memories, sessions and erasures are never used again, because other rows and processes keep
--     them.
--   * Until the first release this file is changed and stores of earlier builds are refused. Afterwards changes are new
--     numbered files; all of them run in one transaction, so that a store has the old model or the new one.

PRAGMA application_id = 0x47524e52; -- "GRNR": tells our files from those of other programs

-- --- channels and messages ---------------------------------------------------------------------

CREATE TABLE channels (
    id       INTEGER PRIMARY KEY,
    key      TEXT NOT NULL UNIQUE,  -- provider:chat_id[:thread]
    provider TEXT NOT NULL,
    chat_id  TEXT NOT NULL,
    thread   TEXT,
    group_since INTEGER         -- the first message that several people are known to read; null: one to one
);
CREATE INDEX channels_by_chat ON channels (provider, chat_id);

-- What people and personas said: the inbox and the history. Clustered by channel, so that the newest messages of a
-- channel lie side by side.
CREATE TABLE messages (
    channel_id     INTEGER NOT NULL REFERENCES channels (id) DEFERRABLE INITIALLY DEFERRED,
    id             INTEGER NOT NULL,    -- ascends over all channels
    event_id       TEXT NOT NULL,       -- the platform's id of the message; a repeat has the same
    author         TEXT NOT NULL CHECK (author IN ('user', 'persona')),
    author_id      TEXT NOT NULL,       -- a user's id or a persona's name
    author_name    TEXT NOT NULL,       -- the name that is shown
    text           TEXT NOT NULL,
    at             INTEGER NOT NULL,
    reply_to       TEXT,                -- the event_id of the message that this one replies to
    turn_id        TEXT,                -- the turn that a reply came from
    unhandled      INTEGER NOT NULL,    -- 1 until it is decided who answers
    without_memory INTEGER NOT NULL,    -- 1: sent with memory switched off; it and its replies are in no summary
    PRIMARY KEY (channel_id, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX messages_by_id ON messages (id);
-- Makes a repeat of a message visible. A reply is never repeated: the turn that it comes from ends once.
CREATE UNIQUE INDEX messages_by_event ON messages (channel_id, event_id) WHERE turn_id IS NULL;
CREATE INDEX messages_unhandled ON messages (id) WHERE unhandled;

-- One row: the newest number of a message. A number outlives its message.
CREATE TABLE message_ids (
    last INTEGER NOT NULL
);
INSERT INTO message_ids VALUES (0);

-- Who spoke in a channel, by id and name, since which message. The first speaker of a name keeps it; others who take it
-- later are told apart from the first.
CREATE TABLE speakers (
    channel_id INTEGER NOT NULL REFERENCES channels (id) DEFERRABLE INITIALLY DEFERRED,
    author     TEXT NOT NULL,       -- 'user' or 'persona'
    author_id  TEXT NOT NULL,
    name       TEXT NOT NULL,
    since      INTEGER NOT NULL,    -- the number of a message
    messages   INTEGER,             -- of a person: how many of theirs are stored; NOT NULL would cost copies of pages
    PRIMARY KEY (channel_id, author_id, name, author)
) WITHOUT ROWID;
-- The channels of a person by how much they said there.
CREATE INDEX speakers_by_person ON speakers (author_id, messages, since) WHERE author = 'user';

-- A session of a person in a chat: it ends when the person says nothing for a while.
CREATE TABLE sessions (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    provider   TEXT NOT NULL,
    chat_id    TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    last_at    INTEGER NOT NULL
);
CREATE INDEX sessions_by_person ON sessions (provider, chat_id, user_id, last_at);

-- --- what a persona sees of a channel ----------------------------------------------------------

-- The last message before a persona's context begins: set by `/reset`.
CREATE TABLE contexts (
    persona    TEXT NOT NULL,
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    after_id   INTEGER NOT NULL,
    PRIMARY KEY (persona, channel_id)
) WITHOUT ROWID;

-- The stretches of a channel that a persona was present for: from one message, until before another. An open row is a
-- membership.
CREATE TABLE presence (
    persona    TEXT NOT NULL,
    channel_id INTEGER NOT NULL REFERENCES channels (id) DEFERRABLE INITIALLY DEFERRED,
    from_id    INTEGER NOT NULL,
    until_id   INTEGER,             -- null while the persona is present
    via        TEXT,                -- how it came: file, settings, invited, addressed, alone
    ended      TEXT,                -- why it went: left, stopped, removed
    PRIMARY KEY (persona, channel_id, from_id)
) WITHOUT ROWID;
CREATE INDEX presence_by_channel ON presence (channel_id, persona, from_id);
CREATE INDEX presence_now ON presence (channel_id, persona) WHERE until_id IS NULL;

-- What a room knows of how far bots have talked, as JSON of the runtime. A room of one persona has no row.
CREATE TABLE rooms (
    channel_id INTEGER PRIMARY KEY REFERENCES channels (id) DEFERRABLE INITIALLY DEFERRED,
    state      TEXT NOT NULL
);

-- Who answers a message and why, as JSON of the runtime, without names of people. Decided again after each answer. A
-- message that one persona alone had to answer has no row.
CREATE TABLE decisions (
    message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    after_id   INTEGER NOT NULL,    -- the newest message that was known: the message itself, or an answer
    decision   TEXT NOT NULL,
    PRIMARY KEY (message_id, after_id)
) WITHOUT ROWID;

-- The summary of the history that a persona's context no longer holds.
CREATE TABLE summaries (
    persona    TEXT NOT NULL,
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    until_id   INTEGER NOT NULL,    -- the last message that it covers
    text       TEXT NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (persona, channel_id)
);

-- --- turns -------------------------------------------------------------------------------------

-- One persona's answer to one message, from its plan to its end.
CREATE TABLE turns (
    id                TEXT PRIMARY KEY,
    persona           TEXT NOT NULL,
    channel_id        INTEGER NOT NULL REFERENCES channels (id) DEFERRABLE INITIALLY DEFERRED,
    trigger_id        INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    state             TEXT NOT NULL,    -- waiting, running, done, failed, cancelled, coalesced
    planned_at        INTEGER NOT NULL,
    begun_at          INTEGER,
    ended_at          INTEGER,
    reply_id          INTEGER REFERENCES messages (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    answered_with     INTEGER,          -- of a coalesced turn: the later message whose turn answers both
    code              TEXT,             -- of a failed turn: the error, for programs
    note              TEXT,             -- of a turn without a reply: the reason, for people
    prompt_tokens     INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0,
    estimated         INTEGER NOT NULL DEFAULT 0, -- 1 where the endpoint did not report the tokens
    cost_micros       INTEGER NOT NULL DEFAULT 0  -- in millionths of the currency of the prices
);
-- A persona answers a message once: only a turn that failed or was cancelled makes room for another.
CREATE UNIQUE INDEX turns_once ON turns (trigger_id, persona) WHERE state NOT IN ('failed', 'cancelled');
CREATE INDEX turns_by_trigger ON turns (trigger_id);
CREATE INDEX turns_by_place ON turns (persona, channel_id);
CREATE INDEX turns_open ON turns (channel_id) WHERE ended_at IS NULL;
CREATE INDEX turns_coalesced ON turns (answered_with) WHERE answered_with IS NOT NULL;
CREATE INDEX turns_broken ON turns (trigger_id, persona) WHERE code IN ('internal', 'interrupted');
-- A planned turn has no reply and no end: it enters these two indexes when it ends.
CREATE INDEX turns_by_reply ON turns (reply_id) WHERE reply_id IS NOT NULL;
CREATE INDEX turns_by_use ON turns (persona, ended_at, prompt_tokens, completion_tokens, cost_micros)
    WHERE ended_at IS NOT NULL;

-- What small models and turns without a channel used.
CREATE TABLE side_usage (
    persona           TEXT NOT NULL,
    at                INTEGER NOT NULL,
    prompt_tokens     INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cost_micros       INTEGER NOT NULL
);
CREATE INDEX side_usage_by_use ON side_usage (persona, at, prompt_tokens, completion_tokens, cost_micros);

-- The account of a turn's context, for the newest turns of a channel. In a table of its own, so that the space of those
-- that go is used again. The lists of numbers (`,1,2,`) say of which recalled items it shows the beginning: when such an
-- item is erased, the receipt is blanked.
CREATE TABLE receipts (
    reply_id   INTEGER PRIMARY KEY,
    channel_id INTEGER NOT NULL,
    memories   TEXT NOT NULL,
    messages   TEXT NOT NULL,
    receipt    BLOB NOT NULL        -- JSON, deflated
);
CREATE INDEX receipts_by_channel ON receipts (channel_id, reply_id);

-- Replies on their way to the platform.
CREATE TABLE outbox (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    channel_id   INTEGER NOT NULL REFERENCES channels (id),
    turn_id      TEXT NOT NULL UNIQUE REFERENCES turns (id) ON DELETE CASCADE,
    reply_id     INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    trigger_id   INTEGER NOT NULL,
    delivered_at INTEGER,           -- null while it is owed; also set where it is uncertain or dropped
    state        TEXT NOT NULL DEFAULT 'waiting', -- waiting, sending, delivered, uncertain, dead, dropped
    begun_at     INTEGER,           -- when a part was begun whose end is not known yet
    note         TEXT               -- why it is dead or uncertain
);
CREATE INDEX outbox_by_reply ON outbox (reply_id);
CREATE INDEX outbox_waiting ON outbox (channel_id, id) WHERE delivered_at IS NULL;
CREATE INDEX outbox_uncertain ON outbox (id) WHERE state = 'uncertain';

-- The parts of a reply that the platform has, or may have. A platform permits messages of a certain length only.
CREATE TABLE sent_parts (
    outbox_id INTEGER NOT NULL REFERENCES outbox (id) ON DELETE CASCADE,
    part      INTEGER NOT NULL,     -- from 0
    event_id  TEXT,                 -- the platform's id of the message, where it gives one
    uncertain INTEGER NOT NULL,     -- 1: it is not known whether it arrived
    PRIMARY KEY (outbox_id, part)
) WITHOUT ROWID;
CREATE INDEX sent_parts_by_event ON sent_parts (event_id) WHERE event_id IS NOT NULL;

-- Where accounts on chat platforms go on after a restart, as the adapter of each platform keeps it.
CREATE TABLE cursors (
    account TEXT NOT NULL,
    name    TEXT NOT NULL,
    value   TEXT NOT NULL,
    PRIMARY KEY (account, name)
) WITHOUT ROWID;

-- Replies that a platform has, whose messages were edited or deleted: the platform is asked to delete them. They are noted
-- in the transaction that erases them.
CREATE TABLE retractions (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    channel  TEXT NOT NULL,         -- provider:chat_id[:thread]; its row may be gone
    persona  TEXT NOT NULL,
    event_id TEXT NOT NULL          -- the platform's id
);

-- What has no effect when a platform delivers it again: events that were commands or were deleted, and what a person or a
-- channel said before it was erased. Hashes, because what they name is gone.
CREATE TABLE settled (
    mark TEXT PRIMARY KEY,
    at   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX settled_by_age ON settled (at);

-- Accounts of one person on several platforms (MP1). An account that is not here is a person of its own.
CREATE TABLE links (
    account TEXT PRIMARY KEY,       -- provider:user, as memories have it
    person  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX links_by_person ON links (person);

-- Messages that broke every turn, and that the operator does not want answered.
CREATE TABLE dismissed_letters (
    message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    persona    TEXT NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (message_id, persona)
) WITHOUT ROWID;

-- Turns whose exchange waits to be captured, because the queue was full. Ids of turns ascend with time.
CREATE TABLE postponed_captures (
    turn_id TEXT PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE
) WITHOUT ROWID;

-- --- memories ----------------------------------------------------------------------------------

CREATE TABLE memories (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    persona        TEXT NOT NULL,
    scope          TEXT NOT NULL CHECK (scope IN ('channel', 'global', 'user', 'private')),
    scope_of       TEXT NOT NULL,   -- a channel's key, provider:user, or empty
    text           TEXT NOT NULL,
    kind           TEXT NOT NULL,   -- fact, preference, decision, …
    tier           TEXT NOT NULL,   -- semantic, episodic, conversation
    via            TEXT NOT NULL,   -- how it was learned
    source_message INTEGER,
    source_user    TEXT,            -- whom it was learned from
    trust          TEXT NOT NULL,
    version        INTEGER NOT NULL,
    key            TEXT,            -- a memory of the same key takes its place
    expires_at     INTEGER,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL
);
CREATE INDEX memories_by_scope ON memories (persona, scope, scope_of);
CREATE UNIQUE INDEX memories_by_key ON memories (persona, scope, scope_of, key) WHERE key IS NOT NULL;
CREATE INDEX memories_by_tier ON memories (persona, scope, scope_of, tier, updated_at);
CREATE INDEX memories_by_kind ON memories (persona, scope, scope_of, tier, kind, updated_at);
CREATE INDEX memories_by_expiry ON memories (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memories_by_message ON memories (source_message) WHERE source_message IS NOT NULL;

-- How two memories stand to each other: supersedes, refines, contradicts, relates-to.
CREATE TABLE relations (
    from_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    to_id   INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    kind    TEXT NOT NULL,
    PRIMARY KEY (from_id, to_id, kind)
) WITHOUT ROWID;
CREATE INDEX relations_by_target ON relations (to_id);
-- A chain of versions survives the loss of a version in its middle. Otherwise the oldest version would count as current.
CREATE TRIGGER memories_bridged BEFORE DELETE ON memories BEGIN
    INSERT OR IGNORE INTO relations
        SELECT newer.from_id, older.to_id, 'supersedes' FROM relations newer, relations older
        WHERE newer.to_id = OLD.id AND newer.kind = 'supersedes'
            AND older.from_id = OLD.id AND older.kind = 'supersedes' AND newer.from_id <> older.to_id;
END;

-- What was learned from messages and forgotten, corrected or replaced since: no other chat is told it. The summary of a
-- session is written anew and expires; that takes nothing back.
CREATE TABLE taken_back (
    message_id INTEGER NOT NULL,
    text       TEXT NOT NULL,    -- a part of the message that does not hold any more; empty: all of the message
    PRIMARY KEY (message_id, text)
) WITHOUT ROWID;
CREATE TRIGGER memories_taken_back AFTER DELETE ON memories
    WHEN OLD.source_message IS NOT NULL AND OLD.tier <> 'conversation' BEGIN
    INSERT OR IGNORE INTO taken_back VALUES (OLD.source_message, '');
END;
-- A text that is no part of its message is kept nowhere.
CREATE TRIGGER memories_corrected AFTER UPDATE OF text ON memories
    WHEN OLD.source_message IS NOT NULL AND OLD.tier <> 'conversation' AND NEW.text <> OLD.text BEGIN
    INSERT OR IGNORE INTO taken_back SELECT id, iif(instr(text, OLD.text) > 0, OLD.text, '')
        FROM messages WHERE id = OLD.source_message;
END;
CREATE TRIGGER memories_replaced AFTER INSERT ON relations WHEN NEW.kind = 'supersedes' BEGIN
    INSERT OR IGNORE INTO taken_back SELECT s.id, iif(instr(s.text, m.text) > 0, m.text, '')
        FROM memories m JOIN messages s ON s.id = m.source_message
        WHERE m.id = NEW.to_id AND m.tier <> 'conversation';
END;

-- --- vectors -----------------------------------------------------------------------------------

-- An embedding model with its dimension. Vectors of two spaces are never compared.
CREATE TABLE spaces (
    id        INTEGER PRIMARY KEY,
    model     TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    UNIQUE (model, dimension)
);

-- The vectors of messages and memories. A text has one of each space: while an embedding model is replaced by another, both
-- are in use.
CREATE TABLE vectors (
    item     TEXT NOT NULL CHECK (item IN ('message', 'memory')),
    item_id  INTEGER NOT NULL,
    space_id INTEGER NOT NULL REFERENCES spaces (id) DEFERRABLE INITIALLY DEFERRED,
    vector   BLOB,                  -- little-endian f16, length 1; null: the model finds nothing in the text
    UNIQUE (item, item_id, space_id)
);

-- --- journals: what other processes and the index follow ---------------------------------------

-- What was written or is gone, in order. It holds no texts.
CREATE TABLE changes (
    seq        INTEGER PRIMARY KEY, -- the newest row is never removed, so it only grows
    item       TEXT NOT NULL,       -- message, memory, channel
    item_id    INTEGER NOT NULL,
    space_id   INTEGER,             -- of a vector that was written
    channel_id INTEGER,             -- of a message that is gone
    persona    TEXT,                -- of a memory that is gone, and of a persona's first turn in a channel
    scope      TEXT,
    scope_of   TEXT
);
-- The newest 20,000 rows are kept, and up to a thousand more. A reader that is further behind loads everything anew.
CREATE TRIGGER changes_trimmed AFTER INSERT ON changes WHEN NEW.seq % 1000 = 0 BEGIN
    DELETE FROM changes WHERE seq <= NEW.seq - 20000;
END;

-- What was erased, in order: nothing that was made of it is stored or told afterwards. Also what is not to be told any
-- more where it may have been shown, because others listen there now.
CREATE TABLE erasures (
    seq        INTEGER PRIMARY KEY, -- the newest row is never removed, so it only grows
    item       TEXT NOT NULL CHECK (item IN ('message', 'memory', 'group')),
    item_id    INTEGER NOT NULL,    -- of a chat that became a group: the message that made it one
    channel_id INTEGER              -- where it may have been shown; null: anywhere
);
CREATE TRIGGER erasures_trimmed AFTER INSERT ON erasures WHEN NEW.seq % 1000 = 0 BEGIN
    DELETE FROM erasures WHERE seq <= NEW.seq - 20000;
END;

-- --- what follows a row ------------------------------------------------------------------------

-- A known speaker is no conflict of the message: the insert of a speaker says so itself, because an OR FAIL of the outer
-- statement would otherwise hold for it as well.
CREATE TRIGGER messages_new AFTER INSERT ON messages BEGIN
    UPDATE message_ids SET last = NEW.id;
    INSERT INTO changes (item, item_id) VALUES ('message', NEW.id);
    INSERT INTO speakers (channel_id, author, author_id, name, since, messages)
        VALUES (NEW.channel_id, NEW.author, NEW.author_id, NEW.author_name, NEW.id, 1)
        ON CONFLICT DO UPDATE SET messages = messages + 1 WHERE author = 'user';
END;
CREATE TRIGGER messages_gone AFTER DELETE ON messages BEGIN
    DELETE FROM vectors WHERE item = 'message' AND item_id = OLD.id;
    DELETE FROM receipts WHERE reply_id = OLD.id;
    DELETE FROM taken_back WHERE message_id = OLD.id;
    UPDATE speakers SET messages = messages - 1 WHERE channel_id = OLD.channel_id AND author_id = OLD.author_id
        AND name = OLD.author_name AND author = 'user' AND OLD.author = 'user';
    INSERT INTO changes (item, item_id, channel_id) VALUES ('message', OLD.id, OLD.channel_id);
    INSERT INTO erasures (item, item_id, channel_id) VALUES ('message', OLD.id, OLD.channel_id);
END;

CREATE TRIGGER memories_new AFTER INSERT ON memories BEGIN
    INSERT INTO changes (item, item_id) VALUES ('memory', NEW.id);
END;
CREATE TRIGGER memories_changed AFTER UPDATE OF text ON memories BEGIN
    DELETE FROM vectors WHERE item = 'memory' AND item_id = OLD.id;
    INSERT INTO changes (item, item_id) VALUES ('memory', NEW.id);
END;
-- One that is no longer private, or is from now on, lies elsewhere.
CREATE TRIGGER memories_moved AFTER UPDATE OF scope ON memories WHEN NEW.scope <> OLD.scope BEGIN
    INSERT INTO changes (item, item_id, persona, scope, scope_of)
        VALUES ('memory', OLD.id, OLD.persona, OLD.scope, OLD.scope_of);
    INSERT INTO changes (item, item_id) VALUES ('memory', NEW.id);
END;
CREATE TRIGGER memories_gone AFTER DELETE ON memories BEGIN
    DELETE FROM vectors WHERE item = 'memory' AND item_id = OLD.id;
    INSERT INTO changes (item, item_id, persona, scope, scope_of)
        VALUES ('memory', OLD.id, OLD.persona, OLD.scope, OLD.scope_of);
    INSERT INTO erasures (item, item_id, channel_id) VALUES ('memory', OLD.id,
        (SELECT id FROM channels WHERE OLD.scope = 'channel' AND key = OLD.scope_of));
END;

CREATE TRIGGER vectors_new AFTER INSERT ON vectors WHEN NEW.vector IS NOT NULL BEGIN
    INSERT INTO changes (item, item_id, space_id) VALUES (NEW.item, NEW.item_id, NEW.space_id);
END;

-- The first turn of a persona in a channel makes what was said there before its to recall: the index learns of the
-- channel from the journal.
CREATE TRIGGER turns_first BEFORE INSERT ON turns
WHEN NEW.trigger_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM turns WHERE persona = NEW.persona AND channel_id = NEW.channel_id) BEGIN
    INSERT INTO changes (item, item_id, persona) VALUES ('channel', NEW.channel_id, NEW.persona);
END;

-- --- access and upkeep -------------------------------------------------------------------------

-- Who may call the server. Of a key only its SHA-256 is kept. A revoked key stays: once there was a key, every request
-- needs one.
CREATE TABLE access_keys (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    label      TEXT NOT NULL,
    role       TEXT NOT NULL CHECK (role IN ('user', 'operator')),
    user_id    TEXT NOT NULL,       -- the person that it speaks as
    hash       BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
);

-- One row: whether the file still has to be written anew after something was erased. Until then its pages may hold
-- remains that no row leads to. Negative: the log alone.
CREATE TABLE scrub (owed INTEGER NOT NULL);
INSERT INTO scrub VALUES (0);

-- `doctor` writes here to prove that a write succeeds; always empty.
CREATE TABLE write_probe (filler BLOB NOT NULL);
