//! The text by which a memory is searched. What a person told of themselves is asked for in other words than it was told in:
//! "I moved to Bristol last autumn", "which city do I live in?". So the words of its topic are searched too (MP6).

use std::borrow::Cow;

use greenroom_core::Scope;
use greenroom_lang::words_of_facts;

/// Bytes of a text that can be a fact about a person.
const LONGEST: usize = 400;

/// The text of a memory in this scope with the words of its topics. It is embedded and indexed, and never shown.
pub(crate) fn searched<'a>(scope: &Scope, text: &'a str) -> Cow<'a, str> {
    if scope.person().is_none() || text.len() > LONGEST {
        return text.into();
    }
    match words_of_facts(text) {
        words if words.is_empty() => text.into(),
        words => format!("{text} ({words})").into(),
    }
}
