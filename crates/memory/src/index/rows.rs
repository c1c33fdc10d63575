//! The rows of one place: converts items of the store to rows of a shard, and writes them.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use greenroom_core::{Scope, Timestamp};
use greenroom_index::{Change as Written, Graph, Names, Row, Shard, ShardWriter, Term, Words, terms};
use greenroom_store::{Change, Entry, Place};

use crate::{recall::source_in, searched::searched};

/// The size of a row in bytes without its vector: words, times, its part of the word index.
const ROW: usize = 950;

/// A day in microseconds.
const DAY: i64 = 86_400_000_000;

/// The maximum number of rows in [`Rows::waiting`].
const WAITING: usize = 64;

/// The writer of a place's shard.
pub(super) struct Rows {
    writer: ShardWriter,
    /// The scope of the place; `None` for messages.
    scope: Option<Scope>,
    /// The names of the place's authors; a message of a new author adds one.
    speakers: HashSet<String>,
    names: Names,
    /// The analysed words of rows without a vector, so that their text is not analysed again when the vector arrives.
    waiting: HashMap<i64, (String, Words)>,
    /// The last day in UTC, counted from 1970, and its words. Most rows are of the same day as the row before.
    day: (i64, Vec<Term>),
}

impl Rows {
    pub(super) fn new(place: &Place, speakers: Vec<String>, dimension: usize) -> Self {
        let scope = match place {
            Place::Messages(_) => None,
            Place::Memories(_, scope) => Some(scope.clone()),
        };
        let names = Names::new(&speakers);
        Self {
            writer: ShardWriter::new(dimension),
            scope,
            names,
            speakers: speakers.into_iter().collect(),
            waiting: HashMap::new(),
            day: (i64::MIN, Vec::new()),
        }
    }

    /// Adds these entries.
    pub(super) fn with(mut self, entries: Vec<Entry>) -> Self {
        let rows: Vec<Written> = entries.into_iter().map(|entry| Written::Put(self.row(entry))).collect();
        self.write(rows);
        self
    }

    /// Applies the journal's changes of this place.
    pub(super) fn apply(&mut self, changes: impl IntoIterator<Item = Change>) {
        let mut rows = Vec::new();
        for change in changes {
            rows.push(match change.now {
                Some(entry) => Written::Put(self.row_in_passing(entry)),
                None => self.gone(change.item.number()),
            });
        }
        if !rows.is_empty() {
            self.write(rows);
        }
    }

    /// A row from the journal. Most rows come twice, the second time with a vector.
    fn row_in_passing(&mut self, entry: Entry) -> Row {
        let id = entry.item.number();
        let known = self.waiting.remove(&id).filter(|(text, _)| *text == entry.text);
        let waits = entry.vector.is_none().then(|| entry.text.clone());
        let row = self.row_of(entry, known.map(|(_, words)| words));
        if let Some(text) = waits {
            if self.waiting.len() >= WAITING {
                self.waiting.clear();
            }
            self.waiting.insert(id, (text, row.words.clone()));
        }
        row
    }

    fn gone(&mut self, id: i64) -> Written {
        self.waiting.remove(&id);
        Written::Remove(id)
    }

    fn write(&mut self, rows: Vec<Written>) {
        for (id, error) in self.writer.apply(rows).refused {
            tracing::debug!(id, "found by its words alone: {error}"); // FG3
        }
    }

    pub(super) fn shard(&self) -> Arc<Shard> {
        self.writer.shard()
    }

    pub(super) fn adopt(&mut self, graph: Graph) {
        if !self.writer.adopt(graph) {
            tracing::debug!("a graph is out of date before it is used; another will be built");
        }
    }

    /// The approximate size in bytes.
    pub(super) fn bytes(&self) -> usize {
        let shard = self.writer.shard();
        shard.documents() * ROW + shard.vectors() * shard.dimension() * 2
    }

    fn row(&mut self, entry: Entry) -> Row {
        self.row_of(entry, None)
    }

    fn row_of(&mut self, entry: Entry, words: Option<Words>) -> Row {
        if let Some(author) = entry.author.as_ref().filter(|author| !self.speakers.contains(*author)) {
            self.names.add(author);
            self.speakers.insert(author.clone());
        }
        let source = match &self.scope {
            Some(scope) => source_in(entry.tier, scope),
            None => greenroom_persona::SourceName::Messages,
        };
        Row {
            id: entry.item.number(),
            at: entry.at.0,
            expires_at: entry.expires_at.map_or(i64::MAX, |at| at.0),
            source: source as u8,
            author: entry.author,
            words: words.unwrap_or_else(|| {
                let text = match &self.scope {
                    Some(scope) => searched(scope, &entry.text),
                    None => Cow::from(&entry.text),
                };
                let date = self.date_in_words(entry.at);
                Words { date, ..Words::of(&text, "", &self.names) }
            }),
            vector: entry.vector,
        }
    }

    /// The words of the date in UTC, as people write it. They are a field of the row, so that "in November" finds what
    /// was said then.
    fn date_in_words(&mut self, at: Timestamp) -> Vec<Term> {
        let day = at.0.div_euclid(DAY);
        if self.day.0 != day {
            let date = jiff::Timestamp::from_microsecond(at.0)
                .map(|at| at.strftime("%-d %B %Y %A").to_string())
                .unwrap_or_default();
            self.day = (day, terms(&date, &Names::none()));
        }
        self.day.1.clone()
    }
}
