//! The phrases for a time, as spans of the calendar.

use jiff::{
    ToSpan,
    civil::{Date, DateTime, Weekday},
};

use super::Span;

/// A phrase at the beginning of some words: how many of them it takes, and what it means.
type Read = Option<(usize, Span)>;

/// The first year somebody may speak of.
const FIRST_YEAR: i16 = 1970;

/// The phrase `words` begin with, for somebody whose day is `today`.
pub(super) fn read(words: &[&str], today: Date) -> Read {
    match words {
        ["since", rest @ ..] => {
            let (length, span) = after_article(rest, today, true)?;
            Some((length + 1, Span { until: day(today)?.until, ..span }))
        }
        ["on" | "in" | "during" | "from" | "over" | "at" | "around" | "earlier", rest @ ..] => {
            longer(1, after_article(rest, today, true))
        }
        _ => after_article(words, today, false),
    }
}

/// "two hours ago", give or take half an hour; "10 minutes ago", give or take as many.
pub(super) fn hours_ago(words: &[&str], now: DateTime) -> Read {
    let (length, (least, most)) = count(words)?;
    let (unit, slack) = match words.get(length..)? {
        ["hour" | "hours", "ago", ..] => (60, 30),
        ["minute" | "minutes", "ago", ..] => (1, most),
        _ => return None,
    };
    let back = |minutes: i32| now.checked_sub(minutes.minutes()).ok();
    let span = Span { from: back(most * unit + slack)?, until: back(least * unit - slack)? };
    Some((length + 2, span))
}

/// `led` where a preposition stands before it, so that "May" is a month.
fn after_article(words: &[&str], today: Date, led: bool) -> Read {
    let unmarked = |words: &[&str]| {
        days(words, today)
            .or_else(|| ago(words, today))
            .or_else(|| stretch(words, today))
            .or_else(|| weekday(words, today))
            .or_else(|| date(words, today, led))
            .or_else(|| month(words, today, led))
            .or_else(|| season(words, today, led))
            .or_else(|| year(words, today, led))
    };
    match words {
        ["the", "weekend", ..] if led => Some((2, weekend(today, 0)?)),
        ["the", number, ..] if led => {
            longer(1, unmarked(&words[1..])).or_else(|| day_of_month(number, today))
        }
        ["the", rest @ ..] => longer(1, unmarked(rest)),
        _ => unmarked(words),
    }
}

fn longer(by: usize, read: Read) -> Read {
    read.map(|(length, span)| (length + by, span))
}

/// Today, yesterday and their parts.
fn days(words: &[&str], today: Date) -> Read {
    let yesterday = today.yesterday().ok()?;
    match words {
        ["today", ..] => Some((1, day(today)?)),
        ["tonight", ..] => Some((1, part("night", today)?)),
        ["this", word @ ("morning" | "afternoon" | "evening"), ..] => Some((2, part(word, today)?)),
        ["yesterday", word @ ("morning" | "afternoon" | "evening" | "night"), ..] => {
            Some((2, part(word, yesterday)?))
        }
        ["yesterday", ..] => Some((1, day(yesterday)?)),
        ["day", "before", "yesterday", ..] => Some((3, day(yesterday.yesterday().ok()?)?)),
        ["last", "night", ..] => Some((2, part("night", yesterday)?)),
        ["other", "day", ..] => Some((2, back(today, "day", (1, 7))?)),
        ["week", "before", "last", ..] => Some((3, week(today, 2)?)),
        ["month", "before", "last", ..] => Some((3, months(today, 2)?)),
        ["year", "before", "last", ..] => Some((3, whole_year(today.year().checked_sub(2)?)?)),
        ["recently" | "lately", ..] => Some((1, since(today, "week", 1)?)),
        _ => None,
    }
}

/// "3 days ago", "a couple of weeks ago": so long ago, give or take what such words do.
fn ago(words: &[&str], today: Date) -> Read {
    let (length, count) = count(words)?;
    match words.get(length..)? {
        [unit, "ago", ..] => Some((length + 2, back(today, singular(unit)?, count)?)),
        _ => None,
    }
}

/// "last week", "this month", "the last few days", "last weekend".
fn stretch(words: &[&str], today: Date) -> Read {
    let [which @ ("last" | "past" | "this" | "previous"), rest @ ..] = words else { return None };
    if matches!(*which, "last" | "past" | "previous")
        && let Some((length, (_, most))) = count(rest)
        && let Some(unit) = rest.get(length).and_then(|unit| singular(unit))
    {
        return Some((length + 2, since(today, unit, most)?));
    }
    let one_back = if *which == "this" { 0 } else { 1 };
    match (*which, rest) {
        ("past", [unit @ ("day" | "week" | "month" | "year"), ..]) => Some((2, since(today, unit, 1)?)),
        ("past", _) => None,
        (_, ["week", "on", name, ..]) if weekday_named(name).is_some() => {
            Some((4, in_week(today, one_back, weekday_named(name)?)?))
        }
        (_, ["week", ..]) => Some((2, week(today, one_back)?)),
        (_, ["weekend", ..]) => Some((2, weekend(today, one_back)?)),
        (_, ["month", ..]) => Some((2, months(today, one_back)?)),
        (_, ["year", ..]) => Some((2, whole_year(today.year().checked_sub(one_back as i16)?)?)),
        _ => None,
    }
}

/// "Monday", "last Monday", "Monday last week": the latest one before today.
fn weekday(words: &[&str], today: Date) -> Read {
    let (before, name, rest) = match words {
        [which @ ("last" | "this"), name, rest @ ..] => (Some(*which), *name, rest),
        [name, rest @ ..] => (None, *name, rest),
        [] => return None,
    };
    let named = weekday_named(name)?;
    let taken = 1 + usize::from(before.is_some());
    match (before, rest) {
        (None, ["of", "last", "week", ..]) => Some((taken + 3, in_week(today, 1, named)?)),
        (None, ["last", "week", ..]) => Some((taken + 2, in_week(today, 1, named)?)),
        (None, ["this", "week", ..]) => Some((taken + 2, in_week(today, 0, named)?)),
        (Some("this"), _) => Some((taken, in_week(today, 0, named)?)),
        (_, [word @ ("morning" | "afternoon" | "evening" | "night"), ..]) => {
            Some((taken + 1, part(word, today.nth_weekday(-1, named).ok()?)?))
        }
        _ => Some((taken, day(today.nth_weekday(-1, named).ok()?)?)),
    }
}

/// "2026-05-07", "7 May", "7th of May 2025", "May 7th".
fn date(words: &[&str], today: Date, led: bool) -> Read {
    if let [iso, ..] = words
        && iso.len() == "2026-05-07".len()
        && let Ok(date) = iso.parse::<Date>()
    {
        return Some((1, day(date)?));
    }
    let (taken, number, name) = match words {
        [number, "of", name, ..] => (3, *number, *name),
        [name, "the", number, ..] if month_named(name).is_some() => (3, *number, *name),
        [name, number, ..] if month_named(name).is_some() => (2, *number, *name),
        [number, name, ..] => (2, *number, *name),
        _ => return None,
    };
    let (month, (number, ordinal)) = (month_named(name)?, day_number(number)?);
    if let Some(year) = words.get(taken).and_then(|word| year_named(word)) {
        return Some((taken + 1, day(Date::new(year, month, number).ok()?)?));
    }
    // "those 7 may come"
    if !(led || ordinal || taken == 3) && matches!(name, "may" | "march" | "mar") {
        return None;
    }
    // The latest one; a leap day may be eight years away.
    let years = (0..=8).filter_map(|back| Date::new(today.year() - back, month, number).ok());
    Some((taken, day(years.into_iter().find(|date| *date <= today)?)?))
}

/// "in March", "last March", "March 2025".
fn month(words: &[&str], today: Date, led: bool) -> Read {
    let of = |year, month| {
        let first = Date::new(year, month, 1).ok()?;
        Some(span(first, first.checked_add(1.month()).ok()?))
    };
    let (before, name, rest) = match words {
        [which @ ("last" | "this"), name, rest @ ..] => (Some(*which), *name, rest),
        [name, rest @ ..] => (None, *name, rest),
        [] => return None,
    };
    let month = month_named(name)?;
    let taken = 1 + usize::from(before.is_some());
    match (before, rest.first().and_then(|word| year_named(word))) {
        (None, Some(year)) => Some((taken + 1, of(year, month)?)),
        (None, None) if !led => None,
        // This month counts as "in November", and not as "last November".
        (before, _) => {
            let gone = month < today.month() || (month == today.month() && before != Some("last"));
            Some((taken, of(today.year() - i16::from(!gone && before != Some("this")), month)?))
        }
    }
}

/// "last summer", "in spring": the latest one that has begun, by whole months, in the north; "last" is
/// never the one that goes on.
fn season(words: &[&str], today: Date, led: bool) -> Read {
    let (before, name) = match words {
        [which @ ("last" | "this"), name, ..] => (Some(*which), *name),
        [name, ..] if led => (None, *name),
        _ => return None,
    };
    let month = match name {
        "spring" => 3,
        "summer" => 6,
        "autumn" | "fall" => 9,
        "winter" => 12,
        _ => return None,
    };
    let of = |year| {
        let first = Date::new(year, month, 1).ok()?;
        Some(span(first, first.checked_add(3.months()).ok()?))
    };
    let seasons = (0..=2).filter_map(|back| of(today.year() - back));
    let over = |season: &Span| match before {
        Some("last") => season.until.date() <= today,
        _ => season.from.date() <= today,
    };
    Some((1 + usize::from(before.is_some()), seasons.into_iter().find(over)?))
}

/// "on the 20th": the latest one.
fn day_of_month(word: &str, today: Date) -> Read {
    let (number, true) = day_number(word)? else { return None };
    let dates = (0..=2).filter_map(|back: i32| {
        let month = today.first_of_month().checked_sub(back.months()).ok()?;
        Date::new(month.year(), month.month(), number).ok()
    });
    Some((2, day(dates.into_iter().find(|date| *date <= today)?)?))
}

/// "in 2025".
fn year(words: &[&str], today: Date, led: bool) -> Read {
    let year = year_named(words.first()?)?;
    (led && year <= today.year()).then_some(())?;
    Some((1, whole_year(year)?))
}

/// How many, at least and at most, and how many words say so.
fn count(words: &[&str]) -> Option<(usize, (i32, i32))> {
    const NUMBERS: [&str; 12] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    Some(match words {
        ["a", "couple", "of", ..] => (3, (2, 3)),
        ["a", "couple", ..] | ["couple", "of", ..] => (2, (2, 3)),
        ["couple", ..] => (1, (2, 3)),
        ["a", "few", ..] => (2, (2, 6)),
        ["few" | "several" | "some", ..] => (1, (2, 6)),
        ["a" | "an", ..] => (1, (1, 1)),
        [number, ..] => {
            let spelt = NUMBERS.iter().position(|word| word == number).map(|n| n as i32 + 1);
            let number = spelt.or_else(|| number.parse().ok().filter(|n| (1..=1_000).contains(n)))?;
            (1, (number, number))
        }
        [] => return None,
    })
}

fn singular(unit: &str) -> Option<&'static str> {
    ["day", "week", "month", "year"]
        .into_iter()
        .find(|known| unit.strip_suffix('s').unwrap_or(unit) == *known)
}

/// So many units back, with as much around it as the unit leaves open.
fn back(today: Date, unit: &str, (least, most): (i32, i32)) -> Option<Span> {
    let slack = match unit {
        "day" => 0,
        "week" => 3,
        "month" => 15,
        _ => 183,
    };
    let from = less(today, unit, most)?.checked_sub(slack.days()).ok()?;
    let until = less(today, unit, least)?.checked_add((slack + 1).days()).ok()?;
    Some(span(from, until))
}

/// The month so many before this one.
fn months(today: Date, back: i32) -> Option<Span> {
    let first = today.first_of_month().checked_sub(back.months()).ok()?;
    Some(span(first, first.checked_add(1.month()).ok()?))
}

/// From so many units back to the end of today.
fn since(today: Date, unit: &str, count: i32) -> Option<Span> {
    Some(Span { from: less(today, unit, count)?.into(), ..day(today)? })
}

fn less(today: Date, unit: &str, count: i32) -> Option<Date> {
    let span = match unit {
        "day" => count.days(),
        "week" => count.weeks(),
        "month" => count.months(),
        _ => count.years(),
    };
    today.checked_sub(span).ok()
}

fn span(from: Date, until: Date) -> Span {
    Span { from: from.into(), until: until.into() }
}

fn day(date: Date) -> Option<Span> {
    Some(span(date, date.tomorrow().ok()?))
}

/// A part of a day; a night ends in the morning after.
fn part(name: &str, date: Date) -> Option<Span> {
    let tomorrow = date.tomorrow().ok()?;
    let hour = |hour: i8| date.at(hour, 0, 0, 0);
    let (from, until): (DateTime, DateTime) = match name {
        "morning" => (hour(0), hour(12)),
        "afternoon" => (hour(12), hour(18)),
        "evening" => (hour(17), tomorrow.into()),
        _ => (hour(18), tomorrow.at(6, 0, 0, 0)),
    };
    Some(Span { from, until })
}

/// The Monday of the week so many weeks back.
fn monday(today: Date, weeks_back: i32) -> Option<Date> {
    let since_monday = i32::from(today.weekday().to_monday_zero_offset());
    today.checked_sub((since_monday + 7 * weeks_back).days()).ok()
}

/// From Monday to Sunday.
fn week(today: Date, back: i32) -> Option<Span> {
    let monday = monday(today, back)?;
    Some(span(monday, monday.checked_add(7.days()).ok()?))
}

/// The weekend that has begun last, or the one so many before it; within the week "last weekend" and
/// "the weekend" are the same.
fn weekend(today: Date, back: i32) -> Option<Span> {
    let now_on = matches!(today.weekday(), Weekday::Saturday | Weekday::Sunday);
    let weeks = if now_on { back } else { 1 };
    let saturday = monday(today, weeks)?.checked_add(5.days()).ok()?;
    Some(span(saturday, saturday.checked_add(2.days()).ok()?))
}

fn in_week(today: Date, back: i32, named: Weekday) -> Option<Span> {
    let offset = i32::from(named.to_monday_zero_offset());
    day(monday(today, back)?.checked_add(offset.days()).ok()?)
}

fn whole_year(year: i16) -> Option<Span> {
    let first = Date::new(year, 1, 1).ok()?;
    Some(span(first, first.checked_add(1.year()).ok()?))
}

fn weekday_named(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

/// The number of a month, by its name or the beginning of it.
fn month_named(word: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let begins = |month: &&str| word == &month[..3] || (word == "sept" && *month == "september");
    MONTHS.iter().position(|month| word == *month || begins(month)).map(|n| n as i8 + 1)
}

/// A day of a month, and whether it says so itself, as `7th`.
fn day_number(word: &str) -> Option<(i8, bool)> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending));
    let number = digits.unwrap_or(word).parse().ok().filter(|n| (1..=31).contains(n))?;
    Some((number, digits.is_some()))
}

fn year_named(word: &str) -> Option<i16> {
    let year = word.parse().ok().filter(|year| (FIRST_YEAR..=9_998).contains(year))?;
    (word.len() == 4).then_some(year)
}
