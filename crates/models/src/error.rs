//! Errors of model calls, in classes that a caller can act on.

use std::time::Duration;

use greenroom_core::ErrorCode;

/// Why a call failed. Messages contain no key, no prompt and at most one line of the endpoint's own text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The connection failed.
    #[error("cannot reach the model at {endpoint}: {reason}; is the server running?")]
    Unreachable {
        /// The base URL.
        endpoint: String,
        /// The error of the operating system.
        reason: String,
    },
    /// One of the three timeouts ran out (L4).
    #[error(
        "the model at {endpoint} did not {what} within {after:?}; raise model.timeouts if it is only slow"
    )]
    Timeout {
        /// The base URL.
        endpoint: String,
        /// The step that took too long: `accept the connection`, `begin to answer`, `go on`.
        what: &'static str,
        /// The limit.
        after: Duration,
    },
    /// The endpoint limits the rate: status 429 (L1, L2).
    #[error("the model at {endpoint} wants fewer requests: {reason}")]
    RateLimited {
        /// The base URL.
        endpoint: String,
        /// The endpoint's message.
        reason: String,
        /// The wait that `Retry-After` asks for.
        retry_after: Option<Duration>,
    },
    /// The endpoint refuses the key: status 401 or 403.
    #[error(
        "the model at {endpoint} refuses the key: {reason}; `greenroom config show` names the keys that are set"
    )]
    Unauthorized {
        /// The base URL.
        endpoint: String,
        /// The endpoint's message.
        reason: String,
    },
    /// The endpoint does not know the model.
    #[error("{endpoint} does not know the model `{model}`: {reason}; choose another with --model")]
    UnknownModel {
        /// The base URL.
        endpoint: String,
        /// The requested model.
        model: String,
        /// The endpoint's message.
        reason: String,
    },
    /// No setting names a model and the endpoint has not listed its models yet.
    #[error("no model is chosen at {endpoint}: {reason}; name one with --model or model.name")]
    NotChosen {
        /// The base URL.
        endpoint: String,
        /// Why the list of models is unknown.
        reason: String,
    },
    /// The request is longer than the model's window (L12).
    #[error(
        "the request is too long for the model at {endpoint}: {reason}; set model.context_window to its real window"
    )]
    ContextLength {
        /// The base URL.
        endpoint: String,
        /// The endpoint's message.
        reason: String,
    },
    /// The endpoint refused the request with another 4xx status.
    #[error("the model at {endpoint} refused the request ({status}): {reason}")]
    Rejected {
        /// The base URL.
        endpoint: String,
        /// The HTTP status.
        status: u16,
        /// The endpoint's message.
        reason: String,
    },
    /// The endpoint failed: status 5xx, or an error object inside a stream (L3, L8).
    #[error("the model at {endpoint} failed: {reason}")]
    Server {
        /// The base URL.
        endpoint: String,
        /// The endpoint's message.
        reason: String,
    },
    /// The stream was cut off or invalid (L5 to L10).
    #[error("the answer of the model at {endpoint} broke off: {reason}")]
    Broken {
        /// The base URL.
        endpoint: String,
        /// What was wrong with the stream.
        reason: String,
    },
    /// The settings name an endpoint that cannot be used.
    #[error("the model endpoint {endpoint} cannot be used: {reason}")]
    Misconfigured {
        /// The base URL.
        endpoint: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// The built-in model is not installed or cannot run.
    #[error("the built-in model cannot run: {reason}")]
    Local {
        /// What is wrong and what to do.
        reason: String,
    },
    /// The call would use more tokens than are left in its budget.
    #[error("the model `{model}` is not asked: {reason}")]
    NoTokensLeft {
        /// The name of the model.
        model: String,
        /// How many tokens are left, and a remedy.
        reason: String,
    },
    /// A scripted model got a request that its script does not expect.
    #[error("the script {script} does not go on like this: {reason}")]
    Script {
        /// The path of the script.
        script: String,
        /// The difference between the request and the expectation.
        reason: String,
    },
}

impl ModelError {
    /// Whether the same call may succeed a moment later.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::Timeout { .. }
                | Self::RateLimited { .. }
                | Self::Server { .. }
                | Self::Broken { .. }
        )
    }
    /// The reason in a few words, for a notice that names the endpoint itself.
    pub fn reason(&self) -> String {
        match self {
            Self::Timeout { what, after, .. } => format!("did not {what} within {after:?}"),
            Self::Rejected { status, reason, .. } => format!("{reason} ({status})"),
            Self::Unreachable { reason, .. }
            | Self::RateLimited { reason, .. }
            | Self::Unauthorized { reason, .. }
            | Self::UnknownModel { reason, .. }
            | Self::NotChosen { reason, .. }
            | Self::NoTokensLeft { reason, .. }
            | Self::ContextLength { reason, .. }
            | Self::Server { reason, .. }
            | Self::Broken { reason, .. }
            | Self::Misconfigured { reason, .. }
            | Self::Local { reason }
            | Self::Script { reason, .. } => reason.clone(),
        }
    }
    /// The error code of a turn that fails with this error.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Unreachable { .. } | Self::Misconfigured { .. } | Self::NotChosen { .. } => {
                ErrorCode::ModelUnreachable
            }
            Self::Timeout { .. } => ErrorCode::ModelTimeout,
            Self::RateLimited { .. } => ErrorCode::RateLimited,
            Self::Unauthorized { .. } => ErrorCode::Unauthorized,
            Self::UnknownModel { .. } => ErrorCode::ModelUnknown,
            Self::ContextLength { .. } => ErrorCode::ContextFull,
            Self::NoTokensLeft { .. } => ErrorCode::BudgetExceeded,
            Self::Rejected { .. } => ErrorCode::ModelRejected,
            Self::Server { .. } | Self::Broken { .. } | Self::Local { .. } | Self::Script { .. } => {
                ErrorCode::ModelBroken
            }
        }
    }
}
