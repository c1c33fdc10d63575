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

/// One item of a context with its full text.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContextItem {
    /// The section of the context.
    section: Section,
    /// `m12`, `msg:34`, a file's path, `system`, a tool's name, `summary`, `round:1`.
    id: String,
    /// The tokens it takes in the request; for a dropped item, the tokens it would have taken.
    tokens: usize,
    /// Whether it was kept, cut or dropped.
    outcome: Outcome,
    /// The reason.
    reason: String,
    /// Its relevance, for a memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f32>,
    /// The text in the request; for a dropped item, the text that would be there. Missing if the context was full and
    /// no request was made.
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

/// The request that would be sent to a model.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewAnswer {
    /// The persona that would answer first.
    persona: PersonaName,
    /// The model that would answer.
    model: String,
    /// The memories that would be recalled, best first.
    memories: Vec<MemorySnippet>,
    /// The receipt of the context.
    receipt: Receipt,
    /// The items of the receipt with their full texts.
    items: Vec<ContextItem>,
    /// The messages of the request, in order; empty if the context is full, and for a user key.
    messages: Vec<ChatMessage>,
    /// The tools that would be offered; empty for a user key.
    tools: Vec<ToolSchema>,
    /// The remedy, if the context is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    full: Option<String>,
}

/// Look at the context a message would be answered from
///
/// Takes the same steps as a turn, but calls no model and stores nothing. A user key does not see the persona's prompt
/// and tools, and not the request, which contains them.
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
