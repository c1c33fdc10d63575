//! Searches words in texts and fills in templates.

use std::sync::LazyLock;

use minijinja::{Environment, Error, UndefinedBehavior, Value};

/// Fills names into a short template of the scenario.
pub(crate) fn filled(template: &str, names: Value) -> Result<String, Error> {
    // created once, because its table of filters is larger than any text
    static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(Environment::new);
    TEMPLATES.render_str(template, names)
}

/// As [`filled`], and a field that a name does not have is an error and not an empty text.
pub(super) fn filled_strictly(template: &str, names: Value) -> Result<String, Error> {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    templates.render_str(template, names)
}

/// Whether a text contains a word, both in lower case. The word may not be a part of a longer word, except in a script
/// without spaces between words.
pub(crate) fn holds_word(text: &str, word: &str) -> bool {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c));
    let inner = |edge: Option<char>, beside: Option<char>| joins(edge) && joins(beside);
    !word.is_empty()
        && text.match_indices(word).any(|(at, found)| {
            let (before, after) = (&text[..at], &text[at + found.len()..]);
            !inner(word.chars().next(), before.chars().next_back())
                && !inner(word.chars().next_back(), after.chars().next())
        })
}

/// Whether a text contains one of `words` and none of `without`, ignoring case.
pub(crate) fn holds_one(words: &[String], without: &[String], text: &str) -> bool {
    let text = text.to_lowercase();
    let holds = |word: &String| holds_word(&text, &word.to_lowercase());
    words.iter().any(holds) && !without.iter().any(holds)
}

/// Whether a character belongs to a script without spaces between words: Chinese, Japanese or Thai. A scenario may be
/// in any language.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}
