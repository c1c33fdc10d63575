//! A persona's memories as lines of JSON: out page by page, and in again, all or none (GR10). They are
//! all of it, seen with nobody's eyes, and so for operators alone.

use axum::{
    Json,
    body::Body,
    extract::State,
    response::{IntoResponse, Response},
};
use futures::StreamExt;
use greenroom_core::PersonaName;
use greenroom_memory::{ImportError, ImportLines, export_lines};
use greenroom_store::{Imported, StoreError};
use http::{
    StatusCode,
    header::{CONTENT_DISPOSITION, CONTENT_TYPE},
};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{ApiError, Caller, Services, error::ErrorBody, extract::Path};

/// Lines of JSON.
const JSON_LINES: &str = "application/x-ndjson";

/// Bytes of an import: all of it is in memory until it is stored (X12). More goes through
/// `greenroom memory import`.
const LONGEST: usize = 16 << 20;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(export)).routes(routes!(import))
}

/// All memories of a persona with their relations, one a line.
#[utoipa::path(
    get, path = "/api/personas/{name}/memories/export", tag = "memories",
    params(("name" = PersonaName, Path, description = "The persona")),
    responses(
        (status = 200, description = "Lines of JSON", body = String, content_type = JSON_LINES),
        (status = "4XX", description = "Refused", body = ErrorBody),
    )
)]
async fn export(
    State(services): State<Services>,
    caller: Caller,
    Path(name): Path<PersonaName>,
) -> Result<Response, ApiError> {
    caller.operate()?;
    services.runtime.persona(&name)?;
    let file = format!("attachment; filename=\"{name}.jsonl\"");
    let headers = [(CONTENT_TYPE, JSON_LINES.to_owned()), (CONTENT_DISPOSITION, file)];
    let lines = export_lines(services.store.clone(), Some(name));
    Ok((headers, Body::from_stream(lines)).into_response())
}

/// Stores exported memories of this persona, all or none. What is there already, exactly so, is not
/// added twice; an id that another memory has is replaced.
#[utoipa::path(
    post, path = "/api/personas/{name}/memories/import", tag = "memories",
    request_body(content = String, content_type = JSON_LINES, description = "Lines as the export writes them"),
    params(("name" = PersonaName, Path, description = "The persona")),
    responses(
        (status = 200, description = "What was added", body = Imported),
        (status = 413, description = "More than an import may hold", body = ErrorBody),
        (status = "4XX", description = "Refused", body = ErrorBody),
    )
)]
async fn import(
    State(services): State<Services>,
    caller: Caller,
    Path(name): Path<PersonaName>,
    body: Body,
) -> Result<Json<Imported>, ApiError> {
    caller.operate()?;
    services.runtime.persona(&name)?;
    let mut lines = ImportLines::new(LONGEST);
    let mut pieces = body.into_data_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| ApiError::invalid(format!("the body broke off: {error}")))?;
        lines.feed(&piece).map_err(refused)?;
    }
    let memories = lines.finish().map_err(refused)?;
    if let Some(other) = memories.iter().find(|line| line.memory.persona != name) {
        let (id, whose) = (other.memory.id, &other.memory.persona);
        return Err(ApiError::invalid(format!(
            "{id} is {whose}'s; import it under /api/personas/{whose}/memories/import; nothing was imported"
        )));
    }
    let imported = services.store.import(memories).await.map_err(|error| match error {
        StoreError::Invalid(why) => ApiError::invalid(why),
        error => error.into(),
    })?;
    let memory = services.memory.clone();
    // where that fails the vectors are made with the next turn (L18)
    tokio::spawn(async move {
        if let Err(error) = memory.index_pending_of(&[name]).await {
            tracing::warn!("imported memories are not found by meaning yet: {error}");
        }
    });
    Ok(Json(imported))
}

fn refused(error: ImportError) -> ApiError {
    let message = format!("line {error}");
    match error {
        ImportError::TooLong { .. } => ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message),
        ImportError::NoMemory { .. } => ApiError::invalid(message),
    }
}
