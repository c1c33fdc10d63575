//! The three timeouts (L4), against sockets that never answer. The tests run in real time, because
//! paused time has no effect on sockets. Each test shortens the limit that it checks and waits no longer than it.

use super::*;

const SHORT: Duration = Duration::from_millis(60);
const LONG: Duration = Duration::from_secs(60);

fn timed_out(error: ModelError) -> (&'static str, Duration) {
    match error {
        ModelError::Timeout { what, after, .. } => (what, after),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn l4_the_connection_has_a_limit_of_its_own() {
    // accepts the connection, but does no TLS handshake
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", silent.local_addr().unwrap());
    let limits = Timeouts { connect: SHORT, first_token: LONG, stall: LONG };
    let model = OpenAiModel::new(Endpoint::new(&url, None, limits).unwrap());
    let error = run(&model, ask("hi")).await.unwrap_err();
    assert_eq!(timed_out(error), ("accept the connection", SHORT));
}

#[tokio::test]
async fn l4_the_first_token_has_a_limit_of_its_own() {
    let role = serde_json::json!({ "choices": [{ "delta": { "role": "assistant", "content": "" } }] });
    // one endpoint sends nothing; the other sends everything except a token
    for answer in [Answer::stall(), Answer::text("late").stall_after(0).chunk_after(0, role)] {
        let mock = MockEndpoint::start();
        mock.push(answer);
        let limits = Timeouts { connect: LONG, first_token: SHORT, stall: LONG };
        let model = OpenAiModel::new(Endpoint::new(&mock.base_url(), None, limits).unwrap());
        let error = run(&model, ask("hi")).await.unwrap_err();
        assert_eq!(timed_out(error), ("begin to answer", SHORT));
    }
}

#[tokio::test]
async fn l4_a_stream_that_stalls_has_a_limit_of_its_own() {
    let mock = MockEndpoint::start();
    mock.push(Answer::text("one two three").stall_after(2));
    let limits = Timeouts { connect: LONG, first_token: LONG, stall: SHORT };
    let model = OpenAiModel::new(Endpoint::new(&mock.base_url(), None, limits).unwrap());
    let error = run(&model, ask("hi")).await.unwrap_err();
    assert_eq!(timed_out(error), ("go on", SHORT));
}

#[tokio::test]
async fn l4_an_endpoint_that_does_not_hang_up_after_its_answer_does_not_hold_it_back() {
    let mock = MockEndpoint::start();
    let answer = Answer::text("all there").without_usage().without_done();
    let stalls = answer.stall_at_the_end();
    mock.push(stalls);
    let limits = Timeouts { connect: LONG, first_token: LONG, stall: SHORT };
    let model = OpenAiModel::new(Endpoint::new(&mock.base_url(), None, limits).unwrap());
    assert_eq!(run(&model, ask("hi")).await.unwrap().text, "all there");
}
