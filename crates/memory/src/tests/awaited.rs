//! A memory whose embedder is not yet available (A10).

use std::sync::Arc;

use greenroom_persona::{Profile, Strategy};

use super::given::{ada, recall, stage, texts, told};
use crate::{Degraded, Memory};

#[tokio::test]
async fn a10_every_recall_says_that_the_embedder_is_awaited_until_it_arrives() {
    let stage = stage().await;
    let memory = Memory::awaiting(Arc::new(stage.store.clone()), "it is down", stage.clock.clone());
    memory.remember(&ada(), told(&ada(), "jo drinks green tea")).await.unwrap();
    let mut settings = Profile::Default.settings();
    for strategy in [Strategy::Hybrid, Strategy::Latest, Strategy::Window] {
        settings.strategy = strategy;
        let recalled = recall(&memory, &ada(), "green tea", None, &settings).await;
        assert_eq!(recalled.degraded, Some(Degraded::Embedder("it is down".into())), "{strategy:?}");
        // hybrid continues with words
        assert_eq!(texts(&recalled).is_empty(), strategy != Strategy::Hybrid);
    }
    settings.strategy = Strategy::Keyword;
    assert_eq!(recall(&memory, &ada(), "green tea", None, &settings).await.degraded, None);
    assert_eq!(memory.index_pending().await.unwrap().embedded, 0);

    let clone = memory.clone();
    clone.arrived(stage.embedder.clone(), None);
    assert_eq!(memory.awaited(), None);
    assert_eq!(memory.index_pending().await.unwrap().embedded, 1);
    settings.strategy = Strategy::Latest;
    let recalled = recall(&memory, &ada(), "green tea", None, &settings).await;
    assert_eq!((texts(&recalled), &recalled.degraded), (vec!["jo drinks green tea"], &None));
}
