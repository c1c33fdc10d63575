//! The error response of every route, in the shape of OpenAI's API:
//! `{"error": {"message", "type", "param", "code"}}`.

use std::time::Duration;

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use greenroom_core::ErrorCode;
use greenroom_memory::MemoryError;
use greenroom_runtime::RuntimeError;
use greenroom_store::StoreError;
use http::{HeaderValue, StatusCode, header::RETRY_AFTER};
use serde::Serialize;
use utoipa::ToSchema;

/// The error of a request, with a remedy.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiError {
    /// The HTTP status.
    pub status: StatusCode,
    /// For programs, such as `unknown_persona`.
    pub code: &'static str,
    /// For people: what happened and what to do.
    pub message: String,
    /// The wrong field or parameter.
    pub param: Option<String>,
    /// The time after which to try again.
    pub retry_after: Option<Duration>,
    /// Whether a limit refused the request; refusals are counted.
    pub refused: bool,
}

/// An extension of the response to a request that a limit refused, with the code.
#[derive(Debug, Clone, Copy)]
pub struct Refused(pub &'static str);

impl ApiError {
    /// An error with a status and a code.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), param: None, retry_after: None, refused: false }
    }

    /// A request that is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request", message)
    }

    /// Something that does not exist, or not for this caller.
    pub fn not_found(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }

    /// A defect; the log has the cause.
    pub fn internal() -> Self {
        let message = "an internal error; the log has the cause. Try again";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }

    /// Names the field or parameter that is wrong.
    #[must_use]
    pub fn about(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    /// Adds the time after which to try again.
    #[must_use]
    pub fn after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Marks a refusal by a limit.
    #[must_use]
    pub fn refused(mut self) -> Self {
        self.refused = true;
        self
    }

    /// The `type` of OpenAI's API for the status.
    fn kind(&self) -> &'static str {
        match self.status.as_u16() {
            401 => "authentication_error",
            403 => "permission_error",
            429 => "rate_limit_error",
            400..=499 => "invalid_request_error",
            _ => "server_error",
        }
    }

    /// The body of the response.
    pub fn body(&self) -> ErrorBody {
        let error = ErrorDetail {
            message: self.message.clone(),
            kind: self.kind().to_owned(),
            param: self.param.clone(),
            code: self.code.to_owned(),
        };
        ErrorBody { error }
    }
}

/// The body of every error response.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ErrorBody {
    /// What happened.
    pub error: ErrorDetail,
}

/// What happened, for people and for programs.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ErrorDetail {
    /// For people: what happened and what to do.
    pub message: String,
    /// The kind of error, in the words of OpenAI's API.
    #[serde(rename = "type")]
    pub kind: String,
    /// Which field or parameter is wrong.
    pub param: Option<String>,
    /// For programs.
    pub code: String,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body())).into_response();
        if let Some(wait) = self.retry_after {
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds.max(1)));
        }
        if self.refused {
            response.extensions_mut().insert(Refused(self.code));
        }
        // error_shape.rs rewrites the body for Anthropic's and Ollama's APIs
        response.extensions_mut().insert(self);
        response
    }
}

impl From<RuntimeError> for ApiError {
    fn from(error: RuntimeError) -> Self {
        let message = error.to_string();
        match error {
            RuntimeError::UnknownPersona { .. } => Self::not_found("unknown_persona", message),
            RuntimeError::UnknownMessage { .. } => Self::not_found("unknown_message", message),
            RuntimeError::NotRetried { .. } => Self::new(StatusCode::CONFLICT, "not_retried", message),
            RuntimeError::DeadLetter { .. } => Self::new(StatusCode::CONFLICT, "dead_letter", message),
            RuntimeError::Store(error) => error.into(),
            RuntimeError::Busy { .. } => Self::new(StatusCode::TOO_MANY_REQUESTS, "channel_busy", message)
                .after(Duration::from_secs(1))
                .refused(),
            RuntimeError::NobodyAnswers { .. } => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "nobody_answers", message)
            }
            RuntimeError::Context { code, .. } => Self::new(status_of(code), code.as_str(), message),
            RuntimeError::Crashed { .. } => Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message),
            RuntimeError::Stopped => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "stopping", message).after(Duration::from_secs(5))
            }
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        match error {
            _ if error.is_refusal() => Self::new(StatusCode::CONFLICT, "conflict", message),
            _ => Self::new(StatusCode::SERVICE_UNAVAILABLE, "store_failed", message)
                .after(Duration::from_secs(5)),
        }
    }
}

impl From<MemoryError> for ApiError {
    fn from(error: MemoryError) -> Self {
        match error {
            MemoryError::Store(error) => error.into(),
            error => Self::invalid(error.to_string()),
        }
    }
}

/// The status for a failed turn.
pub fn status_of(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::ModelTimeout => StatusCode::GATEWAY_TIMEOUT,
        ErrorCode::RateLimited | ErrorCode::BudgetExceeded => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::ContextFull => StatusCode::BAD_REQUEST,
        ErrorCode::StoreFailed | ErrorCode::PersonaStopped => StatusCode::SERVICE_UNAVAILABLE,
        // the message can be sent again
        ErrorCode::ForgottenMeanwhile => StatusCode::CONFLICT,
        ErrorCode::ModelUnreachable
        | ErrorCode::Unauthorized
        | ErrorCode::ModelUnknown
        | ErrorCode::ModelRejected
        | ErrorCode::ModelBroken => StatusCode::BAD_GATEWAY,
        ErrorCode::Interrupted | ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
