//! S1: a start after a crash.

use greenroom_tests::Answer;
use sqlx::{ConnectOptions, Connection, sqlite::SqliteConnectOptions};

use crate::support::Server;

#[test]
fn s1_a_start_after_a_crash_ends_what_ran_and_says_so() {
    let mut server = Server::start();
    server.endpoint.push(Answer::text("Hello there").stall_after(1));
    let _running = server.begin_to_say("Hello");
    server.endpoint.wait_for(1);
    server.crash_and_start();
    // nobody speaks there again
    let channel = server.get("/api/channels/api:test/messages").json();
    assert_eq!(channel["messages"][0]["text"], "Hello");
    let turn = &channel["turns"][0];
    assert_eq!((&turn["state"], &turn["code"]), (&"failed".into(), &"interrupted".into()), "{channel}");
    server.stderr.wait_for("during 1 turn in 1 channel: marked as interrupted");
    server.crash_and_start();
    assert_eq!(server.say("And now?").json()["turns"][0]["state"], "done");
    let said = server.killed();
    assert!(!said.contains("interrupted"), "{said}");
}

/// A message that ends the program every time is given up, shown to the operator, and tried again or dismissed there
/// (S8). The crashes before the last are written into the store: each would be another start.
#[test]
fn s8_a_message_that_ends_the_program_again_and_again_is_a_dead_letter() {
    let mut server = Server::start();
    server.endpoint.push(Answer::text("Hello there").stall_after(1));
    let _running = server.begin_to_say("boom");
    server.endpoint.wait_for(1);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let file = SqliteConnectOptions::new().filename(server.home.data().join("greenroom.db"));
        let mut store = file.connect().await.unwrap();
        let crashes = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4)
             INSERT INTO turns (id, persona, channel_id, trigger_id, state, planned_at, ended_at, code, note)
             SELECT printf('%032x', i), persona, channel_id, trigger_id, 'failed', 1, 1, 'interrupted', 'it ended'
             FROM turns, n";
        sqlx::query(crashes).execute(&mut store).await.unwrap();
        store.close().await.unwrap();
    });
    assert_eq!(server.get("/api/dead-letters").json().as_array().map(Vec::len), Some(0), "one is under way");
    server.crash_and_start();
    let letters = server.get("/api/dead-letters").json();
    let letter = &letters[0];
    assert_eq!((&letter["text"], &letter["tries"]), (&"boom".into(), &5.into()), "{letters}");
    let (message, persona) = (letter["message_id"].to_string(), letter["persona"].as_str().unwrap());
    let act = |what: &str| {
        let path = format!("/api/dead-letters/{message}/{persona}/{what}");
        server.request("POST", &path, &[], "")
    };
    assert_eq!(act("dismiss").status, 204);
    assert_eq!(server.get("/api/dead-letters").json().as_array().map(Vec::len), Some(0));
    server.endpoint.push(Answer::text("At last"));
    let again = act("retry");
    assert_eq!(again.status, 202, "{}", again.body);
    let turn = format!("/api/turns/{}/events", again.json()["turn_id"].as_str().unwrap());
    assert!(server.get(&turn).body.contains("At last"));
    assert_eq!(act("dismiss").status, 404, "it is answered");
}
