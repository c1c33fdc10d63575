//! Detection of requests to remember something (AS13, MP6), by the phrase at their beginning or, in Japanese, at their
//! end.

use std::sync::LazyLock;

use crate::{
    address::without_mentions,
    phrases::Phrases,
    text::{Word, is_japanese, is_listed, split},
};

/// The beginnings of requests, without accents; `|` separates phrases. The statement follows.
const BEGINNINGS: &str = "i want you to remember that|i want you to remember|i would like you to remember that|\
    i'd like you to remember that|i'd like you to remember|i need you to remember that|i need you to remember|\
    i want you to know that|you should remember that|you should know that|you need to know that|you must remember that|\
    make sure you remember that|make sure to remember that|make sure you remember|keep in mind that|keep in mind|\
    can you keep in mind that|can you please keep in mind that|could you keep in mind that|could you please keep in mind that|\
    write this down|jot this down|jot down that|store this for later|store this|commit this to memory|don't let me forget that|\
    don't let me forget|memorise this|memorize this|\
    bear in mind that|make a note that|make a note of this|make a note|take a note that|take note that|just so you know|\
    for the record|for future reference|save this|write down that|remind yourself that|try to remember that|\
    it's important to remember that|always remember that|let me tell you that|\
    merk dir dass|merk dir bitte dass|merk dir mal dass|merk dir bitte|merk dir|merke dir dass|merke dir bitte dass|merke dir|\
    merken sie sich dass|merken sie sich bitte dass|denk daran dass|denk bitte daran dass|denk dran dass|denke daran dass|\
    vergiss nicht dass|vergiss bitte nicht dass|vergiss nie dass|erinnere dich daran dass|notier dir dass|notiere dir dass|\
    notiere dass|notier dass|notiere|behalte im kopf dass|behalte im hinterkopf dass|du sollst wissen dass|du solltest wissen dass|\
    ich mochte dass du dir merkst dass|ich will dass du dir merkst dass|kannst du dir merken dass|kannst du dir bitte merken dass|\
    konntest du dir merken dass|schreib dir auf dass|schreib dir bitte auf dass|schreib auf dass|notier dir|notiere dir|\
    damit du es weisst|zur info|nur damit du es weisst|\
    recuerda que|recuerda|recuerde que|recordad que|acuerdate de que|acuerdate que|ten en cuenta que|ten presente que|no olvides que|\
    no te olvides de que|no te olvides que|apunta que|apuntate que|anota que|anota|toma nota de que|quiero que recuerdes que|\
    quiero que sepas que|quisiera que recordaras que|puedes recordar que|podrias recordar que|necesito que recuerdes que|\
    para que lo sepas|debes saber que|que sepas que|guarda que|\
    souviens toi que|souviens toi bien que|souvenez vous que|rappelle toi que|rappelle toi bien que|rappelez vous que|\
    n'oublie pas que|n'oubliez pas que|retiens que|retiens bien que|retenez que|note que|note bien que|notez que|\
    garde en tete que|garde a l'esprit que|gardez en tete que|je veux que tu retiennes que|je veux que tu te souviennes que|\
    j'aimerais que tu te souviennes que|j'aimerais que tu retiennes que|peux tu retenir que|peux tu noter que|\
    tu peux noter que|tu dois savoir que|il faut que tu saches que|sache que|pour info|pour information";

/// Words before a request.
const OPENINGS: &str = "please bitte por favor s'il te plait vous and und y et also hey hi hallo hola salut ok okay so \
    ach oh dann entonces alors oye ecoute pues";

/// The endings of Japanese requests, and the particles before them.
const ENDINGS: [&str; 13] = [
    "覚えておいてください",
    "覚えておいてね",
    "覚えておいて",
    "覚えていてください",
    "覚えていて",
    "覚えといて",
    "忘れないでください",
    "忘れないでね",
    "忘れないで",
    "メモしておいて",
    "記憶しておいてください",
    "記憶しておいて",
    "メモして",
];
const PARTICLES: [&str; 7] = ["ということを", "っていうことを", "ことを", "のを", "って", "と", "を"];

/// The statement that a text asks to remember, as it was written. `None` if the text is no request, or names nothing to
/// remember. English requests that begin with "remember", "don't forget" or "note" are not covered here.
///
/// ```
/// use greenroom_lang::request_to_remember;
///
/// let said = request_to_remember("Merk dir bitte, dass ich in Kiel wohne");
/// assert_eq!(said.as_deref(), Some("ich in Kiel wohne"));
/// assert_eq!(request_to_remember("Merk dir das"), None);
/// ```
pub fn request_to_remember(text: &str) -> Option<String> {
    let text = &*without_mentions(text.trim());
    let said = if is_japanese(text) { in_japanese(text)? } else { with_spaces(text)? };
    let said = said.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | '、' | '：'));
    let enough =
        if is_japanese(said) { said.chars().count() > 3 } else { said.split_whitespace().count() > 1 };
    enough.then(|| said.to_owned())
}

fn with_spaces(text: &str) -> Option<&str> {
    static PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(BEGINNINGS));
    let words = split(text);
    let listed = |word: &Word<'_>| is_listed(OPENINGS, &word.folded);
    let words = &words[words.iter().take_while(|word| listed(word)).count()..];
    // the longest phrase, since a shorter one may be its beginning
    let length = PHRASES.lengths(words).max()?;
    let end = words.get(length - 1)?.end;
    let first = words.get(length)?;
    // "remember that?" is a question
    let asks = text.trim_end().ends_with('?')
        && !matches!(
            &*words[0].folded,
            "can" | "could" | "kannst" | "konntest" | "puedes" | "podrias" | "peux" | "tu"
        );
    let names_nothing = [
        "das", "es", "eso", "esto", "cela", "ca", "ce", "wann", "wie", "cuando", "quand", "how", "when",
        "what", "was", "to",
    ]
    .contains(&&*first.folded);
    (!asks && !names_nothing).then(|| text[end..].trim_end_matches(['?', ' ']))
}

fn in_japanese(text: &str) -> Option<&str> {
    let text = text.trim_end_matches(['。', '！', '!', ' ']);
    let said = ENDINGS.iter().find_map(|ending| text.strip_suffix(ending));
    if let Some(said) = said {
        let said = PARTICLES.iter().find_map(|particle| said.strip_suffix(particle)).unwrap_or(said);
        return Some(said);
    }
    ENDINGS.iter().find_map(|ending| text.strip_prefix(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mp6_a_request_to_remember_is_understood_in_five_languages() {
        for (asked, said) in [
            ("I want you to remember that I sail on Sundays", "I sail on Sundays"),
            ("please keep in mind that my knee hurts", "my knee hurts"),
            ("Just so you know, the gate is locked at ten.", "the gate is locked at ten."),
            ("Bitte merk dir, dass ich donnerstags nie kann", "ich donnerstags nie kann"),
            ("Vergiss nicht, dass Oma im Juni kommt!", "Oma im Juni kommt!"),
            ("Kannst du dir merken, dass ich umgezogen bin?", "ich umgezogen bin"),
            ("Recuerda que mi vuelo sale a las seis", "mi vuelo sale a las seis"),
            ("Quiero que sepas que soy celíaca", "soy celíaca"),
            ("N'oublie pas que je pars en mai", "je pars en mai"),
            ("Rappelle-toi que le code est 27B4", "le code est 27B4"),
            ("私は卵が食べられないと覚えておいて", "私は卵が食べられない"),
            ("会議は五時だということを忘れないでください。", "会議は五時だ"),
            ("Could you please keep in mind that I work nights?", "I work nights"),
            ("Write this down: the gate is locked at ten", "the gate is locked at ten"),
            ("Commit this to memory: my locker is 12", "my locker is 12"),
            ("Schreib dir auf, dass ich nachts arbeite", "ich nachts arbeite"),
            ("No olvides que trabajo de noche", "trabajo de noche"),
            ("メモして：会議は五時です", "会議は五時です"),
            ("私は夜勤だと記憶しておいて", "私は夜勤だ"),
            ("@ada Keep in mind that my knee hurts", "my knee hurts"),
            ("Hallo @ada merk dir, dass Oma im Juni kommt", "Oma im Juni kommt"),
            ("@ada @wick recuerda que soy celíaca", "soy celíaca"),
            ("Salut @ada n'oublie pas que je pars en mai", "je pars en mai"),
            ("Rappelle-toi que le code est 27B4 @ada", "le code est 27B4"),
            ("@ada 会議は五時だと覚えておいて", "会議は五時だ"),
        ] {
            assert_eq!(request_to_remember(asked).as_deref(), Some(said), "{asked}");
        }
        for nothing in [
            "I want you to remember",
            "Do you want me to remember that?",
            "Keep in mind that?",
            "Merk dir das",
            "Merkst du dir, dass ich komme?",
            "¿Recuerda que vivo en Vigo?",
            "Recuerda cuando fuimos a Roma",
            "Je me souviens que tu as raison",
            "覚えておいて",
            "覚えていますか",
            "She wants you to remember that I sail",
        ] {
            assert_eq!(request_to_remember(nothing), None, "{nothing}");
        }
    }
}
