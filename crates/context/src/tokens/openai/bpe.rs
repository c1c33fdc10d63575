//! Byte-pair encoding as OpenAI's models use it: how many tokens a text has.
//!
//! A regular expression cuts the text into pieces. A piece that is in the vocabulary is one token. Any other
//! piece begins as single bytes; the neighbours whose union has the lowest rank are merged, the leftmost of
//! equals first, until no union is in the vocabulary.

use std::{cmp::Reverse, collections::BinaryHeap, hash::BuildHasher, iter};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use regex_automata::{Anchored, Input, meta::Regex};

/// White space up to a character that is not white space. The last character it matches belongs to the next piece. It
/// replaces the look-ahead `\s+(?!\S)`, which the regex engine does not support.
const SPACE_BEFORE_WORD: &str = r"\s+\s";
/// The index of that expression among the expressions of a [`Bpe`].
const LOOKS_AHEAD: usize = 1;

/// An encoding in which tokens are counted.
pub(super) struct Bpe {
    pieces: Regex,
    /// The tokens in the order of their rank; each is its length in one byte and its bytes.
    vocabulary: &'static [u8],
    /// The start of each token in the vocabulary, by the hash of its bytes. A lower start is a lower rank.
    starts: HashTable<u32>,
    hasher: FixedState,
}

impl Bpe {
    /// The encoding `o200k_base`: GPT-4o and later models.
    pub(super) fn o200k() -> Self {
        let word = concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+$",
        );
        Self::new(word, include_bytes!("../../../assets/o200k_base.tokens"))
    }

    /// The encoding `cl100k_base`: GPT-4 and GPT-3.5.
    pub(super) fn cl100k() -> Self {
        let word = concat!(
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}",
            r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+$",
        );
        Self::new(word, include_bytes!("../../../assets/cl100k_base.tokens"))
    }

    #[expect(clippy::expect_used, reason = "the expressions are constants, and tests build them")]
    fn new(word: &str, vocabulary: &'static [u8]) -> Self {
        let pieces = Regex::new_many(&[word, SPACE_BEFORE_WORD, r"\s+"]).expect("a regular expression");
        let hasher = FixedState::default();
        let mut starts = HashTable::with_capacity(vocabulary.len() / 8);
        let mut next = 0;
        while next < vocabulary.len() {
            let hash = |start: usize| hasher.hash_one(token(vocabulary, start));
            starts.insert_unique(hash(next), next as u32, |&start| hash(start as usize));
            next += 1 + token(vocabulary, next).len();
        }
        Self { pieces, vocabulary, starts, hasher }
    }

    /// The tokens of a text.
    pub(super) fn count(&self, text: &str) -> usize {
        self.pieces(text).map(|piece| self.count_piece(piece.as_bytes())).sum()
    }

    fn pieces<'a>(&self, mut text: &'a str) -> impl Iterator<Item = &'a str> {
        iter::from_fn(move || {
            let found = self.pieces.find(Input::new(text).anchored(Anchored::Yes))?;
            let mut end = found.end();
            if found.pattern().as_usize() == LOOKS_AHEAD {
                end = text[..end].char_indices().next_back()?.0;
            }
            let (piece, rest) = text.split_at(end);
            text = rest;
            Some(piece)
        })
    }

    /// The rank of a token, if the vocabulary has it.
    fn rank(&self, bytes: &[u8]) -> Option<u32> {
        let same = |&start: &u32| token(self.vocabulary, start as usize) == bytes;
        self.starts.find(self.hasher.hash_one(bytes), same).copied()
    }

    /// The tokens of a piece of n bytes, in O(n log n).
    fn count_piece(&self, piece: &[u8]) -> usize {
        if self.rank(piece).is_some() {
            return 1;
        }
        let mut parts = Parts::single_bytes(piece.len());
        let union = |from: usize, to: usize| Some(Reverse((self.rank(&piece[from..to])?, from)));
        let mut unions: BinaryHeap<_> = (1..piece.len()).filter_map(|at| union(at - 1, at + 1)).collect();
        while let Some(Reverse((rank, start))) = unions.pop() {
            let length = token(self.vocabulary, rank as usize).len();
            let Some(end) = parts.merge(start, length) else { continue };
            if let Some(before) = parts.before(start) {
                unions.extend(union(before, end));
            }
            if let Some(after) = parts.after(end) {
                unions.extend(union(start, after));
            }
        }
        parts.count
    }
}

/// The token that begins at `start` of the vocabulary.
fn token(vocabulary: &[u8], start: usize) -> &[u8] {
    &vocabulary[start + 1..][..vocabulary[start] as usize]
}

/// The parts of a piece while they are merged. A position is a byte of the piece or its end.
struct Parts {
    /// For the start of a part, its end; [`NO_PART`] for all other positions.
    ends: Vec<usize>,
    /// For the end of a part, its start. Other positions hold old values.
    starts: Vec<usize>,
    count: usize,
}

const NO_PART: usize = usize::MAX;

impl Parts {
    fn single_bytes(length: usize) -> Self {
        let ends = (1..=length).chain([NO_PART]).collect();
        let starts = [NO_PART].into_iter().chain(0..length).collect();
        Self { ends, starts, count: length }
    }

    /// Merges the part at `start` with the next one if both together have this length, and returns their end.
    /// They have another length when one of them was merged since the union was found.
    fn merge(&mut self, start: usize, length: usize) -> Option<usize> {
        let middle = self.ends[start];
        let end = self.after(middle)?;
        if end != start + length {
            return None;
        }
        self.ends[start] = end;
        self.ends[middle] = NO_PART;
        self.starts[end] = start;
        self.count -= 1;
        Some(end)
    }

    /// The start of the part that ends at `position`.
    fn before(&self, position: usize) -> Option<usize> {
        Some(self.starts[position]).filter(|&start| start != NO_PART)
    }

    /// The end of the part that begins at `position`.
    fn after(&self, position: usize) -> Option<usize> {
        self.ends.get(position).copied().filter(|&end| end != NO_PART)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use bpe_openai::Tokenizer;

    use super::*;

    static O200K: LazyLock<Bpe> = LazyLock::new(Bpe::o200k);
    static CL100K: LazyLock<Bpe> = LazyLock::new(Bpe::cl100k);

    #[track_caller]
    fn assert_exact(text: &str) {
        assert_eq!(O200K.count(text), bpe_openai::o200k_base().count(text), "o200k: {text:?}");
        assert_eq!(CL100K.count(text), bpe_openai::cl100k_base().count(text), "cl100k: {text:?}");
    }

    #[test]
    fn wb3_the_vocabularies_are_those_that_openai_publishes() {
        let same = |bpe: &Bpe, reference: &Tokenizer| {
            let mut next = 0;
            for rank in 0..reference.bpe.num_tokens() as u32 {
                let token = token(bpe.vocabulary, next);
                assert_eq!(token, reference.bpe.token_bytes(rank), "rank {rank}");
                assert_eq!(bpe.rank(token), Some(next as u32), "rank {rank}");
                next += 1 + token.len();
            }
            assert_eq!(next, bpe.vocabulary.len());
        };
        same(&O200K, bpe_openai::o200k_base());
        same(&CL100K, bpe_openai::cl100k_base());
    }

    #[test]
    fn wb3_tokens_side_by_side_are_counted_exactly() {
        let mut words = (0..199_998).filter_map(|rank| {
            let token = bpe_openai::o200k_base().bpe.token_bytes((rank * 7_919) % 199_998);
            std::str::from_utf8(token).ok()
        });
        for _ in 0..4_000 {
            assert_exact(&words.by_ref().take(40).collect::<String>());
        }
    }

    #[test]
    fn gr4_code_and_text_in_many_scripts_are_counted_exactly() {
        assert_exact(include_str!("bpe.rs"));
        assert_exact(include_str!("../estimate.rs"));
    }

    #[test]
    fn gr4_a_long_piece_is_counted_exactly() {
        for unit in ["a", "ab", "é", "=", "\n", " ", "抱", "aAbB"] {
            assert_exact(&unit.repeat(5_000));
            assert_exact(&format!("{}!", unit.repeat(333)));
        }
    }
}
