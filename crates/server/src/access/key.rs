//! How a key looks, how it comes with a request, and what is kept of it.

use std::fmt;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use greenroom_store::KeyHash;
use http::{
    HeaderMap,
    header::{AUTHORIZATION, COOKIE},
};
use sha2::{Digest, Sha256};

/// How every key begins, so that one that got lost is recognised for what it is.
const PREFIX: &str = "gr_";
/// The cookie that holds a browser's key.
pub const COOKIE_NAME: &str = "greenroom_key";

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

    /// The key a request comes with: in `Authorization: Bearer`, or else in the browser's cookie.
    pub fn of(headers: &HeaderMap) -> Option<Presented> {
        let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(bearer);
        if let Some(key) = bearer {
            return Some(Presented { key: Self(key.to_owned()), by_cookie: false });
        }
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let (_, key) = pairs.find(|(name, _)| *name == COOKIE_NAME)?;
        Some(Presented { key: Self(key.to_owned()), by_cookie: true })
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

    /// The key itself, for the one time it is shown and for the cookie.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(hidden)")
    }
}

/// A key as it came.
#[derive(Debug)]
pub struct Presented {
    /// The key.
    pub key: Key,
    /// Whether a browser sent it by itself, for any page that made it ask.
    pub by_cookie: bool,
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

    fn presented(headers: &[(http::HeaderName, &'static str)]) -> Option<(String, bool)> {
        let headers = headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        Key::of(&headers.collect()).map(|presented| (presented.key.0, presented.by_cookie))
    }

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
    fn x1_a_key_comes_in_a_header_or_in_a_cookie() {
        assert_eq!(presented(&[]), None);
        assert_eq!(presented(&[(AUTHORIZATION, "bearer  gr_a ")]), Some(("gr_a".into(), false)));
        assert_eq!(presented(&[(AUTHORIZATION, "Basic gr_a")]), None);
        let cookie = (COOKIE, "theme=dark; greenroom_key=gr_b");
        assert_eq!(presented(std::slice::from_ref(&cookie)), Some(("gr_b".into(), true)));
        assert_eq!(presented(&[cookie, (AUTHORIZATION, "Bearer gr_a")]), Some(("gr_a".into(), false)));
        assert_eq!(presented(&[(COOKIE, "xgreenroom_key=gr_b")]), None);
    }
}
