//! Messages that broke every turn that was to answer them: listed, tried again, dismissed (S8).

use axum::{Json, extract::State};
use greenroom_core::{ChannelKey, Clock, MessageId, PersonaName, SystemClock, Timestamp, TurnId};
use greenroom_store::DeadLetter;
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{ApiError, Caller, Services, extract::Path, reference::Failures};

/// So many are listed, the newest.
const LISTED: usize = 100;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(dead_letters)).routes(routes!(retry)).routes(routes!(dismiss))
}

/// A message that broke every turn.
#[derive(Debug, Serialize, ToSchema)]
struct DeadLetterView {
    /// The message.
    message_id: MessageId,
    /// Where it was said.
    channel: ChannelKey,
    /// What was said.
    text: String,
    /// Who was to answer.
    persona: PersonaName,
    /// How many turns broke.
    tries: u32,
    /// What was told of the last one.
    why: String,
    /// When that ended.
    at: Timestamp,
}

/// A turn that was begun.
#[derive(Debug, Serialize, ToSchema)]
struct TriedAgain {
    /// Which turn.
    turn_id: TurnId,
}

/// Dead letters
///
/// Messages of which every turn broke, five at least: they are not answered any more when they come again. The
/// newest 100. For operators.
#[utoipa::path(
    get,
    path = "/api/dead-letters",
    tag = "turns",
    responses((status = 200, description = "The messages", body = Vec<DeadLetterView>), Failures),
)]
async fn dead_letters(
    State(services): State<Services>,
    caller: Caller,
) -> Result<Json<Vec<DeadLetterView>>, ApiError> {
    caller.operate()?;
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

/// Try a dead letter again
///
/// One more turn; `/api/turns/{id}/events` tells what becomes of it. For operators.
#[utoipa::path(
    post,
    path = "/api/dead-letters/{message}/{persona}/retry",
    tag = "turns",
    params(
        ("message" = MessageId, Path, description = "Which message"),
        ("persona" = PersonaName, Path, description = "Who was to answer"),
    ),
    responses((status = 202, description = "The turn was begun", body = TriedAgain), Failures),
)]
async fn retry(
    State(services): State<Services>,
    caller: Caller,
    Path((message, persona)): Path<(MessageId, PersonaName)>,
) -> Result<(StatusCode, Json<TriedAgain>), ApiError> {
    caller.operate()?;
    let letter = services.store.dead_letter(message, &persona).await?.ok_or_else(unknown)?;
    let channel = letter.message.channel;
    let _passing = services.enter(&caller, &channel).await?;
    let sent = services.runtime.retry_anyway(&channel, message, &persona, None, false).await?;
    let turn_id = *sent.turns.first().ok_or_else(ApiError::internal)?;
    Ok((StatusCode::ACCEPTED, Json(TriedAgain { turn_id })))
}

/// Dismiss a dead letter
///
/// It is listed no more, and stays unanswered. For operators.
#[utoipa::path(
    post,
    path = "/api/dead-letters/{message}/{persona}/dismiss",
    tag = "turns",
    params(
        ("message" = MessageId, Path, description = "Which message"),
        ("persona" = PersonaName, Path, description = "Who was to answer"),
    ),
    responses((status = 204, description = "It was dismissed"), Failures),
)]
async fn dismiss(
    State(services): State<Services>,
    caller: Caller,
    Path((message, persona)): Path<(MessageId, PersonaName)>,
) -> Result<StatusCode, ApiError> {
    caller.operate()?;
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
