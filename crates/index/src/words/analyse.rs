//! From a text to terms: words in lower case without English endings (Porter2) and without stop words.
//! Rows and queries go through the same function.

use std::cell::Cell;

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
        let others: Vec<usize> = names.others(&tokens).collect();
        Words {
            text: terms_of(&tokens, others.iter().copied()),
            date: terms(date, &Names::none()),
            count: tokens.len(),
            question: is_question(text),
            names: names_something(&tokens, others),
            time: tokens.lower().any(says_when),
        }
    }
}

/// A question mark at the end of a word; not one inside an address.
fn is_question(text: &str) -> bool {
    text.match_indices('?')
        .any(|(at, mark)| !text[at + mark.len()..].starts_with(|next: char| next.is_alphanumeric()))
}

/// A word with a capital that does not begin a sentence, is none of the names and no stop word.
fn names_something(tokens: &Tokens<'_>, others: Vec<usize>) -> bool {
    let text = tokens.text();
    let inside = |at: usize| {
        let before = text[..at].trim_end().chars().next_back();
        before.is_some_and(|letter| letter.is_alphanumeric() || letter == ',')
    };
    others.into_iter().filter_map(|at| tokens.word(at)).any(|(place, lower)| {
        let written = &text[place.clone()];
        written.starts_with(char::is_uppercase)
            && inside(place.start)
            && written.chars().nth(1).is_some()
            && without_ending(lower).is_some_and(|word| !STOP_WORDS.has(word))
    })
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
    terms_of(&tokens, names.others(&tokens))
}

/// The terms among these words.
fn terms_of(tokens: &Tokens<'_>, words: impl Iterator<Item = usize>) -> Vec<Term> {
    let stemmer = Stemmer::create(Algorithm::English);
    let telling = |at| {
        let (_, lower) = tokens.word(at)?;
        without_ending(lower).filter(|word| !STOP_WORDS.has(word))
    };
    let stem = |word: &str| match word.contains('\'') {
        // Names like O'Brien are one word.
        true => Term::of(&stemmer.stem(&word.replace('\'', ""))),
        false => Term::of(&stemmer.stem(regular(word))),
    };
    KNOWN.with(|known| words.filter_map(telling).map(|word| known.get_or(word, || stem(word))).collect())
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
