//! One memory at a time: added, edited, forgotten, set in relation to another.

use axum::{Json, extract::State};
use greenroom_core::{Kind, Memory, MemoryId, PersonaName, Relation, RelationKind, Source, Tier, Trust};
use greenroom_memory::{Decision, Edit, Remember, span};
use greenroom_store::Forgotten;
use http::StatusCode;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{Place, ScopeName, changeable, now, unknown};
use crate::{
    ApiError, Caller, Role, Services,
    error::ErrorBody,
    extract::{self, Path, Query},
};

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(add)).routes(routes!(edit, forget)).routes(routes!(relate))
}

/// A statement to remember.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewMemory {
    /// The statement, at most 4,000 characters.
    text: String,
    /// What sort: fact, preference, decision … or a word of one's own.
    #[serde(default)]
    kind: Option<String>,
    /// Where it holds: in the channel, where nothing is said. For a person's key nowhere else.
    #[serde(default)]
    scope: ScopeName,
    /// How long it holds, as `12h`, `30d` or `2w`.
    #[serde(default)]
    expires_in: Option<String>,
}

/// What became of a statement.
#[derive(Debug, Serialize, ToSchema)]
pub struct Told {
    /// The memory; the older one where the statement was known.
    pub memory: Memory,
    /// What was decided.
    #[schema(value_type = serde_json::Value)]
    pub decision: Decision,
    /// True where nothing was written, because the same was known.
    pub known: bool,
}

/// Who stands behind what a caller writes (X7).
fn trust_of(caller: &Caller) -> Trust {
    match caller.role {
        Role::Operator => Trust::Operator,
        Role::User => Trust::Stranger,
    }
}

fn lasting(text: &str) -> Result<std::time::Duration, ApiError> {
    span(text).map_err(|how| ApiError::invalid(how).about("expires_in"))
}

/// Remembers a statement from now on. What a live memory of the scope says already is not added again.
#[utoipa::path(
    post, path = "/api/personas/{name}/memories", tag = "memories", request_body = NewMemory,
    params(("name" = PersonaName, Path, description = "The persona"), Place),
    responses(
        (status = 201, description = "Remembered", body = Told),
        (status = 200, description = "Known already", body = Told),
        (status = "4XX", description = "Refused", body = ErrorBody),
    )
)]
async fn add(
    State(services): State<Services>,
    caller: Caller,
    Path(name): Path<PersonaName>,
    Query(place): Query<Place>,
    extract::Json(new): extract::Json<NewMemory>,
) -> Result<(StatusCode, Json<Told>), ApiError> {
    let viewer = place.viewer(&services, &caller, name)?;
    if caller.role == Role::User && new.scope != ScopeName::Channel {
        return Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "forbidden_scope",
            "what a person says holds in their channel; leave `scope` out, or ask an operator",
        )
        .about("scope"));
    }
    let statement = Remember {
        text: new.text,
        kind: Kind::new(new.kind.as_deref().unwrap_or_default()),
        tier: Tier::Semantic,
        scope: new.scope.of(&viewer),
        source: Source {
            via: "api".into(),
            message: None,
            user: (caller.role == Role::User).then(|| caller.user.clone()),
        },
        trust: trust_of(&caller),
        key: None,
        expires_in: new.expires_in.as_deref().map(lasting).transpose()?,
    };
    let remembered = services.memory.remember(&viewer, statement).await?;
    let known = remembered.known();
    let status = if known { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, Json(Told { memory: remembered.memory, decision: remembered.decision, known })))
}

/// What is to change; the rest stays.
#[derive(Debug, Deserialize, ToSchema)]
struct Change {
    /// Another text.
    #[serde(default)]
    text: Option<String>,
    /// Another sort.
    #[serde(default)]
    kind: Option<String>,
    /// How long it holds from now on, as `30d`; `null` for ever.
    #[serde(default, deserialize_with = "even_null")]
    #[schema(value_type = Option<String>)]
    expires_in: Option<Option<String>>,
}

/// A field that is there, be it `null`.
fn even_null<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(field).map(Some)
}

/// Corrects a memory: the same memory in its next version. Whose word it is follows who corrects it.
#[utoipa::path(
    patch, path = "/api/personas/{name}/memories/{id}", tag = "memories", request_body = Change,
    params(
        ("name" = PersonaName, Path, description = "The persona"),
        ("id" = MemoryId, Path, description = "The memory, as m12"),
        Place,
    ),
    responses(
        (status = 200, description = "The memory as it stands now", body = Memory),
        (status = "4XX", description = "Refused", body = ErrorBody),
    )
)]
async fn edit(
    State(services): State<Services>,
    caller: Caller,
    Path((name, id)): Path<(PersonaName, MemoryId)>,
    Query(place): Query<Place>,
    extract::Json(change): extract::Json<Change>,
) -> Result<Json<Memory>, ApiError> {
    let viewer = place.viewer(&services, &caller, name)?;
    let Change { text, kind, expires_in } = change;
    if text.is_none() && kind.is_none() && expires_in.is_none() {
        return Err(ApiError::invalid("say what to change: `text`, `kind` or `expires_in`"));
    }
    let memory = changeable(&services, &caller, &viewer, id).await?;
    let trust = trust_of(&caller);
    if trust == Trust::Stranger && memory.scope != ScopeName::Channel.of(&viewer) {
        return Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "forbidden_scope",
            format!(
                "{id} holds beyond the channel, where a person's word does not; forget it or ask an operator"
            ),
        ));
    }
    let ends = |text: String| lasting(&text).map(|duration| now().after(duration));
    let expires_at = expires_in.map(|end| end.map(ends).transpose()).transpose()?;
    let kind = kind.as_deref().map(Kind::new);
    let edited = services.memory.edit(&viewer, id, Edit { text, kind, expires_at, trust }).await?;
    // contexts and late listeners would still be told what it said before
    services.runtime.follow_erasures().await;
    edited.map(Json).ok_or_else(|| unknown(&viewer, id))
}

/// Forgets one memory with everything made from it: vectors, relations, what receipts
/// show of it (GR10).
#[utoipa::path(
    delete, path = "/api/personas/{name}/memories/{id}", tag = "memories",
    params(
        ("name" = PersonaName, Path, description = "The persona"),
        ("id" = MemoryId, Path, description = "The memory, as m12"),
        Place,
    ),
    responses(
        (status = 200, description = "What went", body = Forgotten),
        (status = "4XX", description = "Refused", body = ErrorBody),
    )
)]
async fn forget(
    State(services): State<Services>,
    caller: Caller,
    Path((name, id)): Path<(PersonaName, MemoryId)>,
    Query(place): Query<Place>,
) -> Result<Json<Forgotten>, ApiError> {
    let viewer = place.viewer(&services, &caller, name)?;
    changeable(&services, &caller, &viewer, id).await?;
    let gone = services.store.forget(&viewer, id).await?;
    // contexts and late listeners would still be told it
    services.runtime.follow_erasures().await;
    gone.map(Json).ok_or_else(|| unknown(&viewer, id))
}

/// How a memory stands to another.
#[derive(Debug, Deserialize, ToSchema)]
struct NewRelation {
    /// The other memory, as m3.
    to: MemoryId,
    /// `supersedes`, `refines`, `contradicts` or `relates-to`.
    kind: RelationKind,
}

/// Says how one memory stands to another.
#[utoipa::path(
    post, path = "/api/personas/{name}/memories/{id}/relations", tag = "memories",
    request_body = NewRelation,
    params(
        ("name" = PersonaName, Path, description = "The persona"),
        ("id" = MemoryId, Path, description = "The memory that says so, as m12"),
        Place,
    ),
    responses(
        (status = 201, description = "The relation", body = Relation),
        (status = "4XX", description = "Refused", body = ErrorBody),
    )
)]
async fn relate(
    State(services): State<Services>,
    caller: Caller,
    Path((name, from)): Path<(PersonaName, MemoryId)>,
    Query(place): Query<Place>,
    extract::Json(NewRelation { to, kind }): extract::Json<NewRelation>,
) -> Result<(StatusCode, Json<Relation>), ApiError> {
    let viewer = place.viewer(&services, &caller, name)?;
    if from == to {
        let message = format!("{from} cannot stand in a relation to itself; name another memory");
        return Err(ApiError::invalid(message).about("to"));
    }
    for id in [from, to] {
        changeable(&services, &caller, &viewer, id).await?;
    }
    let relation = Relation { from, to, kind };
    services.store.relate(&viewer, relation).await?;
    Ok((StatusCode::CREATED, Json(relation)))
}
