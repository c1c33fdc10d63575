//! Splits the bytes of a response into server-sent events.
//!
//! Each event has a size limit, is complete, and is returned once (L9, L13). Two events with equal text are two
//! events, because a model may say "ha ha"; only events with the same SSE `id` are repetitions.

use std::io::BufRead;

use bytes::{Buf, Bytes};

/// The largest event, in bytes.
pub(super) const MAX_EVENT: usize = 1 << 20;

/// The data of an event.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame<'a> {
    /// Data that should be one JSON document, possibly sent on several lines.
    Json(&'a [u8]),
    /// The end mark of a stream.
    Done,
}

/// A decoder: the caller feeds bytes and takes events.
#[derive(Default)]
pub(super) struct Frames {
    /// Received bytes that are not parsed yet.
    bytes: Bytes,
    /// A line whose end has not arrived.
    line: Vec<u8>,
    data: Vec<u8>,
    /// Whether the event that owns the data is complete.
    over: bool,
    id: Vec<u8>,
    last_id: Vec<u8>,
    /// Whether the whole response is the data of one event.
    whole: bool,
}

impl Frames {
    /// For a response that is one JSON document instead of events.
    pub(super) fn whole() -> Self {
        Self { whole: true, ..Self::default() }
    }

    /// Feeds the next bytes of the response. Call it only when `next` returned `None`.
    pub(super) fn push(&mut self, bytes: Bytes) {
        if self.whole {
            self.data.extend_from_slice(&bytes);
        } else {
            self.bytes = bytes;
        }
    }

    /// The response is over: the remaining bytes are the last event.
    pub(super) fn end(&mut self) {
        self.bytes = Bytes::from_static(b"\n\n");
    }

    /// The next whole event, `None` when more bytes are needed, or the reason why the event is invalid.
    pub(super) fn next(&mut self) -> Option<Result<Frame<'_>, String>> {
        while !self.bytes.is_empty() {
            if std::mem::take(&mut self.over) {
                self.data.clear();
            }
            // reading from memory cannot fail
            let read = self.bytes.as_ref().read_until(b'\n', &mut self.line).unwrap_or(self.bytes.len());
            self.bytes.advance(read);
            let Some(line) = self.line.strip_suffix(b"\n") else {
                let refused = self.line.len() + self.data.len() > MAX_EVENT;
                return refused.then(|| Err(too_large()));
            };
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if let Some(data) = field(line, b"data:") {
                if !self.data.is_empty() {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(data);
                if self.data.len() > MAX_EVENT {
                    return Some(Err(too_large()));
                }
            } else if let Some(id) = field(line, b"id:") {
                self.id = id.to_vec();
            }
            let ends = line.is_empty();
            self.line.clear();
            if ends && self.is_event() {
                return Some(Ok(self.frame()));
            }
        }
        None
    }

    /// Whether the lines since the last blank line form an event that was not returned yet.
    fn is_event(&mut self) -> bool {
        self.over = true;
        let id = std::mem::take(&mut self.id);
        let repeated = !id.is_empty() && id == self.last_id;
        if !id.is_empty() {
            self.last_id = id;
        }
        !repeated && !self.data.trim_ascii().is_empty()
    }

    fn frame(&self) -> Frame<'_> {
        if self.data.trim_ascii() == b"[DONE]" { Frame::Done } else { Frame::Json(&self.data) }
    }
}

/// The value of a field of server-sent events, if the line has this field.
fn field<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let value = line.strip_prefix(name)?;
    Some(value.strip_prefix(b" ").unwrap_or(value))
}

fn too_large() -> String {
    format!("a single piece of it is larger than {MAX_EVENT} bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The events of a response that arrives in these parts; `None` is the end mark.
    fn all(parts: &[&[u8]]) -> Vec<Option<String>> {
        let mut frames = Frames::default();
        let mut out = Vec::new();
        for part in parts {
            frames.push(Bytes::copy_from_slice(part));
            take(&mut frames, &mut out);
        }
        frames.end();
        take(&mut frames, &mut out);
        out
    }
    fn take(frames: &mut Frames, out: &mut Vec<Option<String>>) {
        while let Some(frame) = frames.next() {
            out.push(match frame.unwrap() {
                Frame::Json(json) => Some(std::str::from_utf8(json).unwrap().to_owned()),
                Frame::Done => None,
            });
        }
    }
    fn json(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn events_are_found_whatever_the_line_ends_comments_and_missing_blanks() {
        let bytes = b": hello\r\ndata: {\"a\":1}\r\n\r\nevent: x\ndata:{\"b\":\ndata: 2}\n\ndata: [DONE]";
        assert_eq!(all(&[bytes]), [json("{\"a\":1}"), json("{\"b\":\n2}"), None]);
    }

    #[test]
    fn a_document_is_one_event_however_long() {
        let long = Bytes::from(b"[7,\n\n7]".repeat(MAX_EVENT / 4));
        let mut frames = Frames::whole();
        for part in [long.slice(..9), long.slice(9..)] {
            frames.push(part);
            assert_eq!(frames.next(), None);
        }
        frames.end();
        assert_eq!(frames.next(), Some(Ok(Frame::Json(&long))));
        assert_eq!(frames.next(), None);
    }

    #[test]
    fn l9_a_huge_event_is_refused_before_it_is_held() {
        let mut frames = Frames::default();
        frames.push(Bytes::from_static(b"data: \""));
        assert_eq!(frames.next(), None);
        let refused_after = (1..=11).find(|_| {
            frames.push(Bytes::from(vec![b'x'; 1 << 18]));
            matches!(frames.next(), Some(Err(_)))
        });
        assert_eq!(refused_after, Some(4));
    }

    #[test]
    fn l9_a_huge_event_of_many_lines_is_refused_too() {
        let mut frames = Frames::default();
        let refused_after = (1..=11).find(|_| {
            frames.push(Bytes::from([b"data: ", &[b'x'; 1 << 18][..], b"\n"].concat()));
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
