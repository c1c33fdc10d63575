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
use http::{HeaderMap, HeaderValue, StatusCode, header::CONTENT_TYPE};
use rmcp::{
    ServiceExt,
    service::ServerInitializeError,
    transport::{
        StreamableHttpServerConfig, StreamableHttpService, stdio,
        streamable_http_server::session::never::NeverSessionManager,
    },
};
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use utoipa::{IntoParams, IntoResponses};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Caller, Role, Services,
    extract::{Json, Path, Query},
    reference::Failures,
};
use host::MemoryHost;

pub use access::McpAccess;

/// The bytes of a request; a call of a memory tool is small.
const REQUEST_BYTES: usize = 1 << 20;

/// The type of the body of a request.
const JSON: &str = "application/json";

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
            StatusCode::CONFLICT,
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
    let is_json = is_json(request.headers());
    let response = service.handle(request).await.map(Body::new).into_response();
    match response.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE if is_json => Ok(unreadable(response).await),
        _ => Ok(response),
    }
}

/// Whether the body is JSON by its header.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    kind.len() >= JSON.len() && kind[..JSON.len()].eq_ignore_ascii_case(JSON.as_bytes())
}

/// The error of JSON-RPC in place of rmcp's response to a body that it cannot read, which is a 415 in plain text.
async fn unreadable(response: Response) -> Response {
    let text = axum::body::to_bytes(response.into_body(), REQUEST_BYTES).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    // rmcp gives a position only if the body is not JSON
    let (code, message) = match text.contains(" at line ") {
        true => {
            let why = text.trim_start_matches("fail to deserialize request body").trim();
            (-32700, format!("the body is no JSON: {why}"))
        }
        false => (-32600, "the body is JSON and no message of JSON-RPC 2.0".to_owned()),
    };
    let error = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } });
    (StatusCode::BAD_REQUEST, Json(error)).into_response()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_body_that_is_no_message_is_an_error_of_json_rpc() {
        for (why, code) in
            [("expected `,` at line 1 column 3", -32700), ("unrecognized JSON-RPC message", -32600)]
        {
            let theirs = format!("fail to deserialize request body {why}");
            let ours = unreadable((StatusCode::UNSUPPORTED_MEDIA_TYPE, theirs).into_response()).await;
            assert_eq!(ours.status(), StatusCode::BAD_REQUEST);
            let body = axum::body::to_bytes(ours.into_body(), 1000).await.unwrap();
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(body["error"]["code"], code, "{body}");
            assert!(body["id"].is_null() && body["jsonrpc"] == "2.0", "{body}");
        }
    }
}
