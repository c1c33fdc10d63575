//! The requests of Ollama's clients.

use super::*;

fn ask(body: Value) -> Result<ReplyRequest, ApiError> {
    serde_json::from_value::<ChatBody>(body).unwrap().into_request()
}

#[test]
fn e1_options_and_the_form_go_to_the_model() {
    let options =
        json!({ "temperature": 0.5, "num_predict": 9, "num_ctx": 4096, "seed": 7, "stop": ["END"] });
    let schema = json!({ "type": "object" });
    let messages = json!([{ "role": "user", "content": "hi" }]);
    let asked =
        ask(json!({ "model": "ada", "messages": messages, "format": schema, "options": options })).unwrap();
    assert_eq!((asked.stream, asked.reply_options.max_output_tokens), (true, Some(9)));
    let form = json!({ "type": "json_schema", "json_schema": { "name": "answer", "schema": schema } });
    let sent = json!({ "seed": 7, "stop": ["END"], "response_format": form });
    assert_eq!(Value::Object(asked.reply_options.extra), sent);
    let unlimited =
        ask(json!({ "model": "ada", "options": { "num_predict": -1 }, "format": "json" })).unwrap();
    assert_eq!(unlimited.reply_options.max_output_tokens, None);
    for (fields, param) in [
        (json!({ "model": "ada", "format": "xml" }), "format"),
        (json!({ "model": "ada", "options": { "num_predict": 0 } }), "options.num_predict"),
        (json!({ "model": "ada", "options": { "stop": [""] } }), "options.stop"),
    ] {
        assert_eq!(ask(fields).unwrap_err().param.as_deref(), Some(param));
    }
}

#[test]
fn e1_calls_without_ids_find_their_results() {
    let call = |name: &str| json!({ "function": { "name": name, "arguments": { "n": 1 } } });
    let messages = json!([
        { "role": "user", "content": "?" },
        { "role": "assistant", "content": "", "tool_calls": [call("weather"), call("time")] },
        { "role": "tool", "tool_name": "time", "content": "noon" },
        { "role": "tool", "content": "rain" },
        { "role": "tool", "content": "more" },
    ]);
    let said: Vec<RequestMessage> = ask(json!({ "model": "ada", "messages": messages }))
        .unwrap()
        .messages
        .into_iter()
        .map(|m| m.message)
        .collect();
    let RequestMessage::Assistant { calls, .. } = &said[1] else { panic!("{said:?}") };
    assert_eq!((calls[0].id.as_str(), calls[0].arguments.as_str()), ("call_1", r#"{"n":1}"#));
    let result = |call: &str, text: &str| RequestMessage::Tool { call: call.into(), text: Ok(text.into()) };
    assert_eq!(said[2..], [result("call_2", "noon"), result("call_1", "rain"), result("", "more")]);
}

#[test]
fn e1_images_and_suffixes_are_refused() {
    let messages = json!([{ "role": "user", "content": "?", "images": ["AA=="] }]);
    let asked = ask(json!({ "model": "ada", "messages": messages })).unwrap();
    assert!(matches!(asked.messages[0].message, RequestMessage::User { text: Err(_), .. }));
    let body: GenerateBody =
        serde_json::from_value(json!({ "model": "ada", "prompt": "a", "suffix": "b" })).unwrap();
    assert_eq!(body.into_request().unwrap_err().param.as_deref(), Some("suffix"));
}
