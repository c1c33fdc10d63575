//! Previews the context of a message, item by item.

use axum::extract::State;
use greenroom_core::{
    ChannelKey, ChatMessage, MemorySnippet, Outcome, PersonaName, Receipt, ReceiptItem, Section, ToolSchema,
};
use greenroom_runtime::Preview;
use http::HeaderMap;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::messages::Say;
use crate::{
    ApiError, Caller, Services,
    extract::{Json, Path},
    reference::Failures,
};

/// The route.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(preview))
}

/// A context item by item, each with its whole text.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContextItem {
    /// Which part it belongs to.
    section: Section,
    /// `m12`, `msg:34`, a file's path, `system`, a tool's name, `summary`, `round:1`.
    id: String,
    /// Tokens it takes in the request; of a dropped one, what it would have taken.
    tokens: usize,
    /// What became of it.
    outcome: Outcome,
    /// Why.
    reason: String,
    /// Its relevance, for a memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f32>,
    /// What stands in the request; of a dropped one, what would have stood there. Missing where the
    /// context was full and nothing was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// The items of a receipt with their texts.
pub fn items(receipt: &Receipt, texts: Vec<String>) -> Vec<ContextItem> {
    let mut texts = texts.into_iter();
    let item = |item: &ReceiptItem| ContextItem {
        section: item.section,
        id: item.id.clone(),
        tokens: item.tokens,
        outcome: item.outcome,
        reason: item.reason.to_string(),
        score: item.score,
        text: texts.next(),
    };
    receipt.items.iter().map(item).collect()
}

/// What would be sent to a model.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewAnswer {
    /// Who would answer first.
    persona: PersonaName,
    /// The model that would.
    model: String,
    /// What would be recalled, best first.
    memories: Vec<MemorySnippet>,
    /// The account of the context.
    receipt: Receipt,
    /// Its items with their whole texts.
    items: Vec<ContextItem>,
    /// The request, in order; empty when the context is full, and for a person's key.
    messages: Vec<ChatMessage>,
    /// The tools that would be on offer; empty for a person's key.
    tools: Vec<ToolSchema>,
    /// What to do about it, when the context is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    full: Option<String>,
}

/// Look at the context a message would be answered from
///
/// Takes the same way as a turn. No model is called, nothing is stored. A person's key is not shown the
/// persona's own prompt and tools, nor the request, which holds them.
#[utoipa::path(
    post, path = "/api/channels/{channel}/preview", tag = "channels",
    params(("channel" = ChannelKey, Path, description = "Where")),
    request_body = Say,
    responses((status = 200, description = "What would be sent", body = PreviewAnswer), Failures),
)]
async fn preview(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
    headers: HeaderMap,
    Json(say): Json<Say>,
) -> Result<Json<PreviewAnswer>, ApiError> {
    let envelope = say.envelope(&services, &caller, channel, &headers)?;
    let Preview { persona, model, memories, mut messages, mut tools, mut receipt, texts, full } =
        services.runtime.preview(envelope).await?;
    let mut items = items(&receipt, texts);
    if caller.require_operator().is_err() {
        items.retain(|item| caller.sees(item.section));
        receipt.items.retain(|item| caller.sees(item.section));
        messages.clear();
        tools.clear();
    }
    Ok(Json(PreviewAnswer { persona, model, memories, receipt, items, messages, tools, full }))
}
