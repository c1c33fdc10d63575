//! English contractions. "I am" and "I'm" are equal, so a clause that no pattern matches is tried again with all its
//! contractions, and then without any.

use crate::text::{Word, is_listed};

/// Two words and their contraction.
const CONTRACTIONS: [([&str; 2], &str); 22] = [
    (["i", "am"], "i'm"),
    (["we", "are"], "we're"),
    (["i", "have"], "i've"),
    (["we", "have"], "we've"),
    (["i", "would"], "i'd"),
    (["we", "would"], "we'd"),
    (["i", "will"], "i'll"),
    (["we", "will"], "we'll"),
    (["do", "not"], "don't"),
    (["does", "not"], "doesn't"),
    (["did", "not"], "didn't"),
    (["can", "not"], "can't"),
    (["could", "not"], "couldn't"),
    (["is", "not"], "isn't"),
    (["are", "not"], "aren't"),
    (["was", "not"], "wasn't"),
    (["were", "not"], "weren't"),
    (["has", "not"], "hasn't"),
    (["have", "not"], "haven't"),
    (["will", "not"], "won't"),
    (["would", "not"], "wouldn't"),
    (["should", "not"], "shouldn't"),
];

/// Contractions in other spellings.
const SPELLINGS: [(&str, &str); 7] = [
    ("im", "i'm"),
    ("ive", "i've"),
    ("weve", "we've"),
    ("dont", "don't"),
    ("doesnt", "doesn't"),
    ("cant", "can't"),
    ("cannot", "can't"),
];

/// Words after which a noun with `'s` means the noun with "is". Before any other word it may be a possessive.
const AFTER_IS: &str = "the my our not called named a an allergic married pregnant retired on in from";

/// The clause with all contractions, and the clause without any, if they differ from it.
pub(super) fn variants<'a>(text: &str, words: &[Word<'a>]) -> Vec<Vec<Word<'a>>> {
    let mut variants = vec![contracted(text, words), expanded(words)];
    variants
        .retain(|variant| !variant.iter().map(|word| &word.folded).eq(words.iter().map(|word| &word.folded)));
    variants
}

/// First words of clauses without a subject, as in chats, and the missing subject: "allergic to nuts here", "been vegan
/// for years", "moved to Leeds last autumn". The list has no word with which an order may begin.
const LEFT_OUT: [(&str, &str); 4] = [
    (
        "i'm",
        "allergic deathly severely highly vegan vegetarian pescatarian veggie coeliac celiac diabetic type lactose gluten \
        married engaged divorced widowed terrified scared afraid left-handed right-handed dyslexic autistic colourblind colorblind \
        pregnant retired not turning studying learning expecting",
    ),
    ("i've", "been lived had"),
    (
        "i",
        "can't cannot cant moved relocated grew became turned adopted adore detest loathe got started quit never",
    ),
    ("i was", "born raised brought diagnosed"),
];

/// Adverbs before the verb.
const STRESSED: &str = "really still also absolutely totally genuinely simply literally always";

/// The clause with its missing subject.
pub(super) fn with_subject<'a>(words: &[Word<'a>]) -> Option<Vec<Word<'a>>> {
    // "really can't stand cilantro"
    let words = &words[words.iter().take_while(|word| is_listed(STRESSED, &word.folded)).count()..];
    let first = words.first()?;
    let (subject, _) = LEFT_OUT.iter().find(|(_, listed)| is_listed(listed, &first.folded))?;
    let place = |part: &'static str| Word { folded: part.into(), start: first.start, end: first.start };
    let rest = words.iter().map(|word| Word { folded: word.folded.clone(), ..*word });
    Some(subject.split(' ').map(place).chain(rest).collect())
}

pub(super) fn contracted<'a>(text: &str, words: &[Word<'a>]) -> Vec<Word<'a>> {
    let mut all = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let next = words.get(at + 1);
        let pair = next.and_then(|next| {
            let short = CONTRACTIONS.iter().find(|([a, b], _)| *a == word.folded && *b == next.folded)?.1;
            Some(Word { folded: short.into(), start: word.start, end: next.end })
        });
        at += 1 + usize::from(pair.is_some());
        let spelt = SPELLINGS.iter().find(|(other, _)| *other == word.folded).map(|(_, short)| *short);
        let folded = spelt.map_or_else(|| word.folded.clone(), Into::into);
        all.push(pair.unwrap_or(Word { folded, ..*word }));
        if next.is_some_and(|next| is_short_of_is(text, words, word, next)) {
            all.push(Word { folded: "is".into(), start: word.end, end: word.end });
        }
    }
    all
}

/// Whether the `'s` of a word means "is": "my dog's called Rex", "my favourite colour's teal".
fn is_short_of_is(text: &str, words: &[Word<'_>], word: &Word<'_>, next: &Word<'_>) -> bool {
    let favourite = || words.iter().any(|word| is_listed("favourite favorite", &word.folded));
    text[word.start..word.end].ends_with(['s', 'S'])
        && text[word.start..word.end - 1].ends_with(['\'', '’'])
        && (is_listed(AFTER_IS, &next.folded)
            || next.folded.starts_with(|c: char| c.is_ascii_digit())
            || favourite())
}

fn expanded<'a>(words: &[Word<'a>]) -> Vec<Word<'a>> {
    let parts = |word: &Word<'a>| match CONTRACTIONS.iter().find(|(_, short)| *short == word.folded) {
        Some(([first, second], _)) => {
            let of = |part: &'static str| Word { folded: part.into(), ..*word };
            vec![of(first), of(second)]
        }
        None => vec![Word { folded: word.folded.clone(), ..*word }],
    };
    words.iter().flat_map(parts).collect()
}
