//! The answer, assembled from the pieces of a stream.
//!
//! Pure: chunks in, text and finally a [`ModelEvent::Finished`] out. Endpoints send tool calls in different ways: in
//! fragments under an index, whole without an index, several whole ones under the same index, or some twice (L13).
//! Calls are returned only at the end of the answer, complete.

use std::mem;

use greenroom_core::{ToolCall, Usage};
use serde_json::Value;

use super::chunk::{CallPart, Chunk, Delta};
use crate::{ChatRequest, FinishReason, ModelEvent};

/// The answer so far.
pub(super) struct Answer {
    /// Greenroom's token count of the request.
    asked: u64,
    /// The number of messages in the request.
    round: usize,
    /// The bytes of text and arguments, for the estimate of their tokens (L14).
    length: usize,
    text: bool,
    begun: bool,
    calls: Vec<Part>,
    finish: Option<FinishReason>,
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

/// A chunk that contains an error instead of an answer (L8).
#[derive(Debug, PartialEq)]
pub(super) struct ErrorInChunk;

/// The largest number of tokens that an endpoint may report of one call. No model has such a window, so a larger number is a
/// defect of the endpoint and is ignored: it would use up a persona's budget at once.
const LARGEST_COUNT: u64 = 20_000_000;

/// A tool call that may still be incomplete.
struct Part {
    index: Option<u64>,
    call: ToolCall,
}

impl Answer {
    /// The empty answer to a request.
    pub(super) fn to(request: &ChatRequest) -> Self {
        Self {
            asked: request.prompt_tokens,
            round: request.messages.len(),
            length: 0,
            text: false,
            begun: false,
            calls: Vec::new(),
            finish: None,
            prompt_tokens: None,
            completion_tokens: None,
        }
    }

    /// The answer to a request that the provider's filter refused (L11).
    pub(super) fn filtered(self) -> Self {
        Self { finish: Some(FinishReason::ContentFilter), ..self }
    }

    /// Whether the model has sent text or reasoning.
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Whether the finish reason is known; only the usage may still come.
    pub(super) fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Whether there is neither text nor a tool call.
    pub(super) fn is_empty(&self) -> bool {
        !self.text && self.calls.is_empty()
    }

    /// Adds a piece of text.
    pub(super) fn add(&mut self, text: &str) {
        (self.begun, self.text) = (true, true);
        self.length += text.len();
    }

    /// Adds a chunk of the stream, or a complete answer in place of a chunk. Returns its text, or the error in it (L8).
    /// Chunks without a choice are skipped (L10).
    pub(super) fn apply(&mut self, chunk: Chunk<'_>) -> Result<Option<String>, ErrorInChunk> {
        if chunk.is_error() {
            return Err(ErrorInChunk);
        }
        if let Some(usage) = &chunk.usage {
            let counted = |count: Option<u64>| count.filter(|count| (1..=LARGEST_COUNT).contains(count));
            self.prompt_tokens = counted(usage.prompt_tokens).or(self.prompt_tokens);
            self.completion_tokens = counted(usage.completion_tokens).or(self.completion_tokens);
        }
        let Some(choice) = chunk.choice() else { return Ok(None) };
        if choice.is_error() {
            return Err(ErrorInChunk);
        }
        // text after the end repeats the whole answer
        if self.is_finished() {
            return Ok(None);
        }
        let text = match (choice.delta, choice.message) {
            (Some(delta), _) => self.delta(delta),
            (None, Some(message)) if self.is_empty() => self.delta(message),
            _ => None,
        };
        if let Some(reason) = choice.finish_reason {
            if reason == "error" {
                return Err(ErrorInChunk);
            }
            self.begun = true;
            self.finish = Some(finish_reason(&reason));
        }
        Ok(text)
    }

    fn delta(&mut self, delta: Delta<'_>) -> Option<String> {
        self.begun |= delta.thinks() || !delta.tool_calls.is_empty();
        let mut text = delta.content.into_owned();
        text.push_str(&delta.refusal);
        for part in delta.tool_calls {
            self.tool_call(part);
        }
        if text.is_empty() {
            return None;
        }
        self.add(&text);
        Some(text)
    }

    fn tool_call(&mut self, part: CallPart<'_>) {
        let function = part.function.unwrap_or_default();
        let id = part.id.unwrap_or_default().into_owned();
        let name = function.name.unwrap_or_default().into_owned();
        let arguments = match function.arguments {
            Value::Null => String::new(),
            Value::String(text) => text,
            object => object.to_string(),
        };

        let Some(known) = self.find(part.index, &id, &name) else {
            self.length += arguments.len();
            self.calls.push(Part { index: part.index, call: ToolCall { id, name, arguments } });
            return;
        };
        if known.call.name.is_empty() {
            known.call.name = name;
        }
        if known.call.id.is_empty() {
            known.call.id = id;
        }
        // after a complete object only its repetition can follow (L13)
        if !is_object(&known.call.arguments) {
            known.call.arguments.push_str(&arguments);
            self.length += arguments.len();
        }
    }

    /// The call that a part continues; `None` if the part begins a new call.
    fn find(&mut self, index: Option<u64>, id: &str, name: &str) -> Option<&mut Part> {
        let same = |part: &Part| {
            let other = !id.is_empty() && !part.call.id.is_empty() && part.call.id != id;
            let begins = other && !name.is_empty();
            match (index, id) {
                // a new id together with a name begins another call, regardless of the index
                (Some(_), _) => part.index == index && !begins,
                (None, "") => name.is_empty(),
                (None, id) => part.call.id == id,
            }
        };
        self.calls.iter_mut().rev().find(|part| same(part))
    }

    /// Ends the answer, or returns why it is unusable. Usage that was not reported is estimated from Greenroom's count
    /// of the request and four bytes per token (L14).
    pub(super) fn complete(&mut self) -> Result<ModelEvent, String> {
        let finish = self.finish.unwrap_or(FinishReason::Stop);
        let estimated = self.prompt_tokens.is_none() || (self.completion_tokens.is_none() && self.length > 0);
        let usage = Usage {
            prompt_tokens: self.prompt_tokens.unwrap_or(self.asked),
            completion_tokens: self.completion_tokens.unwrap_or(self.length.div_ceil(4) as u64),
            estimated,
            cost_micros: 0,
        };
        let round = self.round;
        let mut calls: Vec<_> = mem::take(&mut self.calls).into_iter().map(|part| part.call).collect();
        if finish == FinishReason::Length {
            calls.retain(|call| is_object(&call.arguments)); // L6: never a truncated one
        }
        if finish == FinishReason::ContentFilter {
            calls.clear();
        }
        for (n, call) in calls.iter_mut().enumerate() {
            if call.name.is_empty() {
                return Err("a tool call has no name".to_owned());
            }
            if call.id.is_empty() {
                call.id = format!("call_{round}_{n}");
            }
        }
        let reason = match finish {
            FinishReason::Stop | FinishReason::ToolCalls if calls.is_empty() => FinishReason::Stop,
            FinishReason::Stop => FinishReason::ToolCalls,
            other => other,
        };
        Ok(ModelEvent::Finished { tool_calls: calls, reason, usage })
    }
}

/// Unknown reasons, which mean "done" on other servers, as `eos` or `end_turn`, become `Stop`.
fn finish_reason(word: &str) -> FinishReason {
    match word {
        "length" | "max_tokens" => FinishReason::Length,
        "tool_calls" | "function_call" => FinishReason::ToolCalls,
        "content_filter" | "refusal" => FinishReason::ContentFilter,
        _ => FinishReason::Stop,
    }
}

fn is_object(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object())
}

#[cfg(test)]
mod tests {
    use greenroom_core::{ChatMessage, Role};
    use serde_json::json;

    use super::*;

    fn request() -> ChatRequest {
        ChatRequest {
            model: "m".into(),
            messages: vec![ChatMessage::new(Role::User, "hi")],
            tools: Vec::new(),
            temperature: 0.7,
            max_output_tokens: 64,
            prompt_tokens: 9,
            extra: Default::default(),
        }
    }
    fn nothing() -> Answer {
        Answer::to(&request())
    }
    fn apply(answer: &mut Answer, chunk: &Value) -> Result<Option<String>, ErrorInChunk> {
        answer.apply(Chunk::read(chunk.to_string().as_bytes()).unwrap())
    }
    fn finish(choices: &[Value]) -> (String, Vec<ToolCall>, FinishReason, Usage) {
        let mut answer = nothing();
        let mut text = String::new();
        for choice in choices {
            text.extend(apply(&mut answer, &json!({ "choices": [choice] })).unwrap());
        }
        match answer.complete().unwrap() {
            ModelEvent::Finished { tool_calls, reason, usage } => (text, tool_calls, reason, usage),
            other => panic!("{other:?}"),
        }
    }
    fn part(index: Option<u64>, id: Option<&str>, name: Option<&str>, arguments: &str) -> Value {
        let call = json!({ "index": index, "id": id, "function": { "name": name, "arguments": arguments } });
        json!({ "delta": { "tool_calls": [call] } })
    }
    fn done(reason: &str) -> Value {
        json!({ "delta": {}, "finish_reason": reason })
    }
    fn call(id: &str, arguments: &str) -> ToolCall {
        ToolCall { id: id.into(), name: "recall".into(), arguments: arguments.into() }
    }

    #[test]
    fn tool_calls_are_put_together_however_they_are_sent() {
        let two = [call("a", r#"{"q":1}"#), call("b", r#"{"q":2}"#)];
        let fragments = [
            part(Some(0), Some("a"), Some("recall"), ""),
            part(Some(0), None, None, r#"{"q""#),
            part(Some(1), Some("b"), Some("recall"), r#"{"q":"#),
            part(Some(0), None, None, ":1}"),
            part(Some(1), Some(""), None, "2}"),
            done("tool_calls"),
        ];
        let whole_without_index = [
            part(None, Some("a"), Some("recall"), r#"{"q":1}"#),
            part(None, Some("b"), Some("recall"), r#"{"q":2}"#),
            done("stop"),
        ];
        let whole_under_one_index = [
            part(Some(0), Some("a"), Some("recall"), r#"{"q":1}"#),
            part(Some(0), Some("b"), Some("recall"), r#"{"q":2}"#),
            done("stop"),
        ];
        for stream in [&fragments[..], &whole_without_index, &whole_under_one_index] {
            let (_, calls, reason, _) = finish(stream);
            assert_eq!((calls.as_slice(), reason), (&two[..], FinishReason::ToolCalls));
        }
    }

    #[test]
    fn arguments_may_come_as_an_object_and_calls_without_an_id_get_one() {
        let function = json!({ "name": "recall", "arguments": { "q": 1 } });
        let one = json!({ "delta": { "tool_calls": [{ "function": function }, { "function": function }] } });
        let (_, calls, ..) = finish(&[one, done("stop")]);
        assert_eq!(calls, [call("call_1_0", r#"{"q":1}"#), call("call_1_1", r#"{"q":1}"#)]);
    }

    #[test]
    fn l13_a_tool_call_sent_twice_is_one_and_so_is_a_text_repeated_at_the_end() {
        let whole = part(None, Some("a"), Some("recall"), r#"{"q":1}"#);
        let indexed = part(Some(0), Some("a"), Some("recall"), r#"{"q":1}"#);
        for twice in [whole, indexed] {
            let (_, calls, ..) = finish(&[twice.clone(), twice, done("tool_calls"), done("tool_calls")]);
            assert_eq!(calls, [call("a", r#"{"q":1}"#)]);
        }
        let word = json!({ "delta": { "content": "ha " } });
        let repeated = json!({ "message": { "content": "ha ha " }, "finish_reason": "stop" });
        assert_eq!(finish(&[word.clone(), word.clone(), repeated]).0, "ha ha ");
        assert_eq!(finish(&[word.clone(), done("stop"), word]).0, "ha ");
    }

    #[test]
    fn l6_a_call_cut_off_by_the_limit_never_surfaces() {
        let cut = [
            part(Some(0), Some("a"), Some("recall"), r#"{"q":1}"#),
            part(Some(1), Some("b"), Some("recall"), r#"{"q":"#),
            done("length"),
        ];
        let (_, calls, reason, _) = finish(&cut);
        assert_eq!((calls, reason), (vec![call("a", r#"{"q":1}"#)], FinishReason::Length));
    }

    #[test]
    fn l15_arguments_that_are_no_json_stay_as_they_were_written() {
        let (_, calls, ..) = finish(&[part(Some(0), Some("a"), Some("recall"), "{oops"), done("tool_calls")]);
        assert_eq!(calls, [call("a", "{oops")]);
    }

    #[test]
    fn l10_an_empty_chunk_is_skipped_and_l14_usage_is_taken_or_estimated() {
        let mut answer = nothing();
        assert_eq!(apply(&mut answer, &json!({ "choices": [] })), Ok(None));
        assert!(!answer.has_begun());
        let hello = [json!({ "delta": { "content": "hello" } }), done("stop")];
        let usage = Usage { prompt_tokens: 9, completion_tokens: 2, estimated: true, cost_micros: 0 };
        assert_eq!(finish(&hello).3, usage);
        let mut answer = nothing();
        apply(&mut answer, &json!({ "choices": [hello[0]] })).unwrap();
        let counted = json!({ "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 1 } });
        apply(&mut answer, &counted).unwrap();
        let Ok(ModelEvent::Finished { usage, .. }) = answer.complete() else { panic!() };
        assert_eq!(usage, Usage { prompt_tokens: 7, completion_tokens: 1, estimated: false, cost_micros: 0 });
        let mut answer = nothing();
        let absurd =
            json!({ "choices": [hello[0]], "usage": { "prompt_tokens": 1_000_000_000_000_000_u64 } });
        apply(&mut answer, &absurd).unwrap();
        let Ok(ModelEvent::Finished { usage, .. }) = answer.complete() else { panic!() };
        assert_eq!((usage.prompt_tokens, usage.estimated), (9, true), "no call has so many tokens");
    }

    #[test]
    fn l11_a_refusal_is_text_and_the_filter_runs_no_tool() {
        let refusal = json!({ "delta": { "refusal": "I cannot." } });
        let tool = part(Some(0), Some("a"), Some("recall"), "{}");
        let (text, calls, reason, _) = finish(&[refusal, tool, done("content_filter")]);
        assert_eq!((text.as_str(), calls, reason), ("I cannot.", vec![], FinishReason::ContentFilter));
    }

    #[test]
    fn l8_an_error_anywhere_in_a_chunk_is_an_error() {
        for chunk in [
            json!({ "error": { "message": "overloaded" } }),
            json!({ "error": "overloaded" }),
            json!({ "object": "error", "message": "overloaded" }),
            json!({ "choices": [{ "error": { "message": "overloaded" }, "finish_reason": "error" }] }),
        ] {
            assert!(apply(&mut nothing(), &chunk).is_err(), "{chunk}");
        }
        assert_eq!(apply(&mut nothing(), &json!({ "error": null, "choices": [] })), Ok(None));
    }

    #[test]
    fn thoughts_are_signs_of_life_and_no_text() {
        let mut answer = nothing();
        let thought = json!({ "choices": [{ "delta": { "content": "", "reasoning_content": "hm" } }] });
        assert_eq!(apply(&mut answer, &thought), Ok(None));
        assert!(answer.has_begun() && answer.is_empty());
    }
}
