//! An inverted index in segments. Slots ascend over the segments, so merging two appends their lists. Each batch of
//! rows makes a segment, and two segments of similar size are merged, so that there are few.

use super::analyse::{Term, Words};

/// The number of first terms of a text that count as its lead. A long text usually names its subject there.
const LEAD: usize = 30;

/// A term of a row with its count in each field. Packed, because a row has about twenty entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, packed(2))]
pub struct Entry {
    pub term: Term,
    pub text: u8,
    pub date: u8,
    /// Whether the term is among the first [`LEAD`] terms of the text.
    pub in_lead: bool,
}

/// The entries of a row, sorted by term, one per term.
pub fn entries(words: &Words) -> Vec<Entry> {
    let text = words.text.iter().enumerate();
    let text = text.map(|(at, term)| Entry { term: *term, text: 1, date: 0, in_lead: at < LEAD });
    let date = words.date.iter().map(|term| Entry { term: *term, text: 0, date: 1, in_lead: false });
    let mut entries: Vec<Entry> = text.chain(date).collect();
    entries.sort_unstable_by_key(|entry| entry.term);
    entries.dedup_by(|next, entry| {
        let same = { next.term } == { entry.term };
        if same {
            entry.text = entry.text.saturating_add(next.text);
            entry.date = entry.date.saturating_add(next.date);
            entry.in_lead |= next.in_lead;
        }
        same
    });
    entries
}

/// A row that contains a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    pub slot: u32,
    /// The number of terms in the row's text.
    pub length: u16,
    pub text: u8,
    pub date: u8,
}

/// The inverted index of consecutive rows.
pub struct Segment {
    terms: Vec<Term>,
    /// The start of each term's list; one more than there are terms.
    starts: Vec<u32>,
    /// The number of rows with the term in their text, for each term.
    in_text: Vec<u32>,
    postings: Vec<Posting>,
    /// The number of rows in the segment.
    rows: usize,
}

impl Segment {
    /// A segment of the rows `(slot, length, entries)`; slots ascend.
    pub fn of<'a>(rows: impl Iterator<Item = (u32, u16, &'a [Entry])>) -> Segment {
        let mut count = 0;
        let mut all: Vec<(Term, Posting)> = Vec::new();
        for (slot, length, entries) in rows {
            count += 1;
            all.extend(
                entries
                    .iter()
                    .map(|&Entry { term, text, date, .. }| (term, Posting { slot, length, text, date })),
            );
        }
        all.sort_unstable_by_key(|(term, posting)| (*term, posting.slot));
        let terms = all.chunk_by(|one, next| one.0 == next.0).count();
        let mut segment = Segment::with_room(count, terms, all.len());
        for list in all.chunk_by(|one, next| one.0 == next.0) {
            let in_text = list.iter().filter(|(_, posting)| posting.text > 0).count();
            segment.begin(list[0].0, in_text as u32);
            segment.postings.extend(list.iter().map(|(_, posting)| *posting));
        }
        segment.end()
    }

    /// The two segments merged; every slot of `later` must be larger than every slot of `self`.
    pub fn followed_by(&self, later: &Segment) -> Segment {
        let mut both = Segment::with_room(
            self.rows + later.rows,
            self.terms.len() + later.terms.len(),
            self.postings.len() + later.postings.len(),
        );
        let (mut one, mut other) = (0, 0);
        loop {
            let term = match (self.terms.get(one), later.terms.get(other)) {
                (Some(one), Some(other)) => *one.min(other),
                (Some(term), None) | (None, Some(term)) => *term,
                (None, None) => return both.end(),
            };
            both.begin(term, 0);
            for (segment, at) in [(self, &mut one), (later, &mut other)] {
                if segment.terms.get(*at) == Some(&term) {
                    both.postings.extend_from_slice(segment.list(*at));
                    if let (Some(sum), Some(count)) = (both.in_text.last_mut(), segment.in_text.get(*at)) {
                        *sum += count;
                    }
                    *at += 1;
                }
            }
        }
    }

    /// Whether `self` should be merged with the segment after it.
    pub fn merges_with(&self, later: &Segment) -> bool {
        self.rows <= 2 * later.rows
    }

    /// The rows that contain a term, ascending.
    pub fn postings(&self, term: Term) -> &[Posting] {
        self.terms.binary_search(&term).map(|at| self.list(at)).unwrap_or_default()
    }

    /// The number of rows with a term in their text or, with `dated`, in their date.
    pub fn count(&self, term: Term, dated: bool) -> usize {
        let Ok(at) = self.terms.binary_search(&term) else { return 0 };
        match dated {
            true => self.list(at).len(),
            false => self.in_text.get(at).map_or(0, |count| *count as usize),
        }
    }

    fn with_room(rows: usize, terms: usize, postings: usize) -> Segment {
        Segment {
            terms: Vec::with_capacity(terms),
            starts: Vec::with_capacity(terms + 1),
            in_text: Vec::with_capacity(terms),
            postings: Vec::with_capacity(postings),
            rows,
        }
    }

    fn list(&self, at: usize) -> &[Posting] {
        let start = self.starts.get(at).map_or(0, |start| *start as usize);
        let end = self.starts.get(at + 1).map_or(self.postings.len(), |end| *end as usize);
        self.postings.get(start..end).unwrap_or_default()
    }

    fn begin(&mut self, term: Term, in_text: u32) {
        self.terms.push(term);
        self.in_text.push(in_text);
        self.starts.push(self.postings.len() as u32);
    }

    fn end(mut self) -> Segment {
        self.starts.push(self.postings.len() as u32);
        self
    }
}
