//! Detection of what a text speaks of, by lists of words: of its author or others (MP1), of a time or a name (MP4), or of
//! something said before (WB6).

use crate::{WordList, text::is_listed};

/// Words of the first person, in the five languages and a few more. For languages that leave the pronoun out, the list
/// has verbs with which people tell about themselves.
const ONESELF: [&str; 45] = [
    "i", "me", "my", "mine", "myself", "im", "ive", // English
    "ich", "mich", "mir", "mein", "meine", "meinen", "meinem", "meiner", "meines", // German
    "je", "j", "moi", "mon", "ma", "mes", // French
    "yo", "mi", "mis", "mí", "conmigo", "soy", "tengo", "vivo", "prefiero", "trabajo",
    "estoy", // Spanish
    "io", "mio", "mia", "miei", "sono", "ho", // Italian
    "eu", "meu", "minha", "ik", "mijn", "mij", // Portuguese, Dutch
];

/// The same for scripts without spaces.
const ONESELF_UNSPACED: [&str; 8] = ["私", "僕", "俺", "わたし", "ぼく", "自分", "我", "저"];

/// Pronouns of the asker and of the asked persona. Words end at apostrophes: "j'habite".
static FIRST_PERSON: WordList = WordList::of(
    "i me my mine myself ich mich mir mein meine meinen meinem meiner meines je j moi mon ma mes yo mi \
    mis mí mío mía",
);
static SECOND_PERSON: WordList = WordList::of(
    "you your yours yourself du dich dir dein deine deinen deinem deiner tu toi ton ta tes tú tus ti",
);
const FIRST_UNSPACED: [&str; 5] = ["私", "僕", "俺", "わたし", "ぼく"];
const SECOND_UNSPACED: [&str; 3] = ["あなた", "君", "きみ"];

/// Words that ask for something with a name: "who", "where", "what is it called".
static ASK_NAME: WordList = WordList::of(
    "where which who whose whom name names named called title titled wer wem wen wessen wo wohin woher welche welcher welches \
    welchen heißt heißen heiße quién quiénes dónde adónde cuál cuáles llama llamo llaman nombre qui où quel quelle quels \
    quelles appelle appelles nom",
);
const ASK_NAME_UNSPACED: [&str; 5] = ["誰", "だれ", "どこ", "名前", "何という"];
/// Words, and pairs of words, that ask for a time.
static ASK_WHEN: WordList = WordList::of("when wann cuándo quand");
const ASK_WHEN_PAIRS: [(&str, &str); 5] = [
    ("how", "long recently"),
    ("what", "date day month year time"),
    ("which", "date day month year week"),
    ("wie", "lange lang"),
    ("cuánto", "tiempo"),
];
const ASK_WHEN_UNSPACED: [&str; 5] = ["いつ", "何年", "何月", "何日", "何時"];

/// Words that refer to something said before, in the five languages. Words that mostly refer to nothing are not listed:
/// "es", "das", "le", "y".
static REFERRING: WordList = WordList::of(
    "he her hers him his it its one ones same she that their theirs them then there these they this those \
    er sie ihm ihn ihr ihre ihren ihrem ihrer ihres sein seine seinen seinem seiner seines dort da damit davon dafür darin darauf \
    dazu derselbe dieselbe dasselbe diese dieser dieses diesen diesem denen dessen deren \
    él ella ellos ellas lo suyo suya su sus ahí allí allá eso esa ese esos esas aquel aquella mismo misma \
    il elle ils elles lui leur leurs sa ses là celui celle ceux celles cela ça cette cet même",
);
const REFERRING_UNSPACED: [&str; 18] = [
    "彼",
    "それ",
    "そこ",
    "その",
    "そっち",
    "そちら",
    "あれ",
    "あの",
    "あそこ",
    "あいつ",
    "そいつ",
    "この人",
    "こいつ",
    "これ",
    "ここ",
    "この子",
    "前者",
    "後者",
];

/// Verbs that report speech: the words after them are about another person.
const TELLS: [&str; 10] =
    ["says", "said", "told", "tells", "thinks", "mentioned", "mentions", "reports", "asked", "asks"];

/// Whether a text speaks of its author.
pub fn speaks_of_oneself(text: &str) -> bool {
    words(text).any(|word| ONESELF.contains(&word.as_str()))
        || ONESELF_UNSPACED.iter().any(|it| text.contains(it))
}

/// Whether a question has pronouns of the asker, and of the asked persona (MP4).
pub fn pronouns(text: &str) -> (bool, bool) {
    let (mut first, mut second) = (false, false);
    for word in words(text) {
        first |= FIRST_PERSON.has(&word);
        second |= SECOND_PERSON.has(&word);
    }
    (first || holds(text, &FIRST_UNSPACED), second || holds(text, &SECOND_UNSPACED))
}

/// Whether a question asks for a time, by its words: "when", "how long", "seit wann", 「いつ」.
pub fn asks_when(text: &str) -> bool {
    let words: Vec<String> = words(text).collect();
    let is_pair = |pair: &[String]| {
        let then = ASK_WHEN_PAIRS.iter().find(|(first, _)| *first == pair[0]).map(|(_, then)| *then);
        then.is_some_and(|then| is_listed(then, &pair[1]))
    };
    words.iter().any(|word| ASK_WHEN.has(word))
        || words.windows(2).any(is_pair)
        || holds(text, &ASK_WHEN_UNSPACED)
}

/// Whether a question asks for something with a name: "who", "wo", "¿cómo se llama?", 「誰」.
pub fn asks_name(text: &str) -> bool {
    words(text).any(|word| ASK_NAME.has(&word)) || holds(text, &ASK_NAME_UNSPACED)
}

/// Whether a question refers to something said before: "What does she eat?", "Wo ist er kaputtgegangen?", 「それはどこ？」.
pub fn refers_back(text: &str) -> bool {
    words(text).any(|word| REFERRING.has(&word)) || holds(text, &REFERRING_UNSPACED)
}

/// Japanese words in kanji that ask or refer back.
const NOT_TELLING: [&str; 6] = ["彼", "彼女", "何", "誰", "前者", "後者"];

/// The number of telling words of a Japanese text: words in kanji or katakana that neither ask nor refer back. `None`
/// for a text without kana, which may be Chinese.
pub fn japanese_telling_words(text: &str) -> Option<usize> {
    let is_kana = |c: char| ('\u{3040}'..='\u{30ff}').contains(&c);
    if text.is_ascii() || !text.contains(is_kana) {
        return None;
    }
    let tells = |c: char| matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{30a1}'..='\u{30ff}' | '々');
    let runs = text.split(|c| !tells(c));
    Some(runs.filter(|run| !run.is_empty() && !NOT_TELLING.contains(run)).count())
}

fn holds(text: &str, list: &[&str]) -> bool {
    !text.is_ascii() && list.iter().any(|it| text.contains(it))
}

/// Whether a word in lower case reports what another person said: "says", "told".
pub fn reports_speech(word: &str) -> bool {
    TELLS.contains(&word)
}

/// The words of a text in lower case, split at apostrophes too.
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

    #[test]
    fn wb6_a_question_that_refers_back_is_known_in_every_language() {
        for text in [
            "What does she eat?",
            "Wo ist er kaputtgegangen?",
            "¿Qué afición tenía él?",
            "Où est-elle tombée en panne ?",
            "彼の趣味は何だった？",
        ] {
            assert!(refers_back(text), "{text}");
        }
        for text in
            ["Where does my sister live?", "Wie heißt das Essen?", "¿Cómo se llama mi gata?", "猫の名前は？"]
        {
            assert!(!refers_back(text), "{text}");
        }
        let telling = [
            "彼の趣味は何だった？",
            "うちの猫の名前は？",
            "それはどこで故障したの？",
            "我妹妹住在哪里？",
            "Where?",
        ];
        assert_eq!(telling.map(japanese_telling_words), [Some(1), Some(2), Some(1), None, None]);
    }

    #[test]
    fn mp4_a_question_for_a_time_or_a_name_is_known_in_every_language() {
        for text in [
            "When did Jo move?",
            "since when?",
            "How long is it?",
            "In which year was that?",
            "Seit wann wohne ich hier?",
            "Wie lange brauche ich?",
            "¿Cuándo es mi cita?",
            "Depuis quand ?",
            "引っ越したのはいつ？",
        ] {
            assert!(asks_when(text), "{text}");
        }
        for text in ["whenever", "What did Jo say?", "the year", "how are you", "Wie heißt sie?"] {
            assert!(!asks_when(text), "{text}");
        }
        for text in [
            "Where did Jo go?",
            "What is the dog called?",
            "Wie heißt mein Hund?",
            "¿Cómo se llama mi gata?",
            "J'habite où ?",
            "うちの猫の名前は？",
        ] {
            assert!(asks_name(text), "{text}");
        }
        assert!(!asks_name("What did Jo eat there?") && !asks_name("Was esse ich gern?"));
    }
}
