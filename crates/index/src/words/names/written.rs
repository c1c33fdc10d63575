//! Whether a word is a name by the way it is written and by the word before it.

use super::{
    Name, Reading,
    common::{is_article, is_auxiliary, is_copula, is_foreign_article},
};

/// How a word is written that may be a name.
pub(super) struct Written<'a> {
    /// Whether it begins with a small letter.
    pub(super) small: bool,
    /// Whether words inside sentences begin with capitals; in a question, names.
    pub(super) among_capitals: bool,
    /// Whether it follows an `@`.
    pub(super) mentioned: bool,
    /// The word before it, in lower case.
    pub(super) before: Option<&'a str>,
    pub(super) possessive: bool,
    /// Whether it is the last word of the text.
    pub(super) last: bool,
    pub(super) reading: Reading,
}

impl Written<'_> {
    pub(super) fn is_name(&self, name: &Name) -> bool {
        let is_thing = || self.before.is_some_and(is_article);
        match (name.common, self.reading) {
            _ if self.mentioned => true,
            (true, Reading::Question) if self.small => self.is_subject() && !is_thing(),
            // the first word of a text always has a capital
            (true, _) => self.before.is_some() && !self.small,
            (false, Reading::Question) => !(self.among_capitals || self.small && is_thing()),
            (false, Reading::Text) => !self.among_capitals,
        }
    }

    /// Whether a word that begins like a name means the person.
    pub(super) fn is_beginning(&self) -> bool {
        let is_thing = || self.before.is_none_or(|word| is_article(word) || is_foreign_article(word));
        self.mentioned || self.is_subject() || !self.small && !is_thing()
    }

    fn is_subject(&self) -> bool {
        let follows = |word| is_auxiliary(word) || is_copula(word) && !self.last;
        self.possessive || self.before.is_some_and(follows)
    }
}
