//! Hours of a day: "yesterday at 3pm", "gestern um 15 Uhr", "ayer a las 3 de la tarde".

use jiff::{ToSpan, civil::DateTime};

use super::{Grammar, Reading, joints};
use crate::{
    calendar::{Part, Span, Unit, days_of},
    token::Token,
};

/// The margin in minutes: a conversation "at 3pm" may begin this long before and end this long after the hour.
const AROUND: i64 = 60;

/// An hour and a minute on the clock.
#[derive(Clone, Copy)]
pub(crate) struct Hour(i8, i8);

impl Hour {
    /// The hour with this number, in a part of the day.
    fn of(number: i32, within: Option<Part>) -> Option<Self> {
        let hour = i8::try_from(number).ok().filter(|hour| (0..=24).contains(hour))? % 24;
        let late = matches!(within, Some(Part::Afternoon | Part::Evening | Part::Night));
        Some(Self(if late && hour < 12 { hour + 12 } else { hour }, 0))
    }

    /// The span around this hour on a day.
    pub(crate) fn on(self, time: Span) -> Option<Span> {
        let at: DateTime = time.from.date().at(self.0, self.1, 0, 0);
        let around = AROUND.minutes();
        Some(Span { from: at.checked_sub(around).ok()?, until: at.checked_add(around).ok()? })
    }
}

impl Grammar<'_> {
    /// An hour on the clock, and its number of tokens. The hour is `None` if the number does not tell the half of the
    /// day. `within` is the part of the day named before.
    pub(crate) fn clock(&self, tokens: &[Token], within: Option<Part>) -> Option<(usize, Option<Hour>)> {
        match tokens {
            [Token::Clock(hour, minute), Token::OClock, ..] => Some((2, Some(Hour(*hour, *minute)))),
            [Token::Clock(hour, minute), ..] => Some((1, Some(Hour(*hour, *minute)))),
            [Token::Number(hour), Token::OClock | Token::Unit(Unit::Hour), rest @ ..] => {
                // "il y a 3 heures"
                if rest.first() == Some(&Token::Ago) {
                    return None;
                }
                let (more, within) = match rest.first() {
                    Some(Token::Part(which)) => (1, Some(*which)),
                    _ => (0, within),
                };
                let sure = within.is_some() || *hour > 12;
                Some((2 + more, if sure { Some(Hour::of(*hour, within)?) } else { None }))
            }
            [Token::Number(hour), Token::Part(which), ..] => Some((2, Some(Hour::of(*hour, Some(*which))?))),
            [Token::Part(which), Token::Number(hour), Token::OClock, ..] => {
                Some((3, Some(Hour::of(*hour, Some(*which))?)))
            }
            // "at 4", or before the verb at the end: "um vier gesagt"
            [Token::Number(hour @ 1..=12)] | [Token::Number(hour @ 1..=12), Token::Word] => {
                Some((1, within.and_then(|_| Hour::of(*hour, within))))
            }
            _ => None,
        }
    }

    /// A range of hours on a day: "between 3 and 5pm".
    fn hours(&self, tokens: &[Token], time: Span) -> Reading {
        let [Token::Between | Token::From, first, Token::And | Token::To | Token::Until, rest @ ..] = tokens
        else {
            return None;
        };
        let (more, Some(Hour(last, minute))) = self.clock(rest, None)? else { return None };
        let begin = match first {
            Token::Clock(hour, minute) => Hour(*hour, *minute),
            Token::Number(hour) => {
                let late = last >= 12 && hour + 12 <= i32::from(last);
                Hour::of(*hour, late.then_some(Part::Afternoon))?
            }
            _ => return None,
        };
        let at = |Hour(hour, minute): Hour| time.from.date().at(hour, minute, 0, 0);
        let (from, until) = (at(begin), at(Hour(last, minute)));
        (from < until).then_some((3 + more, Span { from, until }))
    }

    /// An hour after a day.
    pub(crate) fn at_the_hour(&self, tokens: &[Token], length: usize, time: Span) -> Reading {
        let rest = tokens.get(length..)?;
        if let Some((more, hours)) = self.hours(rest, time) {
            return Some((length + more, hours));
        }
        let within = match time.from.hour() {
            _ if time.until.date() != time.from.date() && time.from.hour() == 0 => None,
            0..=11 => Some(Part::Morning),
            _ => Some(Part::Afternoon),
        };
        let skipped = match rest.first()? {
            Token::To => 1,
            _ => joints(rest),
        };
        let (more, hour) = self.clock(&rest[skipped..], within)?;
        let bare = matches!(rest.get(skipped), Some(Token::Number(_)));
        let no_hour = skipped == 0 || (hour.is_none() && rest.first() == Some(&Token::To));
        if bare && no_hour && self.language.spaced {
            return None; // "yesterday 3 …", "Nov 3 to 5"
        }
        Some((length + skipped + more, hour.map_or(Some(time), |hour| hour.on(time))?))
    }

    /// An hour before its day: "3pm on Friday".
    pub(crate) fn hour_of_day(&self, tokens: &[Token]) -> Reading {
        let (length, hour) = self.clock(tokens, None)?;
        let rest = tokens.get(length..)?;
        let skipped = joints(rest);
        let (more, time) = self.time(&rest[skipped..], true)?;
        (days_of(time) == 1)
            .then_some((length + skipped + more, hour.map_or(Some(time), |hour| hour.on(time))?))
    }
}
