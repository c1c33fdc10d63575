//! Removal of names by which a text addresses its readers: "@ada where do I live?", "Hey Ada, …", "…, Ada?". Such a
//! name selects who answers and is not the subject, so queries and facts leave it out. A name that is no address stays:
//! "Where does Ada live?"

use std::borrow::Cow;

use crate::{
    WordList,
    text::{Word, is_japanese, is_listed, split, words_of},
};

/// Words before an address. After a word of `GREETINGS` a name needs no comma.
pub(crate) static GREETINGS: WordList = WordList::of(
    "hey hi hello hallo moin servus hola buenas salut bonjour bonsoir coucou morning afternoon \
    evening morgen tag abend dias tardes noches ねえ やあ こんにちは",
);
pub(crate) static OPENINGS: WordList = WordList::of(
    "good guten buenos ok okay yes yeah no so well and also oh ah but please thanks thank you \
    actually btw sorry ja nein und ach aber bitte danke ubrigens y si gracias oye por favor et oui non merci au fait \
    はい うん",
);

/// The maximum number of these words before an address.
const MOST_OPENINGS: usize = 4;

/// The maximum number of names that are removed at each end of a sentence, because each costs a scan of the whole
/// sentence.
const MOST_NAMES: usize = 16;

/// First words of requests, questions and clauses about oneself. A name before such a word is an address.
pub(crate) static BEGINNINGS: WordList = WordList::of(
    "what what're whats where when who whom whose which why how do did am are can could would \
    please tell remind remember note keep don't i i'm im i've i'd we we're my our you your \
    wo wann wer wen wem wie warum wieso weshalb welche welcher welches woher wohin ich wir mein meine unser unsere \
    kannst weisst bitte hast merk merke vergiss notiere denk \
    que donde cuando quien cual cuales como cuanto cuantos yo mi mis nuestro nuestra sabes puedes recuerda acuerdate anota \
    quel quelle quels quelles qui quand comment pourquoi combien est-ce je j'ai j'habite mon ma mes notre nos peux sais \
    souviens rappelle n'oublie retiens",
);

/// Words after which a mention at the end is an object and no address: "Who is @ada?", "Do I know @ada?", "I live with
/// @ada".
static BEFORE_OBJECT: WordList = WordList::of(
    "is are was were be to with of for about from by and or the a than as not who at \
    know knew tell told ask asked call called meet met see saw mention mentioned invite invited \
    mit von an bei zu uber fur und oder ist war sind wer kenne kennst frage gefragt getroffen \
    con de a para por sobre y o es era quien conozco conoces \
    avec du pour sur et ou est qui chez connais vois demande",
);

/// A question is complete without an object if it has one of these words, then one of [`COPULAS`], and a word of
/// [`OWN`]: "what is my cat called", "wann ist mein Geburtstag". A name after it is an address.
const ASKING: &str = "what whats which where when how was welche welcher welches wo wann wie \
    que cual cuales donde cuando como quel quelle quels quelles quand comment ou";
const COPULAS: &str = "is are am was were ist sind bin war waren heisst heissen es son era eran se est sont etait \
    s'appelle s'appellent";
const OWN: &str =
    "i my our we ich mein meine unser unsere mi mis nuestro nuestra nuestros nuestras mon ma mes notre nos";

/// The same for questions with "do": their last verb needs no object, or `what` is its object.
const AUXILIARIES: &str = "do did have";
const COMPLETE: &str = "live work study sleep stay eat drink like love hate prefer own have play speak collect need want \
    lived worked studied stayed moved eaten";

/// Honorifics after a Japanese name.
const HONORIFICS: [&str; 5] = ["さん", "ちゃん", "くん", "君", "様"];

/// Punctuation after an address.
pub(crate) const MARKS: [char; 13] = [',', ':', ';', '!', '.', '…', '–', '—', '、', '，', '：', '！', '。'];

/// The names that a text may address.
#[derive(Debug, Clone, Default)]
pub struct Addressees {
    /// The words of each name, without accents.
    pub(crate) names: Vec<Vec<String>>,
    /// Whether `@` before any word makes the word a name.
    anyone: bool,
}

/// A text without the mentions at the beginning or end of its sentences, regardless of whom they name.
///
/// ```
/// use greenroom_lang::without_mentions;
///
/// assert_eq!(without_mentions("Hi @ada I live in Kiel"), "I live in Kiel");
/// assert_eq!(without_mentions("I live with @ada"), "I live with @ada");
/// ```
pub fn without_mentions(text: &str) -> Cow<'_, str> {
    if !text.contains('@') {
        return text.into();
    }
    Addressees { names: Vec::new(), anyone: true }.without_addresses(text)
}

impl Addressees {
    /// Takes these names; for a name of several words also its first word alone.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all: Vec<Vec<String>> = Vec::new();
        for name in names {
            let words: Vec<String> = split(name).iter().map(|word| word.folded.to_string()).collect();
            let first = words.first().filter(|_| words.len() > 1).map(|first| vec![first.clone()]);
            all.extend([Some(words), first].into_iter().flatten().filter(|words| !words.is_empty()));
        }
        // the longest matching name must come first
        all.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        all.dedup();
        Self { names: all, anyone: false }
    }

    /// A text without the names that its sentences address. A text that consists of names alone stays as it is.
    ///
    /// ```
    /// use greenroom_lang::Addressees;
    ///
    /// let cast = Addressees::new(["ada"]);
    /// assert_eq!(cast.without_addresses("@ada where do I live?"), "where do I live?");
    /// assert_eq!(cast.without_addresses("Where does Ada live?"), "Where does Ada live?");
    /// ```
    pub fn without_addresses<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut kept = String::with_capacity(text.len());
        for sentence in sentences(text) {
            self.keep(sentence, &mut kept);
        }
        let kept = kept.trim_end_matches(char::is_whitespace);
        match kept.chars().any(char::is_alphanumeric) && kept != text.trim_end() {
            true => kept.to_owned().into(),
            false => text.into(),
        }
    }

    /// Appends a sentence without its addresses to `kept`.
    fn keep(&self, sentence: &str, kept: &mut String) {
        let body = sentence.trim_end();
        let said = body.trim_end_matches(['.', '!', '?', '…', ')', '。', '！', '？', ' ']);
        let from = self.begin(body);
        let mut until = said.len().max(from);
        for _ in 0..MOST_NAMES {
            let Some(end) = self.end(&body[from..until]) else { break };
            until = from + end;
        }
        let rest = &body[from..until];
        if rest.chars().any(char::is_alphanumeric) {
            kept.push_str(rest);
            kept.push_str(body.get(said.len().max(from)..).unwrap_or_default());
            kept.push_str(&sentence[body.len()..]);
        } else if from == 0 {
            kept.push_str(sentence);
        }
    }

    /// The offset after the names that a sentence addresses at its beginning.
    fn begin(&self, sentence: &str) -> usize {
        let (mut begin, mut at, mut greeted, mut openings) = (0, 0, false, 0);
        for _ in 0..MOST_NAMES + MOST_OPENINGS {
            let rest = &sentence[at..];
            let skipped = rest.len() - rest.trim_start().len();
            let rest = rest.trim_start();
            if let Some(length) = self.addressed(rest, greeted) {
                at += skipped + length;
                begin = at;
                greeted = false;
                continue;
            }
            let Some(first) = words_of(rest).next().filter(|word| word.start == 0) else { break };
            greeted = GREETINGS.has(&first.folded);
            if openings == MOST_OPENINGS || !(greeted || OPENINGS.has(&first.folded)) {
                break;
            }
            openings += 1;
            at += skipped + first.end;
            at += sentence[at..].len() - sentence[at..].trim_start_matches(MARKS).len();
        }
        begin
    }

    /// The length of an address at the beginning of a text, with the punctuation after it.
    fn addressed(&self, text: &str, greeted: bool) -> Option<usize> {
        let mentioned = text.starts_with('@');
        let name = &text[usize::from(mentioned)..];
        let run = mention(name).filter(|_| mentioned);
        let joined = || run.filter(|length| self.known(&name[..*length]) == Some(*length));
        let known = self.known(name).or_else(joined);
        let length = known.or(run)?;
        let rest = &name[length..];
        if rest.starts_with(['\'', '’', '@', '?', '？']) {
            return None;
        }
        let after = rest.trim_start();
        let marked = after.starts_with(MARKS) || after.starts_with("- ");
        let begins = || {
            let next = words_of(after).next();
            after.starts_with("où ")
                || next.is_some_and(|word| word.start == 0 && BEGINNINGS.has(&word.folded))
        };
        let sure = mentioned && (self.anyone || known.is_some());
        (sure || marked || greeted && known.is_some() || begins()).then(|| {
            let rest =
                after.trim_start_matches(|c: char| MARKS.contains(&c) || c == '-' || c.is_whitespace());
            text.len() - rest.len()
        })
    }

    /// The length of a known name at the beginning of a text.
    fn known(&self, text: &str) -> Option<usize> {
        // the first name is the longest
        let words: Vec<_> = words_of(text).take(self.names.first()?.len()).collect();
        let name = self.names.iter().find(|name| begins_with(text, &words, name))?;
        words.get(name.len() - 1).map(|last| last.end)
    }

    /// The end of a sentence (without its final mark) before the name that it addresses at its end.
    fn end(&self, sentence: &str) -> Option<usize> {
        let sentence = sentence.trim_end();
        let words = split(sentence);
        let known = self.names.iter().find_map(|name| {
            let at = words.len().checked_sub(name.len())?;
            let from = words[at].start;
            (begins_with(sentence, &words[at..], name) && words.last()?.end == sentence.len()).then_some(from)
        });
        let other = || {
            let at = sentence.rfind('@')? + 1;
            (mention(&sentence[at..])? == sentence.len() - at).then_some(at)
        };
        let name = known.or_else(other)?;
        let before = sentence[..name].strip_suffix('@');
        let mentioned = before.is_some_and(|before| before.ends_with(|c: char| !c.is_alphanumeric()));
        let before = before.unwrap_or(&sentence[..name]).trim_end();
        let apart = before.trim_end_matches([',', '、', '，', '–', '—']);
        let is_object = || {
            let word = split(before).pop();
            word.is_none_or(|word| BEFORE_OBJECT.has(&word.folded))
        };
        let sure = mentioned && (self.anyone || known.is_some());
        let separate = apart.len() < before.len() && (mentioned || known.is_some());
        let addressed = || known.is_some() && is_complete_question(before);
        (separate || sure && !is_object() || addressed()).then(|| apart.trim_end().len())
    }
}

/// Whether a text is a question of a person about themselves that is complete without a name: "what is my cat called".
fn is_complete_question(text: &str) -> bool {
    let words = split(text);
    let [first, second, rest @ ..] = words.as_slice() else { return false };
    let Some(last) = rest.last().or(Some(second)) else { return false };
    let own = |word: &Word<'_>| is_listed(OWN, &word.folded);
    // "what's" is folded to "what"
    let contracted = text[first.start..first.end].ends_with('s') && own(second);
    let copula = |word: &Word<'_>| is_listed(COPULAS, &word.folded);
    let linked = copula(second) || rest.first().is_some_and(copula) || contracted;
    let called = last.folded == "called";
    let open = BEFORE_OBJECT.has(&last.folded) && !called;
    let auxiliary = |word: &Word<'_>| is_listed(AUXILIARIES, &word.folded);
    let helped = auxiliary(second) || rest.first().is_some_and(auxiliary);
    let done = helped && is_listed(COMPLETE, &last.folded);
    is_listed(ASKING, &first.folded) && words.iter().any(own) && !open && (linked || done)
}

/// The sentences and lines of a text, each with its mark and the white space after it.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut begin = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let ends = matches!(c, '\n' | '。' | '！' | '？')
            || c.is_whitespace() && text[begin..at].ends_with(['.', '!', '?', '…']);
        if ends {
            sentences.push(&text[begin..end]);
            begin = end;
        }
    }
    sentences.push(&text[begin..]);
    sentences
}

/// The length of the name after `@`.
fn mention(text: &str) -> Option<usize> {
    let in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let run = &text[..text.find(|c: char| !in_name(c)).unwrap_or(text.len())];
    let run = run.trim_end_matches(['.', '-']);
    // "@ada私は": a name in other letters ends where Japanese text begins
    let joined = run.char_indices().find(|(_, c)| is_japanese(c.encode_utf8(&mut [0; 4])));
    let length = joined.map(|(at, _)| at).filter(|at| *at > 0).unwrap_or(run.len());
    (length > 0).then_some(length)
}

/// Whether the words of a text begin with this name as a whole.
pub(crate) fn begins_with(text: &str, words: &[Word<'_>], name: &[String]) -> bool {
    let Some(last) = name.len().checked_sub(1).and_then(|last| words.get(last)) else { return false };
    let is = |(word, part): (&Word<'_>, &String)| {
        let rest = word.folded.strip_prefix(part.as_str());
        rest.is_some_and(|rest| rest.is_empty() || HONORIFICS.contains(&rest))
    };
    let joined = |pair: &[Word<'_>]| matches!(text[pair[0].end..pair[1].start].trim(), "" | "-" | "_" | ".");
    // a folded word has no `'s`
    let possessive =
        || text[last.start..last.end].contains(['\'', '’']) && !name.iter().any(|part| part.contains('\''));
    words.iter().zip(name).all(is)
        && words[..name.len()].windows(2).all(joined)
        && !possessive()
        && !text[last.end..].starts_with(['-', '_'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cast() -> Addressees {
        Addressees::new(["ada", "Ada Lovelace", "wick", "mary-ann", "エイダ", "guide"])
    }

    #[test]
    fn mp4_an_address_is_no_part_of_a_question() {
        for (asked, question) in [
            ("@ada Where do I live?", "Where do I live?"),
            ("@Ada, where do I live?", "where do I live?"),
            ("Ada, where do I live?", "where do I live?"),
            ("ada where do I live", "where do I live"),
            ("ADA: what is my dog called?", "what is my dog called?"),
            ("Hey Ada, what am I allergic to?", "what am I allergic to?"),
            ("hi ada my sister lives where?", "my sister lives where?"),
            ("Good morning, Wick! When is my birthday?", "When is my birthday?"),
            ("@Ada Lovelace when is my birthday?", "when is my birthday?"),
            ("@ada @wick which team do I support?", "which team do I support?"),
            ("@ada and @mary-ann: which team do I support?", "which team do I support?"),
            ("Where do I live, Ada?", "Where do I live?"),
            ("Where do I live @wick?", "Where do I live?"),
            ("What is my dog called, @ada @wick?", "What is my dog called?"),
            ("Hello there. @ada where do I work?", "Hello there. where do I work?"),
            ("Guide, how old is my son?", "how old is my son?"),
            ("@ada wo wohne ich?", "wo wohne ich?"),
            ("Hallo Ada, wie heißt mein Hund?", "wie heißt mein Hund?"),
            ("Wie heißt mein Hund, Ada?", "Wie heißt mein Hund?"),
            ("@ada ¿dónde vivo?", "¿dónde vivo?"),
            ("Oye Ada, ¿cómo se llama mi perro?", "¿cómo se llama mi perro?"),
            ("Ada, où est-ce que j'habite ?", "où est-ce que j'habite ?"),
            ("Salut @ada comment s'appelle mon chien ?", "comment s'appelle mon chien ?"),
            ("what is my cat called ada", "what is my cat called"),
            ("What's my cat called Ada?", "What's my cat called?"),
            ("how old is my son wick?", "how old is my son?"),
            ("where do i live ada", "where do i live"),
            ("which tea do I like ada", "which tea do I like"),
            ("wie heißt mein Hund ada", "wie heißt mein Hund"),
            ("cómo se llama mi perro ada", "cómo se llama mi perro"),
            ("comment s'appelle mon chien Ada ?", "comment s'appelle mon chien ?"),
            ("@ada 私はどこに住んでいますか", "私はどこに住んでいますか"),
            ("@ada私の犬の名前は何ですか", "私の犬の名前は何ですか"),
            ("エイダさん、私の犬の名前は何ですか？", "私の犬の名前は何ですか？"),
        ] {
            assert_eq!(cast().without_addresses(asked), question, "{asked}");
        }
    }

    #[test]
    fn mp4_a_name_that_a_question_is_about_stays() {
        for asked in [
            "Where does Ada live?",
            "Who is Ada?",
            "Who is @ada?",
            "Do I know @wick?",
            "What did I say to @ada?",
            "Is my sister older than Ada",
            "When did I meet ada",
            "When did I visit ada",
            "What did I give ada",
            "What is my letter to ada",
            "What did my sister say to ada?",
            "Wann besuche ich ada",
            "dónde vive ada",
            "Ada's dog is called what?",
            "@ada's dog is called what?",
            "Ada lives where?",
            "ada-lovelace is a crater",
            "Adam, where do I live?",
            "Ada!",
            "Hey @ada",
            "@ada?",
            "@property\ndef name",
            "@tom is allergic to what?",
            "Mail me at jo@ada",
            "",
        ] {
            assert_eq!(cast().without_addresses(asked), asked);
        }
    }

    #[test]
    fn a_long_message_of_mentions_is_read_once() {
        let mentions = "@ada ".repeat(50_000);
        let left = cast().without_addresses(&mentions).len();
        assert!(left > mentions.len() - 1_000 && left < mentions.len(), "{left}");
    }

    #[test]
    fn mp6_a_mention_is_no_part_of_a_statement_whomever_it_names() {
        for (said, statement) in [
            ("@ada I live in Graz.", "I live in Graz."),
            ("Hi @rex_2 I keep bees", "I keep bees"),
            ("I keep bees @rex.", "I keep bees."),
            ("I'm vegan, @ada @rex!", "I'm vegan!"),
            ("@ada vivo en Oviedo", "vivo en Oviedo"),
            ("Thanks @ada! I moved to Bonn.", "I moved to Bonn."),
            ("@エイダ、大阪に住んでいます", "大阪に住んでいます"),
        ] {
            assert_eq!(without_mentions(said), statement, "{said}");
        }
        for stays in ["I live with @ada", "my brother @tom lives in Graz", "write to jo@ada.example", "@ada"]
        {
            assert_eq!(without_mentions(stays), stays);
        }
    }
}
