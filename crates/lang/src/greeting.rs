//! Removal of greetings from questions: "hey! where do I work?". A greeting says nothing about the subject.

use std::borrow::Cow;

use crate::{
    WordList,
    address::{Addressees, BEGINNINGS, GREETINGS, MARKS, OPENINGS, begins_with},
    text::{split, words_of},
};

/// Words after a greeting that belong to it.
static BESIDE: WordList =
    WordList::of("there all everyone everybody again folks guys zusammen todos tous a toutes");

/// The longest text that is searched for a greeting, in bytes; a longer one says something besides.
const LONGEST: usize = 200;

/// The maximum number of words of a greeting.
const MOST: usize = 4;

impl Addressees {
    /// A question without the names that it addresses and without a greeting at its beginning. Empty if it only greets.
    ///
    /// ```
    /// use greenroom_lang::Addressees;
    ///
    /// let cast = Addressees::new(["ada"]);
    /// assert_eq!(cast.without_greeting("hi there! where do I work?"), "where do I work?");
    /// assert_eq!(cast.without_greeting("hey ada!"), "");
    /// ```
    pub fn without_greeting<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.only_greets(text) {
            return "".into();
        }
        match self.without_addresses(text) {
            Cow::Borrowed(text) => after_greeting(text).into(),
            Cow::Owned(text) => after_greeting(&text).to_owned().into(),
        }
    }

    /// Whether a text has only words of a greeting and names, the greeting first.
    fn only_greets(&self, text: &str) -> bool {
        if text.len() > LONGEST {
            return false;
        }
        let words = split(text);
        let mut rest = &words[..];
        while let Some(word) = rest.first() {
            let name = || self.names.iter().find(|name| begins_with(text, rest, name));
            let length = if is_part(&word.folded) { 1 } else { name().map_or(0, Vec::len) };
            if length == 0 {
                return false;
            }
            rest = &rest[length..];
        }
        words.iter().any(|word| GREETINGS.has(&word.folded))
    }
}

fn is_part(word: &str) -> bool {
    GREETINGS.has(word) || OPENINGS.has(word) || BESIDE.has(word)
}

/// A text without the greeting at its beginning, if a mark or the first word of a question follows.
fn after_greeting(text: &str) -> &str {
    let mut greeted = false;
    for word in words_of(text).take(MOST) {
        if greeted && BEGINNINGS.has(&word.folded) {
            return &text[word.start..];
        }
        if !is_part(&word.folded) {
            break;
        }
        greeted |= GREETINGS.has(&word.folded);
        let rest = &text[word.end..];
        let after = rest.trim_start_matches(|c: char| MARKS.contains(&c) || c.is_whitespace());
        let marked = rest.trim_start().starts_with(MARKS);
        if greeted && marked && after.contains(char::is_alphanumeric) {
            return after;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mp5_a_greeting_is_no_part_of_a_question() {
        let cast = Addressees::new(["ada", "Ada Lovelace"]);
        for (asked, question) in [
            ("hey ada! where do I work?", "where do I work?"),
            ("hey! where do I work?", "where do I work?"),
            ("Hello there, what is my cat called?", "what is my cat called?"),
            ("good morning everyone! when is the demo?", "when is the demo?"),
            ("hi where do I live", "where do I live"),
            ("Hallo zusammen, wo wohne ich?", "wo wohne ich?"),
            ("¡Hola! ¿Dónde vivo?", "¿Dónde vivo?"),
            ("Salut, où est-ce que j'habite ?", "où est-ce que j'habite ?"),
            ("こんにちは、私の犬の名前は？", "私の犬の名前は？"),
            ("hey ada!", ""),
            ("Good morning, Ada Lovelace.", ""),
            ("hi", ""),
        ] {
            assert_eq!(cast.without_greeting(asked), question, "{asked}");
        }
        for stays in
            ["", "Ada?", "hello world program?", "Hi-fi or radio?", "hey jude lyrics", "so, sourdough", "🐶?"]
        {
            assert_eq!(cast.without_greeting(stays), stays);
        }
    }
}
