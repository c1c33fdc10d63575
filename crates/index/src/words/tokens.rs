//! The words of a text: letters and digits, with the apostrophes between them.

use std::ops::Range;

/// A text cut into its words, read once.
pub(super) struct Tokens<'a> {
    text: &'a str,
    /// All words in lower case, one after the other.
    lower: String,
    words: Vec<Token>,
}

struct Token {
    /// Where it stands in the text.
    place: Range<usize>,
    /// Where it ends in `lower`; it begins where the one before it ends.
    end: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let (mut lower, mut words) =
            (String::with_capacity(text.len()), Vec::with_capacity(text.len() / 4 + 1));
        let mut letters = text.char_indices().peekable();
        while let Some((start, first)) = letters.find(|(_, letter)| letter.is_alphanumeric()) {
            push(&mut lower, first);
            let mut end = start + first.len_utf8();
            while let Some((at, letter)) =
                letters.next_if(|(_, letter)| letter.is_alphanumeric() || is_apostrophe(*letter))
            {
                if is_apostrophe(letter) && !letters.peek().is_some_and(|(_, next)| next.is_alphanumeric()) {
                    break;
                }
                push(&mut lower, letter);
                end = at + letter.len_utf8();
            }
            words.push(Token { place: start..end, end: lower.len() });
        }
        Self { text, lower, words }
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// A word: where it stands, and itself in lower case.
    pub(super) fn word(&self, at: usize) -> Option<(&Range<usize>, &str)> {
        let Token { place, end } = self.words.get(at)?;
        let start = at.checked_sub(1).and_then(|before| self.words.get(before)).map_or(0, |token| token.end);
        Some((place, &self.lower[start..*end]))
    }

    /// Where each word stands.
    pub(super) fn places(&self) -> impl Iterator<Item = Range<usize>> {
        self.words.iter().map(|token| token.place.clone())
    }

    /// Each word in lower case.
    pub(super) fn lower(&self) -> impl Iterator<Item = &str> {
        self.words.iter().scan(0, |start, token| {
            let word = &self.lower[*start..token.end];
            *start = token.end;
            Some(word)
        })
    }
}

/// The typographic apostrophe is the typewriter's.
fn push(lower: &mut String, letter: char) {
    match letter {
        '\u{2019}' => lower.push('\''),
        letter if letter.is_ascii() => lower.push(letter.to_ascii_lowercase()),
        letter => lower.extend(letter.to_lowercase()),
    }
}

fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\'' | '\u{2019}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_apostrophe_belongs_to_a_word_between_two_letters() {
        let words = |text: &str| Tokens::of(text).lower().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            words("O\u{2019}Brien's 'quoted' dogs' \u{c9}t\u{e9} 7th"),
            ["o'brien's", "quoted", "dogs", "\u{e9}t\u{e9}", "7th"]
        );
    }

    proptest! {
        #[test]
        fn a_word_is_what_stands_at_its_place(text in "(\\PC|[ '\u{2019}]){0,60}") {
            let tokens = Tokens::of(&text);
            let lower: Vec<_> = tokens.lower().collect();
            prop_assert_eq!(lower.len(), tokens.len());
            for (at, place) in tokens.places().enumerate() {
                let mut written = String::new();
                text[place.clone()].chars().for_each(|letter| push(&mut written, letter));
                prop_assert_eq!(tokens.word(at), Some((&place, written.as_str())));
                prop_assert_eq!(&written, lower[at]);
            }
        }
    }
}
