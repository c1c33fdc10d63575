//! What a persona remembers, over HTTP.

use greenroom_tests::Home;
use serde_json::{Value, json};

use crate::served::{Answered, Served, key};

const MEMORIES: &str = "/api/personas/ada/memories";

fn texts(list: &Answered) -> Vec<String> {
    let memories = list.json()["memories"].as_array().unwrap_or_else(|| panic!("{list:?}")).clone();
    memories.iter().map(|memory| memory["text"].as_str().unwrap().to_owned()).collect()
}

/// Adds a memory; its id.
fn add(server: &Served, key: &str, place: &str, body: &Value) -> String {
    let added = server.call(key, "POST", &format!("{MEMORIES}{place}"), &body.to_string());
    assert_eq!(added.status, 201, "{}", added.body);
    added.json()["memory"]["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_memory_is_added_found_edited_related_and_forgotten() {
    let server = Served::start();
    let body = json!({ "text": "The build takes eight minutes", "kind": "Fact" });
    let first = add(&server, "", "?channel=api:ann", &body);
    let again = server.call("", "POST", &format!("{MEMORIES}?channel=api:ann"), &body.to_string());
    assert_eq!(
        (again.status, &again.json()["known"]),
        (200, &true.into()),
        "JV: what is known is not added again"
    );

    let at = |id: &str| format!("{MEMORIES}/{id}?channel=api:ann");
    let memory = server.call("", "GET", &at(&first), "").json()["memory"].clone();
    assert_eq!(
        (&memory["kind"], &memory["trust"], &memory["of"]),
        (&"fact".into(), &"operator".into(), &"api:ann".into())
    );
    let ends = server.call("", "PATCH", &at(&first), r#"{"expires_in":"30d"}"#).json();
    assert!(ends["expires_at"].is_i64() && ends["text"] == memory["text"], "{ends}");

    let edited =
        server.call("", "PATCH", &at(&first), r#"{"text":"The build takes six minutes","expires_in":null}"#);
    assert_eq!((edited.status, &edited.json()["version"]), (200, &3.into()), "{}", edited.body);
    assert!(edited.json().get("expires_at").is_none(), "{}", edited.body);
    let search =
        |q: &str| server.call("", "GET", &format!("{MEMORIES}/search?channel=api:ann&k=3&q={q}"), "").json();
    assert_eq!(search("six+minutes+build")["hits"][0]["memory"]["id"], *first);
    assert_eq!(search("zanzibar")["hits"], json!([]));

    let second = add(&server, "", "?channel=api:ann", &json!({ "text": "Ada is fond of lighthouses" }));
    let relation = json!({ "to": first, "kind": "refines" }).to_string();
    let relations = format!("{MEMORIES}/{second}/relations?channel=api:ann");
    assert_eq!(server.call("", "POST", &relations, &relation).status, 201);
    let shown = server.call("", "GET", &at(&first), "").json();
    assert_eq!(shown["relations"], json!([{ "from": second, "to": first, "kind": "refines" }]));

    let gone = server.call("", "DELETE", &at(&first), "").json();
    assert_eq!((&gone["memory"]["id"], &gone["relations"]), (&json!(first), &1.into()), "{gone}");
    assert_eq!(server.call("", "DELETE", &at(&first), "").code(), "unknown_memory");
    let list = server.call("", "GET", &format!("{MEMORIES}?channel=api:ann&limit=10"), "");
    assert_eq!(texts(&list), ["Ada is fond of lighthouses"]);
}

#[test]
fn what_is_asked_wrongly_is_a_400_with_what_to_do() {
    let server = Served::start();
    let id = add(&server, "", "", &json!({ "text": "Tea is green" }));
    let newer = add(&server, "", "", &json!({ "text": "The kettle is blue" }));
    let supersedes = json!({ "to": id, "kind": "supersedes" }).to_string();
    assert_eq!(server.call("", "POST", &format!("{MEMORIES}/{newer}/relations"), &supersedes).status, 201);
    for (method, path, body) in [
        ("POST", MEMORIES.to_owned(), json!({ "text": " " })),
        ("POST", MEMORIES.to_owned(), json!({ "text": "x".repeat(4_001) })),
        ("POST", MEMORIES.to_owned(), json!({ "text": "x", "expires_in": "soon" })),
        ("POST", MEMORIES.to_owned(), json!({ "kind": "fact" })),
        ("POST", format!("{MEMORIES}?channel=nowhere"), json!({ "text": "x" })),
        ("PATCH", format!("{MEMORIES}/{id}"), json!({})),
        ("PATCH", format!("{MEMORIES}/x"), json!({ "text": "x" })),
        ("POST", format!("{MEMORIES}/{id}/relations"), json!({ "to": id, "kind": "refines" })),
        ("POST", format!("{MEMORIES}/{id}/relations"), json!({ "to": newer, "kind": "supersedes" })),
        ("POST", format!("{MEMORIES}/forget"), json!({})),
        ("POST", format!("{MEMORIES}/forget"), json!({ "query": "tea", "person": "ann" })),
        ("GET", format!("{MEMORIES}?limit=0"), Value::Null),
        ("GET", format!("{MEMORIES}/search?q=tea&k=101"), Value::Null),
        ("GET", format!("{MEMORIES}/search"), Value::Null),
    ] {
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let refused = server.call("", method, &path, &text);
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (400, "invalid_request"),
            "{method} {path} {text}"
        );
    }
    assert_eq!(server.call("", "GET", "/api/personas/nobody/memories", "").code(), "unknown_persona");
}

#[test]
fn x6_two_people_see_their_own_and_what_holds_everywhere_and_nothing_of_each_other() {
    let home = Home::new();
    let (operator, ann, bob) = (key(&home, None), key(&home, Some("ann")), key(&home, Some("bob")));
    let server = Served::start_in(home, &[]);
    let hers = add(&server, &ann, "", &json!({ "text": "Ann keeps bees" }));
    add(&server, &ann, "?channel=api:ann:7", &json!({ "text": "Ann's thread is about hives" }));
    let his = add(&server, &bob, "", &json!({ "text": "Bob sails on Sundays" }));
    let everywhere =
        add(&server, &operator, "", &json!({ "text": "The house is closed in May", "scope": "global" }));
    let about = add(
        &server,
        &operator,
        "?channel=api:ann",
        &json!({ "text": "Ann dislikes calls", "scope": "user", "kind": "preference" }),
    );
    let of_operator =
        server.call(&operator, "GET", &format!("{MEMORIES}/{about}?channel=api:ann&user=ann"), "");
    assert_eq!(of_operator.status, 404, "it is about api:host, as whom the operator looked");

    let seen = |key: &str, place: &str| {
        let mut texts = texts(&server.call(key, "GET", &format!("{MEMORIES}{place}"), ""));
        texts.sort();
        texts
    };
    assert_eq!(seen(&ann, ""), ["Ann keeps bees", "The house is closed in May"]);
    assert_eq!(
        seen(&ann, "?channel=api:ann:7"),
        ["Ann's thread is about hives", "The house is closed in May"]
    );
    assert_eq!(seen(&bob, ""), ["Bob sails on Sundays", "The house is closed in May"]);
    assert_eq!(seen(&operator, "?channel=api:ann&scope=channel"), ["Ann keeps bees"]);
    let found = server.call(&bob, "GET", &format!("{MEMORIES}/search?q=Ann+keeps+bees"), "");
    assert!(!found.body.contains("bees"), "{}", found.body);

    let as_bob =
        |method: &str, id: &str, body: &str| server.call(&bob, method, &format!("{MEMORIES}/{id}"), body);
    for (method, body) in [("GET", ""), ("PATCH", r#"{"text":"Ann keeps wasps"}"#), ("DELETE", "")] {
        assert_eq!(as_bob(method, &hers, body).code(), "unknown_memory", "{method}");
    }
    for (method, body) in [("PATCH", r#"{"text":"The house is open"}"#), ("DELETE", "")] {
        assert_eq!(as_bob(method, &everywhere, body).code(), "forbidden_memory", "X7: {method}");
    }
    let edited = as_bob("PATCH", &his, r#"{"text":"Bob sails on Mondays"}"#).json();
    assert_eq!((&edited["trust"], &edited["source"]["user"]), (&"stranger".into(), &"bob".into()), "X7");
    assert_eq!(as_bob("DELETE", &his, "").status, 200);
    assert_eq!(seen(&ann, "").len(), 2);
}

#[test]
fn gr10_an_export_imports_to_the_same_lines_elsewhere() {
    let (here, there) = (Served::start(), Served::start());
    let first = add(&here, "", "?channel=api:ann", &json!({ "text": "The build takes “8” minutes" }));
    let second = add(&here, "", "", &json!({ "text": "Ada hums", "scope": "global", "expires_in": "30d" }));
    let relation = json!({ "to": second, "kind": "relates-to" }).to_string();
    let path = format!("{MEMORIES}/{first}/relations?channel=api:ann");
    assert_eq!(here.call("", "POST", &path, &relation).status, 201);

    let export = |server: &Served| server.call("", "GET", &format!("{MEMORIES}/export"), "");
    let lines = export(&here);
    assert_eq!(lines.header("content-type"), Some("application/x-ndjson"));
    assert_eq!(lines.body.lines().count(), 2, "{}", lines.body);
    let import = |body: &str| there.call("", "POST", &format!("{MEMORIES}/import"), body);
    assert_eq!(import(&lines.body).json(), json!({ "added": 2, "known": 0, "relations": 1 }));
    assert_eq!(export(&there).body, lines.body);
    assert_eq!(import(&lines.body).json(), json!({ "added": 0, "known": 2, "relations": 0 }));

    let broken = import(&format!("{}{{}}\n", lines.body));
    assert_eq!(broken.status, 400);
    assert!(broken.body.contains("line 3: missing field"), "{}", broken.body);
    let anothers = import(&lines.body.replace("\"ada\"", "\"wick\""));
    assert!(anothers.status == 400 && anothers.body.contains("a memory of wick"), "{}", anothers.body);
    let none = there.call("", "GET", "/api/personas/wick/memories/export", "");
    assert_eq!((none.status, none.body.as_str()), (200, ""));
}

#[test]
fn x12_an_import_without_an_end_is_refused() {
    let server = Served::start();
    // one byte more than a line may have, so that the server has read all of it when it refuses
    let long = server.call("", "POST", &format!("{MEMORIES}/import"), &" ".repeat((1 << 20) + 1));
    assert_eq!((long.status, long.code().as_str()), (413, "too_large"), "{}", long.body);
}
