//! An explicit search, for the `recall` tool and the command line: the same way as a recall, by
//! meaning and words together, over everything the viewer sees.

use std::{cmp::Ordering, time::Duration};

use greenroom_core::{MessageId, Viewer};
use greenroom_persona::{MemorySettings, SourceSettings, Strategy};
use greenroom_store::{Hit, StoreError};
use tokio::time::{Instant, timeout};

use crate::{
    Memory, MemoryError, Recalled, RecalledItem, TimeZone,
    recall::{Ask, Query, Worded, blended},
    remember::EMBED_WAIT,
    time_range,
};

/// What is found by meaning is at least this similar (AS2); what holds a telling word is found anyway.
const THRESHOLD: f32 = 0.3;

/// Somebody asked for it and waits.
const PATIENCE: Duration = Duration::from_secs(10);

/// From where somebody searches.
#[derive(Debug, Clone)]
pub struct Standpoint {
    /// This message and what came after it is not found, so that a question does not find itself.
    pub before: Option<MessageId>,
    /// Where "yesterday" is meant (JV8).
    pub zone: TimeZone,
    /// Whether only messages are found that the persona was present for (GR2).
    pub witness: bool,
}

impl Default for Standpoint {
    /// Now, in this machine's time zone, present.
    fn default() -> Self {
        Self { before: None, zone: TimeZone::system(), witness: true }
    }
}

impl Memory {
    /// The best `limit` memories and past messages the viewer sees and its persona was present for
    /// (AS8, AS14, GR2), most relevant first. Without a working embedder the words alone decide. Of a
    /// query that speaks of a time ("last week") messages and summaries are those of that time, in
    /// this machine's time zone (JV8).
    pub async fn search(&self, viewer: &Viewer, query: &str, limit: usize) -> Result<Vec<Hit>, MemoryError> {
        self.search_from(viewer, query, limit, &Standpoint::default()).await
    }

    /// The same from where a persona stands while it answers.
    pub async fn search_from(
        &self,
        viewer: &Viewer,
        query: &str,
        limit: usize,
        standpoint: &Standpoint,
    ) -> Result<Vec<Hit>, MemoryError> {
        if query.trim().is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        // more than asked for: what is neither near nor holds a word goes afterwards
        let every = SourceSettings::ranked(limit.saturating_mul(2).saturating_add(10));
        let settings = MemorySettings {
            strategy: Strategy::Hybrid,
            knowledge: every,
            notes: every,
            events: every,
            summaries: every,
            messages: every,
            hops: 0,
            witness: standpoint.witness,
            ..MemorySettings::default()
        };
        let now = self.clock.now();
        let between = time_range(query, now, &standpoint.zone).map(|range| (range.from, range.until));
        let ask = Ask {
            viewer,
            settings: &settings,
            before: standpoint.before,
            now,
            between,
            burst: &[],
            session_key: None,
            asker: None,
        };
        let asked = self.searched(viewer, query).await?;
        let mut recalled = Recalled::default();
        self.fill(&mut recalled, &ask, &asked, Instant::now() + PATIENCE).await?;
        let mut found = recalled.items;
        found.retain(|item| {
            ask.between(item.source).is_some()
                || item.meaning.is_some_and(|near| near >= THRESHOLD)
                || item.words.is_some_and(|share| share > 0.0)
        });
        found.sort_by(most_relevant_first);
        found.truncate(limit);
        Ok(found.into_iter().map(|item| Hit { score: item.score, item: item.item }).collect())
    }

    /// The query of a search.
    async fn searched(&self, viewer: &Viewer, text: &str) -> Result<Query, StoreError> {
        let names = &self.speakers(viewer.channel()).await?.names;
        let texts = [text.to_owned()];
        let mut query = match self.asked().await? {
            None => Query::default(),
            Some(embedder) => match timeout(EMBED_WAIT, blended(embedder, &texts, names)).await {
                Ok(Ok(query)) => query,
                Ok(Err(reason)) => {
                    tracing::warn!("searching by words alone: {reason}");
                    Query::default()
                }
                Err(_) => {
                    tracing::warn!("searching by words alone: the embedder takes too long");
                    Query::default()
                }
            },
        };
        query.words = Worded::of(&texts);
        Ok(query)
    }
}

/// Of two as relevant the nearer one, then the newer one (AS11).
fn most_relevant_first(a: &RecalledItem, b: &RecalledItem) -> Ordering {
    let nearness = |item: &RecalledItem| item.meaning.unwrap_or(0.0);
    b.score
        .total_cmp(&a.score)
        .then(nearness(b).total_cmp(&nearness(a)))
        .then(b.item.at().cmp(&a.item.at()))
        .then(b.item.id().cmp(&a.item.id()))
}
