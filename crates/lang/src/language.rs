//! The tables of a language: its words for time, the patterns of questions about the past, and the words of such
//! questions. All words are in lower case and without accents. The files in `languages/` contain the tables.

use std::{collections::HashSet, sync::OnceLock};

use crate::{calendar::Unit, lexicon::Lexicon, pattern::Patterns, text::Word, token::Token};

/// Whether the day or the month comes first in `3/4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    DayFirst,
    MonthFirst,
}

/// A language.
///
/// A series is one string: spaces separate its places, `|` the forms of one place. `_` is a space in a form, and `-`
/// is a place without a form.
pub(crate) struct Language {
    /// ISO 639-1.
    pub(crate) code: &'static str,
    /// Whether spaces separate its words.
    pub(crate) spaced: bool,
    /// The order of day and month in a date with slashes.
    pub(crate) order: Order,
    /// Endings that make a number an ordinal, as `th`.
    pub(crate) ordinal_endings: &'static [&'static str],
    /// Whether a dot makes a number an ordinal.
    pub(crate) dotted_ordinals: bool,
    /// Whether "the 17" is a day of the month.
    pub(crate) article_days: bool,
    /// Whether an article or a pronoun may be joined to the next word, as in "l'année".
    pub(crate) elision: bool,
    /// Units by their letter, as in "3d ago".
    pub(crate) short_units: &'static [(&'static str, Unit)],
    /// Splits a compound word into its two parts: tens and unit of a number, or a weekday and a part of the day.
    pub(crate) compound: fn(&str) -> Option<(&str, &str)>,
    /// Three series from Monday on: the full names, short forms that may also be other words, as "sat", and plurals.
    pub(crate) weekdays: &'static str,
    pub(crate) short_weekdays: &'static str,
    pub(crate) plural_weekdays: &'static str,
    /// A series from January on.
    pub(crate) months: &'static str,
    /// A series from spring on.
    pub(crate) seasons: &'static str,
    /// A series from the first quarter of the year on.
    pub(crate) quarters: &'static str,
    /// Series in the order of [`Unit::ALL`], [`Part::ALL`](crate::calendar::Part::ALL) and
    /// [`Edge::ALL`](crate::calendar::Edge::ALL).
    pub(crate) units: &'static str,
    pub(crate) parts: &'static str,
    pub(crate) edges: &'static str,
    /// Series of numbers: the first, the step, the words.
    pub(crate) numbers: &'static [(i32, usize, &'static str)],
    /// The same for ordinals in letters.
    pub(crate) nths: &'static [(i8, usize, &'static str)],
    /// All other phrases and their meaning; `|` separates phrases of the same meaning.
    pub(crate) phrases: &'static [(&'static str, &'static [Token])],
    /// The patterns of questions about the past; see [`Pattern`].
    pub(crate) questions: &'static [&'static str],
    /// Lists of words that `questions` name in braces.
    pub(crate) lists: &'static [(&'static str, &'static str)],
    /// Common words by which the language is detected.
    pub(crate) common: &'static str,
    /// Words without a meaning of their own before the question: "I would like to know what …".
    pub(crate) leading: &'static str,
    /// Words that do not name the topic of a question, in addition to those in `common`.
    pub(crate) asking: &'static str,
    /// Lookup structures, built from the tables on first use.
    pub(crate) built: &'static Built,
}

/// See [`Language::built`].
pub(crate) struct Built {
    lexicon: OnceLock<Lexicon>,
    questions: OnceLock<Patterns>,
    known: OnceLock<HashSet<&'static str>>,
}

impl Built {
    pub(crate) const fn new() -> Self {
        Self { lexicon: OnceLock::new(), questions: OnceLock::new(), known: OnceLock::new() }
    }
}

impl Language {
    pub(crate) fn is_english(&self) -> bool {
        self.code == "en"
    }

    pub(crate) fn lexicon(&self) -> &Lexicon {
        self.built.lexicon.get_or_init(|| Lexicon::new(self))
    }

    pub(crate) fn patterns(&self) -> &Patterns {
        self.built.questions.get_or_init(|| Patterns::new(self.questions, self.lists))
    }

    /// Whether a word shows that a text is in this language.
    pub(crate) fn knows(&self, word: &str) -> bool {
        self.known().contains(word) || self.lexicon().knows(word)
    }

    /// The words of the tables `common` and `asking`.
    fn known(&self) -> &HashSet<&'static str> {
        let words = [self.common, self.asking].into_iter().flat_map(str::split_ascii_whitespace);
        self.built.known.get_or_init(|| words.collect())
    }

    /// A word without a joined article or pronoun.
    pub(crate) fn bare<'a>(&self, word: &'a str) -> &'a str {
        match word.split_once('\'') {
            Some((before, after)) if self.elision && before.len() <= 2 && after.len() > 1 => after,
            _ => word,
        }
    }

    /// The number of words before the question itself.
    pub(crate) fn lead(&self, words: &[Word<'_>]) -> usize {
        let what = self.lists.iter().find(|(name, _)| *name == "what").map_or("", |(_, words)| *words);
        let asks =
            |word: &Word<'_>| what.split_ascii_whitespace().any(|what| what == self.bare(&word.folded));
        words.iter().position(asks).unwrap_or(0)
    }

    /// Whether a word has no meaning of its own before the question.
    pub(crate) fn leads(&self, word: &str) -> bool {
        self.leading.split_ascii_whitespace().any(|leading| leading == word)
    }

    /// Whether the text asks only whether or what something was said, and names no topic: every word is a word of such
    /// questions. In a language without spaces, at most single letters remain.
    pub(crate) fn only_asks(&self, text: &str, words: &[Word<'_>]) -> bool {
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

/// Whether a word is the name in a greeting: "Hey Ada, …".
pub(crate) fn is_addressed(words: &[Word<'_>], at: usize) -> bool {
    let greets = |word: &Word<'_>| {
        matches!(&*word.folded, "hey" | "hi" | "hello" | "hallo" | "hola" | "bonjour" | "salut" | "coucou")
    };
    at == 1 && words.first().is_some_and(greets)
}
