//! Fast path for pieces of a stream that differ only in their text, as most do. The text of the next piece is found at
//! the position of the last piece's text, without parsing the JSON again.

use super::chunk::Chunk;

/// The bytes before and after the text of a piece that contained only text.
pub(super) struct PieceTemplate {
    before: Box<[u8]>,
    behind: Box<[u8]>,
}

impl PieceTemplate {
    /// From a piece that was parsed. `None` if the piece contains more than text, or if the JSON escapes its text.
    pub(super) fn of(json: &[u8], chunk: &Chunk<'_>) -> Option<Self> {
        let text = chunk.plain_text()?.as_bytes();
        let at = (text.as_ptr() as usize).checked_sub(json.as_ptr() as usize)?;
        let (before, behind) = (json.get(..at)?, json.get(at + text.len()..)?);
        Some(Self { before: before.into(), behind: behind.into() })
    }

    /// The text of a piece that differs only in its text. Escapes and quotes are refused: they would mean another
    /// text, or another structure.
    pub(super) fn text<'a>(&self, json: &'a [u8]) -> Option<&'a str> {
        let text = json.strip_prefix(&*self.before)?.strip_suffix(&*self.behind)?;
        let as_it_is = |byte: &u8| *byte >= b' ' && *byte != b'"' && *byte != b'\\';
        if text.is_empty() || !text.iter().all(as_it_is) {
            return None;
        }
        std::str::from_utf8(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn piece(choice: Value) -> Vec<u8> {
        json!({ "id": "c", "object": "chat.completion.chunk", "choices": [choice] }).to_string().into_bytes()
    }
    fn alike(choice: Value) -> Option<PieceTemplate> {
        let piece = piece(choice);
        PieceTemplate::of(&piece, &Chunk::read(&piece).unwrap())
    }

    #[test]
    fn only_a_piece_that_is_text_and_nothing_else_has_others_like_it() {
        assert!(alike(json!({ "index": 0, "delta": { "content": "a" }, "finish_reason": null })).is_some());
        for more in [
            json!({ "delta": { "content": "" } }),
            json!({ "delta": { "content": "a\nb" } }),
            json!({ "delta": { "content": ["a"] } }),
            json!({ "index": 1, "delta": { "content": "a" } }),
            json!({ "message": { "content": "a" } }),
            json!({ "delta": { "content": "a" }, "finish_reason": "stop" }),
            json!({ "delta": { "content": "a", "refusal": "b" } }),
            json!({ "delta": { "content": "a", "tool_calls": [{ "index": 0 }] } }),
            json!({ "delta": { "content": "a" }, "error": {} }),
        ] {
            assert!(alike(more.clone()).is_none(), "{more}");
        }
    }

    proptest! {
        /// L9: for any input, the fast path returns the same text as parsing.
        #[test]
        fn l9_a_piece_taken_for_alike_says_what_it_says_when_it_is_read(
            first in "[a-z ]{1,6}", next in "(\\PC|[\"\\\\{}:,\n]){0,12}", raw in proptest::bool::ANY,
            finish in proptest::option::of("stop|length"),
        ) {
            let alike = alike(json!({ "delta": { "content": first }, "finish_reason": null })).unwrap();
            let written = piece(json!({ "delta": { "content": next }, "finish_reason": finish }));
            let unwritten = [&*alike.before, next.as_bytes(), &*alike.behind].concat();
            let piece = if raw { unwritten } else { written };
            let read = Chunk::read(&piece);
            let Some(text) = alike.text(&piece) else {
                let plain = next.chars().all(|c| c >= ' ' && !"\"\\".contains(c)) && !next.is_empty();
                prop_assert!(!plain || finish.is_some() && !raw, "{}", next);
                return Ok(());
            };
            let read = read.map_err(TestCaseError::fail)?;
            prop_assert_eq!(read.plain_text(), Some(text));
        }
    }
}
