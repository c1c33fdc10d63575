//! Turns whose conversation comes with the request: they run like every other turn and leave nothing behind.

use greenroom_core::{ChannelKey, ChatEvent, ErrorCode, Finish, MessageId, ToolSchema};
use greenroom_persona::{Answer, Persona};
use greenroom_runtime::{Completion, ConversationLine, RuntimeError, UserLine};
use greenroom_store::prelude::*;
use serde_json::json;

use super::house::*;

fn completion(text: &str) -> Completion {
    Completion {
        persona: name("ada"),
        user: "mo".parse().unwrap(),
        person: None,
        system: Vec::new(),
        history: Vec::new(),
        asked: UserLine { name: None, text: text.into() },
        since: Vec::new(),
        tools: Vec::new(),
        own_tools: true,
        reply_options: greenroom_core::ReplyOptions::default(),
        disable_memory: false,
    }
}

fn thrifty(tokens_per_hour: u64) -> Persona {
    let mut ada = persona("ada");
    ada.limits.tokens_per_hour = tokens_per_hour;
    ada.limits.tool_rounds = 0;
    ada
}

#[tokio::test]
async fn the_events_are_those_of_every_turn_and_nothing_is_stored() {
    let mut house = House::with(vec![persona("ada")]).await;
    let said = vec![ConversationLine::Persona { text: "Hello.".into(), calls: Vec::new() }];
    let events = house.runtime.complete(Completion { history: said, ..completion("hi") }).unwrap();
    let call = house.call().await;
    assert_eq!(call.text(), "System: You are ada.\nAssistant: Hello.\nUser: hi\n");
    call.answer("How are you?");
    let events = all(events).await;
    assert_eq!(kinds(&events), ["turn_started", "context_assembled", "token_delta", "done"]);
    let Some(ChatEvent::Done { message_id, .. }) = events.last() else { panic!("{events:?}") };
    assert_eq!(*message_id, MessageId::UNSTORED);
    assert!(house.said().await.is_empty() && house.memories("ada").await.is_empty());
    assert_eq!(house.store.unfinished(None).await.unwrap(), []);
    assert!(house.store.history(&ChannelKey::nowhere(), None, 9).await.unwrap().is_empty());
}

#[tokio::test]
async fn all_that_is_given_is_the_history_however_much_it_is() {
    let mut house = House::with(vec![persona("ada")]).await;
    let line = |n| ConversationLine::Persona { text: format!("line {n}"), calls: Vec::new() };
    let said = (0..300).map(line).collect();
    let events = house.runtime.complete(Completion { history: said, ..completion("hi") }).unwrap();
    let call = house.call().await;
    let told = call.text();
    assert_eq!(told.matches("Assistant: line ").count(), 300, "{told}");
    call.answer("yes");
    all(events).await;
}

#[tokio::test]
async fn wb12_what_it_used_counts_for_the_hour() {
    let mut house = House::with(vec![thrifty(100)]).await;
    let events = house.runtime.complete(completion("hello")).unwrap();
    house.call().await.answer("hi");
    all(events).await;
    let again = all(house.runtime.complete(completion("hello again")).unwrap()).await;
    assert!(matches!(again.last(), Some(ChatEvent::Failed { code: ErrorCode::BudgetExceeded, .. })));
    let stored = all(house.say("and here?").await.events).await;
    assert!(matches!(stored.last(), Some(ChatEvent::Failed { code: ErrorCode::BudgetExceeded, .. })));
}

#[tokio::test]
async fn it_is_broken_off_when_nobody_listens() {
    let mut house = House::with(vec![persona("ada")]).await;
    let events = house.runtime.complete(completion("hello")).unwrap();
    let call = house.call().await;
    drop(events);
    call.dropped().await;
}

#[tokio::test]
async fn a_tool_of_whoever_asks_ends_it() {
    let mut house = House::with(vec![persona("ada")]).await;
    let (weather, parameters) = ("weather", json!({ "type": "object" }));
    let tools = vec![ToolSchema { name: weather.into(), description: String::new(), parameters }];
    let events = house.runtime.complete(Completion { tools, ..completion("rain?") }).unwrap();
    let call = house.call().await;
    let offered: Vec<_> = call.request.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(offered, ["recall", weather], "there is no place to remember to");
    call.wants(&[(weather, r#"{"place":"Oslo"}"#)]);
    let events = all(events).await;
    assert!(matches!(events.last(), Some(ChatEvent::Done { finish: Finish::ToolCalls, .. })), "{events:?}");
}

#[tokio::test]
async fn who_answers_nobody_or_is_stopped_answers_nobody_here() {
    let mut ada = persona("ada");
    ada.room.answer = Answer::Never;
    let house = House::with(vec![ada, persona("bo")]).await;
    house.runtime.stop_all().await;
    for who in ["ada", "bo"] {
        let refused = house.runtime.complete(Completion { persona: name(who), ..completion("hi") });
        assert!(matches!(refused, Err(RuntimeError::Context { code: ErrorCode::PersonaStopped, .. })));
    }
    let nobody = house.runtime.complete(Completion { persona: name("eve"), ..completion("hi") });
    assert!(matches!(nobody, Err(RuntimeError::UnknownPersona { .. })));
}
