//! Lexing: converts words to tokens, by the tables of a language.

mod numbers;

use jiff::civil::Date;

use self::numbers::{compound, whole_numbers};
use crate::{
    calendar::{FIRST_YEAR, LAST_YEAR},
    language::{Language, Order},
    text::Word,
    token::Token,
};

/// A token and its position in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lexed {
    pub(crate) token: Token,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The tokens of a text.
pub(crate) fn tokens_of(text: &str, words: &[Word<'_>], language: &Language) -> Vec<Lexed> {
    let lexed = if language.spaced { spaced(text, words, language) } else { unspaced(text, language) };
    dashed(text, whole_numbers(text, lexed, language))
}

/// The tokens of a text with spaces between its words.
fn spaced(text: &str, words: &[Word<'_>], language: &Language) -> Vec<Lexed> {
    let lower: Vec<&str> = words.iter().map(|word| language.bare(&word.folded)).collect();
    let mut lexed = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let start = word.start;
        if let Some((count, tokens)) = language.lexicon().longest(&lower[at..]) {
            let end = words[at + count - 1].end;
            lexed.extend(tokens.iter().map(|token| Lexed { token: *token, start, end }));
            at += count;
            continue;
        }
        if let Some((count, token)) = clock(&lower[at..], language) {
            lexed.push(Lexed { token, start, end: words[at + count - 1].end });
            at += count;
            continue;
        }
        let dot = text[word.end..].starts_with('.');
        let (tokens, end) = match numeral(lower[at], dot, language) {
            _ if text[..start].ends_with(['\'', '’', '‘']) && short_year(lower[at]).is_some() => {
                (short_year(lower[at]).map(Token::Year).into_iter().collect(), word.end)
            }
            Some((tokens, with_dot)) => (tokens, word.end + usize::from(with_dot)),
            None => (compound(lower[at], language).unwrap_or(vec![Token::Word]), word.end),
        };
        lexed.extend(tokens.into_iter().map(|token| Lexed { token, start, end }));
        at += 1;
    }
    lexed
}

/// A year in two digits, as in "Nov '25" and "11/10/26".
fn short_year(word: &str) -> Option<i16> {
    let year: i16 = word.parse().ok().filter(|year| word.len() == 2 && *year >= 0)?;
    Some(if year < 70 { 2000 + year } else { 1900 + year })
}

/// Adds a dash token where a dash is written between two days or months: "Mon-Wed", "3 - 5 May", "3–5 May".
fn dashed(text: &str, lexed: Vec<Lexed>) -> Vec<Lexed> {
    use Token::{Date, MaybeWeekday, Month, MonthDay, Number, Ordinal, Weekday, Year};
    let joinable = |lexed: &Lexed| {
        matches!(
            lexed.token,
            Weekday(_)
                | MaybeWeekday(_)
                | Month(_)
                | Number(_)
                | Ordinal(_)
                | MonthDay(..)
                | Date(_)
                | Year(_)
        )
    };
    let mut dashed: Vec<Lexed> = Vec::with_capacity(lexed.len());
    for next in lexed {
        if let Some(last) = dashed.last().filter(|last| joinable(last) && joinable(&next)) {
            let (start, end) = (last.end, next.start);
            let mark = text.get(start..end).unwrap_or_default();
            if matches!(mark.trim_start_matches('.').trim(), "-" | "–" | "—") {
                dashed.push(Lexed { token: Token::Dash, start, end });
            }
        }
        dashed.push(next);
    }
    dashed
}

/// An hour with minutes or a half of the day, "3pm", "3:30 p.m.", "15:30", "15h30", and its number of words.
fn clock(words: &[&str], language: &Language) -> Option<(usize, Token)> {
    let word = words.first()?;
    let digits = |word: &str| word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
    let (hour, rest) = word.split_at(digits(word));
    let hour: i8 = hour.parse().ok().filter(|hour| (0..=24).contains(hour))?;
    let (minute, ending) = match rest.strip_prefix([':', 'h']) {
        Some(rest) if digits(rest) == 2 => (rest[..2].parse().ok(), &rest[2..]),
        _ => (None, rest),
    };
    let minute: Option<i8> = minute.filter(|minute| *minute < 60);
    let half = |word: &str| match word {
        "am" if language.is_english() => Some(false),
        "pm" => Some(true),
        _ => None,
    };
    let (taken, late) = match (ending, &words[1..]) {
        ("", ["a", "m", ..]) if language.is_english() => (3, Some(false)),
        ("", ["p", "m", ..]) => (3, Some(true)),
        // "15 h 30"
        ("", ["h", minutes, ..]) if minutes.len() == 2 && digits(minutes) == 2 => {
            let minute = minutes.parse().ok().filter(|minute| *minute < 60)?;
            return Some((3, Token::Clock(hour % 24, minute)));
        }
        ("", [next, ..]) if half(next).is_some() => (2, half(next)),
        ("", _) => (1, None),
        _ => (1, Some(half(ending)?)),
    };
    let hour = match late {
        // without "am" or "pm", 3:30 was more likely in the afternoon than at night
        None if language.is_english() && (1..7).contains(&hour) => minute.map(|_| hour + 12)?,
        None => minute.map(|_| hour % 24)?,
        Some(late) if (1..=12).contains(&hour) => hour % 12 + if late { 12 } else { 0 },
        Some(_) => return None,
    };
    Some((taken, Token::Clock(hour, minute.unwrap_or(0))))
}

/// The meaning of a word that begins with a digit ("3-5", "3d" or a number), and whether the dot after it belongs to
/// it.
fn numeral(word: &str, dot: bool, language: &Language) -> Option<(Vec<Token>, bool)> {
    if let Some((token, with_dot)) = number(word, dot, language) {
        return Some((vec![token], with_dot));
    }
    if let Some((first, second)) = word.split_once('-') {
        let (first, _) = number(first, false, language)?;
        let (second, with_dot) = number(second, dot, language)?;
        return Some((vec![first, Token::Dash, second], with_dot));
    }
    let (digits, unit) = word.split_at(word.find(|c: char| !c.is_ascii_digit())?);
    let count = digits.parse().ok().filter(|count| (1..=1_000).contains(count))?;
    let short =
        language.short_units.iter().find(|(short, _)| *short == unit).map(|(_, unit)| Token::Unit(*unit));
    let known = || language.lexicon().single(unit).filter(|token| matches!(token, Token::Unit(_)));
    Some((vec![Token::Number(count), short.or_else(known)?], false))
}

/// The meaning of a word of digits, and whether the dot after it belongs to it.
fn number(word: &str, dot: bool, language: &Language) -> Option<(Token, bool)> {
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Some(date) = date(word, language.order) {
        return Some((date, dot && word.contains('.')));
    }
    let ending = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
    let (digits, ending) = word.split_at(ending);
    let number: i32 = digits.parse().ok()?;
    if !ending.is_empty() {
        let day = i8::try_from(number).ok().filter(|day| (1..=31).contains(day))?;
        return language.ordinal_endings.contains(&ending).then_some((Token::Ordinal(day), false));
    }
    if dot && language.dotted_ordinals && (1..=31).contains(&number) {
        return Some((Token::Ordinal(number as i8), true));
    }
    Some((plain_number(digits.len(), number)?, false))
}

fn plain_number(digits: usize, number: i32) -> Option<Token> {
    let year = i16::try_from(number).ok();
    let year = year.filter(|year| digits == 4 && (FIRST_YEAR..=LAST_YEAR).contains(year));
    match year {
        Some(year) => Some(Token::Year(year)),
        None => (1..=1_000).contains(&number).then_some(Token::Number(number)),
    }
}

/// A date in digits: `2026-11-17`, `2026/11/17`, `17.11.2026`, `17.11`, `11/17/2026`, `11/17`. With dots the day
/// comes first. With slashes the language decides the order, unless only the other order is a date.
fn date(word: &str, order: Order) -> Option<Token> {
    let mark = word.chars().find(|c| !c.is_ascii_digit()).filter(|c| matches!(c, '-' | '/' | '.'))?;
    let parts: Vec<&str> = word.split(mark).collect();
    let short = |part: &str| part.parse::<i8>().ok().filter(|_| part.len() <= 2);
    let year = |part: &str| part.parse::<i16>().ok().filter(|_| part.len() == 4);
    let month_and_day = |first: i8, second: i8| {
        let day_first = mark == '.' || order == Order::DayFirst;
        let (month, day) = if day_first { (second, first) } else { (first, second) };
        let real = |month: i8, day: i8| Date::new(2024, month, day).is_ok(); // a leap year
        match mark {
            _ if real(month, day) => Some((month, day)),
            '/' if real(day, month) => Some((day, month)),
            _ => None,
        }
    };
    match parts.as_slice() {
        [first, second, third] if first.len() == 4 => {
            Some(Token::Date(Date::new(year(first)?, short(second)?, short(third)?).ok()?))
        }
        [first, second, third] => {
            let (month, day) = month_and_day(short(first)?, short(second)?)?;
            Some(Token::Date(Date::new(year(third).or_else(|| short_year(third))?, month, day).ok()?))
        }
        [first, second] if mark != '-' => {
            let (month, day) = month_and_day(short(first)?, short(second)?)?;
            Some(Token::MonthDay(month, day))
        }
        _ => None,
    }
}

/// The tokens of a text without spaces between its words. The text between two tokens is one word.
fn unspaced(text: &str, language: &Language) -> Vec<Lexed> {
    let mut lexed: Vec<Lexed> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let date = date_in(rest, language.order);
        let (length, tokens) = match (language.lexicon().longest_in(rest), digits(rest)) {
            _ if let Some((length, date)) = date => (length, vec![date]),
            (Some((length, tokens)), _) => (length, tokens.to_vec()),
            (None, Some((length, count, number))) => {
                (length, vec![plain_number(count, number).unwrap_or(Token::Word)])
            }
            (None, None) if c.is_whitespace() => (c.len_utf8(), Vec::new()),
            (None, None) => (c.len_utf8(), vec![Token::Word]),
        };
        lexed.extend(tokens.into_iter().map(|token| Lexed { token, start: at, end: at + length }));
        at += length;
    }
    lexed
}

/// A date in digits at the beginning of a text, and its number of bytes.
fn date_in(text: &str, order: Order) -> Option<(usize, Token)> {
    let length =
        text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '/' | '-' | '.')).unwrap_or(text.len());
    Some((length, date(&text[..length], order)?))
}

/// A number at the beginning of a text, in ASCII or full-width digits: its bytes, its digits, and its value.
fn digits(text: &str) -> Option<(usize, usize, i32)> {
    let (mut length, mut number, mut count) = (0, 0_i32, 0);
    for c in text.chars() {
        let value = match c {
            '0'..='9' => c as i32 - '0' as i32,
            '０'..='９' => c as i32 - '０' as i32,
            _ => break,
        };
        number = number.checked_mul(10)?.checked_add(value)?;
        length += c.len_utf8();
        count += 1;
    }
    (count > 0).then_some((length, count, number))
}
