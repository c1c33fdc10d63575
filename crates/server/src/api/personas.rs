//! Personas and their actors: list them, stop, start and restart them.

use axum::extract::State;
use greenroom_core::{ActorState, ChannelKey, PersonaName};
use greenroom_formats::Folder;
use greenroom_persona::Persona;
use greenroom_runtime::{ActorStatus, Answering, Runtime};
use http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{ApiError, Caller, Role, Services, access::Operator, extract::Path, reference::Failures};

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new()
        .routes(routes!(personas))
        .routes(routes!(persona))
        .routes(routes!(start))
        .routes(routes!(stop))
        .routes(routes!(restart))
        .routes(routes!(actors))
        .routes(routes!(start_all))
        .routes(routes!(stop_all))
}

/// The cast.
#[derive(Debug, Serialize, ToSchema)]
struct Personas {
    /// Sorted by name.
    personas: Vec<PersonaView>,
    /// The persona of the settings, which answers where no persona is addressed; omitted if there is none of this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<PersonaName>,
}

/// A persona.
#[derive(Debug, Serialize, ToSchema)]
struct PersonaView {
    /// The unique name.
    name: PersonaName,
    /// Its name for people.
    display_name: String,
    /// One line for lists.
    description: String,
    /// The first message of a conversation with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    greeting: Option<String>,
    /// Other first messages of its card, with `{{user}}` and `{{char}}` for the names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    greetings: Vec<String>,
    /// Whether it has a picture, at `/api/personas/{name}/picture`.
    picture: bool,
    /// The model that its file names.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// The model it answers with.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<AnswersView>,
    /// The tools it may use.
    tools: Vec<String>,
    /// Its memory settings.
    memory: MemoryView,
    /// When it answers among others, as in its file.
    #[schema(value_type = Object)]
    room: Value,
    /// Whether it was stopped and answers nobody.
    stopped: bool,
    /// Its limits, as in its file.
    #[schema(value_type = Object)]
    limits: Value,
    /// The system prompt; for operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
}

/// The model a persona answers with.
#[derive(Debug, Serialize, ToSchema)]
struct AnswersView {
    /// Its name at its endpoint; missing until one is chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// The short name for people: without the path of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The choice and its origin, or why there is none yet; for operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen: Option<String>,
    /// Its endpoint; for operators. The built-in model has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<String>,
    /// The tokens of its context window.
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<usize>,
    /// The counter of its tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    counter: Option<String>,
    /// Whether the counter is the model's own tokenizer.
    exact: bool,
}

impl AnswersView {
    fn of(answering: Answering, caller: &Caller) -> Self {
        let Answering { model, shown, endpoint, chosen, window, counter, exact } = answering;
        let operator = caller.role == Role::Operator;
        let (chosen, endpoint) = (Some(chosen).filter(|_| operator), endpoint.filter(|_| operator));
        Self { model, name: shown, chosen, endpoint, window, counter, exact }
    }
}

/// The memory settings of a persona.
#[derive(Debug, Serialize, ToSchema)]
struct MemoryView {
    /// Whether it has a memory.
    enabled: bool,
    /// The preset of its settings.
    #[schema(value_type = String)]
    profile: greenroom_persona::Profile,
    /// Whether each message recalls memories.
    auto_retrieve: bool,
}

impl PersonaView {
    fn of(persona: &Persona, caller: &Caller, runtime: &Runtime) -> Self {
        Self {
            answers: runtime.answering(persona).map(|answering| AnswersView::of(answering, caller)),
            name: persona.name.clone(),
            display_name: persona.display_name.clone(),
            description: persona.description.clone(),
            greeting: persona.greeting_for(caller.user.as_str()),
            greetings: persona.play.as_ref().map(|play| play.greetings.clone()).unwrap_or_default(),
            picture: Folder::of(&persona.file).has_picture(),
            model: persona.model.name.clone(),
            tools: persona.tools.clone(),
            memory: MemoryView {
                enabled: persona.memory.enabled,
                profile: persona.memory.profile,
                auto_retrieve: persona.memory.auto_retrieve,
            },
            // plain numbers and texts, which serialize
            room: serde_json::to_value(&persona.room).unwrap_or_default(),
            stopped: runtime.is_stopped(&persona.name),
            limits: serde_json::to_value(persona.limits.clone()).unwrap_or_default(),
            prompt: (caller.role == Role::Operator).then(|| persona.prompt.clone()),
        }
    }
}

/// The channel actors.
#[derive(Debug, Serialize, ToSchema)]
struct Actors {
    /// Sorted by channel and persona.
    actors: Vec<ActorView>,
}

/// The actor of one persona in one channel.
#[derive(Debug, Serialize, ToSchema)]
struct ActorView {
    /// The persona.
    persona: PersonaName,
    /// The channel.
    channel: ChannelKey,
    /// Its state.
    state: ActorState,
}

/// List personas
#[utoipa::path(
    get, path = "/api/personas", tag = "personas",
    responses((status = 200, description = "The cast", body = Personas), Failures),
)]
async fn personas(State(services): State<Services>, caller: Caller) -> axum::Json<Personas> {
    let cast = services.runtime.cast();
    let personas = cast.iter().map(|persona| PersonaView::of(persona, &caller, &services.runtime)).collect();
    let default = Some(&services.settings.persona).filter(|name| services.runtime.persona(name).is_ok());
    axum::Json(Personas { personas, default: default.cloned() })
}

/// Read a persona
#[utoipa::path(
    get, path = "/api/personas/{name}", tag = "personas",
    params(("name" = PersonaName, Path, description = "The persona")),
    responses((status = 200, description = "The persona", body = PersonaView), Failures),
)]
async fn persona(
    State(services): State<Services>,
    caller: Caller,
    Path(name): Path<PersonaName>,
) -> Result<axum::Json<PersonaView>, ApiError> {
    let persona = services.runtime.persona(&name)?;
    Ok(axum::Json(PersonaView::of(&persona, &caller, &services.runtime)))
}

/// Start a persona
///
/// It answers again after a stop.
#[utoipa::path(
    post, path = "/api/personas/{name}/start", tag = "personas",
    params(("name" = PersonaName, Path, description = "The persona")),
    responses((status = 204, description = "Started"), Failures),
)]
async fn start(
    State(services): State<Services>,
    _: Operator,
    Path(name): Path<PersonaName>,
) -> Result<StatusCode, ApiError> {
    services.runtime.start_persona(&name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Stop a persona
///
/// In every channel. Running turns end with `cancelled`, and messages to it fail with `persona_stopped` until it is
/// started. The response comes when all its actors have stopped.
#[utoipa::path(
    post, path = "/api/personas/{name}/stop", tag = "personas",
    params(("name" = PersonaName, Path, description = "The persona")),
    responses((status = 204, description = "Stopped"), Failures),
)]
async fn stop(
    State(services): State<Services>,
    _: Operator,
    Path(name): Path<PersonaName>,
) -> Result<StatusCode, ApiError> {
    services.runtime.stop_persona(&name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Restart a persona
#[utoipa::path(
    post, path = "/api/personas/{name}/restart", tag = "personas",
    params(("name" = PersonaName, Path, description = "The persona")),
    responses((status = 204, description = "Restarted"), Failures),
)]
async fn restart(
    State(services): State<Services>,
    _: Operator,
    Path(name): Path<PersonaName>,
) -> Result<StatusCode, ApiError> {
    services.runtime.restart(&name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Start all personas
///
/// Personas that are not stopped do not change.
#[utoipa::path(
    post, path = "/api/actors/start", tag = "personas",
    responses((status = 204, description = "Started"), Failures),
)]
async fn start_all(State(services): State<Services>, _: Operator) -> Result<StatusCode, ApiError> {
    services.runtime.start_all().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Stop all personas
///
/// In every channel. Running turns end with `cancelled`. The response comes when all actors have stopped.
#[utoipa::path(
    post, path = "/api/actors/stop", tag = "personas",
    responses((status = 204, description = "Stopped"), Failures),
)]
async fn stop_all(State(services): State<Services>, _: Operator) -> Result<StatusCode, ApiError> {
    services.runtime.stop_all().await;
    Ok(StatusCode::NO_CONTENT)
}

/// List live actors
///
/// An operator sees all of them, a user those of their own channels.
#[utoipa::path(
    get, path = "/api/actors", tag = "personas",
    responses((status = 200, description = "The actors", body = Actors), Failures),
)]
async fn actors(State(services): State<Services>, caller: Caller) -> axum::Json<Actors> {
    let seen = services.runtime.status().into_iter().filter(|row| caller.check_channel(&row.channel).is_ok());
    let view = |ActorStatus { persona, channel, state }| ActorView { persona, channel, state };
    axum::Json(Actors { actors: seen.map(view).collect() })
}
