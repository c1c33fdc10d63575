//! Short forms of names: one word of several, a handle without its number, words joined to one, and nicknames (MP5).

use std::collections::{BTreeMap, HashSet};

use greenroom_lang::{fold, nicknames_of};

use super::{
    Name, SHORTEST_FORM,
    common::{is_common_form, is_particle},
};
use crate::words::tokens::Tokens;

/// The shortest name that several words may be joined to, in bytes.
const SHORTEST_JOINED: usize = 5;

/// A short form, and whether it is also a common word.
type Form = (String, bool);

/// The short forms that only one name has. A nickname yields to a name or a part of a name: "Liz" is Liz, not Elizabeth.
pub(super) fn of<S: AsRef<str>>(written: &[S], names: &[Name]) -> Vec<Name> {
    let whole = names.iter().filter(|name| name.words.len() == 1).map(|name| name.words[0].clone());
    let mut taken: HashSet<String> = whole.collect();
    let mut short = Vec::new();
    for forms in [parts, nicknames] {
        let mut owners: BTreeMap<String, Option<(usize, bool)>> = BTreeMap::new();
        for (of, name) in written.iter().enumerate() {
            for (form, common) in forms(name.as_ref()) {
                let owner = owners.entry(form).or_insert(Some((of, common)));
                *owner = owner.filter(|(other, _)| *other == of);
            }
        }
        owners.retain(|form, _| !taken.contains(form));
        taken.extend(owners.keys().cloned());
        let named = owners.into_iter().filter_map(|(form, owner)| Some((form, owner?)));
        short.extend(named.map(|(form, (of, common))| Name { words: vec![form], of, short: true, common }));
    }
    short
}

/// The words of a name that may stand for it, without decoration.
fn telling<'a>(words: &'a [&str]) -> Vec<&'a str> {
    let bare = words.iter().map(|word| undecorated(word));
    let tells = |word: &&str| word.chars().any(char::is_alphabetic) && !is_particle(word);
    bare.filter(tells).collect()
}

/// The parts of a name, also joined and with umlauts in two letters.
fn parts(name: &str) -> Vec<Form> {
    let tokens = Tokens::of(name);
    let words: Vec<&str> = tokens.lower().collect();
    let telling = telling(&words);
    // the words of a handle are often other words: "night_owl"
    let handle = telling.len() > 1 && !name.contains(char::is_uppercase);
    let is_common = |word: &str| is_common_form(word) || handle && nicknames_of(word).is_empty();
    let shorter = words.len() > 1 || telling.first().is_some_and(|first| first.len() < name.len());
    let mut forms: Vec<Form> = Vec::new();
    for part in &telling {
        let (plain, spelled) = (fold(part), spelled(part));
        let common = is_common(&plain);
        forms.extend((spelled != *part).then_some((spelled, common)));
        forms.extend(shorter.then_some((plain, common)));
    }
    for length in 2..=words.len() {
        let joined = words[..length].concat();
        if joined.len() >= SHORTEST_JOINED {
            forms.extend([(fold(&joined), false), (fold(&spelled(&joined)), false)]);
        }
    }
    forms.retain(|(form, _)| form.chars().count() >= SHORTEST_FORM && !is_particle(form));
    forms.dedup();
    forms
}

/// The nicknames of the first word of a name.
fn nicknames(name: &str) -> Vec<Form> {
    let tokens = Tokens::of(name);
    let words: Vec<&str> = tokens.lower().collect();
    let first = telling(&words).first().map(|first| fold(first));
    let nicknames = first.as_deref().map_or(&[][..], nicknames_of);
    let usable = |form: &&&str| form.len() >= SHORTEST_FORM && !is_particle(form);
    nicknames.iter().filter(usable).map(|form| ((*form).to_owned(), is_common_form(form))).collect()
}

/// A word with its umlauts in two letters: "juergen".
fn spelled(word: &str) -> String {
    word.replace('ä', "ae").replace('ö', "oe").replace('ü', "ue")
}

/// A handle without a number at its end, and without two or more x at both sides: "caroline92", "xXCarolineXx".
fn undecorated(word: &str) -> &str {
    let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
    match (bare.strip_prefix("xx"), bare.strip_suffix("xx")) {
        (Some(_), Some(_)) => bare.trim_matches('x'),
        _ => bare,
    }
}
