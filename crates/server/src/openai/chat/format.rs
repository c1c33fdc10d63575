//! The format of the chat completions API. Pure.

use greenroom_core::{Finish, ToolCall, Usage};
use serde_json::{Value, json};

use crate::{
    ApiError,
    dialect::format::{Chunk, CompleteReply, ReplyEnd, ReplyFormat, ReplyInfo, StreamFormat},
};

/// A reply in this format.
pub(super) struct ChatFormat {
    info: ReplyInfo,
    /// Whether a stream ends with the usage.
    usage: bool,
    /// The number of calls so far.
    calls: usize,
}

impl ChatFormat {
    pub(super) fn new(info: ReplyInfo, usage: bool) -> Self {
        Self { info, usage, calls: 0 }
    }

    fn object(&self, kind: &str, choices: Value) -> Value {
        let ReplyInfo { turn, model, .. } = &self.info;
        let (id, created) = (format!("chatcmpl-{turn}"), self.info.seconds());
        json!({ "id": id, "object": kind, "created": created, "model": model, "choices": choices })
    }

    fn chunk(&self, choices: Value) -> Value {
        let mut chunk = self.object("chat.completion.chunk", choices);
        if self.usage {
            chunk["usage"] = Value::Null;
        }
        chunk
    }

    fn delta(&self, delta: Value, finish: Option<&str>) -> Chunk {
        let choice = json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish }]);
        Chunk::data(self.chunk(choice))
    }
}

impl ReplyFormat for ChatFormat {
    const STREAM: StreamFormat = StreamFormat::ServerSentEvents;

    fn document(self, CompleteReply { end, calls, memories }: CompleteReply) -> Value {
        let content = Some(end.text).filter(|text| calls.is_empty() || !text.is_empty());
        let mut message = json!({ "role": "assistant", "content": content, "refusal": null });
        if !calls.is_empty() {
            message["tool_calls"] = calls.into_iter().map(tool_call).collect();
        }
        let finish = finish_reason(end.finish);
        let choice = json!([{ "index": 0, "message": message, "logprobs": null, "finish_reason": finish }]);
        let mut document = self.object("chat.completion", choice);
        document["usage"] = usage(end.usage);
        document["greenroom"] = self.info.provenance(&memories);
        document
    }

    fn begin(&mut self, out: &mut Vec<Chunk>) {
        out.push(self.delta(json!({ "role": "assistant", "content": "" }), None));
    }

    fn text(&mut self, text: &str, out: &mut Vec<Chunk>) {
        out.push(self.delta(json!({ "content": text }), None));
    }

    fn call(&mut self, call: ToolCall, out: &mut Vec<Chunk>) {
        let mut call = tool_call(call);
        call["index"] = json!(self.calls);
        self.calls += 1;
        out.push(self.delta(json!({ "tool_calls": [call] }), None));
    }

    fn end(&mut self, end: &ReplyEnd, out: &mut Vec<Chunk>) {
        out.push(self.delta(json!({}), Some(finish_reason(end.finish))));
        if self.usage {
            let mut chunk = self.chunk(json!([]));
            chunk["usage"] = usage(end.usage);
            out.push(Chunk::data(chunk));
        }
        out.push(Chunk::data("[DONE]"));
    }

    fn failed(&mut self, error: &ApiError, out: &mut Vec<Chunk>) {
        out.push(Chunk::data(json!(error.body())));
    }
}

fn tool_call(ToolCall { id, name, arguments }: ToolCall) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
}

/// The tokens of a reply, in the words of OpenAI's API.
pub(in crate::openai) fn usage(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total(),
    })
}

/// The end of a reply, in the words of OpenAI's API.
pub(in crate::openai) fn finish_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop | Finish::ToolLimit => "stop",
        Finish::Length => "length",
        Finish::Refused => "content_filter",
        Finish::ToolCalls => "tool_calls",
    }
}

#[cfg(test)]
mod tests {
    use greenroom_core::{MessageId, Timestamp, TurnId, Usage};

    use super::*;

    #[test]
    fn usage_is_null_in_every_chunk_but_one_of_its_own() {
        let usage = Usage { prompt_tokens: 3, completion_tokens: 2, ..Default::default() };
        let end = ReplyEnd { text: "hi".into(), finish: Finish::Stop, usage, reply: MessageId(1) };
        let last = |usage| {
            let turn = TurnId(uuid::Uuid::nil());
            let info = ReplyInfo { turn, model: "ada".into(), created: Timestamp(0), stored: false };
            let mut chunks = Vec::new();
            ChatFormat::new(info, usage).end(&end, &mut chunks);
            assert_eq!(chunks.pop().unwrap().data, "[DONE]");
            chunks.iter().map(|chunk| serde_json::from_str(&chunk.data).unwrap()).collect::<Vec<Value>>()
        };
        let chunks = last(true);
        assert!(chunks[0]["usage"].is_null() && chunks[0].get("usage").is_some());
        assert_eq!((&chunks[1]["choices"], &chunks[1]["usage"]["total_tokens"]), (&json!([]), &json!(5)));
        assert!(last(false).iter().all(|chunk| chunk.get("usage").is_none()));
    }
}
