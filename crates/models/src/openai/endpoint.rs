//! An endpoint's address, its safe display, and the one HTTP client that talks to it.

use std::{
    fmt,
    net::IpAddr,
    sync::{Arc, OnceLock},
    time::Duration,
};

use async_openai::config::Config;
use reqwest::{
    Url,
    header::{AUTHORIZATION, HeaderMap, HeaderValue},
};
use secrecy::{ExposeSecret, SecretString};

use crate::ModelError;

/// The most text of an endpoint that an error quotes, in characters.
const MAX_QUOTE: usize = 300;

/// The time limits of a call (L4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// The limit for the connection, TLS included.
    pub connect: Duration,
    /// The limit from the start of the call to its first token.
    pub first_token: Duration,
    /// The limit between two pieces of the answer.
    pub stall: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { connect: seconds(5), first_token: seconds(120), stall: seconds(30) }
    }
}

/// An OpenAI-compatible endpoint. Cheap to clone; clones share their connections. `Display` and `Debug` omit its key,
/// user, password and query.
#[derive(Clone)]
pub struct Endpoint(Arc<Inner>);

struct Inner {
    base: String,
    shown: String,
    host: String,
    loopback: bool,
    query: Vec<(String, String)>,
    key: SecretString,
    /// Other secrets than the key, which no error shows: see [`Endpoint::quote`].
    url_secrets: Vec<String>,
    authorization: Option<HeaderValue>,
    timeouts: Timeouts,
    http: OnceLock<Result<reqwest::Client, ModelError>>,
}

impl Endpoint {
    /// The endpoint at `base_url`, with or without a slash at its end; `/v1` is added where the URL has no path. An
    /// empty key counts as none. Opens no connection.
    ///
    /// # Errors
    /// [`ModelError::Misconfigured`] for a URL that is not http(s) or a key that is no valid header value.
    pub fn new(base_url: &str, api_key: Option<&str>, timeouts: Timeouts) -> Result<Self, ModelError> {
        let wrong = |endpoint: &str, reason: &str| ModelError::Misconfigured {
            endpoint: endpoint.to_owned(),
            reason: reason.to_owned(),
        };
        let mut url = Url::parse(base_url.trim())
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or_else(|| {
                wrong(&format!("`{}`", one_line(base_url)), "write it as http://… or https://…")
            })?;
        let query: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let url_secrets = secrets_of(&url);
        url.set_query(None);
        url.set_fragment(None);
        let path = match url.path().trim_end_matches('/') {
            "" => "/v1".to_owned(),
            path => path.to_owned(),
        };
        url.set_path(&path);
        let base = url.to_string();
        // both fail only for URLs without a host
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let shown = url.to_string();

        let key = api_key.map(str::trim).unwrap_or_default();
        let authorization = match key {
            "" => None,
            key => {
                let mut value = HeaderValue::from_str(&format!("Bearer {key}"))
                    .map_err(|_| wrong(&shown, "its key holds a character no header can carry"))?;
                value.set_sensitive(true);
                Some(value)
            }
        };
        let host = url.host_str().unwrap_or_default().to_owned();
        let loopback = host == "localhost"
            || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        Ok(Self(Arc::new(Inner {
            base,
            shown,
            host,
            loopback,
            query,
            key: key.into(),
            url_secrets,
            authorization,
            timeouts,
            http: OnceLock::new(),
        })))
    }

    /// Its URL, as errors name it.
    pub fn url(&self) -> &str {
        &self.0.shown
    }

    /// Its time limits.
    pub fn timeouts(&self) -> Timeouts {
        self.0.timeouts
    }

    pub(super) fn host(&self) -> &str {
        &self.0.host
    }

    /// The endpoint's text as one short line. The key, the password and the values of the query are removed, because an
    /// endpoint may echo them (X5).
    pub(super) fn quote(&self, text: &str) -> String {
        let text = without_key(text, self.0.key.expose_secret());
        one_line(&self.0.url_secrets.iter().fold(text, |text, secret| without_key(&text, secret)))
    }

    /// The client, built with the first call so that a start without one costs nothing.
    pub(super) fn http(&self) -> Result<reqwest::Client, ModelError> {
        self.0.http.get_or_init(|| self.build()).clone()
    }

    fn build(&self) -> Result<reqwest::Client, ModelError> {
        crate::tls::install_tls();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("greenroom/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.0.timeouts.connect)
            .retry(reqwest::retry::never())
            // a redirect would send the key to another host
            .redirect(reqwest::redirect::Policy::none());
        if self.0.loopback {
            builder = builder.no_proxy();
        }
        builder.build().map_err(|error| ModelError::Misconfigured {
            endpoint: self.0.shown.clone(),
            reason: format!("no HTTP client can be made: {}", self.quote(&root_cause(&error))),
        })
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("url", &self.0.shown).finish_non_exhaustive()
    }
}

impl Config for Endpoint {
    fn headers(&self) -> HeaderMap {
        self.0.authorization.iter().map(|value| (AUTHORIZATION, value.clone())).collect()
    }
    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.0.base)
    }
    fn query(&self) -> Vec<(&str, &str)> {
        self.0.query.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }
    fn api_base(&self) -> &str {
        &self.0.base
    }
    fn api_key(&self) -> &SecretString {
        &self.0.key
    }
}

/// The password, the fragment and the values of the query, decoded and as the URL has them. Versions are left out: they
/// are no secrets, and an error that names them helps.
fn secrets_of(url: &Url) -> Vec<String> {
    let is_version = |name: &str| name.to_ascii_lowercase().contains("version");
    let decoded =
        url.query_pairs().filter(|(name, _)| !is_version(name)).map(|(_, value)| value.into_owned());
    let raw = url.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    let raw = raw.filter(|(name, _)| !is_version(name)).map(|(_, value)| value);
    let raw = raw.chain(url.password()).chain(url.fragment()).map(str::to_owned);
    decoded.chain(raw).collect()
}

/// The innermost reason of an error: "Connection refused" instead of "error sending request".
pub(super) fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// The text in one line without control characters, at most [`MAX_QUOTE`] characters.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    // bounded before it is split, since it may be megabytes
    for (n, c) in text.chars().take(4 * MAX_QUOTE).enumerate() {
        let c = if c.is_control() { ' ' } else { c };
        if c != ' ' || (n > 0 && !line.ends_with(' ')) {
            line.push(c);
        }
    }
    let line = line.trim();
    match line.char_indices().nth(MAX_QUOTE) {
        Some(_) => line.chars().take(MAX_QUOTE - 1).chain(['…']).collect(),
        None => line.to_owned(),
    }
}

/// A shorter key is no secret, such as the `x` that a local server accepts; removing it would only garble the text.
const SHORTEST_SECRET: usize = 4;
/// A shorter key is removed only as a whole word.
const REMOVED_EVERYWHERE: usize = 8;

/// A text without a key.
fn without_key(text: &str, key: &str) -> String {
    if key.len() < SHORTEST_SECRET {
        return text.to_owned();
    }
    let part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in text.match_indices(key) {
        let end = at + key.len();
        let within = text[..at].ends_with(part) || text[end..].starts_with(part);
        if key.len() >= REMOVED_EVERYWHERE || !within {
            out.push_str(&text[from..at]);
            out.push_str("[key]");
            from = end;
        }
    }
    out.push_str(&text[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(url: &str) -> String {
        Endpoint::new(url, None, Timeouts::default()).unwrap().api_base().to_owned()
    }

    #[test]
    fn a_base_url_is_taken_as_people_write_it() {
        for written in ["http://localhost:11434", "http://localhost:11434/", " http://localhost:11434/v1/ "] {
            assert_eq!(base(written), "http://localhost:11434/v1");
        }
        assert_eq!(base("https://x.example/api/openai/"), "https://x.example/api/openai");
        for wrong in ["localhost:11434", "ftp://x", "", "http://"] {
            let error = Endpoint::new(wrong, None, Timeouts::default()).unwrap_err();
            assert!(matches!(error, ModelError::Misconfigured { .. }), "{wrong}: {error}");
        }
    }

    #[test]
    fn b7_a_short_key_does_not_garble_what_an_endpoint_says() {
        let text = "a model was asked: none of the tokens is nonexistent";
        assert_eq!(without_key(text, "a"), text);
        assert_eq!(without_key(text, ""), text);
        assert_eq!(without_key(text, "none"), "a model was asked: [key] of the tokens is nonexistent");
        assert_eq!(without_key("key=sk-12345678x, sk-12345678", "sk-12345678"), "key=[key]x, [key]");
    }

    #[test]
    fn x5_an_endpoint_shows_no_secret() {
        let url = "https://me:hunter2@x.example/v1?api-key=hunter2";
        let endpoint = Endpoint::new(url, Some("sk-canary"), Timeouts::default()).unwrap();
        let shown = format!("{endpoint:?} {} {:?}", endpoint.url(), endpoint.headers());
        assert!(!shown.contains("hunter2") && !shown.contains("canary"), "{shown}");
        assert_eq!(endpoint.quote("bad\nkey\tsk-canary!"), "bad key [key]!");
        assert_eq!(endpoint.quote("no /v1?api-key=hunter2&x"), "no /v1?api-key=[key]&x");
        assert_eq!(Config::query(&endpoint), [("api-key", "hunter2")]);
        let url = "https://x.example/v1?api-version=2024-06-01&code=a%20canary#canary2";
        let endpoint = Endpoint::new(url, None, Timeouts::default()).unwrap();
        let said = endpoint.quote("2024-06-01 is old; /v1?code=a%20canary is wrong: a canary, canary2");
        assert_eq!(said, "2024-06-01 is old; /v1?code=[key] is wrong: [key], [key]");
        let error = Endpoint::new("http://x", Some("sk-canary\nx"), Timeouts::default()).unwrap_err();
        assert!(!error.to_string().contains("canary"), "{error}");
    }

    #[test]
    fn a_quote_is_one_short_line() {
        let endpoint = Endpoint::new("http://x", None, Timeouts::default()).unwrap();
        assert_eq!(endpoint.quote(&"é".repeat(5000)).chars().count(), MAX_QUOTE);
        assert_eq!(endpoint.quote("\u{1b}[31m a \r\n\r\n b "), "[31m a b");
    }
}
