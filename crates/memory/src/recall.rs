//! Recall: from the last messages of a conversation to the few statements that matter now.
//!
//! One batch is embedded, two searches run side by side, and all of it together has one deadline.
//! Who may see what is not decided here: the store takes the viewer with every search (GR1).

use std::time::Instant;

use greenroom_core::{MemoryId, MessageId, Timestamp, TurnId, Viewer};
use greenroom_models::{Embedder, normalise};
use greenroom_persona::{MemorySettings, SourceName, SourceSettings};
use greenroom_store::{Hit, Item, ItemKind, Search, StoreError};
use tokio::time::timeout;

use crate::{
    Memory, MemoryError, SmallModel,
    embed::{Embedding, embed, one_line},
    memory::space_of,
};

/// How much of the query is the trigger; the rest is what was said before it. The trigger has to
/// lead, or a long reply before a short question would decide what is recalled; what was said
/// before it has to count, or "and which one did I prefer?" would find nothing.
const TRIGGER_WEIGHT: f32 = 0.7;

/// So much of each message before the trigger counts; what a message is about stands at its
/// beginning, and one of them must not crowd out the others.
const CONTEXT_CHARS: usize = 1_000;

/// What a turn wants to recall.
#[derive(Debug, Clone)]
pub struct RecallRequest<'a> {
    /// The turn; its tool rounds share one recall (BD10, FG9).
    pub turn_id: TurnId,
    /// The last messages as texts, oldest first; the last one is the trigger.
    pub window: &'a [String],
    /// The trigger, or the oldest message the history shows: neither it nor anything later is
    /// recalled.
    pub before: Option<MessageId>,
    /// Limits and thresholds.
    pub settings: &'a MemorySettings,
    /// What people and personas said since the last summary, as `role: text`, oldest first: what
    /// the small model reads (FG12). Only the strategy `hyde` needs it; without it the window serves.
    pub dialogue: &'a [String],
    /// The model that writes hypotheses (FG5); only the strategy `hyde` needs it.
    pub hyde: Option<&'a SmallModel>,
    /// The key of the running session's own summary (JV1): what is still going on is not recalled.
    pub session_key: Option<&'a str>,
}

impl<'a> RecallRequest<'a> {
    /// A request without anything but what every strategy needs.
    pub fn new(turn_id: TurnId, window: &'a [String], settings: &'a MemorySettings) -> Self {
        Self { turn_id, window, before: None, settings, dialogue: &[], hyde: None, session_key: None }
    }
}

/// What came back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recalled {
    /// Knowledge first, then past messages, each best first.
    pub items: Vec<RecalledItem>,
    /// Why it is less than it could be, if it is.
    pub degraded: Option<Degraded>,
    /// What the receipt says about it: a time range that was understood (JV8), an index that is
    /// still being loaded.
    pub notes: Vec<String>,
}

/// One recalled item.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledItem {
    /// What it is.
    pub item: Item,
    /// Which source it comes from.
    pub source: SourceName,
    /// Relevance, 0 to 1: what thresholds are held against and people are shown. The cosine; with
    /// words, the larger of it and the share of the query's weight the item's words hold.
    pub score: f32,
    /// The cosine with the query, where meaning was asked.
    pub meaning: Option<f32>,
    /// The share of the query's words it holds, by their weight, where words were asked.
    pub words: Option<f32>,
    /// The memory whose edge led here (FG7); nothing for what was found by itself.
    pub via: Option<MemoryId>,
    /// What it took the place of, newest first (FG13).
    pub supersedes: Vec<MemoryVersion>,
}

impl RecalledItem {
    /// An item that was found by itself.
    pub fn new(item: Item, source: SourceName, score: f32) -> Self {
        Self { item, source, score, meaning: None, words: None, via: None, supersedes: Vec::new() }
    }
}

/// An earlier version of what a memory says.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryVersion {
    /// The older memory.
    pub id: MemoryId,
    /// What it said.
    pub text: String,
    /// When it was last written.
    pub at: Timestamp,
}

/// Why a recall is less than it could be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Degraded {
    /// The embedder failed, in one line (L20).
    Embedder(String),
    /// The deadline passed; what was complete by then is there (FG8).
    Deadline,
}

impl Memory {
    /// What matters for the window of a turn, a source after the other (WB6, WB7, AS2, AS3).
    ///
    /// Nothing, at once and without a word, when recall is switched off or there is no embedder
    /// (BD7, BD8). A failing embedder degrades the recall, which says so and holds nothing: there
    /// is no falling back to words (AS10, FG11). A failing store is an error (AS10). A turn calls
    /// this once and keeps the answer for all its tool rounds (BD10).
    pub async fn recall(
        &self,
        viewer: &Viewer,
        request: &RecallRequest<'_>,
    ) -> Result<Recalled, MemoryError> {
        let settings = request.settings;
        let texts = query_texts(request.window, settings.window);
        let wanted = settings.enabled
            && settings.auto_retrieve
            && settings.knowledge.limit + settings.messages.limit > 0
            && !texts.is_empty();
        let Some(embedder) = self.embedder.as_deref().filter(|_| wanted) else {
            return Ok(Recalled::default());
        };

        let started = Instant::now();
        let query = match timeout(settings.deadline, query_vector(embedder, &texts)).await {
            Ok(Ok(Some(vector))) => vector,
            Ok(Ok(None)) => return Ok(Recalled::default()),
            Ok(Err(reason)) => return Ok(degraded(Degraded::Embedder(reason), &request.turn_id)),
            Err(_) => return Ok(degraded(Degraded::Deadline, &request.turn_id)),
        };
        let left = settings.deadline.saturating_sub(started.elapsed());
        let (knowledge, messages) = tokio::join!(
            timeout(left, self.source(viewer, embedder, &query, ItemKind::Memory, settings.knowledge, None)),
            timeout(
                left,
                self.source(viewer, embedder, &query, ItemKind::Message, settings.messages, request.before)
            ),
        );
        Ok(collected([knowledge.ok().transpose()?, messages.ok().transpose()?]))
    }

    /// The best of one source; nothing when its limit is 0.
    async fn source(
        &self,
        viewer: &Viewer,
        embedder: &dyn Embedder,
        query: &[f32],
        kind: ItemKind,
        settings: SourceSettings,
        before: Option<MessageId>,
    ) -> Result<Vec<Hit>, StoreError> {
        if settings.limit == 0 {
            return Ok(Vec::new());
        }
        let search = Search {
            threshold: settings.threshold,
            before,
            ..Search::new(kind, settings.limit, self.clock.now())
        };
        self.store.nearest(viewer, &space_of(embedder), query, &search).await
    }
}

fn degraded(why: Degraded, turn: &TurnId) -> Recalled {
    match &why {
        Degraded::Embedder(reason) => tracing::warn!(%turn, "nothing was recalled: {reason}"),
        Degraded::Deadline => tracing::warn!(%turn, "nothing was recalled within the deadline"),
    }
    Recalled { degraded: Some(why), ..Recalled::default() }
}

/// The texts of the query: the trigger, then what was said before it, if anything (WB6). Looks at
/// the last `window` messages, and always at the trigger.
fn query_texts(window: &[String], size: usize) -> Vec<String> {
    let from = window.len().saturating_sub(size.max(1));
    let Some((trigger, before)) = window[from..].split_last() else { return Vec::new() };
    let before: Vec<String> = before.iter().map(|m| m.chars().take(CONTEXT_CHARS).collect()).collect();
    [trigger.clone(), before.join("\n")].into_iter().filter(|t| !t.trim().is_empty()).collect()
}

/// One vector for the whole query; `None` when it holds nothing the model knows.
async fn query_vector(embedder: &dyn Embedder, texts: &[String]) -> Result<Option<Vec<f32>>, String> {
    let mut vectors = Vec::new();
    for embedding in embed(embedder, texts).await.map_err(|e| one_line(&e))? {
        match embedding {
            Embedding::Vector(v) => vectors.push(v),
            Embedding::Nothing => {}
            Embedding::Unusable(reason) => {
                return Err(format!("the embedding model {} gave {reason}", embedder.model()));
            }
        }
    }
    let mut vectors = vectors.into_iter();
    Ok(match (vectors.next(), vectors.next()) {
        (Some(trigger), Some(before)) => Some(blend(trigger, &before)),
        (only, _) => only,
    })
}

/// The trigger and what was said before it as one unit vector.
fn blend(mut trigger: Vec<f32>, before: &[f32]) -> Vec<f32> {
    for (t, b) in trigger.iter_mut().zip(before) {
        *t = TRIGGER_WEIGHT * *t + (1.0 - TRIGGER_WEIGHT) * b;
    }
    normalise(&mut trigger);
    trigger
}

/// Best first; the newer one of two equals comes first (AS11).
pub(crate) fn best_first(a: &Hit, b: &Hit) -> std::cmp::Ordering {
    b.score
        .total_cmp(&a.score)
        .then_with(|| b.item.at().cmp(&a.item.at()))
        .then_with(|| b.item.id().cmp(&a.item.id()))
}

/// The sources one after the other, each best first; `None` is one that was not complete in time.
fn collected(sources: [Option<Vec<Hit>>; 2]) -> Recalled {
    let mut recalled = Recalled::default();
    for (name, source) in [SourceName::Knowledge, SourceName::Messages].into_iter().zip(sources) {
        let Some(mut hits) = source else {
            recalled.degraded = Some(Degraded::Deadline);
            continue;
        };
        hits.sort_by(best_first);
        recalled.items.extend(hits.into_iter().map(|hit| RecalledItem::new(hit.item, name, hit.score)));
    }
    drop_origins(&mut recalled.items);
    recalled
}

/// A message that a recalled memory was learned from says nothing new beside it.
fn drop_origins(items: &mut Vec<RecalledItem>) {
    let origins: Vec<MessageId> = items
        .iter()
        .filter_map(|i| match &i.item {
            Item::Memory(memory) => memory.source.message,
            Item::Message(_) => None,
        })
        .collect();
    items.retain(|i| !matches!(&i.item, Item::Message(message) if origins.contains(&message.id)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use greenroom_core::{Author, Message};
    use greenroom_store::ItemId;

    fn said(id: i64, at: i64) -> Item {
        Item::Message(Message {
            id: MessageId(id),
            channel: "terminal:default".parse().unwrap(),
            event_id: id.to_string(),
            author: Author::Persona { name: "ada".parse().unwrap() },
            text: "hello".into(),
            at: Timestamp(at),
            turn_id: None,
        })
    }

    #[test]
    fn fg8_what_is_complete_by_the_deadline_is_used() {
        let recalled = collected([None, Some(vec![Hit { item: said(1, 0), score: 0.5 }])]);
        assert_eq!(recalled.items.len(), 1);
        assert_eq!(recalled.degraded, Some(Degraded::Deadline));
        assert_eq!(collected([Some(Vec::new()), Some(Vec::new())]), Recalled::default());
    }

    #[test]
    fn as11_of_two_equals_the_recent_one_comes_first() {
        let hits = [(1, 10, 0.5), (2, 30, 0.5), (3, 20, 0.9), (4, 30, 0.5)];
        let hits = hits.map(|(id, at, score)| Hit { item: said(id, at), score }).to_vec();
        let order: Vec<ItemId> = collected([None, Some(hits)]).items.iter().map(|i| i.item.id()).collect();
        assert_eq!(order, [3, 4, 2, 1].map(|id| ItemId::Message(MessageId(id))));
    }

    fn window(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|t| (*t).to_owned()).collect()
    }

    #[test]
    fn wb6_the_query_is_the_trigger_and_the_few_messages_before_it() {
        let all = window(&["a", "b", "c", "d"]);
        assert_eq!(query_texts(&all, 3), ["d", "b\nc"]);
        assert_eq!(query_texts(&all, 1), ["d"]);
        assert_eq!(query_texts(&all, 0), ["d"]);
        assert_eq!(query_texts(&all[..1], 9), ["a"]);
        assert!(query_texts(&[], 3).is_empty());
        assert!(query_texts(&window(&[" \n"]), 3).is_empty());
    }

    #[test]
    fn wb6_a_long_message_before_the_trigger_does_not_crowd_out_the_others() {
        let texts = query_texts(&window(&[&"x".repeat(9_000), "why?", "and now?"]), 3);
        assert_eq!(texts[1].len(), CONTEXT_CHARS + "\nwhy?".len());
    }

    #[test]
    fn wb6_the_trigger_leads_the_query() {
        let query = blend(vec![1.0, 0.0], &[0.0, 1.0]);
        assert!(query[0] > 0.9 && query[1] > 0.3, "{query:?}");
    }
}
