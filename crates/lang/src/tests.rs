//! Every time phrase on a Wednesday in Berlin, and boundary cases.

mod english;
mod held_out;
mod languages;
mod questions;
mod reviewed;

use greenroom_core::Timestamp;
use jiff::{civil, tz::TimeZone};
use proptest::prelude::*;

use super::{is_recall_question, time_range};

fn berlin() -> TimeZone {
    TimeZone::get("Europe/Berlin").unwrap()
}

fn at(wall: civil::DateTime, zone: &TimeZone) -> Timestamp {
    Timestamp(wall.to_zoned(zone.clone()).unwrap().timestamp().as_microsecond())
}

/// Wednesday, 18 November 2026, half past three in the afternoon.
fn wednesday() -> civil::DateTime {
    civil::datetime(2026, 11, 18, 15, 30, 0, 0)
}

/// The range of a text, in local time.
fn meant(text: &str, now: civil::DateTime, zone: &TimeZone) -> String {
    let Some(range) = time_range(text, at(now, zone), zone) else { return "nothing".into() };
    let wall = |at: Timestamp| {
        let zoned = jiff::Timestamp::from_microsecond(at.0).unwrap().to_zoned(zone.clone());
        zoned.strftime("%Y-%m-%d %H:%M").to_string().replace(" 00:00", "")
    };
    format!("{} .. {} ({})", wall(range.from), wall(range.until), range.words)
}

fn on_wednesday(texts: &[&str]) -> String {
    let zone = berlin();
    let width = texts.iter().map(|text| text.len()).max().unwrap();
    texts.iter().map(|text| format!("{text:width$} = {}\n", meant(text, wednesday(), &zone))).collect()
}

/// Monday, 23 November 2026, ten in the morning.
fn monday() -> civil::DateTime {
    civil::datetime(2026, 11, 23, 10, 0, 0, 0)
}

/// Asserts the meaning of each text on that Wednesday, without comparing the matched words. Reports all differences.
fn check(pairs: &[(&str, &str)]) {
    check_at(wednesday(), pairs);
}

/// Like [`check`], on Monday.
fn check_on_monday(pairs: &[(&str, &str)]) {
    check_at(monday(), pairs);
}

fn check_at(now: civil::DateTime, pairs: &[(&str, &str)]) {
    let zone = berlin();
    let differs = |(text, expected): &&(&str, &str)| {
        let found = meant(text, now, &zone);
        found.split(" (").next() != Some(*expected)
    };
    let wrong: Vec<String> = pairs
        .iter()
        .filter(differs)
        .map(|(text, expected)| format!("{text:?}: {expected}, found {}", meant(text, now, &zone)))
        .collect();
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), pairs.len(), wrong.join("\n"));
}

#[test]
fn jv8_days_and_their_parts() {
    insta::assert_snapshot!(on_wednesday(&[
        "what did I say today?", "what about this morning", "this afternoon", "this evening", "tonight",
        "What did we discuss Yesterday?", "yesterday morning", "yesterday evening", "yesterday's talk",
        "the day before yesterday", "last night", "the other day", "did we talk recently",
    ]), @"
    what did I say today?          = 2026-11-18 .. 2026-11-19 (today)
    what about this morning        = 2026-11-18 .. 2026-11-18 12:00 (this morning)
    this afternoon                 = 2026-11-18 12:00 .. 2026-11-18 18:00 (this afternoon)
    this evening                   = nothing
    tonight                        = nothing
    What did we discuss Yesterday? = 2026-11-17 .. 2026-11-18 (Yesterday)
    yesterday morning              = 2026-11-17 .. 2026-11-17 12:00 (yesterday morning)
    yesterday evening              = 2026-11-17 17:00 .. 2026-11-18 (yesterday evening)
    yesterday's talk               = 2026-11-17 .. 2026-11-18 (yesterday's)
    the day before yesterday       = 2026-11-16 .. 2026-11-17 (the day before yesterday)
    last night                     = 2026-11-17 18:00 .. 2026-11-18 06:00 (last night)
    the other day                  = 2026-11-11 .. 2026-11-18 (the other day)
    did we talk recently           = 2026-11-11 .. 2026-11-19 (recently)
    ");
}

#[test]
fn jv8_so_long_ago() {
    insta::assert_snapshot!(on_wednesday(&[
        "a day ago", "3 days ago", "three days ago", "a couple of days ago", "a few days ago", "a week ago",
        "two weeks ago", "a month ago", "2 months ago", "a year ago", "5 years", "10000 days ago",
    ]), @"
    a day ago            = 2026-11-17 .. 2026-11-18 (a day ago)
    3 days ago           = 2026-11-15 .. 2026-11-16 (3 days ago)
    three days ago       = 2026-11-15 .. 2026-11-16 (three days ago)
    a couple of days ago = 2026-11-15 .. 2026-11-17 (a couple of days ago)
    a few days ago       = 2026-11-12 .. 2026-11-17 (a few days ago)
    a week ago           = 2026-11-08 .. 2026-11-15 (a week ago)
    two weeks ago        = 2026-11-01 .. 2026-11-08 (two weeks ago)
    a month ago          = 2026-10-03 .. 2026-11-03 (a month ago)
    2 months ago         = 2026-09-03 .. 2026-10-04 (2 months ago)
    a year ago           = 2025-05-19 .. 2026-05-21 (a year ago)
    5 years              = nothing
    10000 days ago       = nothing
    ");
}

#[test]
fn jv8_weeks_months_and_years() {
    insta::assert_snapshot!(on_wednesday(&[
        "last week", "this week", "last week on Monday", "last month", "this month", "last year", "this year",
        "last weekend", "over the weekend", "in the last few days", "the past two weeks", "past month",
        "since yesterday", "since last week", "since March", "since 2025", "next week",
    ]), @"
    last week            = 2026-11-09 .. 2026-11-16 (last week)
    this week            = 2026-11-16 .. 2026-11-19 (this week)
    last week on Monday  = 2026-11-09 .. 2026-11-10 (last week on Monday)
    last month           = 2026-10-01 .. 2026-11-01 (last month)
    this month           = 2026-11-01 .. 2026-11-19 (this month)
    last year            = 2025-01-01 .. 2026-01-01 (last year)
    this year            = 2026-01-01 .. 2026-11-19 (this year)
    last weekend         = 2026-11-14 .. 2026-11-16 (last weekend)
    over the weekend     = 2026-11-14 .. 2026-11-16 (over the weekend)
    in the last few days = 2026-11-12 .. 2026-11-19 (in the last few days)
    the past two weeks   = 2026-11-04 .. 2026-11-19 (the past two weeks)
    past month           = 2026-10-18 .. 2026-11-19 (past month)
    since yesterday      = 2026-11-17 .. 2026-11-19 (since yesterday)
    since last week      = 2026-11-09 .. 2026-11-19 (since last week)
    since March          = 2026-03-01 .. 2026-11-19 (since March)
    since 2025           = 2025-01-01 .. 2026-11-19 (since 2025)
    next week            = nothing
    ");
}

#[test]
fn jv8_weekdays_are_the_latest_before_today() {
    insta::assert_snapshot!(on_wednesday(&[
        "what did we discuss on Monday?", "last Monday", "Tuesday", "on wednesday", "last Friday night",
        "this Monday", "this Friday", "on Monday last week", "Monday of last week", "next Monday",
        "every Monday", "Mondays",
    ]), @"
    what did we discuss on Monday? = 2026-11-16 .. 2026-11-17 (on Monday)
    last Monday                    = 2026-11-16 .. 2026-11-17 (last Monday)
    Tuesday                        = 2026-11-17 .. 2026-11-18 (Tuesday)
    on wednesday                   = 2026-11-11 .. 2026-11-12 (on wednesday)
    last Friday night              = 2026-11-13 18:00 .. 2026-11-14 06:00 (last Friday night)
    this Monday                    = 2026-11-16 .. 2026-11-17 (this Monday)
    this Friday                    = nothing
    on Monday last week            = 2026-11-09 .. 2026-11-10 (on Monday last week)
    Monday of last week            = 2026-11-09 .. 2026-11-10 (Monday of last week)
    next Monday                    = nothing
    every Monday                   = nothing
    Mondays                        = nothing
    ");
}

#[test]
fn jv8_months_and_dates() {
    insta::assert_snapshot!(on_wednesday(&[
        "what did we decide in March?", "last March", "in November", "last November", "in December",
        "March 2025", "on 7 May", "May 7th", "the 7th of May, 2025", "on December 24", "2026-05-07",
        "29 February", "in 2025", "in 2031", "May I ask?", "those 7 may come", "march on", "March 32nd",
    ]), @"
    what did we decide in March? = 2026-03-01 .. 2026-04-01 (in March)
    last March                   = 2026-03-01 .. 2026-04-01 (last March)
    in November                  = 2026-11-01 .. 2026-11-19 (in November)
    last November                = 2025-11-01 .. 2025-12-01 (last November)
    in December                  = 2025-12-01 .. 2026-01-01 (in December)
    March 2025                   = 2025-03-01 .. 2025-04-01 (March 2025)
    on 7 May                     = 2026-05-07 .. 2026-05-08 (on 7 May)
    May 7th                      = 2026-05-07 .. 2026-05-08 (May 7th)
    the 7th of May, 2025         = 2025-05-07 .. 2025-05-08 (the 7th of May, 2025)
    on December 24               = 2025-12-24 .. 2025-12-25 (on December 24)
    2026-05-07                   = 2026-05-07 .. 2026-05-08 (2026-05-07)
    29 February                  = 2024-02-29 .. 2024-03-01 (29 February)
    in 2025                      = 2025-01-01 .. 2026-01-01 (in 2025)
    in 2031                      = nothing
    May I ask?                   = nothing
    those 7 may come             = nothing
    march on                     = nothing
    March 32nd                   = nothing
    ");
}

#[test]
fn jv8_hours_seasons_and_what_was_before_the_last() {
    insta::assert_snapshot!(on_wednesday(&[
        "two hours ago", "an hour ago", "10 minutes ago", "the week before last", "the month before last",
        "the year before last", "last summer", "in spring", "in the winter", "last autumn", "this summer",
        "on the 20th", "on the 18th", "on the 31st", "on the 7th of May", "a cold winter", "on the 20 boats",
    ]), @"
    two hours ago         = 2026-11-18 13:00 .. 2026-11-18 14:00 (two hours ago)
    an hour ago           = 2026-11-18 14:00 .. 2026-11-18 15:00 (an hour ago)
    10 minutes ago        = 2026-11-18 15:10 .. 2026-11-18 15:30 (10 minutes ago)
    the week before last  = 2026-11-02 .. 2026-11-09 (the week before last)
    the month before last = 2026-09-01 .. 2026-10-01 (the month before last)
    the year before last  = 2024-01-01 .. 2025-01-01 (the year before last)
    last summer           = 2026-06-01 .. 2026-09-01 (last summer)
    in spring             = 2026-03-01 .. 2026-06-01 (in spring)
    in the winter         = 2025-12-01 .. 2026-03-01 (in the winter)
    last autumn           = 2025-09-01 .. 2025-12-01 (last autumn)
    this summer           = 2026-06-01 .. 2026-09-01 (this summer)
    on the 20th           = 2026-10-20 .. 2026-10-21 (on the 20th)
    on the 18th           = 2026-11-18 .. 2026-11-19 (on the 18th)
    on the 31st           = 2026-10-31 .. 2026-11-01 (on the 31st)
    on the 7th of May     = 2026-05-07 .. 2026-05-08 (on the 7th of May)
    a cold winter         = nothing
    on the 20 boats       = nothing
    ");
}

#[test]
fn jv8_only_whole_words_count() {
    for text in ["", "yesterdays", "the Beatles", "lastweek", "a mondayish mood", "\u{1f44d}", "last time"] {
        assert_eq!(meant(text, wednesday(), &berlin()), "nothing", "{text}");
    }
}

#[test]
fn jv8_on_a_weekend_the_last_one_is_the_one_before() {
    let sunday = civil::datetime(2026, 11, 22, 9, 0, 0, 0);
    let meant = |text| meant(text, sunday, &berlin());
    assert_eq!(meant("last weekend"), "2026-11-14 .. 2026-11-16 (last weekend)");
    assert_eq!(meant("this weekend"), "2026-11-21 .. 2026-11-23 (this weekend)");
    assert_eq!(meant("this week"), "2026-11-16 .. 2026-11-23 (this week)");
}

#[test]
fn jv8_a_day_is_as_long_as_the_clocks_there_make_it() {
    let hours = |now: civil::DateTime, zone: &TimeZone| {
        let range = time_range("yesterday", at(now, zone), zone).unwrap();
        (range.until.0 - range.from.0) / 3_600_000_000
    };
    assert_eq!(hours(civil::datetime(2026, 3, 30, 9, 0, 0, 0), &berlin()), 23);
    assert_eq!(hours(civil::datetime(2026, 10, 26, 9, 0, 0, 0), &berlin()), 25);
    // Samoa skipped 30 December 2011: the 31st followed the 29th, so the day before had no hours.
    let apia = TimeZone::get("Pacific/Apia").unwrap();
    assert_eq!(meant("yesterday", civil::datetime(2011, 12, 31, 9, 0, 0, 0), &apia), "nothing");
}

#[test]
fn jv8_it_is_another_day_elsewhere() {
    let now = at(civil::datetime(2026, 11, 18, 0, 30, 0, 0), &berlin());
    let (berlin, here) = (berlin(), TimeZone::get("America/New_York").unwrap());
    let from = |zone: &TimeZone| time_range("today", now, zone).unwrap().from;
    assert_eq!(from(&berlin).0 - from(&here).0, 18 * 3_600_000_000, "the 18th began, and the 17th there");
}

#[test]
fn jv8_questions_for_what_was_said() {
    for text in [
        "What did we discuss yesterday?",
        "what did we talk about on Monday",
        "Do you remember my sister?",
        "did I tell you about Rex?",
        "Have we ever talked about Oslo?",
        "what did I say about tea",
        "when did we last speak?",
        "what were we talking about?",
        "Remind me what we decided",
        "don't you remember?",
        "What do you know about me?",
        "the last time we spoke",
        "What have we been discussing?",
        "What did you suggest last week?",
        "What did we do yesterday?",
        "What have we done yesterday?",
        "What did we do between Monday and Wednesday last week?",
        "what did we do between the 16th and the 18th of November?",
        "What have we done between Monday and Friday last week?",
        "Where did we eat on Tuesday?",
        "What did Ann and I talk about yesterday?",
        "What did Ann and I discuss between Monday and Wednesday last week?",
        "Was haben wir gestern gemacht?",
        "Was haben wir am Dienstag unternommen?",
        "Was haben Ann und ich gestern besprochen?",
        "Qu'avons-nous fait entre lundi et mercredi de la semaine dernière ?",
        "Qu'avons-nous mangé samedi ?",
    ] {
        assert!(is_recall_question(text), "{text}");
    }
    for text in [
        "",
        "Remember that I prefer tea",
        "I remember Oslo",
        "we discussed it",
        "did it rain?",
        "do you like tea?",
        "have you eaten?",
        "tell me a story",
        "what did the cat do",
        "Remind me to call Mia",
        "What did I do wrong?",
        "What have I done to deserve this?",
        "What did the Romans do in May?",
        "Was haben wir gemacht, dass es nicht startet?",
        "Was soll ich am Montag machen?",
        "Qu'avons-nous fait de mal ?",
    ] {
        assert!(!is_recall_question(text), "{text}");
    }
}

proptest! {
    #[test]
    fn jv8_whatever_is_said_a_range_lies_before_the_end_of_today(
        words in prop::collection::vec(prop_oneof![
            prop::sample::select(vec![
                "last", "this", "past", "the", "a", "couple", "of", "few", "day", "days", "week", "weekend",
                "month", "year", "ago", "since", "in", "on", "monday", "sunday", "may", "march", "february",
                "29", "31st", "7", "2024", "9998", "0000-01-01", "9999-12-31", "-9999-01-01", "yesterday",
                "night", "morning", "before", "1000", "other", "today", "tonight", "recently",
            ]).prop_map(str::to_owned),
            "\\PC{0,6}",
        ], 0..8),
        now in prop_oneof![any::<i64>(), 0i64..4_102_444_800_000_000],
        zone in prop::sample::select(vec!["UTC", "Europe/Berlin", "Pacific/Apia", "America/Sao_Paulo", "Asia/Kathmandu"]),
    ) {
        let (text, zone) = (words.join(" "), TimeZone::get(zone).unwrap());
        is_recall_question(&text);
        if let Some(range) = time_range(&text, Timestamp(now), &zone) {
            let today = jiff::Timestamp::from_microsecond(now).unwrap().to_zoned(zone.clone()).date();
            let end = today.tomorrow().unwrap().to_zoned(zone).unwrap().timestamp().as_microsecond();
            prop_assert!(range.from < range.until && range.until.0 <= end, "{range:?}");
            prop_assert!(range.from.0 <= now);
            prop_assert!(!range.words.is_empty() && text.contains(&range.words));
        }
    }
}
