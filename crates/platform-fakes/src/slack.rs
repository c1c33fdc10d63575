//! Slack: the Web API, Socket Mode and the Events API for one app in one workspace.
//!
//! | rule | here |
//! |---|---|
//! | an event not acknowledged within 3 s comes again at once, after 1 and after 5 minutes, then never | `events.rs` |
//! | Socket Mode: tickets for one connection each, ten connections, `disconnect` | `socket.rs` |
//! | Events API: `v0` signatures, `X-Slack-Retry-Num` | `events.rs` |
//! | 1 message a second in a channel, 429 with `Retry-After`; scopes; truncation at 40,000 characters | `api.rs`, `messages.rs` |
//!
//! The `ts` of a message is its id. A message of the bot is also delivered as an event, as on Slack. Views, blocks and
//! files of the bot are not supported.

mod api;
mod control;
mod events;
mod messages;
mod socket;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    time::{SystemTime, UNIX_EPOCH},
};

use axum::Router;
use serde_json::{Value, json};

use self::{events::Envelope, socket::Connection};
use crate::{
    fake::{Fake, Platform, Shared},
    post::Post,
    rate::Window,
};

/// Slack for one app.
pub type Slack = Fake<Server>;

/// The scopes of a bot that talks in channels and direct chats, with its own name per message.
pub const SCOPES: [&str; 14] = [
    "app_mentions:read",
    "channels:history",
    "channels:read",
    "chat:write",
    "chat:write.customize",
    "commands",
    "files:read",
    "groups:history",
    "groups:read",
    "im:history",
    "im:read",
    "mpim:history",
    "mpim:read",
    "users:read",
];

/// The state of Slack.
pub struct Server {
    bot_token: String,
    app_token: String,
    signing_secret: String,
    scopes: BTreeSet<String>,
    bot_user: String,
    bot_id: String,
    users: BTreeMap<String, Value>,
    channels: BTreeMap<String, Value>,
    /// The channels that the bot is a member of.
    joined: HashSet<String>,
    /// By channel and `ts`.
    messages: BTreeMap<(String, String), Value>,
    posts: Vec<Post>,
    last_ts: u128,
    last_id: u64,
    tickets: HashSet<String>,
    connections: BTreeMap<u64, Connection>,
    /// The number of the connection that gets the next event.
    turn: u64,
    pending: HashMap<String, Envelope>,
    acknowledged: Vec<String>,
    /// Events whose delivery was given up.
    lost: Vec<String>,
    /// Events caused by the bot that are not delivered yet.
    echoes: Vec<Value>,
    /// The address of the Events API. `None` means Socket Mode.
    events_url: Option<String>,
    /// Answers to slash commands, by the name of their `response_url`.
    responses: HashMap<String, Vec<Post>>,
    limited: bool,
    windows: HashMap<String, Window>,
}

impl Server {
    fn new(bot_token: &str, app_token: &str, signing_secret: &str) -> Self {
        let mut state = Self {
            bot_token: bot_token.to_owned(),
            app_token: app_token.to_owned(),
            signing_secret: signing_secret.to_owned(),
            scopes: SCOPES.iter().map(|&scope| scope.to_owned()).collect(),
            bot_user: String::new(),
            bot_id: "B0TROUPE1".to_owned(),
            users: BTreeMap::new(),
            channels: BTreeMap::new(),
            joined: HashSet::new(),
            messages: BTreeMap::new(),
            posts: Vec::new(),
            last_ts: 0,
            last_id: 0,
            tickets: HashSet::new(),
            connections: BTreeMap::new(),
            turn: 0,
            pending: HashMap::new(),
            acknowledged: Vec::new(),
            lost: Vec::new(),
            echoes: Vec::new(),
            events_url: None,
            responses: HashMap::new(),
            limited: true,
            windows: HashMap::new(),
        };
        state.bot_user = state.add_user("troupe", true);
        state
    }

    /// A new id, as `U00000007`.
    fn next_id(&mut self, letter: char) -> String {
        self.last_id += 1;
        format!("{letter}{:08}", self.last_id)
    }

    /// A new `ts`, greater than all others.
    fn next_ts(&mut self) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        self.last_ts = now.max(self.last_ts + 1);
        format!("{}.{:06}", self.last_ts / 1_000_000, self.last_ts % 1_000_000)
    }

    fn add_user(&mut self, name: &str, bot: bool) -> String {
        let id = self.next_id('U');
        let user = json!({
            "id": id, "team_id": "T0THEATRE", "name": name.to_lowercase(), "real_name": name, "is_bot": bot,
            "deleted": false, "profile": { "display_name": name, "real_name": name },
        });
        self.users.insert(id.clone(), user);
        id
    }
}

impl Platform for Server {
    /// The type of an envelope, as `events_api`, with its payload.
    type Event = (&'static str, Value);

    fn router(shared: Shared<Self>) -> Router {
        api::router(shared)
    }

    fn tell(shared: &Shared<Self>, (kind, payload): Self::Event, _repeated: bool) {
        events::deliver(shared, kind, payload);
    }

    fn posts(&self) -> Vec<Post> {
        self.posts.clone()
    }
}
