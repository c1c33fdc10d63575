//! Logs: with the ids of the turn they are about, and without what was said in it.

use greenroom_tests::Answer;
use serde_json::Value;

use crate::support::{CANARY, Server, Start};

/// What a server logs of a turn that goes well and one that fails.
fn logged(arguments: &[&str]) -> String {
    let mut server = Server::start_with(&Start { arguments, ..Start::default() });
    server.endpoint.push(Answer::text("Hello there"));
    server.say("The crane at the harbour needs new paint");
    server.endpoint.push(Answer::error(401, "no such key"));
    server.say("Another secret");
    server.signal("TERM");
    assert_eq!(server.ended().code(), Some(0));
    server.stderr.all()
}

#[test]
fn lines_of_json_have_the_ids_of_their_turn() {
    let said = logged(&["--log", "info", "--log-format", "json"]);
    let lines: Vec<Value> = said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let failed = lines.iter().find(|line| line["message"] == "a turn failed").expect(&said);
    let turn = failed["spans"].as_array().unwrap().iter().find(|span| span["name"] == "turn").expect(&said);
    assert_eq!((turn["persona"].as_str(), turn["channel"].as_str()), (Some("ada"), Some("api:test")));
    assert_eq!(turn["turn_id"].as_str().map(str::len), Some(36));
    assert!(failed["timestamp"].is_string() && failed["level"] == "INFO", "{failed}");

    let done: Vec<&Value> = lines.iter().filter(|line| line["message"] == "a turn is done").collect();
    let [done] = done[..] else { panic!("{said}") };
    assert_eq!((&done["prompt_tokens"], &done["completion_tokens"]), (&10.into(), &5.into()), "{done}");
    assert!(done["ms"].is_u64() && done["level"] == "INFO", "{done}");
    let turn = done["spans"].as_array().unwrap().iter().find(|span| span["name"] == "turn").expect(&said);
    assert_eq!((turn["persona"].as_str(), turn["channel"].as_str()), (Some("ada"), Some("api:test")));
    assert_eq!(turn["turn_id"].as_str().map(str::len), Some(36));

    // the sitting is summed up when the server ends
    let captured = lines.iter().find(|line| line["message"] == "captured").expect(&said);
    assert_eq!(captured["spans"][0]["turn_id"], turn["turn_id"], "{captured}");
}

#[test]
fn lines_of_text_have_the_ids_of_their_turn() {
    let said = logged(&["--log", "info"]);
    let failed = said.lines().find(|line| line.contains("a turn failed")).expect(&said);
    assert!(failed.contains("persona=ada") && failed.contains("channel=api:test"), "{failed}");
}

#[test]
fn x5_no_line_holds_a_key_or_what_was_said() {
    let said = logged(&["--log", "greenroom=trace,greenroom_runtime=trace,greenroom_server=trace,info"]);
    assert!(said.contains("a turn failed"), "{said}");
    for secret in [CANARY, "secret", "harbour", "Hello there", "You are Ada"] {
        assert!(!said.contains(secret), "{secret} in {said}");
    }
}
