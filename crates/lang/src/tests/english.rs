//! English phrases and what they mean on Wednesday, 18 November 2026, half past three in the afternoon in Berlin.

use super::{check, check_on_monday};

/// Days, parts of days, and days of the week.
#[test]
fn jv8_english_days() {
    check(&[
        ("What did we discuss yesterday?", "2026-11-17 .. 2026-11-18"),
        ("Tell me what we discussed yesterday", "2026-11-17 .. 2026-11-18"),
        ("what did I say earlier today?", "2026-11-18 .. 2026-11-19"),
        ("the day before yesterday", "2026-11-16 .. 2026-11-17"),
        ("what did you say two days ago?", "2026-11-16 .. 2026-11-17"),
        ("on Tue", "2026-11-17 .. 2026-11-18"),
        ("What did we talk about on Tue?", "2026-11-17 .. 2026-11-18"),
        ("on Thurs", "2026-11-12 .. 2026-11-13"),
        ("did I tell you on Sat", "2026-11-14 .. 2026-11-15"),
        ("last Sun", "2026-11-15 .. 2026-11-16"),
        ("on Mon morning", "2026-11-16 .. 2026-11-16 12:00"),
        ("the Tuesday before last", "2026-11-10 .. 2026-11-11"),
        ("on the Friday before last", "2026-11-06 .. 2026-11-07"),
        ("Monday before last", "2026-11-09 .. 2026-11-10"),
        ("last Friday", "2026-11-13 .. 2026-11-14"),
        ("two Tuesdays ago", "2026-11-10 .. 2026-11-11"),
        ("Tuesday last week", "2026-11-10 .. 2026-11-11"),
        ("on Tuesday of last week", "2026-11-10 .. 2026-11-11"),
        ("last week's Thursday", "2026-11-12 .. 2026-11-13"),
        ("the week before last on Friday", "2026-11-06 .. 2026-11-07"),
        ("Friday the week before last", "2026-11-06 .. 2026-11-07"),
        ("on Tuesday two weeks ago", "2026-11-03 .. 2026-11-04"),
        ("a week ago today", "2026-11-11 .. 2026-11-12"),
        ("two weeks ago yesterday", "2026-11-03 .. 2026-11-04"),
        ("a week ago on Monday", "2026-11-09 .. 2026-11-10"),
        ("yesterday afternoon", "2026-11-17 12:00 .. 2026-11-17 18:00"),
        ("late yesterday", "2026-11-17 17:00 .. 2026-11-18"),
        ("early on Monday", "2026-11-16 .. 2026-11-16 12:00"),
        ("on the evening of the 12th", "2026-11-12 17:00 .. 2026-11-13"),
        ("the night before last", "2026-11-16 18:00 .. 2026-11-17 06:00"),
        ("on Monday in the afternoon", "2026-11-16 12:00 .. 2026-11-16 18:00"),
        ("the other evening", "2026-11-11 .. 2026-11-18"),
    ]);
}

#[test]
fn jv8_english_weeks_months_quarters_years() {
    check(&[
        ("a fortnight ago", "2026-11-01 .. 2026-11-08"),
        ("What did we decide a fortnight ago?", "2026-11-01 .. 2026-11-08"),
        ("two fortnights ago", "2026-10-18 .. 2026-10-25"),
        ("a couple of weeks ago", "2026-10-25 .. 2026-11-08"),
        ("a few days ago", "2026-11-12 .. 2026-11-17"),
        ("two or three days ago", "2026-11-15 .. 2026-11-17"),
        ("between two and three weeks ago", "2026-10-25 .. 2026-11-08"),
        ("six months ago", "2026-05-03 .. 2026-06-03"),
        ("over a year ago", "2025-05-19 .. 2026-05-21"),
        ("at the end of last month", "2026-10-21 .. 2026-11-01"),
        ("at the beginning of the month", "2026-11-01 .. 2026-11-11"),
        ("in the middle of last month", "2026-10-11 .. 2026-10-21"),
        ("early last week", "2026-11-09 .. 2026-11-11"),
        ("at the start of this week", "2026-11-16 .. 2026-11-18"),
        ("at the end of last week", "2026-11-13 .. 2026-11-16"),
        ("late last month", "2026-10-21 .. 2026-11-01"),
        ("mid-October", "2026-10-11 .. 2026-10-21"),
        ("in early March", "2026-03-01 .. 2026-03-11"),
        ("the first half of October", "2026-10-01 .. 2026-10-17"),
        ("the first week of October", "2026-10-01 .. 2026-10-08"),
        ("in the last week of September", "2026-09-24 .. 2026-10-01"),
        ("on the last day of October", "2026-10-31 .. 2026-11-01"),
        ("on the second Monday in October", "2026-10-12 .. 2026-10-13"),
        ("in the last week", "2026-11-11 .. 2026-11-19"),
        ("over the past month", "2026-10-18 .. 2026-11-19"),
        ("in the last 24 hours", "2026-11-17 15:30 .. 2026-11-18 15:30"),
        ("the last couple of days", "2026-11-15 .. 2026-11-19"),
        ("last quarter", "2026-07-01 .. 2026-10-01"),
        ("in Q3", "2026-07-01 .. 2026-10-01"),
        ("Q4 2025", "2025-10-01 .. 2026-01-01"),
        ("in the second quarter", "2026-04-01 .. 2026-07-01"),
        ("in the summer of last year", "2025-06-01 .. 2025-09-01"),
        ("March of last year", "2025-03-01 .. 2025-04-01"),
        ("summer 2024", "2024-06-01 .. 2024-09-01"),
        ("the weekend before last", "2026-11-07 .. 2026-11-09"),
        ("two weekends ago", "2026-11-07 .. 2026-11-09"),
        ("earlier this week", "2026-11-16 .. 2026-11-19"),
        ("the previous month", "2026-10-01 .. 2026-11-01"),
        ("at Christmas", "2025-12-24 .. 2025-12-27"),
        ("on Halloween", "2026-10-31 .. 2026-11-01"),
        ("on New Year's Eve", "2025-12-31 .. 2026-01-01"),
        ("half an hour ago", "2026-11-18 14:30 .. 2026-11-18 15:30"),
    ]);
}

#[test]
fn jv8_english_dates() {
    check(&[
        ("on 11/17", "2026-11-17 .. 2026-11-18"),
        ("What did we say on 11/17?", "2026-11-17 .. 2026-11-18"),
        ("on 17/11", "2026-11-17 .. 2026-11-18"),
        ("on 3/4", "2026-03-04 .. 2026-03-05"),
        ("on 11/17/2025", "2025-11-17 .. 2025-11-18"),
        ("on 17.11.2025", "2025-11-17 .. 2025-11-18"),
        ("on 17.11.", "2026-11-17 .. 2026-11-18"),
        ("on 2026/11/02", "2026-11-02 .. 2026-11-03"),
        ("2026-11-02", "2026-11-02 .. 2026-11-03"),
        ("on Nov 17", "2026-11-17 .. 2026-11-18"),
        ("on the 17th", "2026-11-17 .. 2026-11-18"),
        ("on Nov. 3rd", "2026-11-03 .. 2026-11-04"),
        ("on November 19th", "2025-11-19 .. 2025-11-20"),
        ("the first of October", "2026-10-01 .. 2026-10-02"),
        ("on 5 May last year", "2025-05-05 .. 2025-05-06"),
        ("on the morning of 2 November", "2026-11-02 .. 2026-11-02 12:00"),
        ("on December 31, 2024", "2024-12-31 .. 2025-01-01"),
    ]);
}

#[test]
fn jv8_english_ranges() {
    check(&[
        ("between Monday and Wednesday last week", "2026-11-09 .. 2026-11-12"),
        ("from Monday to Friday last week", "2026-11-09 .. 2026-11-14"),
        ("between Monday and Tuesday", "2026-11-16 .. 2026-11-18"),
        ("from Friday until Sunday", "2026-11-13 .. 2026-11-16"),
        ("from Monday to Wednesday", "2026-11-16 .. 2026-11-19"),
        ("between March and May", "2026-03-01 .. 2026-06-01"),
        ("between March and May 2025", "2025-03-01 .. 2025-06-01"),
        ("from November to January", "2025-11-01 .. 2026-02-01"),
        ("between 3 and 7 November", "2026-11-03 .. 2026-11-08"),
        ("from the 3rd to the 7th of November", "2026-11-03 .. 2026-11-08"),
        ("between 11/3 and 11/5", "2026-11-03 .. 2026-11-06"),
        ("from 2026-11-01 to 2026-11-05", "2026-11-01 .. 2026-11-06"),
        ("since Monday", "2026-11-16 .. 2026-11-19"),
        ("since the beginning of the month", "2026-11-01 .. 2026-11-19"),
        ("since the weekend", "2026-11-14 .. 2026-11-19"),
        ("since 11/3", "2026-11-03 .. 2026-11-19"),
        ("after Monday", "2026-11-17 .. 2026-11-19"),
        ("before last week", "1970-01-01 .. 2026-11-09"),
        ("until yesterday", "1970-01-01 .. 2026-11-18"),
        ("before 2025", "1970-01-01 .. 2025-01-01"),
    ]);
}

/// None of these is a time in the past.
#[test]
fn jv8_english_no_times() {
    check(
        &[
            "next Monday",
            "every Tuesday",
            "tomorrow",
            "on Mondays",
            "by Friday",
            "the coming weekend",
            "next year",
            "I sat down in the sun",
            "they wed in a hurry",
            "the second floor",
            "at first",
            "24/7 support",
            "half of 1/2 cup",
            "version 3.5 is out",
            "may I ask you",
            "march along",
            "spring into action",
            "do you remember my sister?",
            "Who was first?",
            "what did we say about May?",
            "in a week",
            "in two days",
            "the last time",
            "the end of the story",
            "the whole day",
            "I have 3 cats",
            "page 2026",
            "room 11",
            "It was a long night",
            "the past is past",
            "this and that",
            "the next Friday",
        ]
        .map(|text| (text, "nothing")),
    );
}

#[test]
fn jv8_a_date_wins_over_the_weekday_beside_it() {
    check_on_monday(&[
        ("What did we discuss on Friday, November 13?", "2026-11-13 .. 2026-11-14"),
        ("Friday the 13th", "2026-11-13 .. 2026-11-14"),
        ("on Friday the thirteenth", "2026-11-13 .. 2026-11-14"),
        ("Mon Nov 9", "2026-11-09 .. 2026-11-10"),
        ("Sunday 15 November", "2026-11-15 .. 2026-11-16"),
        ("Wednesday 11/11", "2026-11-11 .. 2026-11-12"),
        ("Tuesday, 2026-11-10", "2026-11-10 .. 2026-11-11"),
        ("what did I say on Tuesday the 10th of November?", "2026-11-10 .. 2026-11-11"),
        ("on Thu, 5 Nov 2026", "2026-11-05 .. 2026-11-06"),
        ("Sat 14 Nov", "2026-11-14 .. 2026-11-15"),
        ("on Friday the 13th of March", "2026-03-13 .. 2026-03-14"),
        ("Friday, March 13, 2026", "2026-03-13 .. 2026-03-14"),
        ("on November 13 (Friday)", "2026-11-13 .. 2026-11-14"),
        ("2026-11-10, Tuesday", "2026-11-10 .. 2026-11-11"),
        ("on Friday evening, November 13", "2026-11-13 17:00 .. 2026-11-14"),
        ("on Friday, November 13 in the morning", "2026-11-13 .. 2026-11-13 12:00"),
        ("on Wednesday, November 13", "2026-11-13 .. 2026-11-14"),
        ("last Friday, November 13", "2026-11-13 .. 2026-11-14"),
        ("from Monday, November 9 to Friday, November 13", "2026-11-09 .. 2026-11-14"),
        ("between Tue 3 Nov and Thu 5 Nov", "2026-11-03 .. 2026-11-06"),
        ("since Friday, November 13", "2026-11-13 .. 2026-11-24"),
        ("on Tuesday 11/10/26", "2026-11-10 .. 2026-11-11"),
        ("Tue 10/11", "2026-11-10 .. 2026-11-11"),
        ("last week on Tuesday the 17th", "2026-11-17 .. 2026-11-18"),
        ("Monday 9 - Wednesday 11 November", "2026-11-09 .. 2026-11-12"),
        ("Thursday the 1st", "2026-10-01 .. 2026-10-02"),
        ("on Friday", "2026-11-20 .. 2026-11-21"),
        ("on Friday 13 people came", "2026-11-20 .. 2026-11-21"),
    ]);
}

#[test]
fn jv8_numbers_in_words() {
    check_on_monday(&[
        ("twenty-one days ago", "2026-11-02 .. 2026-11-03"),
        ("twenty two days ago", "2026-11-01 .. 2026-11-02"),
        ("thirty-one days ago", "2026-10-23 .. 2026-10-24"),
        ("thirteen days ago", "2026-11-10 .. 2026-11-11"),
        ("nineteen days ago", "2026-11-04 .. 2026-11-05"),
        ("seventeen days ago", "2026-11-06 .. 2026-11-07"),
        ("a hundred and twenty days ago", "2026-07-26 .. 2026-07-27"),
        ("two hundred days ago", "2026-05-07 .. 2026-05-08"),
        ("in the last twenty-four hours", "2026-11-22 10:00 .. 2026-11-23 10:00"),
        ("between twenty and twenty-five days ago", "2026-10-29 .. 2026-11-04"),
        ("on the twenty-first of November", "2026-11-21 .. 2026-11-22"),
        ("on November the twenty-second", "2026-11-22 .. 2026-11-23"),
        ("on the thirty-first of October", "2026-10-31 .. 2026-11-01"),
        ("two or three days ago", "2026-11-20 .. 2026-11-22"),
        ("one day ago", "2026-11-22 .. 2026-11-23"),
    ]);
}

#[test]
fn jv8_a_week_before_a_day_and_the_week_of_a_date() {
    check_on_monday(&[
        ("a week last Tuesday", "2026-11-10 .. 2026-11-11"),
        ("a week ago last Tuesday", "2026-11-10 .. 2026-11-11"),
        ("two weeks last Friday", "2026-11-06 .. 2026-11-07"),
        ("yesterday week", "2026-11-15 .. 2026-11-16"),
        ("Mon-Wed last week", "2026-11-16 .. 2026-11-19"),
        ("Tuesday–Thursday last week", "2026-11-17 .. 2026-11-20"),
        ("Monday to Wednesday last week", "2026-11-16 .. 2026-11-19"),
        ("Monday through Friday last week", "2026-11-16 .. 2026-11-21"),
        ("the week of November 9th", "2026-11-09 .. 2026-11-16"),
        ("in the week of the 11th", "2026-11-09 .. 2026-11-16"),
        ("the week of Wednesday, November 11", "2026-11-09 .. 2026-11-16"),
        ("the weekend of November 14", "2026-11-14 .. 2026-11-16"),
        ("3 Nov '25", "2025-11-03 .. 2025-11-04"),
        ("Nov 3, '25", "2025-11-03 .. 2025-11-04"),
        ("summer ’24", "2024-06-01 .. 2024-09-01"),
        ("in the previous week", "2026-11-16 .. 2026-11-23"),
        ("in the last week", "2026-11-16 .. 2026-11-24"),
    ]);
}

#[test]
fn jv8_short_forms() {
    check_on_monday(&[
        ("3d ago", "2026-11-20 .. 2026-11-21"),
        ("2w ago", "2026-11-06 .. 2026-11-13"),
        ("5 days ago", "2026-11-18 .. 2026-11-19"),
        ("yday", "2026-11-22 .. 2026-11-23"),
        ("what did we say yday evening", "2026-11-22 17:00 .. 2026-11-23"),
        ("2h ago", "2026-11-23 07:30 .. 2026-11-23 08:30"),
        ("30min ago", "2026-11-23 09:00 .. 2026-11-23 10:00"),
        ("the last 3d", "2026-11-20 .. 2026-11-24"),
        ("Nov 3-5", "2026-11-03 .. 2026-11-06"),
        ("3-5 Nov", "2026-11-03 .. 2026-11-06"),
        ("Nov 3–5, 2025", "2025-11-03 .. 2025-11-06"),
        ("from Nov 3 to 5", "2026-11-03 .. 2026-11-06"),
        ("from September 3rd to the 5th", "2026-09-03 .. 2026-09-06"),
        ("on 11/3-11/5", "2026-11-03 .. 2026-11-06"),
        ("Oct 30 - Nov 2", "2026-10-30 .. 2026-11-03"),
        ("a month and a half ago", "2026-09-23 .. 2026-10-24"),
        ("a week and a half ago", "2026-11-09 .. 2026-11-16"),
        ("one and a half years ago", "2024-11-22 .. 2025-11-24"),
        ("yesterday at 3pm", "2026-11-22 14:00 .. 2026-11-22 16:00"),
        ("at 3:30 p.m. yesterday", "2026-11-22 14:30 .. 2026-11-22 16:30"),
        ("on Friday at 15:00", "2026-11-20 14:00 .. 2026-11-20 16:00"),
        ("on Friday at nine o'clock", "2026-11-20 .. 2026-11-21"),
        ("on Friday evening at eight", "2026-11-20 19:00 .. 2026-11-20 21:00"),
        ("this morning at 9", "2026-11-23 08:00 .. 2026-11-23 10:00"),
        ("yesterday between 3 and 5pm", "2026-11-22 15:00 .. 2026-11-22 17:00"),
        ("on Friday from 9am to 11:30am", "2026-11-20 09:00 .. 2026-11-20 11:30"),
        ("yesterday at noon", "2026-11-22 11:00 .. 2026-11-22 13:00"),
        ("yesterday at 3", "2026-11-22 .. 2026-11-23"),
        ("a 3d printer", "nothing"),
        ("chapters 3-5", "nothing"),
        ("call 555-1234", "nothing"),
        ("it is 3pm", "nothing"),
        ("twenty-one cats", "nothing"),
        ("a week and a half", "nothing"),
    ]);
}
