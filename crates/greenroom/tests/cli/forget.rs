//! `greenroom memory forget`, `export` and `import`.

use std::process::Stdio;

use greenroom_tests::{Answer, Home, MockEndpoint};
use insta::assert_snapshot;

use crate::{greenroom, parts, run};

#[test]
fn gr10_what_a_search_finds_is_shown_first_and_forgotten_with_yes() {
    let home = Home::new();
    run(&home, &["memory", "add", "The old office was in Lyon"]);
    run(&home, &["memory", "add", "Ann drinks tea"]);
    let forget = ["memory", "forget", "--query", "old office"];
    let (code, out, err) = run(&home, &forget);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("The old office was in Lyon") && !err.contains("tea"), "{err}");
    assert!(err.ends_with("nothing was forgotten: there is no terminal to ask at; add --yes\n"));
    let (code, out, _) = run(&home, &[&forget[..], &["--yes"]].concat());
    assert_eq!(code, 0);
    assert_snapshot!(out, @"ada forgot m1: “The old office was in Lyon” (with 1 vector and 0 relations)");
    let (code, out, err) = run(&home, &[&forget[..], &["--yes"]].concat());
    assert_eq!((code, out.as_str()), (0, ""), "with nothing to forget, as the help says");
    assert_snapshot!(err, @"nothing that ada remembers in terminal:default holds all the words of it");
}

#[test]
fn gr10_what_only_resembles_a_query_is_not_forgotten_unseen() {
    let home = Home::new();
    run(&home, &["memory", "add", "The new office is in Oslo"]);
    run(&home, &["memory", "add", "The old mill is in Lyon"]);
    let (code, out, _) = run(&home, &["memory", "forget", "--query", "old office", "--yes"]);
    assert_eq!((code, out.as_str()), (0, ""));
    assert_eq!(run(&home, &["memory", "export"]).1.lines().count(), 2);
}

/// Without anything to forget the report was once not JSON, which broke programs that read it.
#[test]
fn gr10_with_nothing_to_forget_the_report_has_zeros() {
    let home = Home::new();
    for flags in [&["--person", "ann"][..], &["--whole-channel"], &["--older-than", "1d"]] {
        let (code, out, err) = run(&home, &[&["memory", "forget", "--json", "--yes"], flags].concat());
        let report: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!((code, &report["erased"]["messages"]), (0, &0.into()), "{report} {err}");
        assert_eq!((&report["quotes"], &report["prompt_history"]), (&serde_json::json!([]), &false.into()));
    }
    let (code, out, _) = run(&home, &["memory", "forget", "--query", "zzz", "--json", "--yes"]);
    assert_eq!((code, out.as_str()), (0, "[]\n"));
}

#[test]
fn gr10_the_memories_of_an_unknown_persona_are_not_exported() {
    let home = Home::new();
    let (code, out, err) = run(&home, &["memory", "export", "--persona", "nobody", "--out", "x.jsonl"]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    let (_, _, of_list) = run(&home, &["memory", "list", "--persona", "nobody"]);
    assert_eq!(err, of_list);
    assert!(err.contains("ada") && !home.path().join("x.jsonl").exists(), "{err}");
}

/// The state after the program was killed between erasing in the store and in the file.
#[test]
fn x15_the_history_of_the_prompt_goes_though_the_store_has_nothing_left() {
    let home = Home::new();
    home.write("data/history.txt", "a secret\n");
    let forget = ["memory", "forget", "--person", "ann", "--yes"];
    let (code, out, err) = run(&home, &forget);
    assert_eq!((code, out.as_str()), (0, "forgot terminal:ann: the lines the prompt kept\n"), "{err}");
    let (code, _, err) = run(&home, &forget);
    assert_eq!((code, err.as_str()), (0, "there is nothing of terminal:ann to forget\n"));
}

#[test]
fn gr10_what_is_forgotten_by_a_search_is_forgotten_in_every_version() {
    let home = Home::new();
    run(&home, &["memory", "add", "Ann lives in Lyon"]);
    run(&home, &["memory", "add", "Ann moved to Oslo"]);
    run(&home, &["memory", "relate", "m2", "supersedes", "m1"]);
    let (code, out, err) = run(&home, &["memory", "forget", "--query", "Oslo", "--yes", "--json"]);
    assert_eq!(code, 0, "{err}");
    let receipts: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(receipts.as_array().unwrap().len(), 2, "{receipts}");
    assert_eq!(run(&home, &["memory", "export"]).1, "");
}

#[test]
fn gr10_a_channel_is_forgotten_with_a_receipt() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    let url = endpoint.base_url();
    run(&home, &["chat", "ada", "The harbour is closed", "--user", "ann", "--base-url", &url]);
    run(&home, &["memory", "add", "The harbour opens at 6"]);
    let forget = ["memory", "forget", "--whole-channel"];
    let (code, out, err) = run(&home, &forget);
    assert_eq!((code, out.as_str()), (2, ""));
    // the second memory is the summary of the session (JV1)
    assert!(err.starts_with("the channel terminal:default: 2 messages, 2 memories, "), "{err}");
    let (code, out, err) = run(&home, &[&forget[..], &["--yes", "--json"]].concat());
    assert_eq!(code, 0, "{err}");
    let receipt: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (receipt["erased"]["messages"].as_u64(), receipt["erased"]["turns"].as_u64()),
        (Some(2), Some(1))
    );
    let (code, _, err) = run(&home, &[&forget[..], &["--yes"]].concat());
    assert_eq!(code, 0, "it is gone already");
    assert_snapshot!(err, @"there is nothing of the channel terminal:default to forget");
    let (_, out, _) = run(&home, &["memory", "list"]);
    assert_eq!(out, "");
}

#[test]
fn gr10_replies_to_others_that_quote_a_person_are_shown_and_go_with_a_flag() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    let url = endpoint.base_url();
    let say = |user: &str, text: &str, reply: &str| {
        endpoint.push(Answer::text(reply));
        let (code, _, err) = run(&home, &["chat", "ada", text, "--user", user, "--base-url", &url]);
        assert_eq!(code, 0, "{err}");
    };
    say("bo", "my boat is called Petrel", "A fine name.");
    say("kit", "what is new?", "The boat of Bo is called Petrel.");
    say("kit", "and the weather?", "It rains.");
    let forget = ["memory", "forget", "--person", "bo"];
    let (code, _, err) = run(&home, &forget);
    assert_eq!(code, 2);
    assert!(err.contains("of it and would stay:\n"), "{err}");
    assert!(err.contains("of ada in terminal:default: “The boat of Bo is called Petrel.”"), "{err}");
    assert!(!err.contains("It rains"), "{err}");
    let (code, out, err) = run(&home, &[&forget[..], &["--quotes", "--yes"]].concat());
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("forgot terminal:bo: 3 messages, "), "{out}");
    assert!(out.contains("  with a quotation: msg:4 of ada in terminal:default\n"), "{out}");
    let database = std::fs::read(home.data().join("greenroom.db")).unwrap();
    assert!(!String::from_utf8_lossy(&database).to_lowercase().contains("petrel"));
    let (code, _, err) = run(&home, &["memory", "forget", "--older-than", "1d", "--quotes"]);
    assert_eq!(code, 2, "{err}");
}

/// What stays at first can still be forgotten when its person is gone.
#[test]
fn gr10_a_message_is_forgotten_by_its_id() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    endpoint.push(Answer::text("The boat is called Petrel."));
    run(&home, &["chat", "ada", "what is new?", "--base-url", &endpoint.base_url()]);
    let (code, out, err) = run(&home, &["memory", "forget", "msg:2", "--yes"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("forgot msg:2: 1 message"), "{out}");
    let database = std::fs::read(home.data().join("greenroom.db")).unwrap();
    assert!(!String::from_utf8_lossy(&database).contains("Petrel"));
    let (code, _, err) = run(&home, &["memory", "forget", "msg:2", "--yes"]);
    assert_eq!((code, err.as_str()), (0, "there is nothing of msg:2 to forget\n"));
    let (code, _, err) = run(&home, &["memory", "forget", "msg:x"]);
    assert_eq!(code, 2);
    assert!(err.contains("write m12 or msg:4"), "{err}");
}

#[test]
fn gr10_what_is_younger_stays() {
    let home = Home::new();
    run(&home, &["memory", "add", "Written just now"]);
    let (code, _, err) = run(&home, &["memory", "forget", "--older-than", "1h", "--yes"]);
    assert_eq!(code, 0);
    assert!(
        err.starts_with("there is nothing of terminal:default and ada's memories of it before "),
        "{err}"
    );
    let (code, _, err) = run(&home, &["memory", "forget", "--older-than", "long ago"]);
    assert_eq!(code, 2);
    assert!(err.contains("--older-than long ago: write a time as 90m"), "{err}");
}

#[test]
fn what_to_forget_is_said_once() {
    let home = Home::new();
    for wrong in [
        &["memory", "forget"][..],
        &["memory", "forget", "m1", "--query", "tea"],
        &["memory", "forget", "--person", "ann", "--persona", "ada", "--yes"],
        &["memory", "forget", "--older-than", "2w", "--global"],
    ] {
        let (code, out, err) = run(&home, wrong);
        assert_eq!((code, out.as_str()), (2, ""), "{wrong:?} {err}");
    }
}

#[test]
fn a_line_that_is_no_memory_keeps_all_of_a_file_out() {
    let home = Home::new();
    run(&home, &["memory", "add", "The build takes 6 minutes"]);
    let (_, line, _) = run(&home, &["memory", "export"]);
    let other = Home::new();
    other.write("memories.jsonl", &format!("{line}{{\"id\": \"m2\"}}\n"));
    let (code, out, err) = run(&other, &["memory", "import", "memories.jsonl"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.starts_with("error: memories.jsonl:2: "), "{err}");
    assert!(err.trim_end().ends_with("and nothing was imported"), "{err}");
    assert_eq!(run(&other, &["memory", "export"]).1, "");
    assert_eq!(run(&other, &["memory", "import", "nowhere.jsonl"]).0, 2);
}

#[test]
fn gr10_memories_come_back_from_a_pipe_exactly_so() {
    let home = Home::new();
    run(&home, &["memory", "add", "The build takes 8 minutes", "--kind", "fact"]);
    run(&home, &["memory", "add", "The build takes 6 minutes", "--global", "--expires-in", "30d"]);
    run(&home, &["memory", "relate", "m2", "refines", "m1"]);
    let (code, exported, err) = run(&home, &["memory", "export"]);
    assert_eq!((code, exported.lines().count()), (0, 2), "{err}");
    let other = Home::new();
    let import = || {
        let mut child = greenroom(&other, &["memory", "import", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), exported.as_bytes()).unwrap();
        parts(&child.wait_with_output().unwrap())
    };
    assert_eq!(import(), (0, "2 memories added, 0 known already, 1 relation\n".into(), String::new()));
    assert_eq!(run(&other, &["memory", "export"]).1, exported);
    assert_eq!(import().1, "0 memories added, 2 known already, 0 relations\n");
    let (_, found, _) = run(&other, &["memory", "search", "how long is a build?"]);
    assert!(found.contains("6 minutes"), "it is found by meaning at once: {found}");
}

#[test]
fn x15_with_a_message_its_line_of_the_prompt_goes_and_the_others_stay() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    run(&home, &["chat", "ada", "my locker is 123", "--base-url", &endpoint.base_url()]);
    home.write("data/history.txt", "#V2\nmy locker is 123\nhello\n");
    let (code, out, err) = run(&home, &["memory", "forget", "msg:1", "--yes"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("the lines the prompt kept"), "{out}");
    assert_eq!(std::fs::read_to_string(home.path().join("data/history.txt")).unwrap(), "#V2\nhello\n");
    let (code, _, err) = run(&home, &["memory", "forget", "--older-than", "1d", "--yes"]);
    assert_eq!(code, 0, "{err}");
    assert!(home.path().join("data/history.txt").exists(), "no message is that old");
}
