//! Greenroom as an MCP server, with the official SDK as the host.

use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use greenroom_tests::greenroom;
use serde_json::{Value, json};

use crate::support::{Running, Stage, host};

/// What a host does with a memory, and what has to come of it.
fn remembers(stage: &Stage, server: &Value) {
    let calls = json!([
        ["remember", { "content": "The harbour opens at six", "category": "fact" }],
        ["recall", { "query": "when does the harbour open" }],
        ["list", {}],
        ["forget", { "query": "harbour" }],
        ["list", {}],
        ["remember", { "content": "" }],
    ]);
    let said = host(stage, server, &calls);
    assert_eq!(said["server"], "greenroom");
    assert!(said["instructions"].as_str().unwrap().contains("memory of ada"), "{said}");
    let tools: Vec<&String> = said["tools"].as_object().unwrap().keys().collect();
    assert_eq!(tools, ["forget", "list", "recall", "remember"]);
    assert_eq!(said["tools"]["recall"]["required"], json!(["query"]));
    let results = said["results"].as_array().unwrap();
    let text = |n: usize| results[n]["text"].as_str().unwrap();
    assert!(text(0).starts_with("Remembered as m"), "{}", text(0));
    assert!(text(1).contains("The harbour opens at six"), "{}", text(1));
    assert!(text(2).contains("The harbour opens at six"), "{}", text(2));
    assert!(text(3).starts_with("Forgot m"), "{}", text(3));
    assert_eq!(text(4), "Nothing is remembered here yet.");
    assert_eq!(
        (&results[5]["ok"], text(5)),
        (&json!(false), "invalid arguments for remember: `content` is empty")
    );
}

/// `greenroom serve`, and where it listens.
fn serve(stage: &Stage) -> (String, Running) {
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = lines.find(|line| line.as_ref().unwrap().contains("http://")).expect("an address").unwrap();
    std::thread::spawn(move || lines.for_each(drop));
    (line[line.find("http://").unwrap()..].trim().to_owned(), Running(child))
}

#[test]
fn a_host_uses_a_memory_over_standard_input_and_output() {
    let stage = Stage::new();
    for (mode, command) in [("auto", ["mcp", "ada"].as_slice()), ("legacy", &["mcp", "serve", "ada"])] {
        let command: Vec<Value> =
            [json!(greenroom())].into_iter().chain(command.iter().map(|word| json!(word))).collect();
        remembers(&stage, &json!({ "command": command, "mode": mode }));
    }
}

#[test]
fn a_host_uses_a_memory_over_http() {
    let stage = Stage::new();
    let (address, _server) = serve(&stage);
    for (path, mode) in [("/mcp", "auto"), ("/mcp/ada", "legacy"), ("/mcp?persona=ada", "auto")] {
        remembers(&stage, &json!({ "url": format!("{address}{path}"), "mode": mode }));
    }
}

#[test]
fn x6_what_a_host_writes_in_a_channel_is_seen_there_alone_and_says_where_it_came_from() {
    let stage = Stage::new();
    let at = |place: &[&str]| {
        let command: Vec<Value> = [json!(greenroom()), json!("mcp"), json!("ada")]
            .into_iter()
            .chain(place.iter().map(|word| json!(word)))
            .collect();
        json!({ "command": command })
    };
    let here = at(&["--channel", "terminal:default"]);
    host(&stage, &here, &json!([["remember", { "content": "The cellar floods in spring" }]]));
    // B3: without a seat a host has a place of its own, and no chat shows what it wrote
    host(&stage, &at(&[]), &json!([["remember", { "content": "Tea is served at four" }]]));

    let listed = |server: &Value| {
        let said = host(&stage, server, &json!([["list", {}]]));
        said["results"][0]["text"].as_str().unwrap().to_owned()
    };
    let (seen_here, seen_elsewhere) = (listed(&here), listed(&at(&["--channel", "irc:garden"])));
    assert!(
        seen_here.contains("\"The cellar floods in spring\"") && !seen_here.contains("Tea"),
        "{seen_here}"
    );
    assert_eq!(seen_elsewhere, "Nothing is remembered here yet.");
    assert!(listed(&at(&[])).contains("\"Tea is served at four\""), "in quotes, as a stranger's word is");

    let memories = stage.ok(&["memory", "list", "--persona", "ada", "--json"]);
    let memories: Vec<Value> = serde_json::from_str(&memories.stdout).unwrap();
    for memory in &memories {
        assert_eq!(
            (&memory["source"]["via"], &memory["trust"]),
            (&json!("mcp"), &json!("stranger")),
            "{memory}"
        );
    }
    assert_eq!(memories.len(), 1, "the place of a host without a seat is no chat's");

    // the operator's own word is not a host's to take back
    stage.ok(&["memory", "add", "The vault is locked", "--persona", "ada", "--global"]);
    let said = host(&stage, &at(&[]), &json!([["forget", { "query": "vault" }]]));
    assert_eq!(said["results"][0]["text"], "There is no such memory.");
}

#[test]
fn standard_output_is_the_protocol_s_alone_and_the_end_of_input_is_the_end() {
    let stage = Stage::new();
    let mut child = stage
        .command(&["mcp", "ada", "--log", "debug"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let about = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about });
    let mut stdin = child.stdin.take().unwrap();
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
    ] {
        writeln!(stdin, "{message}").unwrap();
    }
    let mut stdout = BufReader::new(child.stdout.take().unwrap()).lines();
    for id in [1, 2] {
        let line: Value = serde_json::from_str(&stdout.next().unwrap().unwrap()).unwrap();
        assert_eq!((&line["jsonrpc"], &line["id"]), (&json!("2.0"), &json!(id)), "{line}");
    }
    drop(stdin);
    assert!(stdout.next().is_none());
    assert!(child.wait().unwrap().success());

    let nothing = stage.run(&["mcp"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(0), ""), "{}", nothing.stderr);
}
