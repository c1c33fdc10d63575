//! An index of patterns by their first words, so that a text is compared with few patterns.

use std::{borrow::Cow, collections::HashMap};

/// The first words of patterns.
#[derive(Debug, Default)]
pub(crate) struct FirstWords {
    /// For each word, the indices of the patterns that begin with it or with any word, ascending.
    by_word: HashMap<&'static str, Vec<usize>>,
    /// The indices of the patterns that may begin with any word.
    any: Vec<usize>,
}

impl FirstWords {
    /// Builds the index from the first words of each pattern, in the patterns' order; `None` if a pattern may begin
    /// with any word.
    pub(crate) fn of(patterns: impl Iterator<Item = Option<Vec<&'static str>>>) -> Self {
        let mut first = Self::default();
        for (index, words) in patterns.enumerate() {
            let Some(words) = words else {
                first.any.push(index);
                continue;
            };
            for word in words {
                let indices = first.by_word.entry(word).or_default();
                if indices.last() != Some(&index) {
                    indices.push(index);
                }
            }
        }
        for indices in first.by_word.values_mut() {
            indices.extend(&first.any);
            indices.sort_unstable();
        }
        first
    }

    /// The patterns that may begin with a word, which is given in two forms; ascending.
    pub(crate) fn indices(&self, [written, bare]: [&str; 2]) -> Cow<'_, [usize]> {
        let of = |word| self.by_word.get(word).unwrap_or(&self.any);
        if written == bare {
            return of(written).into();
        }
        let mut both = [&of(written)[..], of(bare)].concat();
        both.sort_unstable();
        both.dedup();
        both.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_of_a_word_are_those_that_begin_with_it_or_with_any_word() {
        let first = FirstWords::of([Some(vec!["eau", "lait"]), None, Some(vec!["l'eau"])].into_iter());
        assert_eq!(first.indices(["lait", "lait"])[..], [0, 1]);
        assert_eq!(first.indices(["l'eau", "eau"])[..], [0, 1, 2]);
        assert_eq!(first.indices(["vin", "vin"])[..], [1]);
    }
}
