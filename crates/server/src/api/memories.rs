//! The memories of a persona, under `/api/personas/{name}/memories`: list, search and read them.
//!
//! Each request has a viewer: the persona, in a channel, with a person. An operator names channel and person. A user
//! is always the person themselves (X6), and changes only their own memories.
//!
//! ```text
//! write.rs     add, edit, forget and relate memories
//! why.rs       why a question recalls what it does
//! forget.rs    forget by search, person, channel or age
//! transfer.rs  export and import
//! viewer.rs    the viewer that a request names
//! ```

mod forget;
mod transfer;
mod viewer;
mod why;
mod write;

use axum::extract::State;
use greenroom_core::{
    Memory, MemoryId, Message, PersonaName, Relation, Scope, SystemClock, Time, Timestamp, Trust, UserId,
    Viewer,
};
use greenroom_memory::{Hit, SearchOptions, TimeZone, existing, in_full};
use greenroom_store::{Item, MemoryFilter};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Caller, Role, Services,
    extract::{Path, Query},
    reference::Failures,
};

pub use viewer::ViewerQuery;
use viewer::{MemoryAccess, ScopeName};

/// The largest list of memories.
const MAX_LIST: usize = 1_000;
/// The largest number of hits.
const MAX_HITS: usize = 100;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(search))
        .routes(routes!(show))
        .merge(write::routes())
        .merge(forget::routes())
        .merge(transfer::routes())
        .merge(why::routes())
}

/// The memory of a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct MemoryPath {
    /// The memory, as m12
    id: MemoryId,
}

/// The present time.
fn now() -> Timestamp {
    SystemClock.now()
}

/// Whether a caller may change a memory that they see. An operator may change all; a user those of their person or
/// their channel that no operator wrote (X7).
fn may_change(caller: &Caller, memory: &Memory) -> bool {
    caller.role == Role::Operator || (memory.scope != Scope::Global && memory.trust < Trust::Operator)
}

/// A memory that the caller may change.
async fn changeable(
    services: &Services,
    caller: &Caller,
    viewer: &Viewer,
    id: MemoryId,
) -> Result<Memory, ApiError> {
    let memory = existing(&*services.store, viewer, &[id], now()).await?.pop();
    let memory = memory.ok_or_else(|| unknown(viewer, id))?;
    if may_change(caller, &memory) {
        return Ok(memory);
    }
    Err(ApiError::new(
        StatusCode::FORBIDDEN,
        "forbidden_memory",
        format!("{id} also holds for others, or an operator wrote it; ask an operator"),
    ))
}

fn unknown(viewer: &Viewer, id: MemoryId) -> ApiError {
    let (persona, channel) = (viewer.persona(), viewer.channel());
    ApiError::not_found(
        "unknown_memory",
        format!(
            "{persona} has no memory {id} that is visible in {channel}; name another `channel` or `user`"
        ),
    )
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Only memories of this scope.
    #[param(inline)]
    scope: Option<ScopeName>,
    /// Only memories learned from this person, or with them.
    about: Option<UserId>,
    /// The number of memories; 100 if not given.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// A memory with the label of the person it was learned from.
#[derive(Debug, Serialize, ToSchema)]
struct LabelledMemory {
    #[serde(flatten)]
    memory: Memory,
    /// The person it was learned from, by the label that messages of the channel use; `a person` if that person spoke
    /// only elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    said_by: Option<String>,
}

/// Memories, newest first.
#[derive(Debug, Serialize, ToSchema)]
struct Memories {
    memories: Vec<LabelledMemory>,
}

/// List memories
///
/// The memories that the persona has in the channel and with the person, newest first.
#[utoipa::path(
    get, path = "/api/personas/{name}/memories", tag = "memories",
    params(("name" = PersonaName, Path, description = "The persona"), ViewerQuery, ListQuery),
    responses((status = 200, description = "The memories", body = Memories), Failures)
)]
async fn list(
    State(services): State<Services>,
    access: MemoryAccess,
    Query(asked): Query<ListQuery>,
) -> Result<axum::Json<Memories>, ApiError> {
    let viewer = access.viewer;
    let limit = at_most(asked.limit, 100, MAX_LIST, "limit")?;
    let scopes = asked.scope.map(ScopeName::name).into_iter().collect();
    let filter = MemoryFilter { now: now(), scopes, ids: Vec::new(), about: asked.about, limit };
    let memories = services.store.memories(&viewer, &filter).await?;
    let labels = services.memory.source_labels(&viewer, &memories).await?;
    let labelled = memories.into_iter().zip(labels);
    let memories = labelled.map(|(memory, said_by)| LabelledMemory { memory, said_by }).collect();
    Ok(axum::Json(Memories { memories }))
}

/// A number of a query, from 1 to `most`.
fn at_most(asked: Option<usize>, default: usize, most: usize, param: &str) -> Result<usize, ApiError> {
    match asked {
        None => Ok(default),
        Some(number) if (1..=most).contains(&number) => Ok(number),
        Some(_) => Err(ApiError::invalid(format!("{param} must be a number from 1 to {most}")).about(param)),
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SearchQuery {
    /// The query; it is compared by meaning and by words.
    q: String,
    /// The number of hits; 10 if not given.
    #[param(minimum = 1, maximum = 100)]
    k: Option<usize>,
    /// Only memories of this scope, and no messages.
    #[param(inline)]
    scope: Option<ScopeName>,
}

/// The hits of a search.
#[derive(Debug, Serialize, ToSchema)]
struct MemoryHits {
    /// Best first.
    hits: Vec<MemoryHit>,
    /// Without hits: at most three of the nearest items, which are below the threshold.
    near: Vec<MemoryHit>,
    /// Notes: a time that was read from the query, an index that is still being loaded.
    notes: Vec<String>,
}

/// A memory or a past message.
#[derive(Debug, Serialize, ToSchema)]
struct MemoryHit {
    /// The relevance, from 0 to 1.
    score: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<LabelledMemory>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

impl MemoryHit {
    fn of(item: Item, said_by: Option<String>, score: f32) -> Self {
        match item {
            Item::Memory(memory) => {
                Self { score, memory: Some(LabelledMemory { memory, said_by }), message: None }
            }
            Item::Message(message) => Self { score, memory: None, message: Some(message) },
        }
    }
}

/// Search memories
///
/// And messages of the channel that the persona was present for. The tool `recall` and `greenroom memory search` do
/// the same search.
#[utoipa::path(
    get, path = "/api/personas/{name}/memories/search", tag = "memories",
    params(("name" = PersonaName, Path, description = "The persona"), ViewerQuery, SearchQuery),
    responses((status = 200, description = "The hits", body = MemoryHits), Failures)
)]
async fn search(
    State(services): State<Services>,
    access: MemoryAccess,
    Query(SearchQuery { q, k, scope }): Query<SearchQuery>,
) -> Result<axum::Json<MemoryHits>, ApiError> {
    let viewer = access.viewer;
    let persona = services.runtime.persona(viewer.persona());
    let zone = persona.map_or_else(|_| TimeZone::system(), |persona| persona.memory.zone());
    let scope = scope.map(ScopeName::name);
    let options = SearchOptions { zone, scope, ..SearchOptions::default() };
    let most = at_most(k, 10, MAX_HITS, "k")?;
    let searched = services.memory.search_from(&viewer, &q, most, &options).await?;
    let rows =
        |hits: Vec<Hit>| hits.into_iter().map(|hit| MemoryHit::of(hit.item, hit.from, hit.score)).collect();
    let (hits, near) = (rows(searched.hits), rows(searched.near));
    Ok(axum::Json(MemoryHits { hits, near, notes: searched.notes }))
}

/// A memory with its versions and relations.
#[derive(Debug, Serialize, ToSchema)]
struct OneMemory {
    memory: LabelledMemory,
    /// All versions of it, newest first.
    versions: Vec<Memory>,
    /// Its relations to other memories.
    relations: Vec<Relation>,
}

/// Read a memory
///
/// With its versions and relations.
#[utoipa::path(
    get, path = "/api/personas/{name}/memories/{id}", tag = "memories",
    params(("name" = PersonaName, Path, description = "The persona"), MemoryPath, ViewerQuery),
    responses((status = 200, description = "The memory", body = OneMemory), Failures)
)]
async fn show(
    State(services): State<Services>,
    access: MemoryAccess,
    Path(MemoryPath { id }): Path<MemoryPath>,
) -> Result<axum::Json<OneMemory>, ApiError> {
    let viewer = access.viewer;
    let shown = in_full(&*services.store, &viewer, id, now()).await?;
    let shown = shown.ok_or_else(|| unknown(&viewer, id))?;
    let labels = services.memory.source_labels(&viewer, std::slice::from_ref(&shown.memory)).await?;
    let memory = LabelledMemory { memory: shown.memory, said_by: labels.into_iter().flatten().next() };
    Ok(axum::Json(OneMemory { memory, versions: shown.versions, relations: shown.relations }))
}
