//! Targets of `forget` by the words of a query.

use greenroom_core::{MemoryId, Scope};
use greenroom_store::{Exported, prelude::*};

use super::given::{NOW, ada, learn, stage};
use crate::SearchOptions;

/// As with `greenroom memory forget --query Hildegard --yes` in a channel of 6,000 memories.
#[tokio::test]
async fn gr10_all_memories_with_the_words_are_forgotten_however_many_and_however_old() {
    let stage = stage().await;
    let memory = |n: i64| greenroom_core::Memory {
        id: MemoryId(n),
        persona: "ada".parse().unwrap(),
        scope: Scope::Global,
        text: if n <= 150 { format!("Hildegard was seen at {n}") } else { format!("statement{n}") },
        kind: Default::default(),
        tier: greenroom_core::Tier::Semantic,
        source: greenroom_core::Source { via: "test".into(), message: None, user: None },
        trust: greenroom_core::Trust::Operator,
        version: 1,
        key: None,
        expires_at: None,
        created_at: NOW,
        updated_at: NOW,
    };
    let all = (1..=6_000).map(|n| Exported { memory: memory(n), relations: Vec::new() });
    stage.store.import(all.collect()).await.unwrap();
    for close in [None, Some(&SearchOptions::default())] {
        let found = stage.memory.find_to_forget(&ada(), "Hildegard", false, close).await.unwrap();
        assert_eq!((found.ids.len(), found.hits.len()), (150, 150), "{close:?}");
    }
}

/// An older version contains the words too, and the newest version shows what is forgotten.
#[tokio::test]
async fn gr10_a_memory_whose_older_version_has_the_words_is_forgotten_in_every_version() {
    let stage = stage().await;
    let old = learn(&stage, "Ann lives in Lyon").await;
    let new = learn(&stage, "Ann moved to Oslo").await;
    let newer =
        greenroom_core::Relation { from: new, to: old, kind: greenroom_core::RelationKind::Supersedes };
    stage.store.relate(&ada(), newer).await.unwrap();
    let found = stage.memory.find_to_forget(&ada(), "Lyon", false, None).await.unwrap();
    assert_eq!(found.ids, [new, old]);
    assert_eq!(found.hits.iter().map(|hit| hit.item.text()).collect::<Vec<_>>(), ["Ann moved to Oslo"]);
    assert!(stage.memory.find_to_forget(&ada(), "Lyon", true, None).await.unwrap().ids.is_empty());
}
