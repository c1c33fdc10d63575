//! An explicit search, for the `recall` tool and the command line: the same way as a recall, by
//! meaning and words together, over everything the viewer sees.

use std::{borrow::Cow, collections::VecDeque, time::Duration};

use greenroom_core::{Memory as Stored, MessageId, Viewer};
use greenroom_persona::{Follow, MemorySettings, SourceName, SourceSettings, Strategy};
use greenroom_store::{Item, MemoryFilter, StoreError};

use crate::{
    Memory, MemoryError, Recalled, RecalledItem, TimeZone,
    recall::{QueryTexts, RecallQuery, SearchRequest, blended, times},
    remember::EMBED_WAIT,
};

/// What is found by meaning is at least this similar (AS2); what holds a telling word is found anyway.
const THRESHOLD: f32 = 0.3;

/// A person asked for it and waits.
const PATIENCE: Duration = Duration::from_secs(10);

/// The point of view of a search.
#[derive(Debug, Clone)]
pub struct Standpoint {
    /// This message and what came after it is not found, so that a question does not find itself.
    pub before: Option<MessageId>,
    /// Where "yesterday" is meant (JV8).
    pub zone: TimeZone,
    /// Whether only messages are found that the persona was present for (GR2).
    pub witness: bool,
    /// Whether what the person told in other chats is found (MP1).
    pub follow: Follow,
}

impl Default for Standpoint {
    /// Now, in this machine's time zone, present, in the channel alone.
    fn default() -> Self {
        Self { before: None, zone: TimeZone::system(), witness: true, follow: Follow::Channel }
    }
}

/// A found item.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The memory or message.
    pub item: Item,
    /// How relevant it is; higher is better.
    pub score: f32,
    /// The label of the person from whom a memory was learned (RM7).
    pub from: Option<String>,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Searched {
    /// Best first.
    pub hits: Vec<Hit>,
    /// What the caller should know about it: a time that was understood, an index that is still being
    /// loaded.
    pub notes: Vec<String>,
}

impl Memory {
    /// The best `limit` memories and past messages the viewer sees and its persona was present for
    /// (AS8, AS14, GR2). Without a working embedder the words alone decide. Of a query for nothing but a
    /// time ("last week") the hits are those of that time, in this machine's time zone: messages by when they
    /// were said, memories by when they were last written. Beside other words a time is preferred (JV8).
    pub async fn search(&self, viewer: &Viewer, query: &str, limit: usize) -> Result<Searched, MemoryError> {
        self.search_from(viewer, query, limit, &Standpoint::default()).await
    }

    /// The newest `limit` memories the viewer sees.
    pub async fn list(&self, viewer: &Viewer, limit: usize) -> Result<Vec<Stored>, MemoryError> {
        let filter =
            MemoryFilter { now: self.clock.now(), scopes: Vec::new(), ids: Vec::new(), about: None, limit };
        Ok(self.store.memories(&*self.as_listened(viewer).await?, &filter).await?)
    }

    /// The view as others listen to it: a thread that is new has no row yet, and is one of its chat, which may be known as a
    /// group (MP1).
    pub(crate) async fn as_listened<'a>(&self, viewer: &'a Viewer) -> Result<Cow<'a, Viewer>, StoreError> {
        let group = viewer.is_one_to_one() && self.store.group_since(viewer.channel()).await?.is_some();
        Ok(if group { Cow::Owned(viewer.clone().in_a_group()) } else { Cow::Borrowed(viewer) })
    }

    /// The same from where a persona stands while it answers.
    pub async fn search_from(
        &self,
        viewer: &Viewer,
        query: &str,
        limit: usize,
        standpoint: &Standpoint,
    ) -> Result<Searched, MemoryError> {
        // who should answer says nothing of what is asked
        let query = &*self.shared.cast_names.left_out_of(query);
        if query.trim().is_empty() || limit == 0 {
            return Ok(Searched::default());
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
            follow: standpoint.follow,
            ..MemorySettings::default()
        };
        // what is private would take the places of what may be shown
        let viewer = &*self.as_listened(viewer).await?;
        let now = self.clock.now();
        let zone = &standpoint.zone;
        let time = times::spoken_of(query, now, zone);
        let note = time.as_ref().map(|asked| times::understood(asked, zone));
        let search = SearchRequest {
            viewer,
            settings: &settings,
            before: standpoint.before,
            now,
            time,
            burst: &[],
            session_key: None,
            asker: None,
            presence: None,
            linked: None,
            other_chats: None,
        };
        let until = self.clock.deadline(PATIENCE);
        let meant = self.corrected(&search, query, until).await?;
        let read_as = meant.as_ref().map(|meant| format!("read as \"{meant}\""));
        let asked = self.searched(viewer, meant.as_deref().unwrap_or(query)).await?;
        let by_words = self.awaited().map(|why| format!("searched by words alone: {why}"));
        let notes = note.into_iter().chain(read_as).chain(by_words).collect();
        let mut recalled = Recalled { notes, ..Recalled::default() };
        self.fill(&mut recalled, &search, &asked, until).await?;
        let mut found = recalled.items;
        found.retain(|item| {
            search.between(item.source).is_some()
                // a newer version that stands in for the one that was found has only a relevance
                || item.score >= THRESHOLD
                || item.words.is_some_and(|share| share > 0.0)
        });
        let hit = |item: RecalledItem| Hit { score: item.score, item: item.item, from: item.from };
        let hits = merged(found).into_iter().take(limit).map(hit).collect();
        Ok(Searched { hits, notes: recalled.notes })
    }

    /// The query of a search.
    async fn searched(&self, viewer: &Viewer, text: &str) -> Result<RecallQuery, StoreError> {
        let names = &self.speakers(viewer.channel()).await?.names;
        let texts = [text.to_owned()];
        let mut query = match self.query_embedder().await? {
            None => RecallQuery::default(),
            Some(embedder) => match self.clock.timeout(EMBED_WAIT, blended(embedder, &texts, names)).await {
                Ok(Ok(query)) => query,
                Ok(Err(reason)) => {
                    tracing::warn!("searching by words alone: {reason}");
                    RecallQuery::default()
                }
                Err(_) => {
                    tracing::warn!("searching by words alone: the embedder takes too long");
                    RecallQuery::default()
                }
            },
        };
        query.words = QueryTexts::of(&texts);
        Ok(query)
    }
}

/// The sources as one list: each keeps the ranker's order, and the one with the most relevant of what is
/// left goes on.
fn merged(found: Vec<RecalledItem>) -> Vec<RecalledItem> {
    let mut sources: Vec<VecDeque<RecalledItem>> = vec![VecDeque::new(); SourceName::ALL.len()];
    for item in found {
        sources[item.source as usize].push_back(item);
    }
    let mut merged = Vec::new();
    let best = |left: &VecDeque<RecalledItem>| {
        let worth = |item: &RecalledItem| (item.score, item.meaning.unwrap_or(0.0));
        left.iter().map(worth).max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)))
    };
    loop {
        let worth = sources.iter().enumerate().filter_map(|(at, left)| Some((best(left)?, at)));
        let next = worth.max_by(|(a, _), (b, _)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        match next.and_then(|(_, at)| sources.get_mut(at)?.pop_front()) {
            Some(item) => merged.push(item),
            None => return merged,
        }
    }
}
