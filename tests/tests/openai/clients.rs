//! The clients people have, with their default settings: base URL, key and model are all they are given.

use std::path::{Path, PathBuf};

use greenroom_tests::Answer;
use serde_json::{Map, Value, json};

use crate::support::Served;

/// Where `scripts/test` puts the clients.
fn tools(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools").join(name);
    assert!(directory.is_dir(), "{name} is missing: run scripts/test, it installs it");
    directory
}

/// Runs a script of a client to its end; what it said, all in one object.
fn run(served: &Served, script: &str, packages: &str, more: &[&str]) -> Map<String, Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/openai/clients").join(script);
    let packages = tools(packages);
    let python = script.extension().is_some_and(|kind| kind == "py");
    let mut command = served.home.command(if python { "python3" } else { "node" });
    command.arg(&script).arg(served.address()).args(more);
    if python {
        command.env("PYTHONPATH", &packages).env("PYTHONDONTWRITEBYTECODE", "1");
    } else {
        command.arg(&packages);
    }
    let run = command.output().unwrap();
    let (said, why) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{}\n{said}{why}", script.display());
    let line = |line: &str| serde_json::from_str::<Map<String, Value>>(line).expect(line);
    // some libraries say more than they are asked
    said.lines().filter(|line| line.starts_with('{')).flat_map(line).collect()
}

/// A call of the tool that the scripts bring.
fn weather() -> Answer {
    Answer::tool_call("weather", &json!({ "place": "Oslo" }))
}

/// The answers of a script: so many times `ok`, a call, and then `ok` again.
fn a_call_after(served: &Served, count: usize) {
    for _ in 0..count {
        served.endpoint.push(Answer::text("ok"));
    }
    served.endpoint.push(weather());
}

#[test]
fn e1_openais_sdk_speaks_chats_responses_completions_and_vectors() {
    let served = Served::new();
    a_call_after(&served, 7);
    let said = run(&served, "with_openai.py", "openai", &[]);
    for whole in [
        "chat",
        "chat_streamed",
        "response",
        "response_streamed",
        "final",
        "completion",
        "completion_streamed",
        "after_call",
        "bound",
    ] {
        assert_eq!(said[whole], "ok", "{whole}: {said:?}");
    }
    assert_eq!(said["models"], said["models_below"]);
    assert!(said["models"].as_array().unwrap().contains(&json!("ada")));
    assert_eq!((&said["status"], &said["id"]), (&json!("completed"), &json!("resp_")));
    let events = [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ];
    assert_eq!(said["events"], json!(events));
    assert_eq!(said["numbers"], json!((0..9).collect::<Vec<_>>()));
    assert_eq!((&said["length"], &said["same"], &said["vectors"]), (&json!(1.0), &json!(true), &json!(2)));
    assert_eq!(said["call"], json!(["function_call", "weather", { "place": "Oslo" }]));
    assert_eq!((&said["store"], &said["previous"]), (&json!(true), &json!(true)));

    let refused: Vec<_> = said["refused"].as_array().unwrap().iter().collect();
    let short: Vec<Value> = refused.iter().map(|why| json!([why[0], why[1], why[2]])).collect();
    let bad = |param: &str| json!(["BadRequestError", 400, param]);
    assert_eq!(
        short,
        [
            bad("previous_response_id"),
            json!(["NotFoundError", 404, "previous_response_id"]),
            bad("tools[0]"),
            json!(["NotFoundError", 404, "model"]),
            bad("model"),
            bad("input"),
            bad("dimensions"),
            bad("prompt"),
        ]
    );
    assert!(refused[0][3].as_str().unwrap().contains("ada@den"), "it says what to do: {}", refused[0][3]);
    assert!(refused[3][3].as_str().unwrap().contains("ada"), "it names who there is: {}", refused[3][3]);

    let sent = served.last_messages();
    assert_eq!(sent.last().unwrap(), "user: And the dog?");
    assert!(
        sent.iter().any(|line| line == "user: Where is the key?"),
        "it is the channel's conversation: {sent:?}"
    );
}

#[test]
fn e1_anthropics_sdk_speaks_messages() {
    let served = Served::new();
    let key = served.greenroom(&["key", "create", "--role", "operator"]);
    a_call_after(&served, 3);
    served.endpoint.push(Answer::text("ok"));
    served.endpoint.push(Answer::tool_call("weather_of", &json!({ "place": "Oslo" })));
    let said = run(&served, "with_anthropic.py", "clients", &[key.trim()]);
    for whole in ["text", "streamed", "after_call", "bound"] {
        assert_eq!(said[whole], "ok", "{whole}: {said:?}");
    }
    assert_eq!(
        (&said["stop"], &said["tokens"], &said["streamed_tokens"]),
        (&json!("end_turn"), &json!(10), &json!(5))
    );
    let events = [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    assert_eq!(said["events"], json!(events));
    assert!(said["models"].as_array().unwrap().contains(&json!("ada")));
    assert_eq!(said["call"], json!(["tool_use", "weather", { "place": "Oslo" }, "tool_use"]));
    // the SDK asks for a thread, is refused, and sends the whole conversation
    assert_eq!(said["runner"], json!(["tool_use", "text"]));
    assert!(said["counted"].as_u64().unwrap() > 0);
    let error = |class: &str, status: u16, kind: &str| json!([class, status, "error", kind]);
    assert_eq!(
        said["refused"],
        json!([
            error("NotFoundError", 404, "not_found_error"),
            error("BadRequestError", 400, "invalid_request_error"),
            error("BadRequestError", 400, "invalid_request_error"),
            error("AuthenticationError", 401, "authentication_error"),
        ])
    );
    let sent = served.last_messages();
    assert!(sent.iter().any(|line| line.starts_with("user: Remember that the key")), "{sent:?}");
    let first = &served.endpoint.chats()[0]["messages"][0]["content"];
    assert!(first.as_str().unwrap().contains("Be brief."), "an operator's system message: {first}");
}

#[test]
fn e1_ollamas_client_speaks_chats_prompts_and_vectors() {
    let served = Served::new();
    a_call_after(&served, 4);
    let said = run(&served, "with_ollama.py", "clients", &[]);
    for whole in ["chat", "chat_streamed", "generated", "generate_streamed", "after_call", "bound"] {
        assert_eq!(said[whole], "ok", "{whole}: {said:?}");
    }
    assert!(said["models"].as_array().unwrap().contains(&json!("ada:latest")));
    assert_eq!((&said["shown"], &said["running"]), (&json!(["completion", "tools"]), &json!(0)));
    assert_eq!(
        (&said["done"], &said["last"], &said["loaded"]),
        (&json!("stop"), &json!(true), &json!("load"))
    );
    assert_eq!(said["call"], json!(["weather", { "place": "Oslo" }]));
    assert_eq!((&said["vectors"], &said["dimension"]), (&json!(2), &said["older"]));
    let refused = said["refused"].as_array().unwrap();
    assert_eq!(refused[0], json!([404, "there is no persona `eve`; there"[..30]]));
    assert_eq!((&refused[1][0], &refused[2][0]), (&json!(400), &json!(400)));
    let sent = served.last_messages();
    assert!(sent.iter().any(|line| line.starts_with("user: Remember that the key")), "{sent:?}");
}

#[test]
fn e1_pydantic_ai_speaks_responses_with_tools_and_types() {
    let served = Served::new();
    a_call_after(&served, 3);
    served.endpoint.push(Answer::text("rain"));
    served.endpoint.push(Answer::tool_call("final_result", &json!({ "name": "Oslo" })));
    let said = run(&served, "with_pydantic_ai.py", "clients", &[]);
    for whole in ["text", "later", "streamed", "channel", "chat"] {
        assert_eq!(said[whole], "ok", "{whole}: {said:?}");
    }
    assert_eq!((&said["with_tool"], &said["typed"]), (&json!("rain"), &json!("Oslo")));
}

#[test]
fn e1_litellm_speaks_every_dialect() {
    let served = Served::new();
    let said = run(&served, "with_litellm.py", "litellm", &[]);
    for whole in ["chat", "streamed", "channel", "response", "anthropic", "ollama"] {
        assert_eq!(said[whole], "ok", "{whole}: {said:?}");
    }
    assert!(said["dimension"].as_u64().unwrap() > 0);
}

#[test]
fn e1_llama_indexs_default_takes_a_persona_as_a_tuned_model() {
    let served = Served::new();
    let said = run(&served, "with_llama_index.py", "llama-index", &[]);
    for whole in ["text", "chat", "streamed", "channel", "responses"] {
        assert_eq!(said[whole], "ok", "{whole}: {said:?}");
    }
}

#[test]
fn e1_vercels_ai_sdk_speaks_responses_by_default() {
    let served = Served::new();
    a_call_after(&served, 4);
    served.endpoint.push(Answer::text("It rains in Oslo."));
    served.endpoint.push(weather());
    served.endpoint.push(Answer::text("In Oslo, too."));
    let said = run(&served, "with_vercel.mjs", "vercel", &[]);
    for whole in ["text", "streamed", "later", "channel", "below"] {
        assert!(said.contains_key(whole), "{whole}: {said:?}");
    }
    assert_eq!(
        (&said["later"], &said["channel"], &said["below"]),
        (&json!("ok"), &json!("ok"), &json!("ok"))
    );
    assert_eq!((&said["finish"], &said["rounds"]), (&json!("stop"), &json!(2)));
    assert_eq!(said["streamedRounds"], "In Oslo, too.");
    assert_eq!(said["calls"], json!([{ "place": "Oslo" }]));
    let later = &served.endpoint.chats()[3];
    assert!(later["messages"].to_string().contains("\"assistant\""), "what it referred to is told: {later}");
    assert!(said["dimension"].as_u64().unwrap() > 0);
}
