//! Time in words: "yesterday", "last week", "on Monday", "in March" as ranges, and whether somebody
//! asks for what was said (JV8). English; pure.
//!
//! People speak of the past here, so a day is the latest one of its name and nothing begins after
//! now. Days begin and end where the person is, whatever the clocks there do that night.

mod phrases;
mod question;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use greenroom_core::Timestamp;
use jiff::{Zoned, civil::DateTime, tz::TimeZone};

pub use question::is_recall_question;

/// What follows these is no time that was: "next Monday", "every Monday", "until Monday". "this Monday"
/// is read as one phrase, or it is still to come.
const NOT_THE_PAST: [&str; 9] = ["next", "every", "each", "until", "till", "by", "coming", "before", "this"];

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
    let here = jiff::Timestamp::from_microsecond(now.0).ok()?.to_zoned(zone.clone());
    let words = split(text);
    let lower: Vec<&str> = words.iter().map(|word| &*word.lower).collect();
    (0..words.len()).find_map(|at| {
        if at > 0 && NOT_THE_PAST.contains(&lower[at - 1]) {
            return None;
        }
        let words_left = &lower[at..];
        let (length, span) = phrases::hours_ago(words_left, here.datetime())
            .or_else(|| phrases::read(words_left, here.date()))?;
        let (from, until) = span.bounded(&here)?;
        let last = words.get(at + length - 1)?;
        Some(TimeRange { from, until, words: text.get(words[at].start..last.end)?.to_owned() })
    })
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

/// A word, in lower case, and where it stands.
struct Word<'a> {
    lower: Cow<'a, str>,
    start: usize,
    end: usize,
}

/// The words of a text: letters and digits, with an apostrophe or a hyphen inside.
fn split(text: &str) -> Vec<Word<'_>> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '\'' | '’');
    let mut words = Vec::with_capacity(text.len() / 5 + 1);
    let mut at = 0;
    for piece in text.split(|c| !is_part(c)) {
        let start = at + (piece.len() - piece.trim_start_matches(|c: char| !c.is_alphanumeric()).len());
        let word = piece.trim_matches(|c: char| !c.is_alphanumeric());
        if !word.is_empty() {
            words.push(Word { lower: lower(word), start, end: start + word.len() });
        }
        at += piece.len();
        at += text[at..].chars().next().map_or(0, char::len_utf8);
    }
    words
}

/// A word in lower case, without `'s`.
fn lower(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return word.strip_suffix("'s").unwrap_or(word).into();
    }
    let mut lower = word.to_lowercase().replace('’', "'");
    if lower.ends_with("'s") {
        lower.truncate(lower.len() - "'s".len());
    }
    lower.into()
}
