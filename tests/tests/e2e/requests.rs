//! What an endpoint is sent: the order of the sections, and what must never be in a request.

use greenroom_tests::Answer;
use serde_json::Value;

use crate::support::{Stage, messages, whole};

#[test]
fn wb1_system_prompt_project_memories_and_history_stand_in_this_order() {
    let stage = Stage::new();
    std::fs::create_dir_all(stage.home.path().join("project/.git")).unwrap();
    stage.home.write("project/AGENTS.md", "Use tabs, never spaces.\n");
    stage.ok(&["memory", "add", "The user's editor is Helix"]);
    stage.ok(&["chat", "ada", "An older question"]);
    stage.ok(&["chat", "ada", "Which editor do I use?", "--project", "project"]);
    let request = whole(&stage.last_request());
    let places: Vec<_> =
        ["You are Ada", "Use tabs, never spaces", "editor is Helix", "An older question", "Which editor"]
            .map(|part| request.find(part).unwrap_or_else(|| panic!("no {part} in {request}")))
            .to_vec();
    assert!(places.is_sorted(), "{places:?} in {request}");
}

#[test]
fn wb7_no_memory_of_another_channel_or_persona_is_sent() {
    let stage = Stage::new();
    stage.home.write("personas/bo.md", "---\nname: bo\n---\nYou are Bo.\n");
    for (text, place) in [
        ("the secret word is heron", vec!["--channel", "terminal:other"]),
        ("the secret word is otter", vec!["--persona", "bo"]),
        ("the secret word is walrus", vec!["--persona", "bo", "--global"]),
        ("the secret word is lynx", vec!["--global"]),
    ] {
        let mut arguments = vec!["memory", "add", text, "--personas", "personas"];
        arguments.extend(place);
        stage.ok(&arguments);
    }
    // what one tells follows oneself (MP1), unless it is kept in its channel
    stage.home.write("greenroom.toml", "[memory]\nfollow = \"channel\"\n");
    stage.ok(&["chat", "ada", "the secret word is badger", "--channel", "terminal:third"]);
    stage.ok(&["chat", "ada", "What is the secret word?"]);
    let request = whole(&stage.last_request());
    assert!(request.contains("lynx"), "what is global to the persona is there: {request}");
    for foreign in ["heron", "otter", "walrus", "badger"] {
        assert!(!request.contains(foreign), "{foreign} leaked: {request}");
    }
}

#[test]
fn bd3_what_falls_below_the_threshold_is_not_sent() {
    let stage = Stage::new();
    let settings = "[memory.knowledge]\nthreshold = 0.5\nlimit = 3\n[memory.messages]\nlimit = 0\n";
    stage.home.write("greenroom.toml", settings);
    stage.ok(&["memory", "add", "Bananas ripen faster next to apples"]);
    stage.ok(&["memory", "add", "The user likes the programming language Python"]);
    stage.ok(&["chat", "Which programming language do I like?"]);
    let request = whole(&stage.last_request());
    assert!(request.contains("Python"), "{request}");
    assert!(!request.contains("Bananas"), "{request}");
}

#[test]
fn bd9_an_empty_memory_leaves_the_request_as_without_one() {
    let with = Stage::new();
    with.ok(&["chat", "ada", "Hello"]);
    let without = Stage::new();
    without.ok(&["chat", "ada", "Hello", "--no-memory"]);
    assert_eq!(with.last_request(), without.last_request());
}

/// Tokens of a request the way OpenAI's cookbook counts them, tool schemas included.
fn tokens(request: &Value) -> usize {
    let bpe = bpe_openai::o200k_base();
    let count = |text: &str| bpe.count(text);
    let of_messages: usize =
        messages(request).iter().map(|(role, content)| 3 + count(role) + count(content)).sum();
    let calls: usize = request["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|m| !m["tool_calls"].is_null())
        .map(|m| count(&m["tool_calls"].to_string()))
        .sum();
    let tools = if request["tools"].is_null() { 0 } else { count(&request["tools"].to_string()) };
    3 + of_messages + calls + tools
}

#[test]
fn gr4_no_request_of_a_long_chat_exceeds_the_window_and_the_newest_history_is_kept() {
    const WINDOW: usize = 1_500;
    let stage = Stage::new();
    let front = format!(
        "---\nname: tight\nmodel: {{ name: gpt-4o-mini, context_window: {WINDOW}, max_output_tokens: 300 }}\n\
         memory: {{ summarise_history: false }}\n---\nYou are Tight.\n"
    );
    stage.home.write("personas/tight.md", &front);
    let words = [
        "naïve",
        "façade",
        "日本語",
        "🦀",
        "0123456789",
        "{\"a\":[1,2]}",
        "window",
        "budget",
        "\\u0000",
        "——",
    ];
    let mut lines = Vec::new();
    for n in 0..120_usize {
        let length = 1 + (n * 37) % 90;
        let text: Vec<_> = (0..length).map(|k| words[(n * 7 + k * 3) % words.len()]).collect();
        lines.push(format!("line {n} {}", text.join(" ")));
        stage.endpoint.push(Answer::text(&format!("reply {n} {}", text[..length / 2].join(" "))));
    }
    let run = stage.run_with_input(&["chat", "tight", "--personas", "personas"], &(lines.join("\n") + "\n"));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let chats = stage.endpoint.chats();
    assert_eq!(chats.len(), lines.len());
    for (n, request) in chats.iter().enumerate() {
        let reserve = request["max_tokens"].as_u64().unwrap_or(300) as usize;
        let total = tokens(request) + reserve;
        assert!(total <= WINDOW, "request {n} takes {total} of {WINDOW} tokens");
        let said = messages(request);
        assert_eq!(said.last().unwrap().1, lines[n], "the newest message is there");
        let history: Vec<_> = said.iter().skip(1).map(|(_, text)| text.clone()).collect();
        let all: Vec<_> =
            (0..=n).flat_map(|k| [lines[k].clone(), format!("reply {k}")]).take(2 * n + 1).collect();
        let tail = &all[all.len() - history.len()..];
        let matches = history.iter().zip(tail).all(|(have, want)| have.starts_with(want.as_str()));
        assert!(matches, "request {n} holds the newest messages without a gap");
    }
}
