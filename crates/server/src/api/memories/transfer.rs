//! Export and import of a persona's memories, as lines of JSON (GR10). They hold all memories of the persona,
//! whatever their scope, so they are for operators.

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

use crate::{ApiError, Services, access::Operator, extract::Path, reference::Failures};

/// The content type of lines of JSON.
const JSON_LINES: &str = "application/x-ndjson";

/// The bytes of an import, which is in memory until it is stored (X12). `greenroom memory import` takes more.
const MAX_IMPORT: usize = 16 << 20;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(export)).routes(routes!(import))
}

/// Export memories
///
/// All memories of the persona with their relations, one per line. For operators.
#[utoipa::path(
    get, path = "/api/personas/{name}/memories/export", tag = "memories",
    params(("name" = PersonaName, Path, description = "The persona")),
    responses((status = 200, description = "Lines of JSON", body = String, content_type = JSON_LINES), Failures)
)]
async fn export(
    State(services): State<Services>,
    _: Operator,
    Path(name): Path<PersonaName>,
) -> Result<Response, ApiError> {
    services.runtime.persona(&name)?;
    let file = format!("attachment; filename=\"{name}.jsonl\"");
    let headers = [(CONTENT_TYPE, JSON_LINES.to_owned()), (CONTENT_DISPOSITION, file)];
    let lines = export_lines(services.store.clone(), Some(name));
    Ok((headers, Body::from_stream(lines)).into_response())
}

/// Import memories
///
/// Stores exported memories of this persona, all or none. A memory that exists already is not added twice; an id
/// that another memory has is replaced. For operators.
#[utoipa::path(
    post, path = "/api/personas/{name}/memories/import", tag = "memories",
    request_body(content = String, content_type = JSON_LINES, description = "Lines of an export"),
    params(("name" = PersonaName, Path, description = "The persona")),
    responses((status = 200, description = "The number of added memories", body = Imported), Failures, Failures)
)]
async fn import(
    State(services): State<Services>,
    _: Operator,
    Path(name): Path<PersonaName>,
    body: Body,
) -> Result<Json<Imported>, ApiError> {
    services.runtime.persona(&name)?;
    let mut lines = ImportLines::new(MAX_IMPORT);
    let mut pieces = body.into_data_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| ApiError::invalid(format!("the body broke off: {error}")))?;
        lines.feed(&piece).map_err(refused)?;
    }
    let memories = lines.finish().map_err(refused)?;
    if let Some(other) = memories.iter().find(|line| line.memory.persona != name) {
        let (id, whose) = (other.memory.id, &other.memory.persona);
        return Err(ApiError::invalid(format!(
            "nothing was imported: {id} is a memory of {whose}; import it under /api/personas/{whose}/memories/import"
        )));
    }
    let imported = services.store.import(memories).await.map_err(|error| match error {
        StoreError::Invalid(why) => ApiError::invalid(why),
        error => error.into(),
    })?;
    let memory = services.memory.clone();
    // if this fails, the next turn makes the vectors (L18)
    tokio::spawn(async move {
        if let Err(error) = memory.index_pending_of(&[name]).await {
            tracing::warn!("imported memories have no vectors yet and are found by words alone: {error}");
        }
    });
    Ok(Json(imported))
}

fn refused(error: ImportError) -> ApiError {
    let message = format!("line {error}");
    match error {
        ImportError::LongLine { .. } | ImportError::TooLong { .. } => {
            ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
        }
        ImportError::NoMemory { .. } => ApiError::invalid(message),
    }
}
