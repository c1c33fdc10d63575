//! The body of a chat request, written directly into the bytes that are sent.

use std::collections::BTreeMap;

use async_openai::types::chat::{
    ChatCompletionMessageToolCall, ChatCompletionMessageToolCalls, ChatCompletionStreamOptions, FunctionCall,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use greenroom_core::{ChatMessage, Image, Offered, Role, ToolCall};
use serde::Serialize;
use serde_json::{Map, Value, json, value::RawValue};

use super::Endpoint;
use crate::{ChatRequest, ModelError};

/// Words in refusals of images. Ollama, llama.cpp, vLLM, OpenAI and OpenRouter each use at least one of them.
const NO_IMAGES: [&str; 4] = ["image", "vision", "multimodal", "mmproj"];

/// Optional fields that an endpoint may not know. A request refused for one of them is sent again without it.
const OPTIONAL: [&str; 3] = ["stream_options", "tools", "temperature"];

/// The bytes reserved for a body beside its texts.
const FRAME: usize = 4096;

/// The body. It asks for a stream with the usage at its end.
#[derive(Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    messages: Vec<WireMessage<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<ChatCompletionStreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    /// Further fields of the API client that Greenroom does not set itself.
    #[serde(flatten)]
    extra: BTreeMap<&'a str, &'a Value>,
}

/// A message.
#[derive(Serialize)]
struct WireMessage<'a> {
    role: Role,
    content: Option<Content<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ChatCompletionMessageToolCalls>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

/// The content of a message. A message without images is a plain text, because some endpoints read nothing else.
#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(&'a str),
    Parts(Vec<Part<'a>>),
}

/// A part of the content of a message.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
struct ImageUrl {
    /// The image itself, in base64.
    url: String,
}

/// A tool that the API client sent, or one of Greenroom's.
#[derive(Serialize)]
#[serde(untagged)]
enum Tool<'a> {
    Brought(&'a Value),
    Ours { r#type: &'static str, function: &'a RawValue },
}

impl<'a> Body<'a> {
    pub(super) fn of(endpoint: &Endpoint, request: &'a ChatRequest) -> Self {
        let reasons = is_reasoning_model(endpoint.host(), &request.model);
        let limit = Some(request.max_output_tokens);
        let mut body = Self {
            model: &request.model,
            messages: request.messages.iter().map(WireMessage::of).collect(),
            stream: true,
            stream_options: Some(ChatCompletionStreamOptions {
                include_usage: Some(true),
                include_obfuscation: None,
            }),
            temperature: Some(request.temperature).filter(|_| !reasons),
            max_tokens: limit.filter(|_| !reasons),
            max_completion_tokens: limit.filter(|_| reasons),
            tools: request.tools.iter().map(|tool| Tool::of(tool, request)).collect(),
            extra: BTreeMap::new(),
        };
        let theirs = request.extra.iter().filter(|(field, _)| !body.has(field));
        body.extra = theirs.map(|(field, value)| (field.as_str(), value)).collect();
        body
    }

    /// Whether Greenroom sets this field itself; it always sets tools.
    fn has(&self, field: &str) -> bool {
        match field {
            "model" | "messages" | "stream" | "stream_options" | "tools" => true,
            "temperature" => self.temperature.is_some(),
            "max_tokens" => self.max_tokens.is_some(),
            "max_completion_tokens" => self.max_completion_tokens.is_some(),
            _ => false,
        }
    }

    /// The body of the request.
    pub(super) fn json(&self) -> Vec<u8> {
        let contents = self.messages.iter().filter_map(|line| line.content.as_ref());
        let texts = contents.map(Content::len).sum::<usize>();
        let mut json = Vec::with_capacity(texts + texts / 8 + FRAME);
        // writing to memory cannot fail, and texts and numbers under text keys always have a JSON form
        let _ = serde_json::to_writer(&mut json, self);
        json
    }

    /// Removes the optional field or the images that `error` complains about. Returns false if the error names none, or
    /// if they were already removed.
    pub(super) fn without_refused_field(&mut self, error: &ModelError) -> bool {
        let (status, reason) = match error {
            ModelError::Rejected { status, reason, .. } => (*status, reason),
            ModelError::Server { reason, .. } => (500, reason),
            _ => return false,
        };
        let speaks_of_images = || {
            let reason = reason.to_lowercase();
            NO_IMAGES.iter().any(|word| reason.contains(word))
        };
        match status {
            400 | 422 if OPTIONAL.iter().any(|field| reason.contains(field) && self.remove(field)) => true,
            _ => speaks_of_images() && self.remove_images(),
        }
    }

    /// Replaces messages with images by their texts, which describe the images. Returns false if there are no images.
    fn remove_images(&mut self) -> bool {
        let mut removed = false;
        for message in &mut self.messages {
            if let Some(Content::Parts(parts)) = &message.content {
                let text = parts.iter().find_map(|part| match part {
                    Part::Text { text } => Some(*text),
                    Part::ImageUrl { .. } => None,
                });
                message.content = Some(Content::Text(text.unwrap_or_default()));
                removed = true;
            }
        }
        removed
    }

    fn remove(&mut self, field: &str) -> bool {
        let there = match field {
            "stream_options" => self.stream_options.take().is_some(),
            "temperature" => self.temperature.take().is_some(),
            _ => {
                self.extra.remove("tool_choice");
                !std::mem::take(&mut self.tools).is_empty()
            }
        };
        there || self.extra.remove(field).is_some()
    }
}

impl<'a> WireMessage<'a> {
    fn of(message: &'a ChatMessage) -> Self {
        let call = |call: &ToolCall| {
            let function = FunctionCall { name: call.name.clone(), arguments: arguments(&call.arguments) };
            ChatCompletionMessageToolCalls::Function(ChatCompletionMessageToolCall {
                id: call.id.clone(),
                function,
            })
        };
        // some endpoints refuse an empty text, but only a message with tool calls may have none
        let absent =
            message.content.is_empty() && message.role == Role::Assistant && !message.tool_calls.is_empty();
        Self {
            role: message.role,
            content: (!absent).then(|| Content::of(message)),
            tool_calls: message.tool_calls.iter().map(call).collect(),
            tool_call_id: message.tool_call_id.as_deref(),
        }
    }
}

impl<'a> Content<'a> {
    fn of(message: &'a ChatMessage) -> Self {
        if message.images.is_empty() {
            return Self::Text(&message.content);
        }
        let image = |image: &Image| {
            let url = format!("data:{};base64,{}", image.media_type, STANDARD.encode(&image.bytes));
            Part::ImageUrl { image_url: ImageUrl { url } }
        };
        let text = Part::Text { text: &message.content };
        Self::Parts(std::iter::once(text).chain(message.images.iter().map(image)).collect())
    }

    fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Parts(parts) => parts.iter().map(Part::len).sum(),
        }
    }
}

impl Part<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Text { text } => text.len(),
            Self::ImageUrl { image_url } => image_url.url.len(),
        }
    }
}

impl<'a> Tool<'a> {
    fn of(tool: &'a Offered, request: &'a ChatRequest) -> Self {
        let mut brought = request.extra.get("tools").and_then(Value::as_array).into_iter().flatten();
        let same = brought.find(|brought| brought["function"]["name"] == *tool.name);
        same.map_or(Self::Ours { r#type: "function", function: tool.json() }, Self::Brought)
    }
}

/// OpenAI's own reasoning models, which accept no temperature and name the output limit differently. On other hosts
/// the same names are other models.
fn is_reasoning_model(host: &str, model: &str) -> bool {
    let o_series = model.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    host == "api.openai.com" && (o_series || model.starts_with("gpt-5"))
}

/// The arguments as the model wrote them. Arguments that are no JSON object are sent back as a quoted string, because
/// endpoints that parse the history would refuse the whole request (L15).
fn arguments(raw: &str) -> String {
    match serde_json::from_str::<Map<String, Value>>(raw) {
        Ok(_) => raw.to_owned(),
        Err(_) => json!({ "not_json": raw }).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use greenroom_core::{ToolCall, ToolSchema};

    use super::*;
    use crate::Timeouts;

    fn request(model: &str) -> ChatRequest {
        ChatRequest {
            model: model.to_owned(),
            messages: vec![ChatMessage::new(Role::User, "hi")],
            tools: Vec::new(),
            temperature: 0.7,
            max_output_tokens: 64,
            prompt_tokens: 3,
            extra: Default::default(),
        }
    }
    fn sent(url: &str, request: &ChatRequest) -> Value {
        let endpoint = Endpoint::new(url, None, Timeouts::default()).unwrap();
        serde_json::from_slice(&Body::of(&endpoint, request).json()).unwrap()
    }

    #[test]
    fn a_request_is_what_every_endpoint_knows() {
        let expected = json!({
            "model": "m", "messages": [{ "role": "user", "content": "hi" }], "stream": true,
            "stream_options": { "include_usage": true }, "temperature": 0.7, "max_tokens": 64,
        });
        assert_eq!(sent("http://localhost:1", &request("m")), expected);
    }

    #[test]
    fn only_openais_own_reasoning_models_get_their_own_limit() {
        for (url, model, own) in [
            ("https://api.openai.com/v1", "o3-mini", true),
            ("https://api.openai.com/v1", "gpt-5.1", true),
            ("https://api.openai.com/v1", "gpt-4o", false),
            ("https://api.openai.com/v1", "omni", false),
            ("http://localhost:1", "gpt-5", false),
        ] {
            let body = sent(url, &request(model));
            assert_eq!(body.get("max_completion_tokens").is_some(), own, "{model}");
            assert_eq!(body.get("max_tokens").is_none() && body.get("temperature").is_none(), own, "{model}");
        }
    }

    #[test]
    fn further_fields_are_passed_on_and_replace_none_of_ours() {
        let mut request = request("m");
        let tool = |name: &str| ToolSchema {
            name: name.into(),
            description: "ours".into(),
            parameters: json!({ "type": "object" }),
        };
        request.tools = vec![tool("recall").into(), tool("weather").into()];
        let brought = json!({ "type": "function", "function": { "name": "weather", "strict": true } });
        let extra = json!({ "stop": ["END"], "temperature": 2, "tools": [brought], "tool_choice": "auto" });
        request.extra = serde_json::from_value(extra).unwrap();
        let body = sent("http://localhost:1", &request);
        assert_eq!((&body["stop"], &body["temperature"]), (&json!(["END"]), &json!(0.7)));
        assert_eq!(body["tools"][0]["function"]["description"], "ours");
        assert_eq!(body["tools"][1], brought);
        assert_eq!(body["tool_choice"], "auto");
    }

    #[test]
    fn ad2_an_image_is_a_part_of_its_message_until_the_endpoint_refuses_it() {
        let mut request = request("m");
        request.messages[0].images.extend(Image::read(b"GIF89a".to_vec()));
        let parts = json!([
            { "type": "text", "text": "hi" },
            { "type": "image_url", "image_url": { "url": "data:image/gif;base64,R0lGODlh" } },
        ]);
        assert_eq!(sent("http://localhost:1", &request)["messages"][0]["content"], parts);
        let endpoint = Endpoint::new("http://localhost:1", None, Timeouts::default()).unwrap();
        let rejected = |status, reason: &str| ModelError::Rejected {
            endpoint: "x".into(),
            status,
            reason: reason.into(),
        };
        let server = |reason: &str| ModelError::Server { endpoint: "x".into(), reason: reason.into() };
        for error in [
            rejected(400, "Invalid content type. image_url is only supported by certain models."),
            rejected(404, "No endpoints found that support image input"),
            rejected(400, "this-model is not a multimodal model"),
            server("image input is not supported - hint: you may need to provide the mmproj"),
        ] {
            let mut body = Body::of(&endpoint, &request);
            assert!(body.without_refused_field(&error), "{error}");
            let json: Value = serde_json::from_slice(&body.json()).unwrap();
            assert_eq!(json["messages"][0]["content"], "hi");
            assert!(!body.without_refused_field(&error), "nothing is left to give up");
        }
        assert!(!Body::of(&endpoint, &request).without_refused_field(&server("overloaded")));
    }

    #[test]
    fn l15_tool_rounds_go_back_in_a_form_every_endpoint_can_parse() {
        let call = |arguments: &str| ToolCall {
            id: "c1".into(),
            name: "recall".into(),
            arguments: arguments.into(),
        };
        let mut request = request("m");
        let recall = ToolSchema {
            name: "recall".into(),
            description: "looks".into(),
            parameters: json!({ "type": "object" }),
        };
        request.tools = vec![recall.into()];
        let mut asks = ChatMessage::new(Role::Assistant, "");
        asks.tool_calls = vec![call(r#"{"query": 1}"#), call("{oops")];
        request.messages = vec![asks, ChatMessage::tool_result("c1", "none")];
        let body = sent("http://localhost:1", &request);
        assert_eq!(body["tools"][0]["function"]["name"], "recall");
        assert_eq!(body["messages"][0]["content"], Value::Null);
        let calls = &body["messages"][0]["tool_calls"];
        assert_eq!(calls[0]["type"], "function");
        assert_eq!(calls[0]["function"]["arguments"], r#"{"query": 1}"#);
        assert_eq!(calls[1]["function"]["arguments"], r#"{"not_json":"{oops"}"#);
        assert_eq!(body["messages"][1], json!({ "role": "tool", "content": "none", "tool_call_id": "c1" }));
    }
}
