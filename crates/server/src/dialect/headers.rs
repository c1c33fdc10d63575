//! The headers of a request and the channel of its path, in any dialect.

use axum::extract::{FromRequestParts, RawPathParams};
use http::{HeaderMap, request::Parts};

use crate::{ApiError, validate::idempotency_key};

/// The parts of a request beside its body.
#[derive(Debug)]
pub(crate) struct RequestHeaders {
    /// The channel of the base URL: `/v1/c/{channel}`.
    pub(crate) base: Option<String>,
    /// The channel of `X-Greenroom-Channel`.
    pub(crate) header: Option<String>,
    /// Whether `X-Greenroom-No-Memory` switches recall off.
    pub(crate) disable_memory: bool,
    /// The `Idempotency-Key`.
    pub(crate) key: Option<String>,
    /// Whether an SDK states that it repeats the request.
    pub(crate) retried: bool,
}

impl<S: Send + Sync> FromRequestParts<S> for RequestHeaders {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = RawPathParams::from_request_parts(parts, state).await;
        let path = path.map_err(|rejection| ApiError::invalid(rejection.body_text()))?;
        let base = path.iter().find(|(name, _)| *name == "channel").map(|(_, channel)| channel.to_owned());
        Self::of(base, &parts.headers)
    }
}

impl RequestHeaders {
    fn of(base: Option<String>, headers: &HeaderMap) -> Result<Self, ApiError> {
        Ok(Self {
            base,
            header: header(headers, "x-greenroom-channel")?.map(str::to_owned),
            disable_memory: switched(header(headers, "x-greenroom-no-memory")?)?,
            key: idempotency_key(headers)?,
            retried: header(headers, "x-stainless-retry-count")?.is_some_and(|count| count != "0"),
        })
    }
}

/// A header's value, if it is a text.
fn header<'a>(headers: &'a HeaderMap, name: &'static str) -> Result<Option<&'a str>, ApiError> {
    let value = headers.get(name).map(|value| value.to_str().map(str::trim));
    value
        .transpose()
        .map_err(|_| ApiError::invalid(format!("{name} holds other characters than ASCII")).about(name))
}

fn switched(header: Option<&str>) -> Result<bool, ApiError> {
    match header.unwrap_or_default().to_ascii_lowercase().as_str() {
        "1" | "true" => Ok(true),
        "" | "0" | "false" => Ok(false),
        _ => Err(ApiError::invalid("X-Greenroom-No-Memory is 1 or 0").about("x-greenroom-no-memory")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(headers: &[(&'static str, &str)]) -> Result<RequestHeaders, ApiError> {
        let headers = headers.iter().map(|(name, value)| ((*name).parse().unwrap(), value.parse().unwrap()));
        RequestHeaders::of(None, &headers.collect())
    }

    #[test]
    fn bd6_memory_is_switched_off_by_a_header() {
        assert!(headers(&[("x-greenroom-no-memory", "1")]).unwrap().disable_memory);
        assert!(!headers(&[("x-greenroom-no-memory", "0")]).unwrap().disable_memory);
        assert!(headers(&[("x-greenroom-no-memory", "maybe")]).is_err());
    }

    #[test]
    fn gr6_an_sdk_says_when_it_tries_again() {
        let retried = |count| headers(&[("x-stainless-retry-count", count)]).unwrap().retried;
        assert!(retried("1") && retried("2") && !retried("0"));
        assert!(!headers(&[]).unwrap().retried);
    }
}
