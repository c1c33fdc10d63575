//! Automatic context retrieval, visible to the user: the eight cases of its seed through the real event
//! stream (BD11).

use greenroom_tests::Home;
use serde_json::json;

use crate::{
    client::{Frame, kinds},
    server::{Server, messages},
};

const QUESTION: &str = "Which programming language do I like?";
const FACT: &str = "The user likes the programming language Python";
const PROFILE: &str = "memory: { profile: recall-visible }";

fn house(memory: &str) -> Server {
    Server::with(|home: &Home| {
        home.write("personas/ada.md", &format!("---\nname: ada\ntools: []\n{memory}\n---\nYou are Ada.\n"));
    })
}

fn knows(server: &Server, text: &str) {
    server.command(&["memory", "add", text, "--channel", "api:ann"]);
}

/// The system message and the frames of one exchange.
fn ask(server: &Server, disable_memory: bool) -> (String, Vec<Frame>) {
    let body = json!({ "text": QUESTION, "persona": "ada", "disable_memory": disable_memory });
    let frames = server.posting(&messages("api:ann"), &body, &[("Accept", "text/event-stream")]).frames();
    assert_eq!(kinds(&frames).last(), Some(&"done"));
    let chats = server.endpoint.chats();
    let system = chats.last().unwrap()["messages"][0]["content"].as_str().unwrap().to_owned();
    (system, frames)
}

fn nothing_is_recalled((system, frames): (String, Vec<Frame>)) {
    assert!(!kinds(&frames).contains(&"memory_context"));
    assert_eq!(system, "You are Ada.");
}

#[test]
fn bd11_a_memory_that_matters_is_retrieved_and_injected() {
    let server = house(PROFILE);
    knows(&server, FACT);
    let (system, frames) = ask(&server, false);
    let context = frames.iter().find(|frame| frame.kind == "memory_context").unwrap();
    assert_eq!(context.data["memories"][0]["text"], FACT);
    assert!(system.contains(FACT), "{system}");
}

#[test]
fn bd11_a_memory_below_the_threshold_is_not_injected() {
    let server = house(PROFILE);
    knows(&server, "Bananas ripen faster next to apples");
    nothing_is_recalled(ask(&server, false));
}

#[test]
fn bd11_a_message_with_memory_disabled_retrieves_nothing() {
    let server = house(PROFILE);
    knows(&server, FACT);
    nothing_is_recalled(ask(&server, true));
}

#[test]
fn bd11_without_auto_retrieve_nothing_is_retrieved() {
    let server = house("memory: { profile: recall-visible, auto_retrieve: false }");
    knows(&server, FACT);
    nothing_is_recalled(ask(&server, false));
}

#[test]
fn bd11_without_an_embedder_the_chat_works_and_says_nothing_of_it() {
    let server = Server::with(|home| {
        home.write("greenroom.toml", "[embedder]\nkind = \"none\"\n");
        home.write("personas/ada.md", &format!("---\nname: ada\ntools: []\n{PROFILE}\n---\nYou are Ada.\n"));
    });
    knows(&server, FACT);
    let (system, frames) = ask(&server, false);
    assert!(frames.iter().all(|frame| frame.data["code"] != "memory_degraded"));
    nothing_is_recalled((system, frames));
}

#[test]
fn bd11_with_an_empty_store_the_chat_is_as_without_memory() {
    nothing_is_recalled(ask(&house(PROFILE), false));
}

#[test]
fn bd11_what_was_recalled_is_shown_before_the_first_word() {
    let server = house(PROFILE);
    knows(&server, FACT);
    let (_, frames) = ask(&server, false);
    let place = |kind: &str| kinds(&frames).iter().position(|k| *k == kind).unwrap();
    assert!(place("memory_context") < place("token_delta"), "{:?}", kinds(&frames));
}

#[test]
fn bd11_the_system_prompt_holds_the_recalled_text_in_its_section() {
    let server = house(PROFILE);
    knows(&server, FACT);
    let (system, _) = ask(&server, false);
    let (prompt, section) = system.split_once("\n\n").unwrap();
    assert_eq!(prompt, "You are Ada.");
    let line = format!("## Recalled Memories\n- \"{FACT}\" (general, relevance: 0.");
    assert!(section.starts_with(&line), "{section}");
}
