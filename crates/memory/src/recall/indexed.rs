//! Candidates from the index: the four places of a viewer, searched by meaning and words (GR1).

use std::{collections::HashMap, sync::Arc};

use greenroom_core::{MemoryId, MessageId, Scope, Timestamp, Viewer};
use greenroom_index::{Bm25, Filter, Names, Shard, Slot, WordQuery, terms};
use greenroom_persona::{SourceName, Strategy};
use greenroom_store::{ItemId, ItemKind, Place, StoreError};

use super::{
    Ask, Query,
    candidates::Pool,
    fuse::fused,
    sources::{Candidate, kind_of},
};
use crate::{Memory, memory::space_of};

/// So many candidates are taken from each search of a shard; thresholds and limits come after.
const CANDIDATES: usize = 100;

/// The shards a viewer sees; `None` while one of a kind is still being loaded.
#[derive(Default)]
pub(crate) struct View {
    messages: Option<Vec<Arc<Shard>>>,
    memories: Option<Vec<Arc<Shard>>>,
}

/// What a viewer sees, and nothing else: the messages of the channel, and the persona's memories of
/// the channel, of everywhere, and of the person (GR1, X6).
pub(crate) fn places(viewer: &Viewer) -> Vec<Place> {
    let memories = |scope| Place::Memories(viewer.persona().clone(), scope);
    let mut places = vec![
        Place::Messages(viewer.channel().clone()),
        memories(Scope::Channel(viewer.channel().clone())),
        memories(Scope::Global),
    ];
    places.extend(viewer.user_ref().map(|user| memories(Scope::User(user))));
    places
}

impl View {
    /// The shards of a kind.
    pub(super) fn of(&self, kind: ItemKind) -> Option<&[Arc<Shard>]> {
        match kind {
            ItemKind::Message => self.messages.as_deref(),
            ItemKind::Memory => self.memories.as_deref(),
        }
    }
}

impl Memory {
    /// What the viewer sees, as the index holds it now.
    pub(super) async fn view(&self, ask: &Ask<'_>) -> Result<View, StoreError> {
        let space = self.asked().await?.map(space_of);
        let places = places(ask.viewer);
        let shards = self.shared.index.view(&self.store, space.as_ref(), &places, ask.now).await?;
        let mut shards = shards.into_iter();
        let messages = shards.next().map(|messages| vec![messages]);
        let all = |shards: Vec<Option<Arc<Shard>>>| shards.into_iter().collect::<Option<Vec<_>>>();
        Ok(View { messages: messages.and_then(all), memories: all(shards.collect()) })
    }

    /// Waits until everything the viewer sees is in the index: for whoever measures. A recall does
    /// not need it.
    pub async fn ready(&self, viewer: &Viewer) -> Result<(), crate::MemoryError> {
        let space = self.asked().await?.map(space_of);
        self.shared.index.ready(&self.store, space.as_ref(), &places(viewer), self.clock.now()).await;
        Ok(())
    }

    /// See [`Memory::candidates`].
    pub(super) async fn from_index(
        &self,
        ask: &Ask<'_>,
        query: &Query,
        kind: ItemKind,
        shards: &[Arc<Shard>],
    ) -> Result<Pool, StoreError> {
        if shards.iter().all(|shard| shard.documents() == 0) {
            return Ok(Pool::default());
        }
        let present = self.present(ask, kind).await?;
        let names = match kind {
            ItemKind::Message => self.names(ask.viewer.channel()).await?,
            ItemKind::Memory => Arc::default(),
        };
        let search =
            Searching { ask, vectors: query.vectors(kind), words: &query.words, names: &names, kind };
        Ok(Pool { candidates: search.candidates(shards, present.as_deref()), ..Pool::default() })
    }

    /// Which messages the persona was present for (GR2); `None` where that does not matter.
    async fn present(&self, ask: &Ask<'_>, kind: ItemKind) -> Result<Option<Vec<(i64, i64)>>, StoreError> {
        if kind == ItemKind::Memory || !ask.settings.witness {
            return Ok(None);
        }
        let stretches = self.store.presence(ask.viewer.persona(), ask.viewer.channel()).await?;
        let range = |p: &greenroom_store::Presence| (p.from.0, p.until.map_or(i64::MAX, |until| until.0));
        Ok(Some(stretches.iter().map(range).collect()))
    }
}

/// One search of one kind.
struct Searching<'a> {
    ask: &'a Ask<'a>,
    vectors: &'a [Vec<f32>],
    words: &'a str,
    names: &'a Names,
    kind: ItemKind,
}

/// Where a candidate lies: in which shard, on which place.
type At = (usize, Slot);

impl Searching<'_> {
    fn candidates(&self, shards: &[Arc<Shard>], present: Option<&[(i64, i64)]>) -> Vec<Candidate> {
        let whole: Vec<&Shard> = shards.iter().map(|shard| &**shard).collect();
        let asked = terms(self.words, self.names).into_iter().map(|term| (term, 1.0));
        let words = WordQuery::over(&whole, asked, &Bm25::default());
        let mut found: HashMap<At, ()> = HashMap::new();
        for filter in self.filters(present) {
            self.search(&whole, &words, &filter, &mut found);
        }
        self.weighed(&whole, &words, found.into_keys().collect())
    }

    /// One filter for the sources that a time range holds for, one for the others; and each source by
    /// itself, so that a large one does not take the places of a small one.
    fn filters<'a>(&self, present: Option<&'a [(i64, i64)]>) -> Vec<Filter<'a>> {
        let settings = self.ask.settings;
        let wanted = SourceName::ALL
            .into_iter()
            .filter(|source| kind_of(*source) == self.kind && settings.source(*source).limit > 0);
        let filter = |sources, between: Option<(Timestamp, Timestamp)>| Filter {
            before: self.ask.before.filter(|_| self.kind == ItemKind::Message).map(|id| id.0),
            now: self.ask.now.0,
            between: between.map(|(from, until)| (from.0, until.0)),
            within: present,
            sources,
        };
        // hypotheses search one pool (FG6)
        if settings.strategy == Strategy::Hyde && self.ask.between.is_none() {
            let sources = wanted.fold(0, |mask, source| mask | 1 << source as u8);
            return vec![filter(sources, None)];
        }
        wanted.map(|source| filter(1 << source as u8, self.ask.between(source))).collect()
    }

    fn search(&self, shards: &[&Shard], words: &WordQuery, filter: &Filter<'_>, found: &mut HashMap<At, ()>) {
        let k = match self.ask.settings.strategy {
            Strategy::Hyde => self.ask.settings.hyde.top_k,
            _ => CANDIDATES,
        };
        for vector in self.vectors {
            let mut near: Vec<(At, f32)> = Vec::new();
            for (at, shard) in shards.iter().enumerate() {
                match shard.nearest(vector, k, filter) {
                    Ok(nearest) => {
                        near.extend(nearest.hits.into_iter().map(|(slot, score)| ((at, slot), score)))
                    }
                    Err(error) => tracing::debug!("a place is not searched by meaning: {error}"),
                }
            }
            near.sort_by(|a, b| b.1.total_cmp(&a.1));
            found.extend(near.into_iter().take(k).map(|(at, _)| (at, ())));
        }
        if !words.is_empty() {
            for (at, shard) in shards.iter().enumerate() {
                let hits = shard.bm25(words, k, filter).hits;
                found.extend(hits.into_iter().map(|(slot, _)| ((at, slot), ())));
            }
        }
        if filter.between.is_some() {
            found.extend(newest(shards, filter, CANDIDATES).into_iter().map(|at| (at, ())));
        }
    }

    /// The candidates with their scores.
    fn weighed(&self, shards: &[&Shard], words: &WordQuery, found: Vec<At>) -> Vec<Candidate> {
        let cosines: Vec<Vec<_>> = shards
            .iter()
            .map(|shard| self.vectors.iter().filter_map(|vector| shard.cosines(vector).ok()).collect())
            .collect();
        let near =
            |(shard, slot): At| cosines[shard].iter().filter_map(|cosine| cosine(slot)).reduce(f32::max);
        let meanings: Vec<Option<f32>> = found.iter().map(|at| near(*at)).collect();
        let bm25: Vec<f32> = found.iter().map(|(shard, slot)| shards[*shard].bm25_of(*slot, words)).collect();
        let by_words = !words.is_empty();
        let scores: Vec<_> = meanings.into_iter().zip(bm25).collect();
        let orders = fused(&scores, by_words);
        let candidate = |((at, (meaning, _)), order): ((At, (Option<f32>, f32)), f32)| {
            let (shard, slot) = (shards[at.0], at.1);
            let id = shard.id(slot)?;
            let id = match self.kind {
                ItemKind::Message => ItemId::Message(MessageId(id)),
                ItemKind::Memory => ItemId::Memory(MemoryId(id)),
            };
            let source = *SourceName::ALL.get(usize::from(shard.source(slot)?))?;
            let at = Timestamp(shard.at(slot)?);
            let words = by_words.then(|| shard.coverage_of(slot, words)).filter(|share| *share > 0.0);
            Some(Candidate { id, source, at, order, meaning, words })
        };
        found.into_iter().zip(scores).zip(orders).filter_map(candidate).collect()
    }
}

/// The newest rows that pass: what was said in a time that is asked for, whatever its words (JV8).
fn newest(shards: &[&Shard], filter: &Filter<'_>, count: usize) -> Vec<At> {
    let mut rows: Vec<(i64, At)> = Vec::new();
    for (at, shard) in shards.iter().enumerate() {
        let passing = shard.live_slots().filter(|slot| shard.passes(*slot, filter));
        rows.extend(passing.filter_map(|slot| Some((shard.at(slot)?, (at, slot)))));
    }
    rows.sort_by(|a, b| b.cmp(a));
    rows.into_iter().take(count).map(|(_, at)| at).collect()
}
