//! Ranges: between two times, since a time, until a time. Each end of a range inherits missing parts from the other.

use jiff::{
    ToSpan,
    civil::{Date, DateTime, Weekday},
};

use super::{Grammar, Reading, count, small};
use crate::{
    calendar::{FIRST_YEAR, Span, Unit, ago, day, days_of, in_week_of, since, weekday_before},
    token::Token,
};

/// The beginning of a range whose week, year or month is only named at the end.
enum Partial {
    Weekday(Weekday),
    Month(i8),
    Day(i8),
}

impl Grammar<'_> {
    fn long_ago() -> Option<DateTime> {
        Some(Date::new(FIRST_YEAR, 1, 1).ok()?.into())
    }

    /// From `from` to the end of today.
    fn until_today(&self, from: DateTime) -> Option<Span> {
        Some(Span { from, until: self.today().tomorrow().ok()?.into() })
    }

    /// "between Monday and Wednesday", "from 3 to 7 May", "Mon-Wed last week", "Nov 3-5".
    pub(crate) fn range(&self, tokens: &[Token]) -> Reading {
        let (first, rest) = tokens.split_first()?;
        let joins = |token: &Token| match first {
            Token::Between => matches!(token, Token::And),
            Token::From | Token::Since => matches!(token, Token::To | Token::Until | Token::Dash),
            Token::Of => matches!(token, Token::To | Token::At | Token::Dash),
            _ => false,
        };
        if *first == Token::Between
            && let Some((length, span)) = self.between_counts(rest)
        {
            return Some((length + 1, span));
        }
        if let Some((length, span)) = self.joined(rest, &joins) {
            return Some((length + 1, span));
        }
        let spaced = self.language.spaced;
        self.joined(tokens, &|token| match token {
            Token::Dash => true,
            Token::To | Token::Until => spaced,
            _ => false,
        })
    }

    /// Two times with a joining word between them.
    fn joined(&self, tokens: &[Token], joins: &dyn Fn(&Token) -> bool) -> Reading {
        let partial = self.partial(tokens).filter(|(length, _)| tokens.get(*length).is_some_and(joins));
        if let Some((length, partial)) = partial {
            let (more, end) = self.end_of_range(tokens.get(length + 1..)?)?;
            let from = begin(&partial, end.from.date())?;
            return Some((length + more + 1, Span { from: from.into(), until: end.until }));
        }
        let (length, begin) = self.time(tokens, true)?;
        tokens.get(length).filter(|token| joins(token))?;
        let (head, rest) = (&tokens[..length], tokens.get(length + 1..)?);
        if let Some((more, span)) = self.within_month(head, begin, rest) {
            return Some((length + more + 1, span));
        }
        let (more, end) = match weekday_in_week(head, begin, rest) {
            Some(read) => read,
            None => self.end_of_range(rest)?,
        };
        let until = end.until;
        (begin.from < until).then_some((length + more + 1, Span { from: begin.from, until }))
    }

    /// "Nov 3-5", "from 3 November to the 5th": the second day is in the month of the first. Returns the number of
    /// tokens after the joining word.
    fn within_month(&self, head: &[Token], begin: Span, rest: &[Token]) -> Reading {
        let dated = |token: &Token| matches!(token, Token::Month(_) | Token::MonthDay(..) | Token::Date(_));
        if days_of(begin) != 1 || !head.iter().any(dated) {
            return None;
        }
        let skipped = rest.iter().take_while(|token| matches!(token, Token::At | Token::The)).count();
        let number = match rest.get(skipped)? {
            Token::Number(number) => small(*number)?,
            Token::Ordinal(number) | Token::Nth(number) => *number,
            _ => return None,
        };
        // "11月2日から5日まで"
        let named =
            usize::from(!self.language.spaced && rest.get(skipped + 1) == Some(&Token::Unit(Unit::Day)));
        let skipped = skipped + named;
        let behind = &rest[skipped + 1..];
        if matches!(behind, [Token::Month(_) | Token::Unit(_), ..] | [Token::Of, Token::Month(_), ..]) {
            return None;
        }
        let first = begin.from.date();
        let (more, year) = self.year(behind).unwrap_or((0, first.year()));
        let last = Date::new(year, first.month(), number).ok()?;
        let from = Date::new(year, first.month(), first.day()).ok()?;
        let until = day(last)?.until;
        (from < last).then_some((skipped + 1 + more, Span { from: from.into(), until }))
    }

    /// "two and three weeks ago", after "between".
    fn between_counts(&self, tokens: &[Token]) -> Reading {
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

    /// Days of the week named before: "between Monday and Wednesday", "from Tuesday on to the Friday".
    pub(crate) fn weekdays_within(&self, tokens: &[Token], week: Span) -> Reading {
        let [Token::Between | Token::From, rest @ ..] = tokens else { return None };
        let (first, begin) = bare_weekday(rest)?;
        let [Token::And | Token::To | Token::Until | Token::Dash, rest @ ..] = rest.get(first..)? else {
            return None;
        };
        let (second, end) = bare_weekday(rest)?;
        let middle = week.from.date().checked_add(3.days()).ok()?;
        let (from, until) = (day(in_week_of(middle, begin)?)?.from, day(in_week_of(middle, end)?)?.until);
        (from < until).then_some((first + second + 2, Span { from, until }))
    }

    /// The end of a range; a weekday alone may be today.
    fn end_of_range(&self, tokens: &[Token]) -> Reading {
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

    /// The beginning of a range if it is incomplete.
    fn partial(&self, tokens: &[Token]) -> Option<(usize, Partial)> {
        let skipped = tokens.iter().take_while(|token| matches!(token, Token::At | Token::The)).count();
        // "Monday 9 - Wednesday 11 November"
        let named = match tokens.get(skipped..)? {
            [Token::Weekday(_) | Token::MaybeWeekday(_), Token::Number(_) | Token::Ordinal(_), ..] => 1,
            _ => 0,
        };
        let skipped = skipped + named;
        let partial = match tokens.get(skipped)? {
            Token::Weekday(named) | Token::MaybeWeekday(named) => Partial::Weekday(*named),
            Token::Month(month) => Partial::Month(*month),
            Token::Number(number) => Partial::Day(small(*number)?),
            Token::Ordinal(number) => Partial::Day(*number),
            _ => return None,
        };
        Some((skipped + 1, partial))
    }

    /// An open range: "since Monday", "after March", "before yesterday"; in Japanese the word comes after the time.
    pub(crate) fn open(&self, tokens: &[Token]) -> Reading {
        let open = |word: &Token, time: Span| match word {
            Token::Since => self.until_today(time.from),
            Token::After => self.until_today(time.until),
            Token::Until => Some(Span { from: Self::long_ago()?, until: time.until }),
            Token::Before | Token::AgoOrBefore => Some(Span { from: Self::long_ago()?, until: time.from }),
            _ => None,
        };
        if !self.language.spaced {
            // "月曜日から水曜日まで"
            if let Some((length, span)) = self.joined(tokens, &|token| *token == Token::Since)
                && matches!(tokens.get(length), Some(Token::Until | Token::Between))
            {
                return Some((length + 1, span));
            }
            let (length, begin) = self.time(tokens, true)?;
            let word = tokens.get(length)?;
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
}

/// A weekday after articles.
fn bare_weekday(tokens: &[Token]) -> Option<(usize, Weekday)> {
    let skipped = tokens.iter().take_while(|token| matches!(token, Token::At | Token::The)).count();
    match tokens.get(skipped)? {
        Token::Weekday(named) | Token::MaybeWeekday(named) => Some((skipped + 1, *named)),
        _ => None,
    }
}

/// The end of "from Monday last week to Wednesday": a day in the week of the beginning.
fn weekday_in_week(head: &[Token], begin: Span, rest: &[Token]) -> Reading {
    if days_of(begin) != 1 || !head.contains(&Token::Unit(Unit::Week)) {
        return None;
    }
    let (length, named) = bare_weekday(rest)?;
    // "to Wednesday last week" names its own week
    let own = rest.get(length..)?.iter().take(4).any(|token| matches!(token, Token::Unit(_) | Token::Last));
    let end = day(in_week_of(begin.from.date(), named)?)?;
    (!own && begin.from < end.from).then_some((length, end))
}

/// The beginning of a range whose last part begins on `end`: the latest matching date before `end`.
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
