//! Tests of the crate's public API, against a mock endpoint on loopback and with scripts under paused time. The
//! prefix of a test's name, such as `l3`, is the requirement that the test proves.
// helpers are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

mod chat;
mod embeddings;
mod probe;
mod retry;
mod scripted;
mod secrets;
mod timeouts;

use std::time::Duration;

use futures::StreamExt;
use greenroom_core::{ChatMessage, Role, ToolCall, Usage};
use greenroom_models::{
    ChatModel, ChatRequest, Endpoint, FinishReason, ModelError, ModelEvent, OpenAiModel, Timeouts,
};
use greenroom_tests::{Answer, MockEndpoint};

/// A request of one user message.
fn ask(text: &str) -> ChatRequest {
    ChatRequest {
        model: "mock".into(),
        messages: vec![ChatMessage::new(Role::User, text)],
        tools: Vec::new(),
        temperature: 0.7,
        max_output_tokens: 64,
        prompt_tokens: 21,
        extra: Default::default(),
    }
}

/// An endpoint with timeouts long enough for a slow machine.
fn endpoint(mock: &MockEndpoint) -> Endpoint {
    Endpoint::new(&mock.base_url(), Some("sk-test"), Timeouts::default()).unwrap()
}

/// The outcome of a whole call.
#[derive(Debug, Clone, PartialEq)]
struct Outcome {
    text: String,
    tool_calls: Vec<ToolCall>,
    reason: FinishReason,
    usage: Usage,
}

/// Runs a call to its end, without any retry.
async fn run(model: &dyn ChatModel, request: ChatRequest) -> Result<Outcome, ModelError> {
    let mut stream = model.stream(request.into());
    let mut text = String::new();
    while let Some(event) = stream.next().await {
        match event? {
            ModelEvent::Delta(delta) => text.push_str(&delta),
            ModelEvent::Finished { tool_calls, reason, usage } => {
                assert!(stream.next().await.is_none(), "something comes after the end");
                return Ok(Outcome { text, tool_calls, reason, usage });
            }
            other => panic!("one attempt gives no {other:?}"),
        }
    }
    panic!("the stream ended without an end");
}

/// One call against an endpoint that gives this answer.
async fn call(answer: Answer) -> Result<Outcome, ModelError> {
    let mock = MockEndpoint::start();
    mock.push(answer);
    let outcome = run(&OpenAiModel::new(endpoint(&mock)), ask("hi")).await;
    assert_eq!(mock.requests().len(), 1, "one call is one request");
    outcome
}

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}
