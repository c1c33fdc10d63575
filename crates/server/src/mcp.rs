//! A persona's memory for MCP hosts: over streamable HTTP at `/mcp` and `/mcp/{persona}`, and over standard input
//! and output for `greenroom mcp`. Requests have no sessions, so a revoked key is refused with the next request.

mod access;
mod host;

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
use utoipa::{IntoParams, IntoResponses};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Caller, Role, Services,
    extract::{Path, Query},
    reference::Failures,
};
use host::MemoryHost;

pub use access::McpAccess;

/// The bytes of a request; a call of a memory tool is small.
const REQUEST_BYTES: usize = 1 << 20;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(mcp)).routes(routes!(mcp_of))
}

/// The persona, channel and person of a request.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct MemoryQuery {
    /// The persona, at `/mcp`; the persona of the settings if not given.
    persona: Option<PersonaName>,
    /// The channel to read and write; with a user key its own channel if not given, otherwise none.
    channel: Option<ChannelKey>,
    /// The person to read and write about, of the channel's provider; for operators.
    user: Option<UserId>,
}

/// The memory of a persona over MCP
///
/// Streamable HTTP, stateless. The tools are `remember`, `recall`, `forget` and `list`.
#[utoipa::path(
    post, path = "/mcp", tag = "mcp", params(MemoryQuery), request_body(content = serde_json::Value),
    responses(McpResponses, Failures),
)]
async fn mcp(
    State(services): State<Services>,
    caller: Caller,
    Query(query): Query<MemoryQuery>,
    request: Request,
) -> Result<Response, ApiError> {
    let persona = query.persona.clone().unwrap_or_else(|| services.settings.persona.clone());
    answer(&services, &caller, &persona, query, request).await
}

/// The memory of this persona over MCP
///
/// Streamable HTTP, stateless. The tools are `remember`, `recall`, `forget` and `list`.
#[utoipa::path(
    post, path = "/mcp/{persona}", tag = "mcp", request_body(content = serde_json::Value),
    params(("persona" = PersonaName, Path, description = "The persona"), MemoryQuery),
    responses(McpResponses, Failures),
)]
async fn mcp_of(
    State(services): State<Services>,
    caller: Caller,
    Path(persona): Path<PersonaName>,
    Query(query): Query<MemoryQuery>,
    request: Request,
) -> Result<Response, ApiError> {
    answer(&services, &caller, &persona, query, request).await
}

/// The responses of MCP.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "describes the responses alone")]
enum McpResponses {
    /// The response, as JSON-RPC.
    #[response(status = 200)]
    Response(serde_json::Value),
    /// A notification was accepted.
    #[response(status = 202)]
    Accepted,
}

async fn answer(
    services: &Services,
    caller: &Caller,
    persona: &PersonaName,
    query: MemoryQuery,
    request: Request,
) -> Result<Response, ApiError> {
    let persona = services.runtime.persona(persona)?;
    if !persona.memory.enabled {
        let name = &persona.name;
        return Err(ApiError::new(
            http::StatusCode::CONFLICT,
            "no_memory",
            format!("{name} has no memory: its file sets memory.enabled to false"),
        ));
    }
    let access = access(caller, &persona, query)?;
    let host = MemoryHost::new(&services.memory, &persona, access).with_runtime(&services.runtime);
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(REQUEST_BYTES)
        // the server's guard checks `Host` and `Origin` (X4)
        .disable_allowed_hosts()
        .with_cancellation_token(services.closing.child_token());
    let service =
        StreamableHttpService::new(move || Ok(host.clone()), Arc::<NeverSessionManager>::default(), config);
    Ok(service.handle(request).await.map(Body::new).into_response())
}

/// A caller's access: an operator gets what they ask for, a user their own channel.
fn access(caller: &Caller, persona: &Persona, query: MemoryQuery) -> Result<McpAccess, ApiError> {
    let invalid = |error: access::AccessError| ApiError::invalid(error.to_string());
    match caller.role {
        Role::Operator => McpAccess::of_operator(&persona.name, query.channel, query.user).map_err(invalid),
        Role::User => {
            let user = caller.speak_as(query.user)?;
            let access = McpAccess::of_user(&persona.name, query.channel, user).map_err(invalid)?;
            caller.check_channel(access.channel())?;
            Ok(access)
        }
    }
}

/// The host does not speak MCP on standard input and output.
#[derive(Debug, thiserror::Error)]
#[error("the host does not speak MCP: {0}")]
pub struct StdioError(String);

/// Speaks MCP on standard input and output, until the host closes them or `stop` is cancelled.
///
/// # Errors
/// Where the input is not MCP.
pub async fn mcp_stdio(
    memory: &Memory,
    persona: &Persona,
    access: McpAccess,
    stop: CancellationToken,
) -> Result<(), StdioError> {
    let host = MemoryHost::new(memory, persona, access);
    match host.serve_with_ct(stdio(), stop).await {
        Ok(session) => {
            // the session is over, however it ended
            let _ = session.waiting().await;
            Ok(())
        }
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(StdioError(error.to_string())),
    }
}
