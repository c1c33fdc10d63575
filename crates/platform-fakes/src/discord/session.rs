//! Sessions of the gateway: what each is told, numbered, and kept for a replay.

use std::{collections::VecDeque, time::Duration};

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Server, id, intent};

/// A session without a connection can be resumed for this time.
const RESUMABLE: Duration = Duration::from_mins(5);

/// One session.
pub(super) struct Session {
    intents: u64,
    /// Everything it was told: the event with number n is at n − 1.
    log: Vec<Value>,
    /// The connection that serves it.
    pub(super) connection: Option<u64>,
    disconnected: Option<Instant>,
    /// What a test orders for the connection.
    pub(super) orders: VecDeque<Order>,
}

/// What the gateway does to a connection, out of the row.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    /// Sends a frame without a number: op 7, op 9, op 1.
    Send { op: u8, resumable: bool },
    /// Closes with a code.
    Close(u16),
}

impl Session {
    pub(super) fn new(intents: u64, connection: u64) -> Self {
        let connection = Some(connection);
        Self { intents, log: Vec::new(), connection, disconnected: None, orders: VecDeque::new() }
    }

    pub(super) fn told(&self) -> usize {
        self.log.len()
    }

    /// The event with the number `seq`, as a frame.
    pub(super) fn event(&self, seq: usize) -> Option<Value> {
        self.log.get(seq.checked_sub(1)?).cloned()
    }

    pub(super) fn push(&mut self, name: &str, data: &Value) {
        let seq = self.log.len() + 1;
        self.log.push(json!({ "op": 0, "t": name, "s": seq, "d": data }));
    }

    pub(super) fn disconnect(&mut self) {
        self.connection = None;
        self.disconnected = Some(Instant::now());
    }

    pub(super) fn reconnect(&mut self, connection: u64) {
        (self.connection, self.disconnected) = (Some(connection), None);
    }

    fn is_over(&self) -> bool {
        self.disconnected.is_some_and(|since| since.elapsed() > RESUMABLE)
    }

    /// The data as the session may see it, if it may see the event at all.
    fn view(&self, name: &str, data: &Value, bot: &str) -> Option<Value> {
        let direct = data["guild_id"].is_null();
        let needed = match name {
            "MESSAGE_CREATE" | "MESSAGE_UPDATE" | "MESSAGE_DELETE" if direct => intent::DIRECT_MESSAGES,
            "MESSAGE_CREATE" | "MESSAGE_UPDATE" | "MESSAGE_DELETE" => intent::GUILD_MESSAGES,
            "TYPING_START" if direct => intent::DIRECT_MESSAGE_TYPING,
            "TYPING_START" => intent::GUILD_MESSAGE_TYPING,
            "GUILD_MEMBER_ADD" | "GUILD_MEMBER_REMOVE" => intent::GUILD_MEMBERS,
            "GUILD_CREATE" | "GUILD_DELETE" | "CHANNEL_CREATE" | "CHANNEL_DELETE" | "THREAD_CREATE" => {
                intent::GUILDS
            }
            _ => 0,
        };
        if self.intents & needed != needed {
            return None;
        }
        let mut data = data.clone();
        let concerns_bot = data["author"]["id"] == bot
            || data["mentions"].as_array().is_some_and(|users| users.iter().any(|user| user["id"] == bot));
        if data.get("content").is_some()
            && !direct
            && !concerns_bot
            && self.intents & intent::MESSAGE_CONTENT == 0
        {
            data["content"] = json!("");
            data["attachments"] = json!([]);
        }
        Some(data)
    }
}

impl Server {
    /// Tells every session that may see it, connected or not.
    pub(super) fn dispatch(&mut self, name: &str, data: &Value) {
        self.forget_sessions();
        let bot = self.bot.to_string();
        for session in self.sessions.values_mut() {
            if let Some(seen) = session.view(name, data, &bot) {
                session.push(name, &seen);
            }
        }
    }

    /// The session that a RESUME names, at the number it names.
    ///
    /// # Errors
    /// The close code 4007 for a number that the session has not reached; `None` when there is no such session.
    pub(super) fn resumed(&mut self, session: &str, seq: usize, connection: u64) -> Result<(), Option<u16>> {
        self.forget_sessions();
        let session = self.sessions.get_mut(session).ok_or(None)?;
        if seq > session.told() {
            return Err(Some(4007));
        }
        session.reconnect(connection);
        self.resumes += 1;
        Ok(())
    }

    fn forget_sessions(&mut self) {
        self.sessions.retain(|_, session| !session.is_over());
    }

    /// What READY says: the guild comes afterwards, in an event of its own.
    pub(super) fn ready(&self, session: &str, port: u16) -> Value {
        json!({
            "v": 10, "user": self.user(self.bot), "session_id": session,
            "resume_gateway_url": format!("ws://127.0.0.1:{port}/gateway"),
            "guilds": [{ "id": self.guild.to_string(), "unavailable": true }],
            "application": { "id": self.bot.to_string(), "flags": 0 }, "shard": [0, 1], "private_channels": [],
        })
    }

    /// The guild's id, where the channel is in the guild.
    pub(super) fn guild_of(&self, channel: super::Id) -> Option<String> {
        self.channels.get(&channel).and_then(|channel| id(&channel["guild_id"])).map(|id| id.to_string())
    }
}
