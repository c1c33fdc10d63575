//! Retries and their waits, with scripted models under paused time, where a wait of an hour is exact and takes no
//! time.

use std::sync::Arc;

use greenroom_core::SystemEntropy;
use greenroom_models::{Resilient, ScriptedModel};
use tokio::time::Instant;

use super::*;
use crate::scripted::script;

const TURN: Duration = Duration::from_secs(600);

fn resilient(steps: &str) -> (Resilient, ScriptedModel) {
    let scripted = script(steps);
    let model: Arc<dyn ChatModel> = Arc::new(scripted.clone());
    (Resilient::for_turn(model, 2, TURN, Arc::new(SystemEntropy)), scripted)
}

/// All events of a call, shortened, and how long it took.
async fn told(model: &dyn ChatModel) -> (Vec<String>, Duration) {
    let began = Instant::now();
    let mut stream = model.stream(ask("hi").into());
    let mut told = Vec::new();
    while let Some(event) = stream.next().await {
        told.push(match event {
            Ok(ModelEvent::Delta(text)) => text,
            Ok(ModelEvent::Discarded { .. }) => "discarded".into(),
            Ok(ModelEvent::Retrying { attempt, .. }) => format!("try {attempt}"),
            Ok(ModelEvent::Finished { tool_calls, .. }) => format!("finished, {} calls", tool_calls.len()),
            Err(error) => format!("{:?}", error.code()),
        });
    }
    (told, began.elapsed())
}

#[tokio::test(start_paused = true)]
async fn l1_the_wait_the_endpoint_asks_for_is_kept_exactly() {
    let (model, script) = resilient("[[step]]\nfail = '429'\nretry_after = 77\n[[step]]\nsay = 'ok'");
    let (told, took) = told(&model).await;
    assert_eq!(told, ["try 2", "ok", "finished, 0 calls"]);
    assert_eq!(took.as_secs(), 77);
    assert!(script.finished());
}

#[tokio::test(start_paused = true)]
async fn l1_a_wait_beyond_the_turn_fails_at_once_and_says_so() {
    let (model, _) = resilient("[[step]]\nfail = '429'\nretry_after = 601");
    let began = Instant::now();
    let error = model.stream(ask("hi").into()).next().await.unwrap().unwrap_err();
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert!(error.to_string().contains("it asks to wait 601s, and 600s of the turn are left"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn l2_without_a_header_the_waits_grow_with_jitter() {
    let (model, _) = resilient("[[step]]\nfail = '429'\n[[step]]\nfail = '429'\n[[step]]\nsay = 'ok'");
    let (told, took) = told(&model).await;
    assert_eq!(told, ["try 2", "try 3", "ok", "finished, 0 calls"]);
    assert!((ms(750)..=ms(1502)).contains(&took), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn l3_at_most_two_retries_then_the_turn_fails() {
    for (fail, code) in [("5xx", "ModelBroken"), ("unreachable", "ModelUnreachable")] {
        let (model, script) = resilient(&format!("[[step]]\nfail = '{fail}'\n").repeat(3));
        assert_eq!(told(&model).await.0, ["try 2", "try 3", code]);
        assert!(script.finished());
    }
}

#[tokio::test(start_paused = true)]
async fn l3_then_the_fallback_model_is_asked_once() {
    let (model, _) = resilient(&"[[step]]\nfail = '5xx'\n".repeat(3));
    let fallback = script("[[step]]\nsay = 'here'\n[step.expect]\nmodel = 'small'");
    let model = model.with_fallback(Arc::new(fallback), "small");
    assert_eq!(told(&model).await.0, ["try 2", "try 3", "try 4", "here", "finished, 0 calls"]);

    let (model, _) = resilient(&"[[step]]\nfail = '5xx'\n".repeat(3));
    let model = model.with_fallback(Arc::new(script("[[step]]\nfail = 'unreachable'")), "small");
    assert_eq!(told(&model).await.0, ["try 2", "try 3", "try 4", "ModelUnreachable"]);
}

#[tokio::test(start_paused = true)]
async fn l3_a_wait_beyond_the_turn_goes_to_the_fallback_instead() {
    let (model, _) = resilient("[[step]]\nfail = '429'\nretry_after = 601");
    let model = model.with_fallback(Arc::new(script("[[step]]\nsay = 'here'")), "small");
    assert_eq!(told(&model).await.0, ["try 2", "here", "finished, 0 calls"]);
}

#[tokio::test(start_paused = true)]
async fn l3_what_no_waiting_mends_is_not_tried_again() {
    for fail in ["unauthorized", "unknown_model", "context_length"] {
        let (model, _) = resilient(&format!("[[step]]\nfail = '{fail}'"));
        let model = model.with_fallback(Arc::new(script("[[step]]\nsay = 'here'")), "small");
        assert_eq!(told(&model).await.0.len(), 1, "{fail}");
    }
}

#[tokio::test(start_paused = true)]
async fn l6_after_tokens_the_reply_is_discarded_and_started_afresh_once() {
    let (model, _) = resilient("[[step]]\nsay = 'half an'\nfail = 'reset'\n[[step]]\nsay = 'whole'");
    let expected = ["half ", "an", "discarded", "try 2", "whole", "finished, 0 calls"];
    assert_eq!(told(&model).await.0, expected);
}

#[tokio::test(start_paused = true)]
async fn l6_the_second_time_it_fails_and_what_went_out_is_void() {
    let (model, script) = resilient(&"[[step]]\nsay = 'half'\nfail = 'reset'\n".repeat(2));
    let expected = ["half", "discarded", "try 2", "half", "discarded", "ModelBroken"];
    assert_eq!(told(&model).await.0, expected);
    assert!(script.finished());
}

#[tokio::test(start_paused = true)]
async fn l6_starting_afresh_is_one_of_the_two_retries() {
    let steps = "[[step]]\nsay = 'half'\nfail = 'reset'\n".to_owned() + &"[[step]]\nfail = '5xx'\n".repeat(2);
    let (model, script) = resilient(&steps);
    assert_eq!(told(&model).await.0, ["half", "discarded", "try 2", "try 3", "ModelBroken"]);
    assert!(script.finished());
}

#[tokio::test(start_paused = true)]
async fn l4_the_turn_has_a_deadline_over_all_its_calls() {
    let (model, _) = resilient("[[step]]\nsay = 'first'\n[[step]]\nsay = 'then'\nfail = 'stall'");
    told(&model).await;
    tokio::time::advance(Duration::from_secs(500)).await;
    let (told, took) = told(&model).await;
    assert_eq!(told, ["then", "discarded", "ModelTimeout"]);
    assert_eq!(took.as_secs(), 100);
}

#[tokio::test]
async fn l5_l6_a_truncated_tool_call_never_surfaces_and_the_whole_one_comes_once() {
    let mock = MockEndpoint::start();
    let arguments = serde_json::json!({ "text": "likes tea" });
    mock.push(Answer::reset());
    mock.push(Answer::tool_call("remember", &arguments).reset_after(2));
    mock.push(Answer::tool_call("remember", &arguments));
    let model = Arc::new(OpenAiModel::new(endpoint(&mock)));
    let model = Resilient::for_turn(model, 2, TURN, Arc::new(SystemEntropy));
    assert_eq!(told(&model).await.0, ["try 2", "try 3", "finished, 1 calls"]);
    assert_eq!(mock.chats().len(), 3);
}
