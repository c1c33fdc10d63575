//! HMAC signatures of webhook requests, and the replay cache that rejects repeated ones (X3).

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::WebhookError;

/// The largest accepted difference between the sender's clock and ours, in seconds.
pub(crate) const WINDOW: u64 = 300;
/// The largest number of signatures in the cache. When it is full, senders are asked to send again later.
const KNOWN: usize = 100_000;

fn mac(secret: &str, parts: &[&[u8]]) -> Option<Hmac<Sha256>> {
    // HMAC accepts a key of any length
    let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(secret.as_bytes()).ok()?;
    parts.iter().for_each(|part| mac.update(part));
    Some(mac)
}

/// The HMAC-SHA256 of the concatenated parts, in hexadecimal digits.
pub(crate) fn sign(secret: &str, parts: &[&[u8]]) -> String {
    let digest = mac(secret, parts).map(|mac| mac.finalize().into_bytes());
    digest.into_iter().flatten().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a signature is right. Takes the same time for every wrong signature.
pub(crate) fn is_signed(secret: &str, parts: &[&[u8]], signature: &str) -> bool {
    let Some(given) = bytes(signature) else { return false };
    mac(secret, parts).is_some_and(|mac| mac.verify_slice(&given).is_ok())
}

/// Decodes lower-case hexadecimal digits. Only one spelling is accepted, so that the replay cache recognises a repeated
/// signature.
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

/// The result of noting a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Replay {
    New,
    /// The signature was noted before.
    Repeated,
    /// The cache is full; the sender may send the request again later.
    Full,
}

/// A replay cache: the signatures of the last minutes.
pub(crate) struct ReplayCache {
    /// The start of the process, in seconds since 1970.
    pub(crate) since: u64,
    generations: Mutex<Generations>,
}

#[derive(Default)]
struct Generations {
    /// The start of the newer generation, in seconds since 1970.
    began: u64,
    new: HashSet<String>,
    old: HashSet<String>,
}

impl ReplayCache {
    pub(crate) fn since(now: u64) -> Self {
        Self { since: now, generations: Mutex::default() }
    }

    /// Admits a request signed at the time `at`, once.
    ///
    /// # Errors
    /// The request is too old, was admitted before, or the cache is full.
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

    /// Notes a signature of the time `at`.
    fn note(&self, signature: &str, at: u64) -> Replay {
        let mut known = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        // A request is valid for one window before and after its time, so a generation covers two windows.
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

    /// Removes a signature whose request was not stored, so that the sender can repeat the request.
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
