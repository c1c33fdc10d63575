//! What a persona remembers, under `/api/personas/{name}/memories`: listed, searched, shown.
//!
//! Everything is done with the eyes of a viewer: the persona, in a channel, with a person. An operator
//! names channel and person; a person looks with their own eyes and no others (X6), and changes what
//! is theirs alone.
//!
//! ```text
//! write.rs     add, edit, forget, relate
//! forget.rs    forget by what a search finds, by person, channel and age
//! transfer.rs  export and import
//! ```

mod forget;
mod transfer;
mod write;

use axum::extract::State;
use greenroom_core::{
    ChannelKey, Clock, Memory, MemoryId, Message, PersonaName, Relation, Scope, SystemClock, Timestamp,
    Trust, UserId, Viewer,
};
use greenroom_memory::{existing, in_full};
use greenroom_store::{Item, MemoryFilter};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Caller, Role, Services,
    access::own_channel,
    error::ErrorBody,
    extract::{Path, Query},
};

/// Memories in a list, at most.
const LONGEST_LIST: usize = 1_000;
/// Items a search finds, at most.
const MOST_FOUND: usize = 100;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(search))
        .routes(routes!(show))
        .merge(write::routes())
        .merge(forget::routes())
        .merge(transfer::routes())
}

/// Where somebody looks, and as whom.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Place {
    /// The channel, as provider:chat_id; the person's own, `api:NAME`, where none is named.
    pub channel: Option<ChannelKey>,
    /// The person; whoever the key is for where none is named.
    pub user: Option<UserId>,
}

impl Place {
    /// The eyes to look with.
    ///
    /// # Errors
    /// 404 for an unknown persona, 403 for another person's eyes.
    pub fn viewer(
        self,
        services: &Services,
        caller: &Caller,
        persona: PersonaName,
    ) -> Result<Viewer, ApiError> {
        services.runtime.persona(&persona)?;
        let user = caller.speak_as(self.user)?;
        let own = || own_channel(&user).map_err(|error| ApiError::invalid(error).about("channel"));
        let channel = self.channel.map_or_else(own, Ok)?;
        caller.enter(&channel)?;
        Ok(Viewer::new(persona, channel, Some(user)))
    }
}

/// The present moment.
fn now() -> Timestamp {
    SystemClock.now()
}

/// Whether somebody may change a memory they see: an operator every one, a person what holds for them
/// or in their channel and is not the word of whoever runs Greenroom (X7).
fn may_change(caller: &Caller, memory: &Memory) -> bool {
    caller.role == Role::Operator || (memory.scope != Scope::Global && memory.trust < Trust::Operator)
}

/// A memory that is to be changed.
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
        format!("{id} holds for others too, or was written by whoever runs Greenroom; ask an operator"),
    ))
}

fn unknown(viewer: &Viewer, id: MemoryId) -> ApiError {
    let (persona, channel) = (viewer.persona(), viewer.channel());
    ApiError::not_found(
        "unknown_memory",
        format!(
            "{persona} has no memory {id} to be seen in {channel}; `channel` and `user` say where to look"
        ),
    )
}

/// The word of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ScopeName {
    /// In this channel.
    #[default]
    Channel,
    /// Everywhere.
    Global,
    /// About or with this person.
    User,
}

impl ScopeName {
    /// The scope as this viewer means it.
    fn of(self, viewer: &Viewer) -> Scope {
        match (self, viewer.user_ref()) {
            (Self::Global, _) => Scope::Global,
            (Self::User, Some(user)) => Scope::User(user),
            (Self::Channel, _) | (Self::User, None) => Scope::Channel(viewer.channel().clone()),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Channel => "channel",
            Self::Global => "global",
            Self::User => "user",
        }
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Listing {
    /// Only memories of this scope.
    #[param(inline)]
    scope: Option<ScopeName>,
    /// Only what was learned from this person or holds for them.
    about: Option<UserId>,
    /// At most so many, 100 where nothing is said.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// Memories, the newest first.
#[derive(Debug, Serialize, ToSchema)]
struct Memories {
    memories: Vec<Memory>,
}

/// What a persona remembers as seen from a place, the newest first.
#[utoipa::path(
    get, path = "/api/personas/{name}/memories", tag = "memories",
    params(("name" = PersonaName, Path, description = "The persona"), Place, Listing),
    responses(
        (status = 200, description = "The memories", body = Memories),
        (status = "4XX", description = "Refused", body = ErrorBody),
    )
)]
async fn list(
    State(services): State<Services>,
    caller: Caller,
    Path(name): Path<PersonaName>,
    Query(place): Query<Place>,
    Query(listing): Query<Listing>,
) -> Result<axum::Json<Memories>, ApiError> {
    let viewer = place.viewer(&services, &caller, name)?;
    let limit = at_most(listing.limit, 100, LONGEST_LIST, "limit")?;
    let scopes = listing.scope.map(ScopeName::name).into_iter().collect();
    let filter = MemoryFilter { now: now(), scopes, ids: Vec::new(), about: listing.about, limit };
    Ok(axum::Json(Memories { memories: services.store.memories(&viewer, &filter).await? }))
}

/// A number within its bounds.
fn at_most(asked: Option<usize>, usual: usize, most: usize, param: &str) -> Result<usize, ApiError> {
    match asked {
        None => Ok(usual),
        Some(number) if (1..=most).contains(&number) => Ok(number),
        Some(_) => Err(ApiError::invalid(format!("{param} is a number from 1 to {most}")).about(param)),
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Sought {
    /// What to look for, by meaning and by words.
    q: String,
    /// At most so many, 10 where nothing is said.
    #[param(minimum = 1, maximum = 100)]
    k: Option<usize>,
}

/// What a search found.
#[derive(Debug, Serialize, ToSchema)]
struct MemoryHits {
    /// Best first.
    hits: Vec<FoundItem>,
    /// What whoever asked should know: a time that was understood, an index that is still being loaded.
    notes: Vec<String>,
}

/// A memory or a past message.
#[derive(Debug, Serialize, ToSchema)]
struct FoundItem {
    /// How relevant, from 0 to 1.
    score: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<Memory>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

/// The same search the tool `recall` and `greenroom memory search` do: memories, and messages of the
/// channel the persona was present for.
#[utoipa::path(
    get, path = "/api/personas/{name}/memories/search", tag = "memories",
    params(("name" = PersonaName, Path, description = "The persona"), Place, Sought),
    responses(
        (status = 200, description = "What was found", body = MemoryHits),
        (status = "4XX", description = "Refused", body = ErrorBody),
    )
)]
async fn search(
    State(services): State<Services>,
    caller: Caller,
    Path(name): Path<PersonaName>,
    Query(place): Query<Place>,
    Query(Sought { q, k }): Query<Sought>,
) -> Result<axum::Json<MemoryHits>, ApiError> {
    let viewer = place.viewer(&services, &caller, name)?;
    let searched = services.memory.search(&viewer, &q, at_most(k, 10, MOST_FOUND, "k")?).await?;
    let item = |hit: greenroom_memory::Hit| {
        let (memory, message) = match hit.item {
            Item::Memory(memory) => (Some(memory), None),
            Item::Message(message) => (None, Some(message)),
        };
        FoundItem { score: hit.score, memory, message }
    };
    Ok(axum::Json(MemoryHits { hits: searched.hits.into_iter().map(item).collect(), notes: searched.notes }))
}

/// A memory with all that stands around it.
#[derive(Debug, Serialize, ToSchema)]
struct OneMemory {
    memory: Memory,
    /// Itself, later and earlier versions of what it says, the newest first.
    versions: Vec<Memory>,
    /// What starts or ends at it.
    relations: Vec<Relation>,
}

/// One memory with its versions and relations.
#[utoipa::path(
    get, path = "/api/personas/{name}/memories/{id}", tag = "memories",
    params(
        ("name" = PersonaName, Path, description = "The persona"),
        ("id" = MemoryId, Path, description = "The memory, as m12"),
        Place,
    ),
    responses(
        (status = 200, description = "The memory", body = OneMemory),
        (status = "4XX", description = "Refused", body = ErrorBody),
    )
)]
async fn show(
    State(services): State<Services>,
    caller: Caller,
    Path((name, id)): Path<(PersonaName, MemoryId)>,
    Query(place): Query<Place>,
) -> Result<axum::Json<OneMemory>, ApiError> {
    let viewer = place.viewer(&services, &caller, name)?;
    let shown = in_full(&*services.store, &viewer, id, now()).await?;
    let shown = shown.ok_or_else(|| unknown(&viewer, id))?;
    Ok(axum::Json(OneMemory { memory: shown.memory, versions: shown.versions, relations: shown.relations }))
}
