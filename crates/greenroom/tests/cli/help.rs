//! Tests the help, and the errors for invalid command lines.

use greenroom_tests::Home;
use insta::assert_snapshot;

use std::process::Stdio;

use crate::{greenroom, run};

#[test]
fn the_help_says_what_there_is() {
    let help = |command: &[&str]| {
        let (code, out, err) = run(&Home::new(), &[command, &["--help"]].concat());
        assert_eq!(code, 0, "{err}");
        out
    };
    assert_snapshot!("greenroom", help(&[]));
    assert_snapshot!("chat", help(&["chat"]));
    assert_snapshot!("mcp", help(&["mcp"]));
    assert_snapshot!("memory", help(&["memory"]));
    assert_snapshot!("memory_add", help(&["memory", "add"]));
    assert_snapshot!("memory_event", help(&["memory", "event"]));
    assert_snapshot!("memory_forget", help(&["memory", "forget"]));
    assert_snapshot!("memory_import", help(&["memory", "import"]));
    assert_snapshot!("room", help(&["room"]));
    assert_snapshot!("eval_recall", help(&["eval", "recall"]));
    assert_snapshot!("eval_floor", help(&["eval", "floor"]));
}

#[test]
fn without_a_command_there_is_help() {
    let (code, out, err) = run(&Home::new(), &[]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("Usage: greenroom"), "{err}");
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
    for level in ["loud", "degub", "info,degub"] {
        let (code, _, err) = run(&home, &["memory", "list", "--log", level]);
        assert!(code == 2 && err.contains("the levels are error, warn, info, debug, trace"), "{err}");
    }
    assert_eq!(run(&home, &["memory", "list", "--log", "warn,greenroom=debug"]).0, 0);
}

#[test]
fn the_help_has_the_colours_of_the_flag() {
    let home = Home::new();
    for (color, is_colored) in [("always", true), ("never", false)] {
        let (code, out, err) = run(&home, &["--color", color, "memory", "--help"]);
        assert_eq!((code, out.contains('\x1b')), (0, is_colored), "{color} {err}");
    }
}

#[test]
fn the_completions_and_the_manual_know_every_command() {
    let home = Home::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let (code, script, err) = run(&home, &["completions", shell]);
        assert_eq!((code, err.as_str()), (0, ""), "{shell}");
        assert!(script.contains("serve") && script.contains("forget"), "{shell}: {script}");
    }
    let pages = home.path().join("pages");
    let (code, out, err) = run(&home, &["man", &pages.to_string_lossy()]);
    assert_eq!((code, out.as_str(), err.as_str()), (0, "", ""));
    for page in ["greenroom.1", "greenroom-chat.1", "greenroom-memory-forget.1"] {
        let text = std::fs::read_to_string(pages.join(page)).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{page}: {text}");
    }
    assert!(!pages.join("greenroom-man.1").exists(), "a hidden command has no page");
}

/// A closed output ends the program without a panic.
#[test]
fn output_that_nobody_reads_any_more_is_no_panic() {
    let home = Home::new();
    assert_eq!(run(&home, &["sim", "new", "opinions", "opinions"]).0, 0);
    for arguments in [
        &["sim", "new"][..],
        &["sim", "check", "--schema"],
        &["sim", "run", "opinions/scenario.toml", "--set", "population.steps=1"],
        &["config", "show"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = greenroom(&home, arguments).stdin(Stdio::null()).stdout(writer).output().unwrap();
        let told = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success() && !told.contains("panicked"), "{arguments:?}: {told}");
    }
}

#[test]
fn help_of_a_command_can_be_asked_for_before_it() {
    let home = Home::new();
    assert_eq!(run(&home, &["help", "memory", "forget"]), run(&home, &["memory", "forget", "--help"]));
    assert_eq!(run(&home, &["help"]), run(&home, &["--help"]));
}
