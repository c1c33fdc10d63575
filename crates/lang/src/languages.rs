//! All languages, and the detection of a text's language.

mod english;
mod french;
mod german;
mod japanese;
mod spanish;

use crate::{
    language::Language,
    text::{Word, is_japanese},
};

/// How many words from the beginning of a text decide its language.
const LOOKED_AT: usize = 60;

/// The languages with spaces. When several know equally many words of a text, the first counts.
static SPACED: [&Language; 4] = [&english::ENGLISH, &german::GERMAN, &spanish::SPANISH, &french::FRENCH];

/// The language of a text: Japanese by its letters, otherwise the language that knows most of its words.
pub(crate) fn language_of(text: &str, words: &[Word<'_>]) -> &'static Language {
    if is_japanese(text) {
        return &japanese::JAPANESE;
    }
    let words = &words[..words.len().min(LOOKED_AT)];
    let known = |language: &&&Language| {
        words.iter().filter(|word| language.knows(language.bare(&word.folded))).count()
    };
    SPACED.iter().rev().max_by_key(known).copied().unwrap_or(&english::ENGLISH)
}
