//! The errors of requests that a limit refused. Each is counted.

use std::time::Duration;

use http::StatusCode;

use crate::ApiError;

/// A refusal by a limit; it is counted.
pub(super) fn refuse(status: StatusCode, code: &'static str, message: impl Into<String>) -> ApiError {
    ApiError::new(status, code, message).refused()
}

/// The refusal of one more than `most` at a time.
pub(super) fn too_many(code: &'static str, what: &str, most: usize, setting: &str) -> ApiError {
    let message = format!(
        "there are {most} {what} already, the most at a time; wait until one ends, or raise server.{setting}"
    );
    refuse(StatusCode::TOO_MANY_REQUESTS, code, message).after(Duration::from_secs(1))
}

/// The refusal of a caller that sends too many requests a minute.
pub(super) fn too_fast(wait: Duration) -> ApiError {
    let message = "you send requests too fast; wait as long as Retry-After says";
    refuse(StatusCode::TOO_MANY_REQUESTS, "rate_limited", message).after(wait)
}
