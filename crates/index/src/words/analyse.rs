//! From a text to terms: words in lower case without English endings (Porter2) and without stop words.
//! Rows and queries go through the same function.

use std::cell::Cell;

use rust_stemmers::{Algorithm, Stemmer};

use super::irregular::regular;
use super::names::{Names, lower, one_of, tokens};

/// A stemmed word, as its hash (FNV-1a, 64 bits). The index keeps no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub u64);

impl Term {
    fn of(stem: &str) -> Term {
        Term(stem.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }
}

/// What a row says, analysed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The terms of the text, in order.
    pub text: Vec<Term>,
    /// The terms of a second field with a weight of its own: the date in words, say.
    pub date: Vec<Term>,
    /// Words of the text, those that are no terms included.
    pub count: usize,
    /// Whether the text asks something.
    pub question: bool,
    /// Whether it names something: a word with a capital inside a sentence, none of the participants.
    pub names: bool,
    /// Whether it says when: "yesterday", "last week".
    pub time: bool,
}

impl Words {
    /// Analyses a text and its date, leaving the participants' names out of the text: a date holds none,
    /// whoever is called May.
    pub fn of(text: &str, date: &str, names: &Names) -> Words {
        Words {
            text: terms(text, names),
            date: terms(date, &Names::none()),
            count: tokens(text).count(),
            question: is_question(text),
            names: names_something(text, names),
            time: says_when(text),
        }
    }
}

/// A question mark at the end of a word; not one inside an address.
fn is_question(text: &str) -> bool {
    text.match_indices('?')
        .any(|(at, mark)| !text[at + mark.len()..].starts_with(|next: char| next.is_alphanumeric()))
}

/// A word with a capital that does not begin a sentence, is none of `names` and no stop word.
fn names_something(text: &str, names: &Names) -> bool {
    let inside = |at: usize| {
        let before = text[..at].trim_end().chars().next_back();
        before.is_some_and(|letter| letter.is_alphanumeric() || letter == ',')
    };
    let mut found = false;
    names.for_each_other(text, |word| {
        let written = &text[word.clone()];
        found |= written.starts_with(char::is_uppercase)
            && inside(word.start)
            && written.chars().nth(1).is_some()
            && without_ending(&lower(written)).is_some_and(|word| STOP_WORDS.binary_search(&word).is_err());
    });
    found
}

/// Whether one of the words stands in it by which people say when something happened.
fn says_when(text: &str) -> bool {
    const TIMES: &str = " yesterday today tonight tomorrow ago last next recently lately week weeks weekend \
        weekends month months year years morning mornings evening evenings night nights since ";
    tokens(text).any(|word| one_of(TIMES, &lower(&text[word])))
}

/// The terms of a text in order, repeated as often as they stand there. `names` are left out.
pub fn terms(text: &str, names: &Names) -> Vec<Term> {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut lower = String::new();
    let mut terms = Vec::with_capacity(text.len() / 10);
    KNOWN.with(|known| {
        names.for_each_other(text, |word| {
            lower.clear();
            lower.extend(text[word].chars().map(straight).flat_map(char::to_lowercase));
            if let Some(word) = without_ending(&lower).filter(|word| STOP_WORDS.binary_search(word).is_err())
            {
                terms.push(known.get_or(word, || {
                    // Names like O'Brien are one word.
                    match word.contains('\'') {
                        true => Term::of(&stemmer.stem(&word.replace('\'', ""))),
                        false => Term::of(&stemmer.stem(regular(word))),
                    }
                }));
            }
        })
    });
    terms
}

thread_local! {
    static KNOWN: Known = Known(vec![Cell::default(); 1 << 14].into());
}

/// Stems found before, as hashes of the word and its stem: stemming is most of the work of reading a text,
/// and few words make up most of one. A word has one place, and the last one there stays.
struct Known(Box<[Cell<(u64, u64)>]>);

impl Known {
    fn get_or(&self, word: &str, stem: impl FnOnce() -> Term) -> Term {
        let Term(hash) = Term::of(word);
        let Some(place) = self.0.get(hash as usize % self.0.len()) else { return stem() };
        match place.get() {
            (known, stem) if known == hash => Term(stem),
            _ => {
                let stem = stem();
                place.set((hash, stem.0));
                stem
            }
        }
    }
}

/// The typographic apostrophe is the typewriter's.
pub(super) fn straight(letter: char) -> char {
    if letter == '’' { '\'' } else { letter }
}

/// The word before a contracted one: Caroline's is caroline, we'll is we. Words with n't say nothing.
fn without_ending(lower: &str) -> Option<&str> {
    match lower.rsplit_once('\'') {
        Some((_, "t")) => None,
        Some((word, "s" | "m" | "re" | "ve" | "ll" | "d")) => Some(word),
        _ => Some(lower),
    }
}

/// Words that stand in every text. Sorted.
#[rustfmt::skip]
pub(super) const STOP_WORDS: [&str; 125] = [
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "both", "but", "by", "can", "could", "did", "do", "does", "doing",
    "done", "during", "each", "few", "for", "from", "further", "had", "has", "have", "having", "he", "her",
    "here", "hers", "herself", "him", "himself", "his", "how", "i", "if", "in", "into", "is", "it", "its",
    "itself", "just", "let", "me", "more", "most", "my", "myself", "no", "nor", "not", "now", "of", "off",
    "on", "once", "only", "or", "other", "our", "ours", "ourselves", "out", "over", "own", "same", "she",
    "should", "so", "some", "such", "than", "that", "the", "their", "theirs", "them", "themselves", "then",
    "there", "these", "they", "this", "those", "through", "to", "too", "under", "until", "up", "us", "very",
    "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "whose", "why", "will",
    "with", "would", "you", "your", "yours", "yourself",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str) -> bool {
        terms(one, &Names::none()) == terms(other, &Names::none())
    }

    #[test]
    fn the_list_of_stop_words_is_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn endings_case_and_contractions_do_not_tell_words_apart() {
        assert!(same("She’s been RUNNING", "run"));
        assert!(same("Caroline's paintings", "caroline painting"));
        assert!(same("I don't, we won't, they'll", ""));
        assert!(same("O'Brien", "obrien"));
        assert!(same("ÉTUDES", "études"));
        assert!(!same("paint", "print"));
        assert!(same("She went and bought it", "go, buy"));
    }

    #[test]
    fn a_row_that_names_something_is_known() {
        let names = |text| Words::of(text, "", &Names::new(["Caroline"])).names;
        assert!(names("We went to Lake Tahoe"));
        assert!(names("My dogs, Toby and Bailey"));
        for text in ["Then I went home. Nice!", "Hi Caroline's here, I'm glad", "tahoe", "Plan B"] {
            assert!(!names(text), "{text}");
        }
    }

    #[test]
    fn a_row_that_says_when_is_known() {
        let time = |text| Words::of(text, "", &Names::none()).time;
        assert!(time("We met LAST week") && time("two months ago"));
        assert!(!time("a lasting memory"));
    }

    #[test]
    fn numbers_are_words() {
        assert!(same("on the 7th of May, 2023", "7th may 2023"));
        assert!(!same("2023", "2024"));
    }

    #[test]
    fn a_question_is_told_from_an_address() {
        let question = |text| Words::of(text, "", &Names::none()).question;
        assert!(question("Really? I had no idea."));
        assert!(question("(is it so?)"));
        assert!(!question("see example.org/?page=2"));
        assert!(!question("no."));
    }

    #[test]
    fn every_word_is_counted_even_where_it_is_no_term() {
        let words = Words::of("The cat is on the mat", "7 May", &Names::none());
        assert_eq!((words.count, words.text.len(), words.date.len()), (6, 2, 2));
    }
}
