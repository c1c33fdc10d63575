//! A numbered log that drops its oldest rows: used for the journal of changes and for the erasures.

use std::collections::VecDeque;

/// The number of newest rows that are kept, and the number of further rows after which old ones are dropped.
const KEPT: usize = 20_000;
const MORE: i64 = 1_000;

/// Rows with increasing numbers.
#[derive(Debug, Clone)]
pub(crate) struct Log<T> {
    /// The number of the oldest row.
    first: i64,
    rows: VecDeque<T>,
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self { first: 1, rows: VecDeque::new() }
    }
}

impl<T> Log<T> {
    pub(crate) fn push(&mut self, row: T) {
        self.rows.push_back(row);
        if self.end() % MORE == 0 {
            self.keep(KEPT);
        }
    }

    /// The number of the newest row; 0 if there was none.
    pub(crate) fn end(&self) -> i64 {
        self.first + self.rows.len() as i64 - 1
    }

    /// Drops all rows except the newest.
    pub(crate) fn keep(&mut self, newest: usize) {
        let gone = self.rows.len().saturating_sub(newest);
        self.rows.drain(..gone);
        self.first += gone as i64;
    }

    /// Whether rows after this number were dropped.
    pub(crate) fn begins_after(&self, number: i64) -> bool {
        number < self.first - 1
    }

    /// Whether the log contains every row after this number. A number past the end comes from another store.
    pub(crate) fn reaches_back_to(&self, number: i64) -> bool {
        !self.begins_after(number) && number <= self.end()
    }

    /// The rows after this number that were not dropped, with their numbers.
    pub(crate) fn after(&self, number: i64) -> impl Iterator<Item = (i64, &T)> {
        let passed = usize::try_from(number - (self.first - 1)).unwrap_or(0).min(self.rows.len());
        (self.first + passed as i64..).zip(self.rows.range(passed..))
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.rows.iter_mut()
    }
}
