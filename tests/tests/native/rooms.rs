//! Rooms over the API: members, quiet, and why somebody answered.

use greenroom_tests::Answer;
use serde_json::{Value, json};

use crate::server::{Server, messages};

const TEA: &str = "/api/channels/api:tea/members";

fn names(reply: &Value) -> Vec<(&str, &str)> {
    let members = reply["members"].as_array().unwrap();
    members.iter().map(|m| (m["id"].as_str().unwrap(), m["via"].as_str().unwrap_or("-"))).collect()
}

#[test]
fn rm1_members_are_listed_invited_and_let_go() {
    let server = Server::start();
    let empty = server.get(TEA);
    assert_eq!((empty.status, &empty.body["members"]), (200, &json!([])), "{empty:?}");
    assert_eq!(empty.body["policy"], "free");
    assert_eq!(empty.body["bound"]["replies"], 4);
    for persona in ["ada", "bo"] {
        assert_eq!(server.post(TEA, &json!({ "persona": persona })).status, 200);
    }
    let reply = server.get(TEA);
    assert_eq!(names(&reply.body), [("ada", "invited"), ("bo", "invited")]);
    assert_eq!(reply.body["members"][0]["policy"], "mentioned");
    assert_eq!(reply.body["members"][0]["since"], Value::Null, "nothing was said yet");
    assert_eq!(server.post(TEA, &json!({ "persona": "nobody" })).status, 404);
    assert_eq!(server.delete(&format!("{TEA}/bo")).status, 200);
    server.endpoint.push(Answer::text("Good evening"));
    let said = server.post(&messages("api:tea"), &json!({ "text": "Hello", "persona": "ada" }));
    assert_eq!(said.status, 200, "{said:?}");
    let reply = server.get(TEA);
    assert_eq!(names(&reply.body), [("ada", "invited"), ("host", "-")]);
    let said = server.get(&messages("api:tea")).body["messages"][0].clone();
    assert_eq!((&said["author"]["name"], said.get("label")), (&"host".into(), None), "host is no role");
    assert!(reply.body["members"][0]["since"].is_i64());
    assert_eq!(reply.body["members"][1]["kind"], "person");
}

#[test]
fn rm2_a_decision_is_told_with_its_reasons() {
    let server = Server::start();
    for persona in ["ada", "bo"] {
        server.post(TEA, &json!({ "persona": persona }));
    }
    let nobody = server.post(&messages("api:tea"), &json!({ "text": "What a day" }));
    assert_eq!(nobody.body["turns"], json!([]), "a room decides for itself");
    let path = format!("{}/{}/decision", messages("api:tea"), nobody.body["message_id"]);
    let decision = server.get(&path);
    assert_eq!(decision.status, 200, "{decision:?}");
    let verdicts = decision.body["rounds"][0]["verdicts"].as_array().unwrap().clone();
    let told: Vec<_> =
        verdicts.iter().map(|v| (v["name"].as_str().unwrap(), v["why"].as_str().unwrap())).collect();
    assert_eq!(told, [("Ada", "not-mentioned"), ("Bo", "not-mentioned")]);
    assert_eq!(verdicts[0]["text"], "Ada stays silent: not mentioned");
    assert_eq!((&verdicts[0]["position"], &decision.body["stopped"]), (&Value::Null, &Value::Null));
    assert!(verdicts[0]["evidence"]["opens"].is_number(), "{verdicts:?}");
    server.endpoint.push(Answer::text("Lovely"));
    let bo = server.post(&messages("api:tea"), &json!({ "text": "Bo, what do you say?" }));
    assert_eq!(bo.body["turns"][0]["persona"], "bo");
    assert_eq!(server.get(&format!("{}/999999/decision", messages("api:tea"))).status, 404);
}

#[test]
fn rm4_quiet_holds_over_a_restart_and_is_lifted() {
    let mut server = Server::start();
    let quiet = "/api/channels/api:tea/quiet";
    assert_eq!(server.post(quiet, &json!({ "for_secs": 3600 })).status, 204);
    server.again();
    assert!(server.get(TEA).body["quiet_until"].is_i64());
    let said = server.post(&messages("api:tea"), &json!({ "text": "Hello", "persona": "ada" }));
    assert_eq!(said.body["turns"], json!([]), "{said:?}");
    assert_eq!(server.delete(quiet).status, 204);
    assert_eq!(server.get(TEA).body["quiet_until"], Value::Null);
    server.endpoint.push(Answer::text("Good evening"));
    let said = server.post(&messages("api:tea"), &json!({ "text": "Hello", "persona": "ada" }));
    assert_eq!(said.body["turns"][0]["text"], "Good evening");
}
