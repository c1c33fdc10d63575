//! Why a call of a homeserver did not succeed.

use std::time::Duration;

use serde_json::Value;

use crate::{Ended, Outcome, http::HttpError};

/// Why a call did not succeed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// The token is none.
    #[error(
        "the homeserver does not know the access token; log in again and set the variable to the new one"
    )]
    Token,
    /// The homeserver asks to wait.
    #[error("the homeserver asks to wait for {0:?}")]
    TooMany(Duration),
    /// It refuses for good.
    #[error("the homeserver refuses: {0}")]
    Bad(String),
    /// It failed; the call may have taken effect.
    #[error("the homeserver failed with status {0}")]
    Failed(u16),
    /// The answer is not that of a homeserver, as where a proxy answers in its place. The call may have taken effect.
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
    /// How the connection ends.
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
            Refusal::Failed(_) | Refusal::Malformed { .. } => Self::Uncertain(refusal.to_string()),
            refusal => Self::Refused(refusal.to_string()),
        }
    }
}

/// The answer to `path` does not have the form that the specification requires.
pub(super) fn malformed(path: &str, what: impl Into<String>) -> Refusal {
    // without the filter and the cursor of a sync
    let path = path.split('?').next().unwrap_or_default().to_owned();
    Refusal::Malformed { path, what: what.into() }
}

/// A text that an answer has to have.
///
/// # Errors
/// The answer has no such text, or an empty one.
pub(super) fn required(answer: &Value, path: &str, field: &str) -> Result<String, Refusal> {
    let text = answer[field].as_str().filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| malformed(path, format!("it has no `{field}`")))
}

/// The connection ends with an error, and is made again after a pause.
pub(super) fn broken(error: impl std::fmt::Display) -> Ended {
    Ended::Broken(error.to_string())
}
