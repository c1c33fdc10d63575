//! Time in words: "yesterday", "last week", "on Monday", "in March" as ranges, and whether somebody
//! asks for what was said (JV8). English, German, Spanish, French and Japanese; pure.
//!
//! ```text
//! text ── language.rs  the language most of whose words it holds
//!      ── tokens.rs    what its words mean for time, by the table of the language
//!      ── grammar.rs   what these mean together, for all languages
//!      ── calendar.rs  as a stretch of the calendar
//! ```
//! People speak of the past here, so a day is the latest one of its name and nothing begins after
//! now. Days begin and end where the person is, whatever the clocks there do that night. In `3/4` the month comes
//! first in English and Japanese and the day in the others, unless only the other order is a date.

mod calendar;
mod grammar;
mod language;
mod question;
#[cfg(test)]
mod tests;
mod tokens;

use std::borrow::Cow;

use greenroom_core::Timestamp;
use jiff::{Zoned, civil::DateTime, tz::TimeZone};

use grammar::Grammar;
use language::Language;
pub(crate) use language::fold;
use tokens::{Token, tokens_of};

pub use question::is_recall_question;

/// Words of a text that are read for a time, from its beginning.
const READ: usize = 300;

/// A time somebody spoke of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeRange {
    /// From this moment on.
    pub from: Timestamp,
    /// Up to this moment, which is no part of it; at the latest the end of today.
    pub until: Timestamp,
    /// The words that say so, as they stand in the text.
    pub words: String,
}

/// The first time `text` speaks of, for somebody in `zone` at `now`; `None` when it speaks of none, or
/// of one that has not begun.
///
/// ```
/// use greenroom_core::Timestamp;
/// use greenroom_memory::{TimeZone, time_range};
///
/// let now = Timestamp(1_795_219_200_000_000); // 21 November 2026
/// let asked = time_range("What did we discuss yesterday?", now, &TimeZone::UTC).unwrap();
/// assert_eq!(asked.words, "yesterday");
/// assert_eq!(asked.until, now);
/// ```
pub fn time_range(text: &str, now: Timestamp, zone: &TimeZone) -> Option<TimeRange> {
    let words = split(text);
    range_in(text, &words, Language::of(text, &words), now, zone)
}

/// The same of a text whose words and language are known.
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
        // "next Monday"; "this Monday" is read as a whole or not at all
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
        at += length; // it lies ahead, as a whole
    }
    None
}

/// A text that may ask for what was said.
pub(crate) struct Asking<'a> {
    text: &'a str,
    words: Vec<Word<'a>>,
    language: &'static Language,
}

impl<'a> Asking<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let words = split(text);
        let language = Language::of(text, &words);
        Self { text, words, language }
    }

    /// See [`is_recall_question`].
    pub(crate) fn asks(&self) -> bool {
        question::asks(self.text, &self.words, self.language)
    }

    /// See [`time_range`].
    pub(crate) fn time(&self, now: Timestamp, zone: &TimeZone) -> Option<TimeRange> {
        range_in(self.text, &self.words, self.language, now, zone)
    }

    /// Whether the text is one whose words the index knows by their stems.
    pub(crate) fn is_english(&self) -> bool {
        self.language.is_english()
    }

    /// A part of the text without the words before what is asked that say nothing: "I would like to know".
    pub(crate) fn without_lead(&self, rest: &str) -> String {
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

    /// Whether a part of the text says nothing but that something was said.
    pub(crate) fn only_asks(&self, rest: &str) -> bool {
        self.language.only_asks(rest, &split(rest))
    }
}

/// A time by the calendar on the wall: from one moment up to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    from: DateTime,
    until: DateTime,
}

impl Span {
    /// The moments it means in the zone of `here`, if it has begun: up to the end of the day at most.
    fn bounded(self, here: &Zoned) -> Option<(Timestamp, Timestamp)> {
        let moment = |wall: DateTime| {
            let zoned = wall.to_zoned(here.time_zone().clone()).ok()?;
            Some(Timestamp(zoned.timestamp().as_microsecond()))
        };
        let now = Timestamp(here.timestamp().as_microsecond());
        let tomorrow = moment(here.date().tomorrow().ok()?.into())?;
        let (from, until) = (moment(self.from)?, moment(self.until)?.min(tomorrow));
        (from <= now && from < until).then_some((from, until))
    }
}

/// A word in lower case without accents, and where it stands.
struct Word<'a> {
    folded: Cow<'a, str>,
    start: usize,
    end: usize,
}

/// The words of a text: letters and digits, with an apostrophe inside. In a word that begins with a digit dots,
/// strokes, hyphens and colons before another digit are parts of it, as in a date.
fn split(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::with_capacity(text.len() / 5 + 1);
    let mut chars = text.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        if !first.is_alphanumeric() {
            continue;
        }
        let mut end = start + first.len_utf8();
        while let Some((at, c)) = chars.peek().copied() {
            let next = text[at + c.len_utf8()..].chars().next();
            let inside = match c {
                '\'' | '’' => next.is_some_and(char::is_alphanumeric),
                '.' | '/' | '-' | ':' => {
                    first.is_ascii_digit() && next.is_some_and(|next| next.is_ascii_digit())
                }
                c => c.is_alphanumeric(),
            };
            if !inside {
                break;
            }
            end = at + c.len_utf8();
            chars.next();
        }
        words.push(Word { folded: folded(&text[start..end]), start, end });
    }
    words
}

/// A word in lower case and without accents, without `'s`.
fn folded(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return word.strip_suffix("'s").unwrap_or(word).into();
    }
    let mut lower = fold(&word.to_lowercase());
    if lower.ends_with("'s") {
        lower.truncate(lower.len() - "'s".len());
    }
    lower.into()
}
