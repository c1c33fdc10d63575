//! Classification of an endpoint's refusals.
//!
//! Providers agree on the status codes and on little else, so the meaning follows from status, code and wording
//! together. The functions are pure; the tests contain wordings that real endpoints sent.

use std::time::Duration;

use jiff::{Timestamp, fmt::rfc2822};
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;

use super::Endpoint;
use crate::ModelError;

/// A refusal: the status of the response, or the status in an error object of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    status: u16,
    code: String,
    message: String,
    /// How long the endpoint asks to wait.
    wait: Option<Duration>,
}

impl Refusal {
    /// Reads the body of a refusal, which may be an error object, other JSON, HTML or nothing.
    pub(super) fn read(status: u16, body: &[u8]) -> Self {
        if let Ok(value) = serde_json::from_slice::<Value>(body) {
            return Self { status, ..Self::object(value.get("error").unwrap_or(&value)) };
        }
        let text = String::from_utf8_lossy(body);
        let message = if text.trim_start().starts_with('<') { String::new() } else { text.into_owned() };
        Self { status, code: String::new(), message, wait: None }
    }

    /// Adds the wait of the headers.
    pub(super) fn with_wait(self, wait: Option<Duration>) -> Self {
        Self { wait, ..self }
    }

    /// Reads the error in a chunk of a stream: at its top level, or in its choice (L8).
    pub(super) fn in_chunk(json: &[u8]) -> Self {
        let chunk: Value = serde_json::from_slice(json).unwrap_or_default();
        let choice = chunk.pointer("/choices/0");
        let error = |of: &Value| of.get("error").filter(|error| !error.is_null()).cloned();
        Self::object(&error(&chunk).or_else(|| choice.and_then(error)).or(choice.cloned()).unwrap_or(chunk))
    }

    /// Reads an error object. Its status is its numeric code, else 500.
    fn object(error: &Value) -> Self {
        let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
        let message = match error {
            Value::String(message) => message.clone(),
            _ => [text("message"), text("detail")].into_iter().find(|m| !m.is_empty()).map_or_else(
                || if error.is_object() { error.to_string() } else { String::new() },
                str::to_owned,
            ),
        };
        let number = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        Self {
            status: number.filter(|code| (400..600).contains(code)).unwrap_or(500),
            code: format!("{} {}", text("code"), text("type")).to_lowercase(),
            message,
            wait: None,
        }
    }

    /// Whether the provider's filter refused the prompt with an error status (L11).
    pub(super) fn is_content_filter(&self) -> bool {
        self.status == 400 && self.code.contains("content_filter")
    }

    /// The refusal as an error a caller can act on.
    pub(super) fn into_error(self, endpoint: &Endpoint, model: &str) -> ModelError {
        let said = if self.message.trim().is_empty() { self.canonical() } else { self.message.clone() };
        let (endpoint, reason) = (endpoint.url().to_owned(), endpoint.quote(&said));
        match self.meaning() {
            Meaning::Unauthorized => ModelError::Unauthorized { endpoint, reason },
            Meaning::UnknownModel => ModelError::UnknownModel { endpoint, model: model.to_owned(), reason },
            Meaning::ContextLength => ModelError::ContextLength { endpoint, reason },
            Meaning::RateLimited => ModelError::RateLimited { endpoint, reason, retry_after: self.wait },
            Meaning::Server => ModelError::Server { endpoint, reason },
            Meaning::Rejected => ModelError::Rejected { endpoint, status: self.status, reason },
        }
    }

    fn canonical(&self) -> String {
        let status = http::StatusCode::from_u16(self.status).ok();
        let words = status.and_then(|status| status.canonical_reason()).unwrap_or("no reason given");
        format!("{} {words}", self.status)
    }

    fn meaning(&self) -> Meaning {
        let message = self.message.to_lowercase();
        match self.status {
            401 | 403 => Meaning::Unauthorized,
            // waiting does not help if the account has no credit
            429 if self.code.contains("insufficient_quota") => Meaning::Rejected,
            429 => Meaning::RateLimited,
            503 | 529 if self.wait.is_some() => Meaning::RateLimited,
            404 if message.contains("model") => Meaning::UnknownModel,
            _ if self.code.contains("model_not_found") => Meaning::UnknownModel,
            _ if is_context_length(&self.code, &message) => Meaning::ContextLength,
            408 | 500.. => Meaning::Server,
            _ => Meaning::Rejected,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Unauthorized,
    UnknownModel,
    ContextLength,
    RateLimited,
    Server,
    Rejected,
}

/// Whether the request is longer than the model's window (L12). Both texts in lower case. Rate limits mention tokens
/// too, but always tokens per time.
fn is_context_length(code: &str, message: &str) -> bool {
    const THROTTLED: [&str; 7] =
        ["per minute", "per min", "per day", "rate limit", "throttl", "try again", "quota"];
    const TOO_LONG: [&str; 16] = [
        "maximum context length",
        "maximum prompt length",
        "context length exceeded",
        "exceeds the context",
        "exceed context",
        "exceeds the available context",
        "exceeds the model's context",
        "exceeded model token limit",
        "greater than the context length",
        "context window",
        "prompt is too long",
        "input is too long",
        "input token count",
        "`inputs` tokens + `max_new_tokens`",
        "too many tokens",
        "reduce the length of the",
    ];
    const CODES: [&str; 3] = ["context_length_exceeded", "exceed_context_size", "tokens_limit_reached"];

    CODES.iter().any(|known| code.contains(known))
        || (!THROTTLED.iter().any(|words| message.contains(words))
            && TOO_LONG.iter().any(|words| message.contains(words)))
}

/// How long `Retry-After` asks to wait: seconds or a date (L1). A date is compared with the endpoint's own `Date`
/// header, if there is one, so that a difference between the two clocks does no harm.
pub(super) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let date = |text: &str| rfc2822::DateTimeParser::new().parse_timestamp(text).ok();
    let asked = text(RETRY_AFTER)?;
    if let Ok(seconds) = asked.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let from = text(DATE).and_then(date).unwrap_or(now);
    Some(Duration::try_from(date(asked)?.duration_since(from)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn meaning(status: u16, body: Value) -> Meaning {
        Refusal::read(status, body.to_string().as_bytes()).meaning()
    }
    fn says(status: u16, message: &str) -> Meaning {
        meaning(status, json!({ "error": { "message": message } }))
    }

    #[test]
    fn l12_a_request_too_long_is_known_in_every_wording() {
        for message in [
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
            "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens",
            "prompt is too long: 210000 tokens > 200000 maximum",
            "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            "the request exceeds the available context size, try increasing it",
            "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            "too many tokens: total number of tokens in the prompt cannot exceed 4081",
            "Please reduce the length of the messages or completion.",
            "Input is too long for requested model.",
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193",
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            "The number of tokens to keep from the initial prompt is greater than the context length",
            "Your input exceeds the context window of this model.",
            "Invalid request: Your request exceeded model token limit: 8192",
            "the input length exceeds the context length",
        ] {
            for status in [400, 413, 422, 500] {
                assert_eq!(says(status, message), Meaning::ContextLength, "{status} {message}");
            }
        }
        for error in [
            json!({ "message": "too long", "code": "context_length_exceeded" }),
            json!({ "message": "too long", "type": "exceed_context_size_error", "code": 400 }),
            json!({ "message": "Max size: 8000 tokens.", "code": "tokens_limit_reached" }),
        ] {
            assert_eq!(meaning(413, json!({ "error": error })), Meaning::ContextLength, "{error}");
        }
    }

    #[test]
    fn l12_throttling_that_mentions_tokens_is_not_a_request_too_long() {
        for (status, message) in [
            (429, "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000."),
            (429, "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000."),
            (429, "Too many tokens, please wait before trying again."),
            (429, "maximum context length"),
            (413, "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 8000"),
            (400, "Too many tokens per day, try again tomorrow"),
            (400, "max_tokens is too large: 200000. This model supports at most 16384 completion tokens"),
            (503, "throttled: too many tokens in flight"),
        ] {
            assert_ne!(says(status, message), Meaning::ContextLength, "{status} {message}");
        }
    }

    #[test]
    fn a_status_means_what_it_says() {
        let not_found = json!({ "error": { "message": "no such thing", "code": "model_not_found" } });
        assert_eq!(says(401, "Incorrect API key provided"), Meaning::Unauthorized);
        assert_eq!(says(403, "Country not supported"), Meaning::Unauthorized);
        assert_eq!(says(404, "The model `x` does not exist"), Meaning::UnknownModel);
        assert_eq!(meaning(400, not_found), Meaning::UnknownModel);
        assert_eq!(
            meaning(404, json!({ "error": "model \"x\" not found, try pulling it" })),
            Meaning::UnknownModel
        );
        assert_eq!(says(404, "page not found"), Meaning::Rejected);
        assert_eq!(says(429, "slow down"), Meaning::RateLimited);
        let no_money = json!({ "error": { "message": "pay", "code": "insufficient_quota" } });
        assert_eq!(meaning(429, no_money), Meaning::Rejected);
        assert_eq!(says(400, "bad"), Meaning::Rejected);
        for status in [408, 500, 502, 503, 529] {
            assert_eq!(says(status, "oops"), Meaning::Server);
        }
        assert_eq!(
            Refusal::read(503, b"busy").with_wait(Some(Duration::ZERO)).meaning(),
            Meaning::RateLimited
        );
    }

    #[test]
    fn the_words_of_a_refusal_are_found_in_every_shape() {
        for body in [
            r#"{"error":{"message":"oops"}}"#,
            r#"{"error":"oops"}"#,
            r#"{"message":"oops"}"#,
            r#"{"detail":"oops"}"#,
            r#""oops""#,
            "oops",
        ] {
            assert_eq!(Refusal::read(500, body.as_bytes()).message, "oops", "{body}");
        }
        let endpoint = Endpoint::new("http://x", None, super::super::Timeouts::default()).unwrap();
        for body in ["", "<html><body>Bad gateway</body></html>"] {
            let error = Refusal::read(502, body.as_bytes()).into_error(&endpoint, "m");
            assert_eq!(error.to_string(), "the model at http://x/v1 failed: 502 Bad Gateway");
        }
    }

    #[test]
    fn l8_an_error_object_in_a_stream_is_a_failure_of_its_own_kind() {
        assert_eq!(Refusal::object(&json!({ "message": "overloaded" })).meaning(), Meaning::Server);
        assert_eq!(Refusal::object(&json!({ "message": "x", "code": 429 })).meaning(), Meaning::RateLimited);
        assert_eq!(Refusal::object(&json!({ "message": "x", "code": 7 })).meaning(), Meaning::Server);
    }

    #[test]
    fn l1_retry_after_is_read_as_seconds_or_as_a_date() {
        let now: Timestamp = "1994-11-06T08:49:37Z".parse().unwrap();
        let wait = |asked: &str, date: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, asked.parse().unwrap());
            date.map(|date| headers.insert(DATE, date.parse().unwrap()));
            retry_after(&headers, now)
        };
        let seconds = |n| Some(Duration::from_secs(n));
        assert_eq!(wait("7", None), seconds(7));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:47 GMT", None), seconds(10));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:27 GMT", None), seconds(0));
        let endpoints_clock = Some("Sun, 06 Nov 1994 08:49:42 GMT");
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:47 GMT", endpoints_clock), seconds(5));
        assert_eq!(wait("soon", None), None);
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
