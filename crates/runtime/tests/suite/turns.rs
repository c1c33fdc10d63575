//! One turn: its events, its ways to end, its tool rounds.

use greenroom_core::{ActorState, ChatEvent, ErrorCode, Finish, NoticeCode, Offered, Role, Standing};
use greenroom_models::{FinishReason, ModelError, ModelEvent};
use greenroom_runtime::{RuntimeError, Sent};
use greenroom_store::{TurnState, prelude::*};

use super::house::*;

#[tokio::test]
async fn bd5_events_come_in_the_order_of_the_architecture() {
    let mut house = House::with(vec![persona("ada")]).await;
    house.exchange("ada", "Remember that the harbour opens at nine", "Noted.").await;

    let sent = house.say_to("ada", "When does the harbour open?").await;
    let call = house.call().await;
    call.says("Let me look.");
    call.wants(&[("recall", r#"{"query":"harbour"}"#)]);
    house.call().await.answer("At nine.");
    let events = all(sent.events).await;
    let order = [
        "turn_started",
        "memory_context",
        "context_assembled",
        "token_delta",
        "tool_call",
        "tool_result",
        "token_delta",
        "done",
    ];
    assert_eq!(kinds(&events), order);
    assert_eq!(reply(&events), "Let me look.\n\nAt nine.");
}

#[tokio::test]
async fn the_deltas_put_together_are_the_stored_reply() {
    let mut house = House::with(vec![persona("ada")]).await;
    let sent = house.say("hello").await;
    let call = house.call().await;
    call.says("Good ");
    call.says("day");
    call.finishes(FinishReason::Length);
    let events = all(sent.events).await;
    let deltas: String = events
        .iter()
        .filter_map(|e| if let ChatEvent::TokenDelta { text } = e { Some(text.as_str()) } else { None })
        .collect();
    assert_eq!(deltas, "Good day");
    assert!(matches!(events.last(), Some(ChatEvent::Done { finish: Finish::Length, .. })));
    assert_eq!(house.said().await, ["hello", "Good day"]);
    assert_eq!(house.state("ada"), Some(ActorState::Idle));
}

#[tokio::test]
async fn l6_a_discarded_reply_is_void_and_what_earlier_rounds_said_is_not() {
    let mut house = House::with(vec![persona("ada")]).await;
    let sent = house.say("hello").await;
    let call = house.call().await;
    call.says("One.");
    call.wants(&[("recall", r#"{"query":"x"}"#)]);
    let call = house.call().await;
    call.says("Tw");
    call.emits(ModelEvent::Discarded { reason: "the connection broke".into() });
    call.emits(ModelEvent::Retrying { attempt: 2, reason: "the connection broke".into() });
    call.answer("Two.");
    let events = all(sent.events).await;
    let from = events.iter().position(|e| matches!(e, ChatEvent::ReplyDiscarded { .. })).unwrap();
    let deltas: String = events[from..]
        .iter()
        .filter_map(|e| if let ChatEvent::TokenDelta { text } = e { Some(text.as_str()) } else { None })
        .collect();
    assert_eq!(deltas, "One.\n\nTwo.");
    assert_eq!(reply(&events), deltas);
    assert!(events.iter().any(|e| matches!(e, ChatEvent::Notice { code: NoticeCode::Retrying, .. })));
}

#[tokio::test]
async fn as4_a_turn_cut_short_by_the_tool_limit_is_stored() {
    let mut ada = persona("ada");
    ada.limits.tool_rounds = 2;
    let mut house = House::with(vec![ada]).await;
    let sent = house.say("dig deep").await;
    for query in ["a", "b", "c"] {
        house.call().await.wants(&[("recall", &format!(r#"{{"query":"{query}"}}"#))]);
    }
    let last = house.call().await;
    assert!(last.request.tools.is_empty(), "the last call is made without tools");
    let calls = last.request.messages.iter().filter(|m| m.role == Role::Tool).count();
    assert_eq!(calls, 3, "every call has its result");
    last.answer("That is what I found.");
    let events = all(sent.events).await;
    assert!(events.iter().any(|e| matches!(e, ChatEvent::Notice { code: NoticeCode::ToolsCutOff, .. })));
    let Some(ChatEvent::Done { finish, usage, .. }) = events.last() else { panic!("{events:?}") };
    assert_eq!(*finish, Finish::ToolLimit);
    assert_eq!(usage.total(), 4 * 110, "all calls of the turn together");
    assert_eq!(house.said().await, ["dig deep", "That is what I found."]);
}

#[tokio::test]
async fn l15_l16_errors_of_tools_go_back_to_the_model() {
    let mut house = House::with(vec![persona("ada")]).await;
    let sent = house.say("hello").await;
    house.call().await.wants(&[("recall", "{oops"), ("fly", "{}")]);
    let call = house.call().await;
    assert!(call.text().contains("unknown tool `fly`"), "{}", call.text());
    call.answer("Sorry.");
    let events = all(sent.events).await;
    let results: Vec<bool> = events
        .iter()
        .filter_map(|e| if let ChatEvent::ToolResult { ok, .. } = e { Some(*ok) } else { None })
        .collect();
    assert_eq!(results, [false, false]);
}

#[tokio::test]
async fn l15_l17_an_empty_text_and_the_seventeenth_call_of_a_round_are_errors_for_the_model() {
    let mut house = House::with(vec![persona("ada")]).await;
    // read all the time, so that the reader does not lag
    let events = tokio::spawn(all(house.say("hello").await.events));
    let queries: Vec<String> = (0..60).map(|n| format!("{{\"query\":\"harbour {n}\"}}")).collect();
    let mut calls = vec![("recall", "")];
    calls.extend(queries.iter().map(|query| ("recall", query.as_str())));
    house.call().await.wants(&calls);
    let call = house.call().await;
    assert!(
        call.text().contains("they are empty; a call without arguments is written {}"),
        "{}",
        call.text()
    );
    assert!(call.text().contains("at most 16 calls are run in a round"), "{}", call.text());
    call.wants(&[("recall", "{\"query\":\"the next round\"}")]);
    house.call().await.answer("That is all.");
    let events = events.await.unwrap();
    let ok = |e: &ChatEvent| if let ChatEvent::ToolResult { ok, .. } = e { Some(*ok) } else { None };
    let results: Vec<bool> = events.iter().filter_map(ok).collect();
    assert_eq!(results.len(), 62, "every call has its result");
    assert_eq!(results.iter().filter(|ok| **ok).count(), 15 + 1);
    assert!(!results[0] && results[1] && !results[16] && results[61], "{results:?}");
    assert_eq!(reply(&events), "That is all.");
}

#[tokio::test]
async fn l12_a_request_that_is_too_long_is_assembled_smaller_once() {
    let mut house = House::with(vec![persona("ada")]).await;
    let too_long = || ModelError::ContextLength { endpoint: "puppet".into(), reason: "too long".into() };
    let sent = house.say("hello").await;
    house.call().await.fails(too_long());
    let second = house.call().await;
    second.answer("Hello.");
    let events = all(sent.events).await;
    assert_eq!(reply(&events), "Hello.");
    assert_eq!(kinds(&events).iter().filter(|kind| *kind == "context_assembled").count(), 1);

    let sent = house.say("again").await;
    house.call().await.fails(too_long());
    house.call().await.fails(too_long());
    assert_eq!(failure(&all(sent.events).await).0, ErrorCode::ContextFull);
    assert!(!house.was_called());
}

#[tokio::test]
async fn l11_a_refusal_is_visible_and_not_tried_again() {
    let mut house = House::with(vec![persona("ada")]).await;
    let sent = house.say("hello").await;
    house.call().await.finishes(FinishReason::ContentFilter);
    let (code, message) = failure(&all(sent.events).await);
    assert_eq!(code, ErrorCode::ModelRejected);
    assert!(message.contains("content filter"), "{message}");
    assert!(!house.was_called());
}

#[tokio::test]
async fn l7_a_stream_that_just_ends_is_a_failure_and_an_empty_reply_is_one_too() {
    let mut house = House::with(vec![persona("ada")]).await;
    let sent = house.say("hello").await;
    let call = house.call().await;
    call.says("half a sent");
    drop(call);
    let events = all(sent.events).await;
    assert_eq!(failure(&events).0, ErrorCode::ModelBroken);
    assert_eq!(house.state("ada"), Some(ActorState::Error));

    let sent = house.say("hello?").await;
    house.call().await.finishes(FinishReason::Stop);
    assert_eq!(failure(&all(sent.events).await).0, ErrorCode::ModelBroken);
    assert_eq!(house.said().await, ["hello", "hello?"], "the messages stay, no reply is made up");
}

#[tokio::test]
async fn wb12_the_hourly_budget_ends_and_comes_back() {
    let mut ada = persona("ada");
    ada.limits.tokens_per_hour = 100;
    ada.limits.tool_rounds = 0;
    let mut house = House::with(vec![ada]).await;
    house.exchange("ada", "hello", "hi").await;
    let events = all(house.say("hello again").await.events).await;
    let (code, message) = failure(&events);
    assert_eq!(code, ErrorCode::BudgetExceeded);
    assert!(message.contains("110 of 100 tokens"), "{message}");
    assert!(!house.was_called());
    assert_eq!(house.state("ada"), Some(ActorState::BudgetExceeded));
    house.clock.advance(std::time::Duration::from_secs(3601));
    assert_eq!(reply(&house.exchange("ada", "and now?", "fresh").await), "fresh");
}

#[tokio::test]
async fn wb12_a_persona_for_whose_next_request_too_little_is_left_stands_as_blocked() {
    let mut ada = persona("ada");
    ada.limits.tokens_per_hour = 115;
    ada.limits.tool_rounds = 0;
    let mut house = House::with(vec![ada]).await;
    house.exchange("ada", "hello", "hi").await;
    assert_eq!(house.runtime.usage().await.unwrap()[0].standing, Standing::Within, "110 of 115 tokens");
    assert_eq!(failure(&all(house.say("hello again").await.events).await).0, ErrorCode::BudgetExceeded);
    assert_eq!(house.runtime.usage().await.unwrap()[0].standing, Standing::Blocked);
    house.clock.advance(std::time::Duration::from_secs(3601));
    assert_eq!(house.runtime.usage().await.unwrap()[0].standing, Standing::Within);
}

#[tokio::test]
async fn wb12_a_turn_does_not_overrun_the_hourly_budget() {
    let mut ada = persona("ada");
    ada.limits.tokens_per_hour = 1_200;
    let mut house = House::with(vec![ada]).await;
    let sent = house.say("dig deep").await;
    let mut calls = 0;
    let last = loop {
        let call = house.call().await;
        calls += 1;
        if call.request.tools.is_empty() {
            break call;
        }
        call.wants(&[("recall", &format!(r#"{{"query":"{calls}"}}"#))]);
    };
    assert!((2..10).contains(&calls), "{calls}");
    last.answer("That is what I found.");
    let events = all(sent.events).await;
    let Some(ChatEvent::Done { finish, usage, .. }) = events.last() else { panic!("{events:?}") };
    assert_eq!(*finish, Finish::ToolLimit);
    assert!(usage.total() <= 1_200, "{usage:?}");
}

#[tokio::test]
async fn wb12_turns_in_other_channels_count_while_they_run() {
    let mut ada = persona("ada");
    ada.limits.tokens_per_hour = 30;
    ada.limits.tool_rounds = 0;
    let mut house = House::with(vec![ada]).await;
    let running = house.say("hello").await;
    let call = house.call().await;
    let elsewhere = house.envelope_from("mo", "terminal:other", "hello");
    let refused = house.send(elsewhere).await.unwrap();
    assert_eq!(failure(&all(refused.events).await).0, ErrorCode::BudgetExceeded);
    call.answer("hi");
    assert_eq!(reply(&all(running.events).await), "hi");
}

#[tokio::test]
async fn wb14_what_the_tools_answered_is_cut_until_it_fits() {
    let mut ada = persona("ada");
    ada.model.context_window = Some(1_200);
    ada.model.max_output_tokens = 100;
    ada.memory.summarise_history = false;
    let mut house = House::with(vec![ada]).await;
    for n in 0..6 {
        house.exchange("ada", &format!("{n} harbour {}", "word ".repeat(120)), "Noted.").await;
    }
    let sent = house.say("harbour?").await;
    house.call().await.wants(&[("recall", r#"{"query":"harbour"}"#), ("recall", r#"{"query":"word"}"#)]);
    let last = house.call().await;
    assert!(last.request.tools.is_empty(), "{}", last.text());
    assert!(last.text().contains("[cut: "), "{}", last.text());
    last.answer("At nine.");
    let events = all(sent.events).await;
    assert_eq!(reply(&events), "At nine.");
    assert_eq!(kinds(&events).iter().filter(|kind| *kind == "context_assembled").count(), 1);
}

#[tokio::test]
async fn s1_a_failed_turn_is_tried_again_for_the_same_message() {
    let mut house = House::with(vec![persona("ada")]).await;
    let sent = house.say("hello").await;
    house.call().await.finishes(FinishReason::Stop);
    all(sent.events).await;
    let again = house.retry(sent.message, "ada").await.unwrap();
    assert_eq!(again.message, sent.message);
    house.call().await.answer("hi");
    assert_eq!(reply(&all(again.events).await), "hi");
    assert_eq!(house.said().await, ["hello", "hi"]);
    let answered = house.retry(sent.message, "ada").await;
    assert!(matches!(answered, Err(RuntimeError::Store(_))), "an answered message is not answered again");
    let unknown = house.retry(greenroom_core::MessageId(99), "ada").await;
    assert!(matches!(unknown, Err(RuntimeError::UnknownMessage { .. })));
    let reply = greenroom_core::MessageId(sent.message.0 + 1);
    let refused = house.retry(reply, "ada").await.err().unwrap();
    let why = "it had no turn for it that failed or was stopped; address it in a new message";
    assert_eq!(refused.to_string(), format!("ada does not answer message {} again: {why}", reply.0));
}

#[tokio::test]
async fn s1_of_two_who_were_asked_only_the_one_who_failed_answers_again() {
    let mut house = House::with(vec![persona("ada"), persona("bo")]).await;
    let sent = house.say("hello @ada @bo").await;
    house.call().await.answer("ada speaks");
    house.call().await.finishes(FinishReason::Stop);
    all(sent.events).await;
    let again = house.retry(sent.message, "bo").await.unwrap();
    assert_eq!(again.answering.iter().map(|(who, _)| who.clone()).collect::<Vec<_>>(), [name("bo")]);
    house.call().await.answer("bo speaks");
    all(again.events).await;
    assert_eq!(house.said().await, ["hello @ada @bo", "ada speaks", "bo speaks"]);
}

#[tokio::test]
async fn wb14_a_full_context_calls_no_model_and_names_the_way_out() {
    let mut ada = persona("ada");
    ada.model.context_window = Some(200);
    let mut house = House::with(vec![ada]).await;
    let events = all(house.say(&"word ".repeat(400)).await.events).await;
    assert_eq!(kinds(&events), ["turn_started", "context_assembled", "failed"]);
    let (code, message) = failure(&events);
    assert_eq!(code, ErrorCode::ContextFull);
    assert!(
        message.contains("afresh") || message.contains("reset") || message.contains("shorter"),
        "{message}"
    );
    assert!(!house.was_called());
    assert_eq!(house.state("ada"), Some(ActorState::ContextFull));
    house.runtime.reset(&name("ada"), &channel("terminal:default")).await.unwrap();
    assert_eq!(house.state("ada"), Some(ActorState::Idle));
}

#[tokio::test]
async fn wb14_a_reset_starts_the_context_afresh() {
    let mut house = House::with(vec![persona("ada")]).await;
    house.exchange("ada", "the word is zebra", "I see.").await;
    house.runtime.reset(&name("ada"), &channel("terminal:default")).await.unwrap();
    let mut envelope = house.envelope("well?");
    envelope.disable_memory = true;
    let sent = house.send(envelope).await.unwrap();
    let call = house.call().await;
    assert!(!call.text().contains("zebra"), "{}", call.text());
    call.answer("Well.");
    all(sent.events).await;
}

#[tokio::test]
async fn gr6_a_repeated_event_makes_one_turn() {
    let mut house = House::with(vec![persona("ada")]).await;
    let envelope = house.envelope("hello");
    let first = house.send(envelope.clone()).await.unwrap();
    let again = house.send(envelope).await.unwrap();
    assert!(again.duplicate && again.answering.is_empty());
    assert_eq!(again.message, first.message);
    assert!(all(again.events).await.is_empty());
    house.call().await.answer("hi");
    all(first.events).await;
    assert!(!house.was_called());
    assert_eq!(house.said().await, ["hello", "hi"]);
}

#[tokio::test]
async fn gr6_a_reply_that_was_heard_leaves_the_outbox_and_one_that_was_not_stays() {
    let mut house = House::with(vec![persona("ada")]).await;
    let here = channel("terminal:default");
    let Sent { events, .. } = house.say("are you there?").await;
    drop(events);
    let call = house.call().await;
    call.answer("yes");
    // the next turn begins only when the first one has ended
    let events = house.exchange("ada", "hello?", "hello!").await;
    let Some(ChatEvent::Done { message_id, .. }) = events.last() else { panic!("{events:?}") };
    assert_eq!(house.store.outbox(&here).await.unwrap().len(), 2, "nobody has said that it was shown");
    house.runtime.delivered(&here, *message_id).await.unwrap();
    let undelivered = house.store.outbox(&here).await.unwrap();
    assert_eq!(undelivered.iter().map(|row| row.reply.text.as_str()).collect::<Vec<_>>(), ["yes"]);
}

#[tokio::test]
async fn a_cancelled_turn_shows_what_it_said_and_stores_no_reply() {
    let mut house = House::with(vec![persona("ada")]).await;
    let mut sent = house.say("tell me a story").await;
    let call = house.call().await;
    call.says("Once upon");
    loop {
        let event = next(&mut sent.events).await.unwrap();
        if matches!(event.event, ChatEvent::TokenDelta { .. }) {
            house.runtime.cancel(&channel("terminal:default")).await;
            let last = next(&mut sent.events).await.unwrap();
            assert_eq!(last.event, ChatEvent::Cancelled { text: "Once upon".into() });
            let turn = house.store.turn(last.turn_id).await.unwrap().unwrap();
            assert_eq!(turn.state, TurnState::Cancelled);
            assert!(turn.usage.estimated && turn.usage.total() > 0, "what was used up is counted (WB12)");
            break;
        }
    }
    assert!(next(&mut sent.events).await.is_none());
    call.dropped().await;
    assert_eq!(house.said().await, ["tell me a story"]);
    assert_eq!(reply(&house.exchange("ada", "go on", "a time").await), "a time");
}

#[tokio::test]
async fn a_preview_shows_the_context_and_stores_and_calls_nothing() {
    let mut house = House::with(vec![persona("ada")]).await;
    house.exchange("ada", "Remember that the harbour opens at nine", "Noted.").await;
    let envelope =
        greenroom_core::Envelope { to: Some(name("ada")), ..house.envelope("When does the harbour open?") };
    let preview = house.runtime.preview(envelope.clone()).await.unwrap();
    assert_eq!(preview.messages.last().unwrap().content, "When does the harbour open?");
    assert!(preview.memories.iter().any(|m| m.text.contains("nine")), "{:?}", preview.memories);
    assert!(!house.was_called());
    assert_eq!(house.said().await.len(), 2);

    let sent = house.send(envelope).await.unwrap();
    let call = house.call().await;
    assert_eq!(call.request.messages, preview.messages, "a turn takes the same way");
    let offered: Vec<_> = preview.tools.into_iter().map(Offered::from).collect();
    assert_eq!(call.request.tools, offered);
    call.answer("At nine.");
    all(sent.events).await;
}

/// S3: while the disk is full, the end of a turn is published and cannot be stored. It is stored when there is space
/// again.
#[tokio::test]
async fn s3_the_end_of_a_turn_that_a_full_disk_refused_is_stored_when_there_is_room() {
    let mut house = House::with(vec![persona("ada")]).await;
    let sent = house.say("hello").await;
    let turn = sent.turns[0];
    let call = house.call().await;
    house.store.limit_pages(1).await.unwrap();
    let reason = "no room for this ".repeat(10_000);
    call.fails(ModelError::Broken { endpoint: "puppet".into(), reason });
    assert_eq!(failure(&all(sent.events).await).0, ErrorCode::ModelBroken);
    let state = async || house.store.turn(turn).await.unwrap().unwrap().state;
    assert_eq!(state().await, TurnState::Running);
    house.store.limit_pages(1_000_000).await.unwrap();
    until(async || state().await == TurnState::Failed).await;
}
