//! Dead letters: messages for which every turn broke (S8). List, retry, dismiss.

use axum::{Json, extract::State};
use greenroom_core::{ChannelKey, MessageId, PersonaName, SystemClock, Time, Timestamp, TurnId};
use greenroom_runtime::Retry;
use greenroom_store::DeadLetter;
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{ApiError, Services, access::Operator, extract::Path, reference::Failures};

/// The number of listed dead letters, the newest.
const LISTED: usize = 100;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(dead_letters)).routes(routes!(retry)).routes(routes!(dismiss))
}

/// A message for which every turn broke.
#[derive(Debug, Serialize, ToSchema)]
struct DeadLetterView {
    /// The message.
    message_id: MessageId,
    /// Its channel.
    channel: ChannelKey,
    /// Its text.
    text: String,
    /// The persona that was to answer.
    persona: PersonaName,
    /// The number of turns that broke.
    tries: u32,
    /// The error of the last turn.
    why: String,
    /// The end of the last turn.
    at: Timestamp,
}

/// The new turn.
#[derive(Debug, Serialize, ToSchema)]
struct RetryStarted {
    /// The turn.
    turn_id: TurnId,
}

/// List dead letters
///
/// Messages for which at least five turns broke, and no turn succeeded. They are not answered when they are sent again.
/// The newest 100. For operators.
#[utoipa::path(
    get, path = "/api/dead-letters", tag = "turns",
    responses((status = 200, description = "The messages", body = Vec<DeadLetterView>), Failures),
)]
async fn dead_letters(
    State(services): State<Services>,
    _: Operator,
) -> Result<Json<Vec<DeadLetterView>>, ApiError> {
    let letters = services.store.dead_letters(LISTED).await?;
    let view = |letter: DeadLetter| DeadLetterView {
        message_id: letter.message.id,
        channel: letter.message.channel,
        text: letter.message.text,
        persona: letter.persona,
        tries: letter.tries,
        why: letter.why,
        at: letter.at,
    };
    Ok(Json(letters.into_iter().map(view).collect()))
}

/// Retry a dead letter
///
/// Begins one more turn; `/api/turns/{id}/events` has its events. For operators.
#[utoipa::path(
    post, path = "/api/dead-letters/{message}/{persona}/retry", tag = "turns",
    params(
        ("message" = MessageId, Path, description = "The message"),
        ("persona" = PersonaName, Path, description = "The persona that was to answer"),
    ),
    responses((status = 202, description = "The turn has begun", body = RetryStarted), Failures),
)]
async fn retry(
    State(services): State<Services>,
    Operator(caller): Operator,
    Path((message, persona)): Path<(MessageId, PersonaName)>,
) -> Result<(StatusCode, Json<RetryStarted>), ApiError> {
    let letter = services.store.dead_letter(message, &persona).await?.ok_or_else(unknown)?;
    let channel = letter.message.channel;
    let _in_use = services.enter(&caller, &channel).await?;
    let retry = Retry { channel, message, persona, project: None, disable_memory: false, force: true };
    let sent = services.runtime.retry(retry).await?;
    let turn_id = *sent.turns.first().ok_or_else(ApiError::internal)?;
    Ok((StatusCode::ACCEPTED, Json(RetryStarted { turn_id })))
}

/// Dismiss a dead letter
///
/// It is no longer listed, and stays unanswered. For operators.
#[utoipa::path(
    post, path = "/api/dead-letters/{message}/{persona}/dismiss", tag = "turns",
    params(
        ("message" = MessageId, Path, description = "The message"),
        ("persona" = PersonaName, Path, description = "The persona that was to answer"),
    ),
    responses((status = 204, description = "Dismissed"), Failures),
)]
async fn dismiss(
    State(services): State<Services>,
    _: Operator,
    Path((message, persona)): Path<(MessageId, PersonaName)>,
) -> Result<StatusCode, ApiError> {
    match services.store.dismiss(message, &persona, now()).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(unknown()),
    }
}

fn now() -> Timestamp {
    SystemClock.now()
}

fn unknown() -> ApiError {
    ApiError::not_found("unknown_dead_letter", "no such message broke the turns of this persona")
}
