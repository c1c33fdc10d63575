//! The grammar of times: from tokens to a stretch of the calendar. It knows no words, so one grammar serves every
//! language; where languages differ in order, both orders are read.
//!
//! ```text
//! range   between TIME and TIME · from TIME to TIME · since, after, before, until TIME
//! time    at, on, the … before it; an edge of it; a part of a day behind it
//! simple  day · last week · two weeks ago · Monday · 7 May · March · summer · 2025 …
//! ```
//! Of several readings the longest counts. A part of a range takes from the other what it lacks: "between Monday
//! and Wednesday last week".

mod dates;

use jiff::{
    ToSpan,
    civil::{Date, DateTime, Weekday},
};

use super::{
    Span,
    calendar::{
        FIRST_YEAR, Unit, ago, calendar_unit, day, days_of, edge, in_week_of, less, part, since, span,
        weekday_before,
    },
    language::Language,
    tokens::Token,
};

/// How many tokens a time takes, and what it means.
pub(super) type Read = Option<(usize, Span)>;

/// A grammar for somebody whose clock shows `now`.
pub(super) struct Grammar<'a> {
    pub(super) now: DateTime,
    pub(super) language: &'a Language,
}

/// The beginning of a range that lacks a week, a year or a month.
enum Partial {
    Weekday(Weekday),
    Month(i8),
    Day(i8),
}

impl Grammar<'_> {
    /// The time some tokens begin with.
    pub(super) fn read(&self, tokens: &[Token]) -> Read {
        let (length, span) =
            self.range(tokens).or_else(|| self.open(tokens)).or_else(|| self.time(tokens, false))?;
        (tokens.get(length) != Some(&Token::Coming)).then_some((length, span))
    }

    fn today(&self) -> Date {
        self.now.date()
    }

    /// From `from` to the end of today.
    fn until_today(&self, from: DateTime) -> Option<Span> {
        Some(Span { from, until: self.today().tomorrow().ok()?.into() })
    }

    fn long_ago() -> Option<DateTime> {
        Some(Date::new(FIRST_YEAR, 1, 1).ok()?.into())
    }

    /// "between Monday and Wednesday", "from 3 to 7 May".
    fn range(&self, tokens: &[Token]) -> Read {
        let (first, rest) = tokens.split_first()?;
        let joins = |token: &Token| match first {
            Token::Between => matches!(token, Token::And),
            Token::From | Token::Since => matches!(token, Token::To | Token::Until),
            Token::Of => matches!(token, Token::To | Token::At),
            _ => false,
        };
        if *first == Token::Between
            && let Some((length, span)) = self.between_counts(rest)
        {
            return Some((length + 1, span));
        }
        let partial = self.partial(rest).filter(|(length, _)| rest.get(*length).is_some_and(joins));
        if let Some((length, partial)) = partial {
            let (more, end) = self.end_of_range(rest.get(length + 1..)?)?;
            let from = begin(&partial, end.from.date())?;
            return Some((length + more + 2, Span { from: from.into(), until: end.until }));
        }
        let (length, begin) = self.time(rest, true)?;
        rest.get(length).filter(|token| joins(token))?;
        let (more, end) = self.end_of_range(rest.get(length + 1..)?)?;
        let until = end.until;
        (begin.from < until).then_some((length + more + 2, Span { from: begin.from, until }))
    }

    /// "two and three weeks ago", behind "between".
    fn between_counts(&self, tokens: &[Token]) -> Read {
        let (first, (least, _)) = count(tokens)?;
        tokens.get(first).filter(|token| **token == Token::And)?;
        let rest = &tokens[first + 1..];
        let (second, (_, most)) = count(rest)?;
        match rest.get(second..)? {
            [Token::Unit(unit), Token::Ago, ..] => {
                Some((first + second + 3, ago(self.now, *unit, (least, most))?))
            }
            _ => None,
        }
    }

    /// The end of a range: a bare weekday may be today.
    fn end_of_range(&self, tokens: &[Token]) -> Read {
        let (length, span) = self.time(tokens, true)?;
        match tokens.get(..length)?.last() {
            Some(Token::Weekday(named) | Token::MaybeWeekday(named))
                if tokens[..length - 1].iter().all(|token| matches!(token, Token::At | Token::The)) =>
            {
                Some((length, day(weekday_before(self.today().tomorrow().ok()?, *named, 1)?)?))
            }
            _ => Some((length, span)),
        }
    }

    /// The beginning of a range that may lack something.
    fn partial(&self, tokens: &[Token]) -> Option<(usize, Partial)> {
        let skipped = tokens.iter().take_while(|token| matches!(token, Token::At | Token::The)).count();
        let day = |number: i32| i8::try_from(number).ok().filter(|day| (1..=31).contains(day));
        let partial = match tokens.get(skipped)? {
            Token::Weekday(named) | Token::MaybeWeekday(named) => Partial::Weekday(*named),
            Token::Month(month) => Partial::Month(*month),
            Token::Number(number) => Partial::Day(day(*number)?),
            Token::Ordinal(number) => Partial::Day(*number),
            _ => return None,
        };
        Some((skipped + 1, partial))
    }

    /// "since Monday", "after March", "before yesterday"; in Japanese the word stands behind.
    fn open(&self, tokens: &[Token]) -> Read {
        let open = |word: &Token, time: Span| match word {
            Token::Since => self.until_today(time.from),
            Token::After => self.until_today(time.until),
            Token::Until => Some(Span { from: Self::long_ago()?, until: time.until }),
            Token::Before | Token::AgoOrBefore => Some(Span { from: Self::long_ago()?, until: time.from }),
            _ => None,
        };
        if !self.language.spaced {
            let (length, begin) = self.time(tokens, true)?;
            let word = tokens.get(length)?;
            let rest = &tokens[length + 1..];
            if *word == Token::Since
                && let Some((more, end)) = self.end_of_range(rest)
                && rest.get(more) == Some(&Token::Until)
                && begin.from < end.until
            {
                return Some((length + more + 2, Span { from: begin.from, until: end.until }));
            }
            return Some((length + 1, open(word, begin)?));
        }
        let (word, rest) = tokens.split_first()?;
        match word {
            Token::Since => {
                if let Some((length, (_, most))) = count(rest)
                    && let Some(Token::Unit(unit)) = rest.get(length)
                    && rest.get(length + 1) != Some(&Token::Ago)
                {
                    return Some((length + 2, since(self.now, *unit, most)?));
                }
            }
            Token::AgoOrBefore => {
                if let Some(found) = self.ago(tokens) {
                    return Some(found);
                }
            }
            Token::After | Token::Until | Token::Before => {}
            _ => return None,
        }
        let (length, time) = self.time(rest, true)?;
        Some((length + 1, open(word, time)?))
    }

    /// A time with what stands before and behind it. `led` where a preposition stands before it, so that "May" is
    /// a month.
    fn time(&self, tokens: &[Token], led: bool) -> Read {
        let (first, rest) = tokens.split_first()?;
        let longer = |read: Read| read.map(|(length, span)| (length + 1, span));
        match first {
            Token::At => return self.rolling(tokens).or_else(|| longer(self.time(rest, true))),
            Token::To if self.language.elision => return longer(self.time(rest, true)),
            Token::The => {
                let led = led || self.language.article_days;
                return match rest.first()? {
                    Token::MaybeWeekday(_) => None, // "in the sun"
                    _ => longer(self.time(rest, led)).or_else(|| self.day_of_month(tokens, led)),
                };
            }
            Token::Edge(which) => {
                let skipped = joints(rest);
                let (length, whole) = self.whole(&rest[skipped..], skipped > 0)?;
                return Some((1 + skipped + length, edge(*which, whole)?));
            }
            _ => {}
        }
        let (length, span) = self.simple(tokens, led)?;
        Some(self.with_part(tokens, length, span).unwrap_or((length, span)))
    }

    /// "in the last week" is what led up to now, where "last week" is the one of the calendar.
    fn rolling(&self, tokens: &[Token]) -> Read {
        match tokens {
            [Token::At, Token::The, Token::Last, Token::Unit(unit), rest @ ..]
                if *unit != Unit::Weekend && rest.first() != Some(&Token::Of) =>
            {
                Some((4, since(self.now, *unit, 1)?))
            }
            _ => None,
        }
    }

    /// What an edge is of: a time, or "the week", which is the present one unless its end has not begun.
    fn whole(&self, tokens: &[Token], joined: bool) -> Read {
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

    /// "yesterday evening", "Monday in the morning", "last week on Tuesday", and in Japanese an edge.
    fn with_part(&self, tokens: &[Token], length: usize, time: Span) -> Read {
        let rest = tokens.get(length..)?;
        let skipped = joints(rest);
        let taken = length + skipped + 1;
        match rest.get(skipped)? {
            Token::Part(which) if days_of(time) == 1 => Some((taken, part(*which, time.from.date())?)),
            Token::Weekday(named) | Token::MaybeWeekday(named) if days_of(time) == 7 => {
                let middle = time.from.date().checked_add(3.days()).ok()?;
                let date = in_week_of(middle, *named)?;
                self.with_part(tokens, taken, day(date)?).or(Some((taken, day(date)?)))
            }
            Token::Edge(which) if !self.language.spaced => Some((taken, edge(*which, time)?)),
            _ => None,
        }
    }

    /// The longest of all readings; the first of several.
    fn simple(&self, tokens: &[Token], led: bool) -> Read {
        let readings = [
            self.days(tokens),
            self.which(tokens, led),
            self.counted(tokens),
            self.ago(tokens),
            self.weekday(tokens, led),
            self.other(tokens),
            self.within(tokens),
            self.date(tokens, led),
            self.day_of_month(tokens, led),
        ];
        readings.into_iter().flatten().rev().max_by_key(|(length, _)| *length)
    }

    /// Today and yesterday, this and that part of a day.
    fn days(&self, tokens: &[Token]) -> Read {
        let today = self.today();
        let days = |count: i32| today.checked_add(count.days()).ok();
        match tokens {
            [Token::Day(offset), ..] => Some((1, day(days(*offset)?)?)),
            [Token::This, Token::Part(which), ..] => Some((2, part(*which, today)?)),
            [Token::Last, Token::Part(which), ..] => Some((2, part(*which, days(-1)?)?)),
            [Token::Part(which), Token::Last, ..] => Some((2, part(*which, days(-1)?)?)),
            [Token::Part(which), Token::Before, Token::Last, ..] => Some((3, part(*which, days(-2)?)?)),
            [Token::Part(which), rest @ ..] => {
                let skipped = usize::from(matches!(rest.first(), Some(Token::Of | Token::At)));
                let (length, time) = self.time(&rest[skipped..], skipped > 0)?;
                (days_of(time) == 1).then_some((1 + skipped + length, part(*which, time.from.date())?))
            }
            [Token::Recently, ..] => Some((1, since(self.now, Unit::Week, 1)?)),
            _ => None,
        }
    }

    /// "last week", "the month before last", "this year".
    fn which(&self, tokens: &[Token], led: bool) -> Read {
        let (taken, unit, back) = match tokens {
            [Token::This, Token::Unit(unit), ..] => (2, *unit, 0),
            [Token::Unit(unit), Token::Before, Token::Last, ..] => (3, *unit, 2),
            [Token::Unit(unit), Token::BeforeLast, ..] | [Token::BeforeLast, Token::Unit(unit), ..] => {
                (2, *unit, 2)
            }
            [Token::Last, Token::Unit(unit), ..] | [Token::Unit(unit), Token::Last, ..] => (2, *unit, 1),
            [Token::Unit(Unit::Weekend), ..] if led || !self.language.spaced => (1, Unit::Weekend, 0),
            _ => return None,
        };
        (unit != Unit::Day).then_some((taken, calendar_unit(self.today(), unit, back)?))
    }

    /// "the last three days", "the past week".
    fn counted(&self, tokens: &[Token]) -> Read {
        match tokens {
            [Token::This, Token::Past, ..] => {
                let (length, span) = self.counted(&tokens[1..])?;
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

    /// "three days ago", "hace tres días", "a week ago today", "two Tuesdays ago".
    fn ago(&self, tokens: &[Token]) -> Read {
        let before = usize::from(matches!(tokens.first()?, Token::Ago | Token::AgoOrBefore));
        let counted = tokens.get(before..)?;
        let (length, count) = count(counted)?;
        let (taken, unit) = match counted.get(length..)? {
            [Token::Unit(unit), ..] if before == 1 => (before + length + 1, unit),
            [Token::Unit(unit), Token::Ago, ..] => (length + 2, unit),
            [Token::Weekdays(named) | Token::Weekday(named), Token::Ago, ..] if count.0 > 1 => {
                return Some((length + 2, day(weekday_before(self.today(), *named, count.1)?)?));
            }
            _ => return None,
        };
        if let Some(Token::Day(offset)) = tokens.get(taken)
            && count.0 == count.1
        {
            let from = self.today().checked_add(offset.days()).ok()?;
            return Some((taken + 1, day(less(from, *unit, count.1)?)?));
        }
        Some((taken, ago(self.now, *unit, count)?))
    }

    /// "Monday", "last Monday", "the Monday before last", "Monday of last week".
    fn weekday(&self, tokens: &[Token], led: bool) -> Read {
        use Token::{Before, BeforeLast, Last, MaybeWeekday, This, Weekday};
        let today = self.today();
        let latest = |named, count| day(weekday_before(today, named, count)?);
        match tokens {
            [This, Weekday(named) | MaybeWeekday(named), ..] => Some((2, day(in_week_of(today, *named)?)?)),
            [BeforeLast, Weekday(named) | MaybeWeekday(named), ..]
            | [Weekday(named) | MaybeWeekday(named), BeforeLast, ..] => Some((2, latest(*named, 2)?)),
            [Weekday(named) | MaybeWeekday(named), Before, Last, ..] => Some((3, latest(*named, 2)?)),
            [Last, Weekday(named) | MaybeWeekday(named), ..] => Some((2, latest(*named, 1)?)),
            [Weekday(named) | MaybeWeekday(named), rest @ ..] => {
                let skipped = joints(rest);
                let week = self.which(&rest[skipped..], false).or_else(|| self.ago(&rest[skipped..]));
                if let Some((length, week)) = week.filter(|(_, time)| days_of(*time) == 7) {
                    let middle = week.from.date().checked_add(3.days()).ok()?;
                    return Some((1 + skipped + length, day(in_week_of(middle, *named)?)?));
                }
                if rest.first() == Some(&Last) {
                    return Some((2, latest(*named, 1)?));
                }
                let sure = led || matches!(tokens.first(), Some(Weekday(_)));
                sure.then_some((1, latest(*named, 1)?))
            }
            _ => None,
        }
    }

    /// "the other day".
    fn other(&self, tokens: &[Token]) -> Read {
        let [Token::Other, what, ..] = tokens else { return None };
        let today = self.today();
        let span = match what {
            Token::Unit(Unit::Day) | Token::Part(_) => span(less(today, Unit::Day, 7)?, today),
            Token::Unit(unit) => ago(self.now, *unit, (1, 3))?,
            Token::Weekday(named) => day(weekday_before(today, *named, 1)?)?,
            _ => return None,
        };
        Some((2, span))
    }

    /// "the first week of March", "the last day of May", "the second Monday in June".
    fn within(&self, tokens: &[Token]) -> Read {
        let (nth, what, rest) = match tokens {
            [Token::Ordinal(nth) | Token::Nth(nth), what, rest @ ..] => (i32::from(*nth), what, rest),
            [Token::Last, what, rest @ ..] => (-1, what, rest),
            _ => return None,
        };
        let skipped = joints(rest);
        if skipped == 0 {
            return None;
        }
        let (length, whole) = self.time(&rest[skipped..], true)?;
        let days = days_of(whole);
        if days < 28 {
            return None;
        }
        let (first, end) = (whole.from.date(), whole.until.date());
        let found = match what {
            Token::Unit(unit @ (Unit::Day | Unit::Week)) => {
                let size = if *unit == Unit::Day { 1 } else { 7 };
                let from = match nth {
                    -1 => end.checked_sub(size.days()).ok()?,
                    _ => first.checked_add(((nth - 1) * size).days()).ok()?,
                };
                span(from, from.checked_add(size.days()).ok()?.min(end))
            }
            Token::Weekday(named) if days <= 31 => {
                day(first.nth_weekday_of_month(nth as i8, *named).ok()?)?
            }
            _ => return None,
        };
        (found.from < found.until).then_some((2 + skipped + length, found))
    }
}

/// Words between two parts of a time that change nothing: "of", "in", "the".
fn joints(tokens: &[Token]) -> usize {
    let joins = |token: &&Token| matches!(token, Token::Of | Token::From | Token::At | Token::The);
    tokens.iter().take(2).take_while(joins).count()
}

/// Where a range begins that ends in a time that begins on `end`: the latest such day before it.
fn begin(partial: &Partial, end: Date) -> Option<Date> {
    match partial {
        Partial::Weekday(named) => weekday_before(end, *named, 1),
        Partial::Month(month) => {
            let years = (0..=1).filter_map(|back| Date::new(end.year() - back, *month, 1).ok());
            years.into_iter().find(|first| *first <= end)
        }
        Partial::Day(number) => {
            let months = (0..=2).filter_map(|back: i32| {
                let month = end.first_of_month().checked_sub(back.months()).ok()?;
                Date::new(month.year(), month.month(), *number).ok()
            });
            months.into_iter().find(|date| *date <= end)
        }
    }
}

/// How many, at least and at most, and how many tokens say so.
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
