//! Explanation of a recall: what a question recalls, which near items it does not recall, and which rule decided (MP8).

use std::collections::HashSet;

use greenroom_core::{TurnId, Viewer, composed};
use greenroom_persona::{MemorySettings, SourceName, SourceSettings, Strategy};
use greenroom_store::{Item, ItemId};

use crate::{
    Memory, MemoryError, RecallRequest, Recalled, RecalledItem,
    recall::{least_likely, needed, sources::source_of},
};

/// The maximum number of near items in an explanation.
const NEAR: usize = 10;

/// The items that a question recalls, and the near items that it does not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Explained {
    /// The recalled items, best first in each source.
    pub recalled: Recalled,
    /// The nearest of the other items, best first; at most ten, and the expected item if it is none of them.
    pub near: Vec<Missed>,
}

/// An item that is near the question but not recalled.
#[derive(Debug, Clone, PartialEq)]
pub struct Missed {
    /// The memory or message, with its relevance.
    pub item: RecalledItem,
    /// The rule that excluded it.
    pub reason: MissReason,
}

impl Missed {
    /// The text that a memory needs so that this question finds it: its own text and the question.
    pub fn expected(&self, question: &str) -> String {
        let text = self.item.item.text().trim();
        // a text that ends like a question would be ranked as a question, and questions answer nothing
        let question = question.trim().trim_end_matches(['?', '？', '!', '.']);
        match &self.item.item {
            Item::Memory(_) => format!("{text} (about: {question})"),
            Item::Message(message) => format!("{}: {text} (about: {question})", message.author.name()),
        }
    }
}

/// Why a near item is not recalled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MissReason {
    /// The limit of the item's source is 0.
    SourceOff,
    /// The relevance is below the threshold of the source.
    BelowThreshold {
        /// The threshold.
        least: f32,
    },
    /// The relevance is below the share of the best item that `memory.focus` requires.
    FarBelowBest {
        /// The required relevance.
        least: f32,
    },
    /// The likelihood to answer is below the minimum.
    Unlikely {
        /// The likelihood that the item is the answer, 0 to 1.
        likelihood: f32,
        /// The required likelihood.
        least: f32,
    },
    /// The source's limit is reached by better items.
    BeyondLimit {
        /// The item's rank in its source, from 1.
        place: usize,
        /// The limit.
        limit: usize,
    },
    /// A recalled item says the same, or was learned from this item.
    SaidAlready,
    /// The item is not among those that the search without thresholds and with twice the limits found.
    NotFound,
}

impl MissReason {
    /// The reason in words, with the key of the setting that decided.
    pub fn text(self, source: SourceName) -> String {
        let key = source.key();
        match self {
            Self::SourceOff => format!("nothing of this source is recalled: memory.{key}.limit is 0"),
            Self::BelowThreshold { least } => {
                format!("not relevant enough: memory.{key}.threshold is {least:.2}")
            }
            Self::FarBelowBest { least } => {
                format!("far less relevant than the best: with memory.focus it needs {least:.2} here")
            }
            Self::Unlikely { likelihood, least } => {
                let (percent, least) = (likelihood * 100.0, least * 100.0);
                format!(
                    "it hardly answers: {percent:.1} % likely, and with memory.focus it needs {least:.0} %"
                )
            }
            Self::BeyondLimit { place, limit } => {
                format!("number {place} of its source, and memory.{key}.limit is {limit}")
            }
            Self::SaidAlready => "what is recalled says the same, or was learned from it".to_owned(),
            Self::NotFound => "others of its source are nearer to the question".to_owned(),
        }
    }
}

impl Memory {
    /// Explains what a persona's settings recall for a question, and why near items are not recalled, and the item that
    /// was `expected` in any case, if the viewer sees it. `turns` are two fresh ids, because recalls are cached by turn.
    ///
    /// # Errors
    /// The errors of [`recall`](Self::recall).
    pub async fn explain(
        &self,
        viewer: &Viewer,
        question: &str,
        settings: &MemorySettings,
        turns: [TurnId; 2],
        expected: Option<ItemId>,
    ) -> Result<Explained, MemoryError> {
        let viewer = &*self.as_listened(viewer).await?;
        let window = [composed(question)];
        // hypotheses need the conversation of a turn; an explanation has only the question
        let strategy = match settings.strategy {
            Strategy::Hyde => Strategy::Hybrid,
            strategy => strategy,
        };
        let own = MemorySettings { strategy, ..settings.clone() };
        let recalled = self.recall(viewer, &RecallRequest::new(turns[0], &window, &own)).await?;
        let wide = self.recall(viewer, &RecallRequest::new(turns[1], &window, &widened(&own))).await?;
        let all = recalled.items.iter().chain(&wide.items);
        let all = all.map(|item| (item.meaning, item.only_asks, item.score));
        // `wide` recalls even where the settings switch recall off
        let is_mapped = wide.is_mapped;
        let needed = needed(all, &own, is_mapped);
        let known: HashSet<ItemId> = recalled.items.iter().map(|found| found.item.id()).collect();
        let mut places = [0_usize; SourceName::ALL.len()];
        let mut near = Vec::new();
        for item in wide.items {
            let place = &mut places[item.source as usize];
            *place += 1;
            if !known.contains(&item.item.id()) {
                let reason = reason(&item, *place, &own, (needed, least_likely(is_mapped)));
                near.push(Missed { item, reason });
            }
        }
        near.sort_by(|a, b| b.item.score.total_cmp(&a.item.score));
        let is_expected = |missed: &Missed| Some(missed.item.item.id()) == expected;
        let mut rest = near.split_off(near.len().min(NEAR));
        let beyond = rest.iter().position(is_expected).map(|place| rest.swap_remove(place));
        match expected {
            _ if beyond.is_some() => near.extend(beyond),
            Some(id) if !known.contains(&id) && !near.iter().any(is_expected) => {
                near.extend(self.unfound(viewer, id).await?);
            }
            _ => {}
        }
        Ok(Explained { recalled, near })
    }

    /// An item that no search found; `None` if the viewer does not see it.
    async fn unfound(&self, viewer: &Viewer, id: ItemId) -> Result<Option<Missed>, MemoryError> {
        let item = self.store.items(viewer, &[id], self.clock.now(), true).await?.items.pop();
        Ok(item.map(|item| {
            let source = source_of(&item);
            Missed { item: RecalledItem::new(item, source, 0.0), reason: MissReason::NotFound }
        }))
    }
}

/// The same settings without thresholds and with larger limits.
fn widened(settings: &MemorySettings) -> MemorySettings {
    let wide = |source: SourceSettings| SourceSettings::ranked(source.limit.saturating_mul(2).max(NEAR));
    MemorySettings {
        enabled: true,
        auto_retrieve: true,
        hops: 0,
        knowledge: wide(settings.knowledge),
        notes: wide(settings.notes),
        events: wide(settings.events),
        summaries: wide(settings.summaries),
        messages: wide(settings.messages),
        ..settings.clone()
    }
}

/// The rule that excluded an item with this rank in its source. `needed` is the relevance that sources with a threshold
/// require, and `least` the likelihood.
fn reason(
    item: &RecalledItem,
    place: usize,
    settings: &MemorySettings,
    (needed, least): (f32, f32),
) -> MissReason {
    let SourceSettings { limit, threshold } = settings.source(item.source);
    match threshold {
        _ if limit == 0 => MissReason::SourceOff,
        Some(threshold) if item.score < threshold => MissReason::BelowThreshold { least: threshold },
        Some(_) if item.score < needed => MissReason::FarBelowBest { least: needed },
        Some(_) if settings.focus > 0.0 && item.likelihood < least => {
            MissReason::Unlikely { likelihood: item.likelihood, least }
        }
        _ if place > limit => MissReason::BeyondLimit { place, limit },
        _ => MissReason::SaidAlready,
    }
}

#[cfg(test)]
mod tests {
    use greenroom_core::{Entropy, MemoryId, SystemEntropy};

    use super::*;
    use crate::tests::given::{ada, learn, stage};

    #[tokio::test]
    async fn mp8_what_is_near_and_stays_away_has_its_reason() {
        let stage = stage().await;
        let cat = learn(&stage, "Jo's cat is called Mitzi").await;
        let dog = learn(&stage, "Jo's dog is called Rex").await;
        let turns = || [TurnId(SystemEntropy.uuid()), TurnId(SystemEntropy.uuid())];
        let ask = async |settings: &MemorySettings| {
            stage.memory.explain(&ada(), "What is Jo's cat called?", settings, turns(), None).await.unwrap()
        };
        let one = MemorySettings { knowledge: SourceSettings::ranked(1), ..MemorySettings::default() };
        let found = ask(&one).await;
        let ids = |found: &Explained| found.recalled.items.iter().map(|i| i.item.id()).collect::<Vec<_>>();
        assert_eq!(ids(&found), [ItemId::Memory(cat)]);
        let missed = found.near.iter().find(|near| near.item.item.id() == ItemId::Memory(dog)).unwrap();
        assert_eq!(missed.reason, MissReason::BeyondLimit { place: 2, limit: 1 });

        let strict = MemorySettings { knowledge: SourceSettings::above(5, 1.0), ..MemorySettings::default() };
        let found = ask(&strict).await;
        assert!(found.near.iter().any(|near| near.reason == MissReason::BelowThreshold { least: 1.0 }));

        let focused = MemorySettings {
            knowledge: SourceSettings::above(5, 0.0),
            focus: 0.99,
            ..MemorySettings::default()
        };
        let found = ask(&focused).await;
        assert_eq!(ids(&found), [ItemId::Memory(cat)]);
        let missed = found.near.iter().find(|near| near.item.item.id() == ItemId::Memory(dog)).unwrap();
        assert!(matches!(missed.reason, MissReason::FarBelowBest { .. }), "{:?}", missed.reason);

        let off = MemorySettings { knowledge: SourceSettings::ranked(0), ..MemorySettings::default() };
        let found = ask(&off).await;
        assert!(found.near.iter().all(|near| near.reason == MissReason::SourceOff), "{found:?}");
    }

    #[tokio::test]
    async fn mp8_an_expected_item_is_explained_however_far_it_is() {
        let stage = stage().await;
        for n in 0..40 {
            learn(&stage, &format!("The cat number {n} is called Mitzi the {n}th")).await;
        }
        let far = learn(&stage, "Quarterly figures are due on Friday").await;
        let explain = async |id: MemoryId| {
            let turns = [TurnId(SystemEntropy.uuid()), TurnId(SystemEntropy.uuid())];
            let (expected, settings) = (Some(ItemId::Memory(id)), MemorySettings::default());
            let explained = stage
                .memory
                .explain(&ada(), "What is the cat called?", &settings, turns, expected)
                .await
                .unwrap();
            explained.near.into_iter().filter(|near| near.item.item.id() == ItemId::Memory(id)).count()
        };
        assert_eq!(explain(far).await, 1, "it is the only one of its kind");
        assert_eq!(explain(MemoryId(9_999)).await, 0, "no such memory");
    }

    #[tokio::test]
    async fn mp8_one_action_lets_a_miss_be_found() {
        let stage = stage().await;
        let home = learn(&stage, "Jo lives in Graz").await;
        let question = "Which town does the customer come from?";
        let strict = MemorySettings { knowledge: SourceSettings::above(5, 0.7), ..MemorySettings::default() };
        let ask = async || {
            let turns = [TurnId(SystemEntropy.uuid()), TurnId(SystemEntropy.uuid())];
            stage.memory.explain(&ada(), question, &strict, turns, None).await.unwrap()
        };
        let missed = ask().await.near.into_iter().find(|near| near.item.item.id() == ItemId::Memory(home));
        let edit = crate::Edit {
            text: Some(missed.unwrap().expected(question)),
            kind: None,
            expires_at: None,
            private: None,
            trust: greenroom_core::Trust::Operator,
        };
        stage.memory.edit(&ada(), home, edit).await.unwrap();
        let found = ask().await.recalled.items;
        assert!(found.iter().any(|found| found.item.id() == ItemId::Memory(home)), "{found:?}");
    }
}
