//! Personas of other programs: preview and import of files, lorebooks, greetings and pictures (PF1, PF3, PF5).

use axum::{extract::State, response::IntoResponse};
use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use greenroom_core::PersonaName;
use greenroom_formats::{Folder, Format, FormatError, Imported, Written, detect};
use greenroom_persona::SAMPLES;
use http::{
    StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Services,
    access::Operator,
    extract::{Json, Path, Query},
    reference::Failures,
};

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new()
        .routes(routes!(import))
        .routes(routes!(picture))
        .routes(routes!(greeting))
        .routes(routes!(lorebook))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ImportQuery {
    /// The name of the file; used if the content has no name.
    #[serde(default)]
    file: String,
    /// Only shows the result of an import.
    #[serde(default)]
    preview: bool,
}

/// The result of an import.
#[derive(Debug, Serialize, ToSchema)]
struct ImportView {
    /// The format, for people.
    format: &'static str,
    /// The personas in it.
    personas: Vec<ImportedView>,
}

/// A persona of a file.
#[derive(Debug, Serialize, ToSchema)]
struct ImportedView {
    /// The name of the persona: with a preview the one that it would get.
    name: String,
    /// Its name for people.
    display_name: String,
    /// One line for lists.
    description: String,
    /// The first messages, with `{{user}}` and `{{char}}` for the names.
    greetings: Vec<String>,
    /// The system prompt.
    prompt: String,
    /// Entries of its lorebook.
    lorebook_entries: usize,
    /// Statements that become memories.
    knowledge: usize,
    /// Whether an earlier import of the same file made the persona. Nothing is written then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_there: bool,
    /// The picture of the file in a preview: a PNG in base64. After the import, `GET /api/personas/NAME/picture` has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<String>,
    /// The fate of each field.
    receipt: Vec<FieldView>,
}

/// The fate of a field.
#[derive(Debug, Serialize, ToSchema)]
struct FieldView {
    /// Its path in the file.
    field: String,
    /// `effective`, `kept` or `refused`.
    fate: &'static str,
    /// Where its effect is, or why it has none.
    reason: String,
}

impl ImportedView {
    /// `before` is the persona that an earlier import of the same file made.
    fn of(imported: &Imported, before: Option<&Written>, preview: bool) -> Self {
        let Imported { name, character, play, knowledge, receipt, source, .. } = imported;
        let field = |line: &greenroom_formats::ReceiptLine| FieldView {
            field: line.field.clone(),
            fate: line.fate.word(),
            reason: line.reason.clone(),
        };
        Self {
            name: before.map_or(name, |before| &before.name).clone(),
            is_there: before.is_some(),
            picture: source.picture.as_ref().filter(|_| preview).map(|picture| STANDARD.encode(picture)),
            display_name: character.display_name.clone(),
            description: character.description.clone(),
            greetings: play.greetings.clone(),
            prompt: character.prompt.clone(),
            lorebook_entries: play.books.iter().map(|book| book.entries.len()).sum(),
            knowledge: knowledge.len(),
            receipt: receipt.iter().map(field).collect(),
        }
    }
}

/// Import a persona of another program
///
/// The body is the file: a character card, an ElizaOS character, an archive … `?preview=true` writes nothing. A taken
/// name gets a number. A file that was imported before changes nothing. Knowledge in the file becomes memories. For
/// operators.
#[utoipa::path(
    post, path = "/api/personas/import", tag = "personas", params(ImportQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The file"),
    responses((status = 200, description = "The personas and the fate of each field", body = ImportView), Failures),
)]
async fn import(
    State(services): State<Services>,
    _: Operator,
    Query(query): Query<ImportQuery>,
    body: Bytes,
) -> Result<Json<ImportView>, ApiError> {
    let file = query.file.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let directory = services.personas.clone();
    let read = tokio::task::spawn_blocking(move || {
        let source = detect(&file, Vec::from(body))?;
        if source.format == Format::Lorebook && !query.preview {
            return Err(FormatError::NotWritable {
                what: "a lorebook".into(),
                format: "a persona",
                remedy: "add it to one: `POST /api/personas/NAME/lorebooks`".into(),
            });
        }
        let format = source.format;
        let mut all = Vec::new();
        for mut imported in Imported::each(source) {
            // a request carries no documents beside the file
            imported.read_documents(None);
            let mut before = Folder::same(&directory, &imported);
            let mut folder = None;
            if query.preview && before.is_none() {
                imported.name = Folder::free_name(&directory, &imported, &SAMPLES);
            }
            if !query.preview {
                let written = Folder::create(&directory, &imported, &SAMPLES)?;
                imported.name.clone_from(&written.name);
                folder = Some(Folder::of(&written.file));
                before = Some(written).filter(|written| written.was_there);
            }
            let view = ImportedView::of(&imported, before.as_ref(), query.preview);
            // without the source, which is the whole file for each agent
            all.push((view, imported.name, folder, imported.knowledge, imported.unread));
        }
        Ok((format, all))
    });
    let (format, all) = read.await.map_err(|_| ApiError::internal())?.map_err(refused)?;
    let mut personas = Vec::new();
    for (view, name, folder, knowledge, unread) in all {
        if let Some(folder) = folder.filter(|_| !knowledge.is_empty()) {
            let name: PersonaName = name.parse().map_err(|_| ApiError::internal())?;
            let statements: Vec<(String, String)> =
                knowledge.into_iter().map(|it| (it.place, it.text)).collect();
            services.memory.learn(&name, &statements, &unread, || {}).await?;
            folder.has_learned().map_err(refused)?;
        }
        personas.push(view);
    }
    Ok(Json(ImportView { format: format.name(), personas }))
}

/// The first message of a persona.
#[derive(Debug, Deserialize, ToSchema)]
struct Greeting {
    /// Its number among the greetings of the card; 1 is the usual one.
    number: usize,
}

/// Choose a persona's first message
///
/// One of the greetings of its card. It is written into the persona's file and counts in every conversation from then
/// on. For operators.
#[utoipa::path(
    put, path = "/api/personas/{name}/greeting", tag = "personas",
    params(("name" = PersonaName, Path, description = "The persona")),
    request_body = Greeting,
    responses((status = 204, description = "Chosen"), Failures),
)]
async fn greeting(
    State(services): State<Services>,
    _: Operator,
    Path(name): Path<PersonaName>,
    Json(Greeting { number }): Json<Greeting>,
) -> Result<StatusCode, ApiError> {
    let folder = Folder::of(&services.runtime.persona(&name)?.file);
    let chosen = tokio::task::spawn_blocking(move || folder.choose_greeting(number));
    chosen.await.map_err(|_| ApiError::internal())?.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct LorebookQuery {
    /// The name of the file; used as the name of the book if its content has none.
    #[serde(default)]
    file: String,
}

/// Add a lorebook to a persona
///
/// The body is the file. Its entries take effect with the next reply. For operators.
#[utoipa::path(
    post, path = "/api/personas/{name}/lorebooks", tag = "personas",
    params(("name" = PersonaName, Path, description = "The persona"), LorebookQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The file"),
    responses((status = 204, description = "Added"), Failures),
)]
async fn lorebook(
    State(services): State<Services>,
    _: Operator,
    Path(name): Path<PersonaName>,
    Query(query): Query<LorebookQuery>,
    body: Bytes,
) -> Result<StatusCode, ApiError> {
    let folder = Folder::of(&services.runtime.persona(&name)?.file);
    let added = tokio::task::spawn_blocking(move || {
        let source = detect(&query.file, Vec::from(body))?;
        if source.format != Format::Lorebook {
            return Err(FormatError::NotWritable {
                what: format!("a file of the format {}", source.format.name()),
                format: "a lorebook",
                remedy: "import it as a persona of its own".into(),
            });
        }
        folder.add_book(&source)
    });
    added.await.map_err(|_| ApiError::internal())?.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}

fn refused(error: FormatError) -> ApiError {
    match error {
        FormatError::Io { .. } => {
            tracing::error!(%error, "an import cannot be written");
            ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "not_written", error.to_string())
        }
        FormatError::TooLarge { .. } => {
            ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", error.to_string())
        }
        other => ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "not_imported", other.to_string()),
    }
}

/// Read a persona's picture
#[utoipa::path(
    get, path = "/api/personas/{name}/picture", tag = "personas",
    params(("name" = PersonaName, Path, description = "The persona")),
    responses((status = 200, description = "The picture", body = Vec<u8>, content_type = "image/png"), Failures),
)]
async fn picture(
    State(services): State<Services>,
    Path(name): Path<PersonaName>,
) -> Result<impl IntoResponse, ApiError> {
    let known = services.runtime.persona(&name).map(|persona| persona.file.clone());
    // a persona that was just imported joins the cast a moment later
    let file = known.as_ref().ok().cloned().unwrap_or_else(|| services.personas.join(format!("{name}.md")));
    let folder = Folder::of(&file);
    let read =
        tokio::task::spawn_blocking(move || folder.picture()).await.map_err(|_| ApiError::internal())?;
    let picture = match (read.map_err(refused)?, known) {
        (Some(picture), _) => picture,
        (None, Err(unknown)) => return Err(unknown.into()),
        (None, Ok(_)) => {
            let message = format!("{name} has no picture; import a card that has one");
            return Err(ApiError::not_found("no_picture", message));
        }
    };
    Ok(([(CONTENT_TYPE, "image/png"), (CACHE_CONTROL, "private, max-age=60")], picture))
}
