//! Time words, and the standing items of a block.

use std::time::Duration;

use greenroom_core::{Kind, Scope, Source, Tier, Trust};
use greenroom_persona::{MemorySettings, Profile};
use greenroom_store::{NewMemory, prelude::*};

use crate::{SearchOptions, TimeZone};

use super::given::{Stage, ada, settings, stage, texts};

const DAY: Duration = Duration::from_secs(86_400);

fn utc(settings: MemorySettings) -> MemorySettings {
    MemorySettings { time_zone: Some("UTC".into()), deadline: Duration::from_secs(60), ..settings }
}

fn in_utc() -> SearchOptions {
    SearchOptions { zone: TimeZone::UTC, ..SearchOptions::default() }
}

async fn keep(stage: &Stage, tier: Tier, text: &str) {
    keep_unindexed(stage, tier, text).await;
    stage.memory.index_pending().await.unwrap();
}

async fn keep_unindexed(stage: &Stage, tier: Tier, text: &str) {
    let kind = if tier == Tier::Semantic { Kind::preference() } else { Kind::default() };
    keep_of_kind(stage, tier, kind, text).await;
}

async fn keep_of_kind(stage: &Stage, tier: Tier, kind: Kind, text: &str) {
    stage.clock.advance(Duration::from_secs(1));
    let memory = NewMemory {
        persona: "ada".parse().unwrap(),
        scope: Scope::Channel("terminal:default".parse().unwrap()),
        text: text.into(),
        kind,
        tier,
        source: Source { via: "test".into(), message: None, user: None },
        trust: Trust::Operator,
        key: None,
        expires_at: None,
        at: greenroom_core::Time::now(&*stage.clock),
        sources: Default::default(),
    };
    stage.store.remember(memory).await.unwrap();
}

#[tokio::test]
async fn jv8_what_was_discussed_yesterday_is_found_without_a_common_word() {
    let stage = stage().await;
    stage.say("terminal:default", "horses need hay").await;
    stage.clock.advance(DAY);
    let noon = DAY / 2;
    stage.clock.advance(noon);
    stage.say("terminal:default", "the roof leaks").await;
    stage.say("terminal:default", "a ladder is in the shed").await;
    keep(&stage, Tier::Conversation, "Jo wants to mend a roof").await;
    stage.clock.advance(DAY);
    stage.say("terminal:default", "we discuss tea").await;
    let recalled = stage.recall("What did we discuss yesterday?", &utc(Profile::Default.settings())).await;
    let mut found = texts(&recalled);
    found.sort_unstable();
    assert_eq!(found, ["Jo wants to mend a roof", "a ladder is in the shed", "the roof leaks"]);
    assert_eq!(recalled.notes, ["searched what was said on 2026-11-22 (\"yesterday\")"]);
    let hits = stage.memory.search(&ada(), "what did we discuss yesterday", 9).await.unwrap().hits;
    assert!(hits.iter().any(|hit| hit.item.text() == "the roof leaks"));
}

/// One memory of yesterday and one of the day before, per tier.
#[tokio::test]
async fn jv8_a_search_for_a_time_finds_the_memories_and_messages_of_that_time_alone() {
    let stage = stage().await;
    let tiers = [Tier::Semantic, Tier::Episodic, Tier::Conversation];
    for day in ["old", "new", "latest"] {
        for (tier, name) in tiers.into_iter().zip(["taste", "event", "talk"]) {
            keep(&stage, tier, &format!("{day}{name}")).await;
        }
        stage.say("terminal:default", &format!("the {day} roof leaks badly")).await;
        if day != "latest" {
            stage.clock.advance(if day == "old" { 2 * DAY } else { DAY });
        }
    }
    for query in ["yesterday", "what did we discuss yesterday?", "gestern", "ayer", "hier", "昨日"] {
        let searched = stage.memory.search_from(&ada(), query, 20, &in_utc()).await.unwrap();
        let mut found: Vec<&str> = searched.hits.iter().map(|hit| hit.item.text()).collect();
        found.sort_unstable();
        assert_eq!(found, ["newevent", "newtalk", "newtaste", "the new roof leaks badly"], "{query}");
    }
    let beside = stage.memory.search_from(&ada(), "oldtaste yesterday", 20, &in_utc()).await.unwrap();
    assert!(beside.hits.iter().any(|hit| hit.item.text() == "oldtaste"), "other words are asked for");
}

#[tokio::test]
async fn jv8_a_recall_question_limits_what_was_said_and_no_memories() {
    let stage = stage().await;
    keep(&stage, Tier::Semantic, "likes horses").await;
    stage.clock.advance(3 * DAY);
    let asked = stage.recall("What did we discuss yesterday?", &utc(Profile::Tiers.settings())).await;
    assert_eq!(texts(&asked), ["likes horses"]);
}

#[tokio::test]
async fn jv8_a_time_without_a_recall_question_limits_nothing() {
    let stage = stage().await;
    stage.say("terminal:default", "tea is green").await;
    stage.clock.advance(3 * DAY);
    let recalled = stage.recall("yesterday, tea", &utc(settings())).await;
    assert_eq!(texts(&recalled), ["tea is green"]);
    assert!(recalled.notes.is_empty());
}

#[tokio::test]
async fn jv6_preferences_always_events_related_conversations_by_recency() {
    let stage = stage().await;
    keep(&stage, Tier::Semantic, "prefers concise answers").await;
    keep(&stage, Tier::Semantic, "likes horses").await;
    keep(&stage, Tier::Episodic, "the disk of node seven failed").await;
    keep(&stage, Tier::Episodic, "a parcel came").await;
    keep(&stage, Tier::Conversation, "first talk").await;
    keep(&stage, Tier::Conversation, "second talk").await;
    let recalled = stage.recall("which disk failed?", &utc(Profile::Tiers.settings())).await;
    assert_eq!(
        texts(&recalled),
        [
            "likes horses",
            "prefers concise answers",
            "the disk of node seven failed",
            "second talk",
            "first talk"
        ]
    );
    stage.embedder.feel(super::given::Mood::Down);
    let without = stage.recall("hello", &utc(Profile::Tiers.settings())).await;
    assert_eq!(texts(&without).len(), 4, "what always stands there needs no embedder");
}

#[tokio::test]
async fn jv6_preferences_stay_however_much_was_written_since() {
    let stage = stage().await;
    keep(&stage, Tier::Semantic, "prefers concise answers").await;
    for n in 0..1_001 {
        let tier = if n % 2 == 0 { Tier::Episodic } else { Tier::Conversation };
        keep_unindexed(&stage, tier, &format!("entry{n}")).await;
    }
    let recalled = stage.recall("hello", &utc(Profile::Tiers.settings())).await;
    assert_eq!(texts(&recalled)[0], "prefers concise answers");
}

/// One preference, then 60 facts: the preference is always shown, and only related facts are.
#[tokio::test]
async fn jv6_facts_push_out_no_preference() {
    let stage = stage().await;
    keep(&stage, Tier::Semantic, "prefers concise answers").await;
    for n in 0..120 {
        keep_of_kind(&stage, Tier::Semantic, Kind::new("fact"), &format!("shelf{n} holds paint")).await;
    }
    keep_of_kind(&stage, Tier::Semantic, Kind::new("decision"), "the harbour opens at nine").await;
    keep_of_kind(&stage, Tier::Semantic, Kind::default(), "node seven runs the mail server").await;
    keep(&stage, Tier::Episodic, "the harbour was closed").await;
    stage.memory.index_pending().await.unwrap();
    let tiers = utc(Profile::Tiers.settings());
    let recalled = stage.recall("hello", &tiers).await;
    assert_eq!(texts(&recalled), ["prefers concise answers"]);
    let recalled = stage.recall("when does the harbour open?", &tiers).await;
    assert_eq!(
        texts(&recalled),
        ["prefers concise answers", "the harbour opens at nine", "the harbour was closed"]
    );
    let recalled = stage.recall("what does node seven run?", &tiers).await;
    assert_eq!(texts(&recalled)[..2], ["prefers concise answers", "node seven runs the mail server"]);
    let recalled = stage.recall("which shelf holds paint?", &tiers).await;
    assert_eq!(texts(&recalled)[0], "prefers concise answers");
    assert!(texts(&recalled).len() <= 11, "{:?}", texts(&recalled));
}

#[tokio::test]
async fn jv6_an_old_preference_that_was_found_comes_before_the_newest() {
    let stage = stage().await;
    keep(&stage, Tier::Semantic, "likes horses").await;
    for n in 0..9 {
        keep(&stage, Tier::Semantic, &format!("statement{n}")).await;
    }
    let mut settings = utc(Profile::Tiers.settings());
    settings.knowledge.limit = 3;
    let recalled = stage.recall("which horses?", &settings).await;
    assert_eq!(texts(&recalled), ["likes horses", "statement8", "statement7"]);
    let recalled = stage.recall("which statement8?", &settings).await;
    assert_eq!(texts(&recalled), ["statement8", "statement7", "statement6"]);
}

#[tokio::test]
async fn jv8_a_time_that_dates_the_event_hides_nothing() {
    let stage = stage().await;
    stage.say("terminal:default", "Vera keeps the vault code which we change in March").await;
    stage.clock.advance(3 * DAY);
    let asked = "Do you remember who keeps the vault code we change in March?";
    let recalled = stage.recall(asked, &utc(Profile::Default.settings())).await;
    assert_eq!(texts(&recalled), ["Vera keeps the vault code which we change in March"]);
    assert_eq!(recalled.notes, ["preferred what was said from 2026-03-01 to 2026-03-31 (\"in March\")"]);
    let searched = stage.memory.search(&ada(), "vault code in March", 9).await.unwrap();
    assert_eq!(searched.hits.len(), 1);
    assert_eq!(searched.notes.len(), 1, "{:?}", searched.notes);
}

#[tokio::test]
async fn jv8_beside_other_words_what_was_said_then_comes_first() {
    let stage = stage().await;
    stage.say("terminal:default", "the roof leaks over the kitchen").await;
    stage.clock.advance(DAY);
    stage.say("terminal:default", "the roof leaks over the stairs").await;
    stage.clock.advance(DAY);
    stage.say("terminal:default", "the roof leaks over the garage").await;
    let asked = "What did we say about the roof yesterday?";
    let recalled = stage.recall(asked, &utc(Profile::Default.settings())).await;
    assert_eq!((texts(&recalled)[0], recalled.items.len()), ("the roof leaks over the stairs", 3));
}

#[tokio::test]
async fn jv8_of_a_time_chatter_does_not_come_before_what_was_said() {
    let stage = stage().await;
    stage.say("terminal:default", "the harbour master wants a longer pier").await;
    for text in ["ok", "lol", "sure thing", "yes, and no"] {
        stage.say("terminal:default", text).await;
    }
    stage.clock.advance(DAY);
    let recalled = stage.recall("What did we discuss yesterday?", &utc(Profile::Default.settings())).await;
    assert_eq!(texts(&recalled)[0], "the harbour master wants a longer pier");
    assert!(
        !texts(&recalled).contains(&"ok") && !texts(&recalled).contains(&"lol"),
        "{:?}",
        texts(&recalled)
    );
}
