//! Requests that a platform signs by a secret (X3): signatures, and which were seen before.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::WebhookError;

/// How far the clock of the other side may be from ours, in seconds.
pub(crate) const WINDOW: u64 = 300;
/// Signatures that are known; with more, the other side is asked to wait.
const KNOWN: usize = 100_000;

fn mac(secret: &str, parts: &[&[u8]]) -> Option<Hmac<Sha256>> {
    // a key of any length is taken
    let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(secret.as_bytes()).ok()?;
    parts.iter().for_each(|part| mac.update(part));
    Some(mac)
}

/// The HMAC-SHA256 of the parts, one after another, in hexadecimal digits.
pub(crate) fn sign(secret: &str, parts: &[&[u8]]) -> String {
    let digest = mac(secret, parts).map(|mac| mac.finalize().into_bytes());
    digest.into_iter().flatten().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a signature is right. Takes the same time for every wrong one.
pub(crate) fn is_signed(secret: &str, parts: &[&[u8]], signature: &str) -> bool {
    let Some(given) = bytes(signature) else { return false };
    mac(secret, parts).is_some_and(|mac| mac.verify_slice(&given).is_ok())
}

/// The bytes of hexadecimal digits in small letters; one spelling, so that a signature is known again.
fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| match c {
        b'0'..=b'9' => Some(c - b'0'),
        b'a'..=b'f' => Some(c - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Whether a signature was noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Replay {
    New,
    /// It was noted before.
    Repeated,
    /// Too many are kept already; it may come again later.
    Full,
}

/// The signatures of the last minutes.
pub(crate) struct ReplayCache {
    /// The start, in seconds since 1970.
    pub(crate) since: u64,
    generations: Mutex<Generations>,
}

#[derive(Default)]
struct Generations {
    /// When the newer one began.
    began: u64,
    new: HashSet<String>,
    old: HashSet<String>,
}

impl ReplayCache {
    pub(crate) fn since(now: u64) -> Self {
        Self { since: now, generations: Mutex::default() }
    }

    /// Admits a request that was signed at a moment, once.
    ///
    /// # Errors
    /// Why it is not accepted: it is too old, it was admitted before, or too many were.
    pub(crate) fn admit(&self, signature: &str, at: u64) -> Result<(), WebhookError> {
        if at.abs_diff(now()) > WINDOW {
            return Err(WebhookError::Stale);
        }
        match self.note(signature, at) {
            Replay::New => Ok(()),
            Replay::Repeated => Err(WebhookError::Replayed),
            Replay::Full => Err(WebhookError::Busy),
        }
    }

    /// Notes a signature of a moment.
    fn note(&self, signature: &str, at: u64) -> Replay {
        let mut known = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        // a request is good for a window before and after its moment
        if at >= known.began + 2 * WINDOW {
            known.old = std::mem::take(&mut known.new);
            known.began = at;
        }
        if known.old.contains(signature) || known.new.contains(signature) {
            return Replay::Repeated;
        }
        if known.new.len() >= KNOWN {
            return Replay::Full;
        }
        known.new.insert(signature.to_owned());
        Replay::New
    }

    /// The request was not taken: it may come again.
    pub(crate) fn forget(&self, signature: &str) {
        let mut known = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        known.new.remove(signature);
        known.old.remove(signature);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x3_a_signature_is_of_its_secret_and_all_that_is_signed() {
        let parts: [&[u8]; 2] = [b"v0:1700000000:", b"{}"];
        let signature = sign("secret", &parts);
        assert!(is_signed("secret", &parts, &signature));
        assert!(is_signed("secret", &[b"v0:1700000000:{}"], &signature), "only the bytes count");
        assert!(!is_signed("other", &parts, &signature));
        assert!(!is_signed("secret", &[b"v0:1700000001:", b"{}"], &signature));
        for wrong in ["", "zz", "0", &signature[2..], &signature.to_uppercase(), &format!("{signature}00")] {
            assert!(!is_signed("secret", &parts, wrong), "{wrong}");
        }
    }

    #[test]
    fn x3_a_request_is_taken_once() {
        let seen = ReplayCache::since(0);
        assert_eq!((seen.note("a", 1000), seen.note("a", 1000)), (Replay::New, Replay::Repeated));
        assert_eq!(
            (seen.note("b", 1000 + 2 * WINDOW), seen.note("a", 1001)),
            (Replay::New, Replay::Repeated)
        );
        seen.forget("b");
        assert_eq!(seen.note("b", 1000 + 2 * WINDOW), Replay::New);
    }

    #[test]
    fn x3_a_flood_is_told_to_wait_and_not_that_it_was_taken() {
        let seen = ReplayCache::since(0);
        assert!((0..KNOWN).all(|n| seen.note(&n.to_string(), 1000) == Replay::New));
        assert_eq!((seen.note("one more", 1000), seen.note("7", 1000)), (Replay::Full, Replay::Repeated));
        assert_eq!(seen.note("one more", 1000 + 2 * WINDOW), Replay::New);
    }
}
