//! `POST /completions`, the API before chats: the prompt is one message of a user, and the persona answers it.

use axum::{extract::State, response::Response};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::{
    chat::{TokenUsage, finish_reason},
    passed::{channel, passed_on, user},
};
use crate::{
    ApiError, Caller, Services,
    dialect::{
        Call, End, answer,
        ask::{Ask, At, Message, RequestMessage, reply_options},
        deliver::{Begun, Frame, Reply, Whole, Wire},
        embedding::Texts,
        headers::RequestHeaders,
    },
    error::ErrorBody,
    extract::Json as Body,
};

/// The body of a completion.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = openai::CompletionBody)]
pub(super) struct CompletionBody {
    /// A persona's name, perhaps with a channel: `ada@den`.
    model: String,
    /// What is said: one text. Tokens are refused, since those of the persona's model are not known to clients.
    #[schema(value_type = Texts)]
    prompt: Value,
    /// Whether the answer comes in pieces.
    stream: Option<bool>,
    /// Sampling temperature; without it the persona's.
    #[schema(minimum = 0, maximum = 2)]
    temperature: Option<f32>,
    /// Longest answer in tokens; the persona's limit holds all the same.
    #[schema(minimum = 1, maximum = 4_294_967_295u64)]
    max_tokens: Option<u32>,
    /// `channel`: say it in this channel. The rest is ignored.
    metadata: Option<Map<String, Value>>,
    /// `stop`, `top_p`, `seed`, penalties and `logit_bias` go to the model as they are.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl CompletionBody {
    fn ask(self) -> Result<Ask, ApiError> {
        let what = RequestMessage::User { name: None, text: Ok(prompt(self.prompt)?) };
        Ok(Ask {
            model: self.model,
            messages: vec![Message { at: At::field("prompt"), what }],
            user: user(&self.rest)?,
            channel: channel(self.metadata.as_ref())?,
            stream: self.stream.unwrap_or_default(),
            reply_options: reply_options(
                self.temperature,
                ("max_tokens", self.max_tokens),
                passed_on(self.rest)?,
            )?,
            ..Ask::default()
        })
    }
}

/// One text, alone or in a list.
fn prompt(prompt: Value) -> Result<String, ApiError> {
    let wrong = |why: &str| Err(ApiError::invalid(why).about("prompt"));
    let one = match prompt {
        Value::Array(mut all) if all.len() == 1 => all.swap_remove(0),
        Value::Array(all) if all.iter().all(Value::is_string) && !all.is_empty() => {
            return wrong("one prompt is answered at a time: send each by itself");
        }
        prompt => prompt,
    };
    match one {
        Value::String(text) => Ok(text),
        _ => wrong("the prompt is a text; tokens cannot be read here"),
    }
}

/// Has a persona answer a prompt.
#[utoipa::path(
    post, path = "/completions", tag = "openai",
    request_body = CompletionBody,
    responses(
        (
            status = 200,
            description = "The answer; with `stream` chunks of it as server-sent events, `[DONE]` at the end",
            content((Value = "application/json"), (String = "text/event-stream")),
        ),
        (status = "4XX", body = ErrorBody, description = "As of `/v1/chat/completions`"),
        (status = "5XX", body = ErrorBody, description = "As of `/v1/chat/completions`"),
    ),
)]
pub(super) async fn completions(
    State(services): State<Services>,
    caller: Caller,
    headers: RequestHeaders,
    Body(body): Body<CompletionBody>,
) -> Result<Response, ApiError> {
    answer(&services, &caller, headers, body.ask()?, Completion).await
}

/// A reply in the words of this API.
struct Completion(Begun);

impl Completion {
    fn document(&self, text: &str, finish: Option<&str>) -> Value {
        let Self(begun) = self;
        json!({
            "id": format!("cmpl-{}", begun.turn),
            "object": "text_completion",
            "created": begun.seconds(),
            "model": begun.model,
            "choices": [{ "index": 0, "text": text, "logprobs": null, "finish_reason": finish }],
        })
    }
}

impl Reply for Completion {
    const WIRE: Wire = Wire::Events;
    type Document = Value;

    fn whole(self, Whole { end, memories, .. }: Whole) -> Value {
        let mut document = self.document(&end.text, Some(finish_reason(end.finish)));
        document["usage"] = json!(TokenUsage::from(end.usage));
        document["greenroom"] = json!({ "turn_id": self.0.turn, "memories": memories });
        document
    }

    fn begin(&mut self, _: &mut Vec<Frame>) {}

    fn text(&mut self, text: &str, out: &mut Vec<Frame>) {
        out.push(Frame::data(self.document(text, None)));
    }

    // a completion brings no tools, so none is called
    fn call(&mut self, _: Call, _: &mut Vec<Frame>) {}

    fn end(&mut self, end: &End, out: &mut Vec<Frame>) {
        let mut document = self.document("", Some(finish_reason(end.finish)));
        document["usage"] = json!(TokenUsage::from(end.usage));
        out.extend([Frame::data(document), Frame::data("[DONE]")]);
    }

    fn failed(&mut self, error: &ApiError, out: &mut Vec<Frame>) {
        out.push(Frame::data(json!(error.body())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e1_a_prompt_is_one_text() {
        assert_eq!(prompt(json!("hi")).unwrap(), "hi");
        assert_eq!(prompt(json!(["hi"])).unwrap(), "hi");
        for wrong in [json!(["a", "b"]), json!([1, 2]), json!([[1, 2]]), json!([]), json!(7), json!(null)] {
            assert_eq!(prompt(wrong.clone()).unwrap_err().param.as_deref(), Some("prompt"), "{wrong}");
        }
    }
}
