//! The command line as a person meets it: help, arguments, lists, exit codes. Conversations are
//! tested with the whole program in `greenroom-tests`.

// outside of `#[test]` functions clippy does not know that this is a test
#![allow(clippy::unwrap_used)]

use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

use greenroom_core::{Author, Timestamp, TurnId, Usage};
use greenroom_store::{NewMessage, NewTurn, Store, TurnCommit};
use greenroom_store_sqlite::SqliteStore;
use greenroom_tests::{Answer, Home, MockEndpoint};
use insta::assert_snapshot;

fn greenroom(home: &Home, args: &[&str]) -> Command {
    let mut command = home.command(env!("CARGO_BIN_EXE_greenroom"));
    command.args(args).env("COLUMNS", "100");
    command
}

/// Exit code, stdout, stderr.
fn run(home: &Home, args: &[&str]) -> (i32, String, String) {
    let output = greenroom(home, args).stdin(Stdio::null()).output().unwrap();
    parts(&output)
}

fn parts(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// What it says, with the home's own path left out.
fn shown(home: &Home, text: &str) -> String {
    text.replace(&*home.path().to_string_lossy(), "~")
}

#[test]
fn the_help_says_what_there_is() {
    let (code, out, _) = run(&Home::new(), &["--help"]);
    assert_eq!(code, 0);
    assert_snapshot!("help", out);
    let (code, out, _) = run(&Home::new(), &["chat", "--help"]);
    assert_eq!(code, 0);
    assert_snapshot!("help_chat", out);
    let (code, out, _) = run(&Home::new(), &["memory", "add", "--help"]);
    assert_eq!(code, 0);
    assert_snapshot!("help_memory_add", out);
}

#[test]
fn without_a_command_there_is_help() {
    let (code, out, err) = run(&Home::new(), &[]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("Usage: greenroom"), "{err}");
}

#[test]
fn a_mistyped_persona_is_a_usage_error_with_a_suggestion() {
    let (code, out, err) = run(&Home::new(), &["chat", "adda"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert_snapshot!(err, @r#"error: there is no persona `adda`; did you mean ada? there are ada, vesper, wick; to say “adda” to ada, write: greenroom chat ada "adda""#);
}

#[test]
fn a_project_that_is_not_there_is_a_usage_error() {
    let home = Home::new();
    let (code, _, err) = run(&home, &["chat", "ada", "hello", "--project", "nowhere"]);
    assert_eq!(code, 2);
    assert!(err.contains("nowhere: there is no such directory"), "{err}");
}

#[test]
fn a_setting_that_is_none_is_a_usage_error_that_names_it() {
    let home = Home::new();
    let (code, _, err) = run(&home, &["chat", "ada", "hello", "--base-url", "localhost"]);
    assert_eq!(code, 2);
    assert!(err.contains("--base-url"), "{err}");
    home.write("greenroom.toml", "[model]\ntemprature = 1\n");
    let (code, _, err) = run(&home, &["memory", "list"]);
    assert_eq!(code, 2);
    assert!(err.contains("greenroom.toml:2:1") && err.contains("temperature"), "{err}");
}

#[test]
fn memories_are_added_listed_found_and_forgotten() {
    let home = Home::new();
    let (code, out, err) = run(&home, &["memory", "list"]);
    assert_eq!((code, out.as_str()), (0, ""));
    assert_snapshot!(err, @r#"ada remembers nothing in terminal:default yet; add something with: greenroom memory add "…" --persona ada"#);

    let (code, out, _) = run(&home, &["memory", "add", "The build takes 6 minutes", "--kind", "fact"]);
    assert_eq!(code, 0);
    assert_snapshot!(out, @"ada remembers m1 (terminal:default)");
    let (_, out, _) = run(&home, &["memory", "add", "Tea, not coffee", "--kind", "preference", "--global"]);
    assert_snapshot!(out, @"ada remembers m2 (everywhere)");

    let (_, out, _) = run(&home, &["memory", "list", "--json"]);
    let all: serde_json::Value = serde_json::from_str(&out).unwrap();
    let texts: Vec<_> =
        all.as_array().unwrap().iter().map(|memory| memory["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["Tea, not coffee", "The build takes 6 minutes"]);
    let (_, out, _) = run(&home, &["memory", "list", "--global"]);
    assert!(out.contains("m2") && !out.contains("m1 "), "{out}");
    let (_, out, _) = run(&home, &["memory", "search", "how long is a build?"]);
    assert!(out.lines().nth(1).unwrap().starts_with("m1"), "{out}");
    let (_, out, _) = run(&home, &["memory", "list", "--persona", "wick"]);
    assert_eq!(out, "", "another persona's memory is another's");

    let (code, out, _) = run(&home, &["memory", "forget", "m1"]);
    assert_eq!(code, 0);
    assert!(out.starts_with("ada forgot m1: “The build takes 6 minutes”"), "{out}");
    let (code, out, err) = run(&home, &["memory", "forget", "m1"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("ada has no memory m1"), "{err}");
    let (code, _, err) = run(&home, &["memory", "forget", "x1"]);
    assert_eq!(code, 2);
    assert!(err.contains("m12"), "{err}");
}

#[test]
fn as9_a_memory_with_an_end_says_when() {
    let home = Home::new();
    let (code, _, err) = run(&home, &["memory", "add", "Ann is away", "--expires-in", "soon"]);
    assert_eq!(code, 2);
    assert!(err.contains("30d"), "{err}");
    let (code, out, _) = run(&home, &["memory", "add", "Ann is away", "--expires-in", "2w", "--json"]);
    assert_eq!(code, 0);
    let added: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(added["memory"]["expires_at"].is_i64(), "{added}");
}

#[test]
fn personas_are_listed_written_and_checked() {
    let home = Home::new();
    let (code, out, _) = run(&home, &["persona", "list"]);
    assert_eq!(code, 0);
    assert_snapshot!(out, @r"
    NAME           CALLED        FILE                  WHO
    ada (default)  Ada           (built in)/ada.md     A patient systems engineer who has seen it break before
    vesper         Vesper Quill  (built in)/vesper.md  A detective who notices; invite her together with @wick
    wick           Wick          (built in)/wick.md    Vesper's sceptical partner, who counts before he believes
    ");
    let (code, out, _) = run(&home, &["persona", "new", "zoe"]);
    assert_eq!((code, out.replace('\\', "/").as_str()), (0, "personas/zoe.md\n"));
    let (code, _, err) = run(&home, &["persona", "new", "zoe"]);
    assert_eq!(code, 1);
    assert!(err.contains("there already"), "{err}");
    let (code, _, err) = run(&home, &["persona", "check"]);
    assert_eq!((code, err.as_str()), (0, "4 good personas, 0 problems\n"));

    home.write("personas/bad.md", "---\nmodel: { temperature: warm }\ntools: [fly]\n---\nYou are bad.\n");
    let (code, out, err) = run(&home, &["persona", "check"]);
    assert_eq!((code, err.as_str()), (1, "4 good personas, 2 problems\n"));
    assert_snapshot!(out.replace('\\', "/"), @r"
     × model.temperature is text
      ╭─[personas/bad.md:2:23]
    1 │ ---
    2 │ model: { temperature: warm }
      ·                       ──┬─
      ·                         ╰── expected a number from 0 to 2
    3 │ tools: [fly]
      ╰────

     × unknown tool `fly`
      ╭─[personas/bad.md:3:9]
    2 │ model: { temperature: warm }
    3 │ tools: [fly]
      ·         ─┬─
      ·          ╰── expected one of `remember`, `recall`
    4 │ ---
      ╰────
    ");
    let (code, out, _) = run(&home, &["persona", "check", "personas/bad.md", "--json"]);
    let problems: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, problems.as_array().unwrap().len()), (1, 2));
}

#[test]
fn x5_settings_are_shown_with_their_origin_and_without_the_key() {
    let home = Home::new();
    home.write("greenroom.toml", "[model]\ntemperature = 0.2\n");
    let output = greenroom(&home, &["config", "show"]).env("OPENAI_API_KEY", "sk-canary").output().unwrap();
    let (code, out, err) = parts(&output);
    assert_eq!(code, 0, "{err}");
    let line = |key: &str| {
        let found = out.lines().find(|line| line.starts_with(key)).unwrap_or_default();
        found.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("model.temperature"), "model.temperature 0.2 greenroom.toml:2");
    assert_eq!(line("model.base_url"), "model.base_url https://api.openai.com/v1 environment OPENAI_API_KEY");
    assert_eq!(line("memory.profile"), "memory.profile default default");
    assert!(!out.contains("canary") && !err.contains("canary"));
}

#[test]
fn models_are_listed_with_size_and_licence() {
    let (code, out, _) = run(&Home::new(), &["models", "list"]);
    assert_eq!(code, 0);
    assert_snapshot!(out, @r"
    NAME     DOWNLOAD  LICENCE     INSTALLED  WHAT IT IS
    smollm2  98.4 MB   Apache-2.0  no         SmolLM2-135M-Instruct, the built-in demonstration chat model
    minilm   91.3 MB   Apache-2.0  no         all-MiniLM-L6-v2, an embedder for recall by meaning
    ");
    let (code, _, err) = run(&Home::new(), &["models", "pull", "gpt-9"]);
    assert_eq!(code, 2);
    assert!(err.contains("smollm2"), "{err}");
}

#[test]
fn the_doctor_says_what_is_wrong_and_what_to_do() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    let doctor = |url: &str| {
        let output = greenroom(&home, &["doctor"]).env("GREENROOM_BASE_URL", url).output().unwrap();
        let (code, out, _) = parts(&output);
        (code, shown(&home, &out))
    };
    let (code, out) = doctor(&endpoint.base_url());
    assert_eq!(code, 0, "{out}");
    assert_eq!(out.lines().filter(|line| line.starts_with('✓')).count(), 5, "{out}");
    let url = endpoint.base_url();
    drop(endpoint);
    let (code, out) = doctor(&url);
    assert_eq!(code, 1);
    let line = out.lines().find(|line| line.starts_with('✗')).unwrap();
    assert!(line.contains("cannot reach the model"), "{out}");
}

#[test]
fn x5_an_endpoint_that_was_rejected_is_not_taken_for_an_absent_one() {
    let home = Home::new();
    home.write("greenroom.toml", "[model]\nbase_url = \"my-llm.internal:8080/v1\"\napi_key = \"k\"\n");
    let (code, out, _) = run(&home, &["doctor"]);
    assert_eq!(code, 1);
    assert!(out.contains("model     not asked: the settings are wrong"), "{out}");
    assert!(out.contains("✓ personas"), "settings are no persona problem: {out}");
    assert!(!run(&home, &["config", "show"]).1.contains("api.openai.com"));
    assert_eq!(run(&home, &["chat", "ada", "hi"]).0, 2);
}

#[test]
fn x5_a_key_of_the_environment_does_not_follow_a_settings_file_that_was_found() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    home.write(
        "greenroom.toml",
        &format!("[model]\nbase_url = \"{}?k=canary\"\nname = \"m\"\n", endpoint.base_url()),
    );
    endpoint.push(Answer::error(401, "who are you?"));
    let output = |args: &[&str]| {
        parts(&greenroom(&home, args).env("OPENAI_API_KEY", "sk-key").stdin(Stdio::null()).output().unwrap())
    };
    let (code, _, err) = output(&["chat", "ada", "hi"]);
    assert_eq!(code, 1);
    assert!(err.contains("no key was sent: OPENAI_API_KEY is for other endpoints"), "{err}");
    let (_, doctor, _) = output(&["doctor"]);
    assert!(doctor.contains("no key was sent") && doctor.contains("?…"), "{doctor}");
    let (_, shown, _) = output(&["config", "show"]);
    for text in [err, doctor, shown] {
        assert!(!text.contains("canary"), "{text}");
    }
    assert!(endpoint.requests().iter().all(|request| !format!("{request:?}").contains("sk-key")));
}

#[test]
fn a_persona_whose_file_is_bad_is_not_said_to_be_absent() {
    let home = Home::new();
    home.write("personas/ada.md", "---\ntools: [fly]\n---\nYou are Ada.\n");
    for args in [&["chat", "ada"][..], &["chat"], &["memory", "list"], &["context", "ada", "hi"]] {
        let (code, _, err) = run(&home, args);
        assert_eq!(code, 2, "{err}");
        assert!(err.contains("ada cannot play:") && err.contains("ada.md:2:9: unknown tool `fly`"), "{err}");
    }
    let (code, out, _) = run(&home, &["doctor"]);
    assert_eq!(code, 1);
    assert!(out.contains("unknown tool `fly`"), "{out}");
}

#[test]
fn a_persona_s_own_settings_are_shown_where_it_is_named() {
    let home = Home::new();
    home.write("personas/zoe.md", "---\nmodel: { temperature: 0.3 }\n---\nYou are Zoe.\n");
    let (code, out, _) = run(&home, &["config", "show", "zoe"]);
    assert_eq!(code, 0);
    let line = out.lines().find(|line| line.starts_with("model.temperature")).unwrap();
    assert!(line.contains("0.3") && line.ends_with("zoe.md:2"), "{line}");
    assert_eq!(run(&home, &["config", "show", "nobody"]).0, 2);
}

#[test]
fn memory_commands_mean_the_scope_they_name() {
    let home = Home::new();
    run(&home, &["memory", "add", "The build takes 6 minutes on the old machine", "--global"]);
    for n in 0..3 {
        run(&home, &["memory", "add", &format!("The build takes 6 minutes, build {n}")]);
    }
    let search = ["memory", "search", "The build takes 6 minutes", "--global", "--limit", "1"];
    let (_, out, _) = run(&home, &search);
    assert!(out.contains("everywhere"), "filtered before it is cut: {out}");
    let (_, _, err) = run(&home, &["memory", "list", "--global", "--persona", "wick"]);
    assert!(err.starts_with("wick remembers nothing that holds everywhere yet"), "{err}");
    for wrong in [
        &["memory", "add", "  "][..],
        &["memory", "list", "--limit", "0"],
        &["memory", "list", "--global", "--user", "ann"],
    ] {
        let (code, _, err) = run(&home, wrong);
        assert_eq!(code, 2, "{wrong:?} {err}");
    }
}

#[test]
fn what_is_written_wrong_is_a_usage_error() {
    let home = Home::new();
    let (code, out, err) = run(&home, &["persona", "check", "nope"]);
    assert_eq!((code, out.as_str(), err.lines().count()), (2, "", 1), "{err}");
    assert!(err.contains("there is no file or directory nope"), "{err}");
    let (code, _, err) = run(&home, &["memory", "list", "--log", "nonsense="]);
    assert_eq!(code, 2);
    assert!(err.contains("--log"), "{err}");
}

#[test]
fn the_built_in_model_can_be_asked_for_in_the_environment() {
    let output = greenroom(&Home::new(), &["doctor"]).env("GREENROOM_BASE_URL", "builtin").output().unwrap();
    let (_, out, _) = parts(&output);
    assert!(out.contains("the built-in demonstration model"), "{out}");
}

#[cfg(unix)]
#[test]
fn the_store_is_for_its_owner_s_eyes_only_in_any_directory() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    std::fs::create_dir(home.data()).unwrap();
    run(&home, &["memory", "add", "a secret"]);
    for file in std::fs::read_dir(home.data()).unwrap() {
        let file = file.unwrap();
        if file.file_name().to_string_lossy().starts_with("greenroom.db") {
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{file:?}");
        }
    }
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
fn lines_from_a_pipe_are_messages() {
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
    child.stdin.take().unwrap().write_all(b"first\n\n/quit\n").unwrap();
    let (code, out, err) = parts(&child.wait_with_output().unwrap());
    assert_eq!((code, out.as_str()), (0, "one\ntwo\n"), "{err}");
    let chats = endpoint.chats();
    let last =
        |chat: &serde_json::Value| chat["messages"].as_array().unwrap().last().unwrap()["content"].clone();
    assert_eq!(chats.iter().map(last).collect::<Vec<_>>(), ["first", "/quit"]);
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
    assert_eq!(err, "the last time, this reply was not shown:\nAda: Forty-two.\n");
    let (_, _, err) = chat(&[]);
    assert!(!err.contains("not shown"), "{err}");
}

/// A reply of ada's that was stored, and then the program was killed.
fn leave_undelivered(home: &Home, reply: &str) {
    let store = async {
        let store = SqliteStore::open(&home.data().join("greenroom.db")).await.unwrap();
        let author = Author::User { id: "someone".parse().unwrap(), name: "someone".into() };
        let (channel, at) = ("terminal:default".parse().unwrap(), Timestamp(1));
        let said = NewMessage { channel, event_id: "e1".into(), author, text: "what is it?".into(), at };
        let message = store.accept(said).await.unwrap().message.id;
        let id = TurnId(Default::default());
        let turn = NewTurn { id, persona: "ada".parse().unwrap(), at };
        store.plan_turns(message, vec![turn]).await.unwrap();
        store.begin_turn(id, at).await.unwrap();
        let commit = TurnCommit { text: reply.into(), at, usage: Usage::default(), receipt: None };
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
    endpoint.wait_for(2);
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
    assert!(err.contains("the last time the program ended before Ada answered: “hi”"), "{err}");
}

#[test]
fn s2_a_store_that_cannot_be_opened_is_exit_code_3() {
    let home = Home::new();
    home.write("data", "a file where a directory should be");
    let (code, _, err) = run(&home, &["memory", "list"]);
    assert_eq!(code, 3);
    assert!(err.contains("cannot open the store") && err.contains("--data"), "{err}");
}

#[test]
fn the_context_is_shown_without_calling_a_model() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    run(&home, &["memory", "add", "The build takes 6 minutes"]);
    let url = endpoint.base_url();
    let (code, out, err) =
        run(&home, &["context", "ada", "How long is a build?", "--base-url", &url, "--model", "gpt-4o-mini"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("m1") && out.contains("o200k"), "{out}");
    let (_, out, _) =
        run(&home, &["context", "ada", "How long is a build?", "--base-url", &url, "--model", "x", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(shown["messages"][0]["role"], "system");
    assert!(endpoint.chats().is_empty());
}
