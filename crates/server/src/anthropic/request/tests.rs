//! Requests of Anthropic's clients.

use super::*;

fn ask(fields: Value) -> Result<ReplyRequest, ApiError> {
    let mut body =
        json!({ "model": "ada", "max_tokens": 9, "messages": [{ "role": "user", "content": "hi" }] });
    body.as_object_mut().unwrap().append(&mut fields.as_object().unwrap().clone());
    serde_json::from_value::<MessagesBody>(body).unwrap().into_request()
}

fn read(messages: Value) -> Vec<RequestMessage> {
    ask(json!({ "messages": messages }))
        .unwrap()
        .messages
        .into_iter()
        .map(|message| message.message)
        .collect()
}

fn user(text: &str) -> RequestMessage {
    RequestMessage::User { name: None, text: Ok(text.into()) }
}

#[test]
fn e1_blocks_are_read_and_results_stand_before_what_is_said_with_them() {
    let tool_use = json!({ "type": "tool_use", "id": "t1", "name": "weather", "input": { "place": "Oslo" } });
    let result = json!({ "type": "tool_result", "tool_use_id": "t1", "content": [{ "type": "text", "text": "rain" }] });
    let said = read(json!([
        { "role": "user", "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] },
        { "role": "assistant", "content": [{ "type": "thinking", "thinking": "hm", "signature": "x" }, { "type": "text", "text": "Let me see." }, tool_use] },
        { "role": "user", "content": [{ "type": "text", "text": "and?" }, result] },
    ]));
    let call = ToolCall { id: "t1".into(), name: "weather".into(), arguments: "{\"place\":\"Oslo\"}".into() };
    assert_eq!(
        said,
        [
            user("a\nb"),
            RequestMessage::Assistant { text: Ok("Let me see.".into()), calls: vec![call] },
            RequestMessage::Tool { call: "t1".into(), text: Ok("rain".into()) },
            user("and?"),
        ]
    );
    let failed = json!({ "type": "tool_result", "tool_use_id": "t1", "content": "no net", "is_error": true });
    let failed = read(json!([{ "role": "user", "content": [failed] }]));
    assert_eq!(failed, [RequestMessage::Tool { call: "t1".into(), text: Ok("Error: no net".into()) }]);
    let image = read(json!([{ "role": "user", "content": [{ "type": "image", "source": {} }] }]));
    assert!(matches!(&image[..], [RequestMessage::User { text: Err(_), .. }]));
}

#[test]
fn e1_what_the_model_is_sent_is_written_as_the_chat_completions_api_has_it() {
    let schema = json!({ "type": "object" });
    let asked = ask(json!({
        "system": [{ "type": "text", "text": "Be brief.", "cache_control": { "type": "ephemeral" } }],
        "tools": [{ "name": "weather", "description": "Tells it", "input_schema": schema }],
        "tool_choice": { "type": "any", "disable_parallel_tool_use": true },
        "stop_sequences": ["END"], "top_p": 0.5, "top_k": 5, "metadata": { "user_id": "u1" },
        "output_config": { "format": { "type": "json_schema", "schema": schema } },
    }));
    let asked = asked.unwrap();
    let weather = json!({ "name": "weather", "description": "Tells it", "parameters": schema });
    let sent = json!({
        "stop": ["END"], "top_p": 0.5, "parallel_tool_calls": false, "tool_choice": "required",
        "tools": [{ "type": "function", "function": weather }],
        "response_format": { "type": "json_schema", "json_schema": { "name": "answer", "schema": schema, "strict": true } },
    });
    assert_eq!(Value::Object(asked.reply_options.extra), sent);
    assert_eq!(asked.messages[0].message, RequestMessage::System(Ok("Be brief.".into())));
    assert_eq!((asked.user.as_deref(), asked.reply_options.max_output_tokens), (Some("u1"), Some(9)));
}

#[test]
fn e1_what_cannot_be_done_is_refused_by_name() {
    for (fields, param) in [
        (json!({ "max_tokens": 0 }), "max_tokens"),
        (json!({ "temperature": 3 }), "temperature"),
        (json!({ "stop_sequences": [""] }), "stop_sequences"),
        (json!({ "tools": [{ "type": "web_search_20250305", "name": "web_search" }] }), "tools[0]"),
        (json!({ "tool_choice": { "type": "some" } }), "tool_choice"),
        (json!({ "output_config": { "format": { "type": "xml" } } }), "output_config.format"),
        (json!({ "messages": [{ "role": "user", "content": [{ "text": "no type" }] }] }), "messages[0]"),
    ] {
        assert_eq!(ask(fields).unwrap_err().param.as_deref(), Some(param));
    }
}

#[test]
fn e1_tokens_are_counted_of_what_is_sent() {
    let count = |body| serde_json::from_value::<CountBody>(body).unwrap().tokens();
    let body = json!({ "model": "ada", "messages": [{ "role": "user", "content": "x".repeat(36) }] });
    assert_eq!(count(body), 10);
}

/// E: the SDK's tool runner asks for a thread first; this code tells it to send the whole conversation instead.
#[test]
fn e1_a_thread_is_refused_with_the_code_the_sdk_knows() {
    let error = ask(json!({ "thread": { "type": "create" } })).unwrap_err();
    assert_eq!((error.status.as_u16(), error.code), (400, "thread_unsupported_request"));
}
