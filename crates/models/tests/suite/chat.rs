//! One attempt at a chat: which outcomes are answers, and which error each other outcome becomes.

use serde_json::json;

use super::*;

#[tokio::test]
async fn a_text_streams_word_by_word_with_its_usage() {
    let mock = MockEndpoint::start();
    mock.push(Answer::text("Hello there, Ada").usage(12, 4));
    let mut stream = OpenAiModel::new(endpoint(&mock)).stream(ask("hi").into());
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event.unwrap());
    }
    let usage = Usage { prompt_tokens: 12, completion_tokens: 4, estimated: false, cost_micros: 0 };
    let finished = ModelEvent::Finished { tool_calls: vec![], reason: FinishReason::Stop, usage };
    let delta = |text: &str| ModelEvent::Delta(text.into());
    assert_eq!(events, [delta("Hello "), delta("there, "), delta("Ada"), finished]);

    let request = &mock.requests()[0];
    assert_eq!(request.header("authorization"), Some("Bearer sk-test"));
    assert_eq!(request.body["stream_options"]["include_usage"], true);
    assert_eq!(request.body["messages"], json!([{ "role": "user", "content": "hi" }]));
}

#[tokio::test]
async fn nothing_is_sent_before_the_stream_is_polled_and_dropping_it_hangs_up() {
    let mock = MockEndpoint::start();
    mock.push(Answer::text("Hello there").stall_after(1));
    let model = OpenAiModel::new(endpoint(&mock));
    drop(model.stream(ask("never polled").into()));
    let mut stream = model.stream(ask("hi").into());
    assert_eq!(stream.next().await, Some(Ok(ModelEvent::Delta("Hello ".into()))));
    assert_eq!(mock.chats().len(), 1);
    drop(stream);
    tokio::task::spawn_blocking(move || mock.wait_for_hang_ups(1)).await.unwrap();
}

#[tokio::test]
async fn without_a_key_no_authorization_is_sent() {
    let mock = MockEndpoint::start();
    let endpoint = Endpoint::new(&mock.base_url(), None, Timeouts::default()).unwrap();
    assert_eq!(run(&OpenAiModel::new(endpoint), ask("hi")).await.unwrap().text, "ok");
    assert_eq!(mock.requests()[0].header("authorization"), None);
}

#[tokio::test]
async fn tool_calls_come_whole_with_the_end() {
    let calls = [("recall", json!({ "query": "tea" })), ("remember", json!({ "text": "tea" }))];
    let outcome = call(Answer::tool_calls(&calls)).await.unwrap();
    let call = |id: &str, name: &str, arguments: &str| ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    };
    let expected =
        [call("call_1", "recall", r#"{"query":"tea"}"#), call("call_2", "remember", r#"{"text":"tea"}"#)];
    assert_eq!((outcome.tool_calls.as_slice(), outcome.reason), (&expected[..], FinishReason::ToolCalls));
}

#[tokio::test]
async fn a_complete_answer_in_place_of_a_stream_is_an_answer() {
    let outcome = call(Answer::unstreamed("All at\nonce")).await.unwrap();
    assert_eq!((outcome.text.as_str(), outcome.usage.estimated), ("All at\nonce", false));
}

#[tokio::test]
async fn l3_one_call_is_one_request_whatever_the_endpoint_answers() {
    for status in [429, 500, 502, 503, 529] {
        // `call` counts the requests
        let error = call(Answer::error(status, "not now")).await.unwrap_err();
        assert!(error.is_transient(), "{status}: {error}");
    }
}

#[tokio::test]
async fn l3_nobody_listening_is_unreachable_and_says_what_to_do() {
    let port = MockEndpoint::start().port(); // the endpoint is dropped at once
    let endpoint = Endpoint::new(&format!("http://127.0.0.1:{port}"), None, Timeouts::default()).unwrap();
    let error = run(&OpenAiModel::new(endpoint), ask("hi")).await.unwrap_err();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().contains("refused") && error.to_string().contains("running?"), "{error}");
}

#[tokio::test]
async fn l1_the_wait_the_endpoint_asks_for_is_read_from_its_header() {
    let asked = |error| match error {
        ModelError::RateLimited { retry_after, .. } => retry_after,
        other => panic!("{other:?}"),
    };
    let busy = || Answer::error(429, "slow down");
    assert_eq!(asked(call(busy().header("retry-after", "7")).await.unwrap_err()), Some(ms(7000)));
    let date = busy()
        .header("date", "Sun, 06 Nov 1994 08:49:37 GMT")
        .header("retry-after", "Sun, 06 Nov 1994 08:49:40 GMT");
    assert_eq!(asked(call(date).await.unwrap_err()), Some(ms(3000)));
    assert_eq!(asked(call(busy()).await.unwrap_err()), None);
}

#[tokio::test]
async fn l5_a_reset_before_any_token_breaks_the_call_off() {
    let error = call(Answer::reset()).await.unwrap_err();
    assert!(matches!(error, ModelError::Broken { .. }), "{error:?}");
}

#[tokio::test]
async fn l6_a_reset_after_tokens_breaks_the_call_off() {
    let error = call(Answer::text("one two three").reset_after(2)).await.unwrap_err();
    assert!(matches!(error, ModelError::Broken { .. }), "{error:?}");
    let arguments = json!({ "text": "a truncated call" });
    let error = call(Answer::tool_call("remember", &arguments).reset_after(2)).await.unwrap_err();
    assert!(matches!(error, ModelError::Broken { .. }), "{error:?}");
}

#[tokio::test]
async fn l7_a_stream_that_ends_without_a_reason_is_a_failure() {
    for answer in [Answer::text("half an").end_after(1), Answer::text("nothing").end_after(0)] {
        let error = call(answer).await.unwrap_err();
        assert!(matches!(error, ModelError::Broken { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn l7_a_reason_or_done_is_enough_and_what_follows_the_reason_does_no_harm() {
    for answer in [
        Answer::text("all there").without_done(),
        Answer::text("all there").without_finish(),
        Answer::text("all there").without_done().without_usage().raw_after(2, "").finish("eos"),
    ] {
        let outcome = call(answer).await.unwrap();
        assert_eq!((outcome.text.as_str(), outcome.reason), ("all there", FinishReason::Stop));
    }
}

#[tokio::test]
async fn l8_an_error_object_in_a_stream_is_a_failure() {
    let error = json!({ "error": { "message": "the GPU is on fire", "type": "server_error" } });
    for answer in [Answer::text("so far").chunk_after(1, error.clone()), Answer::json(&error)] {
        let error = call(answer).await.unwrap_err();
        assert!(matches!(error, ModelError::Server { .. }), "{error:?}");
        assert!(error.to_string().contains("the GPU is on fire"), "{error}");
    }
}

#[tokio::test]
async fn l9_nonsense_in_a_stream_is_a_typed_error_in_one_short_line() {
    let huge = vec![b'x'; 10 << 20];
    for nonsense in [&b"data: {\"choices\": [\n\n"[..], b"data: \xff\xfe\n\n", &huge] {
        let error = call(Answer::text("so far").raw_after(1, nonsense)).await.unwrap_err();
        assert!(matches!(error, ModelError::Broken { .. }), "{error:?}");
        assert!(error.to_string().len() < 500 && !error.to_string().contains('\n'), "{error}");
    }
}

#[tokio::test]
async fn l9_characters_torn_apart_are_put_together() {
    assert_eq!(call(Answer::text("Grüße 🎭").torn()).await.unwrap().text, "Grüße 🎭");
}

#[tokio::test]
async fn l10_empty_choices_are_skipped_while_streaming_and_an_error_as_the_answer() {
    let empty = json!({ "choices": [] });
    let outcome = call(Answer::text("one two").chunk_after(0, empty.clone()).chunk_after(1, empty.clone()));
    assert_eq!(outcome.await.unwrap().text, "one two");
    let error = call(Answer::json(&empty)).await.unwrap_err();
    assert!(matches!(error, ModelError::Broken { .. }), "{error:?}");
}

#[tokio::test]
async fn l11_the_filter_refuses_visibly_in_the_stream_or_by_status() {
    let outcome = call(Answer::text("I").finish("content_filter")).await.unwrap();
    assert_eq!(outcome.reason, FinishReason::ContentFilter);
    let error = json!({ "error": { "code": "content_filter", "message": "the prompt was filtered" } });
    let by_status = Answer::status(400).body(error.to_string(), "application/json");
    let outcome = call(by_status).await.unwrap();
    assert_eq!((outcome.text.as_str(), outcome.reason), ("", FinishReason::ContentFilter));
}

#[tokio::test]
async fn l12_a_request_too_long_is_told_apart_from_throttling() {
    let error = call(Answer::error(400, "This model's maximum context length is 8192 tokens")).await;
    assert!(matches!(error.unwrap_err(), ModelError::ContextLength { .. }));
    let error = call(Answer::error(429, "Limit 30000 tokens per min, maximum context length 8192")).await;
    assert!(matches!(error.unwrap_err(), ModelError::RateLimited { .. }));
}

#[tokio::test]
async fn l13_events_delivered_twice_count_once() {
    let outcome = call(Answer::text("ha ha ha").duplicated()).await.unwrap();
    assert_eq!(outcome.text, "ha ha ha");
    let outcome = call(Answer::tool_call("recall", &json!({ "query": "tea" })).duplicated()).await.unwrap();
    assert_eq!(outcome.tool_calls.len(), 1);
    assert_eq!(outcome.tool_calls[0].arguments, r#"{"query":"tea"}"#);
}

#[tokio::test]
async fn l14_usage_that_is_missing_is_estimated() {
    let usage = call(Answer::text("twelve bytes").without_usage()).await.unwrap().usage;
    assert_eq!(usage, Usage { prompt_tokens: 21, completion_tokens: 3, estimated: true, cost_micros: 0 });
}

#[tokio::test]
async fn a_key_or_a_model_that_is_refused_says_what_to_do() {
    let error = call(Answer::error(401, "Incorrect API key")).await.unwrap_err();
    assert!(error.to_string().contains("config show") && !error.is_transient(), "{error}");
    let error = call(Answer::error(404, "The model `mock` does not exist")).await.unwrap_err();
    assert!(error.to_string().contains("--model") && !error.is_transient(), "{error}");
}

#[tokio::test]
async fn a_request_refused_for_an_optional_field_goes_out_without_it() {
    let mock = MockEndpoint::start();
    mock.push(Answer::error(400, "Unrecognized request argument supplied: stream_options"));
    mock.push(Answer::error(400, "stream_options again?"));
    let error = run(&OpenAiModel::new(endpoint(&mock)), ask("hi")).await.unwrap_err();
    assert!(matches!(error, ModelError::Rejected { status: 400, .. }), "{error:?}");
    let sent: Vec<_> = mock.chats().iter().map(|body| body.get("stream_options").is_some()).collect();
    assert_eq!(sent, [true, false]);
}

#[tokio::test]
async fn a_redirect_is_not_followed_since_the_key_is_for_one_host() {
    let elsewhere = MockEndpoint::start();
    let moved = Answer::status(307).header("location", &elsewhere.base_url());
    let error = call(moved).await.unwrap_err();
    assert!(matches!(error, ModelError::Rejected { status: 307, .. }), "{error:?}");
    assert!(elsewhere.requests().is_empty());
}
