//! Which recalled memories a context contains, and which the user is shown.

use greenroom_core::{Author, FRAME, Message, MessageId, Outcome, Section};
use greenroom_persona::{Profile, SourceSettings};
use greenroom_store::prelude::*;

use super::house::*;

#[tokio::test]
async fn bd5_what_found_no_room_in_the_context_is_not_shown_as_recalled() {
    let mut ada = persona("ada");
    ada.memory.budget_tokens = 30;
    let mut house = House::with(vec![ada]).await;
    for what in ["at nine", "until ten in the evening", "on Sundays and on holidays"] {
        house.knows("ada", &format!("the harbour is open {what}")).await;
    }
    let events = house.exchange("ada", "When is the harbour open?", "At nine.").await;
    let memories =
        receipt(&events).items.iter().filter(|item| item.section == Section::Memories && item.id != FRAME);
    let (kept, dropped): (Vec<_>, Vec<_>) = memories.partition(|item| item.outcome == Outcome::Kept);
    assert!(!kept.is_empty() && !dropped.is_empty(), "{:?}", receipt(&events).items);
    assert_eq!(recalled(&events).len(), kept.len());
}

#[tokio::test]
async fn as2_what_the_history_shows_takes_no_place_among_the_recalled() {
    let mut ada = persona("ada");
    (ada.memory.window, ada.memory.messages) = (1, SourceSettings::above(3, 0.3));
    (ada.model.context_window, ada.model.max_output_tokens) = (Some(2_000), 200);
    let mut house = House::with(vec![ada]).await;
    house.store.enter(&name("ada"), &channel("terminal:default"), MessageId(1)).await.unwrap();
    for n in 0..190 {
        let message = Message {
            at: greenroom_core::Time::now(&*house.clock),
            ..Message::new(
                channel("terminal:default"),
                format!("before-{n}"),
                Author::User { id: "mo".parse().unwrap(), name: "Mo".into() },
                format!("the harbour opens at nine, I tell you for time {n}"),
            )
        };
        house.store.accept(message).await.unwrap();
    }
    house.memory.index_pending().await.unwrap();
    let events = house.exchange("ada", "when does the harbour open?", "At nine.").await;
    let items = &receipt(&events).items;
    let memories: Vec<_> =
        items.iter().filter(|item| item.section == Section::Memories && item.id != FRAME).collect();
    assert!(memories.iter().all(|item| item.outcome == Outcome::Kept), "{memories:?}");
    assert_eq!(memories.len(), 3);
    assert!(items.iter().any(|item| item.section == Section::History && item.outcome == Outcome::Dropped));
}

#[tokio::test]
async fn fg10_the_receipt_names_the_persona_that_has_no_model_for_hypotheses() {
    let mut ada = persona("ada");
    ada.memory = Profile::Hyde.settings();
    let mut house = House::with(vec![ada]).await;
    let events = house.exchange("ada", "hello", "hi").await;
    let notes = &receipt(&events).notes;
    assert_eq!(
        notes.last().map(String::as_str),
        Some("ada recalls nothing: its strategy is hyde and there is no model for it; set memory.hyde.model"),
        "{notes:?}"
    );
}
