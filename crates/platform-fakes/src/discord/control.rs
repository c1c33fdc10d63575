//! Controls of the Discord fake for tests: people who talk, and a gateway that fails.

use std::{collections::VecDeque, io, time::Duration};

use serde_json::{Value, json};

use super::{DIRECT, Discord, IDENTIFIES, Id, Server, TEXT, intent, session::Order};
use crate::{fake::Fake, post::Post, rate::Window};

/// The token of the bot.
const TOKEN: &str = "MTI3LjAuMC4x.fake-discord.token";

impl Discord {
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

    /// The bot's user, which is also the id of its application.
    pub fn bot(&self) -> Id {
        self.shared.read(|state| state.bot)
    }

    /// A new person, who is in the guild.
    pub fn person(&self, name: &str) -> Id {
        self.join(name, false)
    }

    /// A new bot of another owner, which is in the guild.
    pub fn other_bot(&self, name: &str) -> Id {
        self.join(name, true)
    }

    fn join(&self, name: &str, bot: bool) -> Id {
        let (id, data) = self.shared.change(|state| {
            let id = state.add_user(name, bot);
            state.members.insert(id);
            (id, json!({ "guild_id": state.guild.to_string(), "user": state.user(id), "roles": [] }))
        });
        self.tell(("GUILD_MEMBER_ADD", data));
        id
    }

    /// A member leaves the guild.
    pub fn leave(&self, user: Id) {
        let data = self.shared.change(|state| {
            state.members.remove(&user);
            json!({ "guild_id": state.guild.to_string(), "user": state.user(user) })
        });
        self.tell(("GUILD_MEMBER_REMOVE", data));
    }

    /// The bot is removed from the guild, and added to it again.
    pub fn remove_and_add_bot(&self) {
        let guild = self.shared.read(|state| state.guild.to_string());
        self.tell(("GUILD_DELETE", json!({ "id": guild })));
        let guild = self.shared.read(Server::guild);
        self.tell(("GUILD_CREATE", guild));
    }

    /// A new text channel.
    pub fn channel(&self, name: &str) -> Id {
        let (id, data) = self.shared.change(|state| {
            let id = state.next_id();
            let channel = json!({
                "id": id.to_string(), "type": TEXT, "guild_id": state.guild.to_string(), "name": name, "parent_id": null,
            });
            state.channels.insert(id, channel.clone());
            (id, channel)
        });
        self.tell(("CHANNEL_CREATE", data));
        id
    }

    /// A new thread in a channel.
    pub fn thread(&self, channel: Id, name: &str) -> Id {
        self.shared.change(|state| {
            let id = state.next_id();
            state.add_thread(id, channel, name);
            id
        })
    }

    /// The direct channel of a person and the bot.
    pub fn direct(&self, user: Id) -> Id {
        self.shared.change(|state| state.direct_channel(user))
    }

    /// Hides a channel from the bot.
    pub fn forbid(&self, channel: Id) {
        self.shared.change(|state| state.forbidden.insert(channel));
    }

    /// Withdraws the right to manage webhooks, with the webhooks.
    pub fn withdraw_webhooks(&self) {
        self.shared.change(|state| {
            state.may_have_webhooks = false;
            state.webhooks.clear();
        });
    }

    /// A user sends a message. Returns its id.
    pub fn say(&self, channel: Id, user: Id, text: &str) -> Id {
        self.say_more(channel, user, text, None, &[])
    }

    /// A user replies to a message.
    pub fn reply(&self, channel: Id, user: Id, text: &str, to: Id) -> Id {
        self.say_more(channel, user, text, Some(to), &[])
    }

    /// A user sends a message with files of these names and media types.
    pub fn say_more(&self, channel: Id, user: Id, text: &str, to: Option<Id>, files: &[(&str, &str)]) -> Id {
        let url = self.url();
        let (id, message) = self.shared.change(|state| {
            let author = state.user(user);
            let mut message = state.compose(channel, author, text, to, &Value::Null);
            let attachments: Vec<Value> = files
                .iter()
                .map(|(name, kind)| {
                    json!({ "id": state.next_id().to_string(), "filename": name, "content_type": kind, "size": 1234,
                            "url": format!("{url}/attachments/{name}") })
                })
                .collect();
            message["attachments"] = json!(attachments);
            let id = super::id(&message["id"]).unwrap_or_default();
            state.insert(id, &message);
            (id, message)
        });
        self.tell(("MESSAGE_CREATE", message));
        id
    }

    /// A user edits a message.
    pub fn edit(&self, message: Id, text: &str) {
        self.shared.change(|state| state.rewrite(message, text));
    }

    /// A message is deleted.
    pub fn delete(&self, message: Id) {
        self.shared.change(|state| state.remove(message));
    }

    /// A person uses a slash command, with the value of its option `text`. Returns the interaction.
    pub fn invoke(&self, channel: Id, user: Id, command: &str, text: Option<&str>) -> Id {
        let (id, data) = self.shared.change(|state| state.invoke(channel, user, command, text));
        self.tell(("INTERACTION_CREATE", data));
        id
    }

    /// Waits for the answer to an interaction.
    pub async fn wait_for_response(&self, interaction: Id) -> Post {
        self.expect("a response to an interaction", |state| state.response(interaction)).await
    }

    /// The names of the slash commands that the bot has registered.
    pub fn commands(&self) -> Vec<String> {
        let name = |command: &Value| command["name"].as_str().map(str::to_owned);
        self.shared.read(|state| state.commands.iter().filter_map(name).collect())
    }

    /// The channels in which the bot has shown typing, in order.
    pub fn typed(&self) -> Vec<Id> {
        self.shared.read(|state| state.typing.clone())
    }

    /// Waits until a session is connected.
    pub async fn wait_for_session(&self) {
        self.expect("a session", |state| {
            state.sessions.values().any(|s| s.connection.is_some()).then_some(())
        })
        .await;
    }

    /// Waits until no session is connected.
    pub async fn wait_for_disconnect(&self) {
        self.expect("the end of the session", |state| {
            state.sessions.values().all(|session| session.connection.is_none()).then_some(())
        })
        .await;
    }

    /// The number of resumed sessions.
    pub fn resumes(&self) -> usize {
        self.shared.read(|state| state.resumes)
    }

    /// Waits until `count` sessions were resumed.
    pub async fn wait_for_resumes(&self, count: usize) {
        self.expect("a resumed session", |state| (state.resumes >= count).then_some(())).await;
    }

    /// The number of IDENTIFYs of the bot in a day.
    pub fn identifies(&self) -> usize {
        self.shared.change_quietly(|state| state.identifies.limit() - state.identifies.remaining())
    }

    /// Asks every session to reconnect and resume (op 7).
    pub fn reconnect(&self) {
        self.order(Order::Send { op: 7, resumable: true });
    }

    /// Declares every session invalid (op 9), to be resumed or not.
    pub fn invalidate(&self, resumable: bool) {
        self.order(Order::Send { op: 9, resumable });
    }

    /// Closes every connection with a code.
    pub fn close(&self, code: u16) {
        self.order(Order::Close(code));
    }

    fn order(&self, order: Order) {
        self.shared.change(|state| {
            for session in state.sessions.values_mut() {
                session.orders = VecDeque::from([order]);
            }
        });
    }

    /// Ends every session, as after an absence of many minutes: RESUME is answered by op 9.
    pub fn forget_sessions(&self) {
        self.shared.change(|state| state.sessions.clear());
    }

    /// Sets whether heartbeats are answered. Without answers, the connection looks alive but is dead.
    pub fn acknowledge_heartbeats(&self, acknowledge: bool) {
        self.shared.change(|state| state.acknowledges = acknowledge);
    }

    /// Sets the heartbeat interval of new connections.
    pub fn set_heartbeat(&self, interval: Duration) {
        self.shared.change(|state| state.heartbeat = interval);
    }

    /// Starts a new day with `left` remaining IDENTIFYs.
    pub fn set_identifies(&self, left: usize) {
        self.shared.change(|state| {
            state.identifies = Window::new(IDENTIFIES, Duration::from_hours(24));
            for _ in left..IDENTIFIES {
                // cannot fail: the window has this size
                let _ = state.identifies.take();
            }
        });
    }

    /// Enables privileged intents, as bits of [`intent`], and disables the others.
    pub fn allow_intents(&self, privileged: u64) {
        self.shared.change(|state| state.privileged = privileged & intent::PRIVILEGED);
    }

    /// Switches the limits of the REST API and of IDENTIFY on or off.
    pub fn limit_rates(&self, on: bool) {
        self.shared.change(|state| state.limits.on = on);
    }
}

impl Server {
    pub(super) fn direct_channel(&mut self, user: Id) -> Id {
        let here = |channel: &Value| {
            channel["type"] == DIRECT && super::id(&channel["recipients"][0]["id"]) == Some(user)
        };
        let known = self.channels.iter().find(|(_, channel)| here(channel)).map(|(id, _)| *id);
        known.unwrap_or_else(|| {
            let id = self.next_id();
            let channel = json!({ "id": id.to_string(), "type": DIRECT, "recipients": [self.user(user)] });
            self.channels.insert(id, channel);
            id
        })
    }
}
