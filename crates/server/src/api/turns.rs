//! Turns: as stored, as events, and the context of the newest ones whole.

use axum::{extract::State, response::Response};
use futures::{StreamExt, stream};
use greenroom_core::{ChatMessage, Receipt, ToolSchema, TurnEvent, TurnId};
use greenroom_runtime::{Topic, TurnContext};
use greenroom_store::Turn;
use http::HeaderMap;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    answer::{Following, follow, text_of, unknown},
    events::Last,
    messages::{ContextItem, items},
    stream::{Listener, Since, Told, sse},
};
use crate::{
    ApiError, Caller, Services,
    extract::{Path, Query},
    reference::Failures,
};

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

/// A context as it went to the model.
#[derive(Debug, Serialize, ToSchema)]
struct ContextView {
    /// The account of it.
    receipt: Receipt,
    /// Its items with their whole texts.
    items: Vec<ContextItem>,
    /// The request, in order.
    messages: Vec<ChatMessage>,
    /// The tools that were on offer.
    tools: Vec<ToolSchema>,
}

/// A turn of a channel the caller may read.
async fn seen(services: &Services, caller: &Caller, id: TurnId) -> Result<Turn, ApiError> {
    let turn = services.store.turn(id).await?;
    turn.filter(|turn| caller.enter(&turn.channel).is_ok()).ok_or_else(|| unknown(id))
}

/// A turn and its receipt
///
/// The receipts of the newest 100 turns of a channel are kept.
#[utoipa::path(
    get,
    path = "/api/turns/{id}",
    tag = "turns",
    params(("id" = TurnId, Path, description = "Which turn")),
    responses((status = 200, description = "The turn as stored", body = TurnView), Failures),
)]
async fn turn(
    State(services): State<Services>,
    caller: Caller,
    Path(id): Path<TurnId>,
) -> Result<axum::Json<TurnView>, ApiError> {
    let mut turn = seen(&services, &caller, id).await?;
    if let Some(receipt) = &mut turn.receipt {
        receipt.items.retain(|item| caller.may_see(item.section));
    }
    let text = text_of(&services, &turn).await?;
    Ok(axum::Json(TurnView { turn, text }))
}

/// The events of a turn
///
/// Since its beginning, or from behind `Last-Event-ID`, until its end: what was said with
/// `Accept: text/event-stream` and broke off goes on here. Of a turn that ended long ago its beginning, its
/// context and its end.
#[utoipa::path(
    get,
    path = "/api/turns/{id}/events",
    tag = "turns",
    params(
        ("id" = TurnId, Path, description = "Which turn"),
        ("Last-Event-ID" = Option<String>, Header, description = "The last event that was heard"),
        Last,
    ),
    responses(
        (status = 200, description = "What happens", body = TurnEvent, content_type = "text/event-stream"),
        Failures,
    ),
)]
async fn events(
    State(services): State<Services>,
    caller: Caller,
    Path(id): Path<TurnId>,
    Query(last): Query<Last>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let turn = seen(&services, &caller, id).await?;
    if let Following::Stored(stored) = follow(&services, &turn).await? {
        let frames = stored.frames(services.runtime.run(), &caller);
        return Ok(sse(stream::iter(frames).map(Told::Frame)));
    }
    let from = Since::of(&services.runtime, &headers, last.last_event_id.as_deref());
    let topic = Topic::Turn(turn.channel, id);
    Ok(sse(Listener::new(&services, &caller, topic, from).await.stream()))
}

/// A context whole
///
/// What went to the model, with the exact text of every item: of the newest 64 turns of this process.
#[utoipa::path(
    get,
    path = "/api/turns/{id}/context",
    tag = "turns",
    params(("id" = TurnId, Path, description = "Which turn")),
    responses((status = 200, description = "The context", body = ContextView), Failures),
)]
async fn context(
    State(services): State<Services>,
    caller: Caller,
    Path(id): Path<TurnId>,
) -> Result<axum::Json<ContextView>, ApiError> {
    caller.operate()?;
    // a turn that was erased is gone from here as well
    seen(&services, &caller, id).await?;
    let gone = || {
        let message =
            "the context of this turn is no longer known: it is kept for the newest 64 turns of a run";
        ApiError::not_found("unknown_context", message)
    };
    let TurnContext { receipt, texts, messages, tools } =
        services.runtime.context(id).await.ok_or_else(gone)?;
    let items = items(&receipt, texts);
    Ok(axum::Json(ContextView { receipt, items, messages, tools }))
}
