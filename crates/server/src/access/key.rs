//! How a key looks, how it comes with a request, and what is kept of it.

use std::fmt;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use greenroom_store::KeyHash;
use http::{HeaderMap, HeaderName, header::AUTHORIZATION};
use sha2::{Digest, Sha256};

/// How every key begins, so that one that got lost is recognised for what it is.
const PREFIX: &str = "gr_";
/// The header that Anthropic's clients send a key in.
pub const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// A key: `gr_` and 32 random bytes in base64url. Shown once, when it is made; `Debug` does not show
/// it (X5).
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A new one, of the system's randomness.
    ///
    /// # Errors
    /// What the system says when it has none.
    pub fn new() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Self(format!("{PREFIX}{}", BASE64_URL_SAFE_NO_PAD.encode(bytes))))
    }

    /// The key a request comes with: in `Authorization: Bearer`, or in `x-api-key` as Anthropic's clients send it.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let sent = text(&AUTHORIZATION).and_then(bearer).or_else(|| text(&API_KEY).map(str::trim));
        sent.map(|key| Self(key.to_owned()))
    }

    /// A text somebody says is a key.
    pub fn said(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// Whether it looks like one of ours; what does not needs no look into the store.
    pub fn is_plausible(&self) -> bool {
        let encoded = self.0.strip_prefix(PREFIX);
        encoded.is_some_and(|text| BASE64_URL_SAFE_NO_PAD.decode(text).is_ok_and(|bytes| bytes.len() == 32))
    }

    /// What is kept of it. One round of SHA-256 is enough, and no salt: a key is 256 random bits and
    /// not a password, so there is nothing to guess. Keys are found by their hash, and how long that
    /// takes says nothing of any key, so that nothing has to be compared in constant time.
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
        assert_eq!(Key::said(&format!(" {}\n", one.expose())).hash(), one.hash());
        assert!(!format!("{one:?}").contains(one.expose()), "X5");
        for other in ["", "gr_", "gr_short", "sk-0123456789", "gr_\u{fc}"] {
            assert!(!Key::said(other).is_plausible(), "{other}");
        }
    }

    #[test]
    fn x1_a_key_comes_in_a_header() {
        let presented = |pairs: &[(HeaderName, &'static str)]| {
            let pairs = pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
            Key::of(&pairs.collect()).map(|key| key.0)
        };
        assert_eq!(presented(&[]), None);
        assert_eq!(presented(&[(AUTHORIZATION, "bearer  gr_a ")]).as_deref(), Some("gr_a"));
        assert_eq!(presented(&[(AUTHORIZATION, "Basic gr_a")]), None);
        assert_eq!(presented(&[(API_KEY, " gr_a")]).as_deref(), Some("gr_a"), "E1: Anthropic's clients");
        let both = [(API_KEY, "gr_a"), (AUTHORIZATION, "Bearer gr_b")];
        assert_eq!(presented(&both).as_deref(), Some("gr_b"));
    }
}
