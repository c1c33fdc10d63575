//! Sends a message to a channel. The response is one JSON document, or a stream of events. A repeated request with the
//! same `Idempotency-Key` gets the same reply, and joins a turn that still runs.

use std::path::PathBuf;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use futures::{StreamExt, stream};
use greenroom_core::{
    Author, ChannelKey, Entropy, Envelope, Message, PersonaName, Platform, SystemEntropy, TurnEvent, TurnId,
    UserId,
};
use greenroom_runtime::{RuntimeError, Sent};
use http::{HeaderMap, StatusCode, header::ACCEPT};
use serde::Deserialize;
use tracing::Instrument;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    answer::{Answer, FollowedTurn, TurnAnswer, await_end, events_of, follow},
    stream::{sse, stopped},
};
use crate::{
    ApiError, Caller, Services,
    edited::present_id,
    extract::{Json, Path},
    reference::Failures,
    validate::{check_text, event_id, idempotency_key, short_line},
};

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(send))
}

/// The headers of a message that is sent.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[allow(dead_code, reason = "describes the headers alone")]
pub(super) struct SendHeaders {
    /// A request with a known key is a repeat of that message
    #[param(
        rename = "Idempotency-Key",
        max_length = 200,
        pattern = r"^(?!turn:)[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$"
    )]
    idempotency_key: Option<String>,
    /// Switches memory off for it
    #[param(rename = "X-Greenroom-No-Memory")]
    no_memory: Option<String>,
    /// With `respond-async`, the response comes when the message is stored: 202, with the turns as they are then
    #[param(rename = "Prefer")]
    prefer: Option<String>,
}

/// A message to send. Unknown fields are ignored.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(examples(json!({ "text": "Where did I leave my keys?", "persona": "ada" })))]
pub struct Say {
    /// The text: at most 64 KiB, with at least one visible character.
    #[schema(
        min_length = 1,
        max_length = 65536,
        pattern = r"[^\s\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
    )]
    text: String,
    /// The persona that is to answer. If not given, the room chooses. In a channel of the API that is no room of several
    /// personas, the personas that the text mentions answer, or else the persona of the settings.
    persona: Option<PersonaName>,
    /// The author, for an operator who speaks for others; the person of the key if not given.
    user: Option<UserId>,
    /// The author's name; the id if not given.
    #[schema(min_length = 1, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f]+$")]
    user_name: Option<String>,
    /// Whether a program wrote the message. It counts against the limits of the room, and its author counts as a
    /// program there from then on.
    #[serde(default)]
    bot: bool,
    /// Switches memory off for this message: no memory is recalled for it, and none is captured from it.
    #[serde(default)]
    disable_memory: bool,
    /// `true` states that others read the channel: then no private memory is recalled. `false` leaves the decision to
    /// the room: a channel is a group once a second person has spoken there.
    #[serde(default)]
    group: bool,
    /// The directory of a project whose AGENTS.md files are read; for operators.
    project: Option<String>,
    /// The id of the message. A second message with the same id in the same channel is a repeat. Replaces the header
    /// `Idempotency-Key`, and has precedence over it.
    #[schema(min_length = 1, max_length = 200, pattern = r"^(?!turn:)[^\x00-\x1f\x7f-\x9f]+$")]
    event_id: Option<String>,
    /// The `event_id` of the message that this one replies to. It is stored with the message; an id that is unknown
    /// here addresses no persona.
    #[schema(min_length = 1, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f]+$")]
    reply_to: Option<String>,
}

impl Say {
    /// Whether the request has an id for the message, by which a repeat is recognised.
    pub(super) fn has_key(&self, headers: &HeaderMap) -> bool {
        self.event_id.is_some() || headers.contains_key("idempotency-key")
    }

    /// The message for the runtime, if the caller may send it.
    pub fn envelope(
        self,
        services: &Services,
        caller: &Caller,
        channel: ChannelKey,
        headers: &HeaderMap,
    ) -> Result<Envelope, ApiError> {
        caller.check_channel(&channel)?;
        let user = caller.speak_as(self.user)?;
        if self.project.is_some() {
            caller.require_operator()?;
        }
        check_text(&self.text).map_err(|why| ApiError::invalid(why).about("text"))?;
        let user_name = self.user_name.map(|name| short_line("user_name", name)).transpose()?;
        let reply_to = self.reply_to.map(|id| short_line("reply_to", id)).transpose()?;
        // an invalid header is refused even if the field has precedence
        let key = idempotency_key(headers)?;
        let id = self.event_id.map(|id| event_id("event_id", id)).transpose()?.or(key);
        // an API message that mentions no persona is for the persona of the settings, so that it gets an answer
        let default_persona = Some(&services.settings.persona).filter(|name| {
            channel.platform() == Some(Platform::Api) && services.runtime.persona(name).is_ok()
        });
        let event_id = id.unwrap_or_else(|| SystemEntropy.uuid().to_string());
        let author = Author::User { name: user_name.unwrap_or_else(|| user.to_string()), id: user };
        Ok(Envelope {
            to: self.persona,
            default_persona: default_persona.cloned(),
            bot: self.bot,
            project: self.project.map(PathBuf::from),
            disable_memory: self.disable_memory || disables_memory(headers),
            group: self.group,
            ..Envelope::new(Message { reply_to, ..Message::new(channel, event_id, author, self.text) })
        })
    }
}

/// `X-Greenroom-No-Memory`, unless it says no (BD6).
fn disables_memory(headers: &HeaderMap) -> bool {
    let said = headers.get("x-greenroom-no-memory").map(|value| value.as_bytes().to_ascii_lowercase());
    said.is_some_and(|said| !matches!(&*said, b"" | b"0" | b"false" | b"no"))
}

fn wants_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|kind| {
        kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/event-stream")
    })
}

/// Whether the client listens to the channel and waits for no answer here (RFC 7240).
fn wants_no_answer(headers: &HeaderMap) -> bool {
    let preferred = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    preferred.flat_map(|value| value.split(',')).any(|one| one.trim().eq_ignore_ascii_case("respond-async"))
}

/// Send a message and get its answers
///
/// With `Accept: text/event-stream`, the response is a stream of the events of every turn that answers the message, in
/// the order of the turns. Otherwise it is one document, after all turns have ended. If a turn fails, the request
/// succeeds and the state of the turn shows the failure. With `Prefer: respond-async`, the response comes at once; the
/// events come to those who subscribe to the channel. A client that disconnects does not stop the turns; `cancel`
/// does.
#[utoipa::path(
    post, path = "/api/channels/{channel}/messages", tag = "channels",
    params(
        ("channel" = ChannelKey, Path, description = "Where: provider:chat_id or provider:chat_id:thread"),
        SendHeaders,
    ),
    request_body = Say,
    responses(
        (status = 200, description = "The answers", content(
            (Answer = "application/json"),
            (TurnEvent = "text/event-stream"),
        )),
        (status = 202, description = "It is stored, and its turns go on", body = Answer),
        Failures,
    ),
)]
async fn send(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
    headers: HeaderMap,
    Json(say): Json<Say>,
) -> Result<Response, ApiError> {
    let has_key = say.has_key(&headers);
    let mut envelope = say.envelope(&services, &caller, channel.clone(), &headers)?;
    if let (true, Author::User { id, .. }) = (has_key, &envelope.message.author) {
        envelope.message.event_id = present_id(&services, &channel, id, &envelope.message.event_id).await?;
    }
    let (sending, speaking) = (services.clone(), caller.clone());
    let sent = async move {
        let _passing = sending.enter(&speaking, &envelope.message.channel).await?;
        Ok(sending.runtime.send(envelope).await?)
    };
    respond(&services, &caller, &headers, sent).await
}

/// Sends a message, and answers the request with its turns: a stream of events, or one document.
///
/// # Errors
/// Those of `sending`; 503 if the store fails or the server stops.
pub(super) async fn respond(
    services: &Services,
    caller: &Caller,
    headers: &HeaderMap,
    sending: impl Future<Output = Result<Sent, ApiError>> + Send + 'static,
) -> Result<Response, ApiError> {
    // a separate task: if the client disconnects now, the message is either stored and answered, or neither; the turn
    // belongs to the trace of the request
    let sent = tokio::spawn(sending.in_current_span());
    let Sent { message, event_id, duplicate, turns, events, .. } = sent.await.map_err(|error| {
        tracing::error!(%error, "a message could not be taken in");
        ApiError::internal()
    })??;
    if wants_no_answer(headers) {
        let mut answer = Answer { message_id: message, event_id, duplicate, turns: Vec::new() };
        for id in turns {
            answer.turns.extend(services.store.turn(id).await?.map(|turn| TurnAnswer::waiting(&turn)));
        }
        return Ok((StatusCode::ACCEPTED, Json(answer)).into_response());
    }
    let followed: Vec<(TurnId, FollowedTurn)> = match duplicate {
        false => events.into_subscriptions().map(|(id, turn)| (id, FollowedTurn::Live(turn))).collect(),
        true => followed_again(services, turns).await?,
    };
    if wants_events(headers) {
        let (services, caller) = (services.clone(), caller.clone());
        let events = stream::iter(followed).flat_map(move |(_, turn)| events_of(&services, &caller, turn));
        return Ok(sse(events));
    }
    let mut answer = Answer { message_id: message, event_id, duplicate, turns: Vec::new() };
    for (turn, following) in followed {
        answer.turns.push(tokio::select! {
            answered = await_end(services, turn, following) => answered?.visible_to(caller),
            () = stopped(&services.ended) => return Err(RuntimeError::Stopped.into()),
        });
    }
    Ok(Json(answer).into_response())
}

/// The turns that answer a repeated message. Some may have ended long ago.
async fn followed_again(
    services: &Services,
    turns: Vec<TurnId>,
) -> Result<Vec<(TurnId, FollowedTurn)>, ApiError> {
    let mut followed = Vec::new();
    for id in turns {
        let turn = services.store.turn(id).await?.ok_or_else(|| super::answer::unknown(id))?;
        followed.push((id, follow(services, &turn, None).await?));
    }
    Ok(followed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(http::HeaderName::from_static(name), http::HeaderValue::from_static(value))])
    }

    #[test]
    fn bd6_a_header_switches_memory_off_unless_it_says_no() {
        for (value, off) in [("1", true), ("true", true), ("yes", true), ("0", false), ("False", false)] {
            assert_eq!(disables_memory(&headers("x-greenroom-no-memory", value)), off, "{value}");
        }
        assert!(!disables_memory(&HeaderMap::new()));
    }

    #[test]
    fn who_prefers_not_to_wait_gets_no_answer() {
        assert!(wants_no_answer(&headers("prefer", "return=minimal, Respond-Async")));
        assert!(!wants_no_answer(&headers("prefer", "wait=10")) && !wants_no_answer(&HeaderMap::new()));
    }

    #[test]
    fn who_accepts_events_gets_events() {
        assert!(wants_events(&headers("accept", "application/json, Text/Event-Stream;q=0.9")));
        assert!(!wants_events(&headers("accept", "*/*")) && !wants_events(&HeaderMap::new()));
    }
}
