//! Splits a text into clauses: sentences, and parts between commas.
//!
//! If a text says several things, the encoder's vector is near none of them: of "how do I get wax off a rug? The cat
//! knocked it over" it is near the rug alone. The mean of the clauses' vectors is nearer to a question about any of
//! them.

use std::ops::Range;

/// A text with more clauses is not split, because one vector of a long text represents its subject best.
const MOST: usize = 6;
/// A part with fewer words is no clause: "well", "so far". It joins the next clause or, at the end of a text, the
/// previous one.
const SHORTEST: usize = 3;
/// The approximate number of letters per word in scripts without spaces.
const LETTERS_OF_A_WORD: usize = 3;

/// The clauses of a text in order, with their punctuation; joined they equal the text. A text with more than `MOST`
/// clauses is not split.
pub(super) fn clauses(text: &str) -> Vec<&str> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut begin = 0;
    for end in ends(text) {
        if words(&text[begin..end]) >= SHORTEST {
            found.push(begin..end);
            begin = end;
        }
    }
    match found.last_mut() {
        Some(last) if words(&text[begin..]) < SHORTEST => last.end = text.len(),
        _ => found.push(begin..text.len()),
    }
    match found.len() {
        ..=MOST => found.into_iter().map(|clause| &text[clause]).collect(),
        _ => vec![text],
    }
}

/// The offsets where a clause may end: after punctuation before white space, and after punctuation of scripts without
/// spaces.
fn ends(text: &str) -> impl Iterator<Item = usize> {
    let mut next = text.chars().skip(1);
    text.char_indices().filter_map(move |(at, c)| {
        let spaced = next.next().is_some_and(char::is_whitespace);
        let is_end = match c {
            '.' | ',' | '!' | '?' | ';' | ':' => spaced,
            '。' | '、' | '！' | '？' | '，' | '；' | '…' | '\n' => true,
            _ => false,
        };
        is_end.then_some(at + c.len_utf8())
    })
}

/// The approximate number of words in a text.
fn words(text: &str) -> usize {
    let text = text.trim();
    match text.is_ascii() || text.contains(char::is_whitespace) {
        true => text.split_whitespace().count(),
        false => text.chars().count() / LETTERS_OF_A_WORD,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn mp4_a_text_is_cut_at_sentences_and_commas() {
        assert_eq!(
            clauses("the boiler is loud. my son Ned sleeps above it, any ideas?"),
            ["the boiler is loud.", " my son Ned sleeps above it, any ideas?"]
        );
        assert_eq!(
            clauses("well, so far vinegar helped, but we live by the sea"),
            ["well, so far vinegar helped,", " but we live by the sea"]
        );
        assert_eq!(
            clauses("妹は京都に住んでいます。寺に詳しい人、いる？"),
            ["妹は京都に住んでいます。", "寺に詳しい人、いる？"]
        );
        assert_eq!(clauses("version 3.5 costs 1,200 a year"), ["version 3.5 costs 1,200 a year"]);
        assert_eq!(clauses(""), [""]);
        let story = "We went to the lake. ".repeat(7);
        assert_eq!(clauses(&story), [&*story]);
    }

    proptest! {
        #[test]
        fn mp4_clauses_are_the_text(text in "(?s).{0,80}", marks in "([a-zß妹京都]{1,9}[.,!?、。… ]{0,2}){0,20}") {
            prop_assert_eq!(clauses(&text).concat(), text);
            prop_assert_eq!(clauses(&marks).concat(), marks);
        }
    }
}
