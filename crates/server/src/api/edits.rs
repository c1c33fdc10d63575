//! Edits of a person's last message, and requests to answer a message again.

use axum::{extract::State, response::Response};
use greenroom_adapters::note_erasure;
use greenroom_core::{Author, ChannelKey, Message, MessageId, PersonaName, TurnEvent};
use greenroom_runtime::Retry;
use greenroom_store::{Erase, Quotes};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    answer::Answer,
    messages::{Say, SendHeaders, respond},
};
use crate::{
    ApiError, Caller, Services,
    edited::{RECENT, made_by_edit, note_edit},
    extract::{Json, Path},
    reference::Failures,
};

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(edit)).routes(routes!(retry))
}

/// Edit your last message
///
/// The old text, the replies to it and what was captured from it are erased. Then the new text is stored as a new
/// message and answered; the response is that of a new message. Only the newest message of its author in the channel
/// can be edited, by the author, while it is among the newest 200 there. An edit without a key keeps the key of the old
/// message. For 48 hours, a late repeat of the old message counts as a repeat of the edited one, and the same edit with
/// the same key counts as a repeat. The key of another message is refused (409), and nothing is erased. If the new text
/// cannot be stored after the old one was erased, send it as a new message.
#[utoipa::path(
    put, path = "/api/channels/{channel}/messages/{id}", tag = "channels",
    params(
        ("channel" = ChannelKey, Path, description = "The channel"),
        ("id" = MessageId, Path, description = "The message"),
        SendHeaders,
    ),
    request_body = Say,
    responses(
        (status = 200, description = "What became of it", content(
            (Answer = "application/json"),
            (TurnEvent = "text/event-stream"),
        )),
        (status = 202, description = "Stored, with `Prefer: respond-async`", body = Answer),
        Failures,
    ),
)]
async fn edit(
    State(services): State<Services>,
    caller: Caller,
    Path((channel, id)): Path<(ChannelKey, MessageId)>,
    headers: HeaderMap,
    Json(say): Json<Say>,
) -> Result<Response, ApiError> {
    let has_key = say.has_key(&headers);
    let mut envelope = say.envelope(&services, &caller, channel.clone(), &headers)?;
    let key = has_key.then(|| envelope.message.event_id.clone());
    let author = envelope.message.author.clone();
    let (sending, speaking) = (services.clone(), caller.clone());
    if is_repeat(&services, &channel, id, &author, key.as_deref()).await? {
        let sent = async move {
            let _passing = sending.enter(&speaking, &envelope.message.channel).await?;
            Ok(sending.runtime.send(envelope).await?)
        };
        return respond(&services, &caller, &headers, sent).await;
    }
    let old = editable(&services, &channel, id, &author).await?;
    match &key {
        Some(key) => check_key(&services, &old, key).await?,
        // a late repeat of the old message counts as the edited one: its text must not return (GR6)
        None => envelope.message.event_id = old.event_id.clone(),
    }
    envelope.message.reply_to = envelope.message.reply_to.or_else(|| old.reply_to.clone());
    let sent = async move {
        let _passing = sending.enter(&speaking, &envelope.message.channel).await?;
        let what = Erase::Message(id);
        sending.runtime.revoke(&old).await?;
        if let Some(key) = &key {
            note_edit(&sending, &old, key).await?;
        }
        // a chat platform may deliver the old message again
        note_erasure(&*sending.store, &what, None, sending.runtime.now()).await?;
        if sending.store.erase(&what, Quotes::Stay).await?.messages == 0
            // the same edit was sent twice at once
            && !is_repeat(&sending, &old.channel, id, &old.author, key.as_deref()).await?
        {
            return Err(unknown(id));
        }
        // ends the turns that were answering it, and sends none of their events any more
        sending.runtime.follow_erasures().await;
        Ok(sending.runtime.send(envelope).await?)
    };
    respond(&services, &caller, &headers, sent).await
}

/// Whether this author made the same edit with the same key before.
async fn is_repeat(
    services: &Services,
    channel: &ChannelKey,
    id: MessageId,
    author: &Author,
    key: Option<&str>,
) -> Result<bool, ApiError> {
    let Some(key) = key else { return Ok(false) };
    let made = made_by_edit(services, channel, id, key).await?;
    Ok(made.is_some_and(|made| made.id != id && same_author(&made.author, author)))
}

/// Refuses the key of another message: the new text would count as a repeat of that message, and would not be stored.
async fn check_key(services: &Services, old: &Message, key: &str) -> Result<(), ApiError> {
    let known = services.store.message_of_event(&old.channel, key).await?;
    if known.is_none_or(|known| known.id == old.id) {
        return Ok(());
    }
    let message = format!("{key} is the key of another message here; nothing was erased: send another key");
    Err(ApiError::new(StatusCode::CONFLICT, "key_in_use", message))
}

/// The message, if it is the newest of this author.
async fn editable(
    services: &Services,
    channel: &ChannelKey,
    id: MessageId,
    author: &Author,
) -> Result<Message, ApiError> {
    let known = services.store.message(id).await?.filter(|message| message.channel == *channel);
    let message = known.ok_or_else(|| unknown(id))?;
    if !same_author(&message.author, author) {
        let message = format!("{id} is not yours; only its author can edit a message");
        return Err(ApiError::new(StatusCode::FORBIDDEN, "not_the_author", message));
    }
    let newest = services.store.page(channel, None, RECENT).await?;
    let last = newest.iter().rfind(|message| same_author(&message.author, author));
    if last.is_none_or(|last| last.id != id) {
        let message =
            format!("{id} is not your newest message here, or more than {RECENT} came since; send a new one");
        return Err(ApiError::new(StatusCode::CONFLICT, "not_the_newest", message));
    }
    Ok(message)
}

/// Compares ids, not names.
fn same_author(one: &Author, other: &Author) -> bool {
    matches!((one, other), (Author::User { id, .. }, Author::User { id: other, .. }) if id == other)
}

/// The persona that is to answer again. Unknown fields are ignored.
#[derive(Debug, Deserialize, ToSchema)]
struct Again {
    /// The persona whose turn failed or was cancelled.
    persona: PersonaName,
}

/// Have a message answered once more
///
/// Only for a persona whose newest turn for the message failed or was cancelled, while it belongs to the channel and is
/// not stopped; 409 for any other. The answer counts for the limits of the room. The response is that of a new message.
#[utoipa::path(
    post, path = "/api/channels/{channel}/messages/{id}/retry", tag = "channels", request_body = Again,
    params(
        ("channel" = ChannelKey, Path, description = "The channel"),
        ("id" = MessageId, Path, description = "The message"),
        ("Prefer" = Option<String>, Header, description = "As for a new message"),
    ),
    responses(
        (status = 200, description = "What became of it", content(
            (Answer = "application/json"),
            (TurnEvent = "text/event-stream"),
        )),
        (status = 202, description = "Stored, with `Prefer: respond-async`", body = Answer),
        Failures,
    ),
)]
async fn retry(
    State(services): State<Services>,
    caller: Caller,
    Path((channel, message)): Path<(ChannelKey, MessageId)>,
    headers: HeaderMap,
    Json(Again { persona }): Json<Again>,
) -> Result<Response, ApiError> {
    caller.check_channel(&channel)?;
    let (asking, speaking, place) = (services.clone(), caller.clone(), channel.clone());
    let sent = async move {
        let _passing = asking.enter(&speaking, &place).await?;
        let retry =
            Retry { channel: place, message, persona, project: None, disable_memory: false, force: false };
        Ok(asking.runtime.retry(retry).await?)
    };
    respond(&services, &caller, &headers, sent).await
}

fn unknown(id: MessageId) -> ApiError {
    ApiError::not_found("unknown_message", format!("there is no {id} in this channel"))
}
