//! Whether a text asks about what was said (JV8), by the patterns of its language.

use crate::{
    language::Language,
    languages::language_of,
    text::{Word, is_listed, split},
};

/// Only this many words from the beginning and from the end of a text are matched: a question stands at one of the
/// two ends, and a long pasted text between them costs nothing.
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

/// How a question goes on after another, by language: "¿y ayer?", "et mardi ?"
const GOES_ON: [(&str, &str); 2] = [("es", "y"), ("fr", "et")];
/// Words beside the time of such a question.
const BESIDE_TIMES: &str = "el la le l los les pasado pasada dernier derniere passe passee avant";

/// Whether a question has nothing but a time behind its first word.
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

/// The same for a text whose words and language are known.
pub(crate) fn asks(text: &str, words: &[Word<'_>], language: &Language) -> bool {
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
