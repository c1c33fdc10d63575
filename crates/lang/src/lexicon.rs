//! The lexicon of a language: phrases with a meaning for time.

use std::{cmp::Reverse, collections::HashMap};

use jiff::civil::Weekday;

use crate::{
    calendar::{Edge, Part, Unit},
    language::Language,
    token::Token,
};

/// Phrases by their first word, or by their first letter in a language without spaces; the longest first.
pub(crate) struct Lexicon {
    phrases: HashMap<&'static str, Vec<Phrase>>,
}

struct Phrase {
    words: Vec<&'static str>,
    tokens: Vec<Token>,
}

const WEEKDAYS: [Weekday; 7] = [
    Weekday::Monday,
    Weekday::Tuesday,
    Weekday::Wednesday,
    Weekday::Thursday,
    Weekday::Friday,
    Weekday::Saturday,
    Weekday::Sunday,
];

impl Lexicon {
    /// A lexicon from the tables of a language. Of two equal phrases the first counts.
    pub(crate) fn new(language: &Language) -> Self {
        let mut lexicon = Self { phrases: HashMap::new() };
        for (phrases, tokens) in language.phrases {
            for phrase in phrases.split('|') {
                lexicon.add(phrase, ' ', tokens.to_vec(), language.spaced);
            }
        }
        let mut series = |words: &'static str, tokens: &mut dyn Iterator<Item = Token>| {
            for (phrases, token) in words.split_ascii_whitespace().zip(tokens) {
                for phrase in phrases.split('|').filter(|phrase| *phrase != "-") {
                    lexicon.add(phrase, '_', vec![token], language.spaced);
                }
            }
        };
        series(language.weekdays, &mut WEEKDAYS.into_iter().map(Token::Weekday));
        series(language.short_weekdays, &mut WEEKDAYS.into_iter().map(Token::MaybeWeekday));
        series(language.plural_weekdays, &mut WEEKDAYS.into_iter().map(Token::Weekdays));
        series(language.units, &mut Unit::ALL.into_iter().map(Token::Unit));
        series(language.parts, &mut Part::ALL.into_iter().map(Token::Part));
        series(language.edges, &mut Edge::ALL.into_iter().map(Token::Edge));
        series(language.months, &mut (1..).map(Token::Month));
        series(language.seasons, &mut (3..).step_by(3).map(Token::Season));
        series(language.quarters, &mut (1..).map(Token::Quarter));
        for (first, step, words) in language.numbers {
            series(words, &mut (*first..).step_by(*step).map(Token::Number));
        }
        for (first, step, words) in language.nths {
            series(words, &mut (*first..).step_by(*step).map(Token::Nth));
        }
        for phrases in lexicon.phrases.values_mut() {
            phrases.sort_by_key(|phrase| Reverse((phrase.words.len(), phrase.words[0].len())));
        }
        lexicon
    }

    fn add(&mut self, phrase: &'static str, space: char, tokens: Vec<Token>, spaced: bool) {
        let words: Vec<&'static str> = phrase.split(space).collect();
        let letter = words[0].chars().next().map_or(0, char::len_utf8);
        let key = if spaced { words[0] } else { &words[0][..letter] };
        self.phrases.entry(key).or_default().push(Phrase { words, tokens });
    }

    /// Whether a word is in the lexicon. A word that may also be another word does not count.
    pub(crate) fn knows(&self, word: &str) -> bool {
        let certain = |phrase: &Phrase| !matches!(phrase.tokens.first(), Some(Token::MaybeWeekday(_)));
        self.phrases.get(word).is_some_and(|phrases| phrases.iter().any(certain))
    }

    /// The meaning of a single word, if it consists of one token.
    pub(crate) fn single(&self, word: &str) -> Option<Token> {
        match self.longest(&[word])? {
            (1, [token]) => Some(*token),
            _ => None,
        }
    }

    /// The longest phrase at the beginning of `words`: its number of words, and its meaning.
    pub(crate) fn longest(&self, words: &[&str]) -> Option<(usize, &[Token])> {
        let found = self.phrases.get(*words.first()?)?;
        let phrase = found.iter().find(|phrase| words.starts_with(&phrase.words))?;
        Some((phrase.words.len(), &phrase.tokens))
    }

    /// The same in a text without spaces: its number of bytes, and its meaning.
    pub(crate) fn longest_in(&self, text: &str) -> Option<(usize, &[Token])> {
        let letter = text.chars().next()?.len_utf8();
        let found = self.phrases.get(&text[..letter])?;
        let phrase = found.iter().find(|phrase| text.starts_with(phrase.words[0]))?;
        Some((phrase.words[0].len(), &phrase.tokens))
    }
}
