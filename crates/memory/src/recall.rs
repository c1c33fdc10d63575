//! Recall: selects the few memories and messages that matter for the last messages of a conversation.
//!
//! A turn calls [`Memory::recall`] before the context is assembled. Recall embeds the query in one batch, searches
//! memories and messages, and follows the edges of the memories that it found. One deadline covers all of it (FG8).
//! This module does not decide who may see what: the store takes the viewer with every call, and the index is divided
//! into places (GR1).
//!
//! ```text
//! window ── query: texts, hypotheses, vectors, words
//!             └─ candidates: of the index; a place that is being loaded is waited for
//!                  └─ sources: threshold, limit ── whole items ── hops ── order of the block
//! ```

mod cache;
mod candidates;
mod hops;
mod hyde;
pub(crate) mod indexed;
mod query;
mod recalled;
pub(crate) mod sources;
mod standing;
pub(crate) mod times;

use std::sync::atomic::Ordering;

use greenroom_core::{Instant, MemoryId, MessageId, Timestamp, TurnId, Viewer};
use greenroom_persona::{MemorySettings, SourceName, Strategy};
use greenroom_store::{ItemKind, Linked, OtherChat, Presence, StoreError};

pub use self::recalled::{Degraded, MemoryVersion, Recalled, RecalledItem};
pub(crate) use self::{
    cache::Cache,
    hyde::Written,
    query::{QueryTexts, RecallQuery, blended},
    sources::{least_likely, needed, source_in},
};
use self::{
    candidates::{Chosen, Pool},
    indexed::View,
    query::{separate, texts},
    sources::{arranged, drop_just_learned, wants},
};
use crate::{Memory, MemoryError, SmallModel};

// Shares of `settings.deadline` (FG8).
/// Time for the model to write hypotheses; later ones are dropped.
const MODEL_SHARE: f64 = 0.75;
/// Time to embed the query. After that the recall searches by words alone.
const EMBED_SHARE: f64 = 0.6;
/// The same with the strategy `hyde`, where the model first writes the hypotheses.
const HYDE_SHARE: f64 = 0.9;
/// Time to load places whose words are used to correct typos.
pub(crate) const CORRECT_SHARE: f64 = 0.2;
/// The share of the deadline that is reserved for the search of the loaded places.
const SEARCH_SHARE: f64 = 0.05;

/// A turn's request for a recall.
#[derive(Debug, Clone)]
pub struct RecallRequest<'a> {
    /// The turn. Its tool rounds share one recall (BD10, FG9).
    pub turn_id: TurnId,
    /// The last messages as texts, oldest first; the last one is the trigger.
    pub window: &'a [String],
    /// The trigger, or the oldest message in the shown history. Neither this message nor a later one is recalled.
    pub before: Option<MessageId>,
    /// Limits and thresholds.
    pub settings: &'a MemorySettings,
    /// What people and personas said since the last summary, as `role: text`, oldest first. The small model reads it
    /// (FG12). Only the strategy `hyde` uses it; if it is empty, `hyde` uses the window.
    pub dialogue: &'a [String],
    /// The model that writes hypotheses (FG5). Only the strategy `hyde` needs it.
    pub hyde: Option<&'a SmallModel>,
    /// The messages that the turn answers. Memories learned from them are not recalled, because the context shows the
    /// messages.
    pub burst: &'a [MessageId],
    /// The key of the running session's own summary (JV1). This summary is not recalled while the session goes on.
    pub session_key: Option<&'a str>,
    /// The name of the person who asks, as it is in their messages. "I" and "my" refer to this person.
    pub asker: Option<&'a str>,
    /// The stretches for which the persona was present (GR2). `None`: the recall reads them from the store.
    pub presence: Option<&'a Vec<Presence>>,
    /// The linked accounts of the person (MP1). `None`: the recall reads them from the store.
    pub linked: Option<&'a Linked>,
    /// The other chats in which the person talks with the persona alone from this account (MP1). `None`: the recall
    /// reads them from the store.
    pub other_chats: Option<&'a [OtherChat]>,
}

impl<'a> RecallRequest<'a> {
    /// Returns a request with only the fields that every strategy needs.
    pub fn new(turn_id: TurnId, window: &'a [String], settings: &'a MemorySettings) -> Self {
        Self {
            turn_id,
            window,
            before: None,
            settings,
            dialogue: &[],
            hyde: None,
            burst: &[],
            session_key: None,
            asker: None,
            presence: None,
            linked: None,
            other_chats: None,
        }
    }
}

/// The query of a recall, and the receipt's note about it.
#[derive(Default)]
struct BuiltQuery {
    query: RecallQuery,
    /// Why the recall is degraded, if it is.
    degraded: Option<Degraded>,
    /// The receipt's note about the hypotheses.
    note: Option<String>,
}

/// The viewer, the settings and the limits of one search.
pub(crate) struct SearchRequest<'a> {
    pub(crate) viewer: &'a Viewer,
    pub(crate) settings: &'a MemorySettings,
    pub(crate) before: Option<MessageId>,
    /// The moment of the recall.
    pub(crate) now: Timestamp,
    /// The time that the question asks for (JV8).
    pub(crate) time: Option<times::AskedTime>,
    /// See [`RecallRequest::burst`].
    pub(crate) burst: &'a [MessageId],
    /// See [`RecallRequest::session_key`].
    pub(crate) session_key: Option<&'a str>,
    /// See [`RecallRequest::asker`].
    pub(crate) asker: Option<&'a str>,
    /// See [`RecallRequest::presence`].
    pub(crate) presence: Option<&'a Vec<Presence>>,
    /// See [`RecallRequest::linked`].
    pub(crate) linked: Option<&'a Linked>,
    /// See [`RecallRequest::other_chats`].
    pub(crate) other_chats: Option<&'a [OtherChat]>,
    /// See [`SearchOptions::scope`](crate::SearchOptions::scope).
    pub(crate) scope: Option<&'static str>,
}

impl SearchRequest<'_> {
    /// The sources without a threshold, because the question asks for them by their time.
    fn unbounded(&self) -> &'static [SourceName] {
        match &self.time {
            Some(asked) if asked.only && asked.searched => &SourceName::ALL,
            Some(asked) if asked.only => &[SourceName::Messages, SourceName::Summaries],
            _ => &[],
        }
    }

    /// The time range to which a source is limited.
    pub(crate) fn between(&self, source: SourceName) -> Option<(Timestamp, Timestamp)> {
        self.time.as_ref().filter(|asked| asked.only).and_then(|_| self.preferred(source))
    }

    /// The time range that is preferred in a source. It may also be the only range that is searched.
    pub(crate) fn preferred(&self, source: SourceName) -> Option<(Timestamp, Timestamp)> {
        let asked = self.time.as_ref()?;
        let said = matches!(source, SourceName::Messages | SourceName::Summaries);
        (said || (asked.only && asked.searched)).then_some((asked.range.from, asked.range.until))
    }
}

impl Memory {
    /// Returns what matters for the window of a turn, one source after the other (WB6, WB7, AS2, AS3). A turn may call
    /// it any number of times: the result is cached by turn and viewer (BD10, FG9).
    ///
    /// Returns nothing, and logs nothing, when recall is switched off or when the strategy needs an embedder and there
    /// is none (BD7, BD8). A failing embedder degrades the recall: `hybrid` goes on with words, the other strategies
    /// return nothing. The result says that it is degraded, except with `hyde`, which only notes it in the receipt
    /// (AS10, FG11).
    ///
    /// # Errors
    /// A failing store is an error (AS10).
    pub async fn recall(
        &self,
        viewer: &Viewer,
        request: &RecallRequest<'_>,
    ) -> Result<Recalled, MemoryError> {
        let settings = request.settings;
        let wanted = settings.enabled
            && settings.auto_retrieve
            && (wants(settings, ItemKind::Memory) || wants(settings, ItemKind::Message));
        if !wanted {
            return Ok(Recalled::default());
        }
        self.shared
            .cache
            .get(request.turn_id, viewer, request.before, || self.recall_anew(viewer, request))
            .await
    }

    /// Drops the cached recall of a turn, so that its next call recalls again.
    pub fn forget_recall(&self, turn: TurnId) {
        self.shared.cache.forget(turn);
    }

    async fn recall_anew(
        &self,
        viewer: &Viewer,
        request: &RecallRequest<'_>,
    ) -> Result<Recalled, MemoryError> {
        let RecallRequest {
            settings, before, burst, session_key, asker, presence, linked, other_chats, ..
        } = *request;
        let begun = self.clock.instant();
        let until = begun + settings.deadline;
        let hyde = settings.strategy == Strategy::Hyde;
        let mut recalled = Recalled::default();
        let (now, zone) = (self.clock.now(), settings.zone());
        // a greeting and the names of the addressed personas say nothing about the subject of the question
        let names = &self.shared.cast_names;
        let (trigger, context) = match request.window.split_last() {
            Some((trigger, context)) => (names.question(trigger), context),
            None => Default::default(),
        };
        let time = times::asked_for(&trigger, now, &zone);
        recalled.notes.extend(time.as_ref().map(|asked| times::understood(asked, &zone)));
        let search = SearchRequest {
            viewer,
            settings,
            before,
            now,
            time,
            burst,
            session_key,
            asker,
            presence,
            linked,
            other_chats,
            scope: None,
        };
        let mut texts = texts(&trigger, context, settings, |text| names.without_greeting(text));
        if settings.strategy != Strategy::Hyde
            && let Some(trigger) = texts.first_mut()
            && let Some(meant) =
                self.corrected(&search, trigger, begun + settings.deadline.mul_f64(CORRECT_SHARE)).await?
        {
            recalled.notes.push(format!("read as \"{meant}\""));
            *trigger = meant;
        }
        let share = if hyde { HYDE_SHARE } else { EMBED_SHARE };
        let embedded_by = begun + settings.deadline.mul_f64(share);
        let mut query = match self.clock.timeout_at(embedded_by, self.vectors(viewer, request, &texts)).await
        {
            Ok(asked) => {
                let asked = asked?;
                recalled.degraded = asked.degraded;
                recalled.notes.extend(asked.note);
                asked.query
            }
            Err(_) => {
                recalled.degraded = Some(Degraded::Deadline);
                RecallQuery::default()
            }
        };
        let by_words = matches!(settings.strategy, Strategy::Keyword | Strategy::Hybrid);
        query.words = QueryTexts::of(&texts).filter(|_| by_words);
        recalled.is_mapped = query.is_mapped;
        self.search_and_arrange(&mut recalled, &search, &query, until).await?;
        if hyde {
            // the conversation must not show it (FG11), the receipt does
            recalled.notes.extend(recalled.degraded.take().map(|why| why.to_string()));
        } else if let Some(why) = &recalled.degraded {
            why.warn(request.turn_id);
        }
        Ok(recalled)
    }

    /// Searches, and sorts what was found before the deadline into `recalled`.
    pub(crate) async fn search_and_arrange(
        &self,
        recalled: &mut Recalled,
        search: &SearchRequest<'_>,
        query: &RecallQuery,
        until: Instant,
    ) -> Result<(), StoreError> {
        let view = match query.is_empty() {
            true => View::default(),
            false => {
                let loaded_by = until - search.settings.deadline.mul_f64(SEARCH_SHARE);
                match self.clock.timeout_at(until, self.view(search, loaded_by)).await {
                    Ok(view) => view?,
                    Err(_) => {
                        recalled.degraded = Some(Degraded::Deadline);
                        View::default()
                    }
                }
            }
        };
        let (memories, messages) = tokio::join!(
            self.clock.timeout_at(until, self.candidates(search, query, ItemKind::Memory, &view)),
            self.clock.timeout_at(until, self.candidates(search, query, ItemKind::Message, &view)),
        );
        let mut chosen = Chosen::default();
        for pool in [memories, messages] {
            let Ok(pool) = pool else {
                recalled.degraded = Some(Degraded::Deadline);
                continue;
            };
            let Pool { candidates, note } = pool?;
            recalled.notes.extend(note);
            match self
                .clock
                .timeout_at(until, self.choose(search, (candidates, query.is_mapped), &mut chosen))
                .await
            {
                Ok(read) => read?,
                Err(_) => recalled.degraded = Some(Degraded::Deadline),
            }
        }
        chosen.focus(search, query.is_mapped);
        let (mut items, edges) = match self.clock.timeout_at(until, self.read_chosen(search, chosen)).await {
            Ok(whole) => whole?,
            Err(_) => {
                recalled.degraded = Some(Degraded::Deadline);
                Default::default()
            }
        };
        let worth = |ids: &[MemoryId]| self.worth(search, query, &view, ids);
        match self.clock.timeout_at(until, hops::linked(&*self.store, search, &items, edges, &worth)).await {
            Ok(linked) => {
                items = linked?;
                drop_just_learned(&mut items, search.burst);
            }
            Err(_) => recalled.degraded = Some(Degraded::Deadline),
        }
        recalled.items = arranged(items, search.settings);
        self.label(search.viewer, search.asker, &mut recalled.items).await
    }

    /// The vectors of the request's query. The result says why they are incomplete, if they are.
    async fn vectors(
        &self,
        viewer: &Viewer,
        request: &RecallRequest<'_>,
        texts: &[String],
    ) -> Result<BuiltQuery, StoreError> {
        let settings = request.settings;
        if settings.strategy == Strategy::Keyword {
            return Ok(BuiltQuery::default());
        }
        let embedder = self.query_embedder().await?;
        let hyde = settings.strategy == Strategy::Hyde;
        if hyde {
            self.warn_of_half(embedder.is_some() || self.awaited().is_some(), request.hyde.is_some());
        }
        let Some(embedder) = embedder.filter(|_| !texts.is_empty()) else {
            let degraded = self.awaited().filter(|_| !texts.is_empty()).map(Degraded::Embedder);
            return Ok(BuiltQuery { degraded, ..BuiltQuery::default() });
        };
        let names = &self.speakers(viewer.channel()).await?.names;
        let (asked, note) = if hyde {
            let Some(model) = request.hyde else { return Ok(BuiltQuery::default()) };
            let Written { sentences, note } = self.hypotheses(model, request).await;
            if sentences.is_empty() {
                return Ok(BuiltQuery { note, ..BuiltQuery::default() });
            }
            (separate(embedder.uncached(), &sentences, names).await, note)
        } else {
            (blended(embedder, texts, names).await, None)
        };
        Ok(match asked {
            Ok(query) => BuiltQuery { query, note, degraded: None },
            Err(reason) => {
                BuiltQuery { query: RecallQuery::default(), note, degraded: Some(Degraded::Embedder(reason)) }
            }
        })
    }

    /// Lets the model write hypotheses for the conversation (FG5).
    async fn hypotheses(&self, model: &SmallModel, request: &RecallRequest<'_>) -> Written {
        let dialogue = if request.dialogue.is_empty() { request.window } else { request.dialogue };
        let from = dialogue.len().saturating_sub(request.settings.window);
        let patience = request.settings.deadline.mul_f64(MODEL_SHARE);
        hyde::hypotheses(&*self.clock, model, &dialogue[from..], request.settings.hyde.hypotheses, patience)
            .await
    }

    /// Warns once if either the embedder or the retrieval model is missing (FG10).
    fn warn_of_half(&self, embedder: bool, model: bool) {
        let missing = match (embedder, model) {
            (true, false) => "memory.hyde.model is not set",
            (false, true) => "there is no embedder",
            _ => return,
        };
        if !self.shared.warned_of_half.swap(true, Ordering::Relaxed) {
            tracing::warn!("the strategy hyde recalls nothing: {missing}; it needs an embedder and a model");
        }
    }
}
