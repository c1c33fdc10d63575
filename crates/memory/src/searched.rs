//! The text by which a memory is searched. People ask for a fact in other words than they told it in: "I moved to
//! Bristol last autumn", "which city do I live in?". The searched text therefore also contains words of the fact's
//! topic (MP6).

use std::borrow::Cow;

use greenroom_core::Scope;
use greenroom_lang::words_of_facts;

/// The longest text, in bytes, that is treated as a fact about a person.
const LONGEST: usize = 400;

/// The text of a memory with words of its topics, if its scope is a person's. The result is embedded and indexed, and
/// never shown.
pub(crate) fn searched<'a>(scope: &Scope, text: &'a str) -> Cow<'a, str> {
    if scope.person().is_none() || text.len() > LONGEST {
        return text.into();
    }
    match words_of_facts(text) {
        words if words.is_empty() => text.into(),
        words => format!("{text} ({words})").into(),
    }
}
