//! Explains a recall: which memories a question recalls, which are near, and the reasons (MP8).

use axum::extract::State;
use greenroom_core::{Entropy, IdError, PersonaName, SystemEntropy, TurnId};
use greenroom_memory::{Missed, RecalledItem};
use greenroom_store::ItemId;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    MemoryHit,
    viewer::{MemoryAccess, ViewerQuery},
};
use crate::{ApiError, Services, extract::Query, reference::Failures};

/// The route.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(why))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct WhyQuery {
    /// The question, as a message to the persona.
    q: String,
    /// A memory or message, as `m12` or `msg:12`, that is explained however far it is.
    #[serde(default)]
    expect: Option<String>,
}

/// The memories that a question recalls, and those that it does not.
#[derive(Debug, Serialize, ToSchema)]
struct WhyRecalled {
    /// The memories in the context.
    recalled: Vec<MemoryHit>,
    /// The nearest of the others, best first.
    near: Vec<NearMiss>,
    /// Notes: a time that was read from the question, an index that is still being loaded.
    notes: Vec<String>,
}

/// A memory near a question that is not recalled.
#[derive(Debug, Serialize, ToSchema)]
struct NearMiss {
    #[serde(flatten)]
    hit: MemoryHit,
    /// The reason, in words.
    why: String,
    /// A text that this question would find: the memory's text, and the question.
    expected: String,
    /// Whether it is a message of another chat between the two, which must not be kept for this channel.
    other_chat: bool,
}

/// Explain a recall
///
/// What a persona recalls for a question, which memories are near, and why these are not recalled. `greenroom memory
/// why` shows the same.
#[utoipa::path(
    get, path = "/api/personas/{name}/memories/why", tag = "memories",
    params(("name" = PersonaName, Path, description = "The persona"), ViewerQuery, WhyQuery),
    responses((status = 200, description = "What is recalled, and what is near", body = WhyRecalled), Failures)
)]
async fn why(
    State(services): State<Services>,
    access: MemoryAccess,
    Query(WhyQuery { q, expect }): Query<WhyQuery>,
) -> Result<axum::Json<WhyRecalled>, ApiError> {
    let viewer = access.viewer;
    let expect: Option<ItemId> = expect
        .map(|id| id.parse())
        .transpose()
        .map_err(|error: IdError| ApiError::invalid(format!("expect: {error}")))?;
    let settings = &services.runtime.persona(viewer.persona())?.memory;
    let turns = [TurnId(SystemEntropy.uuid()), TurnId(SystemEntropy.uuid())];
    let explained = services.memory.explain(&viewer, &q, settings, turns, expect).await?;
    let hit = |found: RecalledItem| MemoryHit::of(found.item, found.from, found.score);
    let near = |missed: Missed| NearMiss {
        why: missed.reason.text(missed.item.source),
        expected: missed.expected(&q),
        other_chat: missed.item.is_from_other_chat,
        hit: hit(missed.item),
    };
    Ok(axum::Json(WhyRecalled {
        recalled: explained.recalled.items.into_iter().map(hit).collect(),
        near: explained.near.into_iter().map(near).collect(),
        notes: explained.recalled.notes,
    }))
}
