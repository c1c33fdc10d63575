//! What every OpenAI client speaks, under `/v1`. A model's name is a persona's.
//!
//! ```text
//! request.rs       what is asked, as it comes and as it is meant
//! conversation.rs  the messages sent, as a conversation that can be answered
//! channel.rs       a message of a channel: stored, answered once, told again
//! hearing.rs       from the turn's events to pieces of an answer
//! answer.rs        the answer in one document
//! stream.rs        the answer piece by piece
//! ```
//! Without a channel the messages sent are the conversation and nothing is stored. In a channel the
//! stored conversation counts, and of the messages sent the last one of a user.

mod answer;
mod channel;
mod conversation;
mod hearing;
mod request;
mod stream;

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use greenroom_core::{Clock, PersonaName, SystemClock, TurnId};
use greenroom_persona::Persona;
use greenroom_runtime::{Completion, TurnEvents};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;
use tracing::Instrument;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Caller, Services,
    error::ErrorBody,
    extract::{Json as Body, Path},
};

use answer::{ChatCompletion, whole};
use channel::Said;
use conversation::Conversation;
use hearing::{End, Hearing, handed_over};
use request::{Asked, ChatBody};
use stream::Frame;

/// The turn an answer comes from.
const TURN: HeaderName = HeaderName::from_static("x-greenroom-turn");
/// Tells the SDKs of OpenAI whether a request may be made again.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(models)).routes(routes!(model)).routes(routes!(chat))
}

/// A persona as the OpenAI API shows a model.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = openai::Model)]
struct Model {
    /// The persona's name.
    id: String,
    /// Always `model`.
    object: &'static str,
    /// Always 0: a persona is a file and has no date.
    created: i64,
    /// Always `greenroom`.
    owned_by: &'static str,
}

impl Model {
    fn of(persona: &Persona) -> Self {
        Self { id: persona.name.to_string(), object: "model", created: 0, owned_by: "greenroom" }
    }
}

/// All personas.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = openai::Models)]
struct Models {
    /// Always `list`.
    object: &'static str,
    /// In the order of their names.
    data: Vec<Model>,
}

/// Lists the personas as models.
#[utoipa::path(
    get,
    path = "/v1/models",
    tag = "openai",
    responses((status = 200, body = Models), (status = 401, body = ErrorBody)),
)]
async fn models(State(services): State<Services>, _: Caller) -> Json<Models> {
    let data = services.runtime.cast().iter().map(|persona| Model::of(persona)).collect();
    Json(Models { object: "list", data })
}

/// Shows one persona as a model.
#[utoipa::path(
    get,
    path = "/v1/models/{model}",
    tag = "openai",
    params(("model" = String, Path, description = "A persona's name")),
    responses(
        (status = 200, body = Model),
        (status = 401, body = ErrorBody),
        (status = 404, body = ErrorBody, description = "`model_not_found`"),
    ),
)]
async fn model(
    State(services): State<Services>,
    _: Caller,
    Path(model): Path<String>,
) -> Result<Json<Model>, ApiError> {
    let name = persona(&services, &model)?;
    Ok(Json(Model::of(&*services.runtime.persona(&name)?)))
}

/// Has a persona answer.
///
/// Without a channel the messages sent are the conversation, nothing is stored, and the persona recalls
/// what it knows everywhere. With `X-Greenroom-Channel` or `metadata.channel` the channel's stored
/// conversation counts: of the messages sent the last one of a user is said there, the others and
/// instructions are passed over, and `tools` are refused.
#[utoipa::path(
    post,
    path = "/v1/chat/completions",
    tag = "openai",
    request_body = ChatBody,
    params(
        ("X-Greenroom-Channel" = Option<String>, Header, description = "Say it in this channel"),
        ("X-Greenroom-No-Memory" = Option<String>, Header, description = "`1`: recall nothing for this message"),
        ("Idempotency-Key" = Option<String>, Header, description = "In a channel: the same key again is the same message, and its stored reply comes back"),
    ),
    responses(
        (
            status = 200,
            description = "The answer; with `stream` chunks of it as server-sent events, `[DONE]` at the end",
            content((ChatCompletion = "application/json"), (String = "text/event-stream")),
            headers(("X-Greenroom-Turn" = String, description = "The turn it comes from")),
        ),
        (status = 400, body = ErrorBody),
        (status = 401, body = ErrorBody),
        (status = 403, body = ErrorBody, description = "Another person's channel"),
        (status = 404, body = ErrorBody, description = "`model_not_found`"),
        (status = 409, body = ErrorBody, description = "The message is being answered, or another process answers in the channel"),
        (status = 413, body = ErrorBody),
        (status = 415, body = ErrorBody),
        (status = 422, body = ErrorBody, description = "The persona answers nobody"),
        (status = 429, body = ErrorBody, description = "Too much waits, or a budget is used up"),
        (status = 500, body = ErrorBody),
        (status = 502, body = ErrorBody, description = "The model failed"),
        (status = 503, body = ErrorBody),
        (status = 504, body = ErrorBody, description = "The model did not answer in time"),
    ),
)]
async fn chat(
    State(services): State<Services>,
    caller: Caller,
    headers: HeaderMap,
    Body(body): Body<ChatBody>,
) -> Result<Response, ApiError> {
    let persona = persona(&services, &body.model)?;
    let asked = Asked::of(body, &headers)?;
    let Some(channel) = asked.channel.clone() else {
        let events = services.runtime.complete(completion(&persona, &caller, &asked)?)?;
        return answer(&services, &caller, persona, &asked, events).await;
    };
    caller.enter(&channel)?;
    let asked = Arc::new(asked);
    let saying = (services.clone(), caller.clone(), persona.clone(), asked.clone());
    // in a task of its own: whoever hangs up now has said it all the same, or has not at all
    let said = tokio::spawn(
        async move {
            let (services, caller, persona, asked) = saying;
            channel::say(&services, &caller, &persona, &channel, &asked).await
        }
        .in_current_span(),
    );
    let told = match said.await.map_err(|_| ApiError::internal())?? {
        Said::Events(events) => answer(&services, &caller, persona, &asked, events).await,
        Said::Before(turn, end) => Ok(repeat(persona, &asked, turn, end)),
    };
    // the message is stored: without a key another request would say it a second time, and with one it
    // would have it answered, which somebody may just have stopped
    Ok(told.unwrap_or_else(|error| {
        let again = asked.key.is_some() && error.code != "cancelled";
        let mut response = error.into_response();
        if !again {
            response.headers_mut().insert(SHOULD_RETRY, HeaderValue::from_static("false"));
        }
        response
    }))
}

/// Answers with what a turn says.
async fn answer(
    services: &Services,
    caller: &Caller,
    persona: PersonaName,
    asked: &Asked,
    events: TurnEvents,
) -> Result<Response, ApiError> {
    let model = persona.to_string();
    let mut hearing = Hearing::new(events, persona, asked, caller, services);
    let turn = hearing.begun().await?;
    let created = now();
    let channel = asked.channel.clone();
    let response = if asked.stream {
        let frame = Frame { turn, model, created, usage: asked.include_usage };
        stream::pieces(hearing, frame, services, channel).await?
    } else {
        let (end, calls) = whole(&mut hearing).await?;
        handed_over(services, channel.as_ref(), end.reply);
        Json(ChatCompletion::new(turn, &model, created, end, calls, hearing.memories)).into_response()
    };
    Ok(with_turn(response, turn))
}

/// Answers with a stored reply.
fn repeat(persona: PersonaName, asked: &Asked, turn: TurnId, end: End) -> Response {
    let (model, created) = (persona.to_string(), now());
    let response = if asked.stream {
        Frame { turn, model, created, usage: asked.include_usage }.repeat(&end)
    } else {
        Json(ChatCompletion::new(turn, &model, created, end, Vec::new(), Vec::new())).into_response()
    };
    with_turn(response, turn)
}

fn now() -> i64 {
    SystemClock.now().0 / 1_000_000
}

/// The turn of the messages that were sent.
fn completion(persona: &PersonaName, caller: &Caller, asked: &Asked) -> Result<Completion, ApiError> {
    let Conversation { system, said, asked: saying, since } = Conversation::of(&asked.messages)?;
    Ok(Completion {
        persona: persona.clone(),
        user: caller.speak_as(None)?,
        system,
        said,
        asked: saying,
        since,
        tools: asked.tools.clone(),
        own_tools: asked.own_tools,
        wishes: asked.wishes.clone(),
        disable_memory: asked.disable_memory,
    })
}

/// The persona that is meant by a model's name.
fn persona(services: &Services, model: &str) -> Result<PersonaName, ApiError> {
    let known = |name: &PersonaName| services.runtime.cast().iter().any(|persona| &persona.name == name);
    model.parse().ok().filter(known).ok_or_else(|| unknown(services, model))
}

fn unknown(services: &Services, model: &str) -> ApiError {
    let known: Vec<String> = services.runtime.cast().iter().map(|p| p.name.to_string()).collect();
    let shown: String = model.chars().filter(|c| !c.is_control()).take(64).collect();
    let message = format!("there is no persona `{shown}`; there are: {}", known.join(", "));
    ApiError::not_found("model_not_found", message).about("model")
}

/// Names the turn an answer comes from.
fn with_turn(mut response: Response, turn: TurnId) -> Response {
    if let Ok(turn) = HeaderValue::try_from(turn.to_string()) {
        response.headers_mut().insert(TURN, turn);
    }
    response
}
