//! A reply in the words of Anthropic's API: one message, or its events. Pure.

use greenroom_core::{Finish, Usage};
use serde_json::{Map, Value, json};

use crate::{
    ApiError,
    dialect::{
        Call, End, anthropic_error,
        deliver::{Begun, Frame, Reply, Whole, Wire},
    },
};

/// A reply as it is told.
pub(super) struct Told {
    begun: Begun,
    /// Blocks that are whole.
    blocks: usize,
    /// Whether a block of text is open.
    open: bool,
}

impl Told {
    pub(super) fn new(begun: Begun) -> Self {
        Self { begun, blocks: 0, open: false }
    }

    fn message(&self, content: Vec<Value>, stop: Option<&str>, usage: Value) -> Value {
        json!({
            "id": format!("msg_{}", self.begun.turn),
            "type": "message",
            "role": "assistant",
            "model": self.begun.model,
            "content": content,
            "stop_reason": stop,
            "stop_sequence": null,
            "usage": usage,
        })
    }

    fn open_text(&mut self, out: &mut Vec<Frame>) {
        if !std::mem::replace(&mut self.open, true) {
            let block = json!({ "type": "text", "text": "" });
            out.push(event("content_block_start", json!({ "index": self.blocks, "content_block": block })));
        }
    }

    fn close(&mut self, out: &mut Vec<Frame>) {
        out.push(event("content_block_stop", json!({ "index": self.blocks })));
        self.blocks += 1;
        self.open = false;
    }

    fn delta(&self, delta: Value, out: &mut Vec<Frame>) {
        out.push(event("content_block_delta", json!({ "index": self.blocks, "delta": delta })));
    }
}

impl Reply for Told {
    const WIRE: Wire = Wire::Events;
    type Document = Value;

    fn whole(self, Whole { end, calls, memories }: Whole) -> Value {
        let text =
            (calls.is_empty() || !end.text.is_empty()).then(|| json!({ "type": "text", "text": end.text }));
        let uses = calls.iter().map(|call| {
            json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": input(&call.arguments) })
        });
        let content = text.into_iter().chain(uses).collect();
        let mut message = self.message(content, Some(stop_reason(end.finish)), usage(end.usage));
        message["greenroom"] = json!({ "turn_id": self.begun.turn, "memories": memories });
        message
    }

    fn begin(&mut self, out: &mut Vec<Frame>) {
        // what it costs is known at its end
        let message = self.message(Vec::new(), None, usage(Usage::default()));
        out.push(event("message_start", json!({ "message": message })));
    }

    fn text(&mut self, text: &str, out: &mut Vec<Frame>) {
        self.open_text(out);
        self.delta(json!({ "type": "text_delta", "text": text }), out);
    }

    fn call(&mut self, call: Call, out: &mut Vec<Frame>) {
        if self.open {
            self.close(out);
        }
        let Call { id, name, arguments } = call;
        let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
        out.push(event("content_block_start", json!({ "index": self.blocks, "content_block": block })));
        let arguments = input(&arguments).to_string();
        self.delta(json!({ "type": "input_json_delta", "partial_json": arguments }), out);
        self.close(out);
    }

    fn end(&mut self, end: &End, out: &mut Vec<Frame>) {
        if self.blocks == 0 {
            // an empty reply is a block, too
            self.open_text(out);
        }
        if self.open {
            self.close(out);
        }
        let delta = json!({ "stop_reason": stop_reason(end.finish), "stop_sequence": null });
        out.push(event("message_delta", json!({ "delta": delta, "usage": usage(end.usage) })));
        out.push(event("message_stop", json!({})));
    }

    fn failed(&mut self, error: &ApiError, out: &mut Vec<Frame>) {
        out.push(Frame::event("error", anthropic_error(error)));
    }
}

fn event(name: &'static str, fields: Value) -> Frame {
    let mut data = Map::from_iter([("type".to_owned(), json!(name))]);
    if let Value::Object(fields) = fields {
        data.extend(fields);
    }
    Frame::event(name, Value::Object(data))
}

/// The arguments of a call: an object, whatever the model wrote.
fn input(arguments: &str) -> Value {
    match serde_json::from_str::<Map<String, Value>>(arguments) {
        Ok(input) => Value::Object(input),
        Err(_) => json!({ "not_json": arguments }),
    }
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
