//! Weekdays: alone, with a date, or in a week; and units counted within a longer time.

use jiff::{
    ToSpan,
    civil::{Date, Weekday},
};

use super::{Grammar, Reading, joints, small};
use crate::{
    calendar::{Unit, ago, calendar_unit, day, days_of, in_week_of, less, part, span, weekday_before},
    token::Token,
};

impl Grammar<'_> {
    /// "Friday, November 13", "Friday the 13th", "el martes 10 de noviembre": the date wins.
    pub(crate) fn weekday_and_date(&self, tokens: &[Token]) -> Reading {
        let which = usize::from(matches!(tokens.first(), Some(Token::Last | Token::This)));
        let (first, rest) = tokens.get(which..)?.split_first()?;
        let (Token::Weekday(named) | Token::MaybeWeekday(named)) = first else { return None };
        let begun = 1 + which;
        let (before, which) = match rest {
            [Token::Part(which), ..] => (1, Some(*which)),
            _ => (0, None),
        };
        let rest = &rest[before..];
        let skipped = joints(rest);
        let article = skipped > 0 && rest[skipped - 1] == Token::The;
        let (length, date) = self.one_date(&rest[skipped..], article, Some(*named))?;
        let taken = begun + before + skipped + length;
        Some((taken, which.map_or_else(|| day(date), |which| part(which, date))?))
    }

    /// "the week of November 9th", "die Woche vom 9. November", "the weekend of the 14th".
    pub(crate) fn week_of(&self, tokens: &[Token]) -> Reading {
        let [Token::Unit(unit @ (Unit::Week | Unit::Weekend)), rest @ ..] = tokens else { return None };
        let skipped = joints(rest);
        let article = skipped > 0 && rest[skipped - 1] == Token::The;
        let dated = &rest[skipped..];
        let (length, date) = match self.weekday_and_date(dated) {
            _ if skipped == 0 => return None,
            Some((length, time)) => (length, time.from.date()),
            None => self.one_date(dated, article, None)?,
        };
        // "la semaine du 3 au 7 novembre" is the range
        if matches!(dated.get(length), Some(Token::To | Token::Until | Token::Dash)) {
            return None;
        }
        let first = if *unit == Unit::Week { Weekday::Monday } else { Weekday::Saturday };
        let from = in_week_of(date, first)?;
        let days = if *unit == Unit::Week { 7 } else { 2 };
        Some((1 + skipped + length, span(from, from.checked_add(days.days()).ok()?)))
    }

    /// In "Tue 10/11" the weekday decides which number is the day. Returns the date with day and month swapped, if only
    /// that one falls on the weekday.
    fn swapped(&self, tokens: &[Token], date: Date, named: Weekday) -> Option<Date> {
        let swapped = Date::new(date.year(), date.day(), date.month()).ok()?;
        let both = matches!(tokens, [Token::MonthDay(..), ..]) && date.weekday() != named;
        (both && swapped.weekday() == named && swapped <= self.today()).then_some(swapped)
    }

    /// A date, or a day in the latest month in which it has occurred. With `named`, the latest of the last three such
    /// days that fell on this weekday, if any.
    fn one_date(&self, tokens: &[Token], article: bool, named: Option<Weekday>) -> Option<(usize, Date)> {
        if let Some((length, time)) = self.day_and_month(tokens, true) {
            let date = time.from.date();
            return Some((length, named.and_then(|named| self.swapped(tokens, date, named)).unwrap_or(date)));
        }
        let number = match tokens.first()? {
            Token::Ordinal(number) => *number,
            // "Friday the thirteenth"; "the second time" is no date
            Token::Nth(number @ 6..) if article => *number,
            Token::Number(number) if self.language.article_days => small(*number)?,
            _ => return None,
        };
        let counts =
            |token: &Token| matches!(token, Token::Unit(_) | Token::Past | Token::Last | Token::OClock);
        if tokens.get(1).is_some_and(counts) {
            return None;
        }
        let today = self.today();
        let date = |back: i32| {
            let month = calendar_unit(today, Unit::Month, back)?.from.date();
            Date::new(month.year(), month.month(), number).ok().filter(|date| *date <= today)
        };
        let fits = |date: &Date| named.is_none_or(|named| date.weekday() == named);
        let found = (0..=2).filter_map(date).find(fits).or_else(|| (0..=2).find_map(date))?;
        Some((1, found))
    }

    /// "Monday", "last Monday", "the Monday before last", "Monday of last week".
    pub(crate) fn weekday(&self, tokens: &[Token], after_preposition: bool) -> Reading {
        use Token::{Before, BeforeLast, Last, MaybeWeekday, This, Weekday};
        let today = self.today();
        let latest = |named, count| day(weekday_before(today, named, count)?);
        match tokens {
            [This, Weekday(named) | MaybeWeekday(named), ..] => Some((2, day(in_week_of(today, *named)?)?)),
            [BeforeLast, Weekday(named) | MaybeWeekday(named), ..]
            | [Weekday(named) | MaybeWeekday(named), BeforeLast, ..] => Some((2, latest(*named, 2)?)),
            [Weekday(named) | MaybeWeekday(named), Before, Last, ..] => Some((3, latest(*named, 2)?)),
            // "le dernier jeu": where "last" may follow a weekday, its short form after "last" is another word
            [Last, MaybeWeekday(_), ..] if self.language.article_days => None,
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
                let after_preposition = after_preposition && !self.language.article_days;
                let is_unambiguous = after_preposition || matches!(tokens.first(), Some(Weekday(_)));
                is_unambiguous.then_some((1, latest(*named, 1)?))
            }
            _ => None,
        }
    }

    /// "the other day".
    pub(crate) fn other(&self, tokens: &[Token]) -> Reading {
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
    pub(crate) fn within(&self, tokens: &[Token]) -> Reading {
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
