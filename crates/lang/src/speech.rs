//! Of whom a text speaks (MP1, MP4), by lists of words.

use crate::WordList;

/// Words by which people speak of themselves, in the five languages and a few more. Of languages that leave the pronoun
/// out, the verbs with which people tell something of themselves.
const ONESELF: [&str; 45] = [
    "i", "me", "my", "mine", "myself", "im", "ive", // English
    "ich", "mich", "mir", "mein", "meine", "meinen", "meinem", "meiner", "meines", // German
    "je", "j", "moi", "mon", "ma", "mes", // French
    "yo", "mi", "mis", "mí", "conmigo", "soy", "tengo", "vivo", "prefiero", "trabajo",
    "estoy", // Spanish
    "io", "mio", "mia", "miei", "sono", "ho", // Italian
    "eu", "meu", "minha", "ik", "mijn", "mij", // Portuguese, Dutch
];

/// The same where words are not apart.
const ONESELF_UNSPACED: [&str; 8] = ["私", "僕", "俺", "わたし", "ぼく", "自分", "我", "저"];

/// Pronouns of the person who asks, and of the persona that is asked. Apostrophes end a word: "j'habite".
static FIRST_PERSON: WordList = WordList::of(
    "i me my mine myself ich mich mir mein meine meinen meinem meiner meines je j moi mon ma mes yo mi \
    mis mí mío mía",
);
static SECOND_PERSON: WordList = WordList::of(
    "you your yours yourself du dich dir dein deine deinen deinem deiner tu toi ton ta tes tú tus ti",
);
const FIRST_UNSPACED: [&str; 5] = ["私", "僕", "俺", "わたし", "ぼく"];
const SECOND_UNSPACED: [&str; 3] = ["あなた", "君", "きみ"];

/// Words with which a person reports speech: what follows is about another person.
const TELLS: [&str; 10] =
    ["says", "said", "told", "tells", "thinks", "mentioned", "mentions", "reports", "asked", "asks"];

/// Whether a person speaks of themselves.
pub fn speaks_of_oneself(text: &str) -> bool {
    words(text).any(|word| ONESELF.contains(&word.as_str()))
        || ONESELF_UNSPACED.iter().any(|it| text.contains(it))
}

/// Whether a question has pronouns of the person who asks, and of the persona that is asked (MP4).
pub fn pronouns(text: &str) -> (bool, bool) {
    let (mut first, mut second) = (false, false);
    for word in words(text) {
        first |= FIRST_PERSON.has(&word);
        second |= SECOND_PERSON.has(&word);
    }
    let holds = |list: &[&str]| !text.is_ascii() && list.iter().any(|it| text.contains(it));
    (first || holds(&FIRST_UNSPACED), second || holds(&SECOND_UNSPACED))
}

/// Whether a word in lower case reports what another person said: "says", "told".
pub fn reports_speech(word: &str) -> bool {
    TELLS.contains(&word)
}

/// Words in lower case, without apostrophes.
fn words(text: &str) -> impl Iterator<Item = String> {
    let word = |word: &str| word.to_lowercase();
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mp4_pronouns_are_known_in_every_language() {
        for (text, expected) in [
            ("What do I prefer?", (true, false)),
            ("What's your advice for my cat?", (true, true)),
            ("Wo wohnt meine Schwester?", (true, false)),
            ("Was magst du?", (false, true)),
            ("Où est-ce que j'habite ?", (true, false)),
            ("¿Cómo se llama mi perro?", (true, false)),
            ("私の犬の名前は何ですか", (true, false)),
            ("What does it mean?", (false, false)),
        ] {
            assert_eq!(pronouns(text), expected, "{text}");
        }
    }

    #[test]
    fn mp1_it_is_known_of_whom_somebody_speaks() {
        for own in [
            "I'm allergic to nuts",
            "my dog is called Rex",
            "Ich wohne in Kiel",
            "meine Schwester heißt Ute",
            "j'habite à Lyon",
            "prefiero el té",
            "mi hermana vive en Vigo",
            "私は大阪に住んでいます",
        ] {
            assert!(speaks_of_oneself(own), "{own}");
        }
        for others in
            ["Bob is allergic to nuts", "the meeting is at five", "Ute wohnt in Kiel", "会議は五時です"]
        {
            assert!(!speaks_of_oneself(others), "{others}");
        }
    }
}
