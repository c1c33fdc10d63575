//! Hybrid memory with tools: the verification of its seed document, over two processes that share a file (AS13).

use greenroom_persona::Profile;
use greenroom_store::prelude::*;

use super::{super::house::*, ada};

#[tokio::test]
async fn as13_what_one_process_was_told_the_next_one_knows() {
    let mut house = House::with(vec![ada(Profile::Knowledge)]).await;
    house.exchange("ada", "Remember that I prefer concise responses", "I will.").await;
    let mut house = house.again(vec![ada(Profile::Knowledge)], Wishes::default()).await;
    let sent = house.say("What communication style do I prefer?").await;
    let call = house.call().await;
    let system = &call.request.messages[0].content;
    assert!(system.contains("I prefer concise responses"), "{system}");
    call.answer("Concise responses.");
    assert!(recalled(&all(sent.events).await).contains(&"I prefer concise responses"));
}

#[tokio::test]
async fn as6_the_conversation_itself_survives_a_restart() {
    let mut house = House::with(vec![ada(Profile::Knowledge)]).await;
    house.exchange("ada", "the harbour opens at nine", "Good to know.").await;
    let mut house = house.again(vec![ada(Profile::Knowledge)], Wishes::default()).await;
    let sent = house.say("and now?").await;
    let call = house.call().await;
    assert!(
        call.text().contains("User: the harbour opens at nine\nAssistant: Good to know."),
        "{}",
        call.text()
    );
    call.answer("Now it is closed.");
    all(sent.events).await;
}

#[tokio::test]
async fn as2_a_past_message_below_the_threshold_stays_away() {
    let mut house = House::with(vec![ada(Profile::Knowledge)]).await;
    house.exchange("ada", "the harbour opens at nine", "Good to know.").await;
    house.exchange("ada", "the neighbours play chess", "Nice.").await;
    house.memory.index_pending().await.unwrap();
    house.runtime.reset(&name("ada"), &channel("terminal:default")).await.unwrap();
    let events = house.exchange("ada", "when is it that the harbour opens?", "At nine.").await;
    let recalled = recalled(&events);
    assert!(recalled.contains(&"the harbour opens at nine"), "{recalled:?}");
    assert!(!recalled.contains(&"the neighbours play chess"), "{recalled:?}");
}

#[tokio::test]
async fn as5_a_session_links_provider_chat_and_person() {
    let mut house = House::with(vec![ada(Profile::Knowledge)]).await;
    house.exchange("ada", "hello", "hi").await;
    let sessions = house.store.sessions(&channel("terminal:default")).await.unwrap();
    let session = &sessions[0];
    assert_eq!((session.provider.as_str(), session.chat_id.as_str()), ("terminal", "default"));
    assert_eq!(session.user, "mo".parse().unwrap());
}
