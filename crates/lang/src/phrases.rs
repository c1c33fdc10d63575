//! Phrases of one or more words, found by their first word.

/// A sorted list of phrases.
pub(crate) struct Phrases(Vec<Vec<&'static str>>);

impl Phrases {
    /// Parses a list of phrases separated by `|`.
    pub(crate) fn of(list: &'static str) -> Self {
        let phrases = list.split('|').map(|phrase| phrase.split_ascii_whitespace().collect());
        let mut phrases: Vec<Vec<_>> = phrases.filter(|phrase: &Vec<_>| !phrase.is_empty()).collect();
        phrases.sort_unstable();
        Self(phrases)
    }

    /// Whether the words contain one of the phrases.
    pub(crate) fn are_in<S: AsRef<str>>(&self, words: &[S]) -> bool {
        (0..words.len()).any(|at| self.lengths(&words[at..]).next().is_some())
    }

    /// The end of the phrase in the words that ends first.
    pub(crate) fn first_end<S: AsRef<str>>(&self, words: &[S]) -> Option<usize> {
        (0..words.len()).flat_map(|at| self.lengths(&words[at..]).map(move |length| at + length)).min()
    }

    /// The lengths of the phrases with which these words begin.
    pub(crate) fn lengths<S: AsRef<str>>(&self, words: &[S]) -> impl Iterator<Item = usize> {
        let first = words.first().map_or("", AsRef::as_ref);
        let from = self.0.partition_point(|phrase| phrase[0] < first);
        let of_word = self.0[from..].iter().take_while(move |phrase| phrase[0] == first);
        let begin = move |phrase: &&Vec<&str>| {
            phrase.len() <= words.len() && phrase.iter().zip(words).all(|(part, word)| *part == word.as_ref())
        };
        of_word.filter(begin).map(Vec::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_found_where_all_its_words_are() {
        let phrases = Phrases::of("told me what|told me|joke");
        let words = |text: &'static str| text.split(' ').collect::<Vec<_>>();
        assert_eq!(phrases.first_end(&words("he told me what a joke")), Some(3));
        assert_eq!(phrases.first_end(&words("me told")), None);
        assert!(phrases.are_in(&words("no joke")) && !phrases.are_in(&words("he told us")));
        assert_eq!(phrases.lengths(&words("told me what")).max(), Some(3));
        assert_eq!(Phrases::of("").first_end(&words("joke")), None);
    }
}
