//! The exact tokenizers of OpenAI's models, built at the first count, with a cache of counts.
//!
//! Both tokenizers cut a text into pieces with a regular expression before they encode the pieces. After a
//! line break a new piece begins, unless white space or, in `o200k`, a `/` follows. The counts of stretches
//! that end at such line breaks therefore add up to the count of the text. The cache holds stretches: when
//! one memory in a system message changes, only its line is counted again.

mod bpe;

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError},
};

use bpe::Bpe;
use memchr::memchr_iter;

use super::TokenCounter;

/// Stretches in a cache, 512 KiB for each tokenizer. A new stretch replaces the one in its slot.
const SLOTS: usize = 1 << 15;

static O200K: LazyLock<Arc<OpenAiCounter>> =
    LazyLock::new(|| Arc::new(OpenAiCounter::new("o200k", Bpe::o200k, SLOTS)));
static CL100K: LazyLock<Arc<OpenAiCounter>> =
    LazyLock::new(|| Arc::new(OpenAiCounter::new("cl100k", Bpe::cl100k, SLOTS)));

/// The tokenizer of GPT-4o and later models. It takes memory from its first count on.
pub fn o200k() -> Arc<dyn TokenCounter> {
    O200K.clone()
}

/// The tokenizer of GPT-4 and GPT-3.5. It takes memory from its first count on.
pub fn cl100k() -> Arc<dyn TokenCounter> {
    CL100K.clone()
}

struct OpenAiCounter {
    name: &'static str,
    build: fn() -> Bpe,
    bpe: OnceLock<Bpe>,
    hasher: RandomState,
    /// A power of two.
    slots: usize,
    /// Empty before the first count. A stretch has one slot, which its hash selects.
    cache: Mutex<Vec<Slot>>,
}

/// The count of one stretch. The hash has a random key, so that no caller can construct a collision. No
/// stretch is empty, so an unused slot matches none.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    hash: u64,
    length: u32,
    tokens: u32,
}

impl OpenAiCounter {
    fn new(name: &'static str, build: fn() -> Bpe, slots: usize) -> Self {
        let (bpe, cache) = (OnceLock::new(), Mutex::default());
        Self { name, build, bpe, hasher: RandomState::new(), slots, cache }
    }

    fn count_stretch(&self, cache: &mut [Slot], stretch: &str) -> usize {
        let count = || self.bpe.get_or_init(self.build).count(stretch);
        let Ok(length) = u32::try_from(stretch.len()) else { return count() };
        let hash = self.hasher.hash_one(stretch);
        let slot = &mut cache[hash as usize & (self.slots - 1)];
        if (slot.hash, slot.length) != (hash, length) {
            // a text has no more tokens than bytes, so the count fits
            *slot = Slot { hash, length, tokens: count() as u32 };
        }
        slot.tokens as usize
    }
}

impl fmt::Debug for OpenAiCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiCounter").field("name", &self.name).finish_non_exhaustive()
    }
}

impl TokenCounter for OpenAiCounter {
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

/// Cuts a text after each line break behind which a new piece begins.
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
        let counter = OpenAiCounter::new("cl100k", Bpe::cl100k, 1);
        for _ in 0..3 {
            assert_eq!(["one", "one two", "one two three"].map(|text| counter.count(text)), [1, 2, 3]);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]
        #[test]
        fn gr4_counting_in_stretches_is_exact(
            text in prop_oneof![
                "[ab1 \\n\\r/.#\t-]{0,60}",
                "(\\PC|\\n|\\r|/|\u{2028}|\u{a0}|\u{300}|'s|'\u{17f}|'LL){0,80}",
            ]
        ) {
            for _ in 0..2 {
                prop_assert_eq!(o200k().count(&text), bpe_openai::o200k_base().count(text.as_str()));
                prop_assert_eq!(cl100k().count(&text), bpe_openai::cl100k_base().count(text.as_str()));
            }
        }
    }
}
