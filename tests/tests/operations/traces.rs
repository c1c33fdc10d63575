//! Traces: one span a step of a turn, within the trace of the request.

use greenroom_tests::Answer;
use serde_json::json;

use crate::{
    collector::{Collector, Span},
    support::{CANARY, Server, Start},
};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

/// Has a turn with a tool round traced and ends the server, which sends what is left.
fn traced(start: &Start<'_>) -> Server {
    let mut server = Server::start_with(start);
    let call = json!({ "query": "tea" });
    server.endpoint.push(Answer::tool_call("recall", &call));
    server.endpoint.push(Answer::text("Hello there"));
    let traceparent = format!("00-{TRACE}-{CALLER}-01");
    let answer = server.say_with("A secret greeting", &[("traceparent", &traceparent)]);
    assert_eq!(answer.status, 200, "{}", answer.body);
    server.signal("TERM");
    assert_eq!(server.ended().code(), Some(0));
    server
}

fn only<'a>(spans: &'a [Span], name: &str) -> &'a Span {
    let found: Vec<_> = spans.iter().filter(|span| span.name == name).collect();
    assert_eq!(found.len(), 1, "{name} in {spans:#?}");
    found[0]
}

#[test]
fn a_turn_is_a_span_with_one_below_it_for_each_step_in_the_trace_of_its_request() {
    let collector = Collector::start();
    let endpoint = [("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address.as_str())];
    traced(&Start { environment: &endpoint, ..Start::default() });
    let spans: Vec<Span> = collector.spans().into_iter().filter(|span| span.trace == TRACE).collect();
    let request = only(&spans, "POST /api/channels/{channel}/messages");
    assert_eq!(request.parent, CALLER);
    let turn = only(&spans, "turn");
    assert_eq!(turn.parent, request.id);
    assert_eq!(turn.attribute("persona"), Some("ada"));
    assert_eq!(turn.attribute("channel"), Some("api:test"));
    assert!(turn.attribute("turn_id").is_some_and(|id| id.len() == 36), "{turn:?}");
    for (step, times) in [("recall", 1), ("assemble", 2), ("model", 2), ("tools", 1), ("commit", 1)] {
        let found: Vec<_> = spans.iter().filter(|span| span.name == step).collect();
        assert_eq!(found.len(), times, "{step}");
        assert!(found.iter().all(|span| span.parent == turn.id), "{step}");
    }
}

#[test]
fn a_turn_that_fails_is_a_span_that_failed_with_its_code() {
    let collector = Collector::start();
    let endpoint = [("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address.as_str())];
    let mut server = Server::start_with(&Start { environment: &endpoint, ..Start::default() });
    server.say("Hello");
    server.endpoint.push(Answer::error(401, "no such key"));
    server.say("Hello again");
    server.signal("TERM");
    assert_eq!(server.ended().code(), Some(0));
    let spans = collector.spans();
    let turns: Vec<_> = spans.iter().filter(|span| span.name == "turn").collect();
    let ended: Vec<_> = turns.iter().map(|turn| (turn.failed, turn.attribute("code"))).collect();
    assert_eq!(ended, [(false, None), (true, Some("unauthorized"))]);
}

#[test]
fn x5_no_trace_holds_a_key_or_what_was_said() {
    let collector = Collector::start();
    let settings = format!("[server]\notlp_endpoint = \"{}\"\n", collector.address);
    traced(&Start { settings: &settings, arguments: &["--log", "trace"], ..Start::default() });
    assert!(!collector.spans().is_empty());
    let sent = String::from_utf8_lossy(&collector.bytes()).into_owned();
    for secret in [CANARY, "secret greeting", "Hello there", "You are Ada"] {
        assert!(!sent.contains(secret), "{secret}");
    }
}

#[test]
fn a_collector_that_is_not_there_holds_nothing_up() {
    let endpoint = [("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")];
    traced(&Start { environment: &endpoint, ..Start::default() });
}
