//! The exact tokenizers of OpenAI's models, loaded at the first count and remembering what they
//! counted.
//!
//! Both tokenizers cut a text into pieces by a regular expression before they encode the pieces.
//! After a line break the next piece begins, unless white space or, in `o200k`, a `/` follows. So
//! a text can be counted in such stretches, and their counts add up exactly. That is what makes
//! the cache work: a system message that changed in one memory is counted anew in one line.

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use bpe_openai::Tokenizer;
use memchr::memchr_iter;

use super::TokenCounter;

/// Stretches remembered, half a megabyte a tokenizer; a new one takes the place of an old one.
const SLOTS: usize = 1 << 15;

static O200K: LazyLock<Arc<BpeCounter>> =
    LazyLock::new(|| Arc::new(BpeCounter::new("o200k", bpe_openai::o200k_base, SLOTS)));
static CL100K: LazyLock<Arc<BpeCounter>> =
    LazyLock::new(|| Arc::new(BpeCounter::new("cl100k", bpe_openai::cl100k_base, SLOTS)));

/// The tokenizer of GPT-4o and everything after it. Costs nothing before its first count.
pub fn o200k() -> Arc<dyn TokenCounter> {
    O200K.clone()
}

/// The tokenizer of GPT-4 and GPT-3.5. Costs nothing before its first count.
pub fn cl100k() -> Arc<dyn TokenCounter> {
    CL100K.clone()
}

struct BpeCounter {
    name: &'static str,
    /// Loads on its first call.
    tokenizer: fn() -> &'static Tokenizer,
    hasher: RandomState,
    /// A power of two.
    slots: usize,
    /// Empty before the first count; then every stretch has one slot it may stand in.
    cache: Mutex<Vec<Slot>>,
}

/// What one stretch counted. The hash is keyed at random, so nobody can aim for a collision; no
/// stretch is empty, so a fresh slot matches none.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    hash: u64,
    length: u32,
    tokens: u32,
}

impl BpeCounter {
    fn new(name: &'static str, tokenizer: fn() -> &'static Tokenizer, slots: usize) -> Self {
        Self { name, tokenizer, hasher: RandomState::new(), slots, cache: Mutex::default() }
    }

    fn count_stretch(&self, cache: &mut [Slot], stretch: &str) -> usize {
        let tokenizer = self.tokenizer;
        let Ok(length) = u32::try_from(stretch.len()) else { return tokenizer().count(stretch) };
        let hash = self.hasher.hash_one(stretch);
        let slot = &mut cache[hash as usize & (self.slots - 1)];
        if (slot.hash, slot.length) != (hash, length) {
            // There are no more tokens than bytes.
            *slot = Slot { hash, length, tokens: tokenizer().count(stretch) as u32 };
        }
        slot.tokens as usize
    }
}

impl fmt::Debug for BpeCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BpeCounter").field("name", &self.name).finish_non_exhaustive()
    }
}

impl TokenCounter for BpeCounter {
    fn name(&self) -> &str {
        self.name
    }
    fn exact(&self) -> bool {
        true
    }
    fn count(&self, text: &str) -> usize {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.resize(self.slots, Slot::default());
        Stretches(text).map(|stretch| self.count_stretch(&mut cache, stretch)).sum()
    }
}

/// Cuts a text after those line breaks behind which a new piece is certain to begin.
struct Stretches<'a>(&'a str);

impl<'a> Iterator for Stretches<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.0;
        let cuts = |end: &usize| text[*end..].starts_with(|next: char| !next.is_whitespace() && next != '/');
        let end = memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).find(cuts).unwrap_or(text.len());
        let (stretch, rest) = text.split_at(end);
        self.0 = rest;
        (!stretch.is_empty()).then_some(stretch)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wb3_known_texts_have_their_known_counts() {
        assert_eq!(o200k().count("hello world"), 2);
        assert_eq!(cl100k().count("hello world"), 2);
        assert_eq!(o200k().count(""), 0);
    }

    #[test]
    fn gr4_texts_that_share_a_slot_keep_their_own_counts() {
        let counter = BpeCounter::new("cl100k", bpe_openai::cl100k_base, 1);
        for _ in 0..3 {
            assert_eq!(["one", "one two", "one two three"].map(|text| counter.count(text)), [1, 2, 3]);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]
        #[test]
        fn gr4_counting_in_stretches_is_exact(
            text in prop_oneof![
                "[ab1 \\n\\r/.#\t-]{0,60}",
                "(\\PC|\\n|\\r|/|\u{2028}|\u{a0}|\u{300}|'s){0,80}",
            ]
        ) {
            for _ in 0..2 {
                prop_assert_eq!(o200k().count(&text), bpe_openai::o200k_base().count(text.as_str()));
                prop_assert_eq!(cl100k().count(&text), bpe_openai::cl100k_base().count(text.as_str()));
            }
        }
    }
}
