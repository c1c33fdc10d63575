//! An explicit search.

use greenroom_core::{Author, Message, Scope};
use greenroom_store::{Item, prelude::*};

use super::given::{Mood, ada, stage, told, viewer};
use crate::{Remember, SearchOptions};

fn found(searched: &crate::Searched) -> Vec<&str> {
    searched.hits.iter().map(|hit| hit.item.text()).collect()
}

#[tokio::test]
async fn as8_what_is_alike_comes_before_what_only_shares_words() {
    let stage = stage().await;
    stage.say("terminal:default", "green tea").await;
    stage.memory.remember(&ada(), told(&ada(), "tea is green")).await.unwrap();
    let long = "tea came up among a great many other things that nobody could later quite remember or retell";
    stage.memory.remember(&ada(), told(&ada(), long)).await.unwrap();
    stage.memory.remember(&ada(), told(&ada(), "horses")).await.unwrap();
    let hits = stage.memory.search(&ada(), "green tea", 5).await.unwrap();
    assert_eq!(found(&hits), ["green tea", "tea is green", long]);
    assert_eq!(found(&stage.memory.search(&ada(), "green tea", 1).await.unwrap()), ["green tea"]);
}

#[tokio::test]
async fn fg13_a_corrected_memory_is_found_by_what_both_versions_say() {
    let stage = stage().await;
    stage.memory.remember(&ada(), told(&ada(), "the build takes six minutes")).await.unwrap();
    stage.memory.remember(&ada(), told(&ada(), "the build takes seven minutes")).await.unwrap();
    for query in ["how long is a build?", "six minutes", "minutes of the build"] {
        let hits = stage.memory.search(&ada(), query, 5).await.unwrap();
        assert_eq!(found(&hits), ["the build takes seven minutes"], "{query}");
    }
}

/// macOS and some input methods write `u` and a combining mark for `ü`.
#[tokio::test]
async fn mp4_decomposed_text_is_found_and_known_like_composed_text() {
    let stage = stage().await;
    let decomposed = "Frau Mu\u{308}ller owns the key";
    stage.memory.remember(&ada(), told(&ada(), decomposed)).await.unwrap();
    let again = stage.memory.remember(&ada(), told(&ada(), "Frau Müller owns the key")).await.unwrap();
    assert!(again.known(), "{again:?}");
    for query in ["Müller", "Mu\u{308}ller"] {
        let hits = stage.memory.search(&ada(), query, 5).await.unwrap();
        assert_eq!(found(&hits), ["Frau Müller owns the key"], "{query}");
    }
}

#[tokio::test]
async fn as10_without_a_working_embedder_words_decide() {
    let stage = stage().await;
    stage.memory.remember(&ada(), told(&ada(), "tea is green")).await.unwrap();
    stage.memory.remember(&ada(), told(&ada(), "is it raining?")).await.unwrap();
    stage.embedder.feel(Mood::Down);
    for memory in [&stage.memory, &stage.without_embedder()] {
        let hits = memory.search(&ada(), "is there tea?", 5).await.unwrap();
        assert_eq!(found(&hits), ["tea is green"]);
    }
}

#[tokio::test]
async fn as8_a_search_for_nothing_finds_nothing() {
    let stage = stage().await;
    stage.memory.remember(&ada(), told(&ada(), "tea is green")).await.unwrap();
    for (query, limit) in [("", 5), (" \n", 5), ("?", 5), ("tea", 0), ("horses", 5)] {
        assert!(
            stage.memory.search(&ada(), query, limit).await.unwrap().hits.is_empty(),
            "{query:?} {limit}"
        );
    }
}

#[tokio::test]
async fn mp4_a_search_finds_the_same_whomever_it_addresses() {
    let stage = stage().await;
    stage.memory.reserve_names([["ada", "Ada Lovelace"]]);
    stage.memory.remember(&ada(), told(&ada(), "tea is green")).await.unwrap();
    stage.memory.remember(&ada(), told(&ada(), "Ada wrote the first program")).await.unwrap();
    let hits = async |query: &str| stage.memory.search(&ada(), query, 5).await.unwrap().hits;
    let plain = hits("what colour is my tea?").await;
    assert_eq!(plain[0].item.text(), "tea is green");
    for addressed in
        ["@ada, what colour is my tea?", "Ada: what colour is my tea?", "what colour is my tea ada?"]
    {
        assert_eq!(hits(addressed).await, plain, "{addressed}");
    }
    let about = hits("Ada").await;
    assert_eq!(about[0].item.text(), "Ada wrote the first program");
}

#[tokio::test]
async fn wb7_a_search_stays_within_what_the_viewer_sees() {
    let stage = stage().await;
    stage.memory.remember(&ada(), told(&ada(), "tea here")).await.unwrap();
    stage.say("terminal:default", "tea said here").await;
    for stranger in [viewer("ada", "terminal:other"), viewer("bert", "terminal:other")] {
        assert!(stage.memory.search(&stranger, "tea", 9).await.unwrap().hits.is_empty());
    }
}

#[tokio::test]
async fn as8_a_question_does_not_find_itself() {
    let stage = stage().await;
    stage.say("terminal:default", "tea is green").await;
    let trigger = stage.say("terminal:default", "what about tea?").await;
    let options = SearchOptions { before: Some(trigger), ..SearchOptions::default() };
    let hits = stage.memory.search_from(&ada(), "tea", 5, &options).await.unwrap();
    assert_eq!(found(&hits), ["tea is green"]);
}

/// Matches of other scopes, however good and many, displace none of the asked scope.
#[tokio::test]
async fn as8_a_search_within_a_scope_finds_what_is_there() {
    let stage = stage().await;
    for n in 0..40 {
        let everywhere =
            Remember { scope: Scope::Global, ..told(&ada(), &format!("The harbour has ship number {n}")) };
        stage.memory.remember(&ada(), everywhere).await.unwrap();
    }
    stage.say("terminal:default", "the harbour ship is here").await;
    stage.memory.remember(&ada(), told(&ada(), "Jo hid the harbour key under the third ship")).await.unwrap();
    let options = SearchOptions { scope: Some("channel"), ..SearchOptions::default() };
    let hits = stage.memory.search_from(&ada(), "harbour ship", 20, &options).await.unwrap();
    assert_eq!(found(&hits), ["Jo hid the harbour key under the third ship"]);
}

#[tokio::test]
async fn as10_with_the_store_down_a_search_fails() {
    let stage = stage().await;
    greenroom_store::HealthStore::close(&stage.store).await;
    assert!(stage.memory.search(&ada(), "tea", 5).await.is_err());
}

#[tokio::test]
async fn as11_a_search_keeps_the_order_of_the_ranker() {
    let stage = stage().await;
    stage.say("terminal:default", "horses need hay").await;
    stage.say("terminal:default", "the green tea of the house is cold").await;
    stage.say("terminal:default", "tea").await;
    stage.memory.ready(&ada()).await.unwrap();
    let settings = greenroom_persona::MemorySettings {
        messages: greenroom_persona::SourceSettings::ranked(9),
        deadline: std::time::Duration::from_secs(60),
        ..greenroom_persona::Profile::Default.settings()
    };
    let recalled = stage.recall("green tea of the house", &settings).await;
    let hits = stage.memory.search(&ada(), "green tea of the house", 2).await.unwrap();
    assert_eq!(found(&hits), super::given::texts(&recalled)[..2]);
}

#[tokio::test]
async fn mp4_a_typo_is_read_by_words_of_places_that_nothing_has_loaded_yet() {
    let stage = stage().await;
    stage.memory.remember(&ada(), told(&ada(), "Jo sold the kayak")).await.unwrap();
    // like another process, whose index is empty
    let fresh = stage.without_embedder();
    let hits = fresh.search(&ada(), "who has the kaayk?", 5).await.unwrap();
    assert_eq!(found(&hits), ["Jo sold the kayak"]);
    assert_eq!(hits.notes, ["read as \"who has the kayak?\""]);
}

#[tokio::test]
async fn rm7_the_second_of_a_name_has_the_same_label_whenever_the_speakers_were_read() {
    let stage = stage().await;
    // the speakers are read before any message
    stage.memory.search(&ada(), "zebra", 5).await.unwrap();
    for (id, text) in [("e4", "good day"), ("mia", "the zebra eats gravel")] {
        let author = Author::User { id: id.parse().unwrap(), name: "Mia".into() };
        let message = Message::new("terminal:default".parse().unwrap(), id, author, text);
        stage.store.accept(message).await.unwrap();
    }
    stage.memory.index_pending().await.unwrap();
    let found = stage.memory.search(&ada(), "zebra", 5).await.unwrap();
    let Item::Message(message) = &found.hits[0].item else { panic!("{found:?}") };
    assert_eq!(message.author.name(), "Mia (2)");
}
