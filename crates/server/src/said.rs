//! What may be said, by whichever API: a text, and what it is known by.

use http::HeaderMap;

use crate::ApiError;

/// The longest message, in bytes.
const TEXT_LIMIT: usize = 64 * 1024;

/// The longest id of an event, and the longest name of somebody, in bytes.
const NAME_LIMIT: usize = 200;

/// Whether a text can be said; else what to tell whoever sent it.
pub(crate) fn sayable(text: &str) -> Result<(), String> {
    if text.chars().all(|c| c.is_whitespace() || c.is_control()) {
        return Err("the text is empty; say something".into());
    }
    if text.len() > TEXT_LIMIT {
        let size = text.len();
        return Err(format!("the text has {size} bytes, and at most {TEXT_LIMIT} can be said at once"));
    }
    Ok(())
}

/// A short text on one line.
pub(crate) fn named(field: &'static str, text: String) -> Result<String, ApiError> {
    let fits = !text.trim().is_empty() && text.len() <= NAME_LIMIT && !text.chars().any(char::is_control);
    let message = || format!("{field} has 1 to {NAME_LIMIT} bytes and no control characters");
    fits.then_some(text).ok_or_else(|| ApiError::invalid(message()).about(field))
}

/// What a message is known by. The ids of replies are not to be had.
pub(crate) fn event_id(field: &'static str, id: String) -> Result<String, ApiError> {
    let id = named(field, id)?;
    if id.starts_with("turn:") {
        let message = "an id that begins with `turn:` is one of a reply; choose another";
        return Err(ApiError::invalid(message).about(field));
    }
    Ok(id)
}

/// The same from the header `Idempotency-Key`.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(None) };
    event_id("Idempotency-Key", key.to_str().unwrap_or_default().to_owned()).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_says_something_and_is_not_too_long() {
        for empty in ["", " \n", "\0", "\u{1}\u{7f} "] {
            assert!(sayable(empty).is_err(), "{empty:?}");
        }
        assert!(sayable(&"x".repeat(TEXT_LIMIT)).is_ok());
        assert!(sayable(&"x".repeat(TEXT_LIMIT + 1)).is_err());
    }

    #[test]
    fn a_key_is_a_line_and_no_reply() {
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
