-- Everything Greenroom keeps. Times are microseconds since 1970-01-01 UTC.
-- The migrations run in one transaction, so that a store is at the old version or at the new one.

PRAGMA application_id = 0x47524e52; -- "GRNR": tells our files from other programs'

-- --- messages: the inbox and the history -------------------------------------------------------

CREATE TABLE channels (
    id       INTEGER PRIMARY KEY,
    key      TEXT NOT NULL UNIQUE,  -- provider:chat_id[:thread]
    provider TEXT NOT NULL,
    chat_id  TEXT NOT NULL,
    thread   TEXT,
    erased   INTEGER NOT NULL DEFAULT 0 -- the newest message of all when messages here were last erased
);
CREATE INDEX channels_by_chat ON channels (provider, chat_id);

-- Clustered by channel: the newest messages of a channel lie side by side.
CREATE TABLE messages (
    channel_id  INTEGER NOT NULL REFERENCES channels (id),
    id          INTEGER NOT NULL,
    event_id    TEXT NOT NULL,
    author      TEXT NOT NULL CHECK (author IN ('user', 'persona')),
    author_id   TEXT NOT NULL,      -- a user's id or a persona's name
    author_name TEXT NOT NULL,      -- what to call them
    text        TEXT NOT NULL,
    at          INTEGER NOT NULL,
    turn_id     TEXT,               -- the turn a reply came from
    unhandled   INTEGER NOT NULL,   -- 1 until it is settled who answers
    PRIMARY KEY (channel_id, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX messages_by_id ON messages (id);
CREATE UNIQUE INDEX messages_by_event ON messages (channel_id, event_id);
CREATE INDEX messages_unhandled ON messages (id) WHERE unhandled;

-- Message ids grow over all channels and are never used again.
CREATE TABLE message_ids (last INTEGER NOT NULL);
INSERT INTO message_ids VALUES (0);
CREATE TRIGGER messages_take_id AFTER INSERT ON messages BEGIN
    UPDATE message_ids SET last = NEW.id;
END;

-- Who spoke in a channel, by name, and how often.
CREATE TABLE speakers (
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    name       TEXT NOT NULL,
    messages   INTEGER NOT NULL,
    PRIMARY KEY (channel_id, name)
) WITHOUT ROWID;

-- A sitting of a person in a chat: it ends when they say nothing for a while.
CREATE TABLE sessions (
    id         INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again: keys of memories hold it
    provider   TEXT NOT NULL,
    chat_id    TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    last_at    INTEGER NOT NULL
);
CREATE INDEX sessions_by_person ON sessions (provider, chat_id, user_id, last_at);

-- Up to which message a persona's context in a channel was put aside.
CREATE TABLE contexts (
    persona    TEXT NOT NULL,
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    after_id   INTEGER NOT NULL,
    PRIMARY KEY (persona, channel_id)
) WITHOUT ROWID;

-- The stretches of a channel a persona was present for: from one message, until before another.
CREATE TABLE presence (
    persona    TEXT NOT NULL,
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    from_id    INTEGER NOT NULL,
    until_id   INTEGER,             -- nothing while the persona is present
    PRIMARY KEY (persona, channel_id, from_id)
) WITHOUT ROWID;
CREATE INDEX presence_now ON presence (channel_id, persona) WHERE until_id IS NULL;

-- What a persona's context in a channel no longer holds, told in short.
CREATE TABLE summaries (
    persona    TEXT NOT NULL,
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    until_id   INTEGER NOT NULL,    -- the last message it covers
    text       TEXT NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (persona, channel_id)
);

-- --- turns and what they owe -------------------------------------------------------------------

CREATE TABLE turns (
    id                TEXT PRIMARY KEY,
    persona           TEXT NOT NULL,
    channel_id        INTEGER NOT NULL REFERENCES channels (id),
    trigger_id        INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    state             TEXT NOT NULL,
    planned_at        INTEGER NOT NULL,
    begun_at          INTEGER,
    ended_at          INTEGER,
    reply_id          INTEGER REFERENCES messages (id) ON DELETE SET NULL,
    code              TEXT,
    note              TEXT,
    prompt_tokens     INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0,
    estimated         INTEGER NOT NULL DEFAULT 0,
    receipt           TEXT            -- JSON; only the newest of a channel have one
);
-- A persona answers a message once: only a turn that failed or was cancelled makes room for another.
CREATE UNIQUE INDEX turns_once ON turns (trigger_id, persona) WHERE state NOT IN ('failed', 'cancelled');
CREATE INDEX turns_by_trigger ON turns (trigger_id);
CREATE INDEX turns_by_reply ON turns (reply_id);
CREATE INDEX turns_open ON turns (channel_id) WHERE ended_at IS NULL;
CREATE INDEX turns_with_receipt ON turns (channel_id, reply_id) WHERE receipt IS NOT NULL;
CREATE INDEX turns_by_use ON turns (persona, ended_at, prompt_tokens, completion_tokens);

CREATE TABLE outbox (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    channel_id   INTEGER NOT NULL REFERENCES channels (id),
    turn_id      TEXT NOT NULL UNIQUE REFERENCES turns (id) ON DELETE CASCADE,
    reply_id     INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    trigger_id   INTEGER NOT NULL,
    delivered_at INTEGER
);
CREATE INDEX outbox_by_reply ON outbox (reply_id);
CREATE INDEX outbox_waiting ON outbox (channel_id, id) WHERE delivered_at IS NULL;

-- --- memories ----------------------------------------------------------------------------------

CREATE TABLE memories (
    id             INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again after a memory was forgotten
    persona        TEXT NOT NULL,
    scope          TEXT NOT NULL CHECK (scope IN ('channel', 'global', 'user')),
    scope_of       TEXT NOT NULL,   -- a channel's key, provider:user, or nothing
    text           TEXT NOT NULL,
    kind           TEXT NOT NULL,
    tier           TEXT NOT NULL,
    via            TEXT NOT NULL,
    source_message INTEGER,
    source_user    TEXT,
    trust          TEXT NOT NULL,
    version        INTEGER NOT NULL,
    key            TEXT,
    expires_at     INTEGER,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL
);
CREATE INDEX memories_by_scope ON memories (persona, scope, scope_of);
CREATE UNIQUE INDEX memories_by_key ON memories (persona, scope, scope_of, key) WHERE key IS NOT NULL;
CREATE INDEX memories_by_expiry ON memories (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memories_by_message ON memories (source_message) WHERE source_message IS NOT NULL;

CREATE TABLE relations (
    from_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    to_id   INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    kind    TEXT NOT NULL,
    PRIMARY KEY (from_id, to_id, kind)
) WITHOUT ROWID;
CREATE INDEX relations_by_target ON relations (to_id);
-- A chain of versions outlives its links: what the oldest said does not become current again.
CREATE TRIGGER memories_bridged BEFORE DELETE ON memories BEGIN
    INSERT OR IGNORE INTO relations
        SELECT newer.from_id, older.to_id, 'supersedes' FROM relations newer, relations older
        WHERE newer.to_id = OLD.id AND newer.kind = 'supersedes'
            AND older.from_id = OLD.id AND older.kind = 'supersedes' AND newer.from_id <> older.to_id;
END;

-- Which receipts show the beginning of a recalled item: removing it blanks them. A row outlives its
-- item until that is done.
CREATE TABLE shown (
    item    TEXT NOT NULL CHECK (item IN ('message', 'memory')),
    item_id INTEGER NOT NULL,
    turn_id TEXT NOT NULL,
    PRIMARY KEY (item, item_id, turn_id)
) WITHOUT ROWID;
CREATE INDEX shown_by_turn ON shown (turn_id);

-- --- what is searched --------------------------------------------------------------------------

-- A model with its dimension: vectors of two spaces are never compared.
CREATE TABLE spaces (
    id        INTEGER PRIMARY KEY,
    model     TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    UNIQUE (model, dimension)
);

CREATE TABLE vectors (
    item     TEXT NOT NULL CHECK (item IN ('message', 'memory')),
    item_id  INTEGER NOT NULL,
    space_id INTEGER NOT NULL REFERENCES spaces (id),
    version  INTEGER NOT NULL,      -- of the text it was made from
    vector   BLOB,                  -- little-endian f32, length 1; nothing: the model finds nothing in the text
    UNIQUE (item, item_id, space_id)
);

-- The texts stand in their tables; these hold only the index. Beside the words of a text stand those
-- of its place, so that a search passes over other places' texts; they do not count for the rank.
CREATE VIRTUAL TABLE messages_words USING fts5 (
    text, channel_id,
    content = 'messages', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE memories_words USING fts5 (
    text, persona,
    content = 'memories', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO messages_words (messages_words, rank) VALUES ('rank', 'bm25(1.0, 0.0)');
INSERT INTO memories_words (memories_words, rank) VALUES ('rank', 'bm25(1.0, 0.0)');
-- A forgotten word leaves the index at once, not at its next merge.
INSERT INTO messages_words (messages_words, rank) VALUES ('secure-delete', 1);
INSERT INTO memories_words (memories_words, rank) VALUES ('secure-delete', 1);

-- --- the journal: what an index follows ----------------------------------------------------------

-- No texts: what is gone leaves only its id and its place. Where a stored item lies stands with it.
CREATE TABLE changes (
    seq        INTEGER PRIMARY KEY, -- the newest row is never removed, so it only grows
    item       TEXT NOT NULL,
    item_id    INTEGER NOT NULL,
    space_id   INTEGER,             -- of a vector that was written
    channel_id INTEGER,             -- of a message that is gone
    persona    TEXT,                -- these of a memory that is gone
    scope      TEXT,
    scope_of   TEXT
);
-- The newest 20,000 are kept, and up to a thousand more.
CREATE TRIGGER changes_trimmed AFTER INSERT ON changes WHEN NEW.seq % 1000 = 0 BEGIN
    DELETE FROM changes WHERE seq <= NEW.seq - 20000;
END;

-- --- what follows its row ----------------------------------------------------------------------

CREATE TRIGGER messages_new AFTER INSERT ON messages BEGIN
    INSERT INTO messages_words (rowid, text, channel_id) VALUES (NEW.id, NEW.text, NEW.channel_id);
    INSERT INTO changes (item, item_id) VALUES ('message', NEW.id);
    INSERT INTO speakers (channel_id, name, messages) VALUES (NEW.channel_id, NEW.author_name, 1)
        ON CONFLICT DO UPDATE SET messages = messages + 1;
END;
CREATE TRIGGER messages_gone AFTER DELETE ON messages BEGIN
    INSERT INTO messages_words (messages_words, rowid, text, channel_id)
        VALUES ('delete', OLD.id, OLD.text, OLD.channel_id);
    DELETE FROM vectors WHERE item = 'message' AND item_id = OLD.id;
    INSERT INTO changes (item, item_id, channel_id) VALUES ('message', OLD.id, OLD.channel_id);
    UPDATE speakers SET messages = messages - 1
        WHERE channel_id = OLD.channel_id AND name = OLD.author_name;
    DELETE FROM speakers WHERE channel_id = OLD.channel_id AND name = OLD.author_name AND messages = 0;
END;

CREATE TRIGGER memories_new AFTER INSERT ON memories BEGIN
    INSERT INTO memories_words (rowid, text, persona) VALUES (NEW.id, NEW.text, NEW.persona);
    INSERT INTO changes (item, item_id) VALUES ('memory', NEW.id);
END;
CREATE TRIGGER memories_changed AFTER UPDATE OF text ON memories BEGIN
    INSERT INTO memories_words (memories_words, rowid, text, persona)
        VALUES ('delete', OLD.id, OLD.text, OLD.persona);
    INSERT INTO memories_words (rowid, text, persona) VALUES (NEW.id, NEW.text, NEW.persona);
    DELETE FROM vectors WHERE item = 'memory' AND item_id = OLD.id;
    INSERT INTO changes (item, item_id) VALUES ('memory', NEW.id);
END;
CREATE TRIGGER memories_gone AFTER DELETE ON memories BEGIN
    INSERT INTO memories_words (memories_words, rowid, text, persona)
        VALUES ('delete', OLD.id, OLD.text, OLD.persona);
    DELETE FROM vectors WHERE item = 'memory' AND item_id = OLD.id;
    INSERT INTO changes (item, item_id, persona, scope, scope_of)
        VALUES ('memory', OLD.id, OLD.persona, OLD.scope, OLD.scope_of);
END;

CREATE TRIGGER vectors_new AFTER INSERT ON vectors WHEN NEW.vector IS NOT NULL BEGIN
    INSERT INTO changes (item, item_id, space_id) VALUES (NEW.item, NEW.item_id, NEW.space_id);
END;
CREATE TRIGGER vectors_changed AFTER UPDATE OF vector ON vectors WHEN NEW.vector IS NOT NULL BEGIN
    INSERT INTO changes (item, item_id, space_id) VALUES (NEW.item, NEW.item_id, NEW.space_id);
END;

-- --- access -------------------------------------------------------------------------------------

-- Who may call the server. Of a key only its SHA-256 is kept. A revoked key stays: once there was a
-- key, nobody is let in without one.
CREATE TABLE access_keys (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    label      TEXT NOT NULL,
    role       TEXT NOT NULL CHECK (role IN ('user', 'operator')),
    user_id    TEXT NOT NULL,       -- the person it speaks as
    hash       BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
);

-- Whether something was erased since the file was last written anew: until then pages may hold
-- remains of it that no row leads to.
CREATE TABLE remains (owed INTEGER NOT NULL);
INSERT INTO remains VALUES (0);

-- `doctor` proves with it that a write goes through; always empty.
CREATE TABLE write_probe (filler BLOB NOT NULL);
