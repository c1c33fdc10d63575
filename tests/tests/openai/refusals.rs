//! What goes wrong, as the SDK's own exceptions.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use greenroom_tests::Answer;
use serde_json::{Value, json};

use crate::support::Served;

#[test]
fn what_cannot_be_done_is_refused_with_its_name() {
    let served = Served::new();
    let said = served.script(
        r#"
image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
create = client.chat.completions.create
out(refusal(lambda: create(model="eve", messages=[user("hello")])))
out(refusal(lambda: create(model="../ada", messages=[user("hello")])))
out(refusal(lambda: ask("hello", n=2)))
out(refusal(lambda: create(model="ada", messages=[])))
out(refusal(lambda: create(model="ada", messages=[user([image])])))
out(refusal(lambda: create(model="ada", messages=[{"role": "tool", "tool_call_id": "x", "content": "?"}])))
out(refusal(lambda: ask("hello", temperature="warm"))[:3])
out(refusal(lambda: create(model="ada", messages="hello"))[:3])
out(refusal(lambda: in_channel("hello", tools=[WEATHER])))
out(refusal(lambda: in_channel("hello", channel="a b")))
out(refusal(lambda: in_channel("hello", key="turn:1")))
out(refusal(lambda: in_channel("x" * (64 * 1024 + 1))))
out(refusal(lambda: in_channel("\0")))
"#,
    );
    let bad = |param: &str| json!(["BadRequestError", 400, "invalid_request", param]);
    let unknown = json!(["NotFoundError", 404, "model_not_found", "model"]);
    assert_eq!(said[..2], [unknown.clone(), unknown]);
    assert_eq!(said[2..6], [bad("n"), bad("messages"), bad("messages[0]"), bad("messages[0]")]);
    let unreadable = json!(["BadRequestError", 400, "invalid_request"]);
    assert_eq!(said[6..8], [unreadable.clone(), unreadable]);
    assert_eq!(said[8..10], [bad("tools"), bad("x-greenroom-channel")]);
    assert_eq!(said[10..], [bad("Idempotency-Key"), bad("messages[0]"), bad("messages[0]")]);
    assert!(served.endpoint.chats().is_empty());
}

#[test]
fn a_body_that_is_no_json_is_refused_in_the_shape_of_the_api() {
    let served = Served::new();
    for (kind, body, status) in [
        ("application/json", "{\"model\": \"ada\", ", 400),
        ("application/json", "[]", 400),
        ("application/json", "\u{0}", 400),
        ("text/plain", "hello", 415),
    ] {
        let (got, answer) = post(&served, kind, body);
        assert_eq!(got, status, "{body:?}: {answer}");
        assert!(answer["error"]["message"].is_string() && answer["error"]["type"] == "invalid_request_error");
    }
}

/// Posts what no SDK would send.
fn post(served: &Served, kind: &str, body: &str) -> (u16, Value) {
    let host = served.address().trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split_whitespace().nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).expect(body))
}

/// A6: everything foreign that nests is refused before anything calls itself for each level.
#[test]
fn x12_a_body_that_nests_without_end_is_refused() {
    let served = Served::new();
    let deep = |open: &str, close: &str| open.repeat(20_000) + "1" + &close.repeat(20_000);
    for field in ["response_format", "tools", "metadata", "logit_bias", "messages"] {
        for value in [deep("[", "]"), deep("{\"a\":", "}")] {
            let body = format!(
                r#"{{"model":"ada","messages":[{{"role":"user","content":"hello"}}],"{field}":{value}}}"#
            );
            let (status, answer) = post(&served, "application/json", &body);
            assert_eq!(status, 400, "{field}: {answer}");
        }
    }
    let schema = deep("{\"properties\":", "}").replace('1', "{}");
    let format = format!(r#"{{"type":"json_schema","json_schema":{{"name":"x","schema":{schema}}}}}"#);
    let body = format!(
        r#"{{"model":"ada","messages":[{{"role":"user","content":"hello"}}],"response_format":{format}}}"#
    );
    assert_eq!(post(&served, "application/json", &body).0, 400);
    assert!(served.endpoint.chats().is_empty());
}

#[test]
fn a_model_that_fails_is_an_error_with_a_status_also_of_a_stream() {
    let served = Served::new();
    for stream in ["False", "True"] {
        served.endpoint.push(Answer::error(401, "no such key"));
        let said = served.script(&format!(r#"out(refusal(lambda: ask("hello", stream={stream})))"#));
        assert_eq!(said[0], json!(["InternalServerError", 502, "unauthorized", null]));
    }
}

#[test]
fn l3_a_final_failure_is_not_repeated_by_an_sdk() {
    let served = Served::with(&[("bo", "---\nmodel: { retries: 0 }\n---\nYou are Bo.")]);
    for status in [400, 401, 404, 500] {
        served.endpoint.answer("/v1/chat/completions", move |_| Answer::error(status, "no"));
        let before = served.endpoint.chats().len();
        let said = served.script(
            r#"out(refusal(lambda: client.with_options(max_retries=2).chat.completions.create(model="bo", messages=[user("hello")])))"#,
        );
        assert_eq!(said[0][1], 502, "{said:?}");
        assert_eq!(served.endpoint.chats().len() - before, 1, "{status}");
    }
}

#[test]
fn e1_a_full_context_has_the_code_of_the_api() {
    let served = Served::new();
    served.endpoint.answer("/v1/chat/completions", |_| {
        Answer::error(400, "This model's maximum context length is 3000 tokens.")
    });
    let said = served.script(r#"out(refusal(lambda: ask("hello")))"#);
    assert_eq!(said[0], json!(["BadRequestError", 400, "context_length_exceeded", "messages"]));
}

#[test]
fn e1_every_field_takes_the_short_name_of_a_channel() {
    let served = Served::new();
    served.script(
        r#"
in_channel("one", channel="mo")
ask("two", metadata={"channel": "mo"})
client.chat.completions.create(model="ada@api:mo", messages=[user("three")])
"#,
    );
    let last = served.endpoint.chats().last().unwrap().to_string();
    assert!(["one", "two", "three"].iter().all(|text| last.contains(text)), "{last}");
}

#[test]
fn what_breaks_in_the_middle_of_a_stream_ends_it_with_an_error() {
    let served = Served::with(&[("bo", "---\nmodel: { retries: 0 }\n---\nYou are Bo.")]);
    let error = json!({ "error": { "message": "overloaded", "type": "server_error", "code": null } });
    served.endpoint.push(Answer::text("one two three").chunk_after(2, error));
    let said = served.script(
        r#"
text = ""
try:
    for chunk in client.chat.completions.create(model="bo", messages=[user("count")], stream=True):
        text += chunk.choices[0].delta.content or ""
    out("it ended as if it were whole")
except openai.APIError as error:
    out([type(error).__name__, error.body["code"], text])
"#,
    );
    assert_eq!(said[0][0], "APIError", "{said:?}");
    assert_eq!(said[0][2], "one two ");
}

#[test]
fn l6_an_answer_that_starts_afresh_goes_on_where_it_broke_if_its_words_are_the_same() {
    let served = Served::new();
    served.endpoint.push(Answer::text("one two three").reset_after(2));
    served.endpoint.push(Answer::text("one two three"));
    served.endpoint.push(Answer::text("one two three").reset_after(2));
    served.endpoint.push(Answer::text("uno due tre"));
    let said = served.script(
        r#"
def streamed():
    text = ""
    try:
        for chunk in ask("count", stream=True):
            text += chunk.choices[0].delta.content or ""
    except openai.APIError as error:
        return [text, error.body["code"]]
    return text

out(streamed())
out(streamed())
"#,
    );
    assert_eq!(said[0], "one two three");
    assert_eq!(said[1], json!(["one two ", "reply_discarded"]));
}
