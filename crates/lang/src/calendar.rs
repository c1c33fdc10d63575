//! Spans of the calendar: days, parts of days, weeks, months, quarters, years, weekends. The grammar computes with
//! them.

use greenroom_core::Timestamp;
use jiff::{
    Span as Duration, ToSpan, Zoned,
    civil::{Date, DateTime, Time, Weekday},
};

/// The first year to which a text can refer; "before Monday" begins here.
pub(crate) const FIRST_YEAR: i16 = 1970;
/// The last year a text may name.
pub(crate) const LAST_YEAR: i16 = 9_998;

/// A unit in which people count time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Minute,
    Hour,
    Day,
    Week,
    Fortnight,
    Weekend,
    Month,
    Quarter,
    Year,
}

impl Unit {
    pub(crate) const ALL: [Unit; 9] = [
        Unit::Minute,
        Unit::Hour,
        Unit::Day,
        Unit::Week,
        Unit::Fortnight,
        Unit::Weekend,
        Unit::Month,
        Unit::Quarter,
        Unit::Year,
    ];
}

/// A part of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Morning,
    Afternoon,
    Evening,
    Night,
}

impl Part {
    pub(crate) const ALL: [Part; 4] = [Part::Morning, Part::Afternoon, Part::Evening, Part::Night];
}

/// A part of a longer time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edge {
    Beginning,
    Middle,
    End,
    FirstHalf,
    SecondHalf,
}

impl Edge {
    pub(crate) const ALL: [Edge; 5] =
        [Edge::Beginning, Edge::Middle, Edge::End, Edge::FirstHalf, Edge::SecondHalf];
}

/// A span of local time: `from` inclusive, `until` exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) from: DateTime,
    pub(crate) until: DateTime,
}

impl Span {
    /// The span as timestamps in the zone of `here`, cut at the end of today. `None` if it has not begun.
    pub(crate) fn bounded(self, here: &Zoned) -> Option<(Timestamp, Timestamp)> {
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

pub(crate) fn span(from: Date, until: Date) -> Span {
    Span { from: from.into(), until: until.into() }
}

pub(crate) fn day(date: Date) -> Option<Span> {
    Some(span(date, date.tomorrow().ok()?))
}

/// A part of a day; a night ends in the next morning.
pub(crate) fn part(part: Part, date: Date) -> Option<Span> {
    let tomorrow = date.tomorrow().ok()?;
    let hour = |hour: i8| date.at(hour, 0, 0, 0);
    let (from, until): (DateTime, DateTime) = match part {
        Part::Morning => (hour(0), hour(12)),
        Part::Afternoon => (hour(12), hour(18)),
        Part::Evening => (hour(17), tomorrow.into()),
        Part::Night => (hour(18), tomorrow.at(6, 0, 0, 0)),
    };
    Some(Span { from, until })
}

/// A third or a half of a span. A week's beginning is Monday and Tuesday, and its end Friday to Sunday. A day's
/// beginning is the morning, and its end the evening.
pub(crate) fn edge(edge: Edge, whole: Span) -> Option<Span> {
    let (first, days) = (whole.from.date(), days_of(whole));
    let cut = match (edge, days) {
        (_, ..=0) => return None,
        (Edge::Beginning | Edge::FirstHalf, 1) => return part(Part::Morning, first),
        (Edge::End | Edge::SecondHalf, 1) => return part(Part::Evening, first),
        (Edge::Middle, 1) => return part(Part::Afternoon, first),
        (Edge::Beginning, 7) => (0, 2),
        (Edge::Middle, 7) => (2, 4),
        (Edge::End, 7) => (4, 7),
        (Edge::Beginning, 28..=31) => (0, 10),
        (Edge::Middle, 28..=31) => (10, 20),
        (Edge::End, 28..=31) => (20, days),
        (Edge::Beginning, _) => (0, days / 3),
        (Edge::Middle, _) => (days / 3, days * 2 / 3),
        (Edge::End, _) => (days * 2 / 3, days),
        (Edge::FirstHalf, _) => (0, (days + 1) / 2),
        (Edge::SecondHalf, _) => (days / 2, days),
    };
    Some(span(plus(first, cut.0)?, plus(first, cut.1)?))
}

pub(crate) fn days_of(span: Span) -> i32 {
    (span.until.date() - span.from.date()).get_days()
}

fn plus(date: Date, days: i32) -> Option<Date> {
    date.checked_add(days.days()).ok()
}

/// `count` units as a duration.
fn units(unit: Unit, count: i32) -> Duration {
    match unit {
        Unit::Minute => count.minutes(),
        Unit::Hour => count.hours(),
        Unit::Day => count.days(),
        Unit::Week | Unit::Weekend => count.weeks(),
        Unit::Fortnight => (count * 2).weeks(),
        Unit::Month => count.months(),
        Unit::Quarter => (count * 3).months(),
        Unit::Year => count.years(),
    }
}

/// The date `count` units before `date`.
pub(crate) fn less(date: Date, unit: Unit, count: i32) -> Option<Date> {
    date.checked_sub(units(unit, count)).ok()
}

/// The span of "`count` units ago", with a margin that depends on the unit: three days for weeks, half an hour for
/// hours. For minutes the margin is the count itself: "ten minutes ago" is give or take ten.
pub(crate) fn ago(now: DateTime, unit: Unit, (least, most): (i32, i32)) -> Option<Span> {
    let today = now.date();
    let slack = match unit {
        Unit::Minute | Unit::Hour => {
            let slack = if unit == Unit::Hour { 30 } else { most }.minutes();
            let back = |count| now.checked_sub(units(unit, count)).ok();
            let from = back(most)?.checked_sub(slack).ok()?;
            return Some(Span { from, until: back(least)?.checked_add(slack).ok()?.min(now) });
        }
        Unit::Weekend => {
            let last = weekend(today, most)?;
            return Some(Span { until: weekend(today, least)?.until, ..last });
        }
        Unit::Day => 0,
        Unit::Week | Unit::Fortnight => 3,
        Unit::Month => 15,
        Unit::Quarter => 45,
        Unit::Year => 183,
    };
    let from = plus(less(today, unit, most)?, -slack)?;
    Some(span(from, plus(less(today, unit, least)?, slack + 1)?))
}

/// The span in the middle between two spans.
pub(crate) fn halfway(one: Span, other: Span) -> Option<Span> {
    let middle = |one: DateTime, other: DateTime| {
        let minutes = one.duration_since(other).as_mins() / 2;
        let middle = other.checked_add(minutes.minutes()).ok()?;
        let whole = [one, other].iter().all(|at| at.time() == Time::midnight());
        Some(if whole { middle.date().into() } else { middle })
    };
    Some(Span { from: middle(one.from, other.from)?, until: middle(one.until, other.until)? })
}

/// The span from `count` units ago to the end of today; for hours and minutes, to now.
pub(crate) fn since(now: DateTime, unit: Unit, count: i32) -> Option<Span> {
    let today = now.date();
    match unit {
        Unit::Minute | Unit::Hour => {
            Some(Span { from: now.checked_sub(units(unit, count)).ok()?, until: now })
        }
        _ => Some(Span { from: less(today, unit, count)?.into(), ..day(today)? }),
    }
}

/// The calendar unit `back` units before the present one.
pub(crate) fn calendar_unit(today: Date, unit: Unit, back: i32) -> Option<Span> {
    let months = |length: i32, first: Date| {
        let first = first.checked_sub((back * length).months()).ok()?;
        Some(span(first, first.checked_add(length.months()).ok()?))
    };
    match unit {
        Unit::Minute | Unit::Hour => None,
        Unit::Day => day(plus(today, -back)?),
        Unit::Week => week(today, back),
        Unit::Fortnight => {
            Some(Span { from: week(today, 2 * back)?.from, until: week(today, 2 * back - 1)?.until })
        }
        Unit::Weekend => weekend(today, back),
        Unit::Month => months(1, today.first_of_month()),
        Unit::Quarter => months(3, Date::new(today.year(), (today.month() - 1) / 3 * 3 + 1, 1).ok()?),
        Unit::Year => whole_year(i16::try_from(i32::from(today.year()) - back).ok()?),
    }
}

/// The week from Monday to Sunday, `back` weeks ago.
fn week(today: Date, back: i32) -> Option<Span> {
    let monday = monday(today, back)?;
    Some(span(monday, plus(monday, 7)?))
}

/// The Monday of the week `weeks_back` weeks ago.
fn monday(today: Date, weeks_back: i32) -> Option<Date> {
    plus(today, -(i32::from(today.weekday().to_monday_zero_offset()) + 7 * weeks_back))
}

/// The weekend `back` weekends before the latest one that has begun. During the week, "last weekend" and "the weekend"
/// are the same.
fn weekend(today: Date, back: i32) -> Option<Span> {
    let now_on = matches!(today.weekday(), Weekday::Saturday | Weekday::Sunday);
    let weeks = if now_on { back } else { back.max(1) };
    let saturday = plus(monday(today, weeks)?, 5)?;
    Some(span(saturday, plus(saturday, 2)?))
}

/// The day with this name in the week of a date.
pub(crate) fn in_week_of(date: Date, named: Weekday) -> Option<Date> {
    plus(monday(date, 0)?, i32::from(named.to_monday_zero_offset()))
}

/// The latest day with this name before a date, or the one `count` such days before.
pub(crate) fn weekday_before(date: Date, named: Weekday, count: i32) -> Option<Date> {
    date.nth_weekday(-count.max(1), named).ok()
}

pub(crate) fn whole_year(year: i16) -> Option<Span> {
    let first = Date::new(year, 1, 1).ok()?;
    Some(span(first, first.checked_add(1.year()).ok()?))
}

/// `count` months, from the first day of a month.
pub(crate) fn months_from(year: i16, month: i8, count: i32) -> Option<Span> {
    let first = Date::new(year, month, 1).ok()?;
    Some(span(first, first.checked_add(count.months()).ok()?))
}
