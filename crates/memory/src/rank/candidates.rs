//! Which rows are weighed, and what is known of each.

use std::cmp::Reverse;

use greenroom_index::{Bm25, Filter, RowRef, Shard, Slot, Term, Unit, VectorError, WordQuery};

use super::{
    Collection, Query,
    features::{Around, Facts, Features, features, note, together},
    moments::Moments,
    relevance,
};

/// Messages are short, so that length says less and repeating a word too than in the papers' texts;
/// found by trying a few.
const TEXT: Bm25 = Bm25 { k1: 0.9, b: 0.4, date: 0.0, frequent: 0.2, large: 20_000 };
/// The same, where the date counts as well.
const TEXT_AND_DATE: Bm25 = Bm25 { date: 1.0, ..TEXT };

/// Holding all of a query of few words says less than holding all of a long one: these many words count
/// as not held.
const MISSING: f32 = 1.0;

/// How cosines and scores by words usually vary in a collection.
const USUAL_COSINES: f32 = 0.12;
const USUAL_WORDS: f32 = 0.5;

/// A passage reaches so many rows to either side.
const PASSAGE: u32 = 8;

/// Rows further apart in time than this, in microseconds, do not belong to one passage: an hour.
const PAUSE: u64 = 3_600_000_000;

/// A row that may be recalled, and what speaks for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Which shard of the collection.
    pub shard: usize,
    /// Which row of it.
    pub slot: Slot,
    /// Its id.
    pub id: i64,
    /// When it was said or learned.
    pub at: i64,
    /// What kind of source it is.
    pub source: u8,
    /// How many terms its text has.
    pub terms: usize,
    /// Cosine with the query; nothing without a vector on either side.
    pub cosine: Option<f32>,
    /// The share of the query's words it holds.
    pub coverage: f32,
    /// How relevant the question is that it may be the answer to; 0 without one.
    pub answers: f32,
    /// What speaks for it.
    pub features: Features,
}

/// What is made `of` each candidate of all shards, each shard's in the order of its rows.
pub(super) fn found<T>(
    collection: &Collection<'_>,
    query: &Query,
    searches: &[(Filter<'_>, usize)],
    extra: &[(usize, Slot)],
    of: impl Fn(Candidate) -> T,
) -> Result<Vec<T>, VectorError> {
    let words = Words::of(collection.shards, query);
    let vectors = vectors(collection.shards, query)?;
    let mut found = SearchHits { slots: vec![Vec::new(); collection.shards.len()], ..SearchHits::default() };
    for (shard, slot) in extra {
        if let Some(slots) = found.slots.get_mut(*shard) {
            slots.push((*slot, None));
        }
    }
    for (at, shard) in collection.shards.iter().enumerate() {
        found.search(at, shard, &vectors, &words, searches)?;
    }
    let moments = (found.meaning.moments(USUAL_COSINES), found.words.moments(USUAL_WORDS));
    let mut candidates = Vec::new();
    for (at, (shard, slots)) in collection.shards.iter().zip(found.slots).enumerate() {
        if !collection.conversation {
            let slots = unique(slots);
            candidates.reserve(slots.len());
            let alone = |row: Row<'_>| row.candidate(at, &alone(&row, &words.dated));
            let rows = rows(shard, slots, query, &vectors, &words, moments)?;
            candidates.extend(rows.map(|row| of(alone(row))));
            continue;
        }
        let slots = with_neighbours(shard, slots, searches);
        let rows: Vec<_> = rows(shard, slots, query, &vectors, &words, moments)?.collect();
        let among = |(place, row): (usize, &Row<'_>)| row.candidate(at, &around(&rows, place, &words.dated));
        candidates.extend(rows.iter().enumerate().map(|row| of(among(row))));
    }
    Ok(candidates)
}

/// The vectors of a query, each looked at once for all shards: those of a collection are of one model.
fn vectors(shards: &[&Shard], query: &Query) -> Result<Vec<Unit>, VectorError> {
    let dimension = shards.iter().find(|shard| shard.vectors() > 0).map(|shard| shard.dimension());
    let unit = |dimension| query.vectors.iter().map(move |vector| Unit::new(vector, dimension));
    dimension.into_iter().flat_map(unit).collect()
}

/// The words of a query, weighed over a collection.
struct Words {
    /// Over the text and the date.
    dated: WordQuery,
    telling: WordQuery,
    /// What the first terms of `dated` weigh in `telling`, where all terms of that are among them: then what
    /// a row has in common with the one says what it has in common with the other.
    among: Option<Vec<f32>>,
}

impl Words {
    fn of(shards: &[&Shard], query: &Query) -> Self {
        let over = |terms: &[_], tuning| WordQuery::over(shards, terms.iter().copied(), tuning);
        let (dated, telling) = (over(&query.terms, &TEXT_AND_DATE), over(&query.telling, &TEXT));
        let mut left = telling.weights().iter().peekable();
        let weight =
            |(term, _): &(Term, f32)| left.next_if(|(next, _)| next == term).map_or(0.0, |next| next.1);
        let among: Vec<f32> = dated.weights().iter().take(u64::BITS as usize).map(weight).collect();
        let among = left.peek().is_none().then_some(among);
        Self { dated, telling, among }
    }

    /// The share of the telling words a row holds; `held` are those of `dated`.
    fn coverage(&self, shard: &Shard, slot: Slot, held: u64) -> f32 {
        match &self.among {
            Some(weights) => self.telling.share_by(weights, held),
            None => shard.coverage_of(slot, &self.telling),
        }
    }
}

/// A row that was found, with its cosine where that is known.
type Hit = (Slot, Option<f32>);

/// What the searches found, and how the scores of all rows vary.
#[derive(Default)]
struct SearchHits {
    slots: Vec<Vec<Hit>>,
    meaning: Sums,
    words: Sums,
}

impl SearchHits {
    fn search(
        &mut self,
        at: usize,
        shard: &Shard,
        vectors: &[Unit],
        words: &Words,
        searches: &[(Filter<'_>, usize)],
    ) -> Result<(), VectorError> {
        let Some(slots) = self.slots.get_mut(at).filter(|_| !searches.is_empty()) else { return Ok(()) };
        // how the scores of all rows vary is the same whatever the filter
        for vector in vectors.iter().filter(|_| shard.vectors() > 0) {
            let near = shard.nearest_each(vector, searches)?;
            if let Some(all) = near.first() {
                let squares = all.mean.powi(2) + all.deviation.powi(2);
                self.meaning.add(shard.vectors() as f32, all.mean, squares);
            }
            // of several vectors another may be nearer
            let known = |cosine| Some(cosine).filter(|_| vectors.len() == 1);
            let hits = near.iter().flat_map(|near| &near.hits);
            slots.extend(hits.map(|(slot, cosine)| (*slot, known(*cosine))));
        }
        if !words.dated.is_empty() && shard.documents() > 0 {
            let held = shard.bm25_each(&words.dated, searches);
            if let Some(all) = held.first() {
                let count = shard.documents() as f32;
                self.words.add(count, all.sum / count, all.sum_of_squares / count);
            }
            slots.extend(held.iter().flat_map(|held| &held.hits).map(|(slot, _)| (*slot, None)));
        }
        Ok(())
    }
}

/// Sums of scores over shards.
#[derive(Default)]
struct Sums {
    count: f32,
    sum: f32,
    squares: f32,
}

impl Sums {
    /// Adds `count` scores with this mean and mean of squares.
    fn add(&mut self, count: f32, mean: f32, squares: f32) {
        self.count += count;
        self.sum += count * mean;
        self.squares += count * squares;
    }

    fn moments(&self, usual: f32) -> Moments {
        Moments::of(self.count, self.sum, self.squares, usual)
    }
}

/// Each once, in their order.
fn unique(mut slots: Vec<Hit>) -> Vec<Hit> {
    // each search found its rows newest first, and sorting them stably is little more than reading them
    slots.sort_by_key(|(slot, _)| Reverse(*slot));
    slots.reverse();
    slots.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 = kept.1.or(next.1);
        }
        same
    });
    slots
}

/// With the rows before and after each, as far as they pass: an answer may share no word with what is
/// asked.
fn with_neighbours(shard: &Shard, slots: Vec<Hit>, searches: &[(Filter<'_>, usize)]) -> Vec<Hit> {
    let mut all = Vec::with_capacity(3 * slots.len());
    for (slot, cosine) in unique(slots) {
        let beside = [shard.previous(slot), shard.next(slot)].into_iter().flatten();
        let passing = beside.filter(|slot| searches.iter().any(|(filter, _)| shard.passes(*slot, filter)));
        all.extend(passing.map(|slot| (slot, None)));
        all.push((slot, cosine));
    }
    unique(all)
}

/// A row with what is known of it by itself.
struct Row<'a> {
    slot: Slot,
    known: RowRef<'a>,
    cosine: Option<f32>,
    coverage: f32,
    /// The words of the query it holds.
    held: u64,
    facts: Facts,
}

impl Row<'_> {
    fn candidate(&self, shard: usize, around: &Around) -> Candidate {
        let Row { slot, known, cosine, coverage, ref facts, .. } = *self;
        Candidate {
            shard,
            slot,
            id: known.id(),
            at: known.at(),
            source: known.source(),
            terms: known.term_count(),
            cosine,
            coverage,
            answers: around.question,
            features: features(facts, around),
        }
    }
}

fn rows<'a>(
    shard: &'a Shard,
    slots: Vec<Hit>,
    query: &'a Query,
    vectors: &'a [Unit],
    words: &'a Words,
    (meaning, held): (Moments, Moments),
) -> Result<impl Iterator<Item = Row<'a>>, VectorError> {
    let vectors = vectors.iter().filter(|_| shard.vectors() > 0);
    let cosines: Vec<_> = vectors.map(|vector| shard.cosines(vector)).collect::<Result<_, _>>()?;
    let count = words.telling.terms() as f32;
    let certain = count / (count + MISSING);
    let row = move |(slot, cosine): Hit| {
        let known = shard.row(slot)?;
        let cosine = cosine.or_else(|| cosines.iter().filter_map(|cosine| cosine(slot)).reduce(f32::max));
        let shared = known.shared(&words.dated);
        let is_author = |speaker: &String| known.author() == Some(speaker);
        let facts = Facts {
            meaning: cosine.map(|cosine| meaning.unusual(cosine)),
            words: (!words.dated.is_empty()).then(|| held.unusual(shared.text)),
            date: shared.date,
            speaker: query.speakers.iter().any(is_author),
            count: known.word_count(),
            question: known.is_question(),
            when: known.says_when(),
            asked_when: query.asks_when,
            name: query.asks_name && known.names_something(),
        };
        let coverage = words.coverage(shard, slot, shared.terms) * certain;
        Some(Row { slot, known, cosine, coverage, held: shared.terms, facts })
    };
    Ok(slots.into_iter().filter_map(row))
}

/// What is beside a row that stands alone: nothing.
fn alone(row: &Row<'_>, words: &WordQuery) -> Around {
    Around { together: together(&[row.held], |held| words.share(held)), ..Around::default() }
}

/// What the rows beside one say of it, in a conversation. Rows that are no candidates match like any other,
/// which is nothing; that may be one between two of them.
fn around(rows: &[Row<'_>], at: usize, words: &WordQuery) -> Around {
    let Some(row) = rows.get(at) else { return Around::default() };
    let near = |other: &&Row<'_>| {
        row.slot.0.abs_diff(other.slot.0) <= PASSAGE && row.known.at().abs_diff(other.known.at()) <= PAUSE
    };
    let mut around = Around::default();
    note(&mut around.passage, row.facts.matches());
    let mut held = [0; PASSAGE as usize + 1];
    held[0] = row.held;
    let before = rows[..at].iter().rev().take_while(near);
    let after = rows[at + 1..].iter().take_while(near);
    for other in before.chain(after) {
        let matches = other.facts.matches();
        note(&mut around.passage, matches);
        held[row.slot.0.abs_diff(other.slot.0) as usize] |= other.held;
        let right_before = other.slot.0 + 1 == row.slot.0;
        if right_before && other.facts.question && other.known.author() != row.known.author() {
            around.replies_to = Some(matches);
            around.question = relevance(other.cosine, other.coverage);
        }
    }
    around.together = together(&held, |held| words.share(held));
    around
}
