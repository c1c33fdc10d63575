//! Tests `greenroom config` and settings: their origins, and secrets that stay hidden.

use std::process::Stdio;

use greenroom_tests::{Answer, Home, MockEndpoint};

use crate::{greenroom, parts, run};

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

/// `eprintln!` panics here: a mistake in a file once ended the server with exit code 101.
#[cfg(unix)]
#[test]
fn s10_standard_error_that_nobody_reads_ends_nothing() {
    let home = Home::new();
    home.write("greenroom.toml", "[model]\ntemprature = 1\n");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = greenroom(&home, &["config", "show"]).stderr(writer).output().unwrap();
    let (code, out, _) = parts(&output);
    assert_eq!(code, 2, "the settings are wrong");
    assert!(out.contains("model.temperature"), "{out}");
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
fn a_persona_s_own_settings_are_shown_where_it_is_named() {
    let home = Home::new();
    home.write("personas/zoe.md", "---\nmodel: { temperature: 0.3 }\n---\nYou are Zoe.\n");
    let (code, out, _) = run(&home, &["config", "show", "zoe"]);
    assert_eq!(code, 0);
    let line = out.lines().find(|line| line.starts_with("model.temperature")).unwrap();
    assert!(line.contains("0.3") && line.ends_with("zoe.md:2"), "{line}");
    assert_eq!(run(&home, &["config", "show", "nobody"]).0, 2);
}
