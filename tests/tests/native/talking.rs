//! Something is said, and what becomes of it.

use greenroom_tests::Answer;
use serde_json::json;

use crate::{
    client::kinds,
    server::{Server, messages, to_ada},
};

/// Before, an endpoint that ignores `max_tokens` filled memory and store.
#[test]
fn l9_an_answer_that_ignores_its_limit_is_cut_off() {
    let server = Server::with(|home| {
        home.write(
            "personas/ada.md",
            "---\nname: ada\nmodel: { max_output_tokens: 100 }\n---\nYou are Ada.\n",
        );
    });
    server.endpoint.push(Answer::text(&format!("{} ", "x".repeat(1_000)).repeat(100)));
    let reply = server.say("api:ann", "Be short");
    let turn = &reply.body["turns"][0];
    assert_eq!((&turn["state"], &turn["finish"]), (&json!("done"), &json!("length")));
    let length = turn["text"].as_str().unwrap().len();
    assert!((3_200..10_000).contains(&length), "{length}");
}

#[test]
fn a_message_is_answered_by_one_document() {
    let server = Server::start();
    server.endpoint.push(Answer::text("Hello there"));
    let reply = server.say("api:ann", "Hello");
    assert_eq!(reply.status, 200, "{reply:?}");
    let turn = &reply.body["turns"][0];
    assert_eq!(reply.body["duplicate"], false);
    assert_eq!((&turn["persona"], &turn["state"]), (&json!("ada"), &json!("done")));
    assert_eq!((&turn["text"], &turn["finish"]), (&json!("Hello there"), &json!("stop")));
    assert_eq!(turn["usage"]["completion_tokens"], 5);
    assert!(turn["receipt"]["items"].is_array() && turn["why"].is_string(), "{turn}");

    let history = server.get(&messages("api:ann"));
    let said: Vec<_> = history.body["messages"].as_array().unwrap().iter().map(|m| &m["text"]).collect();
    assert_eq!(said, ["Hello", "Hello there"]);
    assert_eq!(history.body["messages"][1]["id"], turn["message_id"]);
}

#[test]
fn who_prefers_not_to_wait_is_told_which_turns_answer() {
    let server = Server::start();
    server.endpoint.push(Answer::text("Hello there").stall_after(1));
    let (path, prefer) = (messages("api:ann"), [("Prefer", "respond-async"), ("Idempotency-Key", "k1")]);
    for duplicate in [false, true] {
        let reply = server.post_with(&path, &to_ada("Hello"), &prefer);
        assert_eq!((reply.status, &reply.body["duplicate"]), (202, &json!(duplicate)), "{reply:?}");
        let turn = &reply.body["turns"][0];
        let state = turn["state"].as_str().unwrap();
        assert!(turn["persona"] == "ada" && ["waiting", "running"].contains(&state), "{turn}");
    }
    server.endpoint.release();
    wait_until(|| said(&server, "api:ann").contains(&"Hello there".to_owned()));
}

#[test]
fn the_events_of_a_turn_come_in_their_order_with_rising_ids() {
    let server = Server::start();
    server.command(&["memory", "add", "The user's boat is called Petrel", "--channel", "api:ann"]);
    server.endpoint.push(Answer::text("It is called Petrel"));
    let frames = server.saying("api:ann", "What is my boat called?").frames();
    let order = ["turn_started", "memory_context", "context_assembled", "token_delta", "done"];
    let mut seen = kinds(&frames);
    seen.dedup();
    assert_eq!(seen, order);
    let ids: Vec<(&str, u64)> = frames
        .iter()
        .map(|frame| frame.id.as_deref().unwrap().rsplit_once('-').unwrap())
        .map(|(run, number)| (run, number.parse().unwrap()))
        .collect();
    assert!(ids.is_sorted() && ids.windows(2).all(|two| two[0].0 == two[1].0 && two[0] != two[1]), "{ids:?}");
    let text: String = frames.iter().filter_map(|frame| frame.data["text"].as_str()).take(4).collect();
    assert_eq!(text, "It is called Petrel");
    assert!(frames.iter().all(|frame| frame.data["type"] == frame.kind.as_str()));
}

#[test]
fn l1_a_turn_that_fails_is_no_failed_request() {
    let server = Server::start();
    server.endpoint.push(Answer::error(401, "wrong key"));
    let reply = server.say("api:ann", "Hello");
    let turn = &reply.body["turns"][0];
    assert_eq!(
        (reply.status, &turn["state"], &turn["code"]),
        (200, &json!("failed"), &json!("unauthorized"))
    );
    let stored = server.get(&format!("/api/turns/{}", turn["turn_id"].as_str().unwrap()));
    assert_eq!((&stored.body["state"], &stored.body["message"]), (&json!("failed"), &turn["message"]));
    // and is found from what it answers, as it has no reply
    assert_eq!(server.say("api:ann", "Hello again").body["turns"][0]["state"], json!("done"));
    let page = server.get(&messages("api:ann")).body;
    let without: Vec<_> = page["turns"].as_array().unwrap().iter().map(|turn| &turn["id"]).collect();
    assert_eq!(without, [&turn["turn_id"]]);
    assert_eq!(page["turns"][0]["trigger"], page["messages"][0]["id"]);
}

#[test]
fn who_is_mentioned_answers_and_otherwise_the_usual_persona() {
    let server = Server::start();
    let who = |text: &str| -> Vec<String> {
        let reply = server.post(&messages("api:ann"), &json!({ "text": text }));
        let turns = reply.body["turns"].as_array().unwrap().clone();
        turns.iter().map(|turn| turn["persona"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(who("Hello"), ["ada"]);
    assert_eq!(who("Hello @bo"), ["bo"]);
    assert_eq!(who("Hello @bo and @ada"), ["bo", "ada"]);
}

#[test]
fn two_personas_answer_one_after_the_other_in_one_stream() {
    let server = Server::start();
    let both = json!({ "text": "What do you think, @bo?", "persona": "ada" });
    let frames = server.posting(&messages("api:ann"), &both, &[("Accept", "text/event-stream")]).frames();
    let ends: Vec<_> =
        frames.iter().filter(|frame| frame.kind == "done").map(|frame| &frame.data["persona"]).collect();
    assert_eq!(ends, ["ada", "bo"]);
    let first_of_bo = frames.iter().position(|frame| frame.data["persona"] == "bo").unwrap();
    assert_eq!(frames[first_of_bo].kind, "turn_started");
    assert_eq!(frames[first_of_bo - 1].kind, "done");
}

#[test]
fn bd6_a_header_or_a_field_switches_memory_off() {
    let server = Server::start();
    server.command(&["memory", "add", "The user's boat is called Petrel", "--channel", "api:ann"]);
    let path = messages("api:ann");
    let with = server.say("api:ann", "What is my boat called?");
    assert_eq!(with.body["turns"][0]["memories"][0]["text"], "The user's boat is called Petrel");
    let asked = to_ada("And what is my boat called?");
    let header = server.post_with(&path, &asked, &[("X-Greenroom-No-Memory", "1")]);
    assert_eq!(header.body["turns"][0]["memories"], json!([]));
    let field = json!({ "text": "What is my boat called?", "persona": "ada", "disable_memory": true });
    assert_eq!(server.post(&path, &field).body["turns"][0]["memories"], json!([]));
}

#[test]
fn a_burst_is_answered_by_one_turn_that_everybody_hears() {
    let server = Server::start();
    server.endpoint.push(Answer::text("The first answer").stall_after(1));
    server.endpoint.push(Answer::text("To both of you"));
    let mut first = server.saying("api:ann", "One");
    first.frame_of("token_delta");
    // they wait while she answers
    let waiting: Vec<_> = ["Two", "Three"]
        .map(|text| {
            let stream = server.saying("api:ann", text);
            wait_until(|| said(&server, "api:ann").contains(&text.to_owned()));
            stream
        })
        .into_iter()
        .collect();
    server.endpoint.release();
    assert_eq!(first.frame_of("done").data["text"], "The first answer");
    let ends: Vec<_> = waiting.into_iter().map(|mut stream| stream.frame_of("done")).collect();
    assert_eq!(ends[0], ends[1], "one turn, one end");
    assert_eq!(ends[0].data["text"], "To both of you");
    assert_eq!(server.endpoint.chats().len(), 2);
}

#[test]
fn who_hangs_up_does_not_stop_the_turn() {
    let server = Server::start();
    server.endpoint.push(Answer::text("A long story").stall_after(1));
    let mut stream = server.saying("api:ann", "Tell me a story");
    stream.frame_of("token_delta");
    drop(stream);
    server.endpoint.release();
    wait_until(|| said(&server, "api:ann").contains(&"A long story".to_owned()));
}

/// What was said in a channel.
pub fn said(server: &Server, channel: &str) -> Vec<String> {
    let history = server.get(&messages(channel));
    let texts = history.body["messages"].as_array().unwrap().clone();
    texts.iter().map(|message| message["text"].as_str().unwrap().to_owned()).collect()
}

/// Asks until something holds.
pub fn wait_until(mut holds: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !holds() {
        assert!(begun.elapsed() < crate::client::PATIENCE, "it never came to that");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
