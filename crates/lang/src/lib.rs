//! Analysis of texts in English, German, Spanish, French and Japanese, by rules and word lists. The functions are pure.
//! The memory and index crates call them for:
//!
//! - time ranges (JV8): "yesterday", "last week", "on Monday", "in March"
//! - questions about what was said, and requests to remember
//! - facts that people tell about themselves (MP6)
//! - stop words (MP4), and the persons that a text refers to (MP1)
//!
//! A time is read in these steps:
//! ```text
//! text ── languages.rs  detects the language: the one that knows most of the words
//!      ── tokens.rs     the time meaning of each word, by the tables of the language
//!      ── grammar.rs    the meaning of all tokens together, the same for all languages
//!      ── calendar.rs   the meaning as a span of the calendar
//! ```
//! The texts ask about the past. A weekday or date is therefore the latest one of its name, and no range begins after
//! now. Days begin and end in the person's time zone, daylight saving included. In `3/4` the month comes first in
//! English and Japanese, and the day in the other languages, unless only the other order is a date.

mod address;
mod asking;
mod calendar;
mod contrast;
mod emoji;
mod ending;
mod first_words;
mod grammar;
mod greeting;
mod language;
mod languages;
mod lexicon;
mod nicknames;
mod oneself;
mod pattern;
mod permission;
mod phrases;
mod question;
mod requests;
mod speech;
mod stop_words;
mod supposed;
#[cfg(test)]
mod tests;
mod text;
mod token;
mod tokens;
mod unwanted;

use greenroom_core::Timestamp;
use jiff::tz::TimeZone;

use grammar::Grammar;
use language::Language;
use languages::language_of;
use text::{Word, split};
use token::Token;
use tokens::tokens_of;

pub use address::{Addressees, without_mentions};
pub use asking::only_asks_or_requests;
pub use contrast::{Contrast, contrast};
pub use emoji::emoji_words;
pub use ending::{ends_what, tells_ending};
pub use nicknames::nicknames_of;
pub use oneself::{
    OwnFact, before_other_text, denied_facts, lasting_part, own_facts, replaces_fact, words_of_facts,
};
pub use permission::{Parts, Permission, asks_to_tell, may_retract, permission};
pub use question::is_recall_question;
pub use requests::request_to_remember;
pub use speech::{
    asks_name, asks_when, japanese_telling_words, pronouns, refers_back, reports_speech, speaks_of_oneself,
};
pub use stop_words::{WordList, is_stop_word, stop_words_of};
pub use supposed::is_supposition;
pub use text::fold;
pub use unwanted::asks_not_to_remember;

/// How many words from the beginning of a text are searched for a time.
const READ: usize = 300;

/// A time that a text refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeRange {
    /// The beginning, inclusive.
    pub from: Timestamp,
    /// The end, exclusive; at the latest the end of today.
    pub until: Timestamp,
    /// The words of the text that name the time.
    pub words: String,
}

/// The first time in `text`, for a person in `zone` at `now`. `None` if there is none, or if it has not begun.
///
/// ```
/// use greenroom_core::Timestamp;
/// use greenroom_lang::time_range;
/// use jiff::tz::TimeZone;
///
/// let now = Timestamp(1_795_219_200_000_000); // 21 November 2026
/// let asked = time_range("What did we discuss yesterday?", now, &TimeZone::UTC).unwrap();
/// assert_eq!(asked.words, "yesterday");
/// assert_eq!(asked.until, now);
/// ```
pub fn time_range(text: &str, now: Timestamp, zone: &TimeZone) -> Option<TimeRange> {
    let words = split(text);
    range_in(text, &words, language_of(text, &words), now, zone)
}

/// Whether most of a text's known words are English.
pub fn is_english(text: &str) -> bool {
    language_of(text, &split(text)).is_english()
}

/// Like [`time_range`], for a text whose words and language are known.
fn range_in(
    text: &str,
    words: &[Word<'_>],
    language: &Language,
    now: Timestamp,
    zone: &TimeZone,
) -> Option<TimeRange> {
    let here = jiff::Timestamp::from_microsecond(now.0).ok()?.to_zoned(zone.clone());
    let lexed = tokens_of(text, &words[..words.len().min(READ)], language);
    let tokens: Vec<Token> = lexed.iter().map(|lexed| lexed.token).collect();
    let grammar = Grammar { now: here.datetime(), language };
    let mut at = 0;
    while at < tokens.len() {
        // skips "next Monday"; "this Monday" is read as a whole or not at all
        let before = at.checked_sub(1).map(|before| tokens[before]);
        let read = match before {
            Some(Token::NotPast | Token::Coming | Token::This) => None,
            _ => grammar.read(&tokens[at..]),
        };
        let Some((length, span)) = read else {
            at += 1;
            continue;
        };
        let last = lexed.get(at + length - 1)?;
        if let Some((from, until)) = span.bounded(&here) {
            let words = text.get(lexed[at].start..last.end)?.to_owned();
            return Some(TimeRange { from, until, words });
        }
        at += length; // all of it is in the future
    }
    None
}

/// A text with its words and its language.
pub struct Utterance<'a> {
    text: &'a str,
    words: Vec<Word<'a>>,
    language: &'static Language,
}

impl<'a> Utterance<'a> {
    /// Splits a text into words and detects its language.
    pub fn of(text: &'a str) -> Self {
        let words = split(text);
        let language = language_of(text, &words);
        Self { text, words, language }
    }

    /// See [`is_recall_question`].
    pub fn is_recall_question(&self) -> bool {
        question::asks(self.text, &self.words, self.language)
    }

    /// See [`time_range`].
    pub fn time_range(&self, now: Timestamp, zone: &TimeZone) -> Option<TimeRange> {
        range_in(self.text, &self.words, self.language, now, zone)
    }

    /// Whether the text is English. The index stems English words only.
    pub fn is_english(&self) -> bool {
        self.language.is_english()
    }

    /// A part of the text without words that only introduce the question, such as "I would like to know".
    pub fn without_lead(&self, rest: &str) -> String {
        let words = split(rest);
        let (lead, asked) = words.split_at(self.language.lead(&words));
        let says = |(at, word): &(usize, &Word<'_>)| {
            !self.language.leads(&word.folded) && !language::is_addressed(&words, *at)
        };
        let kept = lead.iter().enumerate().filter(says).map(|(_, word)| word);
        let begin = asked.first().map_or(rest.len(), |word| word.start);
        let kept: Vec<&str> = kept.map(|word| &rest[word.start..word.end]).chain([&rest[begin..]]).collect();
        kept.join(" ")
    }

    /// Whether a part of the text contains only words of questions about what was said.
    pub fn only_asks(&self, rest: &str) -> bool {
        self.language.only_asks(rest, &split(rest))
    }
}
