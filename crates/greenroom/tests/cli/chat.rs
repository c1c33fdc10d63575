//! Tests `greenroom chat`: a single message, lines from a pipe, and refusals.

use std::{io::Write, process::Stdio};

use greenroom_core::{Author, Message, Timestamp, TurnId, Usage};
use greenroom_store::{NewTurn, TurnCommit, prelude::*};
use greenroom_store_sqlite::SqliteStore;
use greenroom_tests::{Answer, Home, MockEndpoint};
use insta::assert_snapshot;

use crate::{greenroom, parts, run};

#[test]
fn a_mistyped_persona_is_a_usage_error_with_a_suggestion() {
    let (code, out, err) = run(&Home::new(), &["chat", "adda"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert_snapshot!(err, @r#"error: there is no persona `adda`; did you mean ada? there are ada, vesper, wick; to say “adda” to ada, write: greenroom chat ada "adda""#);
}

#[test]
fn a_message_without_quotes_is_told_to_have_them() {
    for (arguments, remedy) in [
        (&["chat", "Ada", "hello", "there", "you"][..], r#"greenroom chat Ada "hello there you""#),
        (&["chat", "good", "morning", "all"], r#"greenroom chat "good morning all""#),
        (&["chat", "--persona", "ada", "how", "are", "you"], r#"greenroom chat --persona ada "how are you""#),
    ] {
        let (code, _, err) = run(&Home::new(), arguments);
        assert_eq!((code, err), (2, format!("error: put the message in quotes: {remedy}\n")));
    }
}

#[test]
fn a_project_that_is_not_there_is_a_usage_error() {
    let home = Home::new();
    let (code, _, err) = run(&home, &["chat", "ada", "hello", "--project", "nowhere"]);
    assert_eq!(code, 2);
    assert!(err.contains("nowhere: there is no such directory"), "{err}");
}

#[test]
fn one_shot_prints_the_reply_alone() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    endpoint.push(Answer::text("Hello there"));
    let (code, out, err) =
        run(&home, &["chat", "ada", "hi", "--base-url", &endpoint.base_url(), "--model", "m"]);
    assert_eq!((code, out.as_str()), (0, "Hello there\n"), "{err}");
    assert_eq!(
        err,
        format!(
            "Ada · m (--model) at {} (--base-url) · memory: static, 0 memories · channel terminal:default\n",
            endpoint.base_url()
        )
    );
}

#[test]
fn a_failed_turn_is_exit_code_1_and_nothing_on_stdout() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    endpoint.push(Answer::error(401, "no such key"));
    let (code, out, err) = run(&home, &["chat", "ada", "hi", "--base-url", &endpoint.base_url()]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("(unauthorized)"), "{err}");
}

#[test]
fn lines_from_a_pipe_are_messages_and_commands() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    endpoint.push(Answer::text("one"));
    endpoint.push(Answer::text("two"));
    let url = endpoint.base_url();
    let mut child = greenroom(&home, &["chat", "ada", "--base-url", &url])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"/help\nfirst\n\n//quit\n/quit\nnever\n").unwrap();
    let (code, out, err) = parts(&child.wait_with_output().unwrap());
    assert_eq!((code, out.as_str()), (0, "one\ntwo\n"), "{err}");
    assert!(err.contains("/memory [QUERY]"), "{err}");
    let chats = endpoint.chats();
    let last =
        |chat: &serde_json::Value| chat["messages"].as_array().unwrap().last().unwrap()["content"].clone();
    assert_eq!(chats.iter().map(last).collect::<Vec<_>>(), ["first", "/quit"]);
}

#[test]
fn a_failed_message_from_a_pipe_is_exit_code_1_also_before_quit() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    endpoint.push(Answer::error(401, "no such key"));
    let mut child = greenroom(&home, &["chat", "ada", "--base-url", &endpoint.base_url()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"hello\n/quit\n").unwrap();
    let (code, _, err) = parts(&child.wait_with_output().unwrap());
    assert_eq!(code, 1, "{err}");
}

#[test]
fn a_wrong_command_from_a_pipe_is_no_message_and_exit_code_1() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    let mut child = greenroom(&home, &["chat", "ada", "--base-url", &endpoint.base_url()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"/hepl\n").unwrap();
    let (code, out, err) = parts(&child.wait_with_output().unwrap());
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("did you mean /help?"), "{err}");
    assert!(endpoint.chats().is_empty());
}

#[test]
fn a_reply_is_labelled_where_not_only_the_addressed_persona_answers() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    for reply in ["one", "two", "three"] {
        endpoint.push(Answer::text(reply));
    }
    let url = endpoint.base_url();
    let (_, out, err) = run(&home, &["chat", "vesper", "and you, @wick?", "--base-url", &url]);
    assert_eq!(out, "Vesper Quill: one\nWick: two\n", "{err}");
    let (_, out, err) = run(&home, &["chat", "vesper", "and you?", "--base-url", &url]);
    assert_eq!(out, "three\n", "{err}");
}

#[test]
fn a_persona_that_answers_nobody_says_so() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    home.write("personas/mute.md", "---\nname: mute\nroom: { answer: never }\n---\nYou are mute.\n");
    let url = endpoint.base_url();
    let say = ["chat", "mute", "hi", "--personas", "personas", "--base-url", &url];
    let (code, out, err) = run(&home, &say);
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("answers nobody"), "{err}");
    let (code, out, _) = run(&home, &[&say[..], &["--json"]].concat());
    let failed: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, failed["type"].as_str(), failed["persona"].as_str()),
        (1, Some("failed"), Some("mute"))
    );
}

#[test]
fn a_failed_turn_is_reported_once_and_in_one_shot_mode_nothing_speaks_of_retry() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    for _ in 0..9 {
        endpoint.push(Answer::error(500, "out of order"));
    }
    let (code, _, err) = run(&home, &["chat", "ada", "hi", "--base-url", &endpoint.base_url()]);
    assert_eq!(code, 1);
    assert_eq!(err.matches("out of order").count(), 2, "with the first retry and at the end: {err}");
    assert!(!err.contains("WARN") && !err.contains("/retry"), "{err}");
}

#[test]
fn gr6_a_reply_that_was_not_shown_is_shown_at_the_next_start_and_only_then() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    let chat = |args: &[&str]| {
        run(&home, &[&["chat", "ada", "hi", "--base-url", &endpoint.base_url()], args].concat())
    };
    chat(&[]);
    leave_undelivered(&home, "Forty-two.\n");
    let (code, _, err) = chat(&["--json"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(err, "this reply was not shown last time:\nAda: Forty-two.\n");
    let (_, _, err) = chat(&[]);
    assert!(!err.contains("not shown"), "{err}");
}

/// Stores a reply of ada's as if the program was killed before it showed the reply.
fn leave_undelivered(home: &Home, reply: &str) {
    let store = async {
        let store = SqliteStore::open(&home.data().join("greenroom.db")).await.unwrap();
        let author = Author::User { id: "someone".parse().unwrap(), name: "someone".into() };
        let (channel, at) = ("terminal:default".parse().unwrap(), Timestamp(1));
        let said = Message { at, ..Message::new(channel, "e1", author, "what is it?") };
        let message = store.accept(said).await.unwrap().message.id;
        let id = TurnId(Default::default());
        let turn = NewTurn { id, persona: "ada".parse().unwrap(), at, begins: false };
        store.plan_turns(message, vec![turn].into()).await.unwrap();
        store.begin_turn(id, at).await.unwrap();
        let commit = TurnCommit {
            text: reply.into(),
            at,
            usage: Usage::default(),
            receipt: None,
            vector: None,
            sources: Default::default(),
            unhandled: false,
        };
        store.commit_turn(id, commit).await.unwrap();
        store.close().await;
    };
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(store);
}

#[test]
fn json_is_one_event_a_line_in_order() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    let (code, out, err) = run(&home, &["chat", "ada", "hi", "--json", "--base-url", &endpoint.base_url()]);
    assert_eq!((code, err.as_str()), (0, ""));
    let kinds: Vec<String> = out
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["type"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(kinds, ["turn_started", "context_assembled", "token_delta", "done"]);
}

#[test]
fn a_second_chat_in_the_same_channel_is_refused_and_says_what_to_do() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    endpoint.push(Answer::stall());
    let url = endpoint.base_url();
    let args = ["chat", "ada", "hi", "--base-url", &url];
    let mut first = greenroom(&home, &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    endpoint.wait_for(1);
    let (code, out, err) = run(&home, &args);
    assert_eq!((code, out.as_str()), (4, ""));
    let owner = format!("terminal:default is already open in process {}", first.id());
    assert!(err.contains(&owner) && err.contains("--channel terminal:other"), "{err}");
    let (code, _, err) = run(&home, &["memory", "add", "short commands work beside it"]);
    assert_eq!(code, 0, "{err}");
    let (code, out, err) =
        run(&home, &["chat", "ada", "hi", "--base-url", &url, "--channel", "terminal:other"]);
    assert_eq!((code, out.as_str()), (0, "ok\n"), "{err}");
    first.kill().unwrap();
    first.wait().unwrap();
    let (code, _, err) = run(&home, &args);
    assert_eq!(code, 0);
    assert!(err.contains("the last run ended before Ada answered “hi”"), "{err}");
}

#[test]
fn fg17_a_persona_without_memory_is_introduced_so() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    home.write("personas/plain.md", "---\nname: plain\nmemory: { enabled: false }\n---\nYou are plain.\n");
    endpoint.push(Answer::text("hello"));
    let url = endpoint.base_url();
    let (code, _, err) = run(&home, &["chat", "plain", "hi", "--personas", "personas", "--base-url", &url]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains(" · memory: off · "), "{err}");
}

#[test]
fn as12_one_shot_waits_for_what_is_to_be_remembered_of_it() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    let facts = "---\nname: nosy\nmemory: { capture: { facts: true } }\n---\nYou are nosy.\n";
    home.write("personas/nosy.md", facts);
    endpoint.push(Answer::text("Good to know."));
    endpoint.push(Answer::text(
        r#"{"memories":[{"text":"The user's sister Mia works at the harbour","kind":"fact","action":"add"}]}"#,
    ));
    let say = "My sister Mia works at the harbour.";
    let url = endpoint.base_url();
    let (code, out, err) = run(&home, &["chat", "nosy", say, "--personas", "personas", "--base-url", &url]);
    assert_eq!((code, out.as_str()), (0, "Good to know.\n"), "{err}");
    let (_, known, err) = run(&home, &["memory", "list", "--persona", "nosy", "--personas", "personas"]);
    assert!(known.contains("sister Mia works at the harbour"), "{known}{err}");
}

#[test]
fn rm4_a_persona_of_a_quiet_channel_says_so_and_names_the_remedy() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    let url = endpoint.base_url();
    run(&home, &["room", "quiet", "terminal:default", "--for", "1h"]);
    let (code, out, err) = run(&home, &["chat", "ada", "are you there?", "--base-url", &url]);
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("the channel is quiet: nobody answers until "), "{err}");
    assert!(err.contains("`greenroom room quiet terminal:default --off` lifts it"), "{err}");
    assert!(!err.contains("room.answer"), "{err}");
}

/// A script must not take a reply that a SIGTERM stopped, or lines that were not read, for a success.
#[cfg(unix)]
#[test]
fn s10_a_script_whose_chat_is_terminated_learns_it_by_the_exit_code() {
    use nix::{
        sys::signal::{Signal, kill},
        unistd::Pid,
    };
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    let url = endpoint.base_url();
    for (asked, args) in
        [&["chat", "ada", "hi", "--base-url", &url][..], &["chat", "ada", "--base-url", &url]]
            .into_iter()
            .enumerate()
    {
        endpoint.push(Answer::stall());
        let mut chat = greenroom(&home, args);
        let mut chat =
            chat.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        chat.stdin.take().unwrap().write_all(b"one\ntwo\n").unwrap();
        endpoint.wait_for(asked + 1);
        kill(Pid::from_raw(chat.id().try_into().unwrap()), Signal::SIGTERM).unwrap();
        let (code, out, err) = parts(&chat.wait_with_output().unwrap());
        assert_eq!((code, out.as_str()), (1, ""), "{err}");
        assert!(err.contains("stopped"), "{err}");
    }
}
