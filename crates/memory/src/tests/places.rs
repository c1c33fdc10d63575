//! The index in memory: its updates, and who sees which places.

use std::sync::Arc;

use greenroom_core::{PersonaName, Scope, Viewer};
use greenroom_index::{Change, Names, Row, ShardWriter, Words};
use greenroom_persona::{MemorySettings, SourceSettings};
use greenroom_store::{Place, Store, prelude::*};

use super::given::{Stage, ada, learn, recall, settings, stage, texts, told, viewer};
use crate::{Memory, recall::indexed::places};

#[tokio::test]
async fn fg1_what_is_written_shows_up_at_once_and_what_is_forgotten_is_gone() {
    let stage = stage().await;
    let tea = learn(&stage, "tea is green").await;
    assert_eq!(texts(&stage.recall("tea", &settings()).await), ["tea is green"]);
    learn(&stage, "tea is hot").await;
    assert_eq!(texts(&stage.recall("tea", &settings()).await).len(), 2);
    stage.store.forget(&ada(), tea).await.unwrap();
    assert_eq!(texts(&stage.recall("tea", &settings()).await), ["tea is hot"]);
}

#[tokio::test]
async fn fg1_what_another_process_writes_shows_up() {
    let stage = stage().await;
    learn(&stage, "tea is green").await;
    stage.recall("tea", &settings()).await;
    let elsewhere =
        Memory::new(Arc::new(stage.store.clone()), Some(stage.embedder.clone()), stage.clock.clone());
    elsewhere.remember(&ada(), told(&ada(), "tea is hot")).await.unwrap();
    assert_eq!(stage.recall("tea", &settings()).await.items.len(), 2);
}

#[tokio::test]
async fn fg1_a_text_that_waits_for_its_vector_is_found_by_its_words_at_once() {
    let stage = stage().await;
    let hybrid = MemorySettings { strategy: greenroom_persona::Strategy::Hybrid, ..settings() };
    stage.recall("tea", &hybrid).await;
    stage.without_embedder().remember(&ada(), told(&ada(), "tea is green")).await.unwrap();
    let found = stage.recall("tea", &hybrid).await;
    assert_eq!((texts(&found), found.items[0].meaning), (vec!["tea is green"], None));
    stage.memory.index_pending().await.unwrap();
    assert!(stage.recall("tea", &hybrid).await.items[0].meaning.is_some());
}

#[tokio::test]
async fn fg4_a_place_that_is_being_loaded_is_waited_for() {
    let stage = stage().await;
    for n in 0..5_001 {
        let memory = greenroom_store::NewMemory {
            persona: "ada".parse().unwrap(),
            scope: Scope::Global,
            text: if n == 4_321 { "the harbour opens at nine".into() } else { format!("statement{n}") },
            kind: Default::default(),
            tier: greenroom_core::Tier::Semantic,
            source: greenroom_core::Source { via: "test".into(), message: None, user: None },
            trust: greenroom_core::Trust::Operator,
            key: None,
            expires_at: None,
            at: super::given::NOW,
            sources: Default::default(),
        };
        stage.store.remember(memory).await.unwrap();
    }
    let keyword = MemorySettings { strategy: greenroom_persona::Strategy::Keyword, ..settings() };
    let first = stage.recall("harbour", &keyword).await;
    assert_eq!(texts(&first), ["the harbour opens at nine"]);
    stage.memory.ready(&ada()).await.unwrap();
    let second = stage.recall("harbour", &keyword).await;
    assert_eq!((texts(&second), second.notes.len()), (vec!["the harbour opens at nine"], 0));
}

/// A stage with 15,000 global memories: the seventh is about a lighthouse, the newest about a harbour.
async fn large_stage() -> Stage {
    let stage = stage().await;
    let memory = |n: i64| greenroom_core::Memory {
        id: greenroom_core::MemoryId(n),
        persona: "ada".parse().unwrap(),
        scope: Scope::Global,
        text: match n {
            7 => "the lighthouse is red".into(),
            15_000 => "the harbour opens at nine".into(),
            _ => format!("statement{n}"),
        },
        kind: Default::default(),
        tier: greenroom_core::Tier::Semantic,
        source: greenroom_core::Source { via: "test".into(), message: None, user: None },
        trust: greenroom_core::Trust::Operator,
        version: 1,
        key: None,
        expires_at: None,
        created_at: super::given::NOW,
        updated_at: super::given::NOW,
    };
    let all = (1..=15_000).map(|n| greenroom_store::Exported { memory: memory(n), relations: Vec::new() });
    stage.store.import(all.collect()).await.unwrap();
    stage
}

#[tokio::test]
async fn fg4_the_first_recall_of_a_large_place_waits_for_all_of_it_within_its_deadline() {
    let stage = large_stage().await;
    let keyword = MemorySettings { strategy: greenroom_persona::Strategy::Keyword, ..settings() };
    let first = stage.recall("lighthouse", &keyword).await;
    assert_eq!((texts(&first), first.notes.len()), (vec!["the lighthouse is red"], 0));
}

#[tokio::test]
async fn as8_a_search_waits_for_all_of_a_large_place() {
    let stage = large_stage().await;
    // the misspelt word is looked up in the index first
    let found = stage.without_embedder().search(&ada(), "lighthouze", 5).await.unwrap();
    assert_eq!(found.hits.len(), 1, "{found:?}");
}

#[tokio::test]
async fn jv2_a_known_statement_in_a_large_place_is_not_added_again() {
    let stage = large_stage().await;
    let again = told(&ada(), "the lighthouse is red");
    let again = crate::Remember { scope: Scope::Global, ..again };
    assert!(stage.without_embedder().remember(&ada(), again).await.unwrap().known());
}

#[tokio::test]
async fn fg4_of_a_large_place_the_newest_are_searched_first_and_the_receipt_says_so() {
    let stage = large_stage().await;
    let keyword = MemorySettings { strategy: greenroom_persona::Strategy::Keyword, ..settings() };
    tokio::time::pause();
    let place = Place::Memories(ada().persona().clone(), Scope::Global);
    let index = stage.memory.shared.index.clone();
    let space = stage.memory.embedder().map(|embedder| crate::memory::space_of(embedder));
    // the runtime is never idle, so that the clock moves only here
    let late = async {
        while index.snapshots(space.as_ref(), std::slice::from_ref(&place))[0].is_none() {
            tokio::task::yield_now().await;
        }
        tokio::time::advance(keyword.deadline.mul_f64(0.96)).await;
        loop {
            tokio::task::yield_now().await;
        }
    };
    let first = tokio::select! {
        first = stage.recall("harbour", &keyword) => first,
        () = late => unreachable!("it never ends"),
    };
    tokio::time::resume();
    assert_eq!(texts(&first), ["the harbour opens at nine"]);
    assert!(first.notes[0].starts_with("the index is still being loaded"), "{:?}", first.notes);
    stage.memory.ready(&ada()).await.unwrap();
    let second = stage.recall("lighthouse", &keyword).await;
    assert_eq!((texts(&second), second.notes.len()), (vec!["the lighthouse is red"], 0));
}

#[tokio::test]
async fn fg4_an_index_in_which_a_change_broke_off_is_read_anew() {
    let stage = stage().await;
    stage.say("terminal:default", "the harbour opens at nine").await;
    let keyword = MemorySettings { strategy: greenroom_persona::Strategy::Keyword, ..settings() };
    let before = stage.recall("harbour", &keyword).await;
    assert_eq!(texts(&before), ["the harbour opens at nine"]);
    stage.memory.shared.index.break_off();
    assert_eq!(stage.recall("harbour", &keyword).await, before);
}

#[tokio::test]
async fn gr2_what_was_said_before_a_persona_came_or_while_it_was_away_is_not_recalled() {
    let stage = stage().await;
    let (eve, channel): (PersonaName, _) = ("eve".parse().unwrap(), "terminal:default".parse().unwrap());
    stage.say("terminal:default", "tea before").await;
    let second = stage.say("terminal:default", "tea with eve").await;
    stage.store.enter(&eve, &channel, second).await.unwrap();
    let third = stage.say("terminal:default", "tea without her").await;
    stage.store.leave(&eve, &channel, third).await.unwrap();
    let viewer = Viewer::new(eve, channel, Some("jo".parse().unwrap()));
    let seen = recall(&stage.memory, &viewer, "tea", None, &settings()).await;
    assert_eq!(texts(&seen), ["tea with eve"]);
    let told_all = MemorySettings { witness: false, ..settings() };
    assert_eq!(recall(&stage.memory, &viewer, "tea", None, &told_all).await.items.len(), 3);
}

#[tokio::test]
async fn names_of_those_who_speak_are_a_field_and_no_words() {
    let stage = stage().await;
    stage.say("terminal:default", "Jo, the harbour is closed").await;
    stage.say("terminal:default", "Jo Jo Jo").await;
    let one = MemorySettings { messages: SourceSettings::above(5, 0.3), ..settings() };
    assert_eq!(texts(&stage.recall("Jo: is the harbour closed", &one).await), ["Jo, the harbour is closed"]);
}

/// A thousand scopes, each with a secret; a million viewers ask for all secrets at once.
#[test]
fn gr1_a_million_recalls_over_a_thousand_scopes_show_nothing_foreign() {
    const PERSONAS: u64 = 10;
    const CHANNELS: u64 = 50;
    const USERS: u64 = 39;
    let viewers: Vec<Viewer> = (0..PERSONAS * CHANNELS * USERS)
        .map(|n| {
            let (persona, channel, user) = (n % PERSONAS, n / PERSONAS % CHANNELS, n / PERSONAS / CHANNELS);
            Viewer::new(
                format!("p{persona}").parse().unwrap(),
                format!("chat:c{channel}").parse().unwrap(),
                Some(format!("u{user}").parse().unwrap()),
            )
        })
        .collect();
    // each place in a separate shard, which contains the place's number
    let mut all: Vec<Place> = viewers.iter().flat_map(|viewer| places(viewer, &[])).collect();
    all.sort_by_key(|place| format!("{place:?}"));
    all.dedup();
    assert!(all.len() >= 900 + 50, "{} places", all.len());
    let shard = |number: usize| {
        let mut writer = ShardWriter::new(2);
        let words = Words::of("the secret", "", &Names::none());
        let row = Row {
            id: number as i64,
            at: 0,
            expires_at: i64::MAX,
            source: 0,
            author: None,
            words,
            vector: Some(vec![1.0, number as f32]),
        };
        writer.apply([Change::Put(row)]).shard
    };
    let index: std::collections::HashMap<&Place, _> =
        all.iter().enumerate().map(|(number, place)| (place, shard(number))).collect();
    let seen: Vec<Vec<Place>> = viewers.iter().map(|viewer| places(viewer, &[])).collect();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let (mut shown, mut foreign) = (0_u64, 0_u64);
    for _ in 0..1_000_000 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let number = (random % viewers.len() as u64) as usize;
        for place in &seen[number] {
            let hits = index[place].live_slots();
            for slot in hits {
                let found = &all[index[place].id(slot).unwrap() as usize];
                shown += 1;
                foreign += u64::from(!may_see(&viewers[number], found));
            }
        }
    }
    assert_eq!((shown, foreign), (4_000_000, 0));
}

/// The rule for visible places, implemented independently.
fn may_see(viewer: &Viewer, place: &Place) -> bool {
    match place {
        Place::Messages(channel) => channel == viewer.channel(),
        Place::Memories(persona, scope) => viewer.sees(persona, scope),
    }
}

#[tokio::test]
async fn fg17_a_memory_that_is_off_begins_no_index() {
    let stage = stage().await;
    // a separate memory with a separate index
    stage.without_embedder().remember(&ada(), told(&ada(), "tea is green")).await.unwrap();
    let off = MemorySettings { enabled: false, ..settings() };
    stage.recall("tea", &off).await;
    assert!(stage.memory.shared.index.is_empty());
}

#[tokio::test]
async fn fg4_a_place_whose_loading_failed_is_loaded_again() {
    let stage = stage().await;
    learn(&stage, "tea is green").await;
    let index = &stage.memory.shared.index;
    let store: Arc<dyn Store> = Arc::new(stage.store.clone());
    let place = Place::Memories(ada().persona().clone(), Scope::Channel(ada().channel().clone()));
    let documents = async |store: &Arc<dyn Store>| {
        let now = super::given::NOW;
        let by = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
        let shards =
            index.view(&*stage.clock, store, None, std::slice::from_ref(&place), now, by).await.unwrap();
        shards[0].as_ref().map(|seen| seen.shard.documents())
    };
    assert_eq!(documents(&store).await, Some(1));
    // a journal that is too short, as after a restored backup, and then cannot be read
    let other = super::given::stage().await;
    let empty: Arc<dyn Store> = Arc::new(other.store.clone());
    assert_eq!(documents(&empty).await, Some(0), "what was in the index is of another store");
    index.release(&*stage.clock, std::time::Duration::ZERO);
    empty.close().await;
    assert_eq!(documents(&empty).await, None, "nothing of it is recalled");
    learn(&stage, "tea is hot").await;
    assert_eq!(documents(&store).await, Some(2));
}

#[tokio::test]
async fn l19_vectors_of_another_model_do_not_hold_the_index_back() {
    let stage = stage().await;
    let tea = learn(&stage, "tea is green").await;
    stage.recall("tea", &settings()).await;
    let space = greenroom_store::VectorSpace { model: "other@1".into(), dimension: 2 };
    let item = greenroom_store::ItemId::Memory(tea);
    let vector = greenroom_store::NewVector { item, version: 1, vector: vec![1.0, 0.0] };
    stage.store.put_vectors(&space, vec![vector]).await.unwrap();
    stage.recall("more tea", &settings()).await;
    let end = stage.store.journal_end().await.unwrap();
    assert_eq!(stage.memory.shared.index.seq(), Some(end));
}

/// D, S9: with any number of channels the index stays within its limit, and an evicted channel is loaded again at its
/// next use.
#[tokio::test]
async fn s9_places_not_used_for_longest_go_and_come_back() {
    const LIMIT: usize = 100_000;
    let stage = stage().await;
    let memory = stage.memory.clone().with_index_bytes(LIMIT);
    let channels: Vec<String> = (0..30).map(|n| format!("terminal:c{n}")).collect();
    for channel in &channels {
        for n in 0..5 {
            memory
                .remember(
                    &viewer("ada", channel),
                    told(&viewer("ada", channel), &format!("tea{n} of {channel}")),
                )
                .await
                .unwrap();
        }
    }
    let mut most = 0;
    for _ in 0..2 {
        for channel in &channels {
            let found = recall(&memory, &viewer("ada", channel), "tea3", None, &settings()).await;
            assert!(
                texts(&found).contains(&&*format!("tea3 of {channel}")),
                "{channel}: {:?}",
                texts(&found)
            );
            most = most.max(memory.index_bytes());
        }
    }
    assert!(most > LIMIT / 2, "the limit is reached: {most}");
    // the places of the current recall stay, whatever the limit is
    assert!(most < LIMIT + 30_000, "{most}");
}

/// GR9: the index of an idle channel is released, and loaded again at its next use.
#[tokio::test]
async fn gr9_the_index_of_idle_places_is_released() {
    let (stage, idle) = (stage().await, std::time::Duration::from_secs(300));
    learn(&stage, "tea is green").await;
    stage.recall("tea", &settings()).await;
    assert!(stage.memory.index_bytes() > 0);
    stage.memory.release_idle(idle);
    assert!(stage.memory.index_bytes() > 0, "it was just used");
    tokio::time::pause();
    tokio::time::advance(idle).await;
    stage.memory.release_idle(idle);
    tokio::time::resume();
    assert_eq!(stage.memory.index_bytes(), 0);
    learn(&stage, "tea is hot").await;
    assert_eq!(stage.recall("tea", &settings()).await.items.len(), 2);
}
