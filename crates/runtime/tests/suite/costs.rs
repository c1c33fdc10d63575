//! Limits of cost: what happens when a persona reaches its limit, and what a preview shows of limits.

use std::time::Duration;

use greenroom_core::{ActorState, ChatEvent, Envelope, ErrorCode, NoticeCode, Standing};
use greenroom_persona::{AtCostLimit, GlobalRoom, Persona};

use crate::{house::*, talking::limited};

/// A persona with a limit of 2 per day, where one exchange costs 1.5.
fn dear(at_cost_limit: AtCostLimit) -> Persona {
    let mut ada = persona("ada");
    ada.limits.cost_per_day = 2.0;
    ada.limits.at_cost_limit = at_cost_limit;
    ada.limits.tool_rounds = 0;
    ada
}

async fn standing(house: &House) -> Standing {
    house.runtime.usage().await.unwrap()[0].standing
}

#[tokio::test]
async fn wb12_a_persona_that_has_cost_what_it_may_answers_no_more_until_the_day_has_room() {
    let mut house = House::with(vec![dear(AtCostLimit::Block)]).await;
    house.exchange("ada", "one", "1").await;
    assert_eq!(standing(&house).await, Standing::Within);
    let events = house.exchange("ada", "two", "2").await;
    let Some(ChatEvent::Done { usage, .. }) = events.last() else { panic!("{events:?}") };
    assert_eq!(usage.cost_micros, 1_500_000);
    let (code, message) = failure(&all(house.say("three").await.events).await);
    assert_eq!(code, ErrorCode::BudgetExceeded);
    assert_eq!(
        message,
        "ada has cost 3 within the last 24 hours; its limit is 2; wait, or raise limits.cost_per_day"
    );
    assert!(!house.was_called());
    assert_eq!(house.state("ada"), Some(ActorState::BudgetExceeded));
    assert_eq!(standing(&house).await, Standing::Blocked);
    house.clock.advance(Duration::from_secs(24 * 3600 + 1));
    assert_eq!(reply(&house.exchange("ada", "four", "4").await), "4");
}

#[tokio::test]
async fn a_persona_that_is_only_warned_answers_and_says_so() {
    let mut house = House::with(vec![dear(AtCostLimit::Warn)]).await;
    house.exchange("ada", "one", "1").await;
    house.exchange("ada", "two", "2").await;
    let events = house.exchange("ada", "three", "3").await;
    let warned =
        |event: &ChatEvent| matches!(event, ChatEvent::Notice { code: NoticeCode::BudgetWarning, .. });
    assert!(events.iter().any(warned), "{events:?}");
    assert_eq!(reply(&events), "3");
    assert_eq!(standing(&house).await, Standing::Warned);
}

#[tokio::test]
async fn a_cheaper_model_answers_where_the_persona_says_so() {
    let mut ada = dear(AtCostLimit::Downgrade);
    ada.limits.downgrade_to = Some("cheap".into());
    let mut house = House::with(vec![ada]).await;
    house.exchange("ada", "one", "1").await;
    house.exchange("ada", "two", "2").await;
    let preview = house.runtime.preview(house.envelope("three")).await.unwrap();
    assert_eq!((preview.model.as_str(), preview.receipt.model.as_str()), ("cheap", "cheap"));
    let sent = house.say("three").await;
    let call = house.call().await;
    assert_eq!(call.request.model, "cheap");
    call.answer("3");
    let events = all(sent.events).await;
    let Some(ChatEvent::TurnStarted { model, .. }) = events.first() else { panic!("{events:?}") };
    assert_eq!(model, "cheap");
    let Some(ChatEvent::Done { usage, .. }) = events.last() else { panic!("{events:?}") };
    assert_eq!(usage.cost_micros, 110, "at the price of the model that answered");
    assert_eq!(standing(&house).await, Standing::Downgraded);
}

#[tokio::test]
async fn a_limit_of_cost_holds_only_where_the_price_is_known() {
    let mut ada = dear(AtCostLimit::Downgrade);
    ada.limits.downgrade_to = Some("unpriced".into());
    let mut house = House::with(vec![ada]).await;
    house.exchange("ada", "one", "1").await;
    house.exchange("ada", "two", "2").await;
    let (code, message) = failure(&all(house.say("three").await.events).await);
    assert_eq!(code, ErrorCode::BudgetExceeded);
    assert!(message.contains("set price in [models.\"unpriced\"]"), "{message}");
    assert!(!house.was_called());
}

#[tokio::test]
async fn wb12_what_small_models_used_counts_after_a_restart_too() {
    let mut ada = persona("ada");
    ada.limits.tokens_per_hour = 100;
    ada.limits.tool_rounds = 0;
    let house = House::with(vec![ada]).await;
    let used = greenroom_core::Usage { prompt_tokens: 90, completion_tokens: 11, ..Default::default() };
    let now = greenroom_core::Time::now(&*house.clock);
    greenroom_store::TurnStore::record_side_usage(&*house.store, &"ada".parse().unwrap(), now, used)
        .await
        .unwrap();
    let (code, _) = failure(&all(house.say("hello").await.events).await);
    assert_eq!(code, ErrorCode::BudgetExceeded);
    assert_eq!(
        (standing(&house).await, house.state("ada")),
        (Standing::Blocked, Some(ActorState::BudgetExceeded))
    );
    house.clock.advance(Duration::from_secs(3601));
    assert_eq!(standing(&house).await, Standing::Within);
}

#[tokio::test]
async fn rm4_a_preview_shows_the_context_within_the_grant_of_its_room() {
    let room = GlobalRoom { tokens_per_answer: 1_500, ..GlobalRoom::default() };
    let mut house = House::as_wished(vec![shy("ada"), shy("bob")], limited(room)).await;
    let long = "the harbour is full of boats and every one of them has a name ".repeat(10);
    for _ in 0..14 {
        house.say(&long).await;
    }
    let asked = Envelope { to: Some(name("ada")), ..house.envelope("and now?") };
    let preview = house.runtime.preview(asked.clone()).await.unwrap();
    let sent = house.send(asked).await.unwrap();
    let call = house.call().await;
    assert_eq!(call.request.messages, preview.messages);
    call.answer("It is full.");
    let events = all(sent.events).await;
    let told = receipt(&events);
    assert_eq!((told.window, preview.receipt.window), (1_500, 1_500));
    assert_eq!(told.notes, preview.receipt.notes);
    let notes = told.notes.join("\n");
    assert!(notes.contains("an answer may take 1500 tokens in this room"), "{notes}");
    assert!(notes.contains("a larger room.tokens_per_answer holds more"), "{notes}");
    assert!(!notes.contains("a model with a larger window"), "{notes}");
}
