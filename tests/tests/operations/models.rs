//! Which model answers, for every command that asks one: against endpoints that speak like the servers there
//! are, and refuse what they do not have (A3, A13).

use std::{
    net::TcpListener,
    process::{Command, Output, Stdio},
};

use greenroom_tests::{Answer, Home, MockEndpoint, greenroom};
use serde_json::{Value, json};

use super::support::{Server, wait_for};

/// As llama.cpp names a model.
const FILE: &str =
    "/home/jo/.cache/models/a/long/way/down/that/no/line/of/a/screen/holds/Qwen2.5-7B-Instruct.gguf";

/// An endpoint, the model that must be chosen, its name on the screen, and its window.
struct Kind {
    name: &'static str,
    start: fn() -> MockEndpoint,
    model: &'static str,
    shown: &'static str,
    window: u64,
}

const KINDS: [Kind; 6] = [
    Kind { name: "refusing", start: refusing, model: "llama3.2", shown: "llama3.2", window: 131_072 },
    Kind { name: "ollama", start: ollama, model: "llama3.2:3b", shown: "llama3.2:3b", window: 6_144 },
    Kind {
        name: "ollama, as it is",
        start: plain_ollama,
        model: "llama3.2:3b",
        shown: "llama3.2:3b",
        window: 4_096,
    },
    Kind { name: "llama.cpp", start: llama_cpp, model: FILE, shown: "Qwen2.5-7B-Instruct", window: 4_096 },
    Kind { name: "vllm", start: vllm, model: "org/served", shown: "org/served", window: 5_000 },
    Kind { name: "openrouter", start: openrouter, model: "maker/best", shown: "maker/best", window: 7_000 },
];

/// It has one model and knows no other.
fn refusing() -> MockEndpoint {
    let endpoint = MockEndpoint::start();
    endpoint.only(&["llama3.2"]);
    endpoint
}

fn plain_ollama() -> MockEndpoint {
    ollama_with("stop \"<|eot_id|>\"")
}

fn ollama() -> MockEndpoint {
    ollama_with("stop \"<|eot_id|>\"\nnum_ctx                        6144")
}

fn ollama_with(parameters: &'static str) -> MockEndpoint {
    let endpoint = MockEndpoint::start();
    endpoint.only(&["nomic-embed-text:latest", "llama3.2:3b"]);
    let models = json!({ "models": [{ "name": "nomic-embed-text:latest" }, { "name": "llama3.2:3b" }] });
    endpoint.answer("/api/tags", move |_| Answer::json(&models));
    endpoint.answer("/api/ps", |_| Answer::json(&json!({ "models": [] })));
    endpoint.answer("/api/show", move |request| match request.body["model"].as_str() {
        Some("llama3.2:3b") => Answer::json(&json!({
            "parameters": parameters,
            "model_info": { "general.architecture": "llama", "llama.context_length": 131_072 },
        })),
        _ => Answer::error(404, "model not found"),
    });
    endpoint
}

/// It takes every name for its one model, and has a token for every three characters,
/// and one for each capital.
fn llama_cpp() -> MockEndpoint {
    let endpoint = MockEndpoint::start();
    let list = json!({ "object": "list", "data": [{
        "id": FILE, "object": "model", "owned_by": "llamacpp", "meta": { "n_ctx_train": 32_768 },
    }]});
    endpoint.answer("/v1/models", move |_| Answer::json(&list));
    endpoint.answer("/props", |_| {
        Answer::json(&json!({ "default_generation_settings": { "n_ctx": 4096 }, "total_slots": 1, "model_path": FILE }))
    });
    endpoint.answer("/tokenize", |request| {
        let tokens = llama_tokens(request.body["content"].as_str().expect("a text"));
        Answer::json(&json!({ "tokens": vec![7; tokens] }))
    });
    endpoint.answer("/apply-template", |request| Answer::json(&json!({ "prompt": laid_out(&request.body) })));
    endpoint
}

fn llama_tokens(text: &str) -> usize {
    let capitals = text.chars().filter(char::is_ascii_uppercase).count();
    capitals + (text.chars().count() - capitals).div_ceil(3)
}

/// A prompt by a template such as models have.
fn laid_out(body: &Value) -> String {
    let messages = body["messages"].as_array().expect("messages");
    let tools = body["tools"].as_array().map(|tools| format!("{tools:?}")).unwrap_or_default();
    let said = messages.iter().map(|message| {
        format!(
            "<|im_start|>{}\n{}<|im_end|>\n",
            message["role"].as_str().unwrap(),
            message["content"].as_str().unwrap_or_default()
        )
    });
    tools + &said.collect::<String>() + "<|im_start|>assistant\n"
}

fn vllm() -> MockEndpoint {
    let endpoint = MockEndpoint::start();
    endpoint.only(&["org/served"]);
    let list = json!({ "object": "list", "data": [{ "id": "org/served", "owned_by": "vllm", "max_model_len": 5000 }] });
    endpoint.answer("/v1/models", move |_| Answer::json(&list));
    endpoint
}

fn openrouter() -> MockEndpoint {
    let endpoint = MockEndpoint::start();
    endpoint.only(&["maker/best"]);
    let list = json!({ "data": [{ "id": "maker/best", "context_length": 7000, "top_provider": { "context_length": 7000 } }] });
    endpoint.answer("/v1/models", move |_| Answer::json(&list));
    endpoint
}

/// The program in a home, with an endpoint by the environment alone, without `/v1` as people write it.
fn command(home: &Home, port: u16, arguments: &[&str]) -> Command {
    home.write("personas/ada.md", "---\ntools: [remember, recall]\n---\nYou are Ada.\n");
    home.write("greenroom.toml", "persona = \"ada\"\n");
    let mut command = home.command(greenroom());
    command.args(arguments).env("OPENAI_BASE_URL", format!("http://127.0.0.1:{port}")).stdin(Stdio::null());
    command
}

fn run(endpoint: &MockEndpoint, arguments: &[&str]) -> Output {
    command(&Home::new(), endpoint.port(), arguments).output().unwrap()
}

fn said(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn serve(home: Home, endpoint: MockEndpoint) -> Server {
    let mut serving = command(&home, endpoint.port(), &["serve", "--listen", "127.0.0.1:0"]);
    serving.stderr(Stdio::piped());
    Server::started(home, endpoint, serving)
}

/// What the API says of the model that answers.
fn answers(server: &Server) -> Value {
    server.get("/api/personas/ada").json()["answers"].clone()
}

/// The model every chat was asked of.
fn asked(endpoint: &MockEndpoint) -> Vec<String> {
    endpoint.chats().iter().map(|body| body["model"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a3_chat_answers_with_a_model_the_endpoint_has() {
    for kind in KINDS {
        let endpoint = (kind.start)();
        let chat = run(&endpoint, &["chat", "hello there"]);
        let (out, err) = (said(&chat.stdout), said(&chat.stderr));
        assert!(chat.status.success() && out.trim() == "ok", "{}: {out}{err}", kind.name);
        assert_eq!(asked(&endpoint), [kind.model], "{}", kind.name);
        let first = err.lines().next().unwrap();
        assert!(
            first.contains(&format!("{} (the first it lists) at http://127.0.0.1:", kind.shown)),
            "{first}"
        );
        assert!(!first.contains("/root"), "{first}");
    }
}

#[test]
fn a13_context_is_made_for_the_window_the_endpoint_tells() {
    for kind in KINDS {
        let endpoint = (kind.start)();
        let context = run(&endpoint, &["context", "--json", "hello there"]);
        assert!(context.status.success(), "{}: {}", kind.name, said(&context.stderr));
        let context: Value = serde_json::from_slice(&context.stdout).unwrap();
        assert_eq!(context["model"], kind.model, "{}", kind.name);
        assert_eq!(context["receipt"]["window"], kind.window, "{}", kind.name);
        assert_eq!(context["receipt"]["exact"], false);
        let shown = run(&endpoint, &["context", "hello there"]);
        let first = said(&shown.stderr).lines().next().unwrap().to_owned();
        assert!(first.starts_with(&format!("ada · {} (", kind.shown)), "{first}");
        let (out, counter) = (said(&shown.stdout), context["receipt"]["counter"].as_str().unwrap());
        assert!(out.contains(&format!("estimated by {}", counter.split(' ').next().unwrap())), "{out}");
        assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
        assert!(endpoint.chats().is_empty());
    }
}

#[test]
fn a3_doctor_names_the_model_and_its_window() {
    for kind in KINDS {
        let endpoint = (kind.start)();
        let doctor = run(&endpoint, &["doctor"]);
        let out = said(&doctor.stdout);
        assert!(doctor.status.success(), "{}: {out}", kind.name);
        assert!(out.contains(&format!("✓ model     ada · {} (the first it lists)", kind.shown)), "{out}");
        assert!(out.contains(&format!("its window holds {} tokens", kind.window)), "{out}");
    }
}

#[test]
fn a3_serve_answers_with_a_model_the_endpoint_has_and_says_which() {
    for kind in KINDS {
        let server = serve(Home::new(), (kind.start)());
        let first = server.stderr.so_far().lines().next().unwrap().to_owned();
        assert!(
            first.starts_with(&format!("ada, vesper, wick · {} (the first it lists)", kind.shown)),
            "{first}"
        );
        let told = answers(&server);
        assert_eq!(
            (&told["model"], &told["name"]),
            (&json!(kind.model), &json!(kind.shown)),
            "{}",
            kind.name
        );
        assert_eq!(told["window"], kind.window, "{}", kind.name);
        let reply = server.say("hello");
        assert_eq!(reply.json()["turns"][0]["text"], "ok", "{}: {}", kind.name, reply.body);
        assert_eq!(asked(&server.endpoint), [kind.model]);
    }
}

/// Nothing is guessed while an endpoint is down, and it is used when it comes.
#[test]
fn a3_an_endpoint_that_comes_later_is_asked_then() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let home = Home::new();
    for arguments in [["chat", "hello there"], ["context", "hello there"]] {
        let failed = command(&home, port, &arguments).output().unwrap();
        let err = said(&failed.stderr);
        assert_eq!(failed.status.code(), Some(1), "{err}");
        assert!(
            err.contains("no model yet at http://127.0.0.1") && err.contains("no model is chosen at"),
            "{err}"
        );
        assert!(!err.contains("gpt-4o-mini"), "{err}");
    }
    let doctor = command(&home, port, &["doctor"]).output().unwrap();
    assert!(
        said(&doctor.stdout).contains("✗ model     ada · cannot reach the model at"),
        "{}",
        said(&doctor.stdout)
    );

    // a server holds on to an endpoint of its own, which this one does not need
    let mut serving = command(&home, port, &["serve", "--listen", "127.0.0.1:0"]);
    serving.stderr(Stdio::piped());
    let server = Server::started(home, MockEndpoint::start(), serving);
    assert!(
        server.stderr.so_far().starts_with("ada, vesper, wick · no model yet at 127.0.0.1"),
        "{}",
        server.stderr.so_far()
    );
    assert_eq!(answers(&server).get("model"), None);
    let reply = server.say("hello").json();
    assert_eq!(reply["turns"][0]["code"], "model_unreachable", "{reply}");

    let endpoint = MockEndpoint::start_at(port);
    endpoint.only(&["llama3.2"]);
    let told = wait_for(|| Some(answers(&server)).filter(|told| told["model"] == "llama3.2"));
    assert!(told.is_some(), "{}", server.stderr.so_far());
    let line = "ada, vesper, wick · llama3.2 (the first it lists)";
    server.stderr.wait_for(line);
    assert_eq!(server.say("hello again").json()["turns"][0]["text"], "ok");
    assert_eq!(asked(&endpoint), ["llama3.2"]);
}

/// An endpoint that keeps silent is waited for once, and not once for each persona.
#[test]
fn a3_personas_that_share_a_silent_endpoint_wait_for_it_once() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let home = Home::new();
    for n in 0..8 {
        home.write(&format!("personas/p{n}.md"), "---\n---\nYou are one of many.\n");
    }
    let mut serving =
        command(&home, silent.local_addr().unwrap().port(), &["serve", "--listen", "127.0.0.1:0"]);
    serving.stderr(Stdio::piped());
    let server = Server::started(home, MockEndpoint::start(), serving);
    silent.set_nonblocking(true).unwrap();
    let asked = std::iter::from_fn(|| silent.accept().ok()).count();
    assert!((1..=3).contains(&asked), "{asked} times, {}", server.stderr.so_far());
}

/// The list is asked for again when files change, and when a model is not there any more.
#[test]
fn a3_another_list_is_taken_up_on_reload_and_when_the_model_is_gone() {
    let server = serve(Home::new(), refusing());
    assert_eq!(answers(&server)["model"], "llama3.2");
    server.endpoint.only(&["qwen3", "llama3.2"]);
    server.home().write("personas/ada.md", "---\n---\nYou are Ada, and a little older.\n");
    assert!(
        wait_for(|| (answers(&server)["model"] == "qwen3").then_some(())).is_some(),
        "{}",
        server.stderr.so_far()
    );

    server.endpoint.only(&["gemma3"]);
    let reply = server.say("hello").json();
    assert_eq!(reply["turns"][0]["code"], "model_unknown", "{reply}");
    assert!(
        wait_for(|| (answers(&server)["model"] == "gemma3").then_some(())).is_some(),
        "{}",
        server.stderr.so_far()
    );
    assert_eq!(server.say("hello again").json()["turns"][0]["text"], "ok");
}

/// With nothing set, a server on this machine is used; Ollama says where it is by its own variable.
#[test]
fn a3_with_nothing_set_ollama_on_this_machine_answers() {
    let endpoint = ollama();
    let home = Home::new();
    let at = format!("127.0.0.1:{}", endpoint.port());
    let mut chat = command(&home, 1, &["chat", "hello there"]);
    let chat = chat.env_remove("OPENAI_BASE_URL").env("OLLAMA_HOST", &at).output().unwrap();
    assert_eq!(said(&chat.stdout).trim(), "ok", "{}", said(&chat.stderr));
    let mut serving = command(&home, 1, &["serve", "--listen", "127.0.0.1:0"]);
    serving.env_remove("OPENAI_BASE_URL").env("OLLAMA_HOST", &at).stderr(Stdio::piped());
    let server = Server::started(home, endpoint, serving);
    assert!(
        server.stderr.so_far().lines().next().unwrap().contains("(Ollama on this machine)"),
        "{}",
        server.stderr.so_far()
    );
    assert_eq!(server.say("hello").json()["turns"][0]["text"], "ok");
}

/// Without a network the demonstration model cannot be fetched; the server says so and works all the same.
#[test]
fn a3_with_nothing_at_all_serve_fetches_the_demonstration_model() {
    let home = Home::new();
    let mut serving = command(&home, 1, &["serve", "--listen", "127.0.0.1:0", "--base-url", "builtin"]);
    serving
        .env_remove("OPENAI_BASE_URL")
        .env("HTTPS_PROXY", "http://127.0.0.1:1")
        .env("PIP_INDEX_URL", "http://127.0.0.1:1/simple")
        .env("PIP_RETRIES", "0")
        .env("PIP_CONFIG_FILE", "/dev/null")
        .stderr(Stdio::piped());
    let server = Server::started(home, MockEndpoint::start(), serving);
    let said = server.stderr.so_far();
    assert!(said.contains("The built-in demonstration model (98.4 MB) is fetched once."), "{said}");
    assert!(said.contains("downloading smollm2") && said.contains("until then no persona answers"), "{said}");
    assert_eq!(server.get("/readyz").status, 200);
    let reply = server.say("hello").json();
    assert_eq!(reply["turns"][0]["code"], "model_broken", "{reply}");
}

/// A server that was started again with a smaller window refuses what was made for the larger one. It is asked again.
#[test]
fn a13_a_smaller_window_is_taken_up_when_a_request_was_too_long() {
    let server = serve(Home::new(), vllm());
    assert_eq!(answers(&server)["window"], 5_000);
    let list = json!({ "object": "list", "data": [{ "id": "org/served", "max_model_len": 3000 }] });
    server.endpoint.answer("/v1/models", move |_| Answer::json(&list));
    server.endpoint.answer("/v1/chat/completions", |_| {
        Answer::error(
            400,
            "This model's maximum context length is 3000 tokens. However, you requested 4500 tokens.",
        )
    });
    let reply = server.say("hello").json();
    assert_eq!(reply["turns"][0]["code"], "context_full", "{reply}");
    assert!(
        wait_for(|| (answers(&server)["window"] == 3_000).then_some(())).is_some(),
        "{}",
        answers(&server)
    );
}

/// However long a conversation is and whatever is said: by the endpoint's own count no request is longer than
/// its window. Not even where its samples mislead: capitals cost three times what other letters do.
#[test]
fn gr4_no_request_is_longer_than_the_window_by_the_endpoint_s_own_count() {
    let server = serve(Home::new(), llama_cpp());
    let texts = [
        "{\"a\": [1, 2, 3], \"b\": {\"c\": null}} ".repeat(12),
        "the harbour opens at nine and the boats leave with the tide ".repeat(9),
        "今天早上我们沿着港口散步，看着夜里进来的船。".repeat(12),
        "48213 907 2026 1123 55 71830 ".repeat(14),
    ];
    let mut refused = 0;
    for n in 0..32 {
        let text = if n < 20 { texts[n % texts.len()].clone() } else { "THE HARBOUR OPENS ".repeat(30) };
        let turn = server.say(&format!("{n} {text}")).json()["turns"][0].clone();
        refused += usize::from(turn["text"] != "ok");
        assert!(turn["text"] == "ok" || turn["code"] == "context_full", "{n}: {turn}");
    }
    assert!(refused <= 1, "{refused} turns failed; the estimate learns");
    let chats = server.endpoint.chats();
    let lengths: Vec<usize> = chats.iter().map(|body| llama_tokens(&laid_out(body))).collect();
    let reserve = |body: &Value| body["max_tokens"].as_u64().unwrap() as usize;
    let longest = chats.iter().zip(&lengths).map(|(body, tokens)| tokens + reserve(body)).max().unwrap();
    assert!(longest <= 4_096, "{longest}: {lengths:?}");
    assert!(*lengths.iter().max().unwrap() > 1_200, "the window is used: {lengths:?}");
}

/// It knows no tools, so none are counted and none are sent (A12).
#[test]
fn a12_the_demonstration_model_is_counted_no_tools() {
    let home = Home::new();
    let context =
        command(&home, 1, &["context", "--json", "--base-url", "builtin", "hello there"]).output().unwrap();
    let context: Value = serde_json::from_slice(&context.stdout).unwrap();
    let receipt = &context["receipt"];
    assert_eq!((&receipt["budget"]["tool_tokens"], &context["tools"]), (&json!(0), &json!([])));
    let items = receipt["items"].as_array().unwrap();
    assert!(items.iter().all(|item| item["section"] != "tools"), "{receipt}");
    assert!(receipt["notes"].to_string().contains("knows no tools"), "{receipt}");
}
