//! Repeated imports of a persona file's knowledge (PF6).

use greenroom_core::{Memory as Stored, MemoryId, PersonaName, Trust};
use greenroom_store::{MemoryFilter, prelude::*};

use super::given::{Stage, ada, stage};
use crate::{Edit, Learned};

const TEA: &str = "Tea is brewed at noon.";
const CATS: &str = "Cats sleep a lot.";

async fn learn(stage: &Stage, statements: &[&str]) -> Learned {
    let placed =
        statements.iter().enumerate().map(|(n, text)| (format!("knowledge[{n}]"), (*text).to_owned()));
    let persona: PersonaName = "ada".parse().unwrap();
    stage.memory.learn(&persona, &placed.collect::<Vec<_>>(), &[], || {}).await.unwrap()
}

async fn known(stage: &Stage) -> Vec<Stored> {
    let now = greenroom_core::Time::now(&*stage.clock);
    let filter = MemoryFilter { now, scopes: vec!["global"], ids: Vec::new(), about: None, limit: 100 };
    let mut known = stage.store.memories(&ada(), &filter).await.unwrap();
    known.sort_by_key(|memory| memory.id);
    known
}

fn id_of(known: &[Stored], text: &str) -> MemoryId {
    known.iter().find(|memory| memory.text == text).unwrap_or_else(|| panic!("{text}: {known:?}")).id
}

#[tokio::test]
async fn pf6_statements_that_move_keep_their_memories() {
    let stage = stage().await;
    learn(&stage, &[TEA, CATS]).await;
    let before = known(&stage).await;
    let learned = learn(&stage, &["Boats float on water.", CATS, TEA]).await;
    assert_eq!(learned, Learned { known: 3, fresh: 1, forgotten: 0 });
    let now = known(&stage).await;
    for text in [TEA, CATS] {
        assert_eq!(id_of(&now, text), id_of(&before, text), "{text}");
    }
    assert!(now.iter().all(|memory| memory.version == 1), "{now:?}");
    let learned = learn(&stage, &[TEA, "Cats sleep a lot at night."]).await;
    assert_eq!(learned, Learned { known: 2, fresh: 1, forgotten: 1 });
    let last = known(&stage).await;
    assert_eq!(id_of(&last, "Cats sleep a lot at night."), id_of(&before, CATS));
    // a text that returns after its memory was changed becomes a separate memory
    learn(&stage, &[TEA, "Cats sleep a lot at night.", CATS]).await;
    assert_eq!(known(&stage).await.len(), 3);
}

#[tokio::test]
async fn pf6_statements_of_one_file_hold_side_by_side() {
    let stage = stage().await;
    learn(
        &stage,
        &["The shop opens at 9 on Monday.", "The shop opens at 10 on Tuesday.", "The shop opens at 10."],
    )
    .await;
    let known = known(&stage).await;
    assert_eq!(known.len(), 3, "{known:?}");
    let ids: Vec<MemoryId> = known.iter().map(|memory| memory.id).collect();
    assert_eq!(stage.store.relations(&ada(), &ids).await.unwrap(), []);
}

#[tokio::test]
async fn pf6_a_correction_by_hand_stays_as_long_as_the_file_says_the_same() {
    let stage = stage().await;
    learn(&stage, &[TEA, CATS]).await;
    let tea = id_of(&known(&stage).await, TEA);
    let text = Some("Tea is brewed at one.".to_owned());
    let edit = Edit { text, kind: None, expires_at: None, private: None, trust: Trust::Operator };
    stage.memory.edit(&ada(), tea, edit).await.unwrap();
    assert_eq!(learn(&stage, &[CATS, TEA]).await.fresh, 0);
    assert_eq!(id_of(&known(&stage).await, "Tea is brewed at one."), tea);
    assert_eq!(known(&stage).await.len(), 2);
}
