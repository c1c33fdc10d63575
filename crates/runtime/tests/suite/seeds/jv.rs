//! Extraction and tiers: the six verifications of the seed document.

use std::time::Duration;

use greenroom_core::{Scope, Tier};
use greenroom_memory::{Event, Severity};
use greenroom_persona::Profile;
use greenroom_store::SESSION_GAP;

use super::{super::house::*, ada};

const DAY: Duration = Duration::from_secs(24 * 3_600);

async fn house() -> House {
    let mut ada = ada(Profile::Tiers);
    ada.memory.time_zone = Some("UTC".into());
    House::with(vec![ada]).await
}

/// The memory block in the context of a message.
async fn block(house: &mut House, text: &str) -> String {
    let sent = house.say(text).await;
    let call = house.call().await;
    let system = call.request.messages[0].content.clone();
    call.answer("I see.");
    all(sent.events).await;
    let Some(from) = system.find("<memory_context>") else { return String::new() };
    let until = system.find("</memory_context>").unwrap() + "</memory_context>".len();
    system[from..until].to_owned()
}

#[tokio::test]
async fn jv1_a_sitting_leaves_a_summary_in_the_conversation_tier() {
    let mut house = house().await;
    house.exchange("ada", "The harbour crane is broken again.", "I will order the spare part.").await;
    house.runtime.captured().await;
    let memories = house.memories("ada").await;
    assert_eq!(memories.len(), 1);
    assert_eq!(memories[0].tier, Tier::Conversation);
    assert!(memories[0].key.as_deref().unwrap().starts_with("session_"), "{memories:?}");
    assert!(memories[0].text.contains("crane"), "{memories:?}");
}

#[tokio::test]
async fn jv2_a_stated_preference_becomes_a_semantic_memory_at_once() {
    let mut house = house().await;
    let sent = house.say("I prefer email alerts").await;
    let call = house.call().await;
    let memories = house.memories("ada").await;
    assert_eq!(memories.len(), 1, "before the reply: {memories:?}");
    assert_eq!((memories[0].tier, memories[0].kind.as_str()), (Tier::Semantic, "preference"));
    assert!(memories[0].key.as_deref().unwrap().starts_with("pref_"), "{memories:?}");
    call.answer("Email it is.");
    all(sent.events).await;
}

#[tokio::test]
async fn jv5_jv10_the_system_prompt_holds_the_tagged_block() {
    let mut house = house().await;
    house.exchange("ada", "I prefer email alerts", "Email it is.").await;
    let block = block(&mut house, "how do you reach me?").await;
    assert!(block.contains("<preferences>") && block.contains("I prefer email alerts"), "{block}");
    assert!(block.contains("</preferences>"), "{block}");
}

/// JV11: also before anything is remembered, but not if memory is off.
#[tokio::test]
async fn jv11_with_an_empty_memory_the_prompt_says_that_there_is_one() {
    let system = async |house: &mut House| {
        let sent = house.say("hello").await;
        let call = house.call().await;
        let system = call.request.messages[0].content.clone();
        call.answer("Hello.");
        all(sent.events).await;
        system
    };
    let mut house = house().await;
    let said = system(&mut house).await;
    assert!(said.contains("You have a persistent memory") && !said.contains("<memory_context>"), "{said}");
    assert_eq!(said, system(&mut house).await, "the same with every message");
    house.knows_of_kind("ada", "preference", "Jo prefers email alerts").await;
    let with = system(&mut house).await;
    assert!(with.starts_with(&said) && with.contains("<memory_context>"), "{with}");
    let mut off = ada(Profile::Tiers);
    off.memory.enabled = false;
    let mut house = House::with(vec![off]).await;
    assert!(!system(&mut house).await.contains("persistent memory"));
}

#[tokio::test]
async fn jv7_the_block_keeps_to_600_tokens_and_to_200_for_a_small_model() {
    for (window, most) in [(200_000, 600), (4_000, 200)] {
        let mut ada = ada(Profile::Tiers);
        (ada.model.context_window, ada.model.max_output_tokens) = (Some(window), 200);
        let mut house = House::with(vec![ada]).await;
        for n in 0..60 {
            let text = format!("the alert of kind {n} goes to the mail address number {n}");
            house.knows_of_kind("ada", "preference", &text).await;
        }
        let block = block(&mut house, "where do alerts go?").await;
        let tokens = block.len().div_ceil(4);
        assert!(tokens > most / 2 && tokens <= most, "{tokens} of {most}: {block}");
    }
}

#[tokio::test]
async fn jv3_a_warning_of_the_cluster_becomes_an_episodic_memory() {
    let mut house = house().await;
    let event = |severity| Event {
        kind: "disk_full".into(),
        severity,
        message: "the disk is almost full".into(),
        node: Some("node-7".into()),
        resolved: false,
        at: greenroom_core::Time::now(&*house.clock),
    };
    let viewer = house.viewer("ada");
    let scope = || Scope::Channel(channel("terminal:default"));
    let zone = greenroom_memory::TimeZone::UTC;
    for severity in [Severity::Info, Severity::Warning] {
        house.memory.ingest_event(&viewer, scope(), &event(severity), &zone).await.unwrap();
    }
    let memories = house.memories("ada").await;
    assert_eq!(memories.len(), 1, "{memories:?}");
    assert_eq!(memories[0].tier, Tier::Episodic);
    let block = block(&mut house, "is the disk of node-7 full?").await;
    assert!(
        block.contains("<recent_events>") && block.contains("node-7: the disk is almost full"),
        "{block}"
    );
}

#[tokio::test]
async fn jv8_what_was_discussed_yesterday_is_found_without_its_words() {
    let mut house = house().await;
    house.exchange("ada", "The harbour crane is broken again.", "I will order the spare part.").await;
    house.runtime.captured().await;
    house.clock.advance(DAY);
    let block = block(&mut house, "what did we discuss yesterday?").await;
    assert!(block.contains("<recent_conversations>") && block.contains("crane"), "{block}");
    assert!(block.contains("- [2027-01-15]"), "with its day: {block}");
}

#[tokio::test]
async fn jv1_what_is_still_going_on_is_not_recalled_as_a_past_conversation() {
    let mut house = house().await;
    house.exchange("ada", "The harbour crane is broken again.", "I will order the spare part.").await;
    house.runtime.captured().await;
    let during = block(&mut house, "and what else do you know?").await;
    assert!(!during.contains("crane"), "{during}");
    // what is captured after the clock was moved would belong to the later day
    house.runtime.captured().await;
    house.clock.advance(SESSION_GAP + DAY);
    let afterwards = block(&mut house, "what did we discuss yesterday?").await;
    assert!(afterwards.contains("recent_conversations"), "{afterwards}");
}
