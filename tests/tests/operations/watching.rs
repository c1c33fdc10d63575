//! Health, readiness, metrics.

use greenroom_tests::Answer;

use crate::support::{Server, Start};

#[test]
fn a_server_is_alive_and_ready() {
    let server = Server::start();
    let health = server.get("/healthz");
    assert_eq!((health.status, health.json()["status"].as_str()), (200, Some("ok")));
    let ready = server.get("/readyz");
    assert_eq!((ready.status, ready.json()["ready"].as_bool()), (200, Some(true)));
    assert_eq!(ready.json()["reasons"].as_array().map(Vec::len), Some(0));
}

/// A server whose database is taken away says so, acknowledges nothing, and goes on when it is back (A9).
#[test]
fn s3_a_database_that_is_moved_away_is_noticed() {
    let server = Server::start();
    server.endpoint.push(Answer::text("Hello there"));
    assert_eq!(server.say("Hello").status, 200);
    let (path, aside) = (server.home.data().join("greenroom.db"), server.home.data().join("aside.db"));
    std::fs::rename(&path, &aside).unwrap();
    let refused = server.say("Is anybody there?");
    assert_eq!((refused.status, refused.code()), (503, "store_failed".to_owned()), "{}", refused.body);
    assert!(refused.body.contains("was deleted, moved or replaced"), "{}", refused.body);
    let ready = server.get("/readyz");
    assert_eq!(ready.status, 503);
    assert!(ready.body.contains("was deleted, moved or replaced"), "{}", ready.body);

    std::fs::rename(&aside, &path).unwrap();
    assert_eq!(server.get("/readyz").status, 200);
    server.endpoint.push(Answer::text("I am"));
    assert_eq!(server.say("And now?").status, 200);
}

#[test]
fn metrics_tell_turns_steps_tokens_recalls_states_and_requests() {
    let settings = "[model]\nretries = 0\n[memory.capture]\nsessions = false\n";
    let server = Server::start_with(&Start { settings, ..Start::default() });
    server.endpoint.push(Answer::text("Hello there"));
    assert_eq!(server.say("Hello").status, 200);
    server.endpoint.push(Answer::error(401, "no such key"));
    server.say("And again?");
    server.wait_for_metric(r#"greenroom_turns_total{persona="ada",end="failed"}"#, 1.0);
    for (metric, value) in [
        (r#"greenroom_turns_total{persona="ada",end="done"}"#, 1.0),
        (r#"greenroom_turns_total{persona="ada",end="cancelled"}"#, 0.0),
        (r#"greenroom_turn_step_seconds_count{step="recall"}"#, 2.0),
        (r#"greenroom_turn_step_seconds_count{step="assemble"}"#, 2.0),
        (r#"greenroom_turn_step_seconds_count{step="first_token"}"#, 1.0),
        (r#"greenroom_turn_step_seconds_count{step="model"}"#, 2.0),
        (r#"greenroom_turn_step_seconds_count{step="tools"}"#, 0.0),
        (r#"greenroom_turn_step_seconds_count{step="commit"}"#, 1.0),
        (r#"greenroom_turn_step_seconds_count{step="turn"}"#, 2.0),
        (r#"greenroom_tokens_total{persona="ada",direction="completion"}"#, 5.0),
        (r#"greenroom_actors{state="error"}"#, 1.0),
        (r#"greenroom_actors{state="thinking"}"#, 0.0),
        ("greenroom_messages_waiting", 0.0),
        ("greenroom_rooms", 1.0),
        ("greenroom_http_panics_total", 0.0),
    ] {
        assert_eq!(server.metric(metric), value, "{metric}");
    }
    assert!(server.metric(r#"greenroom_tokens_total{persona="ada",direction="prompt"}"#) >= 10.0);
    let recalls = ["hit", "empty"]
        .map(|result| format!(r#"greenroom_recalls_total{{persona="ada",result="{result}"}}"#));
    assert_eq!(recalls.iter().map(|metric| server.metric(metric)).sum::<f64>(), 2.0);
    let route = "/api/channels/{channel}/messages";
    let requests = format!(r#"greenroom_http_requests_total{{method="POST",route="{route}",status="200"}}"#);
    assert!(server.metric(&requests) >= 1.0, "{}", server.get("/metrics").body);
}

#[test]
fn who_asks_for_strange_routes_does_not_make_the_metrics_grow() {
    let server = Server::start();
    for n in 0..50 {
        let answer = server.request(&format!("M{n}"), &format!("/strange/{n}"), &[], "");
        assert_eq!((answer.status, answer.code()), (404, "unknown_route".to_owned()));
    }
    let metrics = server.get("/metrics").body;
    assert!(!metrics.contains("strange"), "{metrics}");
    let counted = r#"greenroom_http_requests_total{method="OTHER",route="none",status="404"}"#;
    assert_eq!(server.metric(counted), 50.0);
}
