//! Correction of typos in questions (MP4): a word that occurs in no text is replaced by the nearest word of a text or
//! of the dictionary. Texts contain names too, so a mistyped name is corrected the same way (MP5). Recall and search
//! call it.

use std::{collections::HashMap, sync::OnceLock};

use greenroom_core::Instant;
use greenroom_index::{Names, Shard, Term};
use greenroom_lang::is_english;
use greenroom_models::dictionary;
use greenroom_store::StoreError;

use crate::{Memory, recall::SearchRequest};

/// The lengths of words that are corrected. In a shorter word another letter usually makes another valid word.
const LETTERS: std::ops::RangeInclusive<usize> = 4..=20;

/// The maximum number of words per question that are corrected; each takes about a tenth of a millisecond.
const MOST: usize = 3;

/// The lowest frequency rank of a dictionary word that replaces a typo; people seldom mean a rarer word.
const COMMON: u32 = 12_000;

/// The letters that an edit inserts or substitutes.
const ALPHABET: &str = "abcdefghijklmnopqrstuvwxyz";
/// The same for words with accents.
const ACCENTED: &str = "abcdefghijklmnopqrstuvwxyzäöüßéèêàçñáíóú";

impl Memory {
    /// Returns the question with its typos corrected by the words that the viewer sees; `None` if it has no typos. If a
    /// word is not in the dictionary, the call waits until `by` for places that are being loaded.
    pub(crate) async fn corrected(
        &self,
        search: &SearchRequest<'_>,
        question: &str,
        by: Instant,
    ) -> Result<Option<String>, StoreError> {
        let names = &self.speakers(search.viewer.channel()).await?.names;
        if unlisted(question, names).next().is_none() {
            return Ok(None);
        }
        match self.clock.timeout_at(by, self.view(search, by)).await {
            Ok(view) => Ok(corrected(question, &view?.all_shards(), names)),
            Err(_) => Ok(None),
        }
    }
}

/// The text with its typos corrected; `None` if it has none.
fn corrected(text: &str, shards: &[&Shard], names: &Names) -> Option<String> {
    let said = |lower: &str| Term::of_word(lower).is_none_or(|term| occurs(term, shards));
    let mut english = None;
    let mut result = String::new();
    let mut from = 0;
    for (at, word, lower) in unlisted(text, names).filter(|(_, _, lower)| !said(lower)).take(MOST) {
        // a capital inside a sentence marks a name, which the dictionary does not contain
        let name = at > 0 && word.starts_with(char::is_uppercase);
        let english = !name && *english.get_or_insert_with(|| is_english(text));
        if let Some(meant) = nearest(&lower, shards, english) {
            result.push_str(&text[from..at]);
            result.push_str(&meant);
            from = at + word.len();
        }
    }
    (from > 0).then(|| result + &text[from..])
}

/// The words that may be typos, with their offsets and in lower case: neither the dictionary nor the names contain
/// them.
fn unlisted<'a>(text: &'a str, names: &Names) -> impl Iterator<Item = (usize, &'a str, String)> {
    words(text).map(|(at, word)| (at, word, word.to_lowercase())).filter(|(_, word, lower)| {
        LETTERS.contains(&lower.chars().count())
            && lower.chars().all(is_spaced_letter)
            && rank(lower).is_none()
            && names.found_in(word).is_empty()
    })
}

/// The nearest word of the shards or, if the text is English, of the dictionary.
fn nearest(word: &str, shards: &[&Shard], english: bool) -> Option<String> {
    let mut best: Option<(u32, String)> = None;
    let mut said = None;
    each_edit(word, |edit| {
        if said.is_none() && Term::of_word(edit).is_some_and(|term| occurs(term, shards)) {
            said = Some(edit.to_owned());
        }
        let common = rank(edit).filter(|rank| english && *rank < COMMON);
        if let Some(rank) = common
            && best.as_ref().is_none_or(|(least, _)| rank < *least)
        {
            best = Some((rank, edit.to_owned()));
        }
    });
    said.or_else(|| best.map(|(_, word)| word))
}

/// Calls `each` with every text at edit distance 1 from a word: two letters swapped, one deleted, one inserted, or one
/// substituted. Likelier typos come first.
fn each_edit(word: &str, mut each: impl FnMut(&str)) {
    let letters: Vec<char> = word.chars().collect();
    let alphabet = if word.is_ascii() { ALPHABET } else { ACCENTED };
    let mut edit = String::with_capacity(word.len() + 4);
    let mut say = |parts: [&[char]; 3]| {
        edit.clear();
        edit.extend(parts.into_iter().flatten());
        each(&edit);
    };
    // the first letter is seldom wrong
    for at in 1..letters.len().saturating_sub(1) {
        say([&letters[..at], &[letters[at + 1], letters[at]], &letters[at + 2..]]);
    }
    for at in 1..letters.len() {
        say([&letters[..at], &[], &letters[at + 1..]]);
    }
    for at in 1..=letters.len() {
        for letter in alphabet.chars() {
            say([&letters[..at], &[letter], &letters[at..]]);
        }
    }
    for at in 1..letters.len() {
        for letter in alphabet.chars().filter(|letter| *letter != letters[at]) {
            say([&letters[..at], &[letter], &letters[at + 1..]]);
        }
    }
    say([&letters[1..2], &letters[..1], &letters[2..]]);
}

fn occurs(term: Term, shards: &[&Shard]) -> bool {
    shards.iter().any(|shard| shard.document_frequency(term, false) > 0)
}

/// The frequency rank of a word in the dictionary; 0 is the most frequent.
fn rank(word: &str) -> Option<u32> {
    static RANKS: OnceLock<HashMap<&'static str, u32>> = OnceLock::new();
    RANKS.get_or_init(|| dictionary().zip(0..).collect()).get(word).copied()
}

/// The words of a text with their offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let parts = text.split_inclusive(|c: char| !c.is_alphanumeric());
    let placed = parts.scan(0, |end, part| {
        let begin = *end;
        *end += part.len();
        Some((begin, part.trim_end_matches(|c: char| !c.is_alphanumeric())))
    });
    placed.filter(|(_, word)| !word.is_empty())
}

/// Whether a letter belongs to a script with spaces between words and with the letters of [`ACCENTED`].
fn is_spaced_letter(letter: char) -> bool {
    letter.is_alphabetic() && letter < '\u{250}'
}

#[cfg(test)]
mod tests {
    use super::*;
    use greenroom_index::{Change, Row, ShardWriter, Words};

    fn shard(texts: &[&str]) -> greenroom_index::Shard {
        let rows = (1..).zip(texts).map(|(id, text)| {
            Change::Put(Row {
                id,
                at: id,
                expires_at: i64::MAX,
                source: 0,
                author: None,
                words: Words::of(text, "", &Names::none()),
                vector: None,
            })
        });
        (*ShardWriter::new(1).apply(rows.collect::<Vec<_>>()).shard).clone()
    }

    fn read(text: &str) -> String {
        let shard = shard(&[
            "I sold my kayak to Priyanka",
            "Meine Schwester wohnt in Kiel",
            "my umbrella is at Tove's",
        ]);
        corrected(text, &[&shard], &Names::new(["Marek"])).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn mp4_a_typo_is_read_as_the_nearest_word() {
        for (asked, meant) in [
            ("Who has my kaayk?", "Who has my kayak?"),
            ("Where is my umbrela?", "Where is my umbrella?"),
            ("Wo wohnt meine Schwetser?", "Wo wohnt meine schwester?"),
            ("What did the docter say?", "What did the doctor say?"),
            ("What did Priyankka buy?", "What did priyanka buy?"),
        ] {
            assert_eq!(read(asked), meant);
        }
    }

    #[test]
    fn mp5_names_and_words_that_are_right_stay() {
        for asked in [
            "Where does Tove live?",
            "where does tove live?",
            "Where does Jove live?",
            "What did Marek sell?",
            "Wo wohnt Ute?",
            "妹はどこに住んでいますか",
            "word17 x1 42",
            "Who needs an appendectomy?",
            "",
        ] {
            assert_eq!(read(asked), asked);
        }
    }
}
