//! Sessions of the gateway: the numbered events of each, kept for a replay.

use std::{collections::VecDeque, time::Duration};

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Server, id, intent};

/// How long a session without a connection can be resumed.
const RESUMABLE: Duration = Duration::from_mins(5);

/// One session.
pub(super) struct Session {
    intents: u64,
    /// All its events. The event with number n is at index n − 1.
    log: Vec<Value>,
    /// The number of its connection.
    pub(super) connection: Option<u64>,
    disconnected: Option<Instant>,
    /// The orders of a test for the connection.
    pub(super) orders: VecDeque<Order>,
}

/// An order of a test to a connection, outside the normal flow.
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

    /// The data in the form that the session may see. `None` if it may not see the event.
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
    /// Adds an event to every session that may see it, connected or not.
    pub(super) fn dispatch(&mut self, name: &str, data: &Value) {
        self.forget_sessions();
        let bot = self.bot.to_string();
        for session in self.sessions.values_mut() {
            if let Some(seen) = session.view(name, data, &bot) {
                session.push(name, &seen);
            }
        }
    }

    /// Attaches a connection to the session of a RESUME, at the given number.
    ///
    /// # Errors
    /// The close code 4007 if the session has not reached the number; `None` if there is no such session.
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

    /// The data of READY. The guild follows in an event of its own.
    pub(super) fn ready(&self, session: &str, port: u16) -> Value {
        json!({
            "v": 10, "user": self.user(self.bot), "session_id": session,
            "resume_gateway_url": format!("ws://127.0.0.1:{port}/gateway"),
            "guilds": [{ "id": self.guild.to_string(), "unavailable": true }],
            "application": { "id": self.bot.to_string(), "flags": 0 }, "shard": [0, 1], "private_channels": [],
        })
    }

    /// The id of the guild, if the channel belongs to it.
    pub(super) fn guild_of(&self, channel: super::Id) -> Option<String> {
        self.channels.get(&channel).and_then(|channel| id(&channel["guild_id"])).map(|id| id.to_string())
    }
}
