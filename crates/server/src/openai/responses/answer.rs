//! A reply in the words of the responses API: one document, or the whole sequence of its events. Pure, but for
//! what is kept for clients that refer to an item.

use greenroom_core::{Finish, ToolCall, Usage};
use serde_json::{Map, Value, json};

use super::request::Echo;
use crate::{
    ApiError,
    dialect::{
        Call, End,
        ask::RequestMessage,
        deliver::{Begun, Frame, Reply, Whole, Wire},
    },
};

/// A reply as it is told. `keep` is called with each item's id and what it is.
pub(super) struct Told<K> {
    begun: Begun,
    echo: Echo,
    keep: K,
    /// The number of the next event.
    number: u64,
    /// The items that are whole.
    output: Vec<Value>,
    /// The text of the message that is being told.
    open: Option<String>,
}

impl<K: Fn(String, RequestMessage)> Told<K> {
    pub(super) fn new(begun: Begun, echo: Echo, keep: K) -> Self {
        Self { begun, echo, keep, number: 0, output: Vec::new(), open: None }
    }

    /// The response as it stands.
    fn response(&self, status: &str, fields: Value) -> Value {
        let mut response = json!({
            "id": format!("resp_{}", self.begun.turn),
            "object": "response",
            "created_at": self.begun.seconds(),
            "status": status,
            "background": false,
            "error": null,
            "incomplete_details": null,
            "model": self.begun.model,
            "output": self.output,
            "reasoning": { "effort": null, "summary": null },
            "store": self.begun.stored,
            "truncation": "disabled",
            "usage": null,
        });
        if let Value::Object(response) = &mut response {
            response.extend(self.echo.0.clone());
            response.extend(fields.as_object().cloned().unwrap_or_default());
        }
        response
    }

    /// The response as it ended.
    fn ended(&self, end: &End) -> (&'static str, Value) {
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

    /// The id of the item that stands or will stand at a place.
    fn item_id(&self, kind: &str, place: usize) -> String {
        format!("{kind}_{}_{place}", self.begun.turn.0.simple())
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

    fn function_call(&self, place: usize, status: &str, call: &Call, arguments: &str) -> Value {
        json!({
            "id": self.item_id("fc", place),
            "type": "function_call",
            "status": status,
            "call_id": call.id,
            "name": call.name,
            "arguments": arguments,
        })
    }

    /// Keeps what a client may refer to later. Without a channel alone: there the history is kept anyway.
    fn keep(&self, id: String, what: RequestMessage) {
        if !self.begun.stored {
            (self.keep)(id, what);
        }
    }

    fn push_message(&mut self, text: String) -> Value {
        let place = self.output.len();
        let item = self.message(place, "completed", vec![part(&text)]);
        self.keep(
            self.item_id("msg", place),
            RequestMessage::Assistant { text: Ok(text), calls: Vec::new() },
        );
        self.output.push(item.clone());
        item
    }

    fn push_call(&mut self, call: Call) -> Value {
        let place = self.output.len();
        let item = self.function_call(place, "completed", &call, &call.arguments);
        let id = self.item_id("fc", place);
        let Call { id: call_id, name, arguments } = call;
        let called = ToolCall { id: call_id, name, arguments };
        self.keep(id, RequestMessage::Assistant { text: Ok(String::new()), calls: vec![called] });
        self.output.push(item.clone());
        item
    }

    fn event(&mut self, name: &'static str, fields: Value, out: &mut Vec<Frame>) {
        let mut data = Map::from_iter([
            ("type".to_owned(), json!(name)),
            ("sequence_number".to_owned(), json!(self.number)),
        ]);
        self.number += 1;
        if let Value::Object(fields) = fields {
            data.extend(fields);
        }
        out.push(Frame::event(name, Value::Object(data)));
    }

    /// Ends the message that is being told, if there is one.
    fn close(&mut self, out: &mut Vec<Frame>) {
        let Some(text) = self.open.take() else { return };
        let place = self.output.len();
        let at = json!({ "item_id": self.item_id("msg", place), "output_index": place, "content_index": 0 });
        self.event("response.output_text.done", with(&at, json!({ "text": text, "logprobs": [] })), out);
        self.event("response.content_part.done", with(&at, json!({ "part": part(&text) })), out);
        let item = self.push_message(text);
        self.event("response.output_item.done", json!({ "output_index": place, "item": item }), out);
    }
}

impl<K: Fn(String, RequestMessage) + Send + 'static> Reply for Told<K> {
    const WIRE: Wire = Wire::Events;
    type Document = Value;

    fn whole(mut self, Whole { end, calls, memories }: Whole) -> Value {
        if calls.is_empty() || !end.text.is_empty() {
            self.push_message(end.text.clone());
        }
        for call in calls {
            self.push_call(call);
        }
        let (_, mut response) = self.ended(&end);
        response["greenroom"] = json!({ "turn_id": self.begun.turn, "memories": memories });
        response
    }

    fn begin(&mut self, out: &mut Vec<Frame>) {
        for name in ["response.created", "response.in_progress"] {
            let response = self.response("in_progress", json!({}));
            self.event(name, json!({ "response": response }), out);
        }
    }

    fn text(&mut self, text: &str, out: &mut Vec<Frame>) {
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

    fn call(&mut self, call: Call, out: &mut Vec<Frame>) {
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

    fn end(&mut self, end: &End, out: &mut Vec<Frame>) {
        if self.output.is_empty() && self.open.is_none() {
            // an empty reply is a message, too
            self.text("", out);
        }
        self.close(out);
        let (name, response) = self.ended(end);
        self.event(name, json!({ "response": response }), out);
    }

    fn failed(&mut self, error: &ApiError, out: &mut Vec<Frame>) {
        let why = json!({ "code": error.code, "message": error.message });
        let response = self.response("failed", json!({ "error": why }));
        self.event("response.failed", json!({ "response": response }), out);
        let mut why = json!({ "code": error.code, "message": error.message, "param": error.param });
        // some SDKs read the reason here, others in an object
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
