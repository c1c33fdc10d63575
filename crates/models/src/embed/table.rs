//! A table with one vector per piece of a word. A text's vector is the sum of its pieces' vectors, scaled to length 1.
//! In a long text the first sixty words count as much as the whole text, because they usually name its subject (MP2).

use std::{
    collections::HashMap,
    sync::{OnceLock, PoisonError, RwLock},
};

use crate::{EmbedError, normalise};

/// The name of the embedder that consists of tables, with their version.
pub(super) const STATIC: &str = "static-words-256@4";
/// The length of a text's beginning, in words. Shorter texts have no separate beginning.
const BEGINNING: usize = 60;
/// The cache's limit in words. A full cache has a megabyte or two, and is cleared.
const WORDS: usize = 20_000;
/// The longest word that is cached, in bytes.
const LONGEST_WORD: usize = 32;

/// How a table splits words, and what its rows contain.
pub(super) trait Pieces: Sized {
    /// Builds what splitting needs.
    fn build() -> Result<Self, EmbedError>;
    /// The ids of a word's known pieces, in order.
    fn spelt(&self, word: &str) -> Result<Box<[u32]>, EmbedError>;
    /// The sum of some rows.
    fn sum(ids: &[u32]) -> Vec<f32>;
}

/// A table with its cache. Its pieces are built on first use.
#[derive(Debug)]
pub(super) struct Table<P> {
    pieces: OnceLock<P>,
    /// The pieces of words seen so far, because splitting a word into pieces costs more than all other steps.
    words: RwLock<HashMap<Box<str>, Box<[u32]>>>,
}

impl<P> Default for Table<P> {
    fn default() -> Self {
        Self { pieces: OnceLock::new(), words: RwLock::default() }
    }
}

impl<P: Pieces> Table<P> {
    fn pieces(&self) -> Result<&P, EmbedError> {
        if let Some(pieces) = self.pieces.get() {
            return Ok(pieces);
        }
        let built = P::build()?;
        Ok(self.pieces.get_or_init(|| built))
    }

    /// The unit vector of one text; zero if the table has no piece of it (FG2).
    ///
    /// # Errors
    /// The table is unusable.
    pub(super) fn vector_of(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let pieces = self.pieces()?;
        let mut rows = Vec::with_capacity(text.len() / 3);
        let mut beginning = 0;
        for (at, word) in words(text).enumerate() {
            if at == BEGINNING {
                beginning = rows.len();
            }
            let known = self.words.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(ids) = known.get(word) {
                rows.extend_from_slice(ids);
                continue;
            }
            drop(known);
            let ids = pieces.spelt(word)?;
            rows.extend_from_slice(&ids);
            if word.len() <= LONGEST_WORD {
                let mut known = self.words.write().unwrap_or_else(PoisonError::into_inner);
                if known.len() >= WORDS {
                    known.clear();
                }
                known.insert(word.into(), ids);
            }
        }
        let mut vector = unit::<P>(&rows);
        if beginning > 0 {
            vector.iter_mut().zip(unit::<P>(&rows[..beginning])).for_each(|(all, first)| *all += first);
            normalise(&mut vector);
        }
        Ok(vector)
    }
}

/// The words of a text, split at the tokenizer's white space, which no word piece crosses.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let space = |c: char| match c {
        ' ' | '\t' | '\n' | '\r' => true,
        _ => !c.is_ascii() && c.is_whitespace() && !c.is_control(),
    };
    text.split(space).filter(|word| !word.is_empty())
}

/// The sum of some rows, scaled to length 1.
fn unit<P: Pieces>(ids: &[u32]) -> Vec<f32> {
    let mut sum = P::sum(ids);
    normalise(&mut sum);
    sum
}

/// The error of a table that cannot be used.
pub(super) fn unusable(error: &dyn std::fmt::Display) -> EmbedError {
    EmbedError::BadAnswer { model: STATIC.to_owned(), reason: error.to_string() }
}
