//! Helpers that read the events of a turn.

use std::sync::Arc;

use greenroom_core::{ChatEvent, ErrorCode, NoticeCode, Receipt, TurnEvent};
use greenroom_runtime::TurnEvents;

use super::TOO_LONG;

/// The next event.
pub async fn next(events: &mut TurnEvents) -> Option<TurnEvent> {
    let event = tokio::time::timeout(TOO_LONG, events.recv()).await.expect("an event, or the end of them");
    event.map(Arc::unwrap_or_clone)
}

/// Every event until the end.
pub async fn all(mut events: TurnEvents) -> Vec<ChatEvent> {
    let mut seen = Vec::new();
    while let Some(event) = next(&mut events).await {
        seen.push(event.event);
    }
    seen
}

/// The receipt that a turn published.
pub fn receipt(events: &[ChatEvent]) -> &Receipt {
    let shown = events.iter().find_map(|event| match event {
        ChatEvent::ContextAssembled { receipt } => Some(receipt),
        _ => None,
    });
    shown.expect("a receipt")
}

/// The memories that a turn published as recalled.
pub fn recalled(events: &[ChatEvent]) -> Vec<&str> {
    let snippets = events.iter().filter_map(|event| match event {
        ChatEvent::MemoryContext { memories } => Some(memories),
        _ => None,
    });
    snippets.flat_map(|memories| memories.iter()).map(|snippet| snippet.text.as_str()).collect()
}

/// The notices with this code.
pub fn notices(events: &[ChatEvent], wanted: NoticeCode) -> Vec<&str> {
    let message = |event| match event {
        &ChatEvent::Notice { code, ref message } if code == wanted => Some(message.as_str()),
        _ => None,
    };
    events.iter().filter_map(message).collect()
}

/// The names of events, in order.
pub fn kinds(events: &[ChatEvent]) -> Vec<String> {
    let kind = |event: &ChatEvent| serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned();
    events.iter().map(kind).collect()
}

/// The code and message of the failure that ends a turn.
pub fn failure(events: &[ChatEvent]) -> (ErrorCode, String) {
    match events.last() {
        Some(ChatEvent::Failed { code, message }) => (*code, message.clone()),
        other => panic!("the turn should have failed and ended with {other:?}"),
    }
}

/// The reply that ends a turn.
pub fn reply(events: &[ChatEvent]) -> String {
    match events.last() {
        Some(ChatEvent::Done { text, .. }) => text.clone(),
        other => panic!("the turn should have a reply and ended with {other:?}"),
    }
}
