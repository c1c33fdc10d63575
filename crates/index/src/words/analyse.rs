//! From a text to terms: words in lower case without English endings (Porter2) and without stop words.
//! Rows and queries go through the same function.

use std::{cell::Cell, iter::Peekable, ops::Range};

use rust_stemmers::{Algorithm, Stemmer};

use super::{
    irregular::regular,
    list::{STOP_WORDS, WordList},
    names::Names,
    tokens::Tokens,
};

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
        let tokens = Tokens::of(text);
        let mut words = Words {
            text: Vec::with_capacity(tokens.len()),
            date: terms(date, &Names::none()),
            count: tokens.len(),
            question: is_question(text),
            ..Words::default()
        };
        let mut others = Others(names.silent(&tokens).peekable());
        KNOWN.with(|known| {
            for (place, lower) in tokens.words() {
                let says = known.get(lower);
                words.time |= says.when;
                if others.is_one(place) {
                    words.text.extend(says.term);
                    words.names = words.names || says.term.is_some() && names_something(text, place);
                }
            }
        });
        words
    }
}

/// Tells the words of a text that are no part of a name that says nothing but who.
struct Others<I: Iterator>(Peekable<I>);

impl<I: Iterator<Item = Range<usize>>> Others<I> {
    /// Whether the word at this place is such a one; they are asked in their order.
    fn is_one(&mut self, word: &Range<usize>) -> bool {
        while self.0.next_if(|name| name.end <= word.start).is_some() {}
        self.0.peek().is_none_or(|name| word.end <= name.start)
    }
}

/// A question mark at the end of a word; not one inside an address.
fn is_question(text: &str) -> bool {
    text.match_indices('?')
        .any(|(at, mark)| !text[at + mark.len()..].starts_with(|next: char| next.is_alphanumeric()))
}

/// Whether a word of more than one letter has a capital and does not begin a sentence.
fn names_something(text: &str, place: &Range<usize>) -> bool {
    let mut letters = text[place.clone()].chars();
    let inside = || {
        let before = text[..place.start].trim_end().chars().next_back();
        before.is_some_and(|letter| letter.is_alphanumeric() || letter == ',')
    };
    letters.next().is_some_and(char::is_uppercase) && letters.next().is_some() && inside()
}

/// Whether it is one of the words by which people say when something happened.
fn says_when(word: &str) -> bool {
    static TIMES: WordList = WordList::of(
        "yesterday today tonight tomorrow ago last next recently lately week weeks weekend \
        weekends month months year years morning mornings evening evenings night nights since",
    );
    TIMES.has(word)
}

/// The terms of a text in order, repeated as often as they stand there. `names` are left out.
pub fn terms(text: &str, names: &Names) -> Vec<Term> {
    let tokens = Tokens::of(text);
    let mut others = Others(names.silent(&tokens).peekable());
    KNOWN.with(|known| {
        let others = tokens.words().filter(|(place, _)| others.is_one(place));
        others.filter_map(|(_, lower)| known.get(lower).term).collect()
    })
}

thread_local! {
    static KNOWN: WordCache = WordCache(vec![Cell::default(); 1 << 14].into());
}

/// What words say that were read before, by their hashes: stemming is most of the work of reading a text, and
/// few words make up most of one. A word has one place, and the last one there stays.
struct WordCache(Box<[Cell<(u64, u64)>]>);

/// What a word says.
#[derive(Clone, Copy)]
struct Says {
    /// Nothing if it stands in every text.
    term: Option<Term>,
    /// Whether it says when something happened.
    when: bool,
}

impl WordCache {
    fn get(&self, lower: &str) -> Says {
        /// What a place holds, in the bits of the hash that the place itself tells.
        const THERE: u64 = 1;
        const TERM: u64 = 2;
        const WHEN: u64 = 4;
        const BITS: u64 = THERE | TERM | WHEN;
        let Term(hash) = Term::of(lower);
        let Some(place) = self.0.get(hash as usize % self.0.len()) else { return read(lower) };
        let (known, term) = place.get();
        if known & !BITS == hash & !BITS && known & THERE != 0 {
            let term = Some(Term(term)).filter(|_| known & TERM != 0);
            return Says { term, when: known & WHEN != 0 };
        }
        let says = read(lower);
        let bits = THERE | if says.term.is_some() { TERM } else { 0 } | if says.when { WHEN } else { 0 };
        place.set((hash & !BITS | bits, says.term.map_or(0, |Term(term)| term)));
        says
    }
}

/// What a word in lower case says.
fn read(lower: &str) -> Says {
    let stemmer = Stemmer::create(Algorithm::English);
    let stem = |word: &str| match word.contains('\'') {
        // Names like O'Brien are one word.
        true => Term::of(&stemmer.stem(&word.replace('\'', ""))),
        // English endings are letters.
        false if word.ends_with(|last: char| last.is_ascii_digit()) => Term::of(word),
        false => Term::of(&stemmer.stem(regular(word))),
    };
    let telling = without_ending(lower).filter(|word| !STOP_WORDS.has(word));
    Says { term: telling.map(stem), when: says_when(lower) }
}

/// The word before a contracted one: Caroline's is caroline, we'll is we. Words with n't say nothing.
fn without_ending(lower: &str) -> Option<&str> {
    match lower.rsplit_once('\'') {
        Some((_, "t")) => None,
        Some((word, "s" | "m" | "re" | "ve" | "ll" | "d")) => Some(word),
        _ => Some(lower),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str) -> bool {
        terms(one, &Names::none()) == terms(other, &Names::none())
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
    fn a_word_that_ends_in_a_digit_has_no_ending() {
        let stemmer = Stemmer::create(Algorithm::English);
        for word in ["7", "word17", "y2", "generous1", "1990s2", "ied9", "ys7ys8"] {
            assert_eq!(stemmer.stem(word), word);
        }
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
