//! Adds, edits, forgets and relates single memories.

use axum::{Json, extract::State};
use greenroom_core::{Kind, Memory, MemoryId, PersonaName, Relation, RelationKind, Source, Tier, Trust};
use greenroom_memory::{Decision, Edit, Remember, is_newer, span};
use greenroom_store::Forgotten;
use http::StatusCode;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    MemoryPath, ViewerQuery, changeable, now, unknown,
    viewer::{MemoryAccess, ScopeName},
};
use crate::{
    ApiError, Caller, Role, Services,
    extract::{self, Path},
    reference::Failures,
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
    /// The kind: fact, preference, decision … or another word.
    #[serde(default)]
    kind: Option<String>,
    /// The scope; the channel if not given. A user key may not choose another.
    #[serde(default)]
    scope: ScopeName,
    /// The time it lasts, as `12h`, `30d` or `2w`.
    #[serde(default)]
    expires_in: Option<String>,
}

/// The result of adding a memory.
#[derive(Debug, Serialize, ToSchema)]
pub struct MemoryAdded {
    /// The memory; an earlier one if the statement was known.
    pub memory: Memory,
    /// Its relation to earlier memories.
    #[schema(value_type = serde_json::Value)]
    pub decision: Decision,
    /// Whether nothing was written because the statement was known.
    pub known: bool,
}

/// The trust of what a caller writes (X7).
fn trust_of(caller: &Caller) -> Trust {
    match caller.role {
        Role::Operator => Trust::Operator,
        Role::User => Trust::Stranger,
    }
}

fn lifetime(text: &str) -> Result<std::time::Duration, ApiError> {
    span(text).map_err(|how| ApiError::invalid(how).about("expires_in"))
}

/// Add a memory
///
/// A statement that a memory of the scope holds already is not added again.
#[utoipa::path(
    post, path = "/api/personas/{name}/memories", tag = "memories", request_body = NewMemory,
    params(("name" = PersonaName, Path, description = "The persona"), ViewerQuery),
    responses(
        (status = 201, description = "Remembered", body = MemoryAdded),
        (status = 200, description = "Known already", body = MemoryAdded),
        Failures,
    )
)]
async fn add(
    State(services): State<Services>,
    MemoryAccess { caller, viewer }: MemoryAccess,
    extract::Json(new): extract::Json<NewMemory>,
) -> Result<(StatusCode, Json<MemoryAdded>), ApiError> {
    if caller.role == Role::User && new.scope != ScopeName::Channel {
        return Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "forbidden_scope",
            "a user key writes memories of its channel; leave `scope` out, or ask an operator",
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
        expires_in: new.expires_in.as_deref().map(lifetime).transpose()?,
    };
    let remembered = services.memory.remember(&viewer, statement).await?;
    let known = remembered.known();
    let status = if known { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, Json(MemoryAdded { memory: remembered.memory, decision: remembered.decision, known })))
}

/// The changes of a memory.
#[derive(Debug, Deserialize, ToSchema)]
struct Change {
    /// The new text.
    #[serde(default)]
    text: Option<String>,
    /// The new kind.
    #[serde(default)]
    kind: Option<String>,
    /// The time it lasts from now on, as `30d`; `null` for ever.
    #[serde(default, deserialize_with = "even_null")]
    #[schema(value_type = Option<String>)]
    expires_in: Option<Option<String>>,
    /// Whether it is private from now on: recalled one to one alone. Only of a memory that holds with a person.
    #[serde(default)]
    private: Option<bool>,
}

/// Distinguishes a field that is `null` from a missing one.
fn even_null<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(field).map(Some)
}

/// Edit a memory
///
/// Makes a new version of it, with the trust of the caller.
#[utoipa::path(
    patch, path = "/api/personas/{name}/memories/{id}", tag = "memories", request_body = Change,
    params(("name" = PersonaName, Path, description = "The persona"), MemoryPath, ViewerQuery),
    responses((status = 200, description = "The new version", body = Memory), Failures)
)]
async fn edit(
    State(services): State<Services>,
    MemoryAccess { caller, viewer }: MemoryAccess,
    Path(MemoryPath { id }): Path<MemoryPath>,
    extract::Json(change): extract::Json<Change>,
) -> Result<Json<Memory>, ApiError> {
    let Change { text, kind, expires_in, private } = change;
    if text.is_none() && kind.is_none() && expires_in.is_none() && private.is_none() {
        return Err(ApiError::invalid("give at least one of `text`, `kind`, `expires_in` and `private`"));
    }
    let memory = changeable(&services, &caller, &viewer, id).await?;
    if private.is_some() && memory.scope.person().is_none() {
        let message = format!("{id} holds with no person: it is neither private nor not");
        return Err(ApiError::invalid(message).about("private"));
    }
    // a person who only makes the memory visible to others does not change who vouches for it
    let says_the_same = text.is_none() && kind.is_none() && expires_in.is_none();
    let trust = if says_the_same { memory.trust } else { trust_of(&caller) };
    let is_their_own = memory.scope.person().is_some() && memory.source.user.as_ref() == Some(&caller.user);
    let writes_there = is_their_own || memory.scope == ScopeName::Channel.of(&viewer);
    if caller.role == Role::User && !says_the_same && !writes_there {
        return Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "forbidden_scope",
            format!(
                "{id} also holds outside of the channel, where a user key cannot write; forget it, or ask an operator"
            ),
        ));
    }
    let ends = |text: String| lifetime(&text).map(|duration| now().after(duration));
    let expires_at = expires_in.map(|end| end.map(ends).transpose()).transpose()?;
    let kind = kind.as_deref().map(Kind::new);
    let edited = services.memory.edit(&viewer, id, Edit { text, kind, expires_at, private, trust }).await?;
    // contexts and events in memory contain the old text
    services.runtime.follow_erasures().await;
    edited.map(Json).ok_or_else(|| unknown(&viewer, id))
}

/// Forget a memory
///
/// With everything made from it: vectors, relations, its lines in receipts (GR10).
#[utoipa::path(
    delete, path = "/api/personas/{name}/memories/{id}", tag = "memories",
    params(("name" = PersonaName, Path, description = "The persona"), MemoryPath, ViewerQuery),
    responses((status = 200, description = "The erased items", body = Forgotten), Failures)
)]
async fn forget(
    State(services): State<Services>,
    MemoryAccess { caller, viewer }: MemoryAccess,
    Path(MemoryPath { id }): Path<MemoryPath>,
) -> Result<Json<Forgotten>, ApiError> {
    changeable(&services, &caller, &viewer, id).await?;
    let gone = services.store.forget(&viewer, id).await?;
    // contexts and events in memory contain the memory
    services.runtime.follow_erasures().await;
    gone.map(Json).ok_or_else(|| unknown(&viewer, id))
}

/// A relation to another memory.
#[derive(Debug, Deserialize, ToSchema)]
struct NewRelation {
    /// The other memory, as m3.
    to: MemoryId,
    /// `supersedes`, `refines`, `contradicts` or `relates-to`.
    kind: RelationKind,
}

/// Relate two memories
#[utoipa::path(
    post, path = "/api/personas/{name}/memories/{id}/relations", tag = "memories",
    request_body = NewRelation,
    params(("name" = PersonaName, Path, description = "The persona"), MemoryPath, ViewerQuery),
    responses((status = 201, description = "The relation", body = Relation), Failures)
)]
async fn relate(
    State(services): State<Services>,
    MemoryAccess { caller, viewer }: MemoryAccess,
    Path(MemoryPath { id: from }): Path<MemoryPath>,
    extract::Json(NewRelation { to, kind }): extract::Json<NewRelation>,
) -> Result<(StatusCode, Json<Relation>), ApiError> {
    if from == to {
        let message = "a memory has no relation to itself; name another one";
        return Err(ApiError::invalid(message).about("to"));
    }
    for id in [from, to] {
        changeable(&services, &caller, &viewer, id).await?;
    }
    if kind == RelationKind::Supersedes && is_newer(&*services.store, &viewer, to, from).await? {
        let message = format!("{to} supersedes {from} already, so {from} cannot supersede it");
        return Err(ApiError::invalid(message).about("to"));
    }
    let relation = Relation { from, to, kind };
    services.store.relate(&viewer, relation).await?;
    Ok((StatusCode::CREATED, Json(relation)))
}
