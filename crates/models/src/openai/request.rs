//! The body of a chat request.

use greenroom_core::{ChatMessage, Role, ToolSchema};
use serde_json::{Map, Value, json};

use super::Endpoint;
use crate::{ChatRequest, ModelError};

/// Fields an endpoint may not know. A request refused for one of them is sent without it.
const OPTIONAL: [&str; 3] = ["stream_options", "tools", "temperature"];

/// The body, asking for a stream with the usage at its end.
pub(super) fn body(endpoint: &Endpoint, request: &ChatRequest) -> Value {
    let mut body = json!({
        "model": request.model,
        "messages": request.messages.iter().map(message).collect::<Vec<_>>(),
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    let limit = if is_reasoning_model(endpoint.host(), &request.model) {
        "max_completion_tokens"
    } else {
        // three digits: 0.7 as f32 is 0.699999988 as f64
        body["temperature"] = json!((f64::from(request.temperature) * 1000.0).round() / 1000.0);
        "max_tokens"
    };
    body[limit] = json!(request.max_output_tokens);
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(|tool| described(tool, request)).collect();
    }
    for (field, value) in &request.extra {
        if body.get(field).is_none() && field != "tools" {
            body[field] = value.clone();
        }
    }
    body
}

/// A tool in the words of whoever brought it, else in ours.
fn described(tool: &ToolSchema, request: &ChatRequest) -> Value {
    let mut brought = request.extra.get("tools").and_then(Value::as_array).into_iter().flatten();
    let same = brought.find(|brought| brought["function"]["name"] == *tool.name);
    same.cloned().unwrap_or_else(|| json!({ "type": "function", "function": tool }))
}

/// OpenAI's own reasoning models, which know no temperature and count the limit differently. The
/// same names elsewhere are other models behind other servers.
fn is_reasoning_model(host: &str, model: &str) -> bool {
    let o_series = model.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    host == "api.openai.com" && (o_series || model.starts_with("gpt-5"))
}

fn message(message: &ChatMessage) -> Value {
    let calls: Vec<_> = message
        .tool_calls
        .iter()
        .map(|call| {
            let function = json!({ "name": call.name, "arguments": arguments(&call.arguments) });
            json!({ "id": call.id, "type": "function", "function": function })
        })
        .collect();
    let mut out = Map::new();
    out.insert("role".into(), json!(message.role));
    // some endpoints refuse an empty text, but only beside tool calls may it be absent
    let absent = message.content.is_empty() && message.role == Role::Assistant && !calls.is_empty();
    out.insert("content".into(), if absent { Value::Null } else { json!(message.content) });
    if !calls.is_empty() {
        out.insert("tool_calls".into(), calls.into());
    }
    if let Some(id) = &message.tool_call_id {
        out.insert("tool_call_id".into(), json!(id));
    }
    out.into()
}

/// Arguments as the model wrote them; what is no JSON object goes back as a quotation, since
/// endpoints that parse the history refuse the whole request for it (L15).
fn arguments(raw: &str) -> String {
    match serde_json::from_str::<Map<String, Value>>(raw) {
        Ok(_) => raw.to_owned(),
        Err(_) => json!({ "not_json": raw }).to_string(),
    }
}

/// Takes out of the body the optional field `error` complains of. False when it complains of
/// none that is still there.
pub(super) fn without_refused_field(body: &mut Value, error: &ModelError) -> bool {
    let (ModelError::Rejected { status: 400 | 422, reason, .. }, Some(body)) = (error, body.as_object_mut())
    else {
        return false;
    };
    match OPTIONAL.iter().find(|field| reason.contains(**field) && body.contains_key(**field)) {
        Some(field) => {
            if *field == "tools" {
                body.remove("tool_choice");
            }
            body.remove(*field).is_some()
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use greenroom_core::ToolCall;

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
        body(&Endpoint::new(url, None, Timeouts::default()).unwrap(), request)
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
        request.tools = vec![tool("recall"), tool("weather")];
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
    fn l15_tool_rounds_go_back_in_a_form_every_endpoint_can_parse() {
        let call = |arguments: &str| ToolCall {
            id: "c1".into(),
            name: "recall".into(),
            arguments: arguments.into(),
        };
        let mut request = request("m");
        request.tools = vec![ToolSchema {
            name: "recall".into(),
            description: "looks".into(),
            parameters: json!({ "type": "object" }),
        }];
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
