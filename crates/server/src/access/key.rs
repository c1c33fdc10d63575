//! The form of a key, the headers that carry it, and the hash that the store keeps.

use std::fmt;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use greenroom_store::KeyHash;
use http::{HeaderMap, HeaderName, header::AUTHORIZATION};
use sha2::{Digest, Sha256};

/// The beginning of every key, by which a leaked key is recognised.
const PREFIX: &str = "gr_";
/// The header of a key of Anthropic's clients.
pub const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// A key: `gr_` and 32 random bytes in base64url. It is shown once, when it is made; `Debug` hides it (X5).
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A new key, from the system's randomness.
    ///
    /// # Errors
    /// The system's.
    pub fn new() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Self(format!("{PREFIX}{}", BASE64_URL_SAFE_NO_PAD.encode(bytes))))
    }

    /// The key of a request: in `Authorization: Bearer`, or in `x-api-key` as Anthropic's clients send it.
    pub fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let sent = text(&AUTHORIZATION).and_then(bearer).or_else(|| text(&API_KEY).map(str::trim));
        sent.map(|key| Self(key.to_owned()))
    }

    /// A key as a client sent it; it may be none.
    pub fn from_text(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// Whether it has the form of a key. Other texts are not looked up in the store.
    pub fn is_plausible(&self) -> bool {
        let encoded = self.0.strip_prefix(PREFIX);
        encoded.is_some_and(|text| BASE64_URL_SAFE_NO_PAD.decode(text).is_ok_and(|bytes| bytes.len() == 32))
    }

    /// The hash that the store keeps. One round of SHA-256 without a salt is enough: a key has 256 random bits, so
    /// unlike a password it cannot be guessed. Keys are found by their hash, and the time of that look-up reveals
    /// nothing about any key, so no comparison has to take constant time.
    pub fn hash(&self) -> KeyHash {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// The key itself, for the one time it is shown.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(hidden)")
    }
}

/// The credentials of `Bearer …`, whose scheme has no case (RFC 9110, 11.1).
fn bearer(value: &str) -> Option<&str> {
    let (scheme, key) = value.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn x1_a_key_is_256_random_bits_and_shows_only_when_asked() {
        let (one, other) = (Key::new().unwrap(), Key::new().unwrap());
        assert_ne!(one, other);
        assert!(one.is_plausible() && one.expose().len() == 46, "{}", one.expose());
        assert_eq!(Key::from_text(&format!(" {}\n", one.expose())).hash(), one.hash());
        assert!(!format!("{one:?}").contains(one.expose()), "X5");
        for other in ["", "gr_", "gr_short", "sk-0123456789", "gr_\u{fc}"] {
            assert!(!Key::from_text(other).is_plausible(), "{other}");
        }
    }

    #[test]
    fn x1_a_key_comes_in_a_header() {
        let presented = |pairs: &[(HeaderName, &'static str)]| {
            let pairs = pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
            Key::from_headers(&pairs.collect()).map(|key| key.0)
        };
        assert_eq!(presented(&[]), None);
        assert_eq!(presented(&[(AUTHORIZATION, "bearer  gr_a ")]).as_deref(), Some("gr_a"));
        assert_eq!(presented(&[(AUTHORIZATION, "Basic gr_a")]), None);
        assert_eq!(presented(&[(API_KEY, " gr_a")]).as_deref(), Some("gr_a"), "E1: Anthropic's clients");
        let both = [(API_KEY, "gr_a"), (AUTHORIZATION, "Bearer gr_b")];
        assert_eq!(presented(&both).as_deref(), Some("gr_b"));
    }
}
