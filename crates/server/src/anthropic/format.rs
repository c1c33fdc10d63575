//! The format of Anthropic's API: one message, or its events. Pure.

use greenroom_core::{Finish, ToolCall, Usage};
use serde_json::{Map, Value, json};

use crate::{
    ApiError,
    dialect::{
        error_shape::AnthropicError,
        format::{Chunk, CompleteReply, ReplyEnd, ReplyFormat, ReplyInfo, StreamFormat},
        tools::object_arguments,
    },
};

/// A reply in this format.
pub(super) struct MessageFormat {
    info: ReplyInfo,
    /// The number of complete blocks.
    blocks: usize,
    /// Whether a block of text is open.
    open: bool,
}

impl MessageFormat {
    pub(super) fn new(info: ReplyInfo) -> Self {
        Self { info, blocks: 0, open: false }
    }

    fn message(&self, content: Vec<Value>, stop: Option<&str>, usage: Value) -> Value {
        json!({
            "id": format!("msg_{}", self.info.turn),
            "type": "message",
            "role": "assistant",
            "model": self.info.model,
            "content": content,
            "stop_reason": stop,
            "stop_sequence": null,
            "usage": usage,
        })
    }

    fn open_text(&mut self, out: &mut Vec<Chunk>) {
        if !std::mem::replace(&mut self.open, true) {
            let block = json!({ "type": "text", "text": "" });
            out.push(event("content_block_start", json!({ "index": self.blocks, "content_block": block })));
        }
    }

    fn close(&mut self, out: &mut Vec<Chunk>) {
        out.push(event("content_block_stop", json!({ "index": self.blocks })));
        self.blocks += 1;
        self.open = false;
    }

    fn delta(&self, delta: Value, out: &mut Vec<Chunk>) {
        out.push(event("content_block_delta", json!({ "index": self.blocks, "delta": delta })));
    }
}

impl ReplyFormat for MessageFormat {
    const STREAM: StreamFormat = StreamFormat::ServerSentEvents;

    fn document(self, CompleteReply { end, calls, memories }: CompleteReply) -> Value {
        let text =
            (calls.is_empty() || !end.text.is_empty()).then(|| json!({ "type": "text", "text": end.text }));
        let uses = calls.iter().map(|call| {
            json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": object_arguments(&call.arguments) })
        });
        let content = text.into_iter().chain(uses).collect();
        let mut message = self.message(content, Some(stop_reason(end.finish)), usage(end.usage));
        message["greenroom"] = self.info.provenance(&memories);
        message
    }

    fn begin(&mut self, out: &mut Vec<Chunk>) {
        // the usage is known at the end
        let message = self.message(Vec::new(), None, usage(Usage::default()));
        out.push(event("message_start", json!({ "message": message })));
    }

    fn text(&mut self, text: &str, out: &mut Vec<Chunk>) {
        self.open_text(out);
        self.delta(json!({ "type": "text_delta", "text": text }), out);
    }

    fn call(&mut self, call: ToolCall, out: &mut Vec<Chunk>) {
        if self.open {
            self.close(out);
        }
        let ToolCall { id, name, arguments } = call;
        let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
        out.push(event("content_block_start", json!({ "index": self.blocks, "content_block": block })));
        let arguments = object_arguments(&arguments).to_string();
        self.delta(json!({ "type": "input_json_delta", "partial_json": arguments }), out);
        self.close(out);
    }

    fn end(&mut self, end: &ReplyEnd, out: &mut Vec<Chunk>) {
        if self.blocks == 0 {
            // an empty reply is also a block
            self.open_text(out);
        }
        if self.open {
            self.close(out);
        }
        let delta = json!({ "stop_reason": stop_reason(end.finish), "stop_sequence": null });
        out.push(event("message_delta", json!({ "delta": delta, "usage": usage(end.usage) })));
        out.push(event("message_stop", json!({})));
    }

    fn failed(&mut self, error: &ApiError, out: &mut Vec<Chunk>) {
        out.push(Chunk::event("error", json!(AnthropicError::from(error))));
    }
}

fn event(name: &'static str, fields: Value) -> Chunk {
    let mut data = Map::from_iter([("type".to_owned(), json!(name))]);
    if let Value::Object(fields) = fields {
        data.extend(fields);
    }
    Chunk::event(name, Value::Object(data))
}

fn stop_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop | Finish::ToolLimit => "end_turn",
        Finish::Length => "max_tokens",
        Finish::Refused => "refusal",
        Finish::ToolCalls => "tool_use",
    }
}

fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.prompt_tokens,
        "output_tokens": usage.completion_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    })
}

#[cfg(test)]
mod tests;
