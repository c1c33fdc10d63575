//! A reply in the words of Ollama's API: one document, or lines of JSON. Pure.

use greenroom_core::{Clock, Finish, SystemClock, Timestamp};
use jiff::Timestamp as Moment;
use serde_json::{Value, json};

use crate::{
    ApiError,
    dialect::{
        Call, End,
        deliver::{Begun, Frame, Reply, Whole, Wire},
        ollama_error,
    },
};

/// A reply as it is told.
pub(super) struct Told {
    begun: Begun,
    /// Whether it answers a chat, or else a prompt.
    chat: bool,
    /// Calls so far.
    calls: usize,
}

impl Told {
    pub(super) fn chat(begun: Begun) -> Self {
        Self { begun, chat: true, calls: 0 }
    }

    pub(super) fn generate(begun: Begun) -> Self {
        Self { begun, chat: false, calls: 0 }
    }

    fn line(&self, text: &str, calls: Vec<Value>) -> Value {
        let Self { begun: Begun { model, created, .. }, chat, .. } = self;
        if !chat {
            return json!({ "model": model, "created_at": written(*created), "response": text, "done": false });
        }
        let mut message = json!({ "role": "assistant", "content": text });
        if !calls.is_empty() {
            message["tool_calls"] = Value::Array(calls);
        }
        json!({ "model": model, "created_at": written(*created), "message": message, "done": false })
    }

    /// The same as the end of a reply.
    fn last(&self, mut line: Value, end: &End) -> Value {
        let took = u64::try_from(SystemClock.now().since(self.begun.created).as_nanos()).unwrap_or(u64::MAX);
        line["done"] = json!(true);
        line["done_reason"] = json!(if end.finish == Finish::Length { "length" } else { "stop" });
        line["total_duration"] = json!(took);
        line["load_duration"] = json!(0);
        line["prompt_eval_count"] = json!(end.usage.prompt_tokens);
        line["prompt_eval_duration"] = json!(0);
        line["eval_count"] = json!(end.usage.completion_tokens);
        line["eval_duration"] = json!(took);
        line
    }
}

fn called(call: Call, index: usize) -> Value {
    let Call { id, name, arguments } = call;
    let arguments = match serde_json::from_str(&arguments) {
        Ok(Value::Object(arguments)) => Value::Object(arguments),
        _ => json!({ "not_json": arguments }),
    };
    json!({ "id": id, "function": { "index": index, "name": name, "arguments": arguments } })
}

impl Reply for Told {
    const WIRE: Wire = Wire::Lines;
    type Document = Value;

    fn whole(self, Whole { end, calls, .. }: Whole) -> Value {
        let calls = calls.into_iter().enumerate().map(|(n, call)| called(call, n)).collect();
        self.last(self.line(&end.text, calls), &end)
    }

    fn begin(&mut self, _: &mut Vec<Frame>) {}

    fn text(&mut self, text: &str, out: &mut Vec<Frame>) {
        out.push(Frame::data(self.line(text, Vec::new())));
    }

    fn call(&mut self, call: Call, out: &mut Vec<Frame>) {
        let call = called(call, self.calls);
        self.calls += 1;
        out.push(Frame::data(self.line("", vec![call])));
    }

    fn end(&mut self, end: &End, out: &mut Vec<Frame>) {
        out.push(Frame::data(self.last(self.line("", Vec::new()), end)));
    }

    fn failed(&mut self, error: &ApiError, out: &mut Vec<Frame>) {
        out.push(Frame::data(ollama_error(error)));
    }
}

/// The answer to a client that only has a model loaded: there is nothing to load.
pub(super) fn loaded(model: &str, chat: bool) -> Value {
    let text = if chat { json!({ "role": "assistant", "content": "" }) } else { json!("") };
    let field = if chat { "message" } else { "response" };
    json!({
        "model": model,
        "created_at": written(SystemClock.now()),
        field: text,
        "done": true,
        "done_reason": "load",
    })
}

/// A moment as RFC 3339 has it.
fn written(at: Timestamp) -> String {
    Moment::from_microsecond(at.0).map_or_else(|_| String::new(), |at| at.to_string())
}

#[cfg(test)]
mod tests;
