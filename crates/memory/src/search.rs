//! Explicit search, for the `recall` tool and the command line. It uses the same pipeline as a recall, by meaning and
//! words, over everything that the viewer sees.

use std::{borrow::Cow, collections::VecDeque, time::Duration};

use greenroom_core::{Memory as Stored, MessageId, Viewer, composed};
use greenroom_persona::{Follow, MemorySettings, SourceName, SourceSettings, Strategy};
use greenroom_store::{Item, MemoryFilter, StoreError};

use crate::{
    Memory, MemoryError, Recalled, RecalledItem, TimeZone,
    recall::{CORRECT_SHARE, QueryTexts, RecallQuery, SearchRequest, blended, times},
    remember::EMBED_WAIT,
};

/// The least similarity of an item found by meaning (AS2). An item that contains a word of the query is returned in any
/// case.
const THRESHOLD: f32 = 0.3;

/// The maximum number of items below the threshold that a search without hits returns.
const MOST_NEAR: usize = 3;

/// The deadline of a search. It is longer than a recall's, because a user asked for it and waits.
const PATIENCE: Duration = Duration::from_secs(10);

/// The point of view of a search.
#[derive(Debug, Clone)]
pub struct SearchOptions {
    /// The search finds neither this message nor later ones, so that a question does not find itself.
    pub before: Option<MessageId>,
    /// The time zone of words such as "yesterday" (JV8).
    pub zone: TimeZone,
    /// Whether the search finds only messages for which the persona was present (GR2).
    pub witness: bool,
    /// Whether the search finds what the person told in other chats (MP1).
    pub follow: Follow,
    /// Finds only memories of scopes with this [name](greenroom_core::Scope::name), and no messages.
    pub scope: Option<&'static str>,
}

impl Default for SearchOptions {
    /// Everything until now, in this machine's time zone, only with presence, in the channel alone.
    fn default() -> Self {
        Self { before: None, zone: TimeZone::system(), witness: true, follow: Follow::Channel, scope: None }
    }
}

/// A found item.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The memory or message.
    pub item: Item,
    /// The relevance; higher is better.
    pub score: f32,
    /// The label of the person from whom a memory was learned (RM7).
    pub from: Option<String>,
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Searched {
    /// Best first.
    pub hits: Vec<Hit>,
    /// Without hits: the nearest items that are below the threshold, best first (MP8).
    pub near: Vec<Hit>,
    /// Notes for the caller, such as a time that was understood, or an index that is still being loaded.
    pub notes: Vec<String>,
}

impl Memory {
    /// Returns the best `limit` memories and past messages that the viewer sees and for which its persona was present
    /// (AS8, AS14, GR2). Without a working embedder the words alone decide.
    ///
    /// If the query is only a time ("last week"), the hits are those of that time, in this machine's time zone:
    /// messages by when they were said, memories by when they were last written. Beside other words a time is preferred
    /// (JV8).
    pub async fn search(&self, viewer: &Viewer, query: &str, limit: usize) -> Result<Searched, MemoryError> {
        self.search_from(viewer, query, limit, &SearchOptions::default()).await
    }

    /// Returns the newest `limit` memories that the viewer sees.
    pub async fn list(&self, viewer: &Viewer, limit: usize) -> Result<Vec<Stored>, MemoryError> {
        let filter =
            MemoryFilter { now: self.clock.now(), scopes: Vec::new(), ids: Vec::new(), about: None, limit };
        Ok(self.store.memories(&*self.as_listened(viewer).await?, &filter).await?)
    }

    /// The viewer with its chat's group state. A new thread has no row in the store yet, but it belongs to a chat that
    /// may be known as a group (MP1).
    pub(crate) async fn as_listened<'a>(&self, viewer: &'a Viewer) -> Result<Cow<'a, Viewer>, StoreError> {
        let group = viewer.is_one_to_one() && self.store.group_since(viewer.channel()).await?.is_some();
        Ok(if group { Cow::Owned(viewer.clone().in_a_group()) } else { Cow::Borrowed(viewer) })
    }

    /// Like [`Self::search`], from the standpoint of a persona that answers.
    pub async fn search_from(
        &self,
        viewer: &Viewer,
        query: &str,
        limit: usize,
        options: &SearchOptions,
    ) -> Result<Searched, MemoryError> {
        // a greeting and the names of the addressed personas say nothing about the subject of the question
        let query = composed(query);
        let query = &*self.shared.cast_names.question(&query);
        if query.trim().is_empty() || limit == 0 {
            return Ok(Searched::default());
        }
        // more than the limit, because hits that are neither near nor contain a word are dropped below
        let every = SourceSettings::ranked(limit.saturating_mul(2).saturating_add(10));
        let settings = MemorySettings {
            strategy: Strategy::Hybrid,
            knowledge: every,
            notes: every,
            events: every,
            summaries: every,
            messages: every,
            hops: 0,
            witness: options.witness,
            follow: options.follow,
            ..MemorySettings::default()
        };
        // in a group, private memories would displace those that may be shown
        let viewer = &*self.as_listened(viewer).await?;
        let now = self.clock.now();
        let zone = &options.zone;
        let time = times::spoken_of(query, now, zone);
        let note = time.as_ref().map(|asked| times::understood(asked, zone));
        let search = SearchRequest {
            viewer,
            settings: &settings,
            before: options.before,
            now,
            time,
            burst: &[],
            session_key: None,
            asker: None,
            presence: None,
            linked: None,
            other_chats: None,
            scope: options.scope,
        };
        let until = self.clock.deadline(PATIENCE);
        // the correction leaves time for the search
        let corrected_by = self.clock.deadline(PATIENCE.mul_f64(CORRECT_SHARE));
        let meant = self.corrected(&search, query, corrected_by).await?;
        let read_as = meant.as_ref().map(|meant| format!("read as \"{meant}\""));
        let asked = self.searched(viewer, meant.as_deref().unwrap_or(query)).await?;
        let by_words = self.awaited().map(|why| format!("searched by words alone: {why}"));
        let notes = note.into_iter().chain(read_as).chain(by_words).collect();
        let mut recalled = Recalled { notes, ..Recalled::default() };
        self.search_and_arrange(&mut recalled, &search, &asked, until).await?;
        // a newer version may have replaced a found memory of another scope
        let of_scope = |item: &Item| match (item, options.scope) {
            (Item::Memory(memory), Some(name)) => memory.scope.name() == name,
            (_, name) => name.is_none(),
        };
        recalled.items.retain(|item| of_scope(&item.item));
        let is_hit = |item: &RecalledItem| {
            search.between(item.source).is_some()
                // a newer version that replaced the found one has only a relevance
                || item.score >= THRESHOLD
                || item.words.is_some_and(|share| share > 0.0)
        };
        let (found, near): (Vec<_>, Vec<_>) = recalled.items.into_iter().partition(is_hit);
        let best = |items, most| -> Vec<Hit> {
            let hit = |item: RecalledItem| Hit { score: item.score, item: item.item, from: item.from };
            merged(items).into_iter().take(most).map(hit).collect()
        };
        let near = if found.is_empty() { best(near, limit.min(MOST_NEAR)) } else { Vec::new() };
        Ok(Searched { hits: best(found, limit), near, notes: recalled.notes })
    }

    /// Builds the query of a search.
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

/// Merges the sources into one list. Each source keeps the ranker's order; the next item comes from the source with the
/// most relevant item left.
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
