//! Turns: as stored, their events, and the contexts of the newest ones.

use axum::{extract::State, response::Response};
use futures::{StreamExt, stream};
use greenroom_core::{ChatMessage, Receipt, ToolSchema, TurnEvent, TurnId};
use greenroom_runtime::TurnContext;
use greenroom_store::Turn;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    answer::{FollowedTurn, events_of, follow, text_of, unknown},
    preview::{ContextItem, items},
    receipt::mark_edited,
    stream::{Frame, ResumeFrom, ResumeHeader, ResumeQuery, StreamItem, sse},
};
use crate::{ApiError, Caller, Services, access::Operator, extract::Path, reference::Failures};

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(turn)).routes(routes!(events)).routes(routes!(context))
}

/// A turn as stored.
#[derive(Debug, Serialize, ToSchema)]
struct TurnView {
    #[serde(flatten)]
    turn: Turn,
    /// The reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// A context, as the model got it.
#[derive(Debug, Serialize, ToSchema)]
struct ContextView {
    /// Its receipt.
    receipt: Receipt,
    /// Its items with their full texts.
    items: Vec<ContextItem>,
    /// The messages of the request, in order.
    messages: Vec<ChatMessage>,
    /// The tools of the request.
    tools: Vec<ToolSchema>,
}

/// A turn in a channel that the caller may read.
async fn readable_turn(services: &Services, caller: &Caller, id: TurnId) -> Result<Turn, ApiError> {
    let turn = services.store.turn(id).await?;
    turn.filter(|turn| caller.check_channel(&turn.channel).is_ok()).ok_or_else(|| unknown(id))
}

/// Read a turn
///
/// With its receipt, which is kept for the newest 100 turns of a channel.
#[utoipa::path(
    get, path = "/api/turns/{id}", tag = "turns",
    params(("id" = TurnId, Path, description = "The turn")),
    responses((status = 200, description = "The turn as stored", body = TurnView), Failures),
)]
async fn turn(
    State(services): State<Services>,
    caller: Caller,
    Path(id): Path<TurnId>,
) -> Result<axum::Json<TurnView>, ApiError> {
    let mut turn = readable_turn(&services, &caller, id).await?;
    mark_edited(&services, &mut turn).await?;
    turn.receipt = turn.receipt.map(|receipt| caller.visible_receipt(receipt));
    if let Some(code) = turn.code {
        turn.message = turn.message.map(|message| caller.visible_failure(code, message));
    }
    let text = text_of(&services, &turn).await?;
    Ok(axum::Json(TurnView { turn, text }))
}

/// Subscribe to a turn
///
/// Its events from its beginning, or from after `Last-Event-ID`, to its end. An interrupted stream of events can resume
/// here. A turn that ended long ago has only its beginning, its context and its end.
#[utoipa::path(
    get, path = "/api/turns/{id}/events", tag = "turns",
    params(("id" = TurnId, Path, description = "The turn"), ResumeHeader, ResumeQuery),
    responses(
        (status = 200, description = "Events", body = TurnEvent, content_type = "text/event-stream"),
        Failures,
    ),
)]
async fn events(
    State(services): State<Services>,
    caller: Caller,
    Path(id): Path<TurnId>,
    from: ResumeFrom,
) -> Result<Response, ApiError> {
    let turn = readable_turn(&services, &caller, id).await?;
    let followed = follow(&services, &turn, from.after()).await?;
    let is_live = matches!(followed, FollowedTurn::Live(_));
    let resync = (is_live && from == ResumeFrom::OtherRun).then(|| StreamItem::Frame(Frame::resync()));
    Ok(sse(stream::iter(resync).chain(events_of(&services, &caller, followed))))
}

/// Read the context of a turn
///
/// The request to the model and the full text of every item, for the newest 64 turns of this process. For
/// operators.
#[utoipa::path(
    get, path = "/api/turns/{id}/context", tag = "turns",
    params(("id" = TurnId, Path, description = "The turn")),
    responses((status = 200, description = "The context", body = ContextView), Failures),
)]
async fn context(
    State(services): State<Services>,
    Operator(caller): Operator,
    Path(id): Path<TurnId>,
) -> Result<axum::Json<ContextView>, ApiError> {
    // the context of an erased turn is not shown either
    readable_turn(&services, &caller, id).await?;
    let gone = || {
        let message = "the context of this turn is no longer in memory: it is kept for the newest 64 turns";
        ApiError::not_found("unknown_context", message)
    };
    let TurnContext { receipt, texts, messages, tools } =
        services.runtime.context(id).await.ok_or_else(gone)?;
    let items = items(&receipt, texts);
    Ok(axum::Json(ContextView { receipt, items, messages, tools }))
}
