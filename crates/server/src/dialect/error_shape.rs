//! Errors in the shape of a dialect. Handlers, the guard and the limits all refuse with an [`ApiError`]. The path of
//! the request determines the shape, so that clients of Anthropic and Ollama can read it. The list of models has the
//! same path in the APIs of OpenAI and Anthropic; there a header of Anthropic's clients decides.

use axum::response::{IntoResponse, Response};
use http::{
    HeaderMap,
    header::{CONTENT_LENGTH, CONTENT_TYPE},
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::reply_events::CONTEXT_FULL;
use crate::{ApiError, extract::Json};

/// The shapes of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// `{"error": {"message", "type", "param", "code"}}`, for all other paths.
    OpenAi,
    /// `{"type": "error", "error": {"type", "message"}}`.
    Anthropic,
    /// `{"error": "message"}`.
    Ollama,
}

/// The first path segments of Ollama's API below `/api`, including routes that this server does not have. Other
/// segments belong to the native API.
const OLLAMA: [&str; 14] = [
    "blobs",
    "chat",
    "copy",
    "create",
    "delete",
    "embed",
    "embeddings",
    "generate",
    "ps",
    "pull",
    "push",
    "show",
    "tags",
    "version",
];

/// The header of every request of Anthropic's clients.
const ANTHROPIC: &str = "anthropic-version";

/// Whether a client of Anthropic's API makes the request.
pub(crate) fn is_of_anthropic(headers: &HeaderMap) -> bool {
    headers.contains_key(ANTHROPIC)
}

impl Shape {
    fn of(path: &str, of_anthropic: bool) -> Self {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let parts = match parts.as_slice() {
            ["v1", "c", _, "v1", rest @ ..] | ["v1", "c", _, rest @ ..] | ["v1", rest @ ..] => rest,
            ["api", name, ..] if OLLAMA.contains(name) => return Self::Ollama,
            _ => return Self::OpenAi,
        };
        match parts {
            ["messages", ..] => Self::Anthropic,
            ["models", ..] if of_anthropic => Self::Anthropic,
            ["api", ..] => Self::Ollama,
            _ => Self::OpenAi,
        }
    }
}

/// The same refusal in the shape of the dialect of a path. `of_anthropic`: a client of Anthropic's API made the
/// request.
pub(crate) fn reshaped(path: &str, of_anthropic: bool, response: Response) -> Response {
    let Some(error) = response.extensions().get::<ApiError>() else { return response };
    let body = match Shape::of(path, of_anthropic) {
        // every error already has this shape
        Shape::OpenAi => return response,
        Shape::Anthropic => Json(AnthropicError::from(error)).into_response(),
        Shape::Ollama => Json(OllamaError::from(error)).into_response(),
    };
    let (mut head, _) = response.into_parts();
    head.headers.remove(CONTENT_LENGTH);
    head.headers.insert(CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    Response::from_parts(head, body.into_body())
}

/// An error of Anthropic's API.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = anthropic::Error)]
pub(crate) struct AnthropicError {
    /// Always `error`.
    r#type: &'static str,
    /// `type`, `message`, `code`, and `details` with the code again, where the SDK reads it.
    error: Value,
}

impl From<&ApiError> for AnthropicError {
    fn from(error: &ApiError) -> Self {
        let kind = match error.status.as_u16() {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            503 => "overloaded_error",
            504 => "timeout_error",
            400..=499 => "invalid_request_error",
            _ => "api_error",
        };
        let message = match &error.param {
            // the words by which clients recognise it; Anthropic's API has no code for it
            _ if error.code == CONTEXT_FULL => format!("prompt is too long: {}", error.message),
            Some(param) if !error.message.starts_with(param) => format!("{param}: {}", error.message),
            _ => error.message.clone(),
        };
        let details = json!({ "error_code": error.code });
        let error = json!({ "type": kind, "message": message, "code": error.code, "details": details });
        Self { r#type: "error", error }
    }
}

/// An error of Ollama's API.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ollama::Error)]
pub(crate) struct OllamaError {
    /// What happened and what to do.
    error: String,
    /// For programs.
    code: &'static str,
}

impl From<&ApiError> for OllamaError {
    fn from(error: &ApiError) -> Self {
        Self { error: error.message.clone(), code: error.code }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e1_the_path_says_which_shape_an_error_has() {
        for (path, shape) in [
            ("/v1/messages", Shape::Anthropic),
            ("/v1/messages/count_tokens", Shape::Anthropic),
            ("/v1/c/den/messages", Shape::Anthropic),
            ("/v1/c/den/v1/messages", Shape::Anthropic),
            ("/v1/c/messages/responses", Shape::OpenAi),
            ("/v1/chat/completions", Shape::OpenAi),
            ("/v1/c/den/api/chat", Shape::Ollama),
            ("/api/chat", Shape::Ollama),
            ("/api/tags", Shape::Ollama),
            ("/api/chat/nope", Shape::Ollama),
            ("/api/pull", Shape::Ollama),
            ("/v1/models", Shape::OpenAi),
            ("/api/channels", Shape::OpenAi),
            ("/api/channels/api:den/messages", Shape::OpenAi),
            ("/", Shape::OpenAi),
        ] {
            assert_eq!(Shape::of(path, false), shape, "{path}");
        }
        // both APIs have this path
        for path in ["/v1/models", "/v1/models/nobody", "/v1/c/den/v1/models"] {
            assert_eq!(Shape::of(path, true), Shape::Anthropic, "{path}");
        }
        assert_eq!(Shape::of("/v1/chat/completions", true), Shape::OpenAi);
    }

    #[test]
    fn e1_an_error_keeps_its_status_and_headers_in_every_shape() {
        let error = || ApiError::not_found("model_not_found", "there is no persona `x`").about("model");
        let anthropic = json!(AnthropicError::from(&error()));
        assert_eq!(anthropic["error"]["type"], "not_found_error");
        assert_eq!(anthropic["error"]["message"], "model: there is no persona `x`");
        assert_eq!(anthropic["error"]["details"]["error_code"], "model_not_found");
        let at = ApiError::invalid("messages[0] cannot be used").about("messages[0]");
        assert_eq!(
            json!(AnthropicError::from(&at))["error"]["message"],
            "messages[0] cannot be used",
            "named once"
        );
        let full =
            ApiError::new(http::StatusCode::BAD_REQUEST, CONTEXT_FULL, "4 of 3 tokens").about("messages");
        let full = json!(AnthropicError::from(&full));
        assert_eq!(full["error"]["message"], "prompt is too long: 4 of 3 tokens");
        assert_eq!(full["error"]["type"], "invalid_request_error");
        assert_eq!(json!(OllamaError::from(&error()))["error"], "there is no persona `x`");
        let waiting = error().after(std::time::Duration::from_secs(3)).into_response();
        let response = reshaped("/v1/messages", false, waiting);
        assert_eq!(
            (response.status().as_u16(), &response.headers()["retry-after"]),
            (404, &"3".parse().unwrap())
        );
    }
}
