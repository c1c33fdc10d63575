//! The format of the responses API: one document, or the sequence of its events. Pure, except that it stores items
//! for a later request.

use greenroom_core::{Finish, ToolCall, Usage};
use serde_json::{Map, Value, json};

use super::request::Echo;
use crate::{
    ApiError,
    dialect::{
        format::{Chunk, CompleteReply, ReplyEnd, ReplyFormat, ReplyInfo, StreamFormat},
        request::{RequestMessage, Role},
    },
};

/// A reply in this format. `keep` is called with the id of each item and its message.
pub(super) struct ResponseFormat<K> {
    info: ReplyInfo,
    echo: Echo,
    keep: K,
    /// The number of the next event.
    number: u64,
    /// The complete items.
    output: Vec<Value>,
    /// The text of the open message.
    open: Option<String>,
}

impl<K: Fn(String, RequestMessage)> ResponseFormat<K> {
    pub(super) fn new(info: ReplyInfo, echo: Echo, keep: K) -> Self {
        Self { info, echo, keep, number: 0, output: Vec::new(), open: None }
    }

    /// The response so far.
    fn response(&self, status: &str, fields: Value) -> Value {
        let mut response = json!({
            "id": format!("resp_{}", self.info.turn),
            "object": "response",
            "created_at": self.info.seconds(),
            "status": status,
            "background": false,
            "error": null,
            "incomplete_details": null,
            "model": self.info.model,
            "output": self.output,
            "reasoning": { "effort": null, "summary": null },
            "store": self.info.stored,
            "truncation": "disabled",
            "usage": null,
        });
        if let Value::Object(response) = &mut response {
            response.extend(self.echo.0.clone());
            response.extend(fields.as_object().cloned().unwrap_or_default());
        }
        response
    }

    /// The response at its end.
    fn ended(&self, end: &ReplyEnd) -> (&'static str, Value) {
        let usage = usage(end.usage);
        let cut = match end.finish {
            Finish::Length => Some("max_output_tokens"),
            Finish::Refused => Some("content_filter"),
            Finish::Stop | Finish::ToolLimit | Finish::ToolCalls => None,
        };
        match cut {
            None => ("response.completed", self.response("completed", json!({ "usage": usage }))),
            Some(reason) => {
                let fields = json!({ "usage": usage, "incomplete_details": { "reason": reason } });
                ("response.incomplete", self.response("incomplete", fields))
            }
        }
    }

    /// The id of the item at an index, which may not exist yet.
    fn item_id(&self, kind: &str, place: usize) -> String {
        format!("{kind}_{}_{place}", self.info.turn.0.simple())
    }

    fn message(&self, place: usize, status: &str, content: Vec<Value>) -> Value {
        json!({
            "id": self.item_id("msg", place),
            "type": "message",
            "status": status,
            "role": "assistant",
            "content": content,
        })
    }

    fn function_call(&self, place: usize, status: &str, call: &ToolCall, arguments: &str) -> Value {
        json!({
            "id": self.item_id("fc", place),
            "type": "function_call",
            "status": status,
            "call_id": call.id,
            "name": call.name,
            "arguments": arguments,
        })
    }

    /// Stores an item for a later request. A channel has its stored history instead.
    fn keep(&self, id: String, message: RequestMessage) {
        if !self.info.stored {
            (self.keep)(id, message);
        }
    }

    fn push_message(&mut self, text: String) -> Value {
        let place = self.output.len();
        let item = self.message(place, "completed", vec![part(&text)]);
        self.keep(self.item_id("msg", place), RequestMessage::new(Role::Assistant, Ok(text)));
        self.output.push(item.clone());
        item
    }

    fn push_call(&mut self, call: ToolCall) -> Value {
        let place = self.output.len();
        let item = self.function_call(place, "completed", &call, &call.arguments);
        let id = self.item_id("fc", place);
        self.keep(id, RequestMessage::Assistant { text: Ok(String::new()), calls: vec![call] });
        self.output.push(item.clone());
        item
    }

    fn event(&mut self, name: &'static str, fields: Value, out: &mut Vec<Chunk>) {
        let mut data = Map::from_iter([
            ("type".to_owned(), json!(name)),
            ("sequence_number".to_owned(), json!(self.number)),
        ]);
        self.number += 1;
        if let Value::Object(fields) = fields {
            data.extend(fields);
        }
        out.push(Chunk::event(name, Value::Object(data)));
    }

    /// Ends the open message, if there is one.
    fn close(&mut self, out: &mut Vec<Chunk>) {
        let Some(text) = self.open.take() else { return };
        let place = self.output.len();
        let at = json!({ "item_id": self.item_id("msg", place), "output_index": place, "content_index": 0 });
        self.event("response.output_text.done", with(&at, json!({ "text": text, "logprobs": [] })), out);
        self.event("response.content_part.done", with(&at, json!({ "part": part(&text) })), out);
        let item = self.push_message(text);
        self.event("response.output_item.done", json!({ "output_index": place, "item": item }), out);
    }
}

impl<K: Fn(String, RequestMessage) + Send + 'static> ReplyFormat for ResponseFormat<K> {
    const STREAM: StreamFormat = StreamFormat::ServerSentEvents;

    fn document(mut self, CompleteReply { end, calls, memories }: CompleteReply) -> Value {
        if calls.is_empty() || !end.text.is_empty() {
            self.push_message(end.text.clone());
        }
        for call in calls {
            self.push_call(call);
        }
        let (_, mut response) = self.ended(&end);
        response["greenroom"] = self.info.provenance(&memories);
        response
    }

    fn begin(&mut self, out: &mut Vec<Chunk>) {
        for name in ["response.created", "response.in_progress"] {
            let response = self.response("in_progress", json!({}));
            self.event(name, json!({ "response": response }), out);
        }
    }

    fn text(&mut self, text: &str, out: &mut Vec<Chunk>) {
        let place = self.output.len();
        let at = json!({ "item_id": self.item_id("msg", place), "output_index": place, "content_index": 0 });
        if self.open.is_none() {
            let item = self.message(place, "in_progress", Vec::new());
            self.event("response.output_item.added", json!({ "output_index": place, "item": item }), out);
            self.event("response.content_part.added", with(&at, json!({ "part": part("") })), out);
        }
        self.open.get_or_insert_default().push_str(text);
        self.event("response.output_text.delta", with(&at, json!({ "delta": text, "logprobs": [] })), out);
    }

    fn call(&mut self, call: ToolCall, out: &mut Vec<Chunk>) {
        self.close(out);
        let place = self.output.len();
        let at = json!({ "item_id": self.item_id("fc", place), "output_index": place });
        let item = self.function_call(place, "in_progress", &call, "");
        self.event("response.output_item.added", json!({ "output_index": place, "item": item }), out);
        let delta = json!({ "delta": call.arguments });
        self.event("response.function_call_arguments.delta", with(&at, delta), out);
        let done = json!({ "name": call.name, "arguments": call.arguments });
        self.event("response.function_call_arguments.done", with(&at, done), out);
        let item = self.push_call(call);
        self.event("response.output_item.done", json!({ "output_index": place, "item": item }), out);
    }

    fn end(&mut self, end: &ReplyEnd, out: &mut Vec<Chunk>) {
        if self.output.is_empty() && self.open.is_none() {
            // an empty reply is also a message
            self.text("", out);
        }
        self.close(out);
        let (name, response) = self.ended(end);
        self.event(name, json!({ "response": response }), out);
    }

    fn failed(&mut self, error: &ApiError, out: &mut Vec<Chunk>) {
        let why = json!({ "code": error.code, "message": error.message });
        let response = self.response("failed", json!({ "error": why }));
        self.event("response.failed", json!({ "response": response }), out);
        let mut why = json!({ "code": error.code, "message": error.message, "param": error.param });
        // some SDKs read the reason from these fields, others from an object
        why["error"] = json!(error.body().error);
        self.event("error", why, out);
    }
}

/// The text of a message.
fn part(text: &str) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] })
}

fn with(fields: &Value, more: Value) -> Value {
    let all = [fields.as_object().cloned(), more.as_object().cloned()];
    Value::Object(all.into_iter().flatten().flatten().collect())
}

fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.prompt_tokens,
        "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": usage.completion_tokens,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": usage.total(),
    })
}

#[cfg(test)]
mod tests;
