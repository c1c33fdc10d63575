//! Two processes on one data directory, and files that change while a chat runs.

use greenroom_tests::Answer;

use crate::support::{Stage, whole};

#[test]
fn a_memory_added_beside_a_running_chat_is_seen_by_it() {
    let stage = Stage::new();
    let mut live = stage.live(&["chat", "ada"]);
    live.say("Hello");
    live.event_of("done");
    stage.ok(&["memory", "add", "The user's boat is called Petrel"]);
    live.say("What is my boat called?");
    live.event_of("done");
    assert!(whole(&stage.last_request()).contains("The user's boat is called Petrel"));
    assert_eq!(live.finish().code, Some(0));
}

#[test]
fn a_second_owner_of_a_channel_is_refused_and_another_channel_is_free() {
    let stage = Stage::new();
    let mut live = stage.live(&["chat", "ada"]);
    live.say("Hello");
    live.event_of("done");
    let second = stage.run(&["chat", "ada", "Hello from beside"]);
    assert_eq!(second.code, Some(4), "{}", second.stderr);
    assert!(second.stderr.contains("--channel"), "the remedy: {}", second.stderr);
    assert!(second.stderr.contains(&live.child.id().to_string()), "who it is: {}", second.stderr);
    stage.ok(&["chat", "ada", "Hello from elsewhere", "--channel", "terminal:elsewhere"]);
    assert_eq!(live.finish().code, Some(0));
    stage.ok(&["chat", "ada", "Now it is free"]);
}

#[test]
fn a_persona_that_is_removed_while_live_says_so() {
    let stage = Stage::new();
    let file = stage.home.write("personas/bo.md", "---\nname: bo\n---\nYou are Bo.\n");
    let mut live = stage.live(&["chat", "bo", "--personas", "personas"]);
    live.say("Hello");
    live.event_of("done");
    std::fs::remove_file(file).unwrap();
    // the change is noticed in its own time: ask until it is
    let mut asked = 0;
    let code = loop {
        asked += 1;
        assert!(asked < 200, "the removal was never noticed");
        live.say("Are you still there?");
        let end = loop {
            let event = live.event();
            if ["done", "failed"].contains(&event["type"].as_str().unwrap()) {
                break event;
            }
        };
        if end["type"] == "failed" {
            break end["code"].as_str().unwrap().to_owned();
        }
    };
    assert_eq!(code, "persona_stopped");
}

#[test]
fn a_changed_persona_file_takes_effect_while_chatting() {
    let stage = Stage::new();
    let text = |prompt: &str| format!("---\nname: bo\n---\n{prompt}\n");
    stage.home.write("personas/bo.md", &text("You are Bo, who is calm."));
    let mut live = stage.live(&["chat", "bo", "--personas", "personas"]);
    live.say("Hello");
    live.event_of("done");
    assert!(whole(&stage.last_request()).contains("who is calm"));
    stage.home.write("personas/bo.md", &text("You are Bo, who is furious."));
    for asked in 0.. {
        assert!(asked < 200, "the change was never noticed");
        live.say("And now?");
        live.event_of("done");
        if whole(&stage.last_request()).contains("who is furious") {
            break;
        }
    }
    assert_eq!(live.finish().code, Some(0));
}

#[test]
fn two_personas_answer_in_one_channel_when_both_are_called() {
    let stage = Stage::new();
    stage.home.write("personas/bo.md", "---\nname: bo\n---\nYou are Bo.\n");
    stage.home.write("personas/cy.md", "---\nname: cy\n---\nYou are Cy.\n");
    stage.endpoint.push(Answer::text("Bo speaks."));
    stage.endpoint.push(Answer::text("Cy speaks."));
    let run = stage.ok(&["chat", "bo", "What do you two think, @cy?", "--personas", "personas", "--json"]);
    let done: Vec<_> = run
        .events()
        .into_iter()
        .filter(|e| e["type"] == "done")
        .map(|e| (e["persona"].as_str().unwrap().to_owned(), e["text"].as_str().unwrap().to_owned()))
        .collect();
    let expected = [("bo", "Bo speaks."), ("cy", "Cy speaks.")];
    assert_eq!(done, expected.map(|(who, what)| (who.to_owned(), what.to_owned())));
    assert!(whole(&stage.last_request()).contains("Bo speaks."), "the second heard the first");
}
