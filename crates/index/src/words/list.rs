//! Lists of words to be looked up.

use std::sync::OnceLock;

/// Words, each looked up by halving. In lower case.
#[derive(Debug)]
pub struct WordList {
    listed: &'static str,
    sorted: OnceLock<Vec<&'static str>>,
}

impl WordList {
    /// The words of a text, separated by spaces.
    pub const fn of(listed: &'static str) -> WordList {
        WordList { listed, sorted: OnceLock::new() }
    }

    /// Whether the list contains a word.
    pub fn has(&self, word: &str) -> bool {
        let sorted = || {
            let mut words: Vec<_> = self.listed.split_whitespace().collect();
            words.sort_unstable();
            words
        };
        self.sorted.get_or_init(sorted).binary_search(&word).is_ok()
    }
}

/// Words that occur in every text.
pub(super) static STOP_WORDS: WordList = WordList::of(
    "a about after again all also am an and any are as at be because been before being both but by \
     can could did do does doing done during each few for from further had has have having he her \
     here hers herself him himself his how i if in into is it its itself just let me more most my \
     myself no nor not now of off on once only or other our ours ourselves out over own same she \
     should so some such than that the their theirs them themselves then there these they this those \
     through to too under until up us very was we were what when where which while who whom whose why \
     will with would you your yours yourself",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_whatever_the_order_of_the_list() {
        static LIST: WordList = WordList::of("pear apple  fig");
        assert!(["apple", "fig", "pear"].into_iter().all(|word| LIST.has(word)));
        assert!(["", "app", "figs", "Fig"].into_iter().all(|word| !LIST.has(word)));
    }
}
