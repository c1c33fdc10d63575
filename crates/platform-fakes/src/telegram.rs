//! Telegram: the Bot API for one bot.
//!
//! | rule | here |
//! |---|---|
//! | `getUpdates`: a greater offset confirms, two pollers conflict, updates are kept for 24 h; webhooks with their secret | `updates.rs` |
//! | `sendMessage`: 4,096 characters after parsing; 1 a second in a chat, 20 a minute in a group, 30 a second in all | `messages.rs` |
//! | HTML that Telegram refuses | `html.rs` |
//! | privacy mode: which messages of a group a bot is told | `privacy.rs` |
//!
//! A method takes its parameters from the query, a form or JSON, as the real API does. `Markdown` is not supported.
//! Like Telegram, the fake does not report deletions to the bot.

mod api;
mod control;
mod html;
mod messages;
mod privacy;
mod updates;

use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::Router;
use serde_json::{Value, json};
use tokio::time::Instant;

use self::updates::{Update, Webhook};
use crate::{
    fake::{Fake, Platform, Shared},
    post::Post,
    rate::Window,
};

/// Telegram for one bot.
pub type Telegram = Fake<Server>;

/// A chat: positive for a person, negative for a group.
pub type Chat = i64;
/// A user.
pub type User = i64;
/// A message within its chat.
pub type MessageId = i64;

/// The state of Telegram.
pub struct Server {
    token: String,
    bot: Value,
    /// Whether the bot gets only messages in groups that concern it.
    privacy: bool,
    users: BTreeMap<User, Value>,
    chats: BTreeMap<Chat, ChatState>,
    updates: Vec<Update>,
    last_update: i64,
    last_user: User,
    last_group: Chat,
    /// The number of `getUpdates` calls. Only the newest poller is served.
    polls: u64,
    webhook: Option<Webhook>,
    commands: Vec<Value>,
    actions: Vec<(Chat, String)>,
    files: HashMap<String, String>,
    posts: Vec<Post>,
    limited: bool,
    all: Window,
}

/// A chat and its messages.
struct ChatState {
    about: Value,
    messages: BTreeMap<MessageId, Value>,
    last: MessageId,
    threads: Vec<MessageId>,
    /// Whether the person has blocked the bot, or the group has removed it.
    closed: bool,
    /// The supergroup that the group has become.
    migrated: Option<Chat>,
    a_second: Window,
    a_minute: Window,
}

impl ChatState {
    fn new(about: Value) -> Self {
        Self {
            about,
            messages: BTreeMap::new(),
            last: 0,
            threads: Vec::new(),
            closed: false,
            migrated: None,
            a_second: Window::new(1, Duration::from_secs(1)),
            a_minute: Window::new(20, Duration::from_mins(1)),
        }
    }

    fn is_private(&self) -> bool {
        self.about["type"] == "private"
    }
}

impl Server {
    fn new(token: &str) -> Self {
        let id = 7000;
        Self {
            token: token.to_owned(),
            bot: json!({ "id": id, "is_bot": true, "first_name": "Troupe", "username": "troupe_bot" }),
            privacy: false,
            users: BTreeMap::new(),
            chats: BTreeMap::new(),
            updates: Vec::new(),
            last_update: 100_000,
            last_user: id,
            last_group: -1000,
            polls: 0,
            webhook: None,
            commands: Vec::new(),
            actions: Vec::new(),
            files: HashMap::new(),
            posts: Vec::new(),
            limited: true,
            all: Window::new(30, Duration::from_secs(1)),
        }
    }

    /// Adds a message of `from` to its chat. `more`: fields besides the common ones.
    fn add(&mut self, chat: Chat, from: &Value, more: &Value) -> Option<Value> {
        let state = self.chats.get_mut(&chat)?;
        state.last += 1;
        let mut message =
            json!({ "message_id": state.last, "date": now(), "chat": state.about, "from": from });
        merge(&mut message, more);
        state.messages.insert(state.last, message.clone());
        Some(message)
    }

    fn message(&self, chat: Chat, message: MessageId) -> Option<&Value> {
        self.chats.get(&chat)?.messages.get(&message)
    }

    fn next_update(&mut self) -> i64 {
        self.last_update += 1;
        self.last_update
    }
}

impl Platform for Server {
    /// The kind of an update, as `message`, with its content.
    type Event = (&'static str, Value);

    fn router(shared: Shared<Self>) -> Router {
        api::router(shared)
    }

    fn tell(shared: &Shared<Self>, (kind, content): Self::Event, repeated: bool) {
        shared.change(|state| {
            // Telegram repeats an update under the same number
            let id = if repeated { state.last_update } else { state.next_update() };
            state.updates.push(Update { id, at: Instant::now(), kind, content });
        });
        updates::push(shared);
    }

    fn posts(&self) -> Vec<Post> {
        self.posts.clone()
    }
}

fn merge(into: &mut Value, more: &Value) {
    let fields = more.as_object().into_iter().flatten();
    for (name, value) in fields.filter(|(_, value)| !value.is_null()) {
        into[name] = value.clone();
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
