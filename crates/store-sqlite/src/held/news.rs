//! The newest part of the journal, as this process wrote it: messages and memories with their vectors.

use std::collections::VecDeque;

use greenroom_core::{Memory, Message};
use greenroom_store::{Change, Changes, Embedded, Entry, ItemId, NewsWaiting, Place, VectorSpace};

/// Rows that are held.
const ROWS: usize = 1_000;
/// What a row takes beside its text and its vector, in bytes.
const ROW: usize = 400;

/// What was written to the journal since a place in it.
#[derive(Debug)]
pub(crate) struct News {
    /// Bytes the rows may take together.
    limit: usize,
    /// Where what is known begins and where it ends; nothing where it is not known what the journal says.
    known: Option<(i64, i64)>,
    rows: VecDeque<Row>,
    /// Bytes they take, about.
    bytes: usize,
}

#[derive(Debug)]
struct Row {
    seq: i64,
    what: NewsKind,
}

#[derive(Debug)]
enum NewsKind {
    Written(Box<Written>),
    /// A persona answers in a channel for the first time: what was said there may wait for vectors.
    Arrived,
}

impl Row {
    fn bytes(&self) -> usize {
        let written = match &self.what {
            NewsKind::Written(written) => {
                let numbers = written.embedded.as_ref().map_or(0, |it| it.vector.len());
                written.entry.text.len() + numbers * size_of::<f32>()
            }
            NewsKind::Arrived => 0,
        };
        ROW + written
    }
}

/// A message or a memory.
#[derive(Debug)]
struct Written {
    place: Place,
    /// Without its vector.
    entry: Entry,
    embedded: Option<Embedded>,
    /// Where the journal ended when its text was written.
    at: i64,
}

impl News {
    /// Nothing yet; the rows may take so many bytes together.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, known: None, rows: VecDeque::new(), bytes: 0 }
    }

    /// Something was written of which nothing is known.
    pub(crate) fn forget(&mut self) {
        self.known = None;
        (self.rows, self.bytes) = (VecDeque::new(), 0);
    }

    /// So many bytes are held, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// A message was stored, with its vector or without; the journal ended there after it.
    pub(crate) fn said(&mut self, message: &Message, embedded: Option<Embedded>, end: i64) {
        let entry = Entry {
            item: ItemId::Message(message.id),
            version: 1,
            text: message.text.clone(),
            author: Some(message.author.name().to_owned()),
            at: message.at,
            expires_at: None,
            tier: None,
            vector: None,
        };
        let place = Place::Messages(message.channel.clone());
        self.push(NewsKind::Written(Box::new(Written { place, entry, embedded, at: end })), end);
    }

    /// A memory was written; the journal ended there after it.
    pub(crate) fn remembered(&mut self, memory: &Memory, end: i64) {
        let item = ItemId::Memory(memory.id);
        self.take(item); // what it said before is not told any more
        let entry = Entry {
            item,
            version: memory.version,
            text: memory.text.clone(),
            author: None,
            at: memory.updated_at,
            expires_at: memory.expires_at,
            tier: Some(memory.tier),
            vector: None,
        };
        let place = Place::Memories(memory.persona.clone(), memory.scope.clone());
        self.push(NewsKind::Written(Box::new(Written { place, entry, embedded: None, at: end })), end);
    }

    /// A text of this version got its vector; the journal ended there after it.
    pub(crate) fn embedded(&mut self, item: ItemId, version: u32, vector: Embedded, end: i64) {
        match self.take(item) {
            // one vector is held of a text: beside one of another space nothing is known of both
            Some(mut written)
                if written.entry.version == version
                    && written.embedded.as_ref().is_none_or(|it| it.space == vector.space) =>
            {
                written.embedded = Some(vector);
                self.push(NewsKind::Written(written), end);
            }
            _ => self.forget(),
        }
    }

    fn take(&mut self, item: ItemId) -> Option<Box<Written>> {
        let is = |row: &Row| matches!(&row.what, NewsKind::Written(written) if written.entry.item == item);
        let row = self.rows.iter().rposition(is).and_then(|at| self.rows.remove(at))?;
        self.bytes -= row.bytes();
        match row.what {
            NewsKind::Written(written) => Some(written),
            NewsKind::Arrived => None,
        }
    }

    /// Turns were planned; the journal ended there after it.
    pub(crate) fn planned(&mut self, end: i64) {
        if self.known.is_some_and(|(_, known)| known < end) {
            self.push(NewsKind::Arrived, end);
        }
    }

    /// Up to the end there is nothing else than what is known. Where nothing was, it begins there.
    fn push(&mut self, what: NewsKind, end: i64) {
        let Some((from, known)) = &mut self.known else {
            self.known = Some((end, end));
            return;
        };
        *known = end;
        let row = Row { seq: end, what };
        self.bytes += row.bytes();
        self.rows.push_back(row);
        while self.rows.len() > ROWS || self.bytes > self.limit {
            let Some(oldest) = self.rows.pop_front() else { return };
            self.bytes -= oldest.bytes();
            *from = oldest.seq;
        }
    }

    /// What is known of the journal after a place; nothing where that is not all of it, or too much.
    fn after(&self, place: i64) -> Option<(i64, impl Iterator<Item = &Row>)> {
        let (from, end) = self.known.filter(|(from, end)| (*from..=*end).contains(&place))?;
        debug_assert!(from <= end);
        let first = self.rows.partition_point(|row| row.seq <= place);
        Some((end, self.rows.iter().skip(first)))
    }

    pub(crate) fn changes(&self, space: Option<&VectorSpace>, after: i64, limit: usize) -> Option<Changes> {
        let (end, rows) = self.after(after)?;
        let change = |row: &Row| match &row.what {
            NewsKind::Written(written) => {
                // a vector of another space is no news
                let embedded = written.embedded.as_ref().filter(|it| Some(&it.space) == space);
                let seq = if embedded.is_some() { row.seq } else { written.at };
                let vector = embedded.map(|it| it.vector.clone());
                let (item, place) = (written.entry.item, written.place.clone());
                let now = Some(Entry { vector, ..written.entry.clone() });
                (seq > after).then_some(Change { seq, place, item, now })
            }
            NewsKind::Arrived => None,
        };
        let rows: Vec<Change> = rows.filter_map(change).collect();
        (rows.len() < limit).then_some(Changes::Rows { rows, end })
    }

    pub(crate) fn all_embedded(&self, space: &VectorSpace, since: i64) -> Option<NewsWaiting> {
        let (end, mut rows) = self.after(since)?;
        let has_vector = |row: &Row| match &row.what {
            NewsKind::Written(said) => said.embedded.as_ref().is_some_and(|it| it.space == *space),
            NewsKind::Arrived => false,
        };
        rows.all(has_vector).then(|| NewsWaiting { texts: Vec::new(), end })
    }
}
