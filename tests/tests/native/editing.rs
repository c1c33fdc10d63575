//! Editing one's last message, and having a message answered once more.

use greenroom_tests::Answer;
use serde_json::{Value, json};

use crate::server::{Server, messages, to_ada};

fn texts(server: &Server) -> Vec<String> {
    let page = server.get(&messages("api:ann")).body;
    let text = |message: &Value| message["text"].as_str().unwrap().to_owned();
    page["messages"].as_array().unwrap().iter().map(text).collect()
}

fn remembered(server: &Server) -> Vec<String> {
    let page = server.get("/api/personas/ada/memories?channel=api:ann").body;
    let text = |memory: &Value| memory["text"].as_str().unwrap().to_owned();
    page["memories"].as_array().unwrap().iter().map(text).collect()
}

#[test]
fn gr10_an_edited_message_takes_its_reply_and_what_was_captured_with_it() {
    let server = Server::start();
    server.say("api:ann", "Hello");
    server.endpoint.push(Answer::text("Noted: Tuesday."));
    let slip = server.say("api:ann", "Remember that the train leaves on Tuesday.").body["message_id"].clone();
    assert!(remembered(&server).iter().any(|text| text.contains("Tuesday")));

    server.endpoint.push(Answer::text("Noted: Wednesday."));
    let path = format!("{}/{slip}", messages("api:ann"));
    let edited = server.put(&path, &to_ada("Remember that the train leaves on Wednesday."));
    assert_eq!((edited.status, &edited.body["turns"][0]["text"]), (200, &json!("Noted: Wednesday.")));
    assert_ne!(edited.body["message_id"], slip);
    let said = ["Hello", "ok", "Remember that the train leaves on Wednesday.", "Noted: Wednesday."];
    assert_eq!(texts(&server), said);
    let memories = remembered(&server);
    assert!(memories.iter().any(|text| text.contains("Wednesday")), "{memories:?}");
    assert!(!memories.iter().any(|text| text.contains("Tuesday")), "{memories:?}");
    let asked = server.endpoint.chats().last().unwrap().to_string();
    assert!(!asked.contains("Tuesday"), "{asked}");
}

#[test]
fn gr10_a_reply_that_still_comes_ends_with_the_text_it_answered() {
    let server = Server::start();
    server.endpoint.push(Answer::text("A long story").stall_after(1));
    let mut stream = server.saying("api:ann", "A slip");
    stream.frame_of("token_delta");
    let page = server.get(&messages("api:ann")).body;
    let path = format!("{}/{}", messages("api:ann"), page["messages"][0]["id"]);
    let edited = server.put(&path, &to_ada("Better"));
    assert_eq!(edited.body["turns"][0]["state"], "done");
    assert_eq!(stream.frame_of("failed").data["code"], "forgotten_meanwhile");
    assert_eq!(texts(&server), ["Better", "ok"]);
}

/// A client that did not hear of its first request repeats it after the edit.
#[test]
fn gr6_a_late_repeat_of_an_edited_message_is_the_edited_one() {
    let server = Server::start();
    let slip = server.say("api:ann", "A slip").body;
    let path = format!("{}/{}", messages("api:ann"), slip["message_id"]);
    let edited = server.put(&path, &to_ada("Better")).body;
    let mut repeat = to_ada("A slip");
    repeat["event_id"] = slip["event_id"].clone();
    let repeated = server.post(&messages("api:ann"), &repeat).body;
    assert_eq!((&repeated["message_id"], &repeated["duplicate"]), (&edited["message_id"], &json!(true)));
    assert_eq!(texts(&server), ["Better", "ok"]);
}

/// Says something to Ada under a key.
fn keyed(text: &str, key: &str) -> Value {
    json!({ "text": text, "persona": "ada", "event_id": key })
}

#[test]
fn gr6_an_edit_with_the_key_of_another_message_is_refused_before_anything_is_erased() {
    let server = Server::start();
    server.post(&messages("api:ann"), &keyed("First", "a"));
    let last = server.post(&messages("api:ann"), &keyed("A slip", "b")).body;
    let path = format!("{}/{}", messages("api:ann"), last["message_id"]);
    let refused = server.put(&path, &keyed("Better", "a"));
    assert_eq!((refused.status, refused.code()), (409, "key_in_use"));
    assert_eq!(texts(&server), ["First", "ok", "A slip", "ok"]);
    let edited = server.put(&path, &keyed("Better", "b"));
    assert_eq!((edited.status, &edited.body["duplicate"]), (200, &json!(false)), "its own key is no other's");
    assert_eq!(texts(&server), ["First", "ok", "Better", "ok"]);
}

#[test]
fn gr6_a_repeat_of_a_message_that_was_edited_with_a_key_is_the_edited_one() {
    let mut server = Server::start();
    let slip = server.post(&messages("api:ann"), &keyed("A slip", "a")).body;
    let path = format!("{}/{}", messages("api:ann"), slip["message_id"]);
    let edited = server.put(&path, &keyed("Better", "b")).body;
    let is_edited = |server: &Server| {
        let repeated = server.post(&messages("api:ann"), &keyed("A slip", "a")).body;
        assert_eq!((&repeated["message_id"], &repeated["duplicate"]), (&edited["message_id"], &json!(true)));
        assert_eq!(texts(server), ["Better", "ok"]);
    };
    is_edited(&server);
    server.again();
    is_edited(&server);
    let chat =
        json!({ "model": "ada@ann", "user": "host", "messages": [{ "role": "user", "content": "A slip" }] });
    let repeated = server.post_with("/v1/chat/completions", &chat, &[("Idempotency-Key", "a")]);
    assert_eq!(repeated.body["choices"][0]["message"]["content"], "ok", "{}", repeated.body);
    assert_eq!(texts(&server), ["Better", "ok"]);

    let path = format!("{}/{}", messages("api:ann"), edited["message_id"]);
    server.put(&path, &keyed("Best", "c"));
    let repeated = server.post(&messages("api:ann"), &keyed("A slip", "a"));
    assert_eq!((repeated.status, repeated.code()), (409, "edited"));
    assert_eq!(texts(&server), ["Best", "ok"]);
}

#[test]
fn gr6_a_repeated_edit_with_the_same_key_gets_the_stored_reply() {
    let mut server = Server::start();
    let slip = server.say("api:ann", "A slip").body;
    let path = format!("{}/{}", messages("api:ann"), slip["message_id"]);
    let first = server.put(&path, &keyed("Better", "b")).body;
    for _ in 0..2 {
        let again = server.put(&path, &keyed("Better", "b"));
        assert_eq!((again.status, &again.body["duplicate"]), (200, &json!(true)), "{}", again.body);
        assert_eq!(again.body["message_id"], first["message_id"]);
        assert_eq!(again.body["turns"][0]["text"], "ok");
        server.again();
    }
    assert_eq!(server.put(&path, &keyed("Better", "c")).code(), "unknown_message");
    assert_eq!(texts(&server), ["Better", "ok"]);
    assert_eq!(server.endpoint.chats().len(), 2);
}

#[test]
fn only_the_newest_message_of_its_author_is_edited_and_by_nobody_else() {
    let server = Server::start();
    let first = server.say("api:ann", "First").body["message_id"].clone();
    let last = server.say("api:ann", "Last").body;
    let at = |id: &Value| format!("{}/{id}", messages("api:ann"));
    let edit = |path: &str, body: &Value| {
        let reply = server.put(path, body);
        (reply.status, reply.code().to_owned())
    };
    assert_eq!(edit(&at(&first), &to_ada("x")), (409, "not_the_newest".into()));
    let reply = &last["turns"][0]["message_id"];
    assert_eq!(edit(&at(reply), &to_ada("x")), (403, "not_the_author".into()));
    let as_bo = json!({ "text": "x", "persona": "ada", "user": "bo" });
    assert_eq!(edit(&at(&last["message_id"]), &as_bo), (403, "not_the_author".into()));
    assert_eq!(edit(&at(&json!(999)), &to_ada("x")), (404, "unknown_message".into()));
    let elsewhere = format!("{}/{}", messages("api:elsewhere"), last["message_id"]);
    assert_eq!(edit(&elsewhere, &to_ada("x")), (404, "unknown_message".into()));
    assert_eq!(edit(&at(&last["message_id"]), &to_ada(" ")), (400, "invalid_request".into()));
    assert_eq!(texts(&server), ["First", "ok", "Last", "ok"], "nothing was erased");
}

#[test]
fn gr6_a_message_whose_turn_failed_is_answered_once_more_and_stored_once() {
    let server = Server::start();
    server.endpoint.push(Answer::error(401, "no such key"));
    let failed = server.say("api:ann", "Hello").body;
    assert_eq!(failed["turns"][0]["state"], "failed");
    let path = format!("{}/{}/retry", messages("api:ann"), failed["message_id"]);
    let again = server.post(&path, &json!({ "persona": "ada" }));
    assert_eq!((again.status, &again.body["turns"][0]["text"]), (200, &json!("ok")));
    assert_eq!(again.body["message_id"], failed["message_id"]);
    assert_eq!(texts(&server), ["Hello", "ok"]);
    let listed = server.get(&messages("api:ann")).body;
    assert_eq!(listed["turns"], json!([]), "what was tried again with success did not fail");
    assert_eq!(listed["messages"][1]["answers"], failed["message_id"]);
    assert_eq!(server.post(&path, &json!({ "persona": "ada" })).status, 409, "it has answered");
    let unknown = server.post(&format!("{}/999/retry", messages("api:ann")), &json!({ "persona": "ada" }));
    assert_eq!((unknown.status, unknown.code()), (404, "unknown_message"));
}
