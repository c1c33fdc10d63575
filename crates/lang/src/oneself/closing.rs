//! Removal of phrases at the end of a clause that say nothing about the fact: "…, by the way", "… if that helps".

use std::sync::LazyLock;

use crate::{phrases::Phrases, text::Word};

/// Closing phrases, separated by `|`. They may begin like a supposition.
const CLOSINGS: &str = "if that matters|if that helps|if it matters|if it helps|if you must know|if anyone cares|if you're curious|\
    if you want to know|if you were wondering|in case that matters|in case it matters|in case you wondered|in case you're wondering|\
    btw|by the way|tbh|to be honest|lol|haha|hehe|after all|you know|\
    falls das hilft|falls das wichtig ist|falls es interessiert|wenn das hilft|falls dich das interessiert|ubrigens|haha|\
    por si ayuda|por si importa|por si sirve|por si te interesa|por cierto|jaja|jeje|\
    si ca aide|si ca peut aider|si ca t'interesse|au cas ou|au fait|d'ailleurs|mdr";

/// The words of a clause without its closing phrases.
pub(super) fn closed<'a, 'b>(words: &'b [Word<'a>]) -> &'b [Word<'a>] {
    static PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(CLOSINGS));
    let closes = |at: &usize| PHRASES.lengths(&words[*at..]).any(|length| at + length == words.len());
    // from the end: "…, tbh, if that helps"
    match (1..words.len()).rev().find(closes) {
        Some(at) => closed(&words[..at]),
        None => words,
    }
}
