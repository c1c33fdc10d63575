//! A reply in the words of the chat completions API. Pure.

use greenroom_core::{Finish, MemorySnippet, TurnId, Usage};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::{
    ApiError,
    dialect::{
        Call, End,
        deliver::{Begun, Frame, Reply as Told, Whole, Wire},
    },
};

/// A whole answer.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = openai::ChatCompletion)]
pub(super) struct ChatCompletion {
    /// `chatcmpl-` and the turn.
    id: String,
    /// Always `chat.completion`.
    object: &'static str,
    /// When, in seconds since 1970.
    created: i64,
    /// Who answered.
    model: String,
    /// Always one.
    choices: Vec<Choice>,
    /// What it cost.
    usage: TokenUsage,
    /// Where it comes from.
    greenroom: Provenance,
}

/// The answer itself.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = openai::Choice)]
struct Choice {
    index: u32,
    message: Reply,
    /// Always absent.
    logprobs: Option<()>,
    /// `stop`, `length`, `tool_calls` or `content_filter`.
    finish_reason: &'static str,
}

/// What was said.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = openai::Reply)]
struct Reply {
    /// Always `assistant`.
    role: &'static str,
    /// The text; absent when there are only calls.
    content: Option<String>,
    /// Always absent.
    refusal: Option<()>,
    /// Calls of the client's tools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall>,
}

/// A call of a tool of the client.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = openai::ToolCall)]
struct ToolCall {
    /// Its place among the calls; in a stream alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    id: String,
    /// Always `function`.
    #[serde(rename = "type")]
    kind: &'static str,
    function: Called,
}

/// What is called.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = openai::Called)]
struct Called {
    name: String,
    /// As the model wrote them: usually JSON.
    arguments: String,
}

/// What an answer cost, all calls of the turn together.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = openai::TokenUsage)]
pub(in crate::openai) struct TokenUsage {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
}

/// Where an answer comes from.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = openai::Provenance)]
struct Provenance {
    /// The turn.
    turn_id: TurnId,
    /// What was recalled for it, best first; empty for a stored reply that is told again.
    memories: Vec<MemorySnippet>,
}

impl ToolCall {
    /// A call, in a stream with its place.
    fn new(call: Call, index: Option<usize>) -> Self {
        let Call { id, name, arguments } = call;
        Self { index, id, kind: "function", function: Called { name, arguments } }
    }
}

impl From<Usage> for TokenUsage {
    fn from(usage: Usage) -> Self {
        Self {
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            total_tokens: usage.total(),
        }
    }
}

/// The words of the OpenAI API for how an answer ended.
pub(in crate::openai) fn finish_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop | Finish::ToolLimit => "stop",
        Finish::Length => "length",
        Finish::Refused => "content_filter",
        Finish::ToolCalls => "tool_calls",
    }
}

/// A reply as it is told.
pub(super) struct Chat {
    begun: Begun,
    /// Whether a stream ends with the usage.
    usage: bool,
    /// Calls so far.
    calls: usize,
}

impl Chat {
    pub(super) fn new(begun: Begun, usage: bool) -> Self {
        Self { begun, usage, calls: 0 }
    }

    /// How a reply is known.
    fn id(&self) -> String {
        format!("chatcmpl-{}", self.begun.turn)
    }

    fn chunk(&self, choices: Value) -> Value {
        let mut chunk = json!({
            "id": self.id(),
            "object": "chat.completion.chunk",
            "created": self.begun.seconds(),
            "model": self.begun.model,
            "choices": choices,
        });
        if self.usage {
            chunk["usage"] = Value::Null;
        }
        chunk
    }

    fn delta(&self, delta: Value) -> Frame {
        let choice = json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": null }]);
        Frame::data(self.chunk(choice))
    }
}

impl Told for Chat {
    const WIRE: Wire = Wire::Events;
    type Document = ChatCompletion;

    fn whole(self, Whole { end, calls, memories }: Whole) -> ChatCompletion {
        let content = Some(end.text).filter(|text| calls.is_empty() || !text.is_empty());
        let tool_calls = calls.into_iter().map(|call| ToolCall::new(call, None)).collect();
        let message = Reply { role: "assistant", content, refusal: None, tool_calls };
        let finish_reason = finish_reason(end.finish);
        ChatCompletion {
            id: self.id(),
            object: "chat.completion",
            created: self.begun.seconds(),
            model: self.begun.model,
            choices: vec![Choice { index: 0, message, logprobs: None, finish_reason }],
            usage: end.usage.into(),
            greenroom: Provenance { turn_id: self.begun.turn, memories },
        }
    }

    fn begin(&mut self, out: &mut Vec<Frame>) {
        out.push(self.delta(json!({ "role": "assistant", "content": "" })));
    }

    fn text(&mut self, text: &str, out: &mut Vec<Frame>) {
        out.push(self.delta(json!({ "content": text })));
    }

    fn call(&mut self, call: Call, out: &mut Vec<Frame>) {
        let call = ToolCall::new(call, Some(self.calls));
        self.calls += 1;
        out.push(self.delta(json!({ "tool_calls": [call] })));
    }

    fn end(&mut self, end: &End, out: &mut Vec<Frame>) {
        let reason = finish_reason(end.finish);
        let choice = json!([{ "index": 0, "delta": {}, "logprobs": null, "finish_reason": reason }]);
        out.push(Frame::data(self.chunk(choice)));
        if self.usage {
            let mut chunk = self.chunk(json!([]));
            chunk["usage"] = json!(TokenUsage::from(end.usage));
            out.push(Frame::data(chunk));
        }
        out.push(Frame::data("[DONE]"));
    }

    fn failed(&mut self, error: &ApiError, out: &mut Vec<Frame>) {
        out.push(Frame::data(json!(error.body())));
    }
}

#[cfg(test)]
mod tests {
    use greenroom_core::{MessageId, Timestamp};

    use super::*;

    #[test]
    fn usage_is_null_in_every_chunk_but_one_of_its_own() {
        let usage = Usage { prompt_tokens: 3, completion_tokens: 2, ..Default::default() };
        let end = End { text: "hi".into(), finish: Finish::Stop, usage, reply: MessageId(1) };
        let last = |usage| {
            let turn = TurnId(uuid::Uuid::nil());
            let begun = Begun { turn, model: "ada".into(), created: Timestamp(0), stored: false };
            let mut frames = Vec::new();
            Chat::new(begun, usage).end(&end, &mut frames);
            assert_eq!(frames.pop().unwrap().data, "[DONE]");
            frames.iter().map(|frame| serde_json::from_str(&frame.data).unwrap()).collect::<Vec<Value>>()
        };
        let chunks = last(true);
        assert!(chunks[0]["usage"].is_null() && chunks[0].get("usage").is_some());
        assert_eq!((&chunks[1]["choices"], &chunks[1]["usage"]["total_tokens"]), (&json!([]), &json!(5)));
        assert!(last(false).iter().all(|chunk| chunk.get("usage").is_none()));
    }
}
