//! Analysis of a text into terms: words in lower case without accents, English endings (Porter2) and stop words. The
//! same function analyzes rows and queries.

use std::{borrow::Cow, cell::Cell, iter::Peekable, ops::Range};

use greenroom_lang::{WordList, fold, is_stop_word, only_asks_or_requests, stop_words_of};
use rust_stemmers::{Algorithm, Stemmer};

use super::{
    irregular::regular,
    names::{Names, Reading},
    tokens::Tokens,
};

/// A stemmed word, as its hash (FNV-1a, 64 bits). The index stores no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub u64);

impl Term {
    /// The term of a word in lower case; none for a stop word.
    pub fn of_word(lower: &str) -> Option<Term> {
        let word = without_ending(lower).filter(|word| !is_stop_word(word))?;
        let stemmer = Stemmer::create(Algorithm::English);
        // people often leave accents out
        let word = if word.is_ascii() { Cow::Borrowed(word) } else { fold(word).into() };
        let word = &*word;
        Some(match word.contains('\'') {
            // names like O'Brien are one word
            true => Term::of(&stemmer.stem(&word.replace('\'', ""))),
            // English endings are letters
            false if word.ends_with(|last: char| last.is_ascii_digit()) => Term::of(word),
            false => Term::of(&stemmer.stem(regular(word))),
        })
    }

    fn of(stem: &str) -> Term {
        Term(stem.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }
}

/// An analyzed text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The terms of the text, in order.
    pub text: Vec<Term>,
    /// The terms of a second field, the date in words. BM25 weighs the two fields separately.
    pub date: Vec<Term>,
    /// The number of words in the text, stop words included.
    pub count: usize,
    /// Whether the text asks something.
    pub is_question: bool,
    /// Whether the text asks something and says nothing else.
    pub only_asks: bool,
    /// Whether the text only asks or requests something and tells nothing about its author.
    pub tells_nothing: bool,
    /// Whether the text names something: a capitalised word inside a sentence that is no participant's name.
    pub names_something: bool,
    /// Whether the text says when: "yesterday", "last week".
    pub says_when: bool,
}

impl Words {
    /// Analyzes a text and its date. The participants' names are left out of the text, but not of the date: a
    /// participant may be called May.
    pub fn of(text: &str, date: &str, names: &Names) -> Words {
        let tokens = Tokens::of(text);
        let mut words = Words {
            text: Vec::with_capacity(tokens.len()),
            date: terms(date, &Names::none()),
            count: tokens.len(),
            is_question: is_question(text),
            only_asks: only_asks(text),
            tells_nothing: only_asks_or_requests(text),
            ..Words::default()
        };
        let mut names = names.removable(&tokens, Reading::Text).peekable();
        WORD_CACHE.with(|cache| {
            for (place, lower) in tokens.words() {
                let word = cache.analyzed(lower);
                words.says_when |= word.says_when;
                if !is_in_name(&mut names, place) {
                    words.text.extend(word.term);
                    words.names_something |= word.term.is_some() && names_something(text, place);
                }
            }
        });
        words
    }
}

/// Whether a word is part of a name. Both iterate in text order: the caller asks for words in ascending order.
fn is_in_name(names: &mut Peekable<impl Iterator<Item = Range<usize>>>, word: &Range<usize>) -> bool {
    while names.next_if(|name| name.end <= word.start).is_some() {}
    names.peek().is_some_and(|name| word.end > name.start)
}

/// Whether a question mark ends a word. One inside an address does not count.
fn is_question(text: &str) -> bool {
    text.match_indices('?')
        .any(|(at, mark)| !text[at + mark.len()..].starts_with(|next: char| next.is_alphanumeric()))
}

/// Whether every sentence of a text ends with a question mark.
fn only_asks(text: &str) -> bool {
    let says_something = |sentence: &str| sentence.contains(char::is_alphanumeric);
    let mut sentences = text.split_inclusive(['.', '!', '?', '\n', '。', '！', '？']);
    text.contains(['?', '？'])
        && sentences.all(|sentence| sentence.ends_with(['?', '？']) || !says_something(sentence))
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

/// Words by which people say when something happened.
static TIMES: WordList = WordList::of(
    "yesterday today tonight tomorrow ago last next recently lately week weeks weekend \
    weekends month months year years morning mornings evening evenings night nights since",
);

/// The terms of a query in order, with repetitions. `names` and the stop words of its language are left out.
pub fn terms(text: &str, names: &Names) -> Vec<Term> {
    let tokens = Tokens::of(text);
    let mut names = names.removable(&tokens, Reading::Question).peekable();
    let stop_words = stop_words_of(tokens.lower());
    let tells = |word: &str| stop_words.is_none_or(|list| !list.has(word));
    WORD_CACHE.with(|cache| {
        let words = tokens.words().filter(|(place, _)| !is_in_name(&mut names, place));
        let words = words.filter(|(_, lower)| tells(lower));
        words.filter_map(|(_, lower)| cache.analyzed(lower).term).collect()
    })
}

thread_local! {
    static WORD_CACHE: WordCache = WordCache(vec![Cell::default(); 1 << 13].into());
}

/// A cache of recently analyzed words by their hashes. Stemming is most of the cost of analyzing a text, and few words
/// make up most of a text.
struct WordCache(Box<[Cell<(u64, AnalyzedWord)>]>);

#[derive(Clone, Copy, Default)]
struct AnalyzedWord {
    /// `None` for a stop word.
    term: Option<Term>,
    /// Whether the word says when something happened.
    says_when: bool,
}

impl WordCache {
    /// A word in lower case. Each hash has one entry; a new word replaces the entry's previous word.
    fn analyzed(&self, lower: &str) -> AnalyzedWord {
        let Term(hash) = Term::of(lower);
        let place = &self.0[hash as usize % self.0.len()];
        let (known, word) = place.get();
        if known == hash && hash != 0 {
            return word;
        }
        let word = AnalyzedWord { term: Term::of_word(lower), says_when: TIMES.has(lower) };
        place.set((hash, word));
        word
    }
}

/// The word without its contraction: Caroline's gives caroline, we'll gives we. Words with n't are stop words.
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
        assert!(same("ÉTUDES", "études") && same("Muñoz, José", "munoz jose"));
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
        let names = |text| Words::of(text, "", &Names::new(["Caroline"])).names_something;
        assert!(names("We went to Lake Tahoe"));
        assert!(names("My dogs, Toby and Bailey"));
        for text in ["Then I went home. Nice!", "Hi Caroline's here, I'm glad", "tahoe", "Plan B"] {
            assert!(!names(text), "{text}");
        }
    }

    #[test]
    fn a_row_that_says_when_is_known() {
        let time = |text| Words::of(text, "", &Names::none()).says_when;
        assert!(time("We met LAST week") && time("two months ago"));
        assert!(!time("a lasting memory"));
    }

    #[test]
    fn mp4_words_that_every_question_of_a_language_has_are_no_terms() {
        assert!(same("Wo wohnt meine Schwester?", "wohnt Schwester"));
        assert!(same("¿Dónde vive mi hermana?", "vive hermana"));
        assert!(same("Où est-ce que j'habite avec ma sœur ?", "j'habite sœur"));
        assert!(same("Did he die in the war?", "die war"), "in English these are words");
        let pairs = |text| terms(text, &Names::none()).len();
        assert!(pairs("私の妹はどこに住んでいますか") < 13 && pairs("京都") == 1);
    }

    #[test]
    fn numbers_are_words() {
        assert!(same("on the 7th of May, 2023", "7th may 2023"));
        assert!(!same("2023", "2024"));
    }

    #[test]
    fn a_question_is_told_from_an_address() {
        let question = |text| Words::of(text, "", &Names::none()).is_question;
        assert!(question("Really? I had no idea."));
        assert!(question("(is it so?)"));
        assert!(!question("see example.org/?page=2"));
        assert!(!question("no."));
    }

    #[test]
    fn what_only_asks_says_nothing_besides() {
        let only_asks = |text| Words::of(text, "", &Names::none()).only_asks;
        assert!(
            only_asks("Where is my key?") && only_asks(" Really?! And where?\n") && only_asks("鍵はどこ？")
        );
        assert!(!only_asks("My dog is called Rex. Where is he?") && !only_asks("鍵はここです。どこ？"));
        assert!(!only_asks("I wonder.") && !only_asks(""));
    }

    #[test]
    fn mp2_a_request_tells_nothing_unless_it_speaks_of_its_author() {
        let tells_nothing = |text| Words::of(text, "", &Names::none()).tells_nothing;
        assert!(tells_nothing("Name ten cheeses that melt well") && tells_nothing("How old do cats get?"));
        assert!(!tells_nothing("How old is my cat?") && !tells_nothing("Name ten cheeses, I hate brie."));
    }

    #[test]
    fn every_word_is_counted_even_where_it_is_no_term() {
        let words = Words::of("The cat is on the mat", "7 May", &Names::none());
        assert_eq!((words.count, words.text.len(), words.date.len()), (6, 2, 2));
    }
}
