//! Controls of the Slack fake for tests: people who talk, and a service that fails.

use std::io;

use serde_json::{Value, json};

use super::{Server, Slack};
use crate::{fake::Fake, post::Post};

/// The bot's token.
const BOT_TOKEN: &str = "xoxb-fake-slack-bot-token";
/// The app's token, for Socket Mode.
const APP_TOKEN: &str = "xapp-fake-slack-app-token";
/// The secret that signs events.
const SIGNING_SECRET: &str = "fake-slack-signing-secret";

impl Slack {
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
        Fake::serve(port, Server::new(BOT_TOKEN, APP_TOKEN, SIGNING_SECRET)).await
    }

    /// The bot's token.
    pub fn bot_token(&self) -> String {
        self.shared.read(|state| state.bot_token.clone())
    }

    /// The app's token, for Socket Mode.
    pub fn app_token(&self) -> String {
        self.shared.read(|state| state.app_token.clone())
    }

    /// The secret that signs events of the Events API.
    pub fn signing_secret(&self) -> String {
        self.shared.read(|state| state.signing_secret.clone())
    }

    /// The bot's user.
    pub fn bot_user(&self) -> String {
        self.shared.read(|state| state.bot_user.clone())
    }

    /// A new person.
    pub fn person(&self, name: &str) -> String {
        self.shared.change(|state| state.add_user(name, false))
    }

    /// A new bot of another owner.
    pub fn other_bot(&self, name: &str) -> String {
        self.shared.change(|state| state.add_user(name, true))
    }

    /// A new public channel with the bot in it.
    pub fn channel(&self, name: &str) -> String {
        self.shared.change(|state| {
            let id = state.next_id('C');
            let channel =
                json!({ "id": id, "name": name, "is_channel": true, "is_private": false, "is_member": true });
            state.channels.insert(id.clone(), channel);
            state.joined.insert(id.clone());
            id
        })
    }

    /// The direct channel of a person and the bot.
    pub fn direct(&self, user: &str) -> String {
        self.shared.change(|state| state.direct_channel(user))
    }

    /// Removes the bot from a channel.
    pub fn remove_bot(&self, channel: &str) {
        self.shared.change(|state| state.joined.remove(channel));
    }

    /// Removes a scope of the app.
    pub fn remove_scope(&self, scope: &str) {
        self.shared.change(|state| state.scopes.remove(scope));
    }

    /// A user sends a message. Returns its `ts`.
    pub fn say(&self, channel: &str, user: &str, text: &str) -> String {
        self.add(channel, user, text, &Value::Null)
    }

    /// A user replies in a thread.
    pub fn say_in(&self, channel: &str, thread: &str, user: &str, text: &str) -> String {
        self.add(channel, user, text, &json!({ "thread_ts": thread }))
    }

    /// A user sends a message with files of these names and media types.
    pub fn share(&self, channel: &str, user: &str, text: &str, files: &[(&str, &str)]) -> String {
        let files: Vec<Value> = files
            .iter()
            .map(|(name, kind)| {
                let url = format!("{}/files-pri/{name}", self.url());
                json!({ "id": "F1", "name": name, "mimetype": kind, "size": 1234, "url_private": url })
            })
            .collect();
        self.add(channel, user, text, &json!({ "subtype": "file_share", "files": files }))
    }

    fn add(&self, channel: &str, user: &str, text: &str, more: &Value) -> String {
        let (ts, told) = self.shared.change(|state| {
            let ts = state.next_ts();
            let mut message =
                json!({ "type": "message", "ts": ts, "user": user, "text": text, "team": "T0THEATRE" });
            if state.users.get(user).is_some_and(|user| user["is_bot"] == true) {
                message["bot_id"] = json!(format!("B{user}"));
            }
            for (name, value) in more.as_object().into_iter().flatten() {
                message[name] = value.clone();
            }
            state.insert(channel, &message);
            (ts, state.message_event(channel, &message))
        });
        if let Some(event) = told {
            self.tell(("events_api", event));
        }
        ts
    }

    /// A user edits a message.
    pub fn edit(&self, channel: &str, ts: &str, text: &str) {
        let told = self.shared.change(|state| {
            let edited_at = state.next_ts();
            let message = state.messages.get_mut(&(channel.to_owned(), ts.to_owned()))?;
            let previous = message.clone();
            message["text"] = json!(text);
            message["edited"] = json!({ "user": message["user"], "ts": edited_at });
            let message = message.clone();
            let change =
                json!({ "subtype": "message_changed", "message": message, "previous_message": previous });
            state.change_event(channel, &change)
        });
        if let Some(event) = told {
            self.tell(("events_api", event));
        }
    }

    /// A user deletes a message.
    pub fn delete(&self, channel: &str, ts: &str) {
        let told = self.shared.change(|state| {
            let key = (channel.to_owned(), ts.to_owned());
            let previous = state.messages.remove(&key)?;
            if previous["reply_count"].is_u64() {
                // the first message of a thread leaves a mark, which keeps the thread together
                let mut message = previous.clone();
                (message["subtype"], message["user"]) = (json!("tombstone"), json!("USLACKBOT"));
                (message["text"], message["hidden"]) = (json!("This message was deleted."), json!(true));
                state.messages.insert(key, message.clone());
                let change =
                    json!({ "subtype": "message_changed", "message": message, "previous_message": previous });
                return state.change_event(channel, &change);
            }
            let change =
                json!({ "subtype": "message_deleted", "deleted_ts": ts, "previous_message": previous });
            state.change_event(channel, &change)
        });
        if let Some(event) = told {
            self.tell(("events_api", event));
        }
    }

    /// A user joins or leaves a channel.
    pub fn presence(&self, channel: &str, user: &str, here: bool) {
        let kind = if here { "member_joined_channel" } else { "member_left_channel" };
        let event = json!({ "type": kind, "user": user, "channel": channel, "channel_type": "C", "team": "T0THEATRE" });
        let event = self.shared.change(|state| state.callback(&event));
        self.tell(("events_api", event));
    }

    /// A person uses a slash command. Returns the name that identifies its answers.
    pub fn command(&self, channel: &str, user: &str, command: &str, text: &str) -> String {
        let (name, payload) = self.shared.change(|state| {
            let name = state.next_id('R');
            state.responses.insert(name.clone(), Vec::new());
            let url = format!("http://127.0.0.1:{}/response/{name}", self.shared.port());
            let payload = json!({
                "command": command, "text": text, "user_id": user, "user_name": state.users[user]["name"],
                "channel_id": channel, "team_id": "T0THEATRE", "response_url": url, "trigger_id": name,
            });
            (name, payload)
        });
        self.tell(("slash_commands", payload));
        name
    }

    /// Waits for an answer to a slash command.
    pub async fn wait_for_response(&self, name: &str) -> Post {
        self.expect("an answer to a command", |state| state.responses.get(name)?.first().cloned()).await
    }

    /// Asks for a replacement of every connection, then closes them.
    pub fn refresh(&self) {
        self.shared.change(|state| {
            for connection in state.connections.values_mut() {
                connection.frames.push_back(json!({ "type": "disconnect", "reason": "refresh_requested" }));
                connection.closing = true;
            }
        });
    }

    /// Waits for a connection.
    pub async fn wait_for_connection(&self) {
        self.expect("a connection", |state| (!state.connections.is_empty()).then_some(())).await;
    }

    /// Waits until no connection is left.
    pub async fn wait_for_disconnect(&self) {
        self.expect("the end of every connection", |state| state.connections.is_empty().then_some(())).await;
    }

    /// Waits until every event is acknowledged.
    pub async fn wait_for_acknowledgements(&self) {
        self.expect("acknowledgements", |state| state.pending.is_empty().then_some(())).await;
    }

    /// The number of acknowledged events.
    pub fn acknowledged(&self) -> usize {
        self.shared.read(|state| state.acknowledged.len())
    }

    /// The number of events whose delivery was given up.
    pub fn lost(&self) -> usize {
        self.shared.read(|state| state.lost.len())
    }

    /// The headers of a request with this body, signed `seconds_ago` seconds ago.
    pub fn signed(&self, body: &str, seconds_ago: u64) -> Vec<(&'static str, String)> {
        self.shared.read(|state| state.signature(body, seconds_ago))
    }

    /// From now on, sends events to `url` by the Events API.
    pub fn send_events_to(&self, url: &str) {
        self.shared.change(|state| state.events_url = Some(url.to_owned()));
    }

    /// Switches the rates on or off.
    pub fn limit_rates(&self, on: bool) {
        self.shared.change(|state| state.limited = on);
    }

    /// Replaces the valid tokens.
    pub fn set_tokens(&self, bot: &str, app: &str) {
        self.shared.change(|state| {
            bot.clone_into(&mut state.bot_token);
            app.clone_into(&mut state.app_token);
        });
    }
}

impl Server {
    pub(super) fn direct_channel(&mut self, user: &str) -> String {
        let known =
            self.channels.iter().find(|(_, channel)| channel["user"] == user).map(|(id, _)| id.clone());
        known.unwrap_or_else(|| {
            let id = self.next_id('D');
            self.channels.insert(id.clone(), json!({ "id": id, "is_im": true, "user": user }));
            self.joined.insert(id.clone());
            id
        })
    }

    /// The event of a message, if the bot is a member of the channel.
    pub(super) fn message_event(&mut self, channel: &str, message: &Value) -> Option<Value> {
        if !self.joined.contains(channel) {
            return None;
        }
        let mut event = message.clone();
        event["channel"] = json!(channel);
        event["channel_type"] = json!(if channel.starts_with('D') { "im" } else { "channel" });
        event["event_ts"] = message["ts"].clone();
        Some(self.callback(&event))
    }

    fn change_event(&mut self, channel: &str, change: &Value) -> Option<Value> {
        let mut event = change.clone();
        event["type"] = json!("message");
        event["ts"] = json!(self.next_ts());
        self.message_event(channel, &event)
    }
}
