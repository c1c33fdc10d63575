//! The newest part of the journal, as this process wrote it: messages with their texts and vectors.

use std::collections::VecDeque;

use greenroom_core::{Message, MessageId};
use greenroom_store::{Change, Changes, Embedded, Entry, ItemId, NewsWaiting, Place, VectorSpace};

/// Rows that are held.
const ROWS: usize = 1_000;

/// What was written to the journal since a place in it.
#[derive(Debug, Default)]
pub(crate) struct News {
    /// Where what is known begins and where it ends; nothing where it is not known what the journal says.
    known: Option<(i64, i64)>,
    rows: VecDeque<Row>,
}

#[derive(Debug)]
struct Row {
    seq: i64,
    what: What,
}

#[derive(Debug)]
enum What {
    Said(Box<Said>),
    /// A persona answers in a channel for the first time: what was said there may wait for vectors.
    Arrived,
}

/// A message.
#[derive(Debug)]
struct Said {
    message: MessageId,
    place: Place,
    /// Without its vector.
    entry: Entry,
    embedded: Option<Embedded>,
}

impl News {
    /// Something was written of which nothing is known.
    pub(crate) fn forget(&mut self) {
        self.known = None;
        self.rows.clear();
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
        let said = Said { message: message.id, place, entry, embedded };
        self.push(What::Said(Box::new(said)), end);
    }

    /// A message got its vector; the journal ended there after it.
    pub(crate) fn embedded(&mut self, message: MessageId, vector: Embedded, end: i64) {
        let is = |row: &Row| matches!(&row.what, What::Said(said) if said.message == message);
        let row = self.rows.iter().rposition(is).and_then(|at| self.rows.remove(at));
        match row.map(|row| row.what) {
            Some(What::Said(mut said)) => {
                said.embedded = Some(vector);
                self.push(What::Said(said), end);
            }
            _ => self.forget(),
        }
    }

    /// Turns were planned; the journal ended there after it.
    pub(crate) fn planned(&mut self, end: i64) {
        if self.known.is_some_and(|(_, known)| known < end) {
            self.push(What::Arrived, end);
        }
    }

    /// Up to the end there is nothing else than what is known. Where nothing was, it begins there.
    fn push(&mut self, what: What, end: i64) {
        let Some((from, known)) = &mut self.known else {
            self.known = Some((end, end));
            return;
        };
        *known = end;
        self.rows.push_back(Row { seq: end, what });
        if self.rows.len() > ROWS
            && let Some(oldest) = self.rows.pop_front()
        {
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
            What::Said(said) => {
                let embedded = said.embedded.as_ref().filter(|it| Some(&it.space) == space);
                let vector = embedded.map(|it| it.vector.clone());
                let (item, place) = (said.entry.item, said.place.clone());
                Some(Change { seq: row.seq, place, item, now: Some(Entry { vector, ..said.entry.clone() }) })
            }
            What::Arrived => None,
        };
        let rows: Vec<Change> = rows.filter_map(change).collect();
        (rows.len() < limit).then_some(Changes::Rows { rows, end })
    }

    pub(crate) fn all_embedded(&self, space: &VectorSpace, since: i64) -> Option<NewsWaiting> {
        let (end, mut rows) = self.after(since)?;
        let has_vector = |row: &Row| match &row.what {
            What::Said(said) => said.embedded.as_ref().is_some_and(|it| it.space == *space),
            What::Arrived => false,
        };
        rows.all(has_vector).then(|| NewsWaiting { texts: Vec::new(), end })
    }
}
