//! Tokens: the time meanings of words. The grammar sees only tokens, so that it serves every language.

use jiff::civil::{Date, Weekday};

use crate::calendar::{Edge, Part, Unit};

/// The time meaning of a word or a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    /// The day with this offset from today.
    Day(i32),
    Unit(Unit),
    Weekday(Weekday),
    /// A weekday that may also be another word, as "sat".
    MaybeWeekday(Weekday),
    /// A weekday in the plural.
    Weekdays(Weekday),
    Month(i8),
    /// A season by its first month.
    Season(i8),
    /// A month, a day of it, and the number of days from that day on.
    Holiday(i8, i8, i8),
    Part(Part),
    Edge(Edge),
    /// The previous or the latest one: "last".
    Last,
    /// The one before the previous one: "before last".
    BeforeLast,
    /// The time up to now.
    Past,
    This,
    /// A marker that the following time is in the future or repeats.
    NotPast,
    /// The words beside it refer to the future: "la semana que viene".
    Coming,
    Number(i32),
    Couple,
    Few,
    /// "and a half".
    AndHalf,
    /// An hour and a minute.
    Clock(i8, i8),
    /// A marker that the number before it is an hour.
    OClock,
    /// An ordinal in digits.
    Ordinal(i8),
    /// An ordinal in letters, which is seldom a date.
    Nth(i8),
    Quarter(i8),
    Year(i16),
    Date(Date),
    /// A month and a day of it.
    MonthDay(i8, i8),
    Ago,
    /// "Ago" before a length, "before" before a time: German "vor".
    AgoOrBefore,
    Since,
    Until,
    Before,
    After,
    Between,
    And,
    Or,
    From,
    To,
    /// A dash between two times, as in "Mon-Wed".
    Dash,
    Of,
    At,
    The,
    /// The last few days.
    Recently,
    /// As in "the other day".
    Other,
    /// Any other word.
    Word,
}
