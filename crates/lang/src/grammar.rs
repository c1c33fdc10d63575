//! The grammar of times: from tokens to a span of the calendar. It contains no words, so one grammar serves every
//! language; where languages differ in order, it reads both orders.
//!
//! ```text
//! range   between TIME and TIME · from TIME to TIME · since, after, before, until TIME
//! time    at, on, the … before it; an edge of it; a part of a day behind it
//! simple  day · last week · two weeks ago · Monday · 7 May · March · summer · 2025 …
//! ```
//! Of several readings the longest wins. Each end of a range inherits missing parts from the other: "between Monday and
//! Wednesday last week". A date wins over the weekday beside it.

mod clock;
mod dates;
mod ranges;
mod weekdays;

use jiff::{
    ToSpan,
    civil::{Date, DateTime},
};

use crate::{
    calendar::{
        Part, Span, Unit, ago, calendar_unit, day, days_of, edge, halfway, in_week_of, less, part, since,
        weekday_before,
    },
    language::Language,
    token::Token,
};

/// A time at the beginning of some tokens, as its number of tokens and its span; `None` if there is none.
pub(crate) type Reading = Option<(usize, Span)>;

/// The grammar, for a person whose clock shows `now`.
pub(crate) struct Grammar<'a> {
    pub(crate) now: DateTime,
    pub(crate) language: &'a Language,
}

impl Grammar<'_> {
    /// The time at the beginning of some tokens.
    pub(crate) fn read(&self, tokens: &[Token]) -> Reading {
        let (length, span) =
            self.range(tokens).or_else(|| self.open(tokens)).or_else(|| self.time(tokens, false))?;
        (tokens.get(length) != Some(&Token::Coming)).then_some((length, span))
    }

    fn today(&self) -> Date {
        self.now.date()
    }

    /// A time with the words before and after it. After a preposition "May" is a month.
    fn time(&self, tokens: &[Token], after_preposition: bool) -> Reading {
        let (first, rest) = tokens.split_first()?;
        let longer = |read: Reading| read.map(|(length, span)| (length + 1, span));
        match first {
            Token::At => return self.rolling(tokens).or_else(|| longer(self.time(rest, true))),
            Token::To if self.language.elision => return longer(self.time(rest, true)),
            Token::The => {
                let after_preposition = after_preposition || self.language.article_days;
                return match rest.first()? {
                    Token::MaybeWeekday(_) => longer(self.weekday_and_date(rest)), // "in the sun"
                    _ => longer(self.time(rest, after_preposition))
                        .or_else(|| self.day_of_month(tokens, after_preposition)),
                };
            }
            Token::Edge(which) => {
                let skipped = joints(rest);
                let (length, whole) = self.whole(&rest[skipped..], skipped > 0)?;
                return Some((1 + skipped + length, edge(*which, whole)?));
            }
            _ => {}
        }
        let (length, span) = self.simple(tokens, after_preposition)?;
        Some(self.with_part(tokens, length, span).unwrap_or((length, span)))
    }

    /// "in the last week" is the week up to now, whereas "last week" is a calendar week.
    fn rolling(&self, tokens: &[Token]) -> Reading {
        match tokens {
            [Token::At, Token::The, Token::Last, Token::Unit(unit), rest @ ..]
                if *unit != Unit::Weekend && rest.first() != Some(&Token::Of) =>
            {
                Some((4, since(self.now, *unit, 1)?))
            }
            _ => None,
        }
    }

    /// The span to which an edge belongs: a time, or "the week", which is the present week.
    fn whole(&self, tokens: &[Token], joined: bool) -> Reading {
        if let Some((length, span)) = self.time(tokens, true) {
            return Some((length, span));
        }
        match tokens {
            [Token::Unit(unit @ (Unit::Week | Unit::Month | Unit::Quarter | Unit::Year)), ..] if joined => {
                Some((1, calendar_unit(self.today(), *unit, 0)?))
            }
            _ => None,
        }
    }

    /// A time with a more precise part after it: "yesterday evening", "Monday in the morning", "last week on Tuesday";
    /// in Japanese also an edge.
    fn with_part(&self, tokens: &[Token], length: usize, time: Span) -> Reading {
        let rest = tokens.get(length..)?;
        if days_of(time) == 7
            && let Some((more, days)) = self.weekdays_within(rest, time)
        {
            return Some((length + more, days));
        }
        let skipped = joints(rest);
        let taken = length + skipped + 1;
        match rest.get(skipped)? {
            Token::Part(which) if days_of(time) == 1 => {
                // "午後3時" and "yesterday evening at 8"
                let clock = self.clock(&rest[skipped..], None);
                let hour = clock.and_then(|(more, hour)| Some((length + skipped + more, hour?.on(time)?)));
                let whole = part(*which, time.from.date())?;
                hour.or_else(|| self.at_the_hour(tokens, taken, whole)).or(Some((taken, whole)))
            }
            // "2026-11-10 (Tuesday)"
            Token::Weekday(named) if days_of(time) == 1 && time.from.date().weekday() == *named => {
                Some(self.with_part(tokens, taken, time).unwrap_or((taken, time)))
            }
            Token::Weekday(named) | Token::MaybeWeekday(named) if days_of(time) == 7 => {
                // "last week on Tuesday the 17th"
                if let Some((more, time)) = self.weekday_and_date(&rest[skipped..]) {
                    return Some((length + skipped + more, time));
                }
                let middle = time.from.date().checked_add(3.days()).ok()?;
                let date = in_week_of(middle, *named)?;
                self.with_part(tokens, taken, day(date)?).or(Some((taken, day(date)?)))
            }
            Token::Edge(which) if !self.language.spaced => Some((taken, edge(*which, time)?)),
            _ if days_of(time) <= 1 => self.at_the_hour(tokens, length, time),
            _ => None,
        }
    }

    /// The longest of all readings; of equally long ones the first.
    fn simple(&self, tokens: &[Token], after_preposition: bool) -> Reading {
        let readings = [
            self.days(tokens),
            self.which(tokens, after_preposition),
            self.counted(tokens),
            self.ago(tokens),
            self.weekday(tokens, after_preposition),
            self.weekday_and_date(tokens),
            self.week_of(tokens),
            self.hour_of_day(tokens),
            self.other(tokens),
            self.within(tokens),
            self.date(tokens, after_preposition),
            self.day_of_month(tokens, after_preposition),
        ];
        readings.into_iter().flatten().rev().max_by_key(|(length, _)| *length)
    }

    /// Today and yesterday, this and that part of a day.
    fn days(&self, tokens: &[Token]) -> Reading {
        let today = self.today();
        let days = |count: i32| today.checked_add(count.days()).ok();
        match tokens {
            // "yesterday week"
            [Token::Day(offset @ ..=-1), Token::Unit(Unit::Week), ..] => Some((2, day(days(*offset - 7)?)?)),
            [Token::Day(offset), ..] => Some((1, day(days(*offset)?)?)),
            [Token::This, Token::Part(which), ..] => {
                let begun = part(*which, today).filter(|span| span.from <= self.now);
                // a night that has not begun is the previous night: "cette nuit", said in the morning
                let morning = self.now.hour() < 12;
                let night = || part(*which, days(-1)?).filter(|_| *which == Part::Night && morning);
                Some((2, begun.or_else(night).or_else(|| part(*which, today))?))
            }
            [Token::Last, Token::Part(which), ..] => Some((2, part(*which, days(-1)?)?)),
            [Token::Part(which), Token::Last, ..] => Some((2, part(*which, days(-1)?)?)),
            [Token::Part(which), Token::Before, Token::Last, ..] => Some((3, part(*which, days(-2)?)?)),
            [Token::Part(which), rest @ ..] => {
                let skipped = usize::from(matches!(rest.first(), Some(Token::Of | Token::At | Token::From)));
                let (length, time) = self.time(&rest[skipped..], skipped > 0)?;
                (days_of(time) == 1).then_some((1 + skipped + length, part(*which, time.from.date())?))
            }
            [Token::Recently, ..] => Some((1, since(self.now, Unit::Week, 1)?)),
            _ => None,
        }
    }

    /// "last week", "the month before last", "this year".
    fn which(&self, tokens: &[Token], after_preposition: bool) -> Reading {
        let (taken, unit, back) = match tokens {
            [Token::This, Token::Unit(unit), ..] => (2, *unit, 0),
            [Token::Unit(unit), Token::Before, Token::Last, ..] => (3, *unit, 2),
            [Token::Unit(unit), Token::BeforeLast, ..] | [Token::BeforeLast, Token::Unit(unit), ..] => {
                (2, *unit, 2)
            }
            [Token::Last, Token::Unit(unit), ..] | [Token::Unit(unit), Token::Last, ..] => (2, *unit, 1),
            [Token::Unit(Unit::Weekend), ..] if after_preposition || !self.language.spaced => {
                (1, Unit::Weekend, 0)
            }
            _ => return None,
        };
        (unit != Unit::Day).then_some((taken, calendar_unit(self.today(), unit, back)?))
    }

    /// "the last three days", "the past week".
    fn counted(&self, tokens: &[Token]) -> Reading {
        match tokens {
            // "this past week", "ces trois derniers jours", "この三日間"
            [Token::This, rest @ ..] => {
                let up_to_now = || {
                    let (length, (_, most)) = count(rest)?;
                    let Token::Unit(unit) = rest.get(length)? else { return None };
                    (!self.language.spaced).then_some((length + 1, since(self.now, *unit, most)?))
                };
                let (length, span) = self.counted(rest).or_else(up_to_now)?;
                Some((length + 1, span))
            }
            [Token::Past, Token::Unit(Unit::Weekend), ..] => {
                Some((2, calendar_unit(self.today(), Unit::Weekend, 1)?))
            }
            [Token::Past, Token::Unit(unit), ..] => Some((2, since(self.now, *unit, 1)?)),
            [Token::Past | Token::Last, rest @ ..] => {
                let (length, (_, most)) = count(rest)?;
                let Token::Unit(unit) = rest.get(length)? else { return None };
                Some((length + 2, since(self.now, *unit, most)?))
            }
            _ => {
                let (length, (_, most)) = count(tokens)?;
                match tokens.get(length..)? {
                    [Token::Past | Token::Last, Token::Unit(unit), ..] => {
                        Some((length + 2, since(self.now, *unit, most)?))
                    }
                    _ => None,
                }
            }
        }
    }

    /// "three days ago", "hace tres días", "a week ago today", "a week last Tuesday", "two Tuesdays ago".
    fn ago(&self, tokens: &[Token]) -> Reading {
        let before = usize::from(matches!(tokens.first()?, Token::Ago | Token::AgoOrBefore));
        // "heute vor einer Woche", "hoy hace una semana"
        if let Some((from_length, from)) = self.counted_from(tokens)
            && let [Token::Ago | Token::AgoOrBefore, counted @ ..] = tokens.get(from_length..)?
            && let Some((length, (least, most))) = count(counted)
            && let Some(Token::Unit(unit)) = counted.get(length)
            && least == most
        {
            return Some((from_length + length + 2, day(less(from, *unit, most)?)?));
        }
        let counted = tokens.get(before..)?;
        let (length, count) = count(counted)?;
        let (taken, unit, half) = match counted.get(length..)? {
            [Token::Weekdays(named) | Token::Weekday(named), Token::Ago, ..] if count.0 > 1 => {
                return Some((length + 2, day(weekday_before(self.today(), *named, count.1)?)?));
            }
            // "one and a half weeks", "a week and a half"
            [Token::AndHalf, Token::Unit(unit), ..] | [Token::Unit(unit), Token::AndHalf, ..] => {
                (length + 2, unit, true)
            }
            [Token::Unit(unit), ..] => (length + 1, unit, false),
            _ => return None,
        };
        let rest = &counted[taken..];
        let said = before == 1 || rest.first() == Some(&Token::Ago);
        let taken = before + taken + usize::from(before == 0 && said);
        let whole = matches!(unit, Unit::Week | Unit::Fortnight);
        if count.0 == count.1
            && !half
            && let Some((more, from)) = tokens.get(taken..).and_then(|rest| self.counted_from(rest))
            && (said || (whole && from < self.today()))
        {
            return Some((taken + more, day(less(from, *unit, count.1)?)?));
        }
        if !said {
            return None;
        }
        let time = ago(self.now, *unit, count)?;
        if !half {
            return Some((taken, time));
        }
        Some((taken, halfway(time, ago(self.now, *unit, (count.0 + 1, count.1 + 1))?)?))
    }

    /// The day from which is counted: "today", "last Tuesday".
    fn counted_from(&self, tokens: &[Token]) -> Option<(usize, Date)> {
        match tokens {
            [Token::Day(offset), ..] => Some((1, self.today().checked_add(offset.days()).ok()?)),
            [Token::Last, Token::Weekday(named) | Token::MaybeWeekday(named), ..]
            | [Token::Weekday(named) | Token::MaybeWeekday(named), Token::Last, ..] => {
                Some((2, weekday_before(self.today(), *named, 1)?))
            }
            _ => None,
        }
    }
}

/// The number of joining words between two parts of a time: "of", "in", "the".
fn joints(tokens: &[Token]) -> usize {
    let joins = |token: &&Token| matches!(token, Token::Of | Token::From | Token::At | Token::The);
    tokens.iter().take(2).take_while(joins).count()
}

/// The number of tokens of a count, with its minimum and maximum value.
fn count(tokens: &[Token]) -> Option<(usize, (i32, i32))> {
    let one = |token: &Token| match token {
        Token::Number(number) => Some((*number, *number)),
        Token::Couple => Some((2, 3)),
        Token::Few => Some((2, 6)),
        _ => None,
    };
    let first = one(tokens.first()?)?;
    match tokens {
        [_, Token::Or, second, ..] if one(second).is_some() => Some((3, (first.0, one(second)?.1))),
        _ => Some((1, first)),
    }
}

/// The number as a day of a month, if it can be one.
fn small(number: i32) -> Option<i8> {
    i8::try_from(number).ok().filter(|number| (1..=31).contains(number))
}
