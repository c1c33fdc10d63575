//! Detection of corrections that name the old value: "it's Linz now, not Graz", „jetzt Linz statt Graz“, 「福岡じゃなくて熊本です」.

use crate::{
    stop_words::is_stop_word,
    supposed::is_supposition,
    text::{Word, is_japanese, is_listed, split},
};

/// Denials after a comma or a conjunction, without accents.
const DENIALS: &str = "not nicht kein keine keinen pas no non";
/// Words between the comma and the denial.
const BEFORE_DENIALS: &str = "and und y e et ya also so definitely certainly";
/// Words before the old value, at any position: of one word, two and three.
const INSTEAD: &str = "statt anstatt";
const INSTEAD_OF_TWO: [(&str, &str); 2] = [("instead", "of"), ("anstelle", "von")];
const INSTEAD_OF_THREE: [(&str, &str, &str); 3] =
    [("en", "vez", "de"), ("en", "lugar", "de"), ("au", "lieu", "de")];
/// Words after a denial with which it corrects nothing: "not only", "not because".
const NOT_OF_ALL: &str =
    "only just nur bloss solo solamente seulement because weil porque parce sure sicher seguro sur yet noch";
/// Words that are no value, in five languages, in addition to the stop words.
const EMPTY: &str = "now anymore more longer any mehr mas plus the a an in at on to from der die das dem den ein eine einen im am bei \
    zu nach von el la los las un una en de a al le les l' d' une du des a au aux chez jetzt ahora maintenant it's its actually \
    mean meant meine meinte quiero decir veux dire ist es son is c'est est fait";
/// Words for a short time; with them a sentence corrects no lasting fact.
const FOR_A_WHILE: &str = "today tonight tomorrow yesterday weekend week month heute morgen gestern abend wochenende woche hoy manana ayer \
    semana aujourd'hui demain hier semaine soir this diese diesen dieses esta este ce cette";
/// The maximum number of words of the old value.
const MOST: usize = 4;
/// Japanese: the phrases between old and new value.
const UNSPACED: [&str; 5] = ["じゃなくて", "ではなくて", "でなくて", "ではなく", "じゃなく"];
/// The characters that end the part before the old value.
const ENDS_UNSPACED: [char; 12] = ['は', 'が', 'も', '、', '。', '！', '!', ' ', '　', 'を', '…', '・'];
/// Words before 「は」 that are no subject.
const NO_SUBJECT: [&str; 10] = ["", "今", "実", "実際", "私", "僕", "俺", "正しく", "ごめん", "訂正"];
const FOR_A_WHILE_UNSPACED: [&str; 5] = ["今日", "明日", "昨日", "今週", "週末"];

/// The old and the new value of a correction, in telling words, in lower case and without accents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contrast {
    /// The old value.
    pub aside: Vec<String>,
    /// The other words of the clause: the new value, and its subject.
    pub kept: Vec<String>,
}

/// The values of a correction; `None` if the sentence names no old value, or no new one.
///
/// ```
/// use greenroom_lang::contrast;
///
/// assert_eq!(contrast("actually it's linz now, not graz").unwrap().aside, ["graz"]);
/// assert_eq!(contrast("今は福岡じゃなくて熊本です").unwrap().aside, ["福岡"]);
/// assert_eq!(contrast("I'm not in Graz"), None);
/// ```
pub fn contrast(sentence: &str) -> Option<Contrast> {
    let sentence = sentence.trim();
    if sentence.ends_with(['?', '？']) || sentence.contains(['"', '“', '„', '«', '`']) {
        return None;
    }
    let found = if is_japanese(sentence) { in_japanese(sentence) } else { in_words(sentence) };
    // checked last, because most sentences have no contrast
    found.filter(|_| !is_supposition(sentence))
}

/// The contrast in a sentence of a language with spaces.
fn in_words(sentence: &str) -> Option<Contrast> {
    let words = split(sentence);
    if words.iter().any(|word| is_listed(FOR_A_WHILE, &word.folded)) {
        return None;
    }
    let (marker, begin) = marker(sentence, &words)?;
    let tells = |word: &&Word<'_>| {
        !is_listed(EMPTY, &word.folded) && !is_stop_word(&word.folded) && word.folded.chars().count() > 1
    };
    // the old value ends with its clause
    let end = (begin + 1..words.len()).find(|at| is_apart(sentence, &words, *at)).unwrap_or(words.len());
    let aside: Vec<String> =
        words.get(begin..end)?.iter().filter(tells).map(|word| word.folded.to_string()).collect();
    let clause = (1..marker).rev().find(|at| is_apart(sentence, &words, *at)).unwrap_or(0);
    let kept: Vec<String> = words[clause..marker]
        .iter()
        .filter(tells)
        .map(|word| word.folded.to_string())
        .filter(|word| !aside.contains(word))
        .collect();
    (!kept.is_empty() && !aside.is_empty() && end - begin <= MOST).then_some(Contrast { aside, kept })
}

/// The position of the words before the old value, and the position of the old value.
fn marker(sentence: &str, words: &[Word<'_>]) -> Option<(usize, usize)> {
    let is = |at: usize, word: &str| words.get(at).is_some_and(|found| found.folded == word);
    (1..words.len()).find_map(|at| {
        if is_listed(INSTEAD, &words[at].folded) {
            return Some((at, at + 1));
        }
        if INSTEAD_OF_TWO.iter().any(|(one, two)| is(at, one) && is(at + 1, two)) {
            return Some((at, at + 2));
        }
        if INSTEAD_OF_THREE
            .iter()
            .any(|(one, two, three)| is(at, one) && is(at + 1, two) && is(at + 2, three))
        {
            return Some((at, at + 3));
        }
        let mut first = at;
        while first > 1 && is_listed(BEFORE_DENIALS, &words[first - 1].folded) {
            first -= 1;
        }
        let joined = first < at || is_apart(sentence, words, at);
        let of_all = words.get(at + 1).is_some_and(|next| is_listed(NOT_OF_ALL, &next.folded));
        (joined && !of_all && is_listed(DENIALS, &words[at].folded)).then_some((first, at + 1))
    })
}

/// Whether there is punctuation before a word.
fn is_apart(sentence: &str, words: &[Word<'_>], at: usize) -> bool {
    sentence[words[at - 1].end..words[at].start].contains([',', ';', ':', '-', '–', '—', '(', '.', '!'])
}

fn in_japanese(sentence: &str) -> Option<Contrast> {
    if FOR_A_WHILE_UNSPACED.iter().any(|time| sentence.contains(time)) {
        return None;
    }
    let (before, after) = UNSPACED.iter().find_map(|marker| sentence.split_once(marker))?;
    let aside = before.rsplit(ENDS_UNSPACED).next()?.trim();
    // 「今は」 and 「実は」 are no subject
    let subject = before.strip_suffix(aside)?.trim_end_matches(ENDS_UNSPACED);
    let subject = subject.rsplit(ENDS_UNSPACED).next().filter(|subject| !NO_SUBJECT.contains(subject));
    let holds = after.chars().filter(|c| c.is_alphanumeric()).count() > 1;
    let kept = [Some(after.to_owned()), subject.map(ToOwned::to_owned)].into_iter().flatten().collect();
    ((2..=10).contains(&aside.chars().count()) && holds)
        .then(|| Contrast { aside: vec![aside.to_owned()], kept })
}

#[cfg(test)]
mod tests {
    use super::contrast;

    #[test]
    fn mp6_a_correction_names_what_it_corrects_in_five_languages() {
        for (sentence, aside) in [
            ("actually its linz now, not graz", "graz"),
            ("i mean Linz, not Graz anymore.", "graz"),
            ("we go by train instead of the car", "car"),
            ("it's the 17th and not the 3rd", "3rd"),
            ("kleine korrektur, es ist jetzt linz und nicht graz", "graz"),
            ("jetzt linz statt graz", "graz"),
            ("wohne in Linz, nicht mehr in Graz", "graz"),
            ("ahora en bilbao, ya no en sevilla", "sevilla"),
            ("trabajo en correos en vez de en el bar", "bar"),
            ("en fait c'est villeurbanne maintenant, pas lyon", "lyon"),
            ("j'habite Nantes et non Rennes", "rennes"),
            ("今は福岡じゃなくて熊本です", "福岡"),
            ("仕事は看護師ではなく薬剤師です", "看護師"),
        ] {
            assert_eq!(contrast(sentence).unwrap().aside, [aside], "{sentence}");
        }
    }

    #[test]
    fn mp6_a_correction_keeps_what_it_is_about() {
        let kept = |sentence| contrast(sentence).unwrap().kept;
        assert_eq!(kept("sorry, i mean linz, not graz"), ["linz"]);
        assert_eq!(kept("the party is in Linz, not in Graz"), ["party", "linz"]);
        assert_eq!(kept("今は福岡じゃなくて熊本です"), ["熊本です"]);
        assert_eq!(kept("会議は福岡じゃなくて熊本です"), ["熊本です", "会議"]);
    }

    #[test]
    fn mp6_what_is_no_correction_sets_nothing_aside() {
        for sentence in [
            "I'm not in Graz",
            "I live in Graz",
            "I'm in Linz this weekend, not in Graz",
            "is it Linz, not Graz?",
            "not only Graz",
            "I like it, not because of Graz",
            "no, Graz",
            "ich bin müde und nicht sicher",
            "if I lived in Linz, not Graz, I'd swim",
            "he said \"Linz, not Graz\"",
            "今日は福岡じゃなくて熊本にいます",
        ] {
            assert_eq!(contrast(sentence), None, "{sentence}");
        }
    }
}
