//! Whether somebody asks for what was said (JV8).

use super::split;
use crate::words::one_of;

/// Words between "did we" and what was done, which change nothing.
const FILLERS: &str = " ever last just already once actually also previously exactly recently first again ";
/// What is done in a conversation.
const SAYING: &str = " ask agree chat cover decide discuss mention plan say settle speak suggest talk tell ";
const SAID: &str = " asked agreed chatted covered decided discussed mentioned planned said settled spoken \
    suggested talked told ";
const BEING_SAID: &str = " asking chatting covering deciding discussing mentioning planning saying speaking \
    suggesting talking telling ";

/// Whether `text` asks for something that was said: "what did we discuss", "do you remember", "have
/// we talked about", "when did we last speak". "Remember that …" asks for nothing.
///
/// ```
/// use greenroom_memory::is_recall_question;
///
/// assert!(is_recall_question("What did we talk about on Monday?"));
/// assert!(!is_recall_question("Remember that I prefer tea."));
/// ```
pub fn is_recall_question(text: &str) -> bool {
    let words = split(text);
    let words: Vec<&str> = words.iter().map(|word| &*word.lower).collect();
    (0..words.len()).any(|at| asks(&words[at..]))
}

fn asks(words: &[&str]) -> bool {
    match words {
        ["do" | "don't" | "can" | "can't" | "could", "you", rest @ ..] => {
            matches!(rest, ["remember" | "recall", ..] | ["still", "remember" | "recall", ..])
        }
        ["did" | "didn't", "i" | "we" | "you", rest @ ..] => begins(rest, SAYING),
        ["have" | "haven't" | "had" | "hadn't", "i" | "we" | "you", rest @ ..] => {
            let said = rest.strip_prefix(&["been"]);
            begins(rest, SAID) || said.is_some_and(|rest| begins(rest, BEING_SAID))
        }
        ["were" | "weren't", "we" | "you", rest @ ..] | ["was", "i", rest @ ..] => begins(rest, BEING_SAID),
        ["last", "time", "we", verb, ..] => one_of(SAID, verb) || *verb == "spoke",
        ["remind", "me", "what" | "when" | "where" | "which" | "who" | "why" | "how", ..] => true,
        ["what", "do" | "did", "you", "remember" | "recall" | "know", "about", "me" | "us", ..] => true,
        _ => false,
    }
}

/// Whether one of `verbs` comes next, fillers aside.
fn begins(words: &[&str], verbs: &str) -> bool {
    words.iter().find(|word| !one_of(FILLERS, word)).is_some_and(|word| one_of(verbs, word))
}
