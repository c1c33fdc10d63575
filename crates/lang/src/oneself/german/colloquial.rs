//! German as people write it in chats: other spellings, no subject, and the verb at the end of a clause. A clause that
//! no pattern matches is tried again with the subject first and the verb after it.

use super::words::LISTS;
use crate::text::{Word, is_listed};

/// Chat spellings, and the standard words.
const SPELLINGS: [(&str, &str); 14] = [
    ("nich", "nicht"),
    ("net", "nicht"),
    ("ned", "nicht"),
    ("nix", "nichts"),
    ("ham", "haben"),
    ("is", "ist"),
    ("jez", "jetzt"),
    ("jetz", "jetzt"),
    ("vllt", "vielleicht"),
    ("evtl", "vielleicht"),
    ("nem", "einem"),
    ("ner", "einer"),
    ("glaubs", "glaube"),
    ("selbstandig", "selbststandig"),
];

/// Verbs in the first person that are neither nouns nor orders, and before which "ich" may be left out.
const WITHOUT_SUBJECT: &str = "bin hab habe wohn wohne heiss heisse mag darf muss kann vertrag vertrage ernahr ernahre ess esse trinke \
    studier studiere lebe leb werd werde reagier reagiere leide sitze sitz hasse hass rauche arbeite jobbe komme stamme krieg kriege \
    bekomme brauch brauche spritze verzichte promoviere unterrichte";

/// Verbs in the first person that may end a subordinate clause.
const LAST: &str = "bin hab habe wohn wohne lebe leb arbeite arbeit heisse heiss mag ess esse trink trinke sitze sitz komme komm stamme \
    vertrage vertrag leide studiere studier spiele spiel lerne lern hasse liebe rauche ernahre reagiere darf kann muss brauche trage \
    unterrichte mache mach gehe geh spritze werde";
const LAST_OF_US: &str = "sind haben wohnen leben arbeiten heissen mogen essen trinken kommen stammen vertragen studieren spielen durfen \
    konnen mussen brauchen";
/// The same for the author's relatives.
const LAST_OF_OTHERS: &str =
    "ist hat wohnt lebt arbeitet heisst mag isst trinkt kommt stammt vertragt studiert darf sitzt";

/// Verbs in the plural.
const OF_US: &str = "haben sind wohnen leben heiraten ziehen erwarten mogen essen trinken arbeiten";

/// Words that may be the subject of the verb before them.
const SUBJECTS: &str = "ich wir du er sie es man ihr jemand wer keiner niemand";

/// Verbs of a home.
const LIVE: &str = "wohne wohn wohnen lebe leb leben";

/// The words in standard spelling, if one of them has another.
pub(crate) fn respelled<'a>(words: &[Word<'a>]) -> Option<Vec<Word<'a>>> {
    let usual = |word: &Word<'_>| SPELLINGS.iter().find(|(other, _)| *other == word.folded);
    words.iter().any(|word| usual(word).is_some()).then(|| {
        let word = |word: &Word<'a>| {
            let folded = usual(word).map_or_else(|| word.folded.clone(), |(_, usual)| (*usual).into());
            Word { folded, ..*word }
        };
        words.iter().map(word).collect()
    })
}

/// Whether a clause begins at `at`. It begins with a subject that does not continue the words before it, or without a
/// subject: "…, hab Heuschnupfen", "…, wenn du kochst".
pub(crate) fn begins(text: &str, words: &[Word<'_>], at: usize, with_subject: bool) -> bool {
    if with_subject && !goes_on(words, at) {
        return true;
    }
    let behind_mark = text[words[at - 1].end..].trim_start().starts_with([',', ';', '-', '–', '—', '(']);
    let next = words.get(at + 1).map_or("", |word| &word.folded);
    let subject = words[at + 1..].iter().take(2).any(|word| is_listed(SUBJECTS, &word.folded));
    let is_condition = || is_listed("wenn falls bevor", &words[at].folded) && is_listed("du ihr", next);
    // "hab gekündigt, bin jetzt bei …" is one fact
    let goes_on = is_listed("jetzt nun inzwischen mittlerweile", next);
    // "…, Kaffee trinke ich nicht"
    let object_first = || {
        (1..=2).any(|verb| {
            let is = |list: &str, at: usize| words.get(at).is_some_and(|word| is_listed(list, &word.folded));
            is(LAST, at + verb) && is("ich wir", at + verb + 1)
        }) && !is_listed("wenn falls ob weil da dass als wo was wie dann sonst", &words[at].folded)
    };
    behind_mark
        && (is_condition()
            || object_first()
            || is_listed(WITHOUT_SUBJECT, &words[at].folded) && !subject && !goes_on)
}

/// Whether words that look like the beginning of a clause continue the words before them: "nach Bremen, da wohne ich",
/// "Mia und ich haben …".
fn goes_on(words: &[Word<'_>], at: usize) -> bool {
    let is = |list: &str, at: usize| words.get(at).is_some_and(|word| is_listed(list, &word.folded));
    let of_place = is("da", at) && is(LIVE, at + 1) || is("da", at - 1) && is(LIVE, at);
    let of_us = is("und", at - 1) && is("ich", at) && is(OF_US, at + 1);
    of_place || of_us
}

/// The clause in other word orders, and with its missing subject.
pub(crate) fn variants<'a>(text: &str, words: &[Word<'a>]) -> Vec<Vec<Word<'a>>> {
    [of_us(words), verb_second(words), with_subject(words), apposed(text, words)]
        .into_iter()
        .flatten()
        .collect()
}

/// "mein Ältester, der Jonathan, hat …" becomes "mein Ältester namens Jonathan". The name must be between commas, so
/// that a relative clause does not match: "mein Bruder, der Fußball spielt".
fn apposed<'a>(text: &str, words: &[Word<'a>]) -> Option<Vec<Word<'a>>> {
    const TITLES: &str = "frau herr";
    let between =
        |at: usize| text[words[at].end..words.get(at + 1).map_or(text.len(), |next| next.start)].trim();
    let written =
        |at: usize| words.get(at).is_some_and(|word| text[word.start..].starts_with(char::is_uppercase));
    let ends = |at: usize| at + 1 == words.len() || between(at).starts_with([',', '.', '!', ';', ')']);
    (0..words.len()).find_map(|mine| {
        let whose = mine + of_whom(&words[mine..])?.checked_sub(1)?;
        let article = words.get(whose + 1).filter(|_| between(whose) == ",")?;
        let titled = is_listed("der die", &article.folded);
        let mut name = whose + 1 + usize::from(titled);
        let title = words.get(name).is_some_and(|word| is_listed(TITLES, &word.folded));
        name += usize::from(title);
        let pair = words.get(name + 1).is_some_and(|and| and.folded == "und") && ends(name + 2);
        // "mein Chef, der Idiot"
        let calls_names = titled && !title && is_of("boss", words, whose);
        let is_name = name < words.len()
            && !calls_names
            && (title || written(name))
            && (ends(name) || pair && written(name + 2));
        is_name.then(|| {
            let called = Word { folded: "namens".into(), ..words[name] };
            let names = &words[name..=if ends(name) { name } else { name + 2 }];
            words[mine..=whose].iter().map(copied).chain([called]).chain(names.iter().map(copied)).collect()
        })
    })
}

/// "Mia und ich haben uns getrennt" becomes "wir haben uns getrennt".
fn of_us<'a>(words: &[Word<'a>]) -> Option<Vec<Word<'a>>> {
    let found = words.windows(3).take(4).position(|next| {
        next[0].folded == "und" && next[1].folded == "ich" && is_listed(OF_US, &next[2].folded)
    });
    let at = found.filter(|at| *at > 0)? + 1;
    let wir = Word { folded: "wir".into(), ..words[at] };
    Some(std::iter::once(wir).chain(words[at + 1..].iter().map(copied)).collect())
}

/// "(da) ich im Rollstuhl sitze" becomes "ich sitze im Rollstuhl".
fn verb_second<'a>(words: &[Word<'a>]) -> Option<Vec<Word<'a>>> {
    let joined = words.first().is_some_and(|word| is_listed("seit seitdem zumal wo", &word.folded));
    let words = &words[usize::from(joined)..];
    let (first, last) = (words.first()?, words.last()?);
    let (verbs, behind) = match &*first.folded {
        "ich" => (LAST, 1),
        "wir" => (LAST_OF_US, 1),
        _ => (LAST_OF_OTHERS, of_whom(words)?),
    };
    if words.len() < behind + 2 || is_listed(verbs, &words[behind].folded) {
        return None;
    }
    // the main clause may follow without a comma: "weil ich Vegetarier bin gibt es Linsen"
    let verb = match is_listed(verbs, &last.folded) {
        true => words.len() - 1,
        false => words.iter().position(|word| is_listed(verbs, &word.folded))?,
    };
    let (subject, rest) = words[..verb].split_at_checked(behind)?;
    Some(subject.iter().chain([&words[verb]]).chain(rest).map(copied).collect())
}

/// The number of words that name a relative of the author at the beginning of a clause.
fn of_whom(words: &[Word<'_>]) -> Option<usize> {
    let kin = |at: &usize| ["kin", "pet", "boss"].iter().any(|name| is_of(name, words, *at));
    if !is_of("mein", words, 0) {
        return None;
    }
    [1, 2, 3].into_iter().find(kin).map(|at| at + 1)
}

/// Whether the word at `at` is in the list with this name.
fn is_of(name: &str, words: &[Word<'_>], at: usize) -> bool {
    let mut lists = LISTS.iter().filter(|(listed, _)| *listed == name);
    words.get(at).is_some_and(|word| lists.any(|(_, list)| is_listed(list, &word.folded)))
}

/// "wohn in Kiel" becomes "ich wohn in Kiel".
fn with_subject<'a>(words: &[Word<'a>]) -> Option<Vec<Word<'a>>> {
    let first = words.first()?;
    let named = words.iter().skip(1).take(2).any(|word| is_listed(SUBJECTS, &word.folded));
    let may_be = words.iter().skip(1).any(|word| word.folded == "sein");
    if !is_listed(WITHOUT_SUBJECT, &first.folded) || named || may_be {
        return None;
    }
    let subject = Word { folded: "ich".into(), start: first.start, end: first.start };
    Some(std::iter::once(subject).chain(words.iter().map(copied)).collect())
}

fn copied<'a>(word: &Word<'a>) -> Word<'a> {
    Word { folded: word.folded.clone(), ..*word }
}
