//! Server-sent events, cut out of the bytes of a response before the client sees them.
//!
//! The client's own reader buffers without a limit and logs whatever it cannot parse. So each
//! event passes here first: it is bounded, whole, well-formed JSON, and goes on once (L9, L13).
//! Two equal events are not one event, since a model may well say "ha ha"; only events with the
//! same SSE `id` are.

use bytes::{Buf, BytesMut};
use serde::de::IgnoredAny;

/// The largest event, in bytes.
pub(super) const MAX_EVENT: usize = 1 << 20;

/// What an event holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// One JSON document, on as many lines as it was sent.
    Json(String),
    /// The word that ends a stream.
    Done,
}

/// Bytes in, events out.
#[derive(Default)]
pub(super) struct Frames {
    buffer: BytesMut,
    /// How much of the buffer is known to hold no line end.
    scanned: usize,
    data: Vec<u8>,
    id: Vec<u8>,
    last_id: Vec<u8>,
}

impl Frames {
    /// Takes the next bytes of the response.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The response is over: what stands in the buffer is the last event.
    pub(super) fn end(&mut self) {
        self.buffer.extend_from_slice(b"\n\n");
    }

    /// The next whole event, `None` when more bytes are needed, or what is wrong with it.
    pub(super) fn next(&mut self) -> Option<Result<Frame, String>> {
        while let Some(length) = self.buffer[self.scanned..].iter().position(|byte| *byte == b'\n') {
            let mut line = self.buffer.split_to(self.scanned + length);
            self.buffer.advance(1);
            self.scanned = 0;
            if line.last() == Some(&b'\r') {
                line.truncate(line.len() - 1);
            }
            if line.is_empty() {
                if let Some(event) = self.event() {
                    return Some(event);
                }
            } else if let Some(data) = field(&line, b"data:") {
                if !self.data.is_empty() {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(data);
            } else if let Some(id) = field(&line, b"id:") {
                self.id = id.to_vec();
            }
            if self.data.len() > MAX_EVENT {
                return Some(Err(too_large()));
            }
        }
        self.scanned = self.buffer.len();
        (self.buffer.len() + self.data.len() > MAX_EVENT).then(|| Err(too_large()))
    }

    /// What the lines since the last blank one make.
    fn event(&mut self) -> Option<Result<Frame, String>> {
        let (data, id) = (std::mem::take(&mut self.data), std::mem::take(&mut self.id));
        let repeated = !id.is_empty() && id == self.last_id;
        if !id.is_empty() {
            self.last_id = id;
        }
        match data.trim_ascii() {
            _ if repeated => None,
            b"" => None,
            b"[DONE]" => Some(Ok(Frame::Done)),
            _ => Some(json(data)),
        }
    }
}

/// The value of an SSE field.
fn field<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let value = line.strip_prefix(name)?;
    Some(value.strip_prefix(b" ").unwrap_or(value))
}

fn json(data: Vec<u8>) -> Result<Frame, String> {
    let text = String::from_utf8(data).map_err(|_| "a piece of it is not UTF-8".to_owned())?;
    // the error names line and column and quotes nothing
    serde_json::from_str::<IgnoredAny>(&text)
        .map_err(|error| format!("a piece of it is no JSON: {error}"))?;
    Ok(Frame::Json(text))
}

fn too_large() -> String {
    format!("a single piece of it is larger than {MAX_EVENT} bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(parts: &[&[u8]]) -> Vec<Result<Frame, String>> {
        let mut frames = Frames::default();
        let mut out = Vec::new();
        for part in parts {
            frames.push(part);
            out.extend(std::iter::from_fn(|| frames.next()));
        }
        frames.end();
        out.extend(std::iter::from_fn(|| frames.next()));
        out
    }
    fn json(text: &str) -> Result<Frame, String> {
        Ok(Frame::Json(text.to_owned()))
    }

    #[test]
    fn events_are_found_whatever_the_line_ends_comments_and_missing_blanks() {
        let bytes = b": hello\r\ndata: {\"a\":1}\r\n\r\nevent: x\ndata:{\"b\":\ndata: 2}\n\ndata: [DONE]";
        assert_eq!(all(&[bytes]), [json("{\"a\":1}"), json("{\"b\":\n2}"), Ok(Frame::Done)]);
    }

    #[test]
    fn l9_what_is_no_json_or_no_utf8_is_an_error_that_quotes_nothing() {
        for bytes in
            [&b"data: {\"key\": sk-canary}\n\n"[..], b"data: {\"a\":\"\xff\"}\n\n", b"data: {\"a\n\n"]
        {
            let error = all(&[bytes]).remove(0).unwrap_err();
            assert!(!error.contains("canary"), "{error}");
        }
    }

    #[test]
    fn l9_a_huge_event_is_refused_before_it_is_held() {
        let mut frames = Frames::default();
        frames.push(b"data: \"");
        let refused_after = (1..=11).find(|_| {
            frames.push(&vec![b'x'; 1 << 18]);
            matches!(frames.next(), Some(Err(_)))
        });
        assert_eq!(refused_after, Some(4));
    }

    #[test]
    fn l13_an_event_delivered_twice_under_one_id_counts_once() {
        let bytes = b"id: 1\ndata: 1\n\nid: 1\ndata: 1\n\nid: 2\ndata: 1\n\ndata: 1\n\ndata: 1\n\n";
        assert_eq!(all(&[bytes]).len(), 4);
    }

    proptest! {
        #[test]
        fn l9_events_are_the_same_wherever_the_bytes_are_split(
            texts in proptest::collection::vec("\\PC{0,20}", 1..6), cut in 0usize..200,
        ) {
            let events: Vec<_> = texts.iter().map(|text| serde_json::json!({ "t": text }).to_string()).collect();
            let bytes: Vec<u8> = events.iter().flat_map(|e| format!("data: {e}\n\n").into_bytes()).collect();
            let (head, tail) = bytes.split_at(cut.min(bytes.len()));
            let expected: Vec<_> = events.iter().map(|e| json(e)).collect();
            prop_assert_eq!(all(&[head, tail]), expected);
        }
    }
}
