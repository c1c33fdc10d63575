//! The first evening: no key, no server, no settings file. The weights are the real ones, fetched as
//! a newcomer's are.

use std::process::Stdio;

use greenroom_tests::{Home, greenroom};

use crate::support::Run;

/// Says something to the built-in model. Named outright, so that a model server on the machine of
/// whoever runs the tests does not answer instead.
fn say(home: &Home, message: &str) -> Run {
    let mut command = home.command(greenroom());
    command.args(["chat", "--base-url", "builtin", message]).stdin(Stdio::null());
    let run: Run = command.output().unwrap().into();
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    run
}

#[test]
fn as13_the_built_in_model_is_fetched_once_answers_and_uses_what_it_was_told() {
    let home = Home::new();
    let first = say(&home, "Remember that I prefer concise responses");
    assert!(first.stderr.contains("demonstration"), "it says what it is: {}", first.stderr);
    assert!(first.stderr.contains("remembered as m1"), "{}", first.stderr);
    assert!(!first.stdout.trim().is_empty());

    let second = say(&home, "What communication style do I prefer?");
    assert!(!second.stderr.contains("pip"), "nothing is fetched twice: {}", second.stderr);
    assert!(
        second.stderr.contains("I prefer concise responses"),
        "it says what was recalled: {}",
        second.stderr
    );
    assert!(second.stdout.to_lowercase().contains("concise"), "and uses it: {}", second.stdout);
}
