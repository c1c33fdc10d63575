//! Combines numbers of several words ("twenty-one", "treinta y uno"), and splits compounds of two parts
//! ("einundzwanzig", "veintiuno", "Montagabend").

use super::{Language, Lexed, Token};

/// Replaces the tokens of each number by one token.
pub(crate) fn whole_numbers(text: &str, lexed: Vec<Lexed>, language: &Language) -> Vec<Lexed> {
    let mut whole: Vec<Lexed> = Vec::with_capacity(lexed.len());
    for next in lexed {
        whole.push(next);
        while let Some((taken, number)) = last_number(text, &whole, language) {
            whole.truncate(whole.len() - taken);
            whole.push(number);
        }
    }
    whole
}

/// The number that the last tokens form together, and its number of tokens.
fn last_number(text: &str, lexed: &[Lexed], language: &Language) -> Option<(usize, Lexed)> {
    let (second, before) = lexed.split_last()?;
    let (taken, first) = match before {
        // "between twenty and five"
        [.., Lexed { token: Token::Between, .. }, _, Lexed { token: Token::And, .. }] => return None,
        [.., first, Lexed { token: Token::And, .. }] => (3, first),
        [.., first] => (2, first),
        [] => return None,
    };
    let in_words = |part: &Lexed| {
        let word = text.get(part.start..part.end).unwrap_or_default();
        let digit = |c: char| c.is_ascii_digit() || ('０'..='９').contains(&c);
        !word.starts_with(digit) && !["a", "an"].iter().any(|article| word.eq_ignore_ascii_case(article))
    };
    if !in_words(first) || !in_words(second) {
        return None;
    }
    let token = match (first.token, second.token) {
        (Token::Number(first), Token::Number(second)) => {
            Token::Number(together(first, second, taken == 3, language)?)
        }
        (Token::Number(tens @ (20 | 30)), Token::Nth(unit @ 1..=9)) if taken == 2 => {
            Token::Nth(i8::try_from(tens).ok()? + unit)
        }
        _ => return None,
    };
    Some((taken, Lexed { token, start: first.start, end: second.end }))
}

/// Combines two numbers: 20 and 1 are 21, 2 and 100 are 200, 二 and 十 are 20. French counts up to 19 after 60 and 80.
fn together(first: i32, second: i32, and: bool, language: &Language) -> Option<i32> {
    let adds = match first % 100 {
        _ if first == 0 || second == 0 => false,
        0 => second < 100,
        10 => !language.spaced && second < 10,
        60 | 80 if language.elision => second < 20,
        tens => tens % 10 == 0 && second < 10,
    };
    let multiplies = !and && (2..=9).contains(&first) && (second == 100 || !language.spaced && second == 10);
    match (adds, multiplies) {
        (true, _) => Some(first + second),
        (_, true) => Some(first * second),
        _ => None,
    }
}

/// The tokens of a compound word: a number, or a weekday and a part of the day.
pub(crate) fn compound(word: &str, language: &Language) -> Option<Vec<Token>> {
    let (first, second) = (language.compound)(word)?;
    match (language.lexicon().single(first)?, language.lexicon().single(second)?) {
        (Token::Number(tens @ 20..=90), Token::Number(unit @ 1..=9)) => {
            Some(vec![Token::Number(tens + unit)])
        }
        (Token::Nth(tens @ 20..=30), Token::Number(unit @ 1..=9)) => {
            Some(vec![Token::Nth(tens + i8::try_from(unit).ok()?)])
        }
        (weekday @ Token::Weekday(_), part @ Token::Part(_)) => Some(vec![weekday, part]),
        _ => None,
    }
}
