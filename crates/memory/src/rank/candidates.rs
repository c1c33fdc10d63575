//! Candidates of a ranking: searches the shards, adds neighbours, and computes the signals of each row.

use greenroom_index::{Bm25, Filter, RowRef, Shard, Slot, UnitVector, VectorError, WordQuery};

use super::{
    Collection, OF_OTHER_CHATS, Query, RankedRow, Weights,
    features::{self, NeighbourSignals, RowSignals, joint_coverage, keep_best, talk},
    relevance,
    statistics::{Distribution, Statistics},
};

/// The usual constants of BM25. The texts of one chat may differ much in length.
const TEXT: Bm25 = Bm25 { k1: 1.2, b: 0.75, date: 0.0, frequent: 0.2, large: 20_000 };
/// The same constants, with the date as a field.
const TEXT_AND_DATE: Bm25 = Bm25 { date: 1.0, ..TEXT };

/// A query of few words is easily covered, so this many words always count as missing.
const MISSING: f32 = 1.0;

/// The prior standard deviations of cosines and of BM25 scores in a collection.
const USUAL_COSINES: f32 = 0.12;
const USUAL_WORDS: f32 = 0.5;

/// How many rows a passage reaches to either side.
const PASSAGE: u32 = 8;

/// The longest time between rows of one passage: an hour, in microseconds.
const PAUSE: u64 = 3_600_000_000;

/// Returns the candidates of all shards with their scores, unsorted. Each search has its own number of candidates, so
/// that a large source does not displace a small one. `extra` rows, as (shard, slot), are candidates too.
///
/// # Errors
/// A vector of the query does not have the dimension of the shards' model.
pub fn candidates<'a>(
    collection: &Collection<'a>,
    query: &Query,
    searches: &[(Filter<'a>, usize)],
    extra: &[(usize, Slot)],
) -> Result<Vec<RankedRow>, VectorError> {
    let search = Search::new(collection, query)?;
    let (mut cosines, mut words) = (Statistics::default(), Statistics::default());
    let mut hits: Vec<Vec<Hit>> = vec![Vec::new(); collection.shards.len()];
    let mut of_other_chats = Found::default();
    for (at, place) in collection.shards.iter().enumerate() {
        if searches.is_empty() {
            break;
        }
        let found = search.shard((at, place.shard), &place.searches(searches), &mut cosines, &mut words)?;
        if place.other_chat.is_none() {
            found.add_to(&mut hits, search.vectors.len());
        } else {
            of_other_chats.near.extend(found.near);
            of_other_chats.by_words.extend(found.by_words);
        }
    }
    of_other_chats.best(OF_OTHER_CHATS).add_to(&mut hits, search.vectors.len());
    for (at, slot) in extra {
        if let Some(hits) = hits.get_mut(*at) {
            hits.push((*slot, None));
        }
    }
    let distributions = (cosines.distribution(USUAL_COSINES), words.distribution(USUAL_WORDS));
    let mut candidates = Vec::new();
    for (at, (place, hits)) in collection.shards.iter().zip(hits).enumerate() {
        let mut hits = unique(hits);
        if collection.conversation {
            hits = with_neighbours(place.shard, hits, &place.searches(searches));
        }
        let rows = search.rows(place.shard, hits, distributions)?;
        candidates.extend((0..rows.len()).map(|place| {
            let beside = if collection.conversation {
                search.beside(&rows, place)
            } else {
                search.alone(&rows[place])
            };
            rows[place].candidate(at, &beside, search.talk)
        }));
    }
    Ok(candidates)
}

/// A found row, with its cosine if the search by meaning found it.
type Hit = (Slot, Option<f32>);

/// The results of searches, each as shard, slot and score. Scores are comparable over all shards.
#[derive(Default)]
struct Found {
    near: Vec<(usize, Slot, f32)>,
    by_words: Vec<(usize, Slot, f32)>,
}

impl Found {
    /// Keeps the best `count` by meaning and the best `count` by words.
    fn best(mut self, count: usize) -> Self {
        for found in [&mut self.near, &mut self.by_words] {
            found.sort_by(|a, b| b.2.total_cmp(&a.2));
            found.truncate(count);
        }
        self
    }

    /// Adds the results to the hits of their shards. With several vectors the cosine is dropped, because another vector
    /// may be nearer than the one that found the row.
    fn add_to(self, hits: &mut [Vec<Hit>], vectors: usize) {
        let near =
            self.near.into_iter().map(|(at, slot, cosine)| (at, slot, Some(cosine).filter(|_| vectors == 1)));
        let by_words = self.by_words.into_iter().map(|(at, slot, _)| (at, slot, None));
        for (at, slot, cosine) in near.chain(by_words) {
            if let Some(hits) = hits.get_mut(at) {
                hits.push((slot, cosine));
            }
        }
    }
}

/// Each row once, in the order of slots.
fn unique(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_unstable_by_key(|(slot, _)| *slot);
    hits.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 = kept.1.or(next.1);
        }
        same
    });
    hits
}

/// Adds the rows before and after each hit that pass a filter, because an answer may share no word with the question.
fn with_neighbours(shard: &Shard, hits: Vec<Hit>, searches: &[(Filter<'_>, usize)]) -> Vec<Hit> {
    let passes = |slot: &Slot| searches.iter().any(|(filter, _)| shard.passes(*slot, filter));
    let mut all = Vec::with_capacity(3 * hits.len());
    for (slot, cosine) in hits {
        let beside = [shard.previous(slot), shard.next(slot)].into_iter().flatten();
        all.extend(beside.filter(passes).map(|slot| (slot, None)));
        all.push((slot, cosine));
    }
    unique(all)
}

/// A query, prepared for one collection.
struct Search<'a> {
    query: &'a Query,
    vectors: Vec<UnitVector>,
    /// All words of the query, over text and date.
    words: WordQuery,
    /// The words that coverage counts, over the text.
    covered: WordQuery,
    /// How much the collection is talk; see [`features::talk`].
    talk: f32,
}

impl<'a> Search<'a> {
    fn new(collection: &Collection<'_>, query: &'a Query) -> Result<Self, VectorError> {
        let shards: Vec<&Shard> = collection.shards.iter().map(|place| place.shard).collect();
        let over = |terms: &[_], tuning| WordQuery::over(&shards, terms.iter().copied(), tuning);
        // all shards with vectors in a collection have vectors of the same model
        let dimension = shards.iter().find(|shard| shard.vectors() > 0).map(|shard| shard.dimension());
        let unit = |dimension| query.vectors.iter().map(move |vector| UnitVector::new(vector, dimension));
        let documents: usize = shards.iter().map(|shard| shard.documents()).sum();
        let terms: u64 = shards.iter().map(|shard| shard.text_terms()).sum();
        Ok(Self {
            query,
            talk: talk(terms as f32 / documents.max(1) as f32),
            vectors: dimension.into_iter().flat_map(unit).collect::<Result<_, _>>()?,
            words: over(&query.terms, &TEXT_AND_DATE),
            covered: over(&query.covered, &TEXT),
        })
    }

    /// The query vectors for a shard; none if the shard has no vectors.
    fn vectors(&self, shard: &Shard) -> impl Iterator<Item = &UnitVector> {
        self.vectors.iter().filter(|_| shard.vectors() > 0)
    }

    /// Searches one shard by meaning and by words, and adds the scores of all its rows to the statistics.
    fn shard(
        &self,
        (at, shard): (usize, &Shard),
        searches: &[(Filter<'_>, usize)],
        cosines: &mut Statistics,
        words: &mut Statistics,
    ) -> Result<Found, VectorError> {
        let mut hits = Found::default();
        for vector in self.vectors(shard) {
            let found = shard.nearest_each(vector, searches)?;
            // the statistics cover all rows, regardless of the filter
            if let Some(all) = found.first() {
                let squares = all.mean.powi(2) + all.deviation.powi(2);
                cosines.add(shard.vectors() as f32, all.mean, squares);
            }
            let found = found.iter().flat_map(|found| &found.hits);
            hits.near.extend(found.map(|(slot, cosine)| (at, *slot, *cosine)));
        }
        if !self.words.is_empty() && shard.documents() > 0 {
            let found = shard.bm25_each(&self.words, searches);
            if let Some(all) = found.first() {
                let count = shard.documents() as f32;
                words.add(count, all.sum / count, all.sum_of_squares / count);
            }
            let found = found.iter().flat_map(|found| &found.hits);
            hits.by_words.extend(found.map(|(slot, score)| (at, *slot, *score)));
        }
        Ok(hits)
    }

    /// Computes the signals of a shard's hits.
    fn rows<'s>(
        &self,
        shard: &'s Shard,
        hits: Vec<Hit>,
        (cosines, words): (Distribution, Distribution),
    ) -> Result<Vec<Row<'s>>, VectorError> {
        let vectors = self.vectors(shard).map(|vector| shard.cosines(vector));
        let vectors: Vec<_> = vectors.collect::<Result<_, _>>()?;
        let count = self.covered.terms() as f32;
        let certain = count / (count + MISSING);
        let row = |(slot, cosine): Hit| {
            let row = shard.row(slot)?;
            let cosine = cosine.or_else(|| vectors.iter().filter_map(|cosine| cosine(slot)).reduce(f32::max));
            let overlap = row.overlap(&self.words);
            let signals = RowSignals {
                meaning: cosine.map(|cosine| cosines.deviations(cosine)),
                words: (!self.words.is_empty()).then(|| words.deviations(overlap.text)),
                shares_words: overlap.terms != 0,
                lead: words.in_deviations(overlap.lead),
                date: overlap.date,
                by_speaker: self.query.speakers.iter().any(|speaker| row.author == Some(speaker)),
                by_persona: self.query.personas.iter().any(|persona| row.author == Some(persona)),
                word_count: usize::from(row.meta.word_count),
                is_question: row.meta.is_question,
                among_people: self.query.personas.is_empty(),
                only_asks: row.meta.only_asks,
                tells_nothing: row.meta.tells_nothing,
                says_when: row.meta.says_when,
                asked_when: self.query.asks_when,
                names_what_is_asked: self.query.asks_name && row.meta.names_something,
            };
            let coverage = row.coverage(&self.covered) * certain;
            let matches = signals.matches();
            Some(Row { slot, row, cosine, coverage, terms: overlap.terms, signals, matches })
        };
        Ok(hits.into_iter().filter_map(row).collect())
    }

    /// The signals of a row without a passage.
    fn alone(&self, row: &Row<'_>) -> NeighbourSignals {
        let joint_coverage = joint_coverage(&[row.terms], |terms| self.words.share(terms));
        NeighbourSignals { joint_coverage, ..NeighbourSignals::default() }
    }

    /// The signals of the rows beside the row `at`. Rows that are no candidates do not match.
    fn beside(&self, rows: &[Row<'_>], at: usize) -> NeighbourSignals {
        let row = &rows[at];
        let distance = |other: &Row<'_>| row.slot.0.abs_diff(other.slot.0);
        let of_passage = |other: &&Row<'_>| {
            distance(other) <= PASSAGE && row.row.meta.at.abs_diff(other.row.meta.at) <= PAUSE
        };
        let mut signals = NeighbourSignals::default();
        keep_best(&mut signals.passage, row.matches);
        let mut terms = [0; PASSAGE as usize + 1];
        terms[0] = row.terms;
        let before = rows[..at].iter().rev().take_while(of_passage);
        let after = rows[at + 1..].iter().take_while(of_passage);
        for other in before.chain(after) {
            keep_best(&mut signals.passage, other.matches);
            terms[distance(other) as usize] |= other.terms;
            let right_before = other.slot.0 + 1 == row.slot.0;
            if right_before && other.signals.is_question && other.row.author != row.row.author {
                signals.replies_to = Some(other.matches);
                signals.question_relevance = relevance(other.cosine, other.coverage);
            }
        }
        signals.joint_coverage = joint_coverage(&terms, |terms| self.words.share(terms));
        signals
    }
}

/// A row with its own signals.
struct Row<'a> {
    slot: Slot,
    row: RowRef<'a>,
    cosine: Option<f32>,
    coverage: f32,
    /// A bit mask of the query's words in the row.
    terms: u64,
    signals: RowSignals,
    /// See [`RowSignals::matches`].
    matches: f32,
}

impl Row<'_> {
    fn candidate(&self, shard: usize, neighbours: &NeighbourSignals, talk: f32) -> RankedRow {
        let features = features::features(&self.signals, neighbours, talk);
        let meta = self.row.meta;
        RankedRow {
            shard,
            slot: self.slot,
            id: meta.id,
            at: meta.at,
            source: meta.source,
            terms: usize::from(meta.term_count),
            cosine: self.cosine,
            coverage: self.coverage,
            question_relevance: neighbours.question_relevance,
            only_asks: meta.only_asks || meta.tells_nothing,
            features,
            score: Weights::FITTED.score(&features),
        }
    }
}
