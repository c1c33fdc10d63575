//! Slash commands: registers them and handles their use. Discord waits 3 s for an answer. So each use is acknowledged
//! at once, visible to its user only, and the answer is filled in later.

use reqwest::Method;
use serde_json::{Value, json};

use super::{Discord, LONGEST, Me, rest::Refusal};
use crate::{CommandCall, Notice, Outcome, Person, Unit, slash::COMMANDS, text::split};

/// The type of a typed command, and of a text option.
const CHAT_INPUT: u64 = 1;
const STRING: u64 = 3;
/// The type of a deferred answer, and the flag that makes it visible to one person only.
const DEFERRED: u64 = 5;
const EPHEMERAL: u64 = 64;

impl Discord {
    /// Replaces the bot's registered commands by ours.
    pub(super) async fn register_commands(&self, me: &Me) {
        let commands: Vec<Value> = COMMANDS
            .iter()
            .map(|command| {
                let options = command.argument.map(|name| {
                    json!([{ "type": STRING, "name": name, "description": command.description, "required": false }])
                });
                json!({ "type": CHAT_INPUT, "name": command.name, "description": command.description, "options": options })
            })
            .collect();
        let path = format!("/applications/{}/commands", me.id);
        if let Err(refusal) = self.rest.call(Method::PUT, &path, &json!(commands)).await {
            tracing::warn!("Discord did not take the slash commands: {refusal}");
        }
    }

    /// Acknowledges a use of a command.
    pub(super) async fn command(&self, data: &Value) -> Option<CommandCall> {
        let (id, token) = (data["id"].as_str()?, data["token"].as_str()?);
        let channel = data["channel_id"].as_str()?;
        let user = if data["member"].is_object() { &data["member"]["user"] } else { &data["user"] };
        let person = user["id"].as_str()?;
        let names = [&data["member"]["nick"], &user["global_name"], &user["username"]];
        let name = names.into_iter().filter_map(Value::as_str).next().unwrap_or(person);
        let command = data["data"]["name"].as_str()?;
        let options = data["data"]["options"].as_array().into_iter().flatten();
        let argument: Vec<&str> = options.filter_map(|option| option["value"].as_str()).collect();
        let body = json!({ "type": DEFERRED, "data": { "flags": EPHEMERAL } });
        let path = format!("/interactions/{id}/{token}/callback");
        if let Err(refusal) = self.rest.call_by_path(Method::POST, &path, &body).await {
            // a replayed use was acknowledged before or is too old
            tracing::info!("Discord no longer waits for an answer to a command: {refusal}");
            return None;
        }
        self.channels.note(&data["channel"]);
        Some(CommandCall {
            place: self.channels.place(channel),
            person: Person { id: person.to_owned(), name: name.to_owned() },
            line: format!("{command} {}", argument.join(" ")).trim_end().to_owned(),
            answer_to: Some(token.to_owned()),
        })
    }

    /// Answers a command, visible to its user only. If the command was typed as a message, answers in the channel.
    pub(super) async fn notice(&self, notice: &Notice) -> Outcome {
        let parts = split(&notice.text, LONGEST, |part| Unit::Chars.len(part));
        let mut outcome = Outcome::Done { event_id: None };
        for (at, part) in parts.iter().enumerate() {
            let mut body = json!({ "content": part, "allowed_mentions": { "parse": [] } });
            let told = match (&notice.answer_to, self.me.get()) {
                (Some(token), Some(me)) if at == 0 => {
                    let path = format!("/webhooks/{}/{token}/messages/@original", me.id);
                    self.rest.call_by_path(Method::PATCH, &path, &body).await
                }
                (Some(token), Some(me)) => {
                    body["flags"] = json!(EPHEMERAL);
                    self.rest.call_by_path(Method::POST, &format!("/webhooks/{}/{token}", me.id), &body).await
                }
                _ => {
                    let path = format!("/channels/{}/messages", Self::channel(&notice.place));
                    self.rest.call(Method::POST, &path, &body).await
                }
            };
            if let Err(refusal) = told {
                outcome = Refusal::into(refusal);
                break;
            }
        }
        outcome
    }
}
