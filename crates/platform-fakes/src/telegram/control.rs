//! Controls of the Telegram fake for tests: people who talk, and a service that fails.

use std::io;

use serde_json::{Value, json};

use super::{Chat, ChatState, MessageId, Server, Telegram, User, merge, now};
use crate::fake::Fake;

/// The token of the bot.
const TOKEN: &str = "7000:fake-telegram-token";

impl Telegram {
    /// Starts at a free port.
    ///
    /// # Errors
    /// No port is free.
    pub async fn start() -> io::Result<Self> {
        Self::start_at(0).await
    }

    /// Starts at `port`.
    ///
    /// # Errors
    /// The port is taken.
    pub async fn start_at(port: u16) -> io::Result<Self> {
        Fake::serve(port, Server::new(TOKEN)).await
    }

    /// The bot's token.
    pub fn token(&self) -> String {
        self.shared.read(|state| state.token.clone())
    }

    /// A new person.
    pub fn person(&self, name: &str) -> User {
        self.user(name, false)
    }

    /// A new bot of another owner.
    pub fn other_bot(&self, name: &str) -> User {
        self.user(name, true)
    }

    fn user(&self, name: &str, bot: bool) -> User {
        self.shared.change(|state| {
            state.last_user += 1;
            let id = state.last_user;
            let username = name.to_lowercase().replace(' ', "_");
            let user = json!({ "id": id, "is_bot": bot, "first_name": name, "username": username });
            state.users.insert(id, user);
            let about = json!({ "id": id, "type": "private", "first_name": name, "username": username });
            state.chats.insert(id, ChatState::new(about));
            id
        })
    }

    /// The chat of a person with the bot.
    pub fn direct(&self, user: User) -> Chat {
        user
    }

    /// A new group that the bot is in.
    pub fn group(&self, title: &str) -> Chat {
        self.new_group(title, "group", false)
    }

    /// A new supergroup with topics.
    pub fn forum(&self, title: &str) -> Chat {
        self.new_group(title, "supergroup", true)
    }

    fn new_group(&self, title: &str, kind: &str, topics: bool) -> Chat {
        self.shared.change(|state| {
            state.last_group -= 1;
            let mut about = json!({ "id": state.last_group, "type": kind, "title": title });
            if topics {
                about["is_forum"] = json!(true);
            }
            state.chats.insert(state.last_group, ChatState::new(about));
            state.last_group
        })
    }

    /// A new topic of a forum.
    pub fn topic(&self, chat: Chat, user: User, name: &str) -> MessageId {
        let more = json!({ "forum_topic_created": { "name": name, "icon_color": 7_322_096 } });
        let id = self.add(chat, user, &more);
        self.shared.change(|state| {
            if let Some(chat) = state.chats.get_mut(&chat) {
                chat.threads.push(id);
            }
        });
        id
    }

    /// A user sends a message. Returns its id.
    pub fn say(&self, chat: Chat, user: User, text: &str) -> MessageId {
        self.add(chat, user, &json!({ "text": text, "entities": entities(text) }))
    }

    /// A user sends a message in a topic.
    pub fn say_in(&self, chat: Chat, topic: MessageId, user: User, text: &str) -> MessageId {
        let more = json!({ "text": text, "entities": entities(text), "message_thread_id": topic, "is_topic_message": true });
        self.add(chat, user, &more)
    }

    /// A user replies to a message.
    pub fn reply(&self, chat: Chat, user: User, text: &str, to: MessageId) -> MessageId {
        let answered = self.shared.read(|state| state.message(chat, to).cloned());
        self.add(
            chat,
            user,
            &json!({ "text": text, "entities": entities(text), "reply_to_message": answered }),
        )
    }

    /// A user sends a photograph with a caption.
    pub fn photo(&self, chat: Chat, user: User, caption: &str) -> MessageId {
        let file = self.shared.change(|state| {
            let file = format!("photo-{}", state.files.len());
            state.files.insert(file.clone(), format!("photos/{file}.jpg"));
            file
        });
        let size = json!({ "file_id": file, "file_unique_id": file, "width": 640, "height": 480, "file_size": 1234 });
        self.add(chat, user, &json!({ "photo": [size], "caption": caption }))
    }

    /// A user edits a message.
    pub fn edit(&self, chat: Chat, message: MessageId, text: &str) {
        let edited = self.shared.change(|state| {
            let found = state.chats.get_mut(&chat)?.messages.get_mut(&message)?;
            merge(found, &json!({ "text": text, "entities": entities(text), "edit_date": now() }));
            let found = found.clone();
            state.is_told(chat, &found).then_some(found)
        });
        if let Some(edited) = edited {
            self.tell(("edited_message", edited));
        }
    }

    /// A user joins a group.
    pub fn join(&self, chat: Chat, user: User) {
        let joined = self.shared.read(|state| state.users.get(&user).cloned());
        self.add(chat, user, &json!({ "new_chat_members": [joined] }));
    }

    /// A user leaves a group.
    pub fn leave(&self, chat: Chat, user: User) {
        let left = self.shared.read(|state| state.users.get(&user).cloned());
        self.add(chat, user, &json!({ "left_chat_member": left }));
    }

    /// A person blocks the bot, or a group removes it.
    pub fn close(&self, chat: Chat) {
        self.shared.change(|state| {
            if let Some(chat) = state.chats.get_mut(&chat) {
                chat.closed = true;
            }
        });
    }

    /// A group becomes a supergroup with another id. Returns the new id.
    pub fn migrate(&self, chat: Chat) -> Chat {
        let title = self.shared.read(|state| state.chats.get(&chat).map(|chat| chat.about["title"].clone()));
        let title = title.as_ref().and_then(Value::as_str).unwrap_or_default();
        let to = self.new_group(title, "supergroup", false);
        self.shared.change(|state| {
            if let Some(chat) = state.chats.get_mut(&chat) {
                chat.migrated = Some(to);
            }
        });
        to
    }

    fn add(&self, chat: Chat, user: User, more: &Value) -> MessageId {
        let (id, told) = self.shared.change(|state| {
            let from = state.users.get(&user).cloned().unwrap_or_default();
            let message = state.add(chat, &from, more).unwrap_or_default();
            let told = state.is_told(chat, &message);
            (message["message_id"].as_i64().unwrap_or_default(), told.then_some(message))
        });
        if let Some(message) = told {
            self.tell(("message", message));
        }
        id
    }

    /// The number of updates that the bot has not confirmed.
    pub fn unconfirmed(&self) -> usize {
        self.shared.read(|state| state.updates.len())
    }

    /// Waits until the bot has confirmed every update.
    pub async fn wait_for_confirmation(&self) {
        self.expect("the confirmation of every update", |state| state.updates.is_empty().then_some(())).await;
    }

    /// Waits until the bot polls.
    pub async fn wait_for_poll(&self) {
        self.expect("a call of getUpdates", |state| (state.polls > 0).then_some(())).await;
    }

    /// The names of the commands that the bot has registered.
    pub fn commands(&self) -> Vec<String> {
        let name = |command: &Value| command["command"].as_str().map(str::to_owned);
        self.shared.read(|state| state.commands.iter().filter_map(name).collect())
    }

    /// The chat actions of the bot in order, as chat and action (`typing`).
    pub fn actions(&self) -> Vec<(Chat, String)> {
        self.shared.read(|state| state.actions.clone())
    }

    /// Switches privacy mode on or off. It is initially off.
    pub fn set_privacy(&self, on: bool) {
        self.shared.change(|state| state.privacy = on);
    }

    /// Switches the limits of `sendMessage` on or off.
    pub fn limit_rates(&self, on: bool) {
        self.shared.change(|state| state.limited = on);
    }
}

/// The entities of a text: commands and mentions, with offsets in UTF-16 units.
fn entities(text: &str) -> Value {
    let mut found = Vec::new();
    let mut offset = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end_matches(|c: char| c.is_whitespace() || c.is_ascii_punctuation() && c != '_');
        let kind = match bare.as_bytes().first() {
            Some(b'/') if offset == 0 => Some("bot_command"),
            Some(b'@') if bare.len() > 1 => Some("mention"),
            _ => None,
        };
        if let Some(kind) = kind {
            let length = bare.encode_utf16().count();
            found.push(json!({ "type": kind, "offset": offset, "length": length }));
        }
        offset += word.encode_utf16().count();
    }
    if found.is_empty() { Value::Null } else { json!(found) }
}
