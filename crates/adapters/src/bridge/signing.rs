//! The signatures of a bridge. The direction is part of the signed text, so that our own requests cannot be sent back
//! to us.

use crate::signature;

/// The direction of a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Direction {
    /// From the bridge to us.
    In,
    /// From us to the bridge.
    Out,
}

impl Direction {
    fn begins(self) -> &'static [u8] {
        match self {
            Self::In => b"v1.in.",
            Self::Out => b"v1.out.",
        }
    }
}

/// `v1=` and the signature in hexadecimal digits.
pub(super) fn sign(secret: &str, direction: Direction, timestamp: &str, body: &[u8]) -> String {
    let parts = [direction.begins(), timestamp.as_bytes(), b".", body];
    format!("v1={}", signature::sign(secret, &parts))
}

/// Whether the signature of a request is right.
pub(super) fn is_signed(
    secret: &str,
    direction: Direction,
    timestamp: &str,
    body: &[u8],
    signature: &str,
) -> bool {
    let parts = [direction.begins(), timestamp.as_bytes(), b".", body];
    signature.strip_prefix("v1=").is_some_and(|digits| signature::is_signed(secret, &parts, digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x3_a_signature_is_of_its_direction_time_and_body() {
        let signature = sign("secret", Direction::In, "1700000000", b"{}");
        let good = |direction, timestamp, body: &[u8], signature: &str| {
            is_signed("secret", direction, timestamp, body, signature)
        };
        assert!(good(Direction::In, "1700000000", b"{}", &signature));
        assert!(!good(Direction::Out, "1700000000", b"{}", &signature), "our own is no one's for us");
        assert!(!good(Direction::In, "1700000001", b"{}", &signature));
        assert!(!good(Direction::In, "1700000000", b"{ }", &signature));
        assert!(!good(Direction::In, "1700000000", b"{}", &signature[3..]));
        // the example of docs/platforms/bridge.md
        assert_eq!(
            sign("0123456789abcdef", Direction::In, "1764000000", br#"{"event_id":"1"}"#),
            "v1=2bc4c3b2e2206bcc36d367f6d12496b72bca09367351e1785b8a3dd66886792f"
        );
    }
}
