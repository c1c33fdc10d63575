//! `POST /api/events` (JV3).

use serde_json::json;

use crate::served::Served;

#[test]
fn jv3_what_matters_is_remembered_for_30_days_and_its_end_takes_its_place() {
    let server = Served::start();
    let full =
        json!({ "type": "disk_full", "severity": "critical", "node": "db1", "message": "/var is at 97 %" });
    let told = server.call("", "POST", "/api/events", &full.to_string());
    assert_eq!(told.status, 200, "{}", told.body);
    let memory = told.json()["events"][0]["memory"].clone();
    assert_eq!((&memory["scope"], &memory["tier"]), (&"global".into(), &"episodic".into()));
    let days =
        (memory["expires_at"].as_i64().unwrap() - memory["created_at"].as_i64().unwrap()) / 86_400_000_000;
    assert_eq!(days, 30);

    let over = json!([
        { "type": "backup", "severity": "info", "message": "the backup is done" },
        { "type": "disk_full", "severity": "info", "node": "db1", "message": "/var is at 40 %", "resolved": true },
    ]);
    let told = server.call("", "POST", "/api/events?persona=ada", &over.to_string()).json();
    assert_eq!(told["events"][0], json!({ "remembered": false }));
    let later = &told["events"][1]["memory"];
    assert_eq!((&later["id"], &later["version"]), (&memory["id"], &2.into()), "{told}");
    assert!(later["text"].as_str().unwrap().ends_with("(resolved)"), "{told}");
}

#[test]
fn jv3_an_event_holds_where_it_is_told() {
    let server = Served::start();
    let event = json!({ "type": "door", "severity": "warning", "message": "the door is open" }).to_string();
    let scope = |place: &str| {
        let told = server.call("", "POST", &format!("/api/events{place}"), &event).json();
        let memory = &told["events"][0]["memory"];
        format!("{} {}", memory["scope"].as_str().unwrap_or("-"), memory["of"].as_str().unwrap_or("-"))
    };
    assert_eq!(scope(""), "global -");
    assert_eq!(scope("?channel=discord:7"), "channel discord:7");
    assert_eq!(scope("?channel=discord:7&user=ann"), "user discord:ann");
    for (path, body) in [
        ("/api/events?user=ann", event.as_str()),
        ("/api/events", r#"[{"type":"x","severity":"bad","message":"y"}]"#),
        ("/api/events", r#""the door is open""#),
    ] {
        let refused = server.call("", "POST", path, body);
        assert_eq!((refused.status, refused.code().as_str()), (400, "invalid_request"), "{path} {body}");
    }
    assert_eq!(server.call("", "POST", "/api/events?persona=nobody", &event).code(), "unknown_persona");
}
