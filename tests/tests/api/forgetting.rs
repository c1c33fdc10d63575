//! Forgetting more than one thing over HTTP (GR10, X15).

use greenroom_tests::Home;
use serde_json::{Value, json};

use crate::served::{Served, key};

const MEMORIES: &str = "/api/personas/ada/memories";

fn forget(server: &Served, key: &str, place: &str, body: &Value) -> Value {
    let answer = server.call(key, "POST", &format!("{MEMORIES}/forget{place}"), &body.to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()
}

fn add(server: &Served, key: &str, text: &str, scope: &str) {
    let body = json!({ "text": text, "scope": scope }).to_string();
    let added = server.call(key, "POST", MEMORIES, &body);
    assert_eq!(added.status, 201, "{}", added.body);
}

fn count(server: &Served, key: &str) -> usize {
    server.call(key, "GET", MEMORIES, "").json()["memories"].as_array().unwrap().len()
}

#[test]
fn gr10_what_a_query_means_is_looked_at_and_then_forgotten() {
    let home = Home::new();
    let (operator, ann) = (key(&home, None), key(&home, Some("ann")));
    let server = Served::start_in(home, &[]);
    add(&server, &operator, "The old office was in Lyon", "global");
    add(&server, &ann, "Ann misses the old office", "channel");
    add(&server, &ann, "Ann drinks tea", "channel");

    let preview = forget(&server, &ann, "", &json!({ "query": "old office", "preview": true }));
    assert_eq!(preview["memories"].as_array().unwrap().len(), 1, "what holds for all is not hers: {preview}");
    assert_eq!((count(&server, &ann), &preview["preview"]), (3, &true.into()));
    let gone = forget(&server, &ann, "", &json!({ "query": "old office" }));
    assert_eq!(gone["memories"], preview["memories"], "what went is what was looked at");
    assert_eq!(count(&server, &ann), 2);
    let gone = forget(&server, &operator, "?channel=api:ann", &json!({ "query": "old office" }));
    assert_eq!(gone["memories"][0]["text"], "The old office was in Lyon");
}

#[test]
fn x15_a_person_has_themselves_forgotten_and_nobody_else() {
    let home = Home::new();
    let (ann, bob) = (key(&home, Some("ann")), key(&home, Some("bob")));
    let server = Served::start_in(home, &[]);
    add(&server, &ann, "Ann keeps bees", "channel");
    add(&server, &bob, "Bob sails", "channel");
    let preview = forget(&server, &ann, "", &json!({ "person": "ann", "preview": true }));
    assert_eq!((&preview["erased"]["memories"], count(&server, &ann)), (&1.into(), 1));
    let gone = forget(&server, &ann, "", &json!({ "person": "ann" }));
    assert_eq!(gone["erased"], preview["erased"]);
    assert_eq!((count(&server, &ann), count(&server, &bob)), (0, 1));
}

#[test]
fn gr10_what_the_command_line_forgets_is_no_longer_told_by_a_running_server() {
    let server = Served::start();
    let say = |user: &str, text: &str| {
        let body = json!({ "text": text, "user": user, "persona": "ada" }).to_string();
        let answer = server.call("", "POST", "/api/channels/api:den/messages", &body).json();
        answer["turns"][0]["turn_id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    };
    say("bo", "my boat is called zqxpetrel");
    let turn = say("kit", "what is new?");
    let context = || server.call("", "GET", &format!("/api/turns/{turn}/context"), "");
    assert!(context().body.contains("zqxpetrel"), "{}", context().body);
    let gone = server.beside(&["memory", "forget", "--person", "bo", "--channel", "api:den", "--yes"]);
    assert!(gone.status.success(), "{}", String::from_utf8_lossy(&gone.stderr));
    assert_eq!(context().code(), "unknown_context");
    let events = server.call("", "GET", &format!("/api/turns/{turn}/events"), "");
    assert!(events.status == 200 && !events.body.contains("zqxpetrel"), "{}", events.body);
    let stored = server.call("", "GET", &format!("/api/turns/{turn}"), "");
    assert!(stored.status == 200 && !stored.body.contains("zqxpetrel"), "{}", stored.body);
    let preview = json!({ "text": "the boat?", "persona": "ada", "user": "kit" }).to_string();
    let preview = server.call("", "POST", "/api/channels/api:den/preview", &preview);
    assert!(preview.status == 200 && !preview.body.contains("zqxpetrel"), "{}", preview.body);
}

/// A server where Ann repeats what Bob said, and the keys of its operator, of Ann and of Bob.
fn with_a_quote() -> (Served, [String; 3]) {
    let home = Home::new();
    let (operator, ann, bob) = (key(&home, None), key(&home, Some("ann")), key(&home, Some("bob")));
    let server = Served::start_in(home, &[]);
    let body = json!({ "text": "my boat is called zqxpetrel", "persona": "ada" }).to_string();
    assert_eq!(server.call(&bob, "POST", "/api/channels/api:bob/messages", &body).status, 200);
    add(&server, &ann, "the grey one is called zqxpetrel", "channel");
    (server, [operator, ann, bob])
}

#[test]
fn gr10_a_preview_lists_what_quotes_a_person_and_it_goes_if_that_is_wanted() {
    let (server, [operator, ann, bob]) = with_a_quote();
    let operators = |extra: Value| {
        let mut body = json!({ "person": "bob" });
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        forget(&server, &operator, "?channel=api:bob", &body)
    };
    let preview = operators(json!({ "preview": true }));
    let quote = &preview["quotes"][0];
    assert_eq!(preview["quotes"].as_array().unwrap().len(), 1, "{preview}");
    assert_eq!(
        (&quote["text"], &quote["words"]),
        (&json!("the grey one is called zqxpetrel"), &json!("is called zqxpetrel"))
    );
    // a person is not shown what was said elsewhere
    let own = forget(&server, &bob, "", &json!({ "person": "bob", "preview": true }));
    assert_eq!(own["quotes"], json!([]), "{own}");
    let gone = operators(json!({ "quotes": true }));
    assert_eq!(gone["quotes"], json!([{ "id": quote["id"], "persona": "ada", "channel": quote["channel"] }]));
    assert!(!gone.to_string().contains("zqxpetrel"), "a receipt holds no texts that went: {gone}");
    assert_eq!(count(&server, &ann), 0);
}

#[test]
fn gr10_quotes_that_stay_are_in_the_receipt() {
    let (server, [operator, ann, _]) = with_a_quote();
    let gone = forget(&server, &operator, "?channel=api:bob", &json!({ "person": "bob" }));
    assert_eq!(gone["erased"]["messages"], 2, "{gone}");
    assert_eq!(gone["quotes"][0]["text"], "the grey one is called zqxpetrel", "{gone}");
    assert_eq!(count(&server, &ann), 1);
}

/// B1: every way a person's key has to forget something, held against what an operator said and against a channel
/// the person may not enter.
#[test]
fn x15_a_persons_key_takes_nothing_an_operator_said_and_nothing_of_channels_it_may_not_enter() {
    let home = Home::new();
    let (operator, bob) = (key(&home, None), key(&home, Some("bob")));
    let server = Served::start_in(home, &[]);
    let as_bob = |place: &str, text: &str, scope: &str| {
        let body = json!({ "text": text, "scope": scope }).to_string();
        let added = server.call(&operator, "POST", &format!("{MEMORIES}?user=bob&channel={place}"), &body);
        assert_eq!(added.status, 201, "{}", added.body);
        added.json()["memory"]["id"].as_str().unwrap().to_owned()
    };
    let ids = [
        as_bob("api:bob", "Bob owes the bakery ninety crowns", "channel"),
        as_bob("api:bob", "Bob owes the butcher ninety crowns", "user"),
        as_bob("api:bob", "Bob owes the brewer ninety crowns", "global"),
    ];
    let in_den = as_bob("api:den", "Bob owes the den ninety crowns", "channel");
    let said = json!({ "text": "I owe ninety crowns", "user": "bob" }).to_string();
    server.call(&operator, "POST", "/api/channels/api:den/messages", &said);
    let operators = |place: &str| {
        let list = server.call(&operator, "GET", &format!("{MEMORIES}?user=bob&channel={place}"), "").json();
        list["memories"].as_array().unwrap().iter().filter(|memory| memory["trust"] == "operator").count()
    };
    let messages = || {
        let page = server.call(&operator, "GET", "/api/channels/api:den/messages", "").json();
        page["messages"].as_array().unwrap().len()
    };
    let before = (operators("api:bob"), operators("api:den"), messages());
    assert_eq!((before.0, before.1), (3, 3), "what holds for him and everywhere is seen in both");

    let status = |method: &str, path: &str, body: &Value| {
        server.call(&bob, method, &format!("{MEMORIES}{path}"), &body.to_string()).status
    };
    let many = |body: Value| status("POST", "/forget", &body);
    assert_eq!(many(json!({ "channel": "api:den" })), 403);
    assert_eq!(many(json!({ "channel": "api:bob" })), 403);
    assert_eq!(many(json!({ "before": 253_402_300_000_000_000_i64 })), 403);
    assert_eq!(many(json!({ "person": "ann" })), 403);
    assert_eq!(status("POST", "/forget?channel=api:den", &json!({ "person": "bob" })), 403);
    assert_eq!(status("POST", "/forget?user=ann", &json!({ "query": "ninety crowns" })), 403);
    for id in &ids {
        assert_eq!(status("DELETE", &format!("/{id}"), &json!({})), 403, "{id}");
        assert_eq!(status("PATCH", &format!("/{id}"), &json!({ "text": "nothing" })), 403, "{id}");
    }
    assert_eq!(status("DELETE", &format!("/{in_den}"), &json!({})), 404);
    assert_eq!(status("DELETE", &format!("/{in_den}?channel=api:den"), &json!({})), 403);
    let query = forget(&server, &bob, "", &json!({ "query": "ninety crowns" }));
    assert_eq!(query["memories"], json!([]));
    for arguments in [json!({ "query": "ninety crowns" }), json!({ "id": ids[0] }), json!({ "id": ids[1] })] {
        let call = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "forget", "arguments": arguments },
        });
        server.request(
            "POST",
            "/mcp/ada",
            &[
                ("authorization", &format!("Bearer {bob}")),
                ("accept", "application/json, text/event-stream"),
                ("content-type", "application/json"),
            ],
            &call.to_string(),
        );
    }
    assert_eq!((operators("api:bob"), operators("api:den"), messages()), before);

    add(&server, &bob, "Bob keeps ninety bees", "channel");
    let person = forget(&server, &bob, "", &json!({ "person": "bob" }));
    assert_eq!(person["erased"]["memories"], 1, "his own: {person}");
    assert_eq!((operators("api:bob"), operators("api:den"), messages()), before);
    let all = forget(&server, &operator, "", &json!({ "person": "bob" }));
    assert!(all["erased"]["messages"].as_u64().unwrap() >= 1, "an operator reaches everything: {all}");
}

#[test]
fn x15_an_operator_forgets_a_channel_and_what_the_prompt_kept_of_it() {
    let server = Served::start();
    server.beside(&["memory", "add", "Ann keeps bees"]);
    server.home.write("data/history.txt", "I keep bees\n");
    let body = json!({ "channel": "terminal:default", "preview": true });
    let preview = forget(&server, "", "", &body);
    assert_eq!((&preview["erased"]["memories"], &preview["prompt_history"]), (&1.into(), &true.into()));
    let gone = forget(&server, "", "", &json!({ "channel": "terminal:default" }));
    assert_eq!((&gone["erased"]["memories"], &gone["prompt_history"]), (&1.into(), &true.into()));
    assert!(!server.home.data().join("history.txt").exists());

    server.beside(&["memory", "add", "Ann keeps wasps"]);
    let old = forget(&server, "", "?channel=terminal:default", &json!({ "before": 1 }));
    assert_eq!(old["erased"]["memories"], 0);
    let late = json!({ "before": 253_402_300_000_000_000_i64 });
    let old = forget(&server, "", "?channel=terminal:default", &late);
    assert_eq!(old["erased"]["memories"], 1);
}
