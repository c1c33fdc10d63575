//! A language as one table: its phrases for time, how questions for what was said are asked in it, and the words
//! of which such questions are made.
//!
//! A text is read in the language most of whose words it holds; English where two hold as many.

mod english;
mod french;
mod german;
mod japanese;
mod spanish;

use std::{collections::HashSet, sync::OnceLock};

use super::{
    Word,
    calendar::Unit,
    question::Pattern,
    tokens::{Lexicon, Token},
};

/// Which of day and month comes first in `3/4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    DayFirst,
    MonthFirst,
}

/// A language. All words are in lower case and without accents.
pub(super) struct Language {
    /// Whether its words stand apart.
    pub(super) spaced: bool,
    /// The order of a date with strokes.
    pub(super) order: Order,
    /// What makes a number an ordinal, as `th`.
    pub(super) ordinal_endings: &'static [&'static str],
    /// Whether a dot does.
    pub(super) dotted_ordinals: bool,
    /// Whether "the 17" is a day of the month.
    pub(super) article_days: bool,
    /// Whether an article or a pronoun may be written together with the next word, as in "l'année".
    pub(super) elision: bool,
    /// Units by their letter, as in "3d ago".
    pub(super) short_units: &'static [(&'static str, Unit)],
    /// A number that is one word made of two: its tens and its unit.
    pub(super) compound: fn(&str) -> Option<(&str, &str)>,
    /// What phrases mean.
    pub(super) phrases: &'static [(&'static str, &'static [Token])],
    /// How questions for what was said are asked; see [`Pattern`].
    pub(super) questions: &'static [&'static str],
    /// Lists of words that `questions` name in braces.
    pub(super) lists: &'static [(&'static str, &'static str)],
    /// Common words by which the language is known.
    pub(super) common: &'static str,
    /// Words that say nothing before what is asked: "I would like to know what …".
    pub(super) leading: &'static str,
    /// Words that say nothing about what was talked about, beside those of `common`.
    pub(super) asking: &'static str,
    /// What is made of the tables when they are first used.
    pub(super) made: &'static Made,
}

/// See [`Language::made`].
pub(super) struct Made {
    lexicon: OnceLock<Lexicon>,
    questions: OnceLock<Vec<Pattern>>,
    known: OnceLock<HashSet<&'static str>>,
}

impl Made {
    pub(super) const fn new() -> Self {
        Self { lexicon: OnceLock::new(), questions: OnceLock::new(), known: OnceLock::new() }
    }
}

/// Words by which a language is known: the first of a text.
const TELLING: usize = 60;

/// Every language; the first is taken where several hold as many words of a text.
pub(super) static LANGUAGES: [&Language; 5] =
    [&english::ENGLISH, &german::GERMAN, &spanish::SPANISH, &french::FRENCH, &japanese::JAPANESE];

impl Language {
    /// The language of a text.
    pub(super) fn of(text: &str, words: &[Word<'_>]) -> &'static Self {
        if text.chars().any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}')) {
            return &japanese::JAPANESE;
        }
        let words = &words[..words.len().min(TELLING)];
        let known = |language: &&&Self| {
            let bare = |word: &Word<'_>| language.knows(language.bare(&word.folded));
            words.iter().filter(|word| bare(word)).count()
        };
        // a text in Japanese was known by its letters; digits say nothing
        let spaced = LANGUAGES.iter().rev().filter(|language| language.spaced);
        spaced.max_by_key(known).copied().unwrap_or(&english::ENGLISH)
    }

    pub(super) fn is_english(&self) -> bool {
        std::ptr::eq(self, &raw const english::ENGLISH)
    }

    pub(super) fn lexicon(&self) -> &Lexicon {
        self.made.lexicon.get_or_init(|| Lexicon::new(self.phrases, self.spaced))
    }

    pub(super) fn patterns(&self) -> &[Pattern] {
        self.made
            .questions
            .get_or_init(|| self.questions.iter().map(|pattern| Pattern::new(pattern, self.lists)).collect())
    }

    /// Whether a word tells that a text is in this language.
    fn knows(&self, word: &str) -> bool {
        self.known().contains(word) || self.lexicon().knows(word)
    }

    /// The words it is known by, and those of which questions are made.
    fn known(&self) -> &HashSet<&'static str> {
        let words = [self.common, self.asking].into_iter().flat_map(str::split_ascii_whitespace);
        self.made.known.get_or_init(|| words.collect())
    }

    /// A word without what is written together with it.
    pub(super) fn bare<'a>(&self, word: &'a str) -> &'a str {
        match word.split_once('\'') {
            Some((before, after)) if self.elision && before.len() <= 2 && after.len() > 1 => after,
            _ => word,
        }
    }

    /// How many words stand before what is asked.
    pub(super) fn lead(&self, words: &[Word<'_>]) -> usize {
        let what = self.lists.iter().find(|(name, _)| *name == "what").map_or("", |(_, words)| *words);
        let asks =
            |word: &Word<'_>| what.split_ascii_whitespace().any(|what| what == self.bare(&word.folded));
        words.iter().position(asks).unwrap_or(0)
    }

    /// Whether a word says nothing before what is asked.
    pub(super) fn leads(&self, word: &str) -> bool {
        self.leading.split_ascii_whitespace().any(|leading| leading == word)
    }

    /// Whether the text says nothing but that something was said: every word of it is one that questions are
    /// made of. Of a language without spaces, no other word of two letters than those is left.
    pub(super) fn only_asks(&self, text: &str, words: &[Word<'_>]) -> bool {
        if self.spaced {
            let lead = self.lead(words);
            let says_nothing = |(at, word): (usize, &Word<'_>)| {
                let word = self.bare(&word.folded);
                self.known().contains(word) || (at < lead && self.leads(word)) || is_addressed(words, at)
            };
            return words.iter().enumerate().all(says_nothing);
        }
        let mut rest = text.to_owned();
        for word in self.asking.split_ascii_whitespace() {
            rest = rest.replace(word, " ");
        }
        rest.split(|c: char| !c.is_alphanumeric()).all(|left| left.chars().count() < 2)
    }
}

/// Whether a word is the name somebody is greeted by: "Hey Ada, …".
pub(super) fn is_addressed(words: &[Word<'_>], at: usize) -> bool {
    let greets = |word: &Word<'_>| {
        matches!(&*word.folded, "hey" | "hi" | "hello" | "hallo" | "hola" | "bonjour" | "salut" | "coucou")
    };
    at == 1 && words.first().is_some_and(greets)
}

/// A word in lower case without the accents that are often left out.
pub(crate) fn fold(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            'á' | 'à' | 'â' | 'ä' => folded.push('a'),
            'é' | 'è' | 'ê' | 'ë' => folded.push('e'),
            'í' | 'ì' | 'î' | 'ï' => folded.push('i'),
            'ó' | 'ò' | 'ô' | 'ö' => folded.push('o'),
            'ú' | 'ù' | 'û' | 'ü' => folded.push('u'),
            'ñ' => folded.push('n'),
            'ç' => folded.push('c'),
            'ß' => folded.push_str("ss"),
            'œ' => folded.push_str("oe"),
            '’' => folded.push('\''),
            c => folded.push(c),
        }
    }
    folded
}
