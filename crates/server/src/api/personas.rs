//! Personas: who there is, what each does and where; stop, start, restart.

use axum::extract::State;
use greenroom_core::{ActorState, ChannelKey, PersonaName};
use greenroom_persona::Persona;
use greenroom_runtime::{ActorStatus, Answering, Runtime};
use http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{ApiError, Caller, Role, Services, extract::Path, reference::Failures};

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

/// Everybody.
#[derive(Debug, Serialize, ToSchema)]
struct Personas {
    /// In the order of their names.
    personas: Vec<PersonaView>,
}

/// One of the cast.
#[derive(Debug, Serialize, ToSchema)]
struct PersonaView {
    /// The unique name.
    name: PersonaName,
    /// What people call it.
    display_name: String,
    /// One line for lists.
    description: String,
    /// What it says when a chat opens.
    #[serde(skip_serializing_if = "Option::is_none")]
    greeting: Option<String>,
    /// The model its file names; missing where it names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// The model that answers now.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<AnswersView>,
    /// The tools it may use.
    tools: Vec<String>,
    /// What it remembers.
    memory: MemoryView,
    /// What it may use up, by the names of its file.
    #[schema(value_type = Object)]
    limits: Value,
    /// The system prompt; for operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
}

/// The model that answers a persona.
#[derive(Debug, Serialize, ToSchema)]
struct AnswersView {
    /// Its name at its endpoint; missing until one is chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// The name in short, for a screen: of a file without its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The choice and who made it, or why there is none yet; for operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen: Option<String>,
    /// Where it answers; for operators. Missing for the built-in model.
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<String>,
    /// Tokens its context holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<usize>,
    /// How its tokens are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    counter: Option<String>,
    /// Whether that is its own tokenizer.
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

/// How a persona remembers.
#[derive(Debug, Serialize, ToSchema)]
struct MemoryView {
    /// Whether it does.
    enabled: bool,
    /// The preset its settings begin from.
    #[schema(value_type = String)]
    profile: greenroom_persona::Profile,
    /// Whether anything is recalled by itself.
    auto_retrieve: bool,
}

impl PersonaView {
    fn of(persona: &Persona, caller: &Caller, runtime: &Runtime) -> Self {
        Self {
            answers: runtime.answering(persona).map(|answering| AnswersView::of(answering, caller)),
            name: persona.name.clone(),
            display_name: persona.display_name.clone(),
            description: persona.description.clone(),
            greeting: persona.greeting.clone(),
            model: persona.model.name.clone(),
            tools: persona.tools.clone(),
            memory: MemoryView {
                enabled: persona.memory.enabled,
                profile: persona.memory.profile,
                auto_retrieve: persona.memory.auto_retrieve,
            },
            // plain numbers and words
            limits: serde_json::to_value(persona.limits.clone()).unwrap_or_default(),
            prompt: (caller.role == Role::Operator).then(|| persona.prompt.clone()),
        }
    }
}

/// What the channel actors do.
#[derive(Debug, Serialize, ToSchema)]
struct Actors {
    /// By channel and persona.
    actors: Vec<ActorView>,
}

/// One persona in one channel.
#[derive(Debug, Serialize, ToSchema)]
struct ActorView {
    /// Who.
    persona: PersonaName,
    /// Where.
    channel: ChannelKey,
    /// Doing what.
    state: ActorState,
}

/// Who there is
#[utoipa::path(
    get,
    path = "/api/personas",
    tag = "personas",
    responses((status = 200, description = "The cast as it is now", body = Personas), Failures),
)]
async fn personas(State(services): State<Services>, caller: Caller) -> axum::Json<Personas> {
    let cast = services.runtime.cast();
    let personas = cast.iter().map(|persona| PersonaView::of(persona, &caller, &services.runtime)).collect();
    axum::Json(Personas { personas })
}

/// One of the cast
#[utoipa::path(
    get,
    path = "/api/personas/{name}",
    tag = "personas",
    params(("name" = PersonaName, Path, description = "Who")),
    responses((status = 200, description = "The persona as it is now", body = PersonaView), Failures),
)]
async fn persona(
    State(services): State<Services>,
    caller: Caller,
    Path(name): Path<PersonaName>,
) -> Result<axum::Json<PersonaView>, ApiError> {
    let persona = services.runtime.persona(&name)?;
    Ok(axum::Json(PersonaView::of(&persona, &caller, &services.runtime)))
}

/// Let a persona answer again
#[utoipa::path(
    post,
    path = "/api/personas/{name}/start",
    tag = "personas",
    params(("name" = PersonaName, Path, description = "Who")),
    responses((status = 204, description = "It answers"), Failures),
)]
async fn start(
    State(services): State<Services>,
    caller: Caller,
    Path(name): Path<PersonaName>,
) -> Result<StatusCode, ApiError> {
    caller.operate()?;
    services.runtime.start_persona(&name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Stop a persona in every channel
///
/// Running replies end with `cancelled`; what is said to it from now on fails with `persona_stopped` until
/// it is started. Answers when everything of it has stopped.
#[utoipa::path(
    post,
    path = "/api/personas/{name}/stop",
    tag = "personas",
    params(("name" = PersonaName, Path, description = "Who")),
    responses((status = 204, description = "It has stopped"), Failures),
)]
async fn stop(
    State(services): State<Services>,
    caller: Caller,
    Path(name): Path<PersonaName>,
) -> Result<StatusCode, ApiError> {
    caller.operate()?;
    services.runtime.stop_persona(&name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Stop a persona and start it again
#[utoipa::path(
    post,
    path = "/api/personas/{name}/restart",
    tag = "personas",
    params(("name" = PersonaName, Path, description = "Who")),
    responses((status = 204, description = "It answers again"), Failures),
)]
async fn restart(
    State(services): State<Services>,
    caller: Caller,
    Path(name): Path<PersonaName>,
) -> Result<StatusCode, ApiError> {
    caller.operate()?;
    services.runtime.restart(&name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Let every persona answer again
///
/// Does nothing to those that do.
#[utoipa::path(
    post,
    path = "/api/actors/start",
    tag = "personas",
    responses((status = 204, description = "All of them answer"), Failures),
)]
async fn start_all(State(services): State<Services>, caller: Caller) -> Result<StatusCode, ApiError> {
    caller.operate()?;
    services.runtime.start_all().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Stop every persona in every channel
///
/// Running replies end with `cancelled`. Answers when all have stopped.
#[utoipa::path(
    post,
    path = "/api/actors/stop",
    tag = "personas",
    responses((status = 204, description = "All of them have stopped"), Failures),
)]
async fn stop_all(State(services): State<Services>, caller: Caller) -> Result<StatusCode, ApiError> {
    caller.operate()?;
    services.runtime.stop_all().await;
    Ok(StatusCode::NO_CONTENT)
}

/// What every live channel actor does
///
/// An operator sees all of them, a person those of their own channels.
#[utoipa::path(
    get,
    path = "/api/actors",
    tag = "personas",
    responses((status = 200, description = "Who does what where", body = Actors), Failures),
)]
async fn actors(State(services): State<Services>, caller: Caller) -> axum::Json<Actors> {
    let seen = services.runtime.status().into_iter().filter(|row| caller.enter(&row.channel).is_ok());
    let view = |ActorStatus { persona, channel, state }| ActorView { persona, channel, state };
    axum::Json(Actors { actors: seen.map(view).collect() })
}
