//! The format of Ollama's API: one document, or lines of JSON. Pure.

use greenroom_core::{Finish, SystemClock, Time, Timestamp, ToolCall};
use jiff::Timestamp as Moment;
use serde_json::{Value, json};

use crate::{
    ApiError,
    dialect::{
        error_shape::OllamaError,
        format::{Chunk, CompleteReply, ReplyEnd, ReplyFormat, ReplyInfo, StreamFormat},
        tools::object_arguments,
    },
};

/// A reply in this format.
pub(super) struct OllamaFormat {
    info: ReplyInfo,
    /// Whether it answers a chat, not a prompt.
    chat: bool,
    /// The number of calls so far.
    calls: usize,
}

impl OllamaFormat {
    pub(super) fn chat(info: ReplyInfo) -> Self {
        Self { info, chat: true, calls: 0 }
    }

    pub(super) fn generate(info: ReplyInfo) -> Self {
        Self { info, chat: false, calls: 0 }
    }

    /// The answer to a request that only loads the model.
    pub(super) fn load_answer(model: &str, chat: bool) -> Value {
        let mut line = line_with_text(model, SystemClock.now(), "", chat);
        line["done"] = json!(true);
        line["done_reason"] = json!("load");
        line
    }

    fn line(&self, text: &str, calls: Vec<Value>) -> Value {
        let mut line = line_with_text(&self.info.model, self.info.created, text, self.chat);
        if self.chat && !calls.is_empty() {
            line["message"]["tool_calls"] = Value::Array(calls);
        }
        line
    }

    /// The line as the last of a reply.
    fn as_last_line(&self, mut line: Value, end: &ReplyEnd) -> Value {
        let took = u64::try_from(SystemClock.now().since(self.info.created).as_nanos()).unwrap_or(u64::MAX);
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

fn tool_call(ToolCall { id, name, arguments }: ToolCall, index: usize) -> Value {
    let arguments = object_arguments(&arguments);
    json!({ "id": id, "function": { "index": index, "name": name, "arguments": arguments } })
}

impl ReplyFormat for OllamaFormat {
    const STREAM: StreamFormat = StreamFormat::JsonLines;

    fn document(self, CompleteReply { end, calls, .. }: CompleteReply) -> Value {
        let calls = calls.into_iter().enumerate().map(|(n, call)| tool_call(call, n)).collect();
        self.as_last_line(self.line(&end.text, calls), &end)
    }

    fn text(&mut self, text: &str, out: &mut Vec<Chunk>) {
        out.push(Chunk::data(self.line(text, Vec::new())));
    }

    fn call(&mut self, call: ToolCall, out: &mut Vec<Chunk>) {
        let call = tool_call(call, self.calls);
        self.calls += 1;
        out.push(Chunk::data(self.line("", vec![call])));
    }

    fn end(&mut self, end: &ReplyEnd, out: &mut Vec<Chunk>) {
        out.push(Chunk::data(self.as_last_line(self.line("", Vec::new()), end)));
    }

    fn failed(&mut self, error: &ApiError, out: &mut Vec<Chunk>) {
        out.push(Chunk::data(json!(OllamaError::from(error))));
    }
}

/// One line of a reply: of a chat, or else of an answer to a prompt.
fn line_with_text(model: &str, created: Timestamp, text: &str, chat: bool) -> Value {
    let created = rfc3339(created);
    match chat {
        true => {
            let message = json!({ "role": "assistant", "content": text });
            json!({ "model": model, "created_at": created, "message": message, "done": false })
        }
        false => json!({ "model": model, "created_at": created, "response": text, "done": false }),
    }
}

/// A time in the format of RFC 3339.
fn rfc3339(at: Timestamp) -> String {
    Moment::from_microsecond(at.0).map_or_else(|_| String::new(), |at| at.to_string())
}

#[cfg(test)]
mod tests;
