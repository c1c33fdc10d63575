//! Messages: posting, reading, changing, deleting, and answers to slash commands.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Server, api::Refusal, events::Envelope};
use crate::post::{Face, Post};

/// The most characters of a text. Longer texts are cut.
const LONGEST: usize = 40_000;

/// The scope that is needed to read a channel's messages.
fn history_scope(channel: &Value) -> &'static str {
    match channel {
        _ if channel["is_im"] == true => "im:history",
        _ if channel["is_mpim"] == true => "mpim:history",
        _ if channel["is_private"] == true => "groups:history",
        _ => "channels:history",
    }
}

/// The text of a call, cut where Slack cuts it.
fn text(parameters: &Value) -> Result<String, Refusal> {
    let text = parameters["text"].as_str().unwrap_or_default();
    if text.trim().is_empty() {
        return Err(Refusal::Error("no_text"));
    }
    Ok(text.chars().take(LONGEST).collect())
}

/// The users that `<@ID>` mentions, and `everyone` for `<!channel>`, `<!here>` and `<!everyone>`.
fn notifies(text: &str) -> Vec<String> {
    let users = text.split("<@").skip(1).filter_map(|part| part.split_once('>'));
    let users = users.map(|(id, _)| id.split('|').next().unwrap_or(id).to_owned());
    let everyone = ["<!channel", "<!here", "<!everyone"].iter().any(|word| text.contains(word));
    users.chain(everyone.then(|| "everyone".to_owned())).collect()
}

/// The visible text. Slack escapes three characters.
fn shown(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

impl Server {
    pub(super) fn post(&mut self, parameters: &Value, ephemeral: bool) -> Result<Value, Refusal> {
        self.scope("chat:write")?;
        let channel = self.visible(parameters)?;
        if !self.joined.contains(&channel) {
            return Err(Refusal::Error("not_in_channel"));
        }
        let text = text(parameters)?;
        let face = |key: &str| parameters[key].as_str().filter(|value| !value.is_empty()).map(str::to_owned);
        let face = Face { name: face("username"), avatar: face("icon_url") };
        if face != Face::default() {
            self.scope("chat:write.customize")?;
        }
        let thread = parameters["thread_ts"].as_str().map(str::to_owned);
        if thread
            .as_ref()
            .is_some_and(|thread| !self.messages.contains_key(&(channel.clone(), thread.clone())))
        {
            return Err(Refusal::Error("thread_not_found"));
        }
        if ephemeral && !self.users.contains_key(parameters["user"].as_str().unwrap_or_default()) {
            return Err(Refusal::Error("user_not_in_channel"));
        }
        self.permit(&format!("post:{channel}"), 1, Duration::from_secs(1))?;
        let ts = self.next_ts();
        self.posts.push(Post {
            id: ts.clone(),
            chat: channel.clone(),
            thread: thread.clone(),
            text: shown(&text),
            reply_to: None,
            notifies: notifies(&text),
            face: face.clone(),
            ephemeral,
            ..Post::default()
        });
        if ephemeral {
            return Ok(json!({ "message_ts": ts }));
        }
        let mut message = json!({
            "type": "message", "ts": ts, "text": text, "bot_id": self.bot_id, "app_id": "A0TROUPE",
            "team": "T0THEATRE", "user": self.bot_user,
        });
        if let Some(thread) = thread {
            message["thread_ts"] = json!(thread);
        }
        if let Some(name) = face.name {
            message["username"] = json!(name);
            message["subtype"] = json!("bot_message");
        }
        self.insert(&channel, &message);
        // a message of the bot is also an event
        let event = self.message_event(&channel, &message);
        self.echoes.extend(event);
        Ok(json!({ "channel": channel, "ts": ts, "message": message }))
    }

    /// Adds a message to its channel. Updates the newest reply in the first message of its thread.
    pub(super) fn insert(&mut self, channel: &str, message: &Value) {
        let ts = message["ts"].as_str().unwrap_or_default();
        self.messages.insert((channel.to_owned(), ts.to_owned()), message.clone());
        let Some(thread) = message["thread_ts"].as_str() else { return };
        if let Some(first) = self.messages.get_mut(&(channel.to_owned(), thread.to_owned())) {
            first["thread_ts"] = json!(thread);
            first["latest_reply"] = json!(ts);
            first["reply_count"] = json!(first["reply_count"].as_u64().unwrap_or_default() + 1);
        }
    }

    pub(super) fn update(&mut self, parameters: &Value) -> Result<Value, Refusal> {
        self.scope("chat:write")?;
        let key = self.own(parameters, "cant_update_message")?;
        let text = text(parameters)?;
        if let Some(post) = self.posts.iter_mut().find(|post| post.chat == key.0 && post.id == key.1) {
            post.text = shown(&text);
            post.edits += 1;
        }
        if let Some(message) = self.messages.get_mut(&key) {
            message["text"] = json!(text);
            message["edited"] = json!({ "user": self.bot_user, "ts": key.1 });
        }
        Ok(json!({ "channel": key.0, "ts": key.1, "text": text }))
    }

    pub(super) fn delete(&mut self, parameters: &Value) -> Result<Value, Refusal> {
        self.scope("chat:write")?;
        let key = self.own(parameters, "cant_delete_message")?;
        self.messages.remove(&key);
        if let Some(post) = self.posts.iter_mut().find(|post| post.chat == key.0 && post.id == key.1) {
            post.deleted = true;
        }
        Ok(json!({ "channel": key.0, "ts": key.1 }))
    }

    /// Finds a message of the bot. Returns its channel and `ts`.
    fn own(&self, parameters: &Value, foreign: &'static str) -> Result<(String, String), Refusal> {
        let channel = self.visible(parameters)?;
        let key = (channel, parameters["ts"].as_str().unwrap_or_default().to_owned());
        match self.messages.get(&key) {
            None => Err(Refusal::Error("message_not_found")),
            Some(message) if message["bot_id"] != self.bot_id => Err(Refusal::Error(foreign)),
            Some(_) => Ok(key),
        }
    }

    /// The history of a channel, newest first, without replies in threads.
    pub(super) fn history(&self, parameters: &Value) -> Result<Value, Refusal> {
        self.read(parameters, |message, _| {
            message["thread_ts"].is_null() || message["thread_ts"] == message["ts"]
        })
    }

    /// A thread: its first message and the replies.
    pub(super) fn replies(&self, parameters: &Value) -> Result<Value, Refusal> {
        let mut answer = self
            .read(parameters, |message, parent| message["thread_ts"] == parent || message["ts"] == parent)?;
        if let Some(messages) = answer["messages"].as_array_mut() {
            messages.reverse();
        }
        Ok(answer)
    }

    fn read(&self, parameters: &Value, belongs: impl Fn(&Value, &str) -> bool) -> Result<Value, Refusal> {
        let channel = self.visible(parameters)?;
        self.scope(history_scope(self.channels.get(&channel).unwrap_or(&Value::Null)))?;
        if !self.joined.contains(&channel) {
            return Err(Refusal::Error("not_in_channel"));
        }
        let get = |name: &str| match &parameters[name] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let limit: usize = get("limit").parse().unwrap_or(100);
        let (oldest, latest, parent) = (get("oldest"), get("latest"), get("ts"));
        let inclusive = get("inclusive") == "true";
        // a cursor is the `ts` of the last returned message
        let cursor = get("cursor");
        let within = |ts: &str| {
            let after = oldest.is_empty() || ts > oldest.as_str() || inclusive && ts == oldest;
            let before = latest.is_empty() || ts < latest.as_str() || inclusive && ts == latest;
            after && before && (cursor.is_empty() || ts < cursor.as_str())
        };
        let here = self
            .messages
            .iter()
            .rev()
            .filter(|((of, ts), message)| *of == channel && within(ts) && belongs(message, &parent));
        let mut found: Vec<&Value> = here.map(|(_, message)| message).take(limit.clamp(1, 999) + 1).collect();
        let more = found.len() > limit.clamp(1, 999);
        found.truncate(limit.clamp(1, 999));
        let next = found.last().filter(|_| more).map_or("", |last| last["ts"].as_str().unwrap_or_default());
        Ok(json!({ "messages": found, "has_more": more, "response_metadata": { "next_cursor": next } }))
    }

    /// Stores the answer that comes with the acknowledgement of a slash command.
    pub(super) fn respond(&mut self, envelope: &str, payload: &Value) {
        let name = self.pending.get(envelope).and_then(Envelope::response_name);
        if let Some(name) = name.filter(|_| payload["text"].is_string()) {
            self.respond_to(&name, payload);
        }
    }

    pub(super) fn respond_to(&mut self, name: &str, body: &Value) {
        let text = body["text"].as_str().unwrap_or_default();
        let ephemeral = body["response_type"] != "in_channel";
        let post = Post { id: name.to_owned(), text: shown(text), ephemeral, ..Post::default() };
        self.responses.entry(name.to_owned()).or_default().push(post);
    }
}
