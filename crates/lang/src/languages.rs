//! All languages, and which one a text is in.

mod english;
mod french;
mod german;
mod japanese;
mod spanish;

use crate::{language::Language, text::Word};

/// Words of a text, from its beginning, that tell its language.
const LOOKED_AT: usize = 60;

/// The languages with spaces; the first counts where several know as many words of a text.
static SPACED: [&Language; 4] = [&english::ENGLISH, &german::GERMAN, &spanish::SPANISH, &french::FRENCH];

/// The language of a text: Japanese by its letters, else the one that knows most of its words.
pub(crate) fn language_of(text: &str, words: &[Word<'_>]) -> &'static Language {
    if text.chars().any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}')) {
        return &japanese::JAPANESE;
    }
    let words = &words[..words.len().min(LOOKED_AT)];
    let known = |language: &&&Language| {
        words.iter().filter(|word| language.knows(language.bare(&word.folded))).count()
    };
    SPACED.iter().rev().max_by_key(known).copied().unwrap_or(&english::ENGLISH)
}
