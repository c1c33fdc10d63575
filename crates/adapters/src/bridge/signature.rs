//! Signatures of requests (X3). Each direction has its own, so that nothing of ours can be sent back to us.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::WINDOW;

/// Signatures that are known; with more, the other side is asked to wait.
const KNOWN: usize = 100_000;

/// Who sends a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Direction {
    /// The bridge, to us.
    In,
    /// We, to the bridge.
    Out,
}

fn mac(secret: &str, direction: Direction, timestamp: &str, body: &[u8]) -> Option<Hmac<Sha256>> {
    let direction = match direction {
        Direction::In => "in",
        Direction::Out => "out",
    };
    // a key of any length is taken
    let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(secret.as_bytes()).ok()?;
    mac.update(format!("v1.{direction}.{timestamp}.").as_bytes());
    mac.update(body);
    Some(mac)
}

/// `v1=` and the signature in hexadecimal digits.
pub(super) fn sign(secret: &str, direction: Direction, timestamp: &str, body: &[u8]) -> String {
    let Some(mac) = mac(secret, direction, timestamp, body) else { return String::new() };
    let digest = mac.finalize().into_bytes();
    format!("v1={}", digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

/// Whether a signature is right. Takes the same time for every wrong one.
pub(super) fn is_signed(
    secret: &str,
    direction: Direction,
    timestamp: &str,
    body: &[u8],
    signature: &str,
) -> bool {
    let Some(given) = signature.strip_prefix("v1=").and_then(bytes) else { return false };
    mac(secret, direction, timestamp, body).is_some_and(|mac| mac.verify_slice(&given).is_ok())
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

/// Whether a signature was noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Noted {
    New,
    /// It was noted before.
    Known,
    /// Too many are kept already; it may come again later.
    Full,
}

/// The signatures of the last minutes. What was signed before the start is refused, because it may have been taken then.
pub(super) struct Seen {
    /// The start, in seconds since 1970.
    pub(super) since: u64,
    generations: Mutex<Generations>,
}

#[derive(Default)]
struct Generations {
    /// When the newer one began.
    began: u64,
    new: HashSet<String>,
    old: HashSet<String>,
}

impl Seen {
    pub(super) fn since(now: u64) -> Self {
        Self { since: now, generations: Mutex::default() }
    }

    /// Notes a signature of a moment.
    pub(super) fn note(&self, signature: &str, at: u64) -> Noted {
        let mut known = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        // a request is good for a window before and after its moment
        if at >= known.began + 2 * WINDOW {
            known.old = std::mem::take(&mut known.new);
            known.began = at;
        }
        if known.old.contains(signature) || known.new.contains(signature) {
            return Noted::Known;
        }
        if known.new.len() >= KNOWN {
            return Noted::Full;
        }
        known.new.insert(signature.to_owned());
        Noted::New
    }

    /// The request was not taken: it may come again.
    pub(super) fn forget(&self, signature: &str) {
        let mut known = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        known.new.remove(signature);
        known.old.remove(signature);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x3_a_signature_is_of_its_secret_direction_time_and_body() {
        let signature = sign("secret", Direction::In, "1700000000", b"{}");
        let good = |secret, direction, timestamp, body: &[u8], signature: &str| {
            is_signed(secret, direction, timestamp, body, signature)
        };
        assert!(good("secret", Direction::In, "1700000000", b"{}", &signature));
        assert!(!good("other", Direction::In, "1700000000", b"{}", &signature));
        assert!(
            !good("secret", Direction::Out, "1700000000", b"{}", &signature),
            "our own is no one's for us"
        );
        assert!(!good("secret", Direction::In, "1700000001", b"{}", &signature));
        assert!(!good("secret", Direction::In, "1700000000", b"{ }", &signature));
        for wrong in [
            "",
            "v1=",
            "v1=zz",
            "v1=0",
            &signature[3..],
            &signature.to_uppercase(),
            &format!("{signature}00"),
        ] {
            assert!(!good("secret", Direction::In, "1700000000", b"{}", wrong), "{wrong}");
        }
        // the example of docs/platforms/bridge.md
        assert_eq!(
            sign("0123456789abcdef", Direction::In, "1764000000", br#"{"event_id":"1"}"#),
            "v1=2bc4c3b2e2206bcc36d367f6d12496b72bca09367351e1785b8a3dd66886792f"
        );
    }

    #[test]
    fn x3_a_request_is_taken_once() {
        let seen = Seen::since(0);
        assert_eq!((seen.note("a", 1000), seen.note("a", 1000)), (Noted::New, Noted::Known));
        assert_eq!((seen.note("b", 1000 + 2 * WINDOW), seen.note("a", 1001)), (Noted::New, Noted::Known));
        seen.forget("b");
        assert_eq!(seen.note("b", 1000 + 2 * WINDOW), Noted::New);
    }

    #[test]
    fn x3_a_flood_is_told_to_wait_and_not_that_it_was_taken() {
        let seen = Seen::since(0);
        assert!((0..KNOWN).all(|n| seen.note(&n.to_string(), 1000) == Noted::New));
        assert_eq!((seen.note("one more", 1000), seen.note("7", 1000)), (Noted::Full, Noted::Known));
        assert_eq!(seen.note("one more", 1000 + 2 * WINDOW), Noted::New);
    }
}
