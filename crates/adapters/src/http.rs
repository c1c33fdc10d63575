//! HTTP client for the APIs of platforms. Its errors tell whether a failed call may have taken effect.

#[cfg(feature = "tls")]
use std::path::Path;
use std::time::Duration;

use greenroom_core::{SystemClock, Time, Timestamp};
use reqwest::{Client, ClientBuilder, Method, RequestBuilder, header::HeaderMap, redirect};
use serde_json::Value;

use crate::{Inlet, Outcome};

/// The time limit for connecting.
const CONNECT: Duration = Duration::from_secs(8);
/// The time limit for a call; below the 30 s that `perform` may take.
const CALL: Duration = Duration::from_secs(20);
/// The client does not reuse a connection that was idle for longer. The platform may be closing it, and then the
/// outcome of a call would be uncertain.
const IDLE: Duration = Duration::from_secs(4);
/// The longest answer in bytes.
const LONGEST: usize = 16 << 20;

/// A client of one platform's API.
#[derive(Debug, Clone)]
pub(crate) struct Http {
    client: Client,
    base: String,
}

/// An answer of the platform, whatever its status.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    /// Null if the body is empty or not JSON.
    pub(crate) body: Value,
}

/// Why there is no answer. The texts contain no address, because Telegram's addresses contain the token (X5).
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpError {
    /// Nothing was sent.
    #[error("cannot connect: {0}")]
    NotSent(String),
    /// The call may have taken effect.
    #[error("the answer was lost: {0}")]
    Lost(String),
}

impl Http {
    /// A client of the API at `base`, without a slash at its end.
    ///
    /// # Errors
    /// The system has no certificates.
    pub(crate) fn new(base: impl Into<String>) -> Result<Self, String> {
        // an error means that a provider is already installed
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self::of(base, Client::builder())
    }

    /// As `new`, for a server whose certificate may come from a file.
    ///
    /// # Errors
    /// The file cannot be read.
    #[cfg(feature = "tls")]
    pub(crate) fn trusting(base: impl Into<String>, ca_file: Option<&Path>) -> Result<Self, String> {
        match ca_file {
            None => Self::new(base),
            Some(_) => {
                Self::of(base, Client::builder().tls_backend_preconfigured(crate::tls::client(ca_file)?))
            }
        }
    }

    fn of(base: impl Into<String>, builder: ClientBuilder) -> Result<Self, String> {
        let client = builder
            .connect_timeout(CONNECT)
            .timeout(CALL)
            .pool_idle_timeout(IDLE)
            // a redirect could send the token to another server
            .redirect(redirect::Policy::none())
            .user_agent(concat!("Greenroom/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Self { client, base: base.into() })
    }

    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// A call of `path` below the base address.
    pub(crate) fn call(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.base))
    }

    /// A GET call of an absolute address that the platform gave.
    pub(crate) fn get_absolute(&self, url: &str) -> RequestBuilder {
        self.client.get(url)
    }

    /// A POST call of an absolute address that the platform gave.
    pub(crate) fn call_absolute(&self, url: &str) -> RequestBuilder {
        self.client.post(url)
    }
}

/// Sends a call and reads its answer.
pub(crate) async fn send(request: RequestBuilder) -> Result<Answer, HttpError> {
    let mut response = request.send().await.map_err(|error| {
        let not_sent = error.is_connect() || error.is_builder();
        let text = cause(error.without_url());
        if not_sent { HttpError::NotSent(text) } else { HttpError::Lost(text) }
    })?;
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let mut body = Vec::new();
    loop {
        let chunk = response.chunk().await.map_err(|error| HttpError::Lost(cause(error.without_url())))?;
        let Some(chunk) = chunk else { break };
        body.extend_from_slice(&chunk);
        if body.len() > LONGEST {
            return Err(HttpError::Lost("the answer is too long".to_owned()));
        }
    }
    Ok(Answer { status, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}

/// Downloads a file of at most `most` bytes.
///
/// # Errors
/// The reason, without the address.
pub(crate) async fn fetch(request: RequestBuilder, most: usize) -> Result<Vec<u8>, String> {
    let failed = |error: reqwest::Error| cause(error.without_url());
    let mut response = request.send().await.map_err(failed)?;
    if !response.status().is_success() {
        return Err(format!("the platform answers {}", response.status().as_u16()));
    }
    let too_large = || Err(format!("it is larger than {} MB", most >> 20));
    if response.content_length().is_some_and(|length| length > most as u64) {
        return too_large();
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if bytes.len() + chunk.len() > most {
            return too_large();
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// The host of an address, if the address uses `https`. With `local`, also if it is this machine over `http`.
pub(crate) fn host(url: &str, local: bool) -> Option<String> {
    let url = reqwest::Url::parse(url).ok()?;
    let host = url.host_str()?.to_owned();
    let is_plain = local && url.scheme() == "http" && crate::registry::is_local(&host);
    (url.scheme() == "https" || is_plain).then_some(host)
}

/// The innermost cause, which says more than `error sending request`.
fn cause(error: reqwest::Error) -> String {
    if let Some(words) = crate::certificate::problem(&error) {
        return words;
    }
    let mut source: &dyn std::error::Error = &error;
    while let Some(inner) = source.source() {
        source = inner;
    }
    source.to_string()
}

impl Answer {
    /// The `Retry-After` header, a number of seconds or a date (RFC 9110), or one second without it.
    pub(crate) fn retry_after(&self) -> Duration {
        let header = self.headers.get("retry-after").and_then(|value| value.to_str().ok());
        let seconds = header.and_then(|value| value.parse::<f64>().ok().or_else(|| seconds_until(value)));
        let seconds = seconds.filter(|seconds| seconds.is_finite());
        Duration::from_secs_f64(seconds.unwrap_or(1.0).clamp(0.0, 86_400.0))
    }
}

/// The seconds until a date of HTTP, at least one: `Wed, 21 Oct 2026 07:28:00 GMT`.
fn seconds_until(date: &str) -> Option<f64> {
    let at = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(date).ok()?;
    Some(Timestamp(at.as_microsecond()).since(SystemClock.now()).as_secs_f64().max(1.0))
}

impl From<HttpError> for Outcome {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::NotSent(_) => Self::Failed(error.to_string()),
            HttpError::Lost(_) => Self::Uncertain(error.to_string()),
        }
    }
}

/// Sleeps, but returns early when the program stops. Returns true if it slept to the end.
pub(crate) async fn pause(length: Duration, closing: &tokio_util::sync::CancellationToken) -> bool {
    tokio::select! {
        () = tokio::time::sleep(length) => true,
        () = closing.cancelled() => false,
    }
}

/// Sleeps because the platform asked for it, and reports that to operators. Returns as `pause` does.
pub(crate) async fn patience(length: Duration, inlet: &dyn Inlet) -> bool {
    inlet.asked_to_wait(length);
    pause(length, &inlet.closing()).await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A date counted as one second, so that a reply was given up before the platform wanted to hear it.
    #[test]
    fn ad7_the_platforms_wait_is_a_number_or_a_date() {
        let wait = |value: &str| {
            let headers = HeaderMap::from_iter([("retry-after".parse().unwrap(), value.parse().unwrap())]);
            Answer { status: 429, headers, body: Value::Null }.retry_after().as_secs()
        };
        let at = jiff::Timestamp::from_microsecond(SystemClock.now().0).unwrap() + Duration::from_secs(100);
        let date = at.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
        assert!((95..=100).contains(&wait(&date)), "{date}");
        assert_eq!((wait("7"), wait("soon"), wait("Wed, 21 Oct 2015 07:28:00 GMT")), (7, 1, 1));
    }
}
