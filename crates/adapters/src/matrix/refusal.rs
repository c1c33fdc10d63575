//! Errors of calls to a homeserver.

use std::time::Duration;

use serde_json::Value;

use crate::{Ended, Outcome, http::HttpError};

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// The token is wrong.
    #[error(
        "the homeserver does not know the access token; log in again and set the variable to the new one"
    )]
    Token,
    /// The homeserver asks to wait.
    #[error("the homeserver asks to wait for {0:?}")]
    TooMany(Duration),
    /// The homeserver refuses permanently.
    #[error("the homeserver refuses: {0}")]
    Bad(String),
    /// The homeserver failed; the call may have taken effect.
    #[error("the homeserver failed with status {0}")]
    Failed(u16),
    /// The answer does not come from a homeserver but, for example, from a proxy. The call may have taken effect.
    #[error(
        "the answer to {path} is not that of a homeserver, {what}; check `server` of the account, and the proxy before it"
    )]
    Malformed {
        /// The path that was called.
        path: String,
        /// What is wrong with the answer.
        what: String,
    },
    /// There is no answer.
    #[error(transparent)]
    Http(#[from] HttpError),
}

impl Refusal {
    /// How the connection ends after this error.
    pub(super) fn ended(self) -> Ended {
        match self {
            Self::Token => Ended::Refused(self.to_string()),
            refusal => Ended::Broken(refusal.to_string()),
        }
    }
}

impl From<Refusal> for Outcome {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::TooMany(wait) => Self::RetryAfter(wait),
            Refusal::Http(error) => error.into(),
            Refusal::Token => Self::Denied(refusal.to_string()),
            Refusal::Failed(_) | Refusal::Malformed { .. } => Self::Uncertain(refusal.to_string()),
            refusal => Self::Refused(refusal.to_string()),
        }
    }
}

/// The answer to `path` does not have the form that the specification requires.
pub(super) fn malformed(path: &str, what: impl Into<String>) -> Refusal {
    // without the query, which contains the filter and the cursor of a sync
    let path = path.split('?').next().unwrap_or_default().to_owned();
    Refusal::Malformed { path, what: what.into() }
}

/// A required text of an answer.
///
/// # Errors
/// The text is missing or empty.
pub(super) fn required(answer: &Value, path: &str, field: &str) -> Result<String, Refusal> {
    let text = answer[field].as_str().filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| malformed(path, format!("it has no `{field}`")))
}

/// Ends the connection with an error. The caller connects again after a pause.
pub(super) fn broken(error: impl std::fmt::Display) -> Ended {
    Ended::Broken(error.to_string())
}
