//! A persona's memory for any MCP host: streamable HTTP at `/mcp` and `/mcp/{persona}`, and standard
//! input and output for `greenroom mcp`.
//!
//! Every request stands for itself: there are no sessions to keep, so a key that is revoked is out
//! with the next request.

mod host;
mod seat;

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use greenroom_core::{ChannelKey, PersonaName, UserId};
use greenroom_memory::Memory;
use greenroom_persona::Persona;
use rmcp::{
    ServiceExt,
    service::ServerInitializeError,
    transport::{
        StreamableHttpServerConfig, StreamableHttpService, stdio,
        streamable_http_server::session::never::NeverSessionManager,
    },
};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Caller, Role, Services,
    error::ErrorBody,
    extract::{Path, Query},
};
use host::MemoryHost;

pub use seat::Seat;

/// Bytes of a request at most: a call of a memory tool is small.
const LARGEST: usize = 1 << 20;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(mcp)).routes(routes!(mcp_of))
}

/// Whose memory, and from where it is seen.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Place {
    /// Whose memory, at `/mcp`; the persona of the settings where nobody is named.
    persona: Option<PersonaName>,
    /// The channel it is seen from and written to; of a user's key the user's own, otherwise none.
    channel: Option<ChannelKey>,
    /// About and with this person of the channel's platform; for operators.
    user: Option<UserId>,
}

/// Speaks MCP (streamable HTTP, stateless) over the memory of a persona.
///
/// The tools are `remember`, `recall`, `forget` and `list`.
#[utoipa::path(
    post, path = "/mcp", tag = "mcp", params(Place), request_body(content = serde_json::Value),
    responses(
        (status = 200, description = "The answer, as JSON-RPC", body = serde_json::Value),
        (status = 202, description = "A notification was taken"),
        (status = 400, description = "No MCP, or no such place", body = ErrorBody),
        (status = 401, description = "No key", body = ErrorBody),
        (status = 403, description = "Not this key's channel or person", body = ErrorBody),
        (status = 404, description = "No such persona", body = ErrorBody),
        (status = 406, description = "`Accept` lacks application/json and text/event-stream"),
        (status = 409, description = "The persona has no memory", body = ErrorBody),
        (status = 413, description = "Too large"),
        (status = 415, description = "No JSON"),
        (status = 422, description = "JSON that is no JSON-RPC"),
    )
)]
async fn mcp(
    State(services): State<Services>,
    caller: Caller,
    Query(place): Query<Place>,
    request: Request,
) -> Result<Response, ApiError> {
    let persona = place.persona.clone().unwrap_or_else(|| services.settings.persona.clone());
    answer(&services, &caller, &persona, place, request).await
}

/// Speaks MCP (streamable HTTP, stateless) over the memory of this persona.
///
/// The tools are `remember`, `recall`, `forget` and `list`.
#[utoipa::path(
    post, path = "/mcp/{persona}", tag = "mcp", request_body(content = serde_json::Value),
    params(("persona" = PersonaName, Path, description = "Whose memory"), Place),
    responses(
        (status = 200, description = "The answer, as JSON-RPC", body = serde_json::Value),
        (status = 202, description = "A notification was taken"),
        (status = 400, description = "No MCP, or no such place", body = ErrorBody),
        (status = 401, description = "No key", body = ErrorBody),
        (status = 403, description = "Not this key's channel or person", body = ErrorBody),
        (status = 404, description = "No such persona", body = ErrorBody),
        (status = 406, description = "`Accept` lacks application/json and text/event-stream"),
        (status = 409, description = "The persona has no memory", body = ErrorBody),
        (status = 413, description = "Too large"),
        (status = 415, description = "No JSON"),
        (status = 422, description = "JSON that is no JSON-RPC"),
    )
)]
async fn mcp_of(
    State(services): State<Services>,
    caller: Caller,
    Path(persona): Path<PersonaName>,
    Query(place): Query<Place>,
    request: Request,
) -> Result<Response, ApiError> {
    answer(&services, &caller, &persona, place, request).await
}

async fn answer(
    services: &Services,
    caller: &Caller,
    persona: &PersonaName,
    place: Place,
    request: Request,
) -> Result<Response, ApiError> {
    let persona = services.runtime.persona(persona)?;
    if !persona.memory.enabled {
        let name = &persona.name;
        return Err(ApiError::new(
            http::StatusCode::CONFLICT,
            "no_memory",
            format!("{name} has no memory; its file says memory.enabled: false"),
        ));
    }
    let seat = seat_of(caller, &persona, place)?;
    let host = MemoryHost::new(&services.memory, &persona, seat).beside(&services.runtime);
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(LARGEST)
        // the guard of the whole server looks at Host and Origin (X4)
        .disable_allowed_hosts()
        .with_cancellation_token(services.closing.child_token());
    let service =
        StreamableHttpService::new(move || Ok(host.clone()), Arc::<NeverSessionManager>::default(), config);
    Ok(service.handle(request).await.map(Body::new).into_response())
}

/// Where a caller sits: an operator where they ask for, a person at their own place.
fn seat_of(caller: &Caller, persona: &Persona, place: Place) -> Result<Seat, ApiError> {
    let invalid = |error: seat::SeatError| ApiError::invalid(error.to_string());
    match caller.role {
        Role::Operator => Seat::of_operator(&persona.name, place.channel, place.user).map_err(invalid),
        Role::User => {
            let user = caller.speak_as(place.user)?;
            let seat = Seat::of_person(&persona.name, place.channel, user).map_err(invalid)?;
            caller.enter(seat.channel())?;
            Ok(seat)
        }
    }
}

/// Why MCP is not spoken on standard input and output.
#[derive(Debug, thiserror::Error)]
#[error("the host does not speak MCP: {0}")]
pub struct StdioError(String);

/// Speaks MCP on standard input and output, until the host closes them or `stop` is cancelled.
///
/// # Errors
/// Where what comes in is no MCP.
pub async fn mcp_stdio(
    memory: &Memory,
    persona: &Persona,
    seat: Seat,
    stop: CancellationToken,
) -> Result<(), StdioError> {
    let host = MemoryHost::new(memory, persona, seat);
    match host.serve_with_ct(stdio(), stop).await {
        Ok(session) => {
            // however it ended, it is over
            let _ = session.waiting().await;
            Ok(())
        }
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(StdioError(error.to_string())),
    }
}
