//! Tests `greenroom room`: members, quiet and limits without a server, and a room in the terminal.

use std::{io::Write, process::Stdio};

use greenroom_tests::{Answer, Home, MockEndpoint};

use crate::{greenroom, parts, run};

#[test]
fn rm1_a_room_is_filled_listed_and_explained() {
    let home = Home::new();
    for args in [["room", "invite", "api:tea", "ada"], ["room", "invite", "api:tea", "wick"]] {
        let (code, _, err) = run(&home, &args);
        assert_eq!(code, 0, "{err}");
    }
    assert_eq!(run(&home, &["room", "leave", "api:tea", "wick"]).0, 0);
    let (code, out, err) = run(&home, &["room", "explain", "api:tea"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("Ada") && out.contains("invited") && !out.contains("Wick"), "{out}");
    assert!(out.contains("at most 4 replies and 131072 tokens follow"), "{out}");
    let (code, _, err) = run(&home, &["room", "quiet", "api:tea", "--for", "1h"]);
    assert_eq!(code, 0, "{err}");
    let (_, out, _) = run(&home, &["room", "explain", "api:tea", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(told["quiet_until"].is_i64(), "{told}");
    assert_eq!(told["members"][0]["via"], "invited");
    assert_eq!(run(&home, &["room", "quiet", "api:tea", "--off"]).0, 0);
    assert_eq!(run(&home, &["room", "list"]).0, 0);
    let (code, _, err) = run(&home, &["room", "invite", "api:tea", "wik"]);
    assert!(code == 2 && err.contains("did you mean wick?"), "{err}");
}

#[test]
fn rm5_the_settings_bound_a_room() {
    let home = Home::new();
    let settings = "[room]\nchain = 3\n[[channels]]\nmatch = \"api:t*\"\nmembers = [\"ada\"]\ntokens_per_answer = 1000\n";
    home.write("greenroom.toml", settings);
    let (code, out, err) = run(&home, &["room", "explain", "api:tea"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("at most 3 replies and 3000 tokens follow"), "{out}");
    let (_, out, _) = run(&home, &["room", "explain", "api:other"]);
    assert!(out.contains("at most 3 replies and 98304 tokens follow"), "{out}");
}

#[test]
fn rm4_a_room_in_the_terminal_shows_what_personas_say_to_each_other() {
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    for text in ["Ask @wick, he was there.", "I was, and I saw nothing."] {
        endpoint.push(Answer::text(text));
    }
    let url = endpoint.base_url();
    let mut child =
        greenroom(&home, &["chat", "--room", "tea", "ada", "wick", "--base-url", &url, "--model", "m"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
    let lines = "ada: who took the spoon?\n/who\n/why 1\n/leave Wick\n/invite nobody\n/quiet\n/quiet off\n";
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let (_, out, err) = parts(&child.wait_with_output().unwrap());
    assert!(
        out.contains("Ada: Ask @wick, he was there.") && out.contains("I was, and I saw nothing."),
        "{out} {err}"
    );
    for said in [
        "channel terminal:tea",
        "answers first: named at the beginning",
        "Wick has left",
        "there is no persona",
    ] {
        assert!(err.contains(said), "{said} in {err}");
    }
}
