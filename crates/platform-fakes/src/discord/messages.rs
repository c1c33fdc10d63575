//! Messages of channels: sending, reading, editing, deleting, threads, typing.

use std::{
    collections::HashSet,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::{
    Json,
    extract::{Path, Query, State},
    http::StatusCode,
};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    Id, Server, THREAD, id,
    rest::{Answer, Done, Refusal},
};
use crate::fake::Shared;

/// The most characters of a message.
const LONGEST: usize = 2000;
/// The most characters of a nonce.
const NONCE: usize = 25;
/// How long a nonce is remembered.
const NONCES: Duration = Duration::from_mins(3);

/// The validated content of a request body.
pub(super) fn content(body: &Value) -> Result<String, Refusal> {
    let content = body["content"].as_str().unwrap_or_default().trim();
    if content.is_empty() {
        return Err(Refusal(StatusCode::BAD_REQUEST, 50_006, "Cannot send an empty message".to_owned()));
    }
    match content.chars().count() {
        ..=LONGEST => Ok(content.to_owned()),
        _ => Err(Refusal::invalid("content", "Must be 2000 or fewer in length.")),
    }
}

pub(super) async fn send(
    State(shared): State<Shared<Server>>,
    Path(channel): Path<Id>,
    Json(body): Json<Value>,
) -> Answer {
    shared.change(|state| {
        state.readable(channel)?;
        let content = content(&body)?;
        let nonce = match &body["nonce"] {
            Value::Null => None,
            Value::String(nonce) if nonce.chars().count() <= NONCE => Some(nonce.clone()),
            Value::Number(nonce) => Some(nonce.to_string()),
            _ => return Err(Refusal::invalid("nonce", "Must be 25 or fewer in length.")),
        };
        let key = nonce.clone().filter(|_| body["enforce_nonce"] == true).map(|nonce| (state.bot, nonce));
        state.nonces.retain(|_, (at, _)| at.elapsed() < NONCES);
        if let Some((_, sent)) = key.as_ref().and_then(|key| state.nonces.get(key)) {
            return Ok(Json(state.messages.get(sent).cloned().unwrap_or_default()));
        }
        let reference = state.reference(channel, &body["message_reference"])?;
        let author = state.user(state.bot);
        let mut message = state.compose(channel, author, &content, reference, &body["allowed_mentions"]);
        message["nonce"] = json!(nonce);
        let sent = state.add(&message);
        state.posts.extend(sent);
        if let (Some(key), Some(sent)) = (key, sent) {
            state.nonces.insert(key, (Instant::now(), sent));
        }
        Ok(Json(message))
    })
}

pub(super) async fn history(
    State(shared): State<Shared<Server>>,
    Path(channel): Path<Id>,
    Query(query): Query<Vec<(String, String)>>,
) -> Answer {
    let get = |name: &str| query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let number = |name: &str| get(name).and_then(|value| value.parse::<Id>().ok());
    let limit = number("limit").unwrap_or(50);
    if !(1..=100).contains(&limit) {
        return Err(Refusal::invalid("limit", "int value should be between 1 and 100."));
    }
    let limit = usize::try_from(limit).unwrap_or(100);
    shared.read(|state| {
        state.readable(channel)?;
        let here = || state.messages.values().filter(|message| in_channel(message, channel));
        let ids = |message: &&Value| id(&message["id"]).unwrap_or_default();
        let found: Vec<&Value> = match (number("after"), number("before")) {
            // the next messages, newest first
            (Some(after), _) => {
                let mut found: Vec<_> = here().filter(|message| ids(message) > after).take(limit).collect();
                found.reverse();
                found
            }
            (None, before) => {
                let before = before.unwrap_or(Id::MAX);
                here().rev().filter(|message| ids(message) < before).take(limit).collect()
            }
        };
        Ok(Json(json!(found)))
    })
}

pub(super) async fn one(
    State(shared): State<Shared<Server>>,
    Path((channel, message)): Path<(Id, Id)>,
) -> Answer {
    shared.read(|state| {
        state.readable(channel)?;
        let found = state.messages.get(&message).filter(|message| in_channel(message, channel));
        found.cloned().map(Json).ok_or_else(|| Refusal::unknown("Message", 10_008))
    })
}

pub(super) async fn edit(
    State(shared): State<Shared<Server>>,
    Path((channel, message)): Path<(Id, Id)>,
    Json(body): Json<Value>,
) -> Answer {
    shared.change(|state| {
        state.readable(channel)?;
        let content = content(&body)?;
        let bot = state.bot.to_string();
        match state.messages.get(&message).filter(|message| in_channel(message, channel)) {
            None => Err(Refusal::unknown("Message", 10_008)),
            Some(found) if found["author"]["id"] != bot => {
                Err(Refusal::forbidden(50_005, "Cannot edit a message authored by another user"))
            }
            Some(_) => Ok(Json(state.rewrite(message, &content))),
        }
    })
}

pub(super) async fn delete(
    State(shared): State<Shared<Server>>,
    Path((channel, message)): Path<(Id, Id)>,
) -> Done {
    shared.change(|state| {
        state.readable(channel)?;
        let bot = state.bot.to_string();
        match state.messages.get(&message).filter(|message| in_channel(message, channel)) {
            Some(_) if state.deleted.contains(&message) => Err(Refusal::unknown("Message", 10_008)),
            None => Err(Refusal::unknown("Message", 10_008)),
            // the bot lacks the right to manage messages
            Some(found) if found["author"]["id"] != bot => {
                Err(Refusal::forbidden(50_013, "Missing Permissions"))
            }
            Some(_) => {
                state.remove(message);
                Ok(StatusCode::NO_CONTENT)
            }
        }
    })
}

pub(super) async fn start_thread(
    State(shared): State<Shared<Server>>,
    Path((channel, message)): Path<(Id, Id)>,
    Json(body): Json<Value>,
) -> Answer {
    shared.change(|state| {
        state.readable(channel)?;
        let name = body["name"].as_str().filter(|name| (1..=100).contains(&name.chars().count()));
        let name = name.ok_or_else(|| Refusal::invalid("name", "Must be between 1 and 100 in length."))?;
        if state.channels.contains_key(&message) {
            let text = "A thread has already been created for this message".to_owned();
            return Err(Refusal(StatusCode::BAD_REQUEST, 160_004, text));
        }
        // a thread that starts at a message has the message's id
        state.add_thread(message, channel, name);
        Ok(Json(state.channels.get(&message).cloned().unwrap_or_default()))
    })
}

pub(super) async fn typing(State(shared): State<Shared<Server>>, Path(channel): Path<Id>) -> Done {
    shared.change(|state| {
        state.readable(channel)?;
        state.typing.push(channel);
        Ok(StatusCode::NO_CONTENT)
    })
}

pub(super) fn in_channel(message: &Value, channel: Id) -> bool {
    id(&message["channel_id"]) == Some(channel)
}

/// The present time in Discord's format.
fn timestamp() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, seconds) = ((now.as_secs() / 86_400) as i64, now.as_secs() % 86_400);
    // days since 1970 to a date of the proleptic Gregorian calendar, with years that begin in March
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:06}+00:00",
        now.subsec_micros()
    )
}

impl Server {
    /// The message that a request body replies to. Rejects an invalid id, and the id of a missing message unless the
    /// body permits that.
    fn reference(&self, channel: Id, reference: &Value) -> Result<Option<Id>, Refusal> {
        if reference.is_null() {
            return Ok(None);
        }
        let named = id(&reference["message_id"]).ok_or_else(|| {
            let text = format!("Value {} is not snowflake.", reference["message_id"]);
            Refusal::invalid("message_reference", &text)
        })?;
        let is_there = self.messages.get(&named).is_some_and(|message| in_channel(message, channel));
        match is_there && !self.deleted.contains(&named) {
            true => Ok(Some(named)),
            false if reference["fail_if_not_exists"] == false => Ok(None),
            false => Err(Refusal::invalid("message_reference", "Unknown message")),
        }
    }

    /// Makes a message without adding it to its channel. If `allowed` is null, every mention notifies.
    pub(super) fn compose(
        &mut self,
        channel: Id,
        author: Value,
        content: &str,
        reference: Option<Id>,
        allowed: &Value,
    ) -> Value {
        let listed = |key: &str, value: &str| {
            allowed[key].as_array().is_some_and(|items| items.iter().any(|item| item == value))
        };
        let everyone = (content.contains("@everyone") || content.contains("@here"))
            && (allowed.is_null() || listed("parse", "everyone"));
        let mut mentioned: HashSet<Id> = mentions(content)
            .filter(|user| {
                allowed.is_null() || listed("parse", "users") || listed("users", &user.to_string())
            })
            .collect();
        let replied = reference.and_then(|message| self.messages.get(&message).cloned());
        if allowed.is_null() || allowed["replied_user"] == true {
            mentioned.extend(replied.as_ref().and_then(|message| id(&message["author"]["id"])));
        }
        let users: Vec<Value> = mentioned.iter().filter_map(|user| self.users.get(user).cloned()).collect();
        let guild = self.guild_of(channel);
        let reference = reference.map(|message| {
            json!({ "type": 0, "message_id": message.to_string(), "channel_id": channel.to_string() })
        });
        let mut message = json!({
            "id": self.next_id().to_string(), "channel_id": channel.to_string(), "author": author,
            "content": content, "timestamp": timestamp(), "edited_timestamp": null, "tts": false,
            "mention_everyone": everyone, "mentions": users, "mention_roles": [], "attachments": [], "embeds": [],
            "pinned": false, "type": if reference.is_some() { 19 } else { 0 }, "flags": 0,
        });
        if let Some(guild) = guild {
            message["guild_id"] = json!(guild);
            message["member"] = json!({ "nick": null, "roles": [] });
        }
        if let Some(reference) = reference {
            message["message_reference"] = reference;
            message["referenced_message"] = json!(replied);
        }
        message
    }

    /// Adds a message to its channel and dispatches it to the sessions.
    pub(super) fn add(&mut self, message: &Value) -> Option<Id> {
        let added = id(&message["id"])?;
        self.insert(added, message);
        self.dispatch("MESSAGE_CREATE", message);
        Some(added)
    }

    /// Adds a message to its channel and updates the channel's newest message.
    pub(super) fn insert(&mut self, message: Id, data: &Value) {
        self.messages.insert(message, data.clone());
        if let Some(channel) = id(&data["channel_id"]).and_then(|channel| self.channels.get_mut(&channel)) {
            channel["last_message_id"] = json!(message.to_string());
        }
    }

    /// Edits a message and dispatches the change to the sessions.
    pub(super) fn rewrite(&mut self, message: Id, content: &str) -> Value {
        let Some(found) = self.messages.get_mut(&message) else { return Value::Null };
        found["content"] = json!(content);
        found["edited_timestamp"] = json!(timestamp());
        let found = found.clone();
        *self.edits.entry(message).or_default() += 1;
        self.dispatch("MESSAGE_UPDATE", &found);
        found
    }

    /// Deletes a message and dispatches that to the sessions. The fake keeps posts of the bot.
    pub(super) fn remove(&mut self, message: Id) {
        let Some(found) = self.messages.get(&message).cloned() else { return };
        let mut data = json!({ "id": message.to_string(), "channel_id": found["channel_id"] });
        if found["guild_id"].is_string() {
            data["guild_id"] = found["guild_id"].clone();
        }
        self.deleted.insert(message);
        self.dispatch("MESSAGE_DELETE", &data);
    }

    /// Creates a thread and dispatches it to the sessions.
    pub(super) fn add_thread(&mut self, thread: Id, parent: Id, name: &str) {
        let channel = json!({
            "id": thread.to_string(), "type": THREAD, "guild_id": self.guild.to_string(), "name": name,
            "parent_id": parent.to_string(), "thread_metadata": { "archived": false, "locked": false },
        });
        self.channels.insert(thread, channel.clone());
        self.dispatch("THREAD_CREATE", &channel);
    }
}

/// The users that `<@ID>` and `<@!ID>` name.
fn mentions(content: &str) -> impl Iterator<Item = Id> {
    let parts = content.split("<@").skip(1);
    parts.filter_map(|part| part.trim_start_matches('!').split_once('>')?.0.parse().ok())
}
