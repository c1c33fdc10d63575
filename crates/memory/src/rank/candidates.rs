//! Which rows are weighed, and what is known of each.

use greenroom_index::{Bm25, Filter, Shard, Slot, VectorError, WordQuery};

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
    /// Cosine with the query; nothing without a vector on either side.
    pub cosine: Option<f32>,
    /// The share of the query's words it holds.
    pub coverage: f32,
    /// How relevant the question is that it may be the answer to; 0 without one.
    pub answers: f32,
    /// What speaks for it.
    pub features: Features,
}

/// The candidates of all shards, each shard's in the order of its rows.
pub(super) fn found(
    collection: &Collection<'_>,
    query: &Query,
    searches: &[(Filter<'_>, usize)],
    extra: &[(usize, Slot)],
) -> Result<Vec<Candidate>, VectorError> {
    let words = Words::of(collection.shards, query);
    let mut found = Found { slots: vec![Vec::new(); collection.shards.len()], ..Found::default() };
    for (shard, slot) in extra {
        if let Some(slots) = found.slots.get_mut(*shard) {
            slots.push(*slot);
        }
    }
    for (at, shard) in collection.shards.iter().enumerate() {
        found.search(at, shard, query, &words, searches)?;
    }
    let (meaning, held) = (found.meaning.moments(USUAL_COSINES), found.words.moments(USUAL_WORDS));
    let mut candidates = Vec::new();
    for (at, (shard, slots)) in collection.shards.iter().zip(found.slots).enumerate() {
        let slots =
            if collection.conversation { with_neighbours(shard, slots, searches) } else { unique(slots) };
        let rows = rows(shard, &slots, query, &words, (meaning, held))?;
        candidates.extend((0..rows.len()).map(|row| {
            let around = around(&rows, row, &words.dated, collection.conversation);
            let Row { slot, id, at: time, cosine, coverage, ref facts, .. } = rows[row];
            let features = features(facts, &around);
            let answers = around.question;
            Candidate { shard: at, slot, id, at: time, cosine, coverage, answers, features }
        }));
    }
    Ok(candidates)
}

/// The words of a query, weighed over a collection.
struct Words {
    /// Over the text and the date.
    dated: WordQuery,
    telling: WordQuery,
}

impl Words {
    fn of(shards: &[&Shard], query: &Query) -> Self {
        let over = |terms: &[_], tuning| WordQuery::over(shards, terms.iter().copied(), tuning);
        Self { dated: over(&query.terms, &TEXT_AND_DATE), telling: over(&query.telling, &TEXT) }
    }
}

/// What the searches found, and how the scores of all rows vary.
#[derive(Default)]
struct Found {
    slots: Vec<Vec<Slot>>,
    meaning: Sums,
    words: Sums,
}

impl Found {
    fn search(
        &mut self,
        at: usize,
        shard: &Shard,
        query: &Query,
        words: &Words,
        searches: &[(Filter<'_>, usize)],
    ) -> Result<(), VectorError> {
        let Some(slots) = self.slots.get_mut(at) else { return Ok(()) };
        // how the scores of all rows vary is the same whatever the filter
        for vector in query.vectors.iter().filter(|_| shard.vectors() > 0) {
            let near = shard.nearest_each(vector, searches)?;
            if let Some(all) = near.first() {
                let squares = all.mean.powi(2) + all.deviation.powi(2);
                self.meaning.add(shard.vectors() as f32, all.mean, squares);
            }
            slots.extend(near.iter().flat_map(|near| &near.hits).map(|(slot, _)| *slot));
        }
        if !words.dated.is_empty() && shard.documents() > 0 {
            let held = shard.bm25_each(&words.dated, searches);
            if let Some(all) = held.first() {
                let count = shard.documents() as f32;
                self.words.add(count, all.sum / count, all.sum_of_squares / count);
            }
            slots.extend(held.iter().flat_map(|held| &held.hits).map(|(slot, _)| *slot));
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

fn unique(mut slots: Vec<Slot>) -> Vec<Slot> {
    slots.sort_unstable();
    slots.dedup();
    slots
}

/// With the rows before and after each, as far as they pass: an answer may share no word with what is
/// asked.
fn with_neighbours(shard: &Shard, slots: Vec<Slot>, searches: &[(Filter<'_>, usize)]) -> Vec<Slot> {
    let mut all = Vec::with_capacity(3 * slots.len());
    for slot in unique(slots) {
        let beside = [shard.previous(slot), shard.next(slot)].into_iter().flatten();
        all.extend(beside.filter(|slot| searches.iter().any(|(filter, _)| shard.passes(*slot, filter))));
        all.push(slot);
    }
    unique(all)
}

/// A row with what is known of it by itself.
struct Row<'a> {
    slot: Slot,
    id: i64,
    at: i64,
    author: Option<&'a str>,
    cosine: Option<f32>,
    coverage: f32,
    /// The words of the query it holds.
    held: u64,
    facts: Facts,
}

fn rows<'a>(
    shard: &'a Shard,
    slots: &[Slot],
    query: &Query,
    words: &Words,
    (meaning, held): (Moments, Moments),
) -> Result<Vec<Row<'a>>, VectorError> {
    let vectors = query.vectors.iter().filter(|_| shard.vectors() > 0);
    let cosines: Vec<_> = vectors.map(|vector| shard.cosines(vector)).collect::<Result<_, _>>()?;
    let count = words.telling.terms() as f32;
    let certain = count / (count + MISSING);
    let row = |slot: Slot| {
        let cosine = cosines.iter().filter_map(|cosine| cosine(slot)).reduce(f32::max);
        let shared = shard.shared(slot, &words.dated);
        let author = shard.author(slot);
        let facts = Facts {
            meaning: cosine.map(|cosine| meaning.unusual(cosine)),
            words: (!words.dated.is_empty()).then(|| held.unusual(shared.text)),
            date: shared.date,
            speaker: author.is_some_and(|author| query.speakers.iter().any(|speaker| speaker == author)),
            count: shard.word_count(slot),
            question: shard.is_question(slot),
            when: shard.says_when(slot),
            asked_when: query.asks_when,
            name: query.asks_name && shard.names_something(slot),
        };
        let coverage = shard.coverage_of(slot, &words.telling) * certain;
        let held = shared.terms;
        Some(Row { slot, id: shard.id(slot)?, at: shard.at(slot)?, author, cosine, coverage, held, facts })
    };
    Ok(slots.iter().filter_map(|slot| row(*slot)).collect())
}

/// What the rows beside one say of it, if it is part of a conversation. Rows that are no candidates match
/// like any other, which is nothing; that may be one between two of them.
fn around(rows: &[Row<'_>], at: usize, words: &WordQuery, conversation: bool) -> Around {
    let Some(row) = rows.get(at) else { return Around::default() };
    let share = |held| words.share(held);
    if !conversation {
        return Around { together: together(&[row.held], share), ..Around::default() };
    }
    let near =
        |other: &&Row<'_>| row.slot.0.abs_diff(other.slot.0) <= PASSAGE && row.at.abs_diff(other.at) <= PAUSE;
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
        if right_before && other.facts.question && other.author != row.author {
            around.replies_to = Some(matches);
            around.question = relevance(other.cosine, other.coverage);
        }
    }
    around.together = together(&held, share);
    around
}
