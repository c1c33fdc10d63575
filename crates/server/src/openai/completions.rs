//! `POST /completions`, the API before chats: the prompt is one message of a user, and the persona answers it.

use axum::response::Response;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::{
    chat::{finish_reason, usage},
    fields::{channel, passed_on, user},
};
use crate::{
    ApiError,
    dialect::{
        ReplyContext,
        description::{EventReply, ReplyHeaders},
        embedding::Texts,
        format::{Chunk, CompleteReply, ReplyEnd, ReplyFormat, ReplyInfo, StreamFormat},
        request::{FieldPath, InputMessage, ReplyRequest, RequestMessage, Role, reply_options},
    },
    extract::Json,
    reference::Failures,
};

/// The body of a completion.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = openai::CompletionBody)]
pub(super) struct CompletionBody {
    /// A persona's name, perhaps with a channel: `ada@den`.
    model: String,
    /// The message: one text. Tokens are refused, since those of the persona's model are not known to clients.
    #[schema(value_type = Texts)]
    prompt: Value,
    /// Whether the answer comes as a stream.
    stream: Option<bool>,
    /// Sampling temperature; without it the persona's.
    #[schema(minimum = 0, maximum = 2)]
    temperature: Option<f32>,
    /// The longest answer in tokens; the persona's limit applies too.
    #[schema(minimum = 1, maximum = 4_294_967_295u64)]
    max_tokens: Option<u32>,
    /// `channel`: the channel to send the message to. Other fields are ignored.
    metadata: Option<Map<String, Value>>,
    /// `stop`, `top_p`, `seed`, penalties and `logit_bias` go to the model as they are.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl CompletionBody {
    fn into_request(self) -> Result<ReplyRequest, ApiError> {
        let message = RequestMessage::new(Role::User, Ok(prompt(self.prompt)?));
        Ok(ReplyRequest {
            model: self.model,
            messages: vec![InputMessage { at: FieldPath::field("prompt"), message }],
            user: user(&self.rest)?,
            channel: channel(self.metadata.as_ref())?,
            stream: self.stream.unwrap_or_default(),
            reply_options: reply_options(
                self.temperature,
                ("max_tokens", self.max_tokens),
                passed_on(self.rest)?,
            )?,
            ..ReplyRequest::default()
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
    request_body = CompletionBody, params(ReplyHeaders), responses(EventReply, Failures),
)]
pub(super) async fn completions(
    context: ReplyContext,
    Json(body): Json<CompletionBody>,
) -> Result<Response, ApiError> {
    context.answer(body.into_request()?, CompletionFormat).await
}

/// A reply in the format of this API.
struct CompletionFormat(ReplyInfo);

impl CompletionFormat {
    fn object(&self, text: &str, end: Option<&ReplyEnd>) -> Value {
        let Self(info) = self;
        let finish = end.map(|end| finish_reason(end.finish));
        let mut object = json!({
            "id": format!("cmpl-{}", info.turn),
            "object": "text_completion",
            "created": info.seconds(),
            "model": info.model,
            "choices": [{ "index": 0, "text": text, "logprobs": null, "finish_reason": finish }],
        });
        if let Some(end) = end {
            object["usage"] = usage(end.usage);
        }
        object
    }
}

impl ReplyFormat for CompletionFormat {
    const STREAM: StreamFormat = StreamFormat::ServerSentEvents;

    fn document(self, CompleteReply { end, memories, .. }: CompleteReply) -> Value {
        let mut document = self.object(&end.text, Some(&end));
        document["greenroom"] = self.0.provenance(&memories);
        document
    }

    fn text(&mut self, text: &str, out: &mut Vec<Chunk>) {
        out.push(Chunk::data(self.object(text, None)));
    }

    fn end(&mut self, end: &ReplyEnd, out: &mut Vec<Chunk>) {
        out.extend([Chunk::data(self.object("", Some(end))), Chunk::data("[DONE]")]);
    }

    fn failed(&mut self, error: &ApiError, out: &mut Vec<Chunk>) {
        out.push(Chunk::data(json!(error.body())));
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
