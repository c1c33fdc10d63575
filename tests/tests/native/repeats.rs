//! GR6: the same message again is the same message, however often and whenever it comes.

use greenroom_tests::Answer;
use serde_json::json;

use crate::{
    client::kinds,
    server::{Server, messages, to_ada},
    talking::said,
};

const KEY: [(&str, &str); 1] = [("Idempotency-Key", "order-17")];

#[test]
fn gr6_a_repeated_send_returns_the_stored_reply() {
    let mut server = Server::start();
    server.endpoint.push(Answer::text("Once and only once"));
    let path = messages("api:ann");
    let first = server.post_with(&path, &to_ada("Hello"), &KEY).body;
    let again = server.post_with(&path, &to_ada("Hello"), &KEY).body;
    assert_eq!((&first["duplicate"], &again["duplicate"]), (&json!(false), &json!(true)));
    assert_eq!(again["turns"], first["turns"], "while its events are known it is the same document");

    // also after a crash of the server
    server.again();
    let after = server.post_with(&path, &to_ada("Hello"), &KEY).body;
    assert_eq!(after["turns"][0]["text"], "Once and only once");
    assert_eq!(after["turns"][0]["turn_id"], first["turns"][0]["turn_id"]);
    let accept = [KEY[0], ("Accept", "text/event-stream")];
    let frames = server.posting(&path, &to_ada("Hello"), &accept).frames();
    assert_eq!(kinds(&frames), ["turn_started", "context_assembled", "done"]);
    assert_eq!(frames[2].data["text"], "Once and only once");
    assert_eq!(server.endpoint.chats().len(), 1);
    assert_eq!(said(&server, "api:ann").len(), 2);
}

#[test]
fn gr6_an_event_id_in_the_body_is_a_key_as_well() {
    let server = Server::start();
    let body = json!({ "text": "Hello", "persona": "ada", "event_id": "e1" });
    let first = server.post(&messages("api:ann"), &body).body;
    let again = server.post(&messages("api:ann"), &body).body;
    let elsewhere = server.post(&messages("api:ben"), &body).body;
    assert_eq!(first["message_id"], again["message_id"]);
    assert_eq!((&again["duplicate"], &elsewhere["duplicate"]), (&json!(true), &json!(false)));
}

#[test]
fn gr6_many_at_once_are_one_message_and_all_get_its_reply() {
    let server = Server::start();
    server.endpoint.push(Answer::text("One reply for all").stall_after(1));
    let path = messages("api:ann");
    let answers: Vec<_> = std::thread::scope(|scope| {
        let senders: Vec<_> =
            (0..12).map(|_| scope.spawn(|| server.post_with(&path, &to_ada("Hello"), &KEY).body)).collect();
        server.endpoint.wait_for(1);
        server.endpoint.release();
        senders.into_iter().map(|sender| sender.join().unwrap()).collect()
    });
    assert_eq!(answers.iter().filter(|answer| answer["duplicate"] == false).count(), 1);
    for answer in &answers {
        assert_eq!(answer["turns"][0]["text"], "One reply for all", "{answer}");
        assert_eq!(answer["turns"], answers[0]["turns"]);
    }
    assert_eq!(server.endpoint.chats().len(), 1);
}

#[test]
fn gr6_a_repeated_send_joins_the_turn_that_runs_from_its_beginning() {
    let server = Server::start();
    server.endpoint.push(Answer::text("It takes a while").stall_after(2));
    let (path, accept) = (messages("api:ann"), [KEY[0], ("Accept", "text/event-stream")]);
    let mut first = server.posting(&path, &to_ada("Hello"), &accept);
    first.frame_of("token_delta");
    first.frame_of("token_delta");
    let mut second = server.posting(&path, &to_ada("Hello"), &accept);
    let started = second.frame().unwrap();
    assert_eq!(started.kind, "turn_started");
    server.endpoint.release();
    assert_eq!(first.frame_of("done"), second.frame_of("done"));
}

#[test]
fn s1_the_first_messages_of_a_channel_and_its_threads_come_at_once_and_all_are_answered() {
    let server = Server::start();
    let statuses: Vec<_> = std::thread::scope(|scope| {
        let server = &server;
        let say = |n: usize| move || server.say(["api:ann", "api:ann:aside"][n % 2], "Hello").status;
        let senders: Vec<_> = (0..8).map(|n| scope.spawn(say(n))).collect();
        senders.into_iter().map(|sender| sender.join().unwrap()).collect()
    });
    assert_eq!(statuses, [200; 8]);
}
