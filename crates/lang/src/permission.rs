//! Whether a person lets others know what they told in private (MP1): "you may tell the others". What is opened cannot
//! be closed in the heads of those who heard it, so what could mean anything else opens nothing.

use crate::text::is_listed;

/// What a person lets others know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// The text says nothing else: what the person told before it.
    ToldBefore,
    /// What the text itself tells.
    ToldHere,
}

/// How people say that others may know.
const MAY_KNOW: [&str; 30] = [
    "you may tell",
    "you can tell",
    "feel free to tell",
    "feel free to share",
    "you may share",
    "you can share",
    "others may know",
    "everyone may know",
    "everybody may know",
    "no secret",
    "not a secret",
    "isn't a secret",
    "darfst es den anderen",
    "darfst du den anderen",
    "darfst es allen",
    "darfst du allen",
    "kein geheimnis",
    "dürfen die anderen wissen",
    "dürfen alle wissen",
    "tu peux le dire",
    "tu peux en parler",
    "pas un secret",
    "puedes decírselo",
    "puedes contárselo",
    "puedes contarlo",
    "no es un secreto",
    "no es ningún secreto",
    "話してもいい",
    "言ってもいい",
    "秘密じゃない",
];

/// How people say the opposite, ask, or tell what another said; and what makes a permission depend on something.
const MAY_NOT: [&str; 32] = [
    "don't",
    "dont",
    "do not",
    "only tell",
    "tell me",
    "tell nobody",
    "tell no one",
    "ne le dis pas",
    "no se lo",
    "?",
    "？",
    "\"",
    "“",
    "”",
    "„",
    "«",
    "»",
    "「",
    "たら",
    "なら",
    // quotations, code, what is struck out
    ">",
    "＞",
    "<",
    "`",
    "~~",
    "||",
    "//",
    "『",
    "』",
    "‹",
    "›",
    "♪",
];

/// The same by whole words. Spaces separate them.
const MAY_NOT_WORDS: &str = "never nicht niemand nadie nobody \
    say says said told wrote writes asked asks thinks thought claims sagt sagte meint meinte schrieb \
    dijo dice dit disait escribió écrit \
    if when once unless until after before wenn falls sobald bis nachdem bevor si cuando quand lorsque hasta jusqu'à";

/// To whom, and words that change nothing of what a permission means. Spaces separate them.
const BESIDE: &str = "the other others everyone everybody anyone anybody all them people group room rest folks with to of \
    it this that's it's about too also so then and but yes yeah ok okay sure course please by way well now \
    es das dies davon ist ja auch den die anderen allen alle übrigens gern gerne ruhig du sagen erzählen \
    weitersagen verraten und aber nun eh hier \
    le la les ça cela c'est ce n'est aux autres tous tout monde à au et mais oui d'ailleurs aussi en \
    lo los las se a demás otros todos todo y pero sí también eso esto es";

/// Words that begin what may be told: "you can tell everyone that …".
const THAT: &str = "that dass que";

/// Words that join a sentence to the one before it.
const AND: &str = "and but und aber et mais y pero";

/// Parts of a permission in a language without spaces.
const BESIDE_UNSPACED: [&str; 13] = [
    "みんな",
    "皆",
    "他の人",
    "ほかの人",
    "誰",
    "これ",
    "それ",
    "この",
    "その",
    "こと",
    "から",
    "でも",
    "です",
];
const PARTICLES: &str = "はがをにもよねのと";

/// What a person lets others know with a text, in English, German, French, Spanish or Japanese.
///
/// ```
/// use greenroom_lang::{Permission, permission};
///
/// assert_eq!(permission("You may tell the others."), Some(Permission::ToldBefore));
/// assert_eq!(permission("I'm allergic to nuts, and it's no secret"), Some(Permission::ToldHere));
/// assert_eq!(permission("You may tell the others that the party is on Friday"), Some(Permission::ToldHere));
/// assert_eq!(permission("The doctor said you may tell the others."), None);
/// ```
pub fn permission(text: &str) -> Option<Permission> {
    let low = text.to_lowercase().replace('\u{2019}', "'");
    let sentences: Vec<&str> = low.split(['.', '!', ';', '\n', '。', '！']).collect();
    // looked for first: most texts have no such phrase
    let (at, (before, after)) = sentences.iter().enumerate().find_map(|(at, sentence)| {
        MAY_KNOW.iter().find_map(|phrase| Some((at, sentence.split_once(phrase)?)))
    })?;
    if MAY_NOT.iter().any(|it| low.contains(it)) || words(&low).any(|word| is_listed(MAY_NOT_WORDS, word)) {
        return None;
    }
    let says_nothing_first = sentences[..at].iter().all(|sentence| is_beside(sentence)) && is_beside(before);
    let says_nothing_else =
        says_nothing_first && sentences[at + 1..].iter().all(|sentence| is_beside(sentence));
    if is_beside(after) {
        return match says_nothing_else {
            true => Some(Permission::ToldBefore),
            false => begins_clause(before).then_some(Permission::ToldHere),
        };
    }
    // "that …" is what may be told: nothing else is, and nothing that stands before it
    let told = words(after).find(|word| !is_listed(BESIDE, word));
    (says_nothing_first && told.is_some_and(|word| is_listed(THAT, word))).then_some(Permission::ToldHere)
}

/// Whether a part of a text only says to whom, or says nothing.
fn is_beside(part: &str) -> bool {
    let mut rest = part.to_owned();
    BESIDE_UNSPACED.iter().for_each(|known| rest = rest.replace(known, " "));
    let known = |word: &str| {
        is_listed(BESIDE, word)
            || is_listed(THAT, word)
            || word.chars().all(|letter| PARTICLES.contains(letter))
    };
    words(&rest).all(known)
}

/// Whether what follows these words begins a clause: they end with a comma, or with a word that joins sentences.
fn begins_clause(before: &str) -> bool {
    let clauses = before.rsplit([',', ':', '、', '–', '—', '(', ')']);
    let last = clauses.into_iter().next().unwrap_or_default();
    let open: Vec<&str> = words(last).collect();
    let said = open.iter().rposition(|word| !is_beside(word)).map_or(0, |at| at + 1);
    said == 0 || open[said..].iter().any(|word| is_listed(AND, word))
}

/// Words with their apostrophes.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Permission::*, permission};

    #[test]
    fn mp1_a_text_that_only_lets_others_know_speaks_of_what_was_told_before() {
        for text in [
            "You may tell the others.",
            "you can tell everyone",
            "Yes, you may tell them about it.",
            "OK, feel free to share that with the others!",
            "It's no secret.",
            "By the way: it's not a secret.",
            "Du darfst es den anderen sagen",
            "Das darfst du den anderen ruhig erzählen.",
            "das ist kein Geheimnis",
            "Das dürfen alle wissen.",
            "Tu peux le dire aux autres",
            "Ce n'est pas un secret.",
            "Puedes contárselo a los demás",
            "No es un secreto.",
            "みんなに話してもいいよ",
            "これは秘密じゃないです。",
        ] {
            assert_eq!(permission(text), Some(ToldBefore), "{text}");
        }
    }

    #[test]
    fn mp1_a_text_lets_others_know_what_it_tells_itself() {
        for text in [
            "I'm allergic to nuts, and it's no secret",
            "I moved to Kiel and you can tell everyone",
            "I moved to Kiel. You may tell the others.",
            "you can tell everyone that I moved",
            "It's no secret that I love tea",
            "Ich wohne in Kiel, das ist kein Geheimnis",
            "J'habite à Lyon et tu peux le dire aux autres",
            "Vivo en Vigo, puedes contárselo a todos",
            "大阪に住んでいます。みんなに話してもいいよ",
        ] {
            assert_eq!(permission(text), Some(ToldHere), "{text}");
        }
    }

    #[test]
    fn mp1_what_may_mean_anything_else_lets_nobody_know() {
        for text in [
            "Don't tell the others",
            "you can tell the others?",
            "You may not share this. I mean it: do not",
            "I never said you can tell anybody",
            "Das darfst du den anderen nicht sagen",
            "You can tell me",
            "tell the others",
            "I prefer tea",
            // of something else
            "You may tell Ebba that I am late",
            "you can tell Sam that lunch is ready",
            "you may tell the others I said hi",
            "You can share the recipe with the others",
            "feel free to tell the others where the key is",
            "you may tell them the train leaves at nine",
            "I live in Voss and you may tell the others that the party is on Friday",
            "I live in Voss. You may tell the others that the party is on Friday",
            "Ich wohne in Voss. Du darfst es den anderen sagen, wo der Schlüssel liegt",
            // of another's words, or on a condition
            "The doctor said you may tell the others.",
            "He wrote: \"you may tell the others\"",
            "> You can tell everyone",
            "`you can tell everyone`",
            "~~you can tell everyone~~",
            "『みんなに話してもいい』",
            "If they ask, you may tell the others that I am fine",
            "Once I am gone you may tell the others",
            "what if you may tell the others",
            "My boss thinks you can tell everyone",
            "Wenn ich weg bin, darfst du es allen sagen, das ist kein Geheimnis",
        ] {
            assert_eq!(permission(text), None, "{text}");
        }
    }
}
