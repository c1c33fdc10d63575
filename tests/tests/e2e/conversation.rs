//! What a newcomer does first: talk, leave, come back.

use greenroom_tests::Answer;
use serde_json::json;

use crate::support::{Stage, whole};

#[test]
fn as13_the_second_process_remembers_what_the_first_was_told() {
    let stage = Stage::new();
    stage.ok(&["chat", "Remember that I prefer concise responses"]);
    stage.ok(&["chat", "What communication style do I prefer?"]);
    let request = stage.last_request();
    let (role, system) = &request[0];
    assert_eq!(role, "system");
    let memories = system.split("## Relevant Memories").nth(1).expect("a memory block");
    assert!(memories.contains("prefer concise responses"), "{memories}");
}

#[test]
fn as7_what_the_model_remembers_by_its_tool_is_there_in_the_next_process() {
    let stage = Stage::new();
    stage
        .endpoint
        .push(Answer::tool_call("remember", &json!({ "content": "The launch is on the ninth of May" })));
    stage.endpoint.push(Answer::text("Noted."));
    let run = stage.ok(&["chat", "We launch on the ninth of May"]);
    assert_eq!(run.stdout, "Noted.\n");
    // nobody ever said it in these words, so it can only come from the memory
    stage.ok(&["chat", "When is the launch?"]);
    let request = whole(&stage.last_request());
    assert!(request.contains("The launch is on the ninth of May"), "{request}");
    let listed = stage.ok(&["memory", "list"]).stdout;
    assert!(listed.contains("The launch is on the ninth of May"), "{listed}");
}

#[test]
fn as6_history_survives_a_restart_and_keeps_its_order() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::text("First reply."));
    stage.ok(&["chat", "ada", "first question"]);
    stage.ok(&["chat", "ada", "second question"]);
    let said: Vec<_> = stage.last_request().into_iter().skip(1).collect();
    let expected = [("user", "first question"), ("assistant", "First reply."), ("user", "second question")];
    assert_eq!(said, expected.map(|(role, text)| (role.to_owned(), text.to_owned())));
}

#[test]
fn the_reply_alone_goes_to_standard_output() {
    let stage = Stage::new();
    stage.endpoint.push(Answer::text("Forty-two."));
    let run = stage.ok(&["chat", "ada", "What is six times seven?"]);
    assert_eq!(run.stdout, "Forty-two.\n");
    assert!(run.stderr.contains("mock"), "the first line names the model: {}", run.stderr);
    assert!(run.stderr.contains(&stage.endpoint.base_url()), "and the endpoint: {}", run.stderr);
}

#[test]
fn bd5_events_come_in_the_order_of_the_architecture() {
    let stage = Stage::new();
    stage.ok(&["memory", "add", "The user likes Python"]);
    stage.endpoint.push(Answer::tool_call("recall", &json!({ "query": "languages" })));
    stage.endpoint.push(Answer::text("Python it is."));
    let run = stage.ok(&["chat", "--json", "Which programming language do I like, Python?"]);
    let kinds: Vec<_> = run.events().iter().map(|e| e["type"].as_str().unwrap().to_owned()).collect();
    let mut seen = kinds.clone();
    seen.dedup();
    assert_eq!(
        seen,
        [
            "turn_started",
            "memory_context",
            "context_assembled",
            "tool_call",
            "tool_result",
            "token_delta",
            "done"
        ]
    );
    let turns: std::collections::BTreeSet<_> =
        run.events().iter().map(|e| e["turn_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(turns.len(), 1, "one turn");
    assert_eq!(kinds.iter().filter(|k| *k == "memory_context").count(), 1, "bd10: recalled once");
}

#[test]
fn lines_from_a_pipe_are_messages() {
    let stage = Stage::new();
    for reply in ["one", "two", "three"] {
        stage.endpoint.push(Answer::text(reply));
    }
    let run = stage.run_with_input(&["chat", "ada"], "a\nb\nc\n");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout, "one\ntwo\nthree\n");
    assert_eq!(stage.endpoint.chats().len(), 3);
}

#[test]
fn context_shows_the_receipt_and_calls_no_model() {
    let stage = Stage::new();
    stage.ok(&["memory", "add", "The build takes six minutes"]);
    let run = stage.ok(&["context", "ada", "How long does the build take?"]);
    assert!(run.stdout.contains("The build takes six minutes"), "{}", run.stdout);
    let json = stage.ok(&["context", "ada", "How long does the build take?", "--json"]).stdout;
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let total = value["receipt"]["budget"]["total_tokens"].as_u64().unwrap();
    assert!(total > 0);
    assert_eq!(stage.endpoint.chats().len(), 0, "no model was called");
    let run = stage.ok(&["chat", "ada", "Hello"]);
    assert_eq!(run.stdout, "ok\n");
    let said = stage.last_request();
    assert_eq!(said.len(), 2, "nothing of `context` was stored: {said:?}");
}

#[test]
fn bd6_no_memory_switches_recall_off_for_a_run() {
    let stage = Stage::new();
    stage.ok(&["memory", "add", "The user likes Python"]);
    stage.ok(&["chat", "--no-memory", "Do I like Python?"]);
    assert!(!whole(&stage.last_request()).contains("Relevant Memories"));
    stage.ok(&["chat", "Do I like Python?"]);
    assert!(whole(&stage.last_request()).contains("The user likes Python"));
}

#[test]
fn bd7_the_settings_switch_recall_off_everywhere() {
    let stage = Stage::new();
    stage.ok(&["memory", "add", "The user likes Python"]);
    stage.home.write("greenroom.toml", "[memory]\nauto_retrieve = false\n");
    stage.ok(&["chat", "Do I like Python?"]);
    assert!(!whole(&stage.last_request()).contains("Relevant Memories"));
}
