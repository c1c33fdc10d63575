//! Checks of the text, the id and the names of a client's message, in every API.

use greenroom_core::is_unseen;
use http::HeaderMap;

use crate::ApiError;

/// The bytes of a message.
const TEXT_LIMIT: usize = 64 * 1024;

/// The bytes of an event's id, and of a person's name.
const NAME_LIMIT: usize = 200;

/// Checks the text of a message.
///
/// # Errors
/// The reason, for the client.
pub(crate) fn check_text(text: &str) -> Result<(), String> {
    if text.chars().all(is_blank) {
        return Err("the text is empty; send one with at least one visible character".into());
    }
    if text.len() > TEXT_LIMIT {
        let size = text.len();
        return Err(format!("the text has {size} bytes; a message may have {TEXT_LIMIT}"));
    }
    Ok(())
}

/// Whether a character alone shows nothing. Joiners show what they join.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || is_unseen(c) || matches!(c, '\u{200c}' | '\u{200d}')
}

/// A name or an id: one short line.
pub(crate) fn short_line(field: &'static str, text: String) -> Result<String, ApiError> {
    let is_shown = !text.chars().all(is_blank);
    let fits = is_shown && text.len() <= NAME_LIMIT && !text.chars().any(char::is_control);
    let message = || {
        format!("{field} must have 1 to {NAME_LIMIT} bytes, a visible character and no control characters")
    };
    fits.then_some(text).ok_or_else(|| ApiError::invalid(message()).about(field))
}

/// The id of a message. Ids of replies begin with `turn:` and are reserved.
pub(crate) fn event_id(field: &'static str, id: String) -> Result<String, ApiError> {
    let id = short_line(field, id)?;
    if id.starts_with("turn:") {
        let message = "ids that begin with `turn:` are reserved for replies; choose another";
        return Err(ApiError::invalid(message).about(field));
    }
    Ok(id)
}

/// The id of a message from the header `Idempotency-Key`.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(None) };
    event_id("Idempotency-Key", key.to_str().unwrap_or_default().to_owned()).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_visible_and_not_too_long() {
        for empty in ["", " \n", "\0", "\u{1}\u{7f} ", "\u{200b}", "\u{feff} \u{2060}", "\u{e0041}\u{200d}"] {
            assert!(check_text(empty).is_err(), "{empty:?}");
            assert!(short_line("user_name", empty.to_owned()).is_err(), "{empty:?}");
        }
        assert!(check_text("\u{200f}שלום").is_ok());
        assert!(check_text(&"x".repeat(TEXT_LIMIT)).is_ok());
        assert!(check_text(&"x".repeat(TEXT_LIMIT + 1)).is_err());
    }

    #[test]
    fn a_key_is_a_line_and_no_id_of_a_reply() {
        let key = |value: &[u8]| {
            let value = http::HeaderValue::from_bytes(value).unwrap();
            idempotency_key(&HeaderMap::from_iter([(
                http::HeaderName::from_static("idempotency-key"),
                value,
            )]))
        };
        assert_eq!(key(b"order-17").unwrap().as_deref(), Some("order-17"));
        for wrong in [&b""[..], b"turn:1", b"a\tb", b"\xc3\xa9", &[b'x'; 201]] {
            assert!(key(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(idempotency_key(&HeaderMap::new()).unwrap(), None);
    }
}
