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
