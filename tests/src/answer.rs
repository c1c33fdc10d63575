//! The mock endpoint's answers, with the faults that a test wants.
//!
//! An answer is a list of parts: pieces of a stream, or one body, with stalls and breaks between them. A *token* is
//! one piece of text or of a tool call; texts are split at their spaces.

use serde_json::{Value, json};

/// One scripted answer. Made by [`text`](Self::text), [`tool_call`](Self::tool_call),
/// [`json`](Self::json) or [`status`](Self::status), then changed by the other methods.
#[derive(Debug, Clone)]
pub struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) parts: Vec<Part>,
    /// Sent with a length instead of piece by piece.
    pub(crate) whole: bool,
}

/// A step in sending an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    /// A token of a stream.
    Token(Value),
    /// Another chunk of a stream.
    Chunk(Value),
    /// The reason of the end.
    Finish(Value),
    /// The usage.
    Usage(Value),
    /// `[DONE]`.
    Done,
    /// Unchanged bytes, in a separate TCP write.
    Raw(Vec<u8>),
    /// Sends nothing more until the test releases the endpoint or the client hangs up.
    Stall,
    /// The connection is reset.
    Reset,
}

impl Part {
    /// The bytes to send; empty for a stall or a break.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Token(chunk) | Self::Chunk(chunk) | Self::Finish(chunk) | Self::Usage(chunk) => {
                format!("data: {chunk}\n\n").into_bytes()
            }
            Self::Done => b"data: [DONE]\n\n".to_vec(),
            Self::Raw(bytes) => bytes.clone(),
            Self::Stall | Self::Reset => Vec::new(),
        }
    }
}

fn chunk(delta: Value, finish: Value) -> Value {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
    json!({ "id": "chatcmpl-mock", "object": "chat.completion.chunk", "model": "mock", "choices": [choice] })
}

impl Answer {
    fn stream(tokens: impl Iterator<Item = Value>, finish: &str) -> Self {
        let role = chunk(json!({ "role": "assistant", "content": "" }), Value::Null);
        let usage = json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 });
        let mut parts = vec![Part::Chunk(role)];
        parts.extend(tokens.map(|delta| Part::Token(chunk(delta, Value::Null))));
        parts.push(Part::Finish(chunk(json!({}), json!(finish))));
        parts.push(Part::Usage(json!({ "choices": [], "usage": usage })));
        parts.push(Part::Done);
        let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
        Self { status: 200, headers, parts, whole: false }
    }

    /// A streamed text, word by word.
    pub fn text(text: &str) -> Self {
        Self::stream(text.split_inclusive(' ').map(|word| json!({ "content": word })), "stop")
    }

    /// A streamed call of one tool; see [`tool_calls`](Self::tool_calls).
    pub fn tool_call(name: &str, arguments: &Value) -> Self {
        Self::tool_calls(&[(name, arguments.clone())])
    }

    /// Streamed calls of tools with the ids `call_1`, `call_2` …, each sent as OpenAI does: the name first, then the
    /// arguments in two halves. A string is sent unchanged.
    pub fn tool_calls(calls: &[(&str, Value)]) -> Self {
        let part = |index: usize, id: Value, function: Value| json!({ "tool_calls": [{ "index": index, "id": id, "type": "function", "function": function }] });
        let mut tokens = Vec::new();
        for (n, (name, arguments)) in calls.iter().enumerate() {
            let text = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
            let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
            let id = json!(format!("call_{}", n + 1));
            tokens.push(part(n, id, json!({ "name": name, "arguments": "" })));
            tokens.push(part(n, Value::Null, json!({ "arguments": text[..middle] })));
            tokens.push(part(n, Value::Null, json!({ "arguments": text[middle..] })));
        }
        Self::stream(tokens.into_iter(), "tool_calls")
    }

    /// One JSON body with status 200, also where a stream was asked for.
    pub fn json(body: &Value) -> Self {
        Self::status(200).body(body.to_string(), "application/json")
    }

    /// A complete, unstreamed answer of a chat.
    pub fn unstreamed(text: &str) -> Self {
        let message = json!({ "role": "assistant", "content": text });
        let choices = json!([{ "index": 0, "message": message, "finish_reason": "stop" }]);
        let usage = json!({ "prompt_tokens": 10, "completion_tokens": 5 });
        Self::json(&json!({ "object": "chat.completion", "choices": choices, "usage": usage }))
    }

    /// A status with an empty body.
    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), parts: Vec::new(), whole: true }
    }

    /// A refusal as OpenAI words it.
    pub fn error(status: u16, message: &str) -> Self {
        let error = json!({ "error": { "message": message, "type": "mock_error", "code": null } });
        Self::status(status).body(error.to_string(), "application/json")
    }

    /// Replaces the body.
    pub fn body(mut self, body: impl Into<Vec<u8>>, content_type: &str) -> Self {
        self.parts = vec![Part::Raw(body.into())];
        self.header("content-type", content_type)
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Breaks the connection after `tokens` tokens. With 0 tokens nothing is sent and the connection is reset (a real
    /// RST). Later it is closed in the middle of the answer, because a reset may overtake tokens.
    pub fn reset_after(self, tokens: usize) -> Self {
        self.insert(tokens, Part::Reset)
    }

    /// Resets the connection in place of an answer.
    pub fn reset() -> Self {
        Self { parts: vec![Part::Reset], ..Self::status(0) }
    }

    /// Stops sending after `tokens` tokens, until the test calls [`release`](crate::MockEndpoint::release) or the
    /// client hangs up.
    pub fn stall_after(self, tokens: usize) -> Self {
        self.insert(tokens, Part::Stall)
    }

    /// Stops sending after the last part, without closing the connection.
    pub fn stall_at_the_end(mut self) -> Self {
        self.parts.push(Part::Stall);
        self
    }

    /// Never answers, not even with a status, until released.
    pub fn stall() -> Self {
        Self { parts: vec![Part::Stall], ..Self::status(0) }
    }

    /// Sends a chunk of the test's own after `tokens` tokens, as an error object.
    pub fn chunk_after(self, tokens: usize, chunk: Value) -> Self {
        self.insert(tokens, Part::Chunk(chunk))
    }

    /// Sends bytes of the test's own after `tokens` tokens, as half an event.
    pub fn raw_after(self, tokens: usize, bytes: impl Into<Vec<u8>>) -> Self {
        self.insert(tokens, Part::Raw(bytes.into()))
    }

    /// Ends properly after `tokens` tokens, but without a finish reason (L7).
    pub fn end_after(mut self, tokens: usize) -> Self {
        let at = self.place_of(tokens);
        self.parts.truncate(at);
        self
    }

    /// Another `finish_reason`.
    pub fn finish(mut self, reason: &str) -> Self {
        let finish = Part::Finish(chunk(json!({}), json!(reason)));
        self.parts
            .iter_mut()
            .filter(|part| matches!(part, Part::Finish(_)))
            .for_each(|p| *p = finish.clone());
        self
    }

    /// Other usage.
    pub fn usage(mut self, prompt_tokens: u64, completion_tokens: u64) -> Self {
        let usage = json!({ "prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens });
        let usage = Part::Usage(json!({ "choices": [], "usage": usage }));
        self.parts.iter_mut().filter(|part| matches!(part, Part::Usage(_))).for_each(|p| *p = usage.clone());
        self
    }

    /// No usage (L14).
    pub fn without_usage(mut self) -> Self {
        self.parts.retain(|part| !matches!(part, Part::Usage(_)));
        self
    }

    /// No `finish_reason`, but `[DONE]`.
    pub fn without_finish(mut self) -> Self {
        self.parts.retain(|part| !matches!(part, Part::Finish(_)));
        self
    }

    /// No `[DONE]`.
    pub fn without_done(mut self) -> Self {
        self.parts.retain(|part| *part != Part::Done);
        self
    }

    /// Every chunk twice, under one SSE id (L13).
    pub fn duplicated(mut self) -> Self {
        let twice = |(n, part): (usize, Part)| {
            let event = [format!("id: {n}\n").into_bytes(), part.bytes()].concat();
            [Part::Raw(event.clone()), Part::Raw(event)]
        };
        self.parts = self.parts.into_iter().enumerate().flat_map(twice).collect();
        self
    }

    /// Sends every byte in its own write, so that characters are split (L9).
    pub fn torn(mut self) -> Self {
        let bytes = self.parts.iter().flat_map(Part::bytes).collect::<Vec<_>>();
        self.parts = bytes.into_iter().map(|byte| Part::Raw(vec![byte])).collect();
        self
    }

    fn insert(mut self, tokens: usize, part: Part) -> Self {
        let at = self.place_of(tokens);
        self.parts.insert(at, part);
        self
    }

    /// The index of the part after the first `tokens` tokens.
    fn place_of(&self, tokens: usize) -> usize {
        let mut places = self.parts.iter().enumerate().filter(|(_, part)| matches!(part, Part::Token(_)));
        match tokens {
            0 => 0,
            n => places.nth(n - 1).expect("the answer has so many tokens").0 + 1,
        }
    }
}
