//! Dates, months, seasons, quarters, holidays and years. Without a year, the latest one that has begun counts.

use jiff::{ToSpan, civil::Date};

use super::{Grammar, Reading, joints, small};
use crate::{
    calendar::{Span, Unit, calendar_unit, day, days_of, months_from, span, whole_year},
    token::Token,
};

/// How many years back a date is searched: leap days may be eight years apart.
const YEARS: i16 = 8;

/// The year of a date that names none.
#[derive(Clone, Copy, PartialEq)]
enum YearChoice {
    /// The latest one that has begun.
    Latest,
    /// The latest one that is over.
    Last,
    /// The one of this year.
    ThisYear,
    Year(i16),
}

impl Grammar<'_> {
    /// "7 May", "on 11/17", "in March", "last summer", "Q3 2025", "in 2025".
    pub(crate) fn date(&self, tokens: &[Token], after_preposition: bool) -> Reading {
        let year_first = self.year_first(tokens);
        let candidates = [
            self.day_and_month(tokens, after_preposition),
            year_first,
            match tokens {
                [Token::Last, rest @ ..] => {
                    self.month_season_or_holiday(rest, true, YearChoice::Last).map(|(n, span)| (n + 1, span))
                }
                [Token::This, rest @ ..] => self
                    .month_season_or_holiday(rest, true, YearChoice::ThisYear)
                    .map(|(n, span)| (n + 1, span)),
                _ => self.month_season_or_holiday(tokens, after_preposition, YearChoice::Latest),
            },
            self.bare_year(tokens, after_preposition),
        ];
        candidates.into_iter().flatten().max_by_key(|(length, _)| *length)
    }

    /// "2026-05-07", "7 May", "7th of May 2025", "May 7th", "5月7日".
    pub(crate) fn day_and_month(&self, tokens: &[Token], after_preposition: bool) -> Reading {
        let (taken, month, number, is_unambiguous) = match tokens {
            [Token::Date(date), ..] => return Some((1, day(*date)?)),
            [Token::MonthDay(month, number), rest @ ..]
                if after_preposition || (!self.language.spaced && rest.first() == Some(&Token::At)) =>
            {
                (1, *month, *number, true)
            }
            [Token::Ordinal(number) | Token::Nth(number), Token::Of, Token::Month(month), ..] => {
                (3, *month, *number, true)
            }
            [Token::Ordinal(number) | Token::Nth(number), Token::Month(month), ..] => {
                (2, *month, *number, true)
            }
            [Token::Month(month), Token::The, Token::Ordinal(number) | Token::Nth(number), ..] => {
                (3, *month, *number, true)
            }
            [Token::Month(month), Token::Ordinal(number), ..] => (2, *month, *number, true),
            [Token::Number(number), Token::Of, Token::Month(month), ..] => (3, *month, small(*number)?, true),
            [Token::Month(month), Token::Number(number), Token::Unit(Unit::Day), ..]
                if !self.language.spaced =>
            {
                (3, *month, small(*number)?, true)
            }
            [Token::Number(number), Token::Month(month), ..]
            | [Token::Month(month), Token::Number(number), ..] => (2, *month, small(*number)?, false),
            _ => return None,
        };
        // "those 7 may come" contains no date
        if !(after_preposition || is_unambiguous) && matches!(month, 3 | 5) {
            return None;
        }
        let (more, when) = self.year_of(&tokens[taken..]);
        let today = self.now.date();
        let found = self.occurrence(when, |year| day(Date::new(year, month, number).ok()?), today)?;
        Some((taken + more, found))
    }

    /// A month, a season, a quarter or a holiday, with its year if there is one.
    fn month_season_or_holiday(
        &self,
        tokens: &[Token],
        after_preposition: bool,
        when: YearChoice,
    ) -> Reading {
        let (taken, of): (usize, Box<dyn Fn(i16) -> Option<Span>>) = match tokens {
            [Token::Month(month), ..] => {
                let month = *month;
                (1, Box::new(move |year| months_from(year, month, 1)))
            }
            [Token::Season(month), ..] => {
                let month = *month;
                (1, Box::new(move |year| months_from(year, month, 3)))
            }
            [Token::Quarter(quarter), ..] => {
                let month = 3 * *quarter - 2;
                (1, Box::new(move |year| months_from(year, month, 3)))
            }
            [
                Token::Ordinal(quarter @ 1..=4) | Token::Nth(quarter @ 1..=4),
                Token::Unit(Unit::Quarter),
                ..,
            ] => {
                let month = 3 * *quarter - 2;
                (2, Box::new(move |year| months_from(year, month, 3)))
            }
            [Token::Holiday(month, number, days), ..] => {
                let (month, number, days) = (*month, *number, i32::from(*days));
                (
                    1,
                    Box::new(move |year| {
                        let first = Date::new(year, month, number).ok()?;
                        Some(span(first, first.checked_add(days.days()).ok()?))
                    }),
                )
            }
            _ => return None,
        };
        let (mut more, mut of_year) = match when {
            YearChoice::Latest => self.year_of(&tokens[taken..]),
            other => (0, other),
        };
        if of_year == YearChoice::Latest && tokens.get(taken) == Some(&Token::Last) {
            (more, of_year) = (1, YearChoice::Last); // "el verano pasado"
        }
        if of_year == YearChoice::Latest && !after_preposition && self.language.spaced {
            return None;
        }
        let today = self.now.date();
        Some((taken + more, self.occurrence(of_year, of, today)?))
    }

    /// The occurrence of a recurring span that the text refers to. With "last" it must be over; otherwise it may still
    /// be going on.
    fn occurrence(&self, when: YearChoice, of: impl Fn(i16) -> Option<Span>, today: Date) -> Option<Span> {
        let latest = |fits: &dyn Fn(&Span) -> bool| {
            (0..=YEARS).filter_map(|back| of(today.year() - back)).find(|span| fits(span))
        };
        match when {
            YearChoice::Latest => latest(&|span| span.from.date() <= today),
            YearChoice::Last => latest(&|span| span.until.date() <= today),
            YearChoice::ThisYear => of(today.year()),
            YearChoice::Year(year) => of(year),
        }
    }

    /// A year right after a date ("2025", "of last year", "l'année dernière"), and its number of tokens.
    fn year_of(&self, tokens: &[Token]) -> (usize, YearChoice) {
        let skipped = joints(tokens);
        match self.year(&tokens[skipped..]) {
            Some((length, year)) => (skipped + length, YearChoice::Year(year)),
            None => (0, YearChoice::Latest),
        }
    }

    pub(crate) fn year(&self, tokens: &[Token]) -> Option<(usize, i16)> {
        let this = self.now.date().year();
        let year = Token::Unit(Unit::Year);
        match tokens {
            [Token::Year(number), rest @ ..] => {
                // 2025年
                let more = usize::from(!self.language.spaced && rest.first() == Some(&year));
                Some((1 + more, *number))
            }
            [Token::Unit(Unit::Year), Token::Year(number), ..] => Some((2, *number)),
            [Token::Last, unit, ..] | [unit, Token::Last, ..] if *unit == year => Some((2, this - 1)),
            [Token::This, unit, ..] if *unit == year => Some((2, this)),
            [Token::BeforeLast, unit, ..] | [unit, Token::BeforeLast, ..] if *unit == year => {
                Some((2, this - 2))
            }
            _ => None,
        }
    }

    /// "去年の3月", "2025年3月7日": the year comes before the month or date.
    fn year_first(&self, tokens: &[Token]) -> Reading {
        if self.language.spaced {
            return None;
        }
        let (length, year) = self.year(tokens)?;
        let rest = &tokens[length..];
        let skipped = joints(rest);
        let rest = &rest[skipped..];
        let dated = match rest {
            [Token::Month(month), Token::Number(number), Token::Unit(Unit::Day), ..] => {
                Some((3, day(Date::new(year, *month, small(*number)?).ok()?)?))
            }
            _ => None,
        };
        let (more, span) =
            dated.or_else(|| self.month_season_or_holiday(rest, true, YearChoice::Year(year)))?;
        Some((length + skipped + more, span))
    }

    /// A year alone: "in 2025", "2025年". A future year is no time.
    fn bare_year(&self, tokens: &[Token], after_preposition: bool) -> Reading {
        let (length, year) = self.year(tokens)?;
        let is_unambiguous = after_preposition || length > 1;
        (is_unambiguous && year <= self.now.date().year()).then_some((length, whole_year(year)?))
    }

    /// A day without its month: "on the 20th", "am 20.", "el 20". It is the latest one.
    pub(crate) fn day_of_month(&self, tokens: &[Token], after_preposition: bool) -> Reading {
        let article = self.language.article_days;
        // "先月の9日"
        if let Some((length, month)) = self.which(tokens, false).filter(|(_, time)| days_of(*time) >= 28)
            && let [Token::Of, Token::Number(number), Token::Unit(Unit::Day), ..] = &tokens[length..]
            && !self.language.spaced
        {
            return Some((length + 3, day_of(month, small(*number)?)?));
        }
        let (taken, number) = match tokens {
            // "15日に", "15日から"
            [
                Token::Number(number),
                Token::Unit(Unit::Day),
                Token::At | Token::Of | Token::Since | Token::Until,
                ..,
            ] if !self.language.spaced => (2, small(*number)?),
            [Token::The, Token::Ordinal(number), ..] if after_preposition => (2, *number),
            [Token::Ordinal(number), ..] if after_preposition && self.language.dotted_ordinals => {
                (1, *number)
            }
            [Token::The, Token::Number(number), rest @ ..]
                if article && !matches!(rest.first(), Some(Token::Unit(_) | Token::Past | Token::Last)) =>
            {
                (2, small(*number)?)
            }
            [Token::Unit(Unit::Day), Token::Number(number), ..] if article => (2, small(*number)?),
            _ => return None,
        };
        let today = self.now.date();
        // "on the 9th of last month"
        let skipped = joints(&tokens[taken..]);
        let month = self
            .which(&tokens[taken + skipped..], false)
            .filter(|(_, time)| (28..=31).contains(&days_of(*time)));
        if let Some((length, month)) = month.filter(|_| skipped > 0) {
            return Some((taken + skipped + length, day_of(month, number)?));
        }
        let dates = (0..=2).filter_map(|back: i32| {
            let month = calendar_unit(today, Unit::Month, back)?.from.date();
            Date::new(month.year(), month.month(), number).ok()
        });
        Some((taken, day(dates.into_iter().find(|date| *date <= today)?)?))
    }
}

/// A day of a month.
fn day_of(month: Span, number: i8) -> Option<Span> {
    let first = month.from.date();
    day(Date::new(first.year(), first.month(), number).ok()?)
}
