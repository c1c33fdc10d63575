//! Discord: gateway and REST API, version 10, for one bot in one guild.
//!
//! | rule | here |
//! |---|---|
//! | HELLO, IDENTIFY, RESUME with replay by `seq`; heartbeats; op 7, op 9; close codes | `gateway.rs` |
//! | which events a session gets: intents, the content of messages | `session.rs` |
//! | authorization, buckets with their headers, 429, the ban after 10,000 refused calls | `rest.rs`, `limits.rs` |
//! | messages: 2,000 characters, `nonce`, `allowed_mentions`, edits, deletions, threads, typing | `messages.rs` |
//! | webhooks with a name and a picture per message | `webhooks.rs` |
//! | slash commands: 3 s to acknowledge, 15 min to follow up | `interactions.rs` |
//!
//! Not supported: compression, ETF, sharding, voice, embeds, components. There is one role: every member may post in
//! every channel, unless [`Discord::forbid`] says otherwise.

mod control;
mod gateway;
mod interactions;
mod limits;
mod messages;
mod rest;
mod session;
mod webhooks;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::Router;
use serde_json::{Value, json};
use tokio::time::Instant;

use self::{interactions::Interaction, limits::Limits, session::Session};
use crate::{
    fake::{Fake, Platform, Shared},
    post::{Face, Post},
    rate::Window,
};

/// Discord for one bot.
pub type Discord = Fake<Server>;

/// Intents of the gateway, as bits.
pub mod intent {
    /// Guilds, channels and threads.
    pub const GUILDS: u64 = 1;
    /// Joining and leaving of members. Privileged.
    pub const GUILD_MEMBERS: u64 = 1 << 1;
    /// Online state of members. Privileged.
    pub const GUILD_PRESENCES: u64 = 1 << 8;
    /// Messages in guilds.
    pub const GUILD_MESSAGES: u64 = 1 << 9;
    /// Typing in guilds.
    pub const GUILD_MESSAGE_TYPING: u64 = 1 << 11;
    /// Direct messages.
    pub const DIRECT_MESSAGES: u64 = 1 << 12;
    /// Typing in direct messages.
    pub const DIRECT_MESSAGE_TYPING: u64 = 1 << 14;
    /// The content of messages that do not concern the bot. Privileged.
    pub const MESSAGE_CONTENT: u64 = 1 << 15;
    /// The intents that the bot's owner has to enable.
    pub const PRIVILEGED: u64 = GUILD_MEMBERS | GUILD_PRESENCES | MESSAGE_CONTENT;
}

/// The id of a user, channel or message. Ids of all kinds grow with time.
pub type Id = u64;

/// Discord's numbers of channel types: text, direct message, thread.
const TEXT: u64 = 0;
const DIRECT: u64 = 1;
const THREAD: u64 = 11;
/// The epoch of Discord's ids, in milliseconds since 1970.
const EPOCH: u64 = 1_420_070_400_000;
/// The most IDENTIFYs per day.
const IDENTIFIES: usize = 1000;

/// The state of Discord.
pub struct Server {
    token: String,
    guild: Id,
    bot: Id,
    privileged: u64,
    users: BTreeMap<Id, Value>,
    members: HashSet<Id>,
    channels: BTreeMap<Id, Value>,
    forbidden: HashSet<Id>,
    messages: BTreeMap<Id, Value>,
    /// Messages of the bot, in the order of sending; a deleted message stays.
    posts: Vec<Id>,
    deleted: HashSet<Id>,
    edits: HashMap<Id, usize>,
    nonces: HashMap<(Id, String), (Instant, Id)>,
    webhooks: BTreeMap<Id, Value>,
    /// Whether the bot may manage webhooks.
    may_have_webhooks: bool,
    sessions: HashMap<String, Session>,
    connections: u64,
    identifies: Window,
    identified: Option<Instant>,
    resumes: usize,
    heartbeat: Duration,
    acknowledges: bool,
    limits: Limits,
    typing: Vec<Id>,
    commands: Vec<Value>,
    interactions: BTreeMap<Id, Interaction>,
    last_id: Id,
}

impl Server {
    fn new(token: &str) -> Self {
        let mut state = Self {
            token: token.to_owned(),
            guild: 0,
            bot: 0,
            privileged: intent::PRIVILEGED,
            users: BTreeMap::new(),
            members: HashSet::new(),
            channels: BTreeMap::new(),
            forbidden: HashSet::new(),
            messages: BTreeMap::new(),
            posts: Vec::new(),
            deleted: HashSet::new(),
            edits: HashMap::new(),
            nonces: HashMap::new(),
            webhooks: BTreeMap::new(),
            may_have_webhooks: true,
            sessions: HashMap::new(),
            connections: 0,
            identifies: Window::new(IDENTIFIES, Duration::from_hours(24)),
            identified: None,
            resumes: 0,
            heartbeat: Duration::from_millis(41_250),
            acknowledges: true,
            limits: Limits::default(),
            typing: Vec::new(),
            commands: Vec::new(),
            interactions: BTreeMap::new(),
            last_id: 0,
        };
        state.guild = state.next_id();
        state.bot = state.add_user("Troupe", true);
        state.members.insert(state.bot);
        state
    }

    fn next_id(&mut self) -> Id {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX).saturating_sub(EPOCH) << 22;
        self.last_id = now.max(self.last_id + 1);
        self.last_id
    }

    fn add_user(&mut self, name: &str, bot: bool) -> Id {
        let id = self.next_id();
        let user = json!({
            "id": id.to_string(), "username": name.to_lowercase(), "global_name": if bot { None } else { Some(name) },
            "discriminator": "0", "avatar": null, "bot": bot,
        });
        self.users.insert(id, user);
        id
    }

    fn user(&self, id: Id) -> Value {
        self.users.get(&id).cloned().unwrap_or_default()
    }

    fn kind(&self, channel: Id) -> Option<u64> {
        self.channels.get(&channel)?["type"].as_u64()
    }

    fn guild(&self) -> Value {
        let of = |kinds: &[u64]| -> Vec<&Value> {
            let channels = self.channels.values();
            channels.filter(|channel| kinds.iter().any(|kind| channel["type"] == *kind)).collect()
        };
        let members: Vec<Value> = self.members.iter().map(|id| json!({ "user": self.user(*id) })).collect();
        json!({
            "id": self.guild.to_string(), "name": "The Theatre", "channels": of(&[TEXT]), "threads": of(&[THREAD]),
            "members": members, "member_count": members.len(), "unavailable": false,
        })
    }

    fn post(&self, id: Id) -> Option<Post> {
        let message = self.messages.get(&id)?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let webhook = message["webhook_id"].is_string();
        let mut notifies: Vec<String> = message["mentions"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|user| text(&user["id"]))
            .collect();
        if message["mention_everyone"] == true {
            notifies.push("everyone".to_owned());
        }
        let face = |key: &str| text(&message["author"][key]).filter(|_| webhook);
        Some(Post {
            id: id.to_string(),
            chat: text(&message["channel_id"])?,
            thread: None,
            text: text(&message["content"])?,
            reply_to: text(&message["message_reference"]["message_id"]),
            face: Face { name: face("username"), avatar: face("avatar") },
            notifies,
            ephemeral: message["flags"].as_u64().unwrap_or_default() & 64 != 0,
            edits: self.edits.get(&id).copied().unwrap_or_default(),
            deleted: self.deleted.contains(&id),
        })
    }
}

impl Platform for Server {
    type Event = (&'static str, Value);

    fn router(shared: Shared<Self>) -> Router {
        rest::router(shared)
    }

    fn tell(shared: &Shared<Self>, (name, data): Self::Event, _repeated: bool) {
        shared.change(|state| state.dispatch(name, &data));
    }

    fn posts(&self) -> Vec<Post> {
        self.posts.iter().filter_map(|id| self.post(*id)).collect()
    }
}

/// Parses an id in a path or a body: a text of digits.
fn id(value: &Value) -> Option<Id> {
    value.as_str()?.parse().ok()
}
