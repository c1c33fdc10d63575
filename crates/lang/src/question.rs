//! Detection of questions about what was said (JV8), by the patterns of the text's language.

use crate::{
    language::Language,
    languages::language_of,
    text::{Word, is_listed, split},
    token::Token,
    tokens::tokens_of,
};

/// How many words from the beginning and from the end of a text are matched. A question is usually at one of the two
/// ends, so a long pasted text between them costs nothing.
const LOOKED_AT: usize = 150;

/// The first words of a request, in all languages.
const REQUESTS: [&str; 21] = [
    "tell",
    "remind",
    "show",
    "give",
    "summarise",
    "summarize",
    "recap",
    "sag",
    "sage",
    "zeig",
    "erzahl",
    "nenne",
    "dime",
    "cuentame",
    "resume",
    "recuerdame",
    "dis",
    "rappelle",
    "raconte",
    "montre",
    "please",
];

/// The first words of follow-up questions, by language: "¿y ayer?", "et mardi ?"
const GOES_ON: [(&str, &str); 2] = [("es", "y"), ("fr", "et")];
/// Words that may accompany the time in such a question.
const BESIDE_TIMES: &str = "el la le l los les pasado pasada dernier derniere passe passee avant";

/// Whether a follow-up question contains nothing but a time after its first word.
fn goes_on(language: &Language, words: &[[&str; 2]]) -> bool {
    let Some(([first, _], rest)) = words.split_first() else { return false };
    let times = language.lists.iter().find(|(name, _)| *name == "when").map_or("", |(_, words)| *words);
    let names_time = |[word, bare]: &[&str; 2]| {
        is_listed(times, word) || is_listed(times, bare) || is_listed(BESIDE_TIMES, word)
    };
    GOES_ON.contains(&(language.code, *first)) && !rest.is_empty() && rest.iter().all(names_time)
}

/// Whether a text asks about something that was said: "what did we discuss", "do you remember", "tell me what we
/// talked about", "worüber haben wir gesprochen". "Remember that …" is no question.
///
/// ```
/// use greenroom_lang::is_recall_question;
///
/// assert!(is_recall_question("What did we talk about on Monday?"));
/// assert!(!is_recall_question("Remember that I prefer tea."));
/// ```
pub fn is_recall_question(text: &str) -> bool {
    let words = split(text);
    asks(text, &words, language_of(text, &words))
}

/// Like [`is_recall_question`], for a text whose words and language are known.
pub(crate) fn asks(text: &str, words: &[Word<'_>], language: &Language) -> bool {
    if asks_for_a_time(text, language) {
        return true;
    }
    if !language.spaced {
        return language.questions.iter().any(|phrase| text.contains(phrase));
    }
    let folded: Vec<[&str; 2]> =
        words.iter().map(|word| [&*word.folded, language.bare(&word.folded)]).collect();
    let request = folded.iter().take(3).any(|[word, _]| REQUESTS.contains(word));
    let asked = request || text.contains('?');
    let asks_here = |at: usize| language.patterns().any_begins(&folded[at..], asked);
    if asked && goes_on(language, &folded) {
        return true;
    }
    let end = folded.len();
    (0..end.min(LOOKED_AT)).chain(end.saturating_sub(LOOKED_AT).max(LOOKED_AT)..end).any(asks_here)
}

/// The maximum length in bytes of a question that consists of a time alone.
const LONGEST_FOR_A_TIME: usize = 120;

/// The beginnings of such questions.
const OF_A_TIME: [&str; 23] = [
    "what was on ",
    "what was up ",
    "what was going on ",
    "what was it ",
    "what was ",
    "what were we on about ",
    "what were you on about ",
    "what happened ",
    "what about ",
    "how about ",
    "anything from ",
    "anything on ",
    "anything new from ",
    "so what was ",
    "was war denn ",
    "was war so ",
    "was war da ",
    "was war ",
    "was gab es ",
    "was gab's ",
    "was gabs ",
    "じゃあ",
    "では",
];

/// Whether a question consists of a time alone: "und vorgestern?", "Was war vor zehn Tagen?", "昨日は？". With a year it is
/// a question about the world, and with a future day about plans, so these do not count.
fn asks_for_a_time(text: &str, language: &Language) -> bool {
    let text = text.trim();
    if text.len() > LONGEST_FOR_A_TIME {
        return false;
    }
    // people leave the question mark out in chats, but "and yesterday" may also continue a statement
    let (said, asks) = match text.strip_suffix(['?', '？']) {
        Some(said) => (said, true),
        None => (text, false),
    };
    let said = said.trim().trim_start_matches('¿').to_lowercase();
    let opened = OF_A_TIME.iter().find_map(|opening| said.strip_prefix(opening));
    let rest = opened.unwrap_or(&said);
    let tokens: Vec<Token> =
        tokens_of(rest, &split(rest), language).iter().map(|lexed| lexed.token).collect();
    let is_past = |token: &Token| {
        use Token::{Ago, AgoOrBefore, BeforeLast, Day, Last, Past, Recently};
        matches!(token, Last | BeforeLast | Ago | AgoOrBefore | Past | Recently)
            || matches!(token, Day(days) if *days < 0)
    };
    let is_named = |token: &Token| {
        use Token::{Date, Day, Edge, Holiday, Month, MonthDay, Part, This, Weekday};
        matches!(
            token,
            Date(_) | Day(_) | Edge(_) | Holiday(..) | Month(_) | MonthDay(..) | Part(_) | This | Weekday(_)
        )
    };
    let goes_on = tokens.first() == Some(&Token::And) || !language.spaced && rest.ends_with('は');
    let of_times = |token: &Token| {
        !matches!(token, Token::Word | Token::Year(_) | Token::NotPast | Token::Coming | Token::Until)
    };
    tokens.iter().all(of_times)
        && match opened.filter(|_| language.spaced) {
            Some(_) => tokens.iter().any(|token| is_past(token) || is_named(token)),
            None => asks && goes_on && tokens.iter().any(is_past),
        }
}
