//! Search by words: any text is a query, and nothing in it is syntax.

use greenroom_core::Scope;

use super::given::*;
use crate::{ItemKind, Search, Store};

async fn found(store: &dyn Store, query: &str) -> Vec<String> {
    let hits = store.full_text(&ada(), query, &among(ItemKind::Memory)).await.unwrap();
    hits.iter().map(|hit| hit.item.text().to_owned()).collect()
}

/// Case, accents and endings do not matter; one word of the query is enough.
pub async fn as11_words_are_found_whatever_their_form(store: &dyn Store) {
    know(store, "Bo prefers a café in Zürich").await;
    for query in ["CAFE", "cafe\u{301}", "preferring", "what about zurich?", "\"café\" AND nothing"] {
        assert_eq!(found(store, query).await.len(), 1, "{query}");
    }
    assert!(found(store, "prefix").await.is_empty());
    assert!(found(store, "").await.is_empty());
    say(store, "I like the café").await;
    let messages = store.full_text(&ada(), "cafe", &among(ItemKind::Message)).await.unwrap();
    assert_eq!(messages.len(), 1);
    assert!(messages[0].score > -1.0 && messages[0].score.is_finite());
}

/// What would be an operator, a column, a quote or the end of a text elsewhere is a word or nothing.
pub async fn any_text_is_a_valid_query(store: &dyn Store) {
    know(store, "tea near the sea").await;
    let long = "tea ".repeat(10_000) + &(0..5_000).map(|n| format!("w{n} ")).collect::<String>();
    let nested = "(".repeat(2_000);
    for query in [
        "\"",
        "'",
        "''",
        "\"tea",
        "tea*",
        "te*",
        "^tea",
        "-tea",
        "text:tea",
        "nothing:tea",
        "{text}:tea",
        "NEAR(tea sea)",
        "NEAR",
        "AND",
        "OR",
        "NOT",
        "tea AND",
        "tea NOT sea",
        "(",
        ")",
        "tea + sea",
        "\\",
        "\0",
        "tea\0\"",
        "%",
        "_",
        ";--",
        "👩‍🚀",
        "\u{301}",
        "\u{200d}",
        "½ tea",
        "ﬁ",
        "你好",
        "\n\t",
        &long,
        &nested,
    ] {
        for kind in [ItemKind::Memory, ItemKind::Message] {
            let hits = store.full_text(&ada(), query, &among(kind)).await;
            assert!(hits.is_ok(), "{query:.80}: {hits:?}");
        }
    }
    for query in ["\"tea", "-tea", "text:tea", "tea NOT sea", "tea\0\"", &long] {
        assert_eq!(found(store, query).await.len(), 1, "{query:.80}");
    }
}

/// More of the words, and rarer ones, come first; the limit cuts the rest.
pub async fn as2_the_limit_takes_the_best(store: &dyn Store) {
    for text in ["Bo drinks tea", "Bo drinks water", "Kit drinks water", "Max drinks water"] {
        know(store, text).await;
    }
    store.remember(statement("kit", Scope::Global, "tea tea tea")).await.unwrap();
    let search = Search { limit: 2, ..among(ItemKind::Memory) };
    let hits = store.full_text(&ada(), "who drinks tea?", &search).await.unwrap();
    assert_eq!(hits.len(), 2);
    assert_eq!(hits[0].item.text(), "Bo drinks tea");
    assert!(hits[0].score > hits[1].score);
}

/// A word that stands nearly everywhere says nothing beside one that does not; alone it is all there is.
pub async fn frequent_words_are_dropped_where_rarer_ones_are_stored(store: &dyn Store) {
    know(store, "the canary sings").await;
    for n in 0..520 {
        know(store, &format!("the weather of day {n}")).await;
    }
    assert_eq!(found(store, "what of the canary?").await, ["the canary sings"]);
    assert_eq!(found(store, "the weather").await.len(), 521);
    assert_eq!(found(store, "the xylophone").await.len(), 521, "a word nobody stored is no rarer one");
}

/// Not by any of its words.
pub async fn gr10_a_forgotten_word_is_not_found(store: &dyn Store) {
    let secret = know(store, "the canary sings at dawn").await;
    know(store, "Bo gets up at dawn").await;
    assert_eq!(found(store, "canary dawn").await.len(), 2);
    store.forget(&ada(), secret.id).await.unwrap();
    assert!(found(store, "canary").await.is_empty());
    assert_eq!(found(store, "canary dawn").await, ["Bo gets up at dawn"]);
}
