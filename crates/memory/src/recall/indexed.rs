//! Candidates from the index: searches the places that a viewer sees, by meaning and words (GR1). `candidates.rs` calls
//! it; the ranker in `rank` sorts the rows.

use std::{borrow::Cow, cmp::Reverse, collections::BTreeMap, sync::Arc};

use greenroom_core::{Instant, MemoryId, MessageId, Scope, Timestamp, UserRef, Viewer};
use greenroom_index::{Filter, Shard, Slot, VectorError};
use greenroom_persona::{Follow, SourceName, Strategy};
use greenroom_store::{ItemId, ItemKind, OTHER_CHATS, OtherChat, Place, Presence, Store, StoreError};

use super::{
    RecallQuery, SearchRequest,
    candidates::Pool,
    sources::{Candidate, kind_of, wants},
};
use crate::{
    Memory, MemoryError,
    index::PlaceView,
    memory::space_of,
    names::Speakers,
    rank::{self, CANDIDATES, Collection, SearchedChat, SearchedShard},
};

/// The bonus of a row in the preferred time range: in the ranker's scores, and as a cosine.
const PREFERRED: f32 = 2.0;
const PREFERRED_NEAR: f32 = 0.1;

/// Limits of telling words, for a question about a time with no other subject. A message with fewer than `SAYS_LITTLE`
/// comes last. A message with fewer than `SAYS_NOTHING` is left out: "ok", "good night".
const SAYS_LITTLE: usize = 3;
const SAYS_NOTHING: usize = 2;

/// The receipt's note if a place is not loaded, or only its newest rows are.
const LOADING: &str = "the index is still being loaded: what is in it so far was searched";

/// The places that a viewer sees, one list per kind. A place that is not yet loaded has no rows.
#[derive(Default)]
pub(crate) struct View {
    messages: Vec<SeenPlace>,
    memories: Vec<SeenPlace>,
}

/// A place that a viewer sees.
struct SeenPlace {
    rows: Option<PlaceView>,
    other_chat: Option<SearchedChat>,
}

/// The places that a viewer always sees: the messages of the channel, the persona's memories of the channel, global
/// memories, and memories about the person. Private memories of the person are included if nobody else listens (GR1,
/// MP1, X6). [`Memory::other_chats`] adds the messages of other chats.
pub(crate) fn places(viewer: &Viewer, linked: &[UserRef]) -> Vec<Place> {
    let memories = |scope| Place::Memories(viewer.persona().clone(), scope);
    let mut places = vec![
        Place::Messages(viewer.channel().clone()),
        memories(Scope::Channel(viewer.channel().clone())),
        memories(Scope::Global),
    ];
    places.extend(personal(viewer, linked).into_iter().map(memories));
    places
}

/// The scopes of memories about the viewer's person: those of the person's own account first, then those of linked
/// accounts.
pub(super) fn personal(viewer: &Viewer, linked: &[UserRef]) -> Vec<Scope> {
    let Some(own) = viewer.user_ref() else { return Vec::new() };
    let scopes = |account: UserRef| {
        let private = viewer.is_one_to_one().then(|| Scope::Private(account.clone()));
        std::iter::once(Scope::User(account)).chain(private)
    };
    std::iter::once(own).chain(linked.iter().cloned()).flat_map(scopes).collect()
}

/// The other accounts of the person who asks.
pub(super) async fn linked<'a>(
    store: &dyn Store,
    search: &SearchRequest<'a>,
) -> Result<Cow<'a, [UserRef]>, StoreError> {
    match (search.viewer.user_ref(), search.linked) {
        (None, _) => Ok(Cow::default()),
        (Some(own), Some(known)) if known.account == own => Ok(Cow::Borrowed(&known.others)),
        (Some(own), _) => Ok(Cow::Owned(store.linked(&own).await?)),
    }
}

impl View {
    fn of(&self, kind: ItemKind) -> &[SeenPlace] {
        match kind {
            ItemKind::Message => &self.messages,
            ItemKind::Memory => &self.memories,
        }
    }

    /// The loaded shards of a kind.
    fn shards(&self, kind: ItemKind) -> Vec<SearchedShard<'_>> {
        let places = self.of(kind).iter();
        let loaded =
            places.filter_map(|place| Some((&*place.rows.as_ref()?.shard, place.other_chat.as_ref())));
        loaded.map(|(shard, other_chat)| SearchedShard { shard, other_chat }).collect()
    }

    /// All loaded shards.
    pub(crate) fn all_shards(&self) -> Vec<&Shard> {
        let places = self.messages.iter().chain(&self.memories);
        places.filter_map(|place| Some(&*place.rows.as_ref()?.shard)).collect()
    }

    /// Whether all places of a kind are completely loaded.
    fn is_whole(&self, kind: ItemKind) -> bool {
        self.of(kind).iter().all(|place| place.rows.as_ref().is_some_and(|rows| !rows.partial))
    }
}

impl Memory {
    /// The places that the viewer sees, in their present state in the index. Waits until `by` for places that are being
    /// loaded.
    pub(crate) async fn view(&self, search: &SearchRequest<'_>, by: Instant) -> Result<View, StoreError> {
        let space = self.query_embedder().await?.map(|embedder| space_of(embedder));
        let linked = linked(&*self.store, search).await?;
        let here = places(search.viewer, &linked).into_iter().map(|place| (place, None));
        let others = self.other_chats(search, &linked).await?.into_iter().map(|chat| {
            let searched = SearchedChat { heard: stretches(&chat.presence), names: chat.names };
            (Place::Messages(chat.channel), Some(searched))
        });
        let of_scope = |place: &Place| match (place, search.scope) {
            (Place::Memories(_, scope), Some(name)) => scope.name() == name,
            (_, name) => name.is_none(),
        };
        let seen = here.chain(others).filter(|(place, _)| of_scope(place));
        let (places, other_chats): (Vec<_>, Vec<_>) = seen.unzip();
        let index = &self.shared.index;
        let seen = index.view(&*self.clock, &self.store, space.as_ref(), &places, search.now, by).await?;
        let mut view = View::default();
        for ((place, other_chat), rows) in places.iter().zip(other_chats).zip(seen) {
            let seen = SeenPlace { rows, other_chat };
            match place {
                Place::Messages(_) => view.messages.push(seen),
                Place::Memories(..) => view.memories.push(seen),
            }
        }
        Ok(view)
    }

    /// The other chats in which the person talks with the persona alone, from any of the person's accounts. A
    /// one-to-one chat may recall what the person told there, unless the settings keep it in its channel (MP1).
    async fn other_chats(
        &self,
        search: &SearchRequest<'_>,
        linked: &[UserRef],
    ) -> Result<Vec<OtherChat>, StoreError> {
        let settings = search.settings;
        let wanted = self.recalls_other_chats() && wants(settings, ItemKind::Message);
        let follows = wanted && settings.follow == Follow::Person;
        let Some(own) = search.viewer.user_ref().filter(|_| follows && search.viewer.is_one_to_one()) else {
            return Ok(Vec::new());
        };
        let (persona, here) = (search.viewer.persona(), search.viewer.channel());
        let mut chats = match search.other_chats {
            Some(known) => known.to_vec(),
            None => self.store.other_chats(persona, &own, here).await?,
        };
        for account in linked {
            chats.extend(self.store.other_chats(persona, account, here).await?);
        }
        chats.sort_by_key(|chat| Reverse(chat.messages));
        chats.truncate(OTHER_CHATS);
        Ok(chats)
    }

    /// Waits until the index contains everything that the viewer sees. Measurements call this; a recall does not need
    /// it.
    pub async fn ready(&self, viewer: &Viewer) -> Result<(), MemoryError> {
        let space = self.query_embedder().await?.map(|embedder| space_of(embedder));
        let others = match viewer.user_ref() {
            Some(own) => self.store.linked(&own).await?,
            None => Vec::new(),
        };
        let places = places(viewer, &others);
        self.shared.index.ready(&*self.clock, &self.store, space.as_ref(), &places, self.clock.now()).await;
        Ok(())
    }

    /// See [`Memory::candidates`].
    pub(super) async fn indexed_candidates(
        &self,
        search: &SearchRequest<'_>,
        query: &RecallQuery,
        kind: ItemKind,
        view: &View,
    ) -> Result<Pool, StoreError> {
        let note = (!view.is_whole(kind)).then(|| LOADING.to_owned());
        let shards = view.shards(kind);
        if shards.iter().all(|place| place.shard.documents() == 0) {
            return Ok(Pool { note, ..Pool::default() });
        }
        let present = self.present(search, kind).await?;
        let speakers = match kind {
            ItemKind::Message => self.speakers(search.viewer.channel()).await?,
            ItemKind::Memory => Arc::default(),
        };
        let collection = Collection { shards: &shards, conversation: kind == ItemKind::Message };
        let searching = Searching { search, query, kind, collection, speakers: &speakers };
        let candidates = searching.candidates(present.as_deref()).unwrap_or_else(|error| {
            tracing::debug!("the index is not searched: {error}");
            Vec::new()
        });
        Ok(Pool { candidates, note })
    }

    /// The relevance of each of these memories on its own, as far as it is known.
    pub(super) fn worth(
        &self,
        search: &SearchRequest<'_>,
        query: &RecallQuery,
        view: &View,
        ids: &[MemoryId],
    ) -> BTreeMap<MemoryId, f32> {
        let kind = ItemKind::Memory;
        let shards = view.shards(kind);
        let collection = Collection { shards: &shards, conversation: false };
        let searching = Searching { search, query, kind, collection, speakers: &Speakers::default() };
        let place = |id: &MemoryId| {
            shards.iter().enumerate().find_map(|(at, place)| Some((at, place.shard.slot_of(id.0)?)))
        };
        let extra: Vec<At> = ids.iter().filter_map(place).collect();
        let ranked = rank::candidates(&collection, &searching.ranking_query(), &[], &extra);
        let worth = |ranked: rank::RankedRow| (MemoryId(ranked.id), ranked.relevance());
        ranked.unwrap_or_default().into_iter().map(worth).collect()
    }

    /// The ranges of messages for which the persona was present (GR2). `None` if all messages may be recalled.
    async fn present(
        &self,
        search: &SearchRequest<'_>,
        kind: ItemKind,
    ) -> Result<Option<Vec<(i64, i64)>>, StoreError> {
        if kind == ItemKind::Memory || !search.settings.witness {
            return Ok(None);
        }
        if let Some(known) = search.presence {
            return Ok(Some(stretches(known)));
        }
        let presence = self.store.presence(search.viewer.persona(), search.viewer.channel()).await?;
        Ok(Some(stretches(&presence)))
    }
}

/// Presence as ranges of message ids.
fn stretches(presence: &[Presence]) -> Vec<(i64, i64)> {
    presence.iter().map(|p| (p.from.0, p.until.map_or(i64::MAX, |until| until.0))).collect()
}

/// One search of one kind.
struct Searching<'a> {
    search: &'a SearchRequest<'a>,
    query: &'a RecallQuery,
    kind: ItemKind,
    collection: Collection<'a>,
    speakers: &'a Speakers,
}

/// The position of a row: its shard and its slot.
type At = (usize, Slot);

impl<'a> Searching<'a> {
    fn candidates(&self, present: Option<&'a [(i64, i64)]>) -> Result<Vec<Candidate>, VectorError> {
        let filters = self.filters(present);
        let extra: Vec<At> = self.timed(&filters).iter().flat_map(|filter| self.newest(filter)).collect();
        if self.query.words.is_some() {
            self.ranked(&filters, &extra)
        } else {
            self.nearest(&filters, &extra)
        }
    }

    /// One filter per source, so that a large source does not displace a small one. With hypotheses one filter covers
    /// all sources, because hypotheses search one pool (FG6).
    fn filters(&self, present: Option<&'a [(i64, i64)]>) -> Vec<Filter<'a>> {
        let settings = self.search.settings;
        let wanted = SourceName::ALL
            .into_iter()
            .filter(|source| kind_of(*source) == self.kind && settings.source(*source).limit > 0);
        let filter = |sources, between: Option<(Timestamp, Timestamp)>| Filter {
            before: self.search.before.filter(|_| self.kind == ItemKind::Message).map(|id| id.0),
            now: self.search.now.0,
            between: between.map(|(from, until)| (from.0, until.0)),
            within: present,
            sources,
        };
        let limited = self.search.time.as_ref().is_some_and(|asked| asked.only);
        if settings.strategy == Strategy::Hyde && !limited {
            return vec![filter(wanted.fold(0, |mask, source| mask | 1 << source as u8), None)];
        }
        wanted.map(|source| filter(1 << source as u8, self.search.between(source))).collect()
    }

    fn ranking_query(&self) -> rank::Query {
        let query = rank::Query::of_vectors(self.query.vectors(self.kind).to_vec());
        let Some(words) = &self.query.words else { return query };
        let Speakers { list, names, personas, .. } = self.speakers;
        query.with_words(&words.trigger, &words.before, (list, names)).with_personas(personas).between(
            &words.trigger,
            self.search.asker,
            Some(self.search.viewer.persona().as_str()),
        )
    }

    /// The filters of the time that is asked for, if any.
    fn timed(&self, filters: &[Filter<'a>]) -> Vec<Filter<'a>> {
        let named =
            |source: &SourceName| filters.iter().find(|filter| filter.sources >> *source as u8 & 1 == 1);
        let timed = |source: SourceName| {
            let (from, until) = self.search.preferred(source)?;
            let sources = 1 << source as u8;
            named(&source).map(|filter| Filter { between: Some((from.0, until.0)), sources, ..*filter })
        };
        SourceName::ALL.into_iter().filter_map(timed).collect()
    }

    /// Searches by meaning and words.
    fn ranked(&self, filters: &[Filter<'a>], extra: &[At]) -> Result<Vec<Candidate>, VectorError> {
        let query = self.ranking_query();
        let searches: Vec<_> = filters.iter().map(|filter| (*filter, CANDIDATES)).collect();
        let ranked = rank::candidates(&self.collection, &query, &searches, extra)?;
        let candidate = |ranked: rank::RankedRow| {
            let rank::RankedRow { id, at, source, terms, cosine, coverage, .. } = ranked;
            let is_from_other_chat = self.is_from_other_chat((ranked.shard, ranked.slot))?;
            let coverage = Some(coverage).filter(|share| *share > 0.0);
            let row = (id, at, source, terms);
            let found = self.candidate(row, (ranked.score, PREFERRED), cosine, coverage)?;
            let (question_relevance, only_asks) = (ranked.question_relevance, ranked.only_asks);
            Some(Candidate { question_relevance, only_asks, is_from_other_chat, ..found })
        };
        let words_alone = self.search.settings.strategy == Strategy::Keyword;
        let mut candidates = Vec::with_capacity(ranked.len());
        candidates.extend(ranked.into_iter().filter_map(candidate));
        candidates.retain(|found: &Candidate| !words_alone || found.coverage.is_some());
        tell_likelihoods(&mut candidates);
        Ok(candidates)
    }

    /// Searches by meaning alone: the nearest rows of each vector. A row that several vectors find keeps its best
    /// cosine (FG6).
    fn nearest(&self, filters: &[Filter<'a>], extra: &[At]) -> Result<Vec<Candidate>, VectorError> {
        let count = match self.search.settings.strategy {
            Strategy::Hyde => self.search.settings.hyde.top_k,
            _ => CANDIDATES,
        };
        let mut found: BTreeMap<At, f32> = extra.iter().map(|at| (*at, 0.0)).collect();
        for filter in filters {
            for vector in self.query.vectors(self.kind) {
                let mut near: Vec<(At, f32)> = Vec::new();
                let shards = self.collection.shards.iter().enumerate();
                for (at, place) in shards.filter(|(_, place)| place.shard.vectors() > 0) {
                    let hits = place.shard.nearest(vector, count, &place.filter(filter))?.hits;
                    near.extend(hits.into_iter().map(|(slot, cosine)| ((at, slot), cosine)));
                }
                near.sort_by(|a, b| b.1.total_cmp(&a.1));
                for (at, cosine) in near.into_iter().take(count) {
                    found.entry(at).and_modify(|best| *best = best.max(cosine)).or_insert(cosine);
                }
            }
        }
        let candidate = |((shard, slot), cosine): (At, f32)| {
            let is_from_other_chat = self.is_from_other_chat((shard, slot))?;
            let row = self.collection.shards.get(shard)?.shard.row(slot)?;
            let row = (row.meta.id, row.meta.at, row.meta.source, usize::from(row.meta.term_count));
            let found = self.candidate(row, (cosine, PREFERRED_NEAR), Some(cosine), None)?;
            Some(Candidate { is_from_other_chat, ..found })
        };
        Ok(found.into_iter().filter_map(candidate).collect())
    }

    /// The newest rows that pass the filter: what was said in the time that is asked for, whatever its words (JV8).
    /// Rows are stored by age, so that a higher slot is newer.
    fn newest(&self, filter: &Filter<'a>) -> Vec<At> {
        let mut rows: Vec<(i64, At)> = Vec::new();
        for (at, place) in self.collection.shards.iter().enumerate() {
            let (shard, filter) = (place.shard, place.filter(filter));
            let passing = shard.live_slots().rev().filter(|slot| shard.passes(*slot, &filter));
            rows.extend(
                passing.take(CANDIDATES).filter_map(|slot| Some((shard.row(slot)?.meta.at, (at, slot)))),
            );
        }
        rows.sort_unstable_by(|a, b| b.cmp(a));
        rows.into_iter().take(CANDIDATES).map(|(_, at)| at).collect()
    }

    /// Whether a row is in another chat. Returns `None` if the row does not count there: another author said it, or it
    /// only asks or requests something.
    fn is_from_other_chat(&self, (shard, slot): At) -> Option<bool> {
        let place = self.collection.shards.get(shard)?;
        let Some(chat) = place.other_chat else { return Some(false) };
        let row = place.shard.row(slot)?;
        let is_by_person = chat.names.iter().any(|name| row.author == Some(name));
        (is_by_person && !row.meta.only_asks && !row.meta.tells_nothing).then_some(true)
    }

    /// Makes a candidate of a row with its id, time, source and number of terms. Returns `None` if it says too little.
    fn candidate(
        &self,
        (id, at, source, terms): (i64, i64, u8, usize),
        (order, more): (f32, f32),
        cosine: Option<f32>,
        coverage: Option<f32>,
    ) -> Option<Candidate> {
        let id = match self.kind {
            ItemKind::Message => ItemId::Message(MessageId(id)),
            ItemKind::Memory => ItemId::Memory(MemoryId(id)),
        };
        let (source, at) = (*SourceName::ALL.get(usize::from(source))?, Timestamp(at));
        let said = self.kind == ItemKind::Message;
        let order = match (self.search.between(source), self.search.preferred(source)) {
            (Some(_), _) if said && terms < SAYS_NOTHING => return None,
            (Some(_), _) if said && terms < SAYS_LITTLE => order - f32::from(u8::MAX),
            (None, Some((from, until))) if from <= at && at < until => order + more,
            _ => order,
        };
        Some(Candidate {
            id,
            source,
            at,
            order,
            cosine,
            coverage,
            question_relevance: 0.0,
            only_asks: false,
            likelihood: 1.0,
            is_from_other_chat: false,
        })
    }
}

/// Sets each candidate's likelihood to answer: the softmax over all candidates of one search. The ranker's weights were
/// fitted under the same softmax.
fn tell_likelihoods(candidates: &mut [Candidate]) {
    let best = candidates.iter().map(|candidate| candidate.order).fold(f32::MIN, f32::max);
    for candidate in &mut *candidates {
        candidate.likelihood = (candidate.order - best).exp();
    }
    let all: f32 = candidates.iter().map(|candidate| candidate.likelihood).sum();
    for candidate in candidates {
        candidate.likelihood /= all;
    }
}
