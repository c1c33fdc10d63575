//! Correction of typos in questions (MP4): a word that occurs in no text is replaced by the nearest word of a text, of a
//! name or of the dictionary (MP5). An emoji is replaced by its words that occur in a text. Recall and search call it.
//!
//! There is a dictionary of English only. In another language most unknown words are right, and inflected forms of one
//! word are near to each other. So a word is corrected there only if one word is near and is not another form of it.

use std::{collections::HashMap, sync::OnceLock};

use greenroom_core::Instant;
use greenroom_index::{Names, Shard, Term};
use greenroom_lang::{WordList, emoji_words, fold, is_english, stop_words_of};
use greenroom_models::dictionary;
use greenroom_store::StoreError;

use crate::{Memory, recall::SearchRequest};

/// The lengths of words that are corrected. In a shorter word another letter usually makes another valid word.
const LETTERS: std::ops::RangeInclusive<usize> = 4..=20;

/// The shortest word that is corrected in another language than English.
const LETTERS_OF_OTHERS: usize = 5;

/// The maximum number of words per question that are corrected; each takes about a tenth of a millisecond.
const MOST: usize = 3;

/// The lowest frequency rank of a dictionary word that replaces a typo; people seldom mean a rarer word.
const COMMON: u32 = 12_000;

/// The rank of a word of a text that the dictionary does not contain, and of a name.
const RARE: u32 = 20_000;
const OF_NAME: u32 = 2_000;

/// How much likelier a word is if it occurs in a text, or if two letters were swapped.
const SAID: f32 = 3.0;
const SWAPPED: f32 = 3.0;
/// Added to all ranks, because the first hundred words are about equally likely.
const SMOOTH: f32 = 100.0;

/// How many letters at the end of a word usually belong to its inflection.
const ENDING: usize = 2;

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
        let has_emoji = question.chars().any(|letter| !emoji_words(letter).is_empty());
        if !has_emoji && unlisted(question, names).next().is_none() {
            return Ok(None);
        }
        let view = match self.clock.timeout_at(by, self.view(search, by)).await {
            Ok(view) => view?,
            // the words of an emoji need no text
            Err(_) => return Ok(in_words(question, &[])),
        };
        let shards = view.all_shards();
        let in_words = in_words(question, &shards);
        Ok(corrected(in_words.as_deref().unwrap_or(question), &shards, names).or(in_words))
    }
}

/// The text with the words of its emoji: those that occur in a text, or else the most usual one. `None` without emoji.
fn in_words(text: &str, shards: &[&Shard]) -> Option<String> {
    let said = |word: &str| Term::of_word(word).is_some_and(|term| occurs(term, shards));
    let mut result = String::new();
    let mut found = false;
    for letter in text.chars() {
        let words = emoji_words(letter);
        let Some(usual) = words.first() else {
            // the variation selector after an emoji
            result.extend((letter != '\u{fe0f}').then_some(letter));
            continue;
        };
        found = true;
        let emoji = letter.to_string();
        let mut parts: Vec<&str> = words.iter().copied().filter(|word| said(word)).collect();
        if parts.is_empty() {
            parts.push(usual);
        }
        parts.extend(said(&emoji).then_some(&*emoji));
        let apart = result.ends_with(|before: char| !before.is_whitespace());
        result.extend(apart.then_some(' '));
        result.push_str(&parts.join(" "));
    }
    found.then_some(result)
}

/// The text with its typos corrected; `None` if it has none.
fn corrected(text: &str, shards: &[&Shard], names: &Names) -> Option<String> {
    let places = Places { shards, names };
    let mut language = None;
    let mut result = String::new();
    let mut from = 0;
    for (at, word, lower) in unlisted(text, names).filter(|(_, _, lower)| !places.said(lower)).take(MOST) {
        let language = language.get_or_insert_with(|| language_of(text));
        let meant = match language {
            // a capital inside a sentence marks a name, which the dictionary does not contain
            None => places.nearest(&lower, !(at > 0 && word.starts_with(char::is_uppercase))),
            Some(stop_words) => places.only(&lower, *stop_words),
        };
        if let Some(meant) = meant {
            result.push_str(&text[from..at]);
            result.push_str(&meant);
            from = at + word.len();
        }
    }
    (from > 0).then(|| result + &text[from..])
}

/// `None` for English; for another language its stop words, if they are known.
fn language_of(text: &str) -> Option<Option<&'static WordList>> {
    let lower: Vec<String> = words(text).map(|(_, word)| word.to_lowercase()).collect();
    let stop_words = stop_words_of(lower.iter().map(String::as_str));
    (!is_english(text) || stop_words.is_some()).then_some(stop_words)
}

/// The words that may be typos, with their offsets and in lower case: neither the dictionary nor the names contain
/// them.
fn unlisted<'a>(text: &'a str, names: &Names) -> impl Iterator<Item = (usize, &'a str, String)> {
    words(text).map(|(at, word)| (at, word, word.to_lowercase())).filter(|(_, word, lower)| {
        LETTERS.contains(&lower.chars().count())
            && lower.chars().all(is_spaced_letter)
            && rank(lower).is_none()
            && !names.has(lower)
            && !names.begins(lower)
            && names.found_in(word).is_empty()
    })
}

/// Where a word may come from.
struct Places<'a> {
    shards: &'a [&'a Shard],
    names: &'a Names,
}

impl Places<'_> {
    /// Whether a word occurs in a text; a stop word does.
    fn said(&self, lower: &str) -> bool {
        Term::of_word(lower).is_none_or(|term| occurs(term, self.shards))
    }

    /// The likeliest word near to a word in English: of a text, of a name or, with `listed`, of the dictionary.
    fn nearest(&self, word: &str, listed: bool) -> Option<String> {
        if let Some(form) = listed.then(|| listed_form(word)).flatten() {
            // the plural has the same meaning, and the static embedder does not know it
            return Some(form).filter(|form| form.len() + 1 == word.len());
        }
        let mut best: Option<(f32, String)> = None;
        each_edit(word, |edit, swapped| {
            let rank = rank(edit);
            let is_name = self.names.has(edit);
            let said = is_name || Term::of_word(edit).is_some_and(|term| occurs(term, self.shards));
            let common = rank.is_some_and(|rank| rank < COMMON);
            if !(said || listed && common) {
                return;
            }
            let rank = match is_name {
                true => rank.unwrap_or(OF_NAME).min(OF_NAME),
                false => rank.unwrap_or(RARE),
            };
            let factor = if said { SAID } else { 1.0 } * if swapped { SWAPPED } else { 1.0 };
            let unlikely = (rank as f32 + SMOOTH) / factor;
            if best.as_ref().is_none_or(|(least, _)| unlikely < *least) {
                best = Some((unlikely, edit.to_owned()));
            }
        });
        best.map(|(_, meant)| self.written(meant))
    }

    /// The only word of a text, of a name or of the stop words that is near to a word of another language and is not
    /// another form of it.
    fn only(&self, word: &str, stop_words: Option<&WordList>) -> Option<String> {
        let is_stop_word = |word: &str| stop_words.is_some_and(|list| list.has(word));
        if is_stop_word(word) || word.chars().count() < LETTERS_OF_OTHERS {
            return None;
        }
        let (mut near, mut stop_word, mut swap) = (Vec::new(), None, None);
        each_edit(word, |edit, swapped| {
            if is_stop_word(edit) {
                stop_word.get_or_insert_with(|| edit.to_owned());
            }
            let said = || Term::of_word(edit).is_some_and(|term| occurs(term, self.shards));
            if !(self.names.has(edit) || (swapped || !is_other_form(word, edit)) && said()) {
                return;
            }
            if swapped {
                swap.get_or_insert_with(|| edit.to_owned());
            } else if !near.iter().any(|other| other == edit) {
                near.push(edit.to_owned());
            }
        });
        let only = || near.pop().filter(|_| near.is_empty());
        stop_word.or(swap).or_else(only).map(|meant| self.written(meant))
    }

    /// The word as it is written: a name has a capital.
    fn written(&self, meant: String) -> String {
        match meant.chars().next() {
            Some(first) if self.names.has(&meant) => {
                first.to_uppercase().collect::<String>() + &meant[first.len_utf8()..]
            }
            _ => meant,
        }
    }
}

/// The word of the dictionary of which a word is a form: "hoodie" of "hoodies".
fn listed_form(word: &str) -> Option<String> {
    let forms = [
        ("s", ""),
        ("es", ""),
        ("ies", "y"),
        ("d", ""),
        ("ed", ""),
        ("ied", "y"),
        ("ing", ""),
        ("ing", "e"),
        ("er", ""),
        ("ers", ""),
        ("ly", ""),
        ("ize", ""),
        ("ise", ""),
        ("ized", ""),
    ];
    forms.iter().find_map(|(ending, other)| {
        let stem = word.strip_suffix(ending).filter(|stem| stem.chars().count() >= *LETTERS.start())?;
        Some(format!("{stem}{other}")).filter(|listed| rank(listed).is_some())
    })
}

/// Whether two near words may be forms of one word: they differ in the last letters or by a vowel, as "partidas" and
/// "partidos", "Zeitung" and "Zeiten", "salido" and "salado".
fn is_other_form(word: &str, edit: &str) -> bool {
    let (word, edit): (Vec<char>, Vec<char>) = (word.chars().collect(), edit.chars().collect());
    let differ = word.iter().zip(&edit).position(|(a, b)| a != b).unwrap_or(word.len().min(edit.len()));
    let is_vowel = |letters: &[char]| {
        letters
            .get(differ)
            .is_some_and(|letter| fold(&letter.to_string()).contains(['a', 'e', 'i', 'o', 'u', 'y']))
    };
    differ + ENDING >= word.len() || word.len() == edit.len() && is_vowel(&word) && is_vowel(&edit)
}

/// Calls `each` with every text at edit distance 1 from a word: two letters swapped, one deleted, one inserted, or one
/// substituted. Tells whether letters were swapped. Likelier typos come first.
fn each_edit(word: &str, mut each: impl FnMut(&str, bool)) {
    let letters: Vec<char> = word.chars().collect();
    let alphabet = if word.is_ascii() { ALPHABET } else { ACCENTED };
    let mut edit = String::with_capacity(word.len() + 4);
    let mut say = |parts: [&[char]; 3], swapped| {
        edit.clear();
        edit.extend(parts.into_iter().flatten());
        each(&edit, swapped);
    };
    // the first letter is seldom wrong
    for at in 1..letters.len().saturating_sub(1) {
        say([&letters[..at], &[letters[at + 1], letters[at]], &letters[at + 2..]], true);
    }
    for at in 1..letters.len() {
        say([&letters[..at], &[], &letters[at + 1..]], false);
    }
    for at in 1..=letters.len() {
        for letter in alphabet.chars() {
            say([&letters[..at], &[letter], &letters[at..]], false);
        }
    }
    for at in 1..letters.len() {
        for letter in alphabet.chars().filter(|letter| *letter != letters[at]) {
            say([&letters[..at], &[letter], &letters[at + 1..]], false);
        }
    }
    say([&letters[1..2], &letters[..1], &letters[2..]], true);
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
            ("What did Mareq sell?", "What did Marek sell?"),
            ("Wo ist meine Schwesster?", "Wo ist meine schwester?"),
        ] {
            assert_eq!(read(asked), meant);
        }
    }

    #[test]
    fn mp5_an_emoji_is_read_as_its_words() {
        let shard = shard(&["we adopted a puppy", "my guitar 🎸 snapped"]);
        let read = |text| in_words(text, &[&shard]);
        assert_eq!(read("🐶?").as_deref(), Some("puppy?"));
        assert_eq!(read("when is my ✈️?").as_deref(), Some("when is my flight?"));
        assert_eq!(read("🎸").as_deref(), Some("guitar 🎸"));
        assert_eq!(read("that 🐶🎸!").as_deref(), Some("that puppy guitar 🎸!"));
        assert_eq!(read("nice 😂"), None);
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
            "Who symbolizes the kayaks?",
            "¿A quién le da miedo el agua?",
            "De quoi est-ce que j'ai peur ?",
            "Welche Stadt hat schwester Wohnte?",
            "¿Qué vendí en la partida?",
            "",
        ] {
            assert_eq!(read(asked), asked);
        }
    }
}
