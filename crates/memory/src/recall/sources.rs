//! The sources of recalled items: to which source an item belongs, how many items of each source are kept, and in which
//! order the sources appear in the context.

use std::{borrow::Cow, cmp::Ordering};

use greenroom_core::{MessageId, Scope, Tier, Timestamp};
use greenroom_persona::{MemorySettings, Render, SourceName, SourceSettings, Strategy};
use greenroom_store::{Item, ItemId, ItemKind};

use super::SearchRequest;
use crate::{RecalledItem, rank::relevance};

/// A text with at least this cosine with the question repeats the question.
const SAME_MEANING: f32 = 0.97;

/// An item that may be recalled, before it is read from the store.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) id: ItemId,
    /// The source of the item.
    pub(crate) source: SourceName,
    /// When the message was said, or the memory last written.
    pub(crate) at: Timestamp,
    /// The sort key; comparable within one search.
    pub(crate) order: f32,
    /// See [`RecalledItem::meaning`].
    pub(crate) cosine: Option<f32>,
    /// See [`RecalledItem::words`].
    pub(crate) coverage: Option<f32>,
    /// The relevance of the question to which this message may be the answer. It counts only for the threshold.
    pub(crate) question_relevance: f32,
    /// See [`RecalledItem::only_asks`].
    pub(crate) only_asks: bool,
    /// See [`RecalledItem::likelihood`].
    pub(crate) likelihood: f32,
    /// See [`RecalledItem::is_from_other_chat`].
    pub(crate) is_from_other_chat: bool,
}

impl Candidate {
    /// See [`RecalledItem::score`].
    pub(crate) fn relevance(&self) -> f32 {
        relevance(self.cosine, self.coverage.unwrap_or(0.0))
    }

    /// Best first; the newer of two equals comes first (AS11).
    pub(crate) fn best_first(&self, other: &Self) -> Ordering {
        other.order.total_cmp(&self.order).then(other.at.cmp(&self.at)).then(other.id.cmp(&self.id))
    }
}

/// The source of an item: by its tier, and for knowledge by whether it is about the person.
pub(crate) fn source_of(item: &Item) -> SourceName {
    match item {
        Item::Message(_) => SourceName::Messages,
        Item::Memory(memory) => source_in(Some(memory.tier), &memory.scope),
    }
}

/// Like [`source_of`], of a memory's tier and scope.
pub(crate) fn source_in(tier: Option<Tier>, scope: &Scope) -> SourceName {
    match (tier, scope) {
        (Some(Tier::Episodic), _) => SourceName::Events,
        (Some(Tier::Conversation), _) => SourceName::Summaries,
        (_, Scope::User(_) | Scope::Private(_)) => SourceName::Notes,
        _ => SourceName::Knowledge,
    }
}

/// The kind of items in a source.
pub(crate) fn kind_of(source: SourceName) -> ItemKind {
    if source == SourceName::Messages { ItemKind::Message } else { ItemKind::Memory }
}

/// Whether the settings ask for any items of this kind.
pub(crate) fn wants(settings: &MemorySettings, kind: ItemKind) -> bool {
    SourceName::ALL.into_iter().any(|name| kind_of(name) == kind && settings.source(name).limit > 0)
}

/// Whether a source is shown whatever the query is: preferences always, and conversations by their recency (JV6).
pub(crate) fn standing(settings: &MemorySettings, source: SourceName) -> bool {
    use SourceName::{Knowledge, Notes, Summaries};
    settings.render == Render::Tiers && matches!(source, Knowledge | Notes | Summaries)
}

/// The best candidates of each source. The threshold of the source is applied before its limit (AS2). Twice as many as
/// the limit are kept, since some may turn out to repeat others. `unbounded` sources were asked for explicitly and have
/// no threshold (JV8).
pub(crate) fn chosen(
    candidates: Vec<Candidate>,
    settings: &MemorySettings,
    unbounded: &[SourceName],
) -> Vec<Candidate> {
    let mut best: [Vec<Candidate>; SourceName::ALL.len()] = Default::default();
    for candidate in &candidates {
        let source = candidate.source;
        let SourceSettings { limit, threshold } = settings.source(source);
        let threshold = threshold.filter(|_| !unbounded.contains(&source));
        if threshold.is_some_and(|least| candidate.relevance().max(candidate.question_relevance) < least) {
            continue;
        }
        // drops most candidates at once, because they are no better than the worst that is kept
        let best = &mut best[source as usize];
        if best.len() >= limit.saturating_mul(2)
            && best.pop_if(|worst| candidate.best_first(worst).is_lt()).is_none()
        {
            continue;
        }
        best.insert(best.partition_point(|kept| kept.best_first(candidate).is_lt()), *candidate);
    }
    let mut best = best.concat();
    best.sort_unstable_by(Candidate::best_first);
    best
}

/// The distance of the bar of a mapped question from the best, as a part of that of another question: 0.9 instead of
/// 0.75 (`docs/decisions.md`, Memory).
const MAPPED_DISTANCE: f32 = 0.4;

/// The least likelihood to answer with which a candidate is kept. Without a map the answers stand less far before the
/// other texts, so that more of them would be lost (`docs/decisions.md`, Memory).
pub(crate) fn least_likely(is_mapped: bool) -> f32 {
    if is_mapped { 0.04 } else { 0.02 }
}

/// Drops the candidates of one search that hardly answer the question (MP3); the first one stays. Sources without a
/// threshold and `unbounded` sources keep all candidates. Without `focus` in the settings nothing is dropped.
pub(crate) fn likely(
    mut best: Vec<Candidate>,
    (settings, is_mapped): (&MemorySettings, bool),
    unbounded: &[SourceName],
) -> Vec<Candidate> {
    let bounded = |source| settings.source(source).threshold.is_some() && !unbounded.contains(&source);
    let first = best.first().map(|candidate| candidate.id);
    best.retain(|candidate| {
        settings.focus == 0.0
            || !bounded(candidate.source)
            || candidate.likelihood >= least_likely(is_mapped)
            || Some(candidate.id) == first
    });
    best
}

/// Drops what is less relevant than `focus` times the best of all sources (MP3): beside an answer, an item that only
/// shares a word with the question wastes tokens. Sources without a threshold and `unbounded` sources keep all
/// candidates.
pub(crate) fn focused(
    candidates: &mut Vec<Candidate>,
    (settings, is_mapped): (&MemorySettings, bool),
    unbounded: &[SourceName],
) {
    let items = candidates.iter().map(|found| (found.cosine, found.only_asks, found.relevance()));
    let needed = needed(items, settings, is_mapped);
    let bounded = |source| settings.source(source).threshold.is_some() && !unbounded.contains(&source);
    candidates
        .retain(|found| !bounded(found.source) || found.relevance().max(found.question_relevance) >= needed);
}

/// The least relevance that is kept among these items, each given as cosine, whether it only asks, and relevance. Items
/// that mean the same as the question, or only ask, are not counted: a question that was asked before is more relevant
/// than its answer. A mapped question tells answers from other texts more sharply, so the bar is nearer to the best.
pub(crate) fn needed(
    items: impl Iterator<Item = (Option<f32>, bool, f32)>,
    settings: &MemorySettings,
    is_mapped: bool,
) -> f32 {
    let others = items
        .filter(|(cosine, only_asks, _)| !only_asks && cosine.is_none_or(|cosine| cosine < SAME_MEANING));
    let best = others.map(|(.., relevance)| relevance).fold(0.0, f32::max);
    match is_mapped && settings.focus > 0.0 {
        true => (1.0 - MAPPED_DISTANCE * (1.0 - settings.focus)) * best,
        false => settings.focus * best,
    }
}

/// Drops what the context does not need: the running session's summary, what the context shows anyway, and repetitions.
/// Then keeps no more items of a source than its limit.
pub(crate) fn distinct(items: &mut Vec<RecalledItem>, search: &SearchRequest<'_>) {
    drop_own_session(items, search.session_key);
    drop_just_learned(items, search.burst);
    drop_repeated(items);
    limited(items, search.settings, ItemKind::Memory);
    // after the limit: a dropped memory must not drop the message that it was learned from
    drop_origins(items);
    limited(items, search.settings, ItemKind::Message);
}

/// Of items in one source with the same text, only the best stays.
fn drop_repeated(items: &mut Vec<RecalledItem>) {
    let said: Vec<(SourceName, Cow<'_, str>)> = items.iter().map(|i| (i.source, said(&i.item))).collect();
    let same = |(source, text): &(_, Cow<'_, str>), (other, earlier): &(_, Cow<'_, str>)| {
        source == other && text.eq_ignore_ascii_case(earlier)
    };
    let is_new = |(at, text)| !said[..at].iter().any(|earlier| same(text, earlier));
    let mut new: Vec<bool> = said.iter().enumerate().map(is_new).collect();
    new.reverse();
    items.retain(|_| new.pop().unwrap_or(true));
}

/// The text of an item for comparison: in lower case, except for ASCII texts, which are compared without regard to
/// case.
fn said(item: &Item) -> Cow<'_, str> {
    let text = item.text().trim();
    if text.is_ascii() { text.into() } else { text.to_lowercase().into() }
}

/// Keeps no more items of each source of this kind than the source's limit.
fn limited(items: &mut Vec<RecalledItem>, settings: &MemorySettings, kind: ItemKind) {
    let mut taken = [0_usize; SourceName::ALL.len()];
    items.retain(|item| {
        if kind_of(item.source) != kind {
            return true;
        }
        let count = &mut taken[item.source as usize];
        *count += 1;
        *count <= settings.source(item.source).limit
    });
}

/// Drops a message if a recalled memory was learned from it: the memory says the same.
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

/// Drops the summary of the running session, which is not over (JV1).
fn drop_own_session(items: &mut Vec<RecalledItem>, key: Option<&str>) {
    let Some(key) = key else { return };
    items.retain(|i| !matches!(&i.item, Item::Memory(memory) if memory.key.as_deref() == Some(key)));
}

/// Drops memories learned from the messages that the turn answers: the context shows these messages.
pub(crate) fn drop_just_learned(items: &mut Vec<RecalledItem>, burst: &[MessageId]) {
    let new = |item: &Item| match item {
        Item::Memory(memory) => memory.source.message.is_some_and(|id| burst.contains(&id)),
        Item::Message(_) => false,
    };
    items.retain(|found| !new(&found.item));
}

/// Sorts items by the sources' order in the settings; within a source the order stays. With hypotheses all memories are
/// one pool, best first (FG6).
pub(crate) fn arranged(mut items: Vec<RecalledItem>, settings: &MemorySettings) -> Vec<RecalledItem> {
    let place = |source: SourceName| settings.order.iter().position(|name| *name == source);
    let first_memory =
        settings.order.iter().position(|name| kind_of(*name) == ItemKind::Memory).unwrap_or(usize::MAX);
    let pooled = settings.strategy == Strategy::Hyde;
    if pooled {
        items.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.item.at().cmp(&a.item.at())));
    }
    items.sort_by_key(|item| match kind_of(item.source) {
        ItemKind::Memory if pooled => (first_memory, 0),
        _ => (place(item.source).unwrap_or(usize::MAX), item.source as usize),
    });
    items
}

#[cfg(test)]
mod tests {
    use greenroom_persona::Profile;

    use super::*;

    fn candidate(id: i64, source: SourceName, at: i64, order: f32) -> Candidate {
        let id = match kind_of(source) {
            ItemKind::Message => ItemId::Message(MessageId(id)),
            ItemKind::Memory => ItemId::Memory(greenroom_core::MemoryId(id)),
        };
        Candidate {
            id,
            source,
            at: Timestamp(at),
            order,
            cosine: Some(order),
            coverage: None,
            question_relevance: 0.0,
            only_asks: false,
            likelihood: 1.0,
            is_from_other_chat: false,
        }
    }

    fn ids(candidates: &[Candidate]) -> Vec<String> {
        candidates.iter().map(|c| c.id.to_string()).collect()
    }

    #[test]
    fn as2_the_threshold_is_applied_before_the_limit() {
        let settings = MemorySettings {
            messages: SourceSettings::above(1, 0.5),
            knowledge: SourceSettings::ranked(1),
            ..MemorySettings::default()
        };
        let all = vec![
            candidate(1, SourceName::Messages, 0, 0.4),
            candidate(2, SourceName::Messages, 0, 0.5),
            candidate(3, SourceName::Messages, 0, 0.6),
            candidate(4, SourceName::Messages, 0, 0.7),
            candidate(5, SourceName::Knowledge, 0, -0.1),
            candidate(6, SourceName::Knowledge, 0, -0.2),
        ];
        assert_eq!(ids(&chosen(all, &settings, &[])), ["msg:4", "msg:3", "m5", "m6"]);
    }

    #[test]
    fn as11_of_two_equals_the_recent_one_comes_first() {
        let all = [(1, 10, 0.5), (2, 30, 0.5), (3, 20, 0.9), (4, 30, 0.5)];
        let all = all.map(|(id, at, order)| candidate(id, SourceName::Messages, at, order)).to_vec();
        let order = chosen(all, &Profile::Knowledge.settings(), &[]);
        assert_eq!(ids(&order), ["msg:3", "msg:4", "msg:2", "msg:1"]);
    }

    #[test]
    fn jv8_what_is_asked_for_explicitly_has_no_threshold() {
        let settings = MemorySettings::default();
        let all = vec![candidate(1, SourceName::Messages, 0, 0.1)];
        assert!(chosen(all.clone(), &settings, &[]).is_empty());
        assert_eq!(chosen(all, &settings, &[SourceName::Messages]).len(), 1);
    }

    #[test]
    fn as2_the_answer_to_a_relevant_question_passes_with_it() {
        let fencing = Candidate { question_relevance: 0.6, ..candidate(1, SourceName::Messages, 0, 0.1) };
        assert_eq!(chosen(vec![fencing], &MemorySettings::default(), &[]).len(), 1);
    }

    #[test]
    fn mp3_what_is_far_less_relevant_than_the_best_takes_no_room() {
        let all = || {
            vec![
                candidate(1, SourceName::Notes, 0, 0.8),
                candidate(2, SourceName::Notes, 0, 0.4),
                candidate(3, SourceName::Messages, 0, 0.65),
                candidate(4, SourceName::Messages, 0, 0.55),
            ]
        };
        let left = |settings: &MemorySettings, unbounded: &[SourceName]| {
            let mut candidates = all();
            focused(&mut candidates, (settings, false), unbounded);
            ids(&candidates)
        };
        let settings = MemorySettings::default();
        assert_eq!(left(&settings, &[]), ["m1", "msg:3"]);
        assert_eq!(left(&settings, &[SourceName::Messages]), ["m1", "msg:3", "msg:4"]);
        assert_eq!(
            left(&Profile::Knowledge.settings(), &[]).len(),
            4,
            "a seed's profile has its own numbers"
        );
        assert_eq!(left(&MemorySettings { focus: 0.0, ..settings.clone() }, &[]).len(), 4, "switched off");
        let ranked = MemorySettings { notes: SourceSettings::ranked(10), ..settings };
        assert_eq!(left(&ranked, &[]), ["m1", "m2", "msg:3"]);
    }

    #[test]
    fn mp3_what_hardly_answers_takes_no_room() {
        let all = [90, 4, 3].map(|percent: u8| {
            let likelihood = f32::from(percent) / 100.0;
            Candidate { likelihood, ..candidate(percent.into(), SourceName::Notes, 0, likelihood) }
        });
        let settings = MemorySettings::default();
        let left = |settings: &MemorySettings, all: &[Candidate], unbounded: &[SourceName]| {
            ids(&likely(all.to_vec(), (settings, true), unbounded))
        };
        assert_eq!(left(&settings, &all, &[]), ["m90", "m4"]);
        assert_eq!(left(&settings, &all[2..], &[]), ["m3"], "the first stays");
        assert_eq!(
            likely(all.to_vec(), (&settings, false), &[]).len(),
            3,
            "an unmapped question is less sharp"
        );
        assert_eq!(left(&settings, &all, &[SourceName::Notes]).len(), 3);
        assert_eq!(left(&MemorySettings { focus: 0.0, ..settings.clone() }, &all, &[]).len(), 3);
        let ranked = MemorySettings { notes: SourceSettings::ranked(10), ..settings };
        assert_eq!(left(&ranked, &all, &[]).len(), 3);
    }

    #[test]
    fn mp3_a_question_that_was_asked_before_sets_no_measure_for_its_answer() {
        let settings = MemorySettings::default();
        let repeated = Candidate { coverage: Some(0.8), ..candidate(1, SourceName::Messages, 0, 1.0) };
        let all = || {
            vec![
                repeated,
                candidate(2, SourceName::Messages, 0, 0.6),
                candidate(3, SourceName::Notes, 0, 0.3),
            ]
        };
        let mut candidates = all();
        focused(&mut candidates, (&settings, false), &[]);
        assert_eq!(ids(&candidates), ["msg:1", "msg:2"], "measured by the best of the others");
    }

    #[test]
    fn mp3_what_only_asks_sets_no_measure_and_that_of_a_mapped_question_is_nearer_to_the_best() {
        let settings = MemorySettings::default();
        let items = [(Some(0.9), true, 0.9), (Some(0.5), false, 0.5)].into_iter();
        assert!((needed(items.clone(), &settings, false) - 0.375).abs() < 1e-6);
        assert!((needed(items.clone(), &settings, true) - 0.45).abs() < 1e-6);
        let off = MemorySettings { focus: 0.0, ..settings };
        assert_eq!(needed(items, &off, true), 0.0, "switched off");
    }

    #[test]
    fn a_source_that_is_off_gives_nothing() {
        let settings = MemorySettings { messages: SourceSettings::ranked(0), ..MemorySettings::default() };
        let all = vec![candidate(1, SourceName::Messages, 0, 0.9)];
        assert!(chosen(all, &settings, &[SourceName::Messages]).is_empty());
    }
}
