//! Listening to channels, personas and turns: order, going on after a cut, and being too slow.

use greenroom_tests::Answer;

use crate::{
    client::kinds,
    server::{Server, messages, to_ada},
};

const EVENTS: &str = "/api/channels/api:ann/events";

#[test]
fn a_channel_and_a_persona_are_heard_by_whoever_listens() {
    let server = Server::start();
    let mut channel = server.listen(EVENTS, None);
    let mut persona = server.listen("/api/personas/ada/events", None);
    server.say("api:ben", "Hello from elsewhere");
    server.say("api:ann", "Hello");
    let here = channel.frame_of("done");
    assert_eq!(here.data["channel"], "api:ann", "nothing of another channel");
    assert_eq!(persona.frame_of("done").data["channel"], "api:ben");
    assert_eq!(persona.frame_of("done"), here);
}

#[test]
fn a_stream_that_was_cut_goes_on_behind_the_last_event() {
    let server = Server::start();
    server.endpoint.push(Answer::text("One two three four").stall_after(2));
    let mut stream = server.saying("api:ann", "Count");
    let started = stream.frame().unwrap();
    let (first, second) = (stream.frame_of("token_delta"), stream.frame_of("token_delta"));
    drop(stream);
    server.endpoint.release();

    let turn = format!("/api/turns/{}/events", started.data["turn_id"].as_str().unwrap());
    let rest = server.listen(&turn, second.id.as_deref()).frames();
    assert_eq!(kinds(&rest), ["token_delta", "token_delta", "done"]);
    assert_eq!(rest[2].data["text"], "One two three four");
    // a browser that cannot send the header
    let path = format!("{turn}?last_event_id={}", first.id.unwrap());
    assert_eq!(server.listen(&path, None).frames(), [&[second][..], &rest].concat());
    // and from its beginning
    assert_eq!(server.listen(&turn, None).frames()[0], started);
    // behind its end there is nothing to wait for
    assert_eq!(server.listen(&turn, rest[2].id.as_deref()).frames(), []);
    // the channel knows it as well
    let mut channel = server.listen(EVENTS, started.id.as_deref());
    assert_eq!(channel.frame_of("done"), rest[2]);
}

#[test]
fn s1_after_a_restart_an_old_id_is_answered_by_resync() {
    let mut server = Server::start();
    let frames = server.saying("api:ann", "Hello").frames();
    let (started, done) = (&frames[0], frames.last().unwrap());
    server.again();
    let mut channel = server.listen(EVENTS, done.id.as_deref());
    assert_eq!(channel.frame().unwrap().kind, "resync");
    server.say("api:ann", "Hello again");
    let next = channel.frame().unwrap();
    assert_eq!(next.kind, "turn_started");
    let run = |id: &Option<String>| id.as_deref().unwrap().split('-').next().unwrap().to_owned();
    assert_ne!(run(&next.id), run(&done.id));
    // a turn of the run before is told from the store
    let turn = format!("/api/turns/{}/events", started.data["turn_id"].as_str().unwrap());
    let stored = server.listen(&turn, None).frames();
    assert_eq!(kinds(&stored), ["turn_started", "context_assembled", "done"]);
    assert_eq!(stored[2].data["text"], done.data["text"]);
}

#[test]
fn a_reader_that_is_too_slow_is_told_and_dropped_and_holds_nobody_up() {
    // the answer is as long as it may be
    let server = Server::with(|home| {
        home.write(
            "personas/ada.md",
            "---\nname: ada\nmodel: { max_output_tokens: 1000000, context_window: 4000000 }\n\
             limits: { tokens_per_hour: 0 }\n---\nYou are Ada.\n",
        );
    });
    let slow = server.listen(EVENTS, None);
    // more than the sockets between us and the log together hold
    let long = format!("{} ", "x".repeat(4_000)).repeat(6_000);
    server.endpoint.push(Answer::text(&long));
    let reply = server.say("api:ann", "Tell me everything");
    assert_eq!(reply.body["turns"][0]["state"], "done", "nobody waited for it");
    let frames = slow.frames();
    let last = frames.last().unwrap();
    assert_eq!(last.kind, "lagged");
    assert!(last.id.is_none() && frames.len() < 6_000);
    // and comes back to read the history
    let seen = frames.iter().rev().find_map(|frame| frame.id.as_deref());
    assert_eq!(server.listen(EVENTS, seen).frame().unwrap().kind, "resync");
}

#[test]
fn s9_many_idle_listeners_are_not_woken_for_others() {
    let server = Server::start();
    let idle: Vec<_> =
        (0..200).map(|n| server.listen(&format!("/api/channels/api:n{n}/events"), None)).collect();
    for _ in 0..3 {
        server.post(&messages("api:ann"), &to_ada("Hello"));
    }
    let mut one = idle.into_iter().nth(7).unwrap();
    server.say("api:n7", "Hello");
    assert_eq!(one.frame().unwrap().data["channel"], "api:n7");
}
