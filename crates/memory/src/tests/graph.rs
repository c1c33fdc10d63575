//! Edges between memories: neighbours, and superseded versions.

use greenroom_core::{MemoryId, Relation, RelationKind};
use greenroom_persona::{MemorySettings, SourceSettings};
use greenroom_store::prelude::*;

use super::given::{Stage, ada, learn, settings, stage, texts};
use crate::Recalled;

async fn tie(stage: &Stage, from: MemoryId, kind: RelationKind, to: MemoryId) {
    stage.store.relate(&ada(), Relation { from, to, kind }).await.unwrap();
}

/// One memory by relevance, and this number of hops.
fn hopping(hops: usize) -> MemorySettings {
    MemorySettings { knowledge: SourceSettings::above(3, 0.4), hops, ..settings() }
}

async fn asked(stage: &Stage, hops: usize) -> Recalled {
    stage.recall("tea", &hopping(hops)).await
}

#[tokio::test]
async fn fg7_what_is_tied_to_a_hit_comes_with_it_as_far_as_the_settings_say() {
    let stage = stage().await;
    let tea = learn(&stage, "tea is green").await;
    let cup = learn(&stage, "the cup stands left").await;
    let shelf = learn(&stage, "the shelf is oak").await;
    let wood = learn(&stage, "oak needs oil").await;
    tie(&stage, tea, RelationKind::RelatesTo, cup).await;
    tie(&stage, shelf, RelationKind::Refines, cup).await; // edges are followed in both directions
    tie(&stage, wood, RelationKind::Contradicts, shelf).await;
    tie(&stage, wood, RelationKind::RelatesTo, tea).await; // a cycle
    let all = ["tea is green", "oak needs oil", "the cup stands left", "the shelf is oak"];
    assert_eq!(texts(&asked(&stage, 0).await), all[..1]);
    assert_eq!(texts(&asked(&stage, 1).await), all[..3]);
    assert_eq!(texts(&asked(&stage, 3).await), all);
    let recalled = asked(&stage, 3).await;
    assert_eq!(recalled.items[2].via, Some(tea));
    assert!(recalled.items.windows(2).all(|pair| pair[0].score >= pair[1].score));
    assert!(recalled.items[1].score < recalled.items[0].score, "a neighbour is worth less");
}

#[tokio::test]
async fn fg7_a_neighbour_that_is_gone_is_skipped() {
    let stage = stage().await;
    let tea = learn(&stage, "tea is green").await;
    let cup = learn(&stage, "the cup stands left").await;
    tie(&stage, tea, RelationKind::RelatesTo, cup).await;
    stage.store.forget(&ada(), cup).await.unwrap();
    assert_eq!(texts(&asked(&stage, 2).await), ["tea is green"]);
}

#[tokio::test]
async fn fg13_the_newest_version_takes_the_place_and_carries_the_older_ones() {
    let stage = stage().await;
    let first = learn(&stage, "jo drinks green tea").await;
    let second = learn(&stage, "jo drinks black tea").await;
    let third = learn(&stage, "jo switched to coffee").await;
    tie(&stage, second, RelationKind::Supersedes, first).await;
    tie(&stage, third, RelationKind::Supersedes, second).await;
    let recalled = asked(&stage, 0).await;
    assert_eq!(texts(&recalled), ["jo switched to coffee"]);
    let chain: Vec<_> = recalled.items[0].supersedes.iter().map(|v| (v.id, v.text.as_str())).collect();
    assert_eq!(chain, [(second, "jo drinks black tea"), (first, "jo drinks green tea")]);
}

#[tokio::test]
async fn fg13_without_the_newer_one_the_older_one_stands_for_itself() {
    let stage = stage().await;
    let old = learn(&stage, "jo drinks tea").await;
    let new = learn(&stage, "jo switched to coffee").await;
    tie(&stage, new, RelationKind::Supersedes, old).await;
    stage.store.forget(&ada(), new).await.unwrap();
    assert_eq!(texts(&asked(&stage, 1).await), ["jo drinks tea"]);
}

#[tokio::test]
async fn fg13_versions_in_a_circle_are_no_endless_loop() {
    let stage = stage().await;
    let one = learn(&stage, "tea is green").await;
    let other = learn(&stage, "tea is black").await;
    tie(&stage, one, RelationKind::Supersedes, other).await;
    tie(&stage, other, RelationKind::Supersedes, one).await;
    assert!(!asked(&stage, 2).await.items.is_empty());
}

#[tokio::test]
async fn fg13_a_newer_version_is_as_relevant_as_it_is_itself() {
    let stage = stage().await;
    let old = learn(&stage, "green tea").await;
    let new = learn(&stage, "jo switched to coffee last spring").await;
    tie(&stage, new, RelationKind::Supersedes, old).await;
    stage.memory.ready(&ada()).await.unwrap();
    let recalled = stage.recall("green tea", &hopping(0)).await;
    assert_eq!(texts(&recalled), ["jo switched to coffee last spring"]);
    assert!(recalled.items[0].score < 0.5, "{:?}", recalled.items);
}

#[tokio::test]
async fn fg7_ten_neighbours_come_at_most_each_with_its_own_relevance() {
    let stage = stage().await;
    let tea = learn(&stage, "green tea").await;
    for n in 0..15 {
        let other = learn(&stage, &format!("cup{n} stands on shelf{n}")).await;
        tie(&stage, tea, RelationKind::RelatesTo, other).await;
    }
    stage.memory.ready(&ada()).await.unwrap();
    let recalled = stage.recall("green tea", &hopping(2)).await;
    assert_eq!(recalled.items.len(), 11);
    assert!(recalled.items[1..].iter().all(|item| item.score < 0.5), "{:?}", recalled.items);
}
