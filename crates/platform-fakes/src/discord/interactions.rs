//! Slash commands: their registration and use. The bot must acknowledge an interaction within 3 s and may follow up
//! within 15 minutes.

use std::time::Duration;

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    Id, Server, messages,
    rest::{Answer, Done, Refusal},
};
use crate::{fake::Shared, post::Post};

/// The time limit for the acknowledgement.
const ACKNOWLEDGE: Duration = Duration::from_secs(3);
/// The time limit for follow-ups.
const FOLLOW_UP: Duration = Duration::from_mins(15);
/// The flag of a message that only one person can see.
const EPHEMERAL: u64 = 64;

/// A use of a command.
pub(super) struct Interaction {
    token: String,
    channel: Id,
    at: Instant,
    /// The type of the callback: 4 for an answer, 5 for a deferred answer.
    acknowledged: Option<u64>,
    ephemeral: bool,
    /// The answer, if there is one.
    original: Option<Id>,
}

pub(super) async fn commands(State(shared): State<Shared<Server>>, Path(app): Path<Id>) -> Answer {
    shared.read(|state| match app == state.bot {
        true => Ok(Json(json!(state.commands))),
        false => Err(Refusal::unknown("Application", 10_002)),
    })
}

/// Replaces all commands.
pub(super) async fn register(
    State(shared): State<Shared<Server>>,
    Path(app): Path<Id>,
    Json(body): Json<Value>,
) -> Answer {
    shared.change(|state| {
        if app != state.bot {
            return Err(Refusal::unknown("Application", 10_002));
        }
        let commands = body.as_array().ok_or_else(|| Refusal::invalid("commands", "Not a list"))?;
        if commands.len() > 100 {
            return Err(Refusal(StatusCode::BAD_REQUEST, 30_032, "Maximum number of commands".to_owned()));
        }
        for command in commands {
            let name = command["name"].as_str().unwrap_or_default();
            let allowed = |c: char| c.is_alphanumeric() && !c.is_uppercase() || matches!(c, '-' | '_');
            if !(1..=32).contains(&name.chars().count()) || !name.chars().all(allowed) {
                return Err(Refusal::invalid("name", "Command name is invalid"));
            }
            let length = command["description"].as_str().unwrap_or_default().chars().count();
            if !(1..=100).contains(&length) {
                return Err(Refusal::invalid("description", "Must be between 1 and 100 in length."));
            }
        }
        state.commands.clone_from(commands);
        Ok(Json(json!(commands)))
    })
}

pub(super) async fn callback(
    State(shared): State<Shared<Server>>,
    Path((interaction, token)): Path<(Id, String)>,
    Json(body): Json<Value>,
) -> Done {
    shared.change(|state| {
        let unknown = || Refusal::unknown("interaction", 10_062);
        let found = state.interactions.get_mut(&interaction).filter(|found| found.token == token);
        let found = found.filter(|found| found.at.elapsed() < ACKNOWLEDGE).ok_or_else(unknown)?;
        if found.acknowledged.is_some() {
            let text = "Interaction has already been acknowledged.".to_owned();
            return Err(Refusal(StatusCode::BAD_REQUEST, 40_060, text));
        }
        let kind = body["type"].as_u64().filter(|kind| matches!(kind, 4 | 5));
        let kind = kind.ok_or_else(|| Refusal::invalid("type", "Value must be one of {4, 5}."))?;
        let content = if kind == 4 { Some(messages::content(&body["data"])?) } else { None };
        found.acknowledged = Some(kind);
        found.ephemeral = body["data"]["flags"].as_u64().unwrap_or_default() & EPHEMERAL != 0;
        if let Some(content) = content {
            state.respond(interaction, &content);
        }
        Ok(StatusCode::NO_CONTENT)
    })
}

impl Server {
    /// A person uses a command. Returns the interaction and the event for the sessions.
    pub(super) fn invoke(
        &mut self,
        channel: Id,
        user: Id,
        command: &str,
        option: Option<&str>,
    ) -> (Id, Value) {
        let interaction = self.next_id();
        let token = format!("interaction-token-{interaction}");
        let options: Vec<Value> =
            option.into_iter().map(|value| json!({ "name": "text", "type": 3, "value": value })).collect();
        let mut data = json!({
            "id": interaction.to_string(), "application_id": self.bot.to_string(), "type": 2, "token": token,
            "version": 1, "channel_id": channel.to_string(), "channel": self.channels.get(&channel),
            "data": { "id": "1", "name": command, "type": 1, "options": options },
        });
        match self.guild_of(channel) {
            Some(guild) => {
                data["guild_id"] = json!(guild);
                data["member"] = json!({ "user": self.user(user), "nick": null, "roles": [] });
            }
            None => data["user"] = self.user(user),
        }
        let at = Instant::now();
        let entry = Interaction { token, channel, at, acknowledged: None, ephemeral: false, original: None };
        self.interactions.insert(interaction, entry);
        (interaction, data)
    }

    /// The answer to an interaction, if it has one.
    pub(super) fn response(&self, interaction: Id) -> Option<Post> {
        self.post(self.interactions.get(&interaction)?.original?)
    }

    /// Adds a follow-up message to an interaction. The first one is its answer.
    pub(super) fn follow_up(&mut self, token: &str, body: &Value) -> Result<Value, Refusal> {
        let interaction = self.acknowledged(token)?;
        let content = messages::content(body)?;
        Ok(self.respond(interaction, &content))
    }

    /// Writes or changes the answer of an interaction.
    pub(super) fn edit_original(
        &mut self,
        token: &str,
        message: &str,
        body: &Value,
    ) -> Result<Value, Refusal> {
        let interaction = self.acknowledged(token)?;
        let content = messages::content(body)?;
        let original = self.interactions.get(&interaction).and_then(|interaction| interaction.original);
        match original {
            _ if message != "@original" => Err(Refusal::unknown("Message", 10_008)),
            Some(original) => Ok(self.rewrite(original, &content)),
            None => Ok(self.respond(interaction, &content)),
        }
    }

    fn acknowledged(&self, token: &str) -> Result<Id, Refusal> {
        let found = self.interactions.iter().find(|(_, interaction)| interaction.token == token);
        let found = found.filter(|(_, found)| found.acknowledged.is_some() && found.at.elapsed() < FOLLOW_UP);
        found.map(|(id, _)| *id).ok_or_else(|| Refusal::unknown("Webhook", 10_015))
    }

    fn respond(&mut self, interaction: Id, content: &str) -> Value {
        let Some((channel, ephemeral)) =
            self.interactions.get(&interaction).map(|i| (i.channel, i.ephemeral))
        else {
            return Value::Null;
        };
        let author = self.user(self.bot);
        let mut message = self.compose(channel, author, content, None, &Value::Null);
        message["flags"] = json!(if ephemeral { EPHEMERAL } else { 0 });
        let sent = if ephemeral {
            // not dispatched to sessions and not part of the history
            let sent = super::id(&message["id"]);
            sent.map(|sent| self.messages.insert(sent, message.clone()));
            sent
        } else {
            self.add(&message)
        };
        self.posts.extend(sent);
        if let Some(found) = self.interactions.get_mut(&interaction) {
            found.original = found.original.or(sent);
        }
        message
    }
}
