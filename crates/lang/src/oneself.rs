//! Facts that people tell about themselves in passing (MP6): name, home, origin, family, pets, work, diet, allergies,
//! dates, likes and dislikes. They are found by patterns, without a model, in English, German, Spanish, French and
//! Japanese. The memory crate's capture calls [`own_facts`].
//!
//! A pattern matches at the beginning of a clause. A clause that asks, supposes, or refers to a single day states
//! nothing lasting. In doubt nothing is found: precision is more important than recall.

mod before_question;
mod chat;
mod closing;
mod condition;
mod contractions;
mod correction;
mod dislocated;
mod ended;
mod english;
mod foreign;
mod french;
mod german;
mod japanese;
mod japanese_names;
mod matching;
mod moment;
mod relatives;
mod spanish;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use before_question::before_question;
use closing::closed;
use condition::condition;
pub use correction::replaces_fact;
pub use foreign::before_other_text;
use matching::{ClauseWords, Rules};
pub use moment::lasting_part;
pub(crate) use relatives::names_relative;

use crate::{
    address::without_mentions,
    phrases::Phrases,
    text::{Word, is_japanese, is_listed, split},
};

/// The maximum number of words in a clause; a longer one is a story.
const LONGEST: usize = 40;

/// An inverted subject is among this many first words.
const BEFORE_SUBJECT: usize = 6;

/// Subjects of a person who tells about themselves; first words of other subjects; and verbs of other sentences.
const I_OR_WE: &str = "i we ich wir yo nosotros je j'ai nous";
const THE: &str =
    "the my our a der die das mein meine unser unsere el la los las mi nuestro nuestra le les mon ma notre";
const IS: &str =
    "is are was were hangs lies ist sind war waren hangt liegt es esta son estan era est sont etait";

/// A fact that a clause tells about its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnFact {
    /// The clause as it was written, without opening words.
    pub text: String,
    /// The topic, in words separated by spaces: `home`, `name`, `allergy nuts`. See [`replaces_fact`].
    pub topic: String,
}

/// The rules of a language with spaces between its words.
struct Tables {
    /// Groups of rules, in the order in which they are tried. A rule is a topic and a pattern of clauses; see
    /// [`matching`].
    rules: &'static [&'static [(&'static str, &'static str)]],
    /// Lists of words that patterns name in braces.
    lists: &'static [(&'static str, &'static str)],
    /// Words and phrases, separated by `|`, that only open a clause.
    openings: &'static str,
    /// First words of suppositions.
    supposing: &'static str,
    /// Phrases, separated by `|`, after which a sentence tells a story or another person's words. With accents.
    stories: &'static str,
    /// Words and phrases, separated by `|`, for a short time. They do not concern a name, nor the part of the clause
    /// before a comma: "I'm a vet, long shift today".
    times: &'static str,
    /// Words and phrases, separated by `|`, of clauses that hold only for the moment, or only perhaps.
    passing: &'static str,
    /// Conjunctions, separated by `|`. A sentence is split at them before one of `subjects`.
    joints: &'static str,
    /// First words of clauses about oneself.
    subjects: &'static str,
    /// Subjects that follow the verb if another part comes first: "jetzt wohne ich".
    inverted: &'static str,
    /// Words of questions about each topic, by the topic's last word.
    questions: Questions,
    /// Whether the language has the contractions of English.
    contracts: bool,
    /// The parsed rules and phrases, built for the first sentence.
    parsed: OnceLock<Parsed>,
}

/// The parsed rules and phrases of a language.
struct Parsed {
    rules: Rules,
    openings: Phrases,
    stories: Phrases,
    times: Phrases,
    passing: Phrases,
    joints: Vec<&'static str>,
    /// Words for people and animals, and words that describe them.
    kin: Vec<&'static str>,
    adjectives: Vec<&'static str>,
}

static TABLES: [&Tables; 4] = [&english::TABLES, &german::TABLES, &spanish::TABLES, &french::TABLES];

/// Words that mean "now", which may be anywhere in the clause of a fact.
const NOW: &str =
    "now currently jetzt nun inzwischen mittlerweile ahora actualmente maintenant desormais actuellement";

/// The facts that a sentence tells about its author, in order. Empty for a question.
///
/// ```
/// use greenroom_lang::own_facts;
///
/// let topics = |text| own_facts(text).into_iter().map(|fact| fact.topic).collect::<Vec<_>>();
/// assert_eq!(topics("Ich wohne in Kiel"), ["home"]);
/// assert_eq!(topics("I wonder what lives in Kiel"), [] as [&str; 0]);
/// ```
pub fn own_facts(sentence: &str) -> Vec<OwnFact> {
    facts_and_questions(sentence, Says::Stated).0
}

/// The facts that a sentence denies about its author, in the words of the denial. Each has the topic of the denied
/// fact.
///
/// ```
/// use greenroom_lang::denied_facts;
///
/// assert_eq!(denied_facts("I'm not allergic to nuts")[0].topic, "allergy nuts");
/// assert_eq!(denied_facts("I'm allergic to nuts"), []);
/// ```
pub fn denied_facts(sentence: &str) -> Vec<OwnFact> {
    facts_and_questions(sentence, Says::IsNotSo).0
}

/// Words with which people ask for the facts in a text, in the text's language: for a home, "home city live".
///
/// ```
/// assert!(greenroom_lang::words_of_facts("I moved to Bristol last autumn.").contains("live"));
/// assert_eq!(greenroom_lang::words_of_facts("The train is late."), "");
/// ```
pub fn words_of_facts(text: &str) -> String {
    let (facts, questions) = facts_and_questions(text, Says::Stated);
    let of = |fact: &OwnFact| {
        let topic = fact.topic.rsplit(' ').next()?;
        questions.iter().find(|(asked, _)| *asked == topic).map(|(_, words)| *words)
    };
    facts.iter().filter_map(of).collect::<Vec<_>>().join(" ")
}

/// Topics, with words of questions about each.
type Questions = &'static [(&'static str, &'static str)];

/// Whether stated or denied facts are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    Stated,
    IsNotSo,
}

/// The facts in a sentence, and the question words of its language.
fn facts_and_questions(sentence: &str, says: Says) -> (Vec<OwnFact>, Questions) {
    let sentence = &*without_mentions(sentence.trim());
    let Some(sentence) = before_question(sentence).filter(|said| !said.contains(['`', '"', '“', '„', '«']))
    else {
        return Default::default();
    };
    if is_japanese(sentence) {
        let clauses = sentence.split(['。', '！', '!']);
        let facts = match says {
            Says::Stated => clauses.filter_map(japanese::own_fact).collect(),
            Says::IsNotSo => clauses.filter_map(japanese::denied_fact).collect(),
        };
        return (facts, japanese::QUESTIONS);
    }
    let words = chat::in_full(sentence, split(sentence));
    let written: Vec<String> =
        words.iter().map(|word| sentence[word.start..word.end].to_lowercase()).collect();
    let told = |tables: &&Tables| (tables.own_facts(sentence, (&words, &written), says), tables.questions);
    TABLES.iter().map(told).find(|(facts, _)| !facts.is_empty()).unwrap_or_default()
}

impl Tables {
    /// The facts in a sentence of this language. `written` are the words in lower case, with their accents.
    fn own_facts(
        &self,
        sentence: &str,
        (words, written): (&[Word<'_>], &[String]),
        says: Says,
    ) -> Vec<OwnFact> {
        let told = closed(words).len();
        let respelled = if self.is_german() { german::respelled(words) } else { None };
        let words = respelled.as_deref().unwrap_or(words);
        let mut cuts = self.cuts(sentence, words);
        cuts.push(words.len());
        let story = self.parsed().stories.first_end(&written[..told]);
        let conditional = condition(sentence, closed(words));
        let mut begin = 0;
        let named = relatives::named_first(sentence, words, &self.parsed().kin);
        let named = named.filter(|_| says == Says::Stated && story.is_none());
        let mut found =
            Vec::from_iter(named.and_then(|(end, topic)| fact(sentence, words.first()?.start, end, topic)));
        for end in cuts {
            if story.is_some_and(|story| story <= end) {
                break;
            }
            // skips the clause before a condition, and the condition itself
            if conditional.is_none_or(|condition| !(begin..=end).contains(&condition)) {
                found.extend(self.own_fact(sentence, &words[begin..end], says));
            }
            begin = end;
        }
        found
    }

    /// The positions after a comma or a conjunction where a clause with its own subject begins.
    fn cuts(&self, sentence: &str, words: &[Word<'_>]) -> Vec<usize> {
        let begins = |at: &usize| {
            let word = &words[*at];
            let before = sentence[words[*at - 1].end..word.start].trim();
            let joined = before.starts_with([',', ';', '-', '–', '—', ':'])
                || before.is_empty() && self.is_joint(&words[*at - 1]);
            let is_strong = before.starts_with(';') || *at > 2 && self.is_joint(&words[*at - 1]);
            let concedes = before.is_empty() && is_listed("although though", &words[*at - 1].folded);
            let has_subject =
                is_listed(self.subjects, &word.folded) || self.is_sentence(words, *at, is_strong);
            let goes_on = || dislocated::goes_on(words, self.opened(sentence, &words[..*at]), *at);
            let begins = concedes
                || joined && has_subject && !goes_on()
                || dislocated::concludes(sentence, words, *at);
            if self.is_german() { german::begins(sentence, words, *at, begins) } else { begins }
        };
        (1..words.len()).filter(begins).collect()
    }

    /// Whether words begin a separate sentence about something else: "…, and on Fridays I swim", "… and the key is
    /// under the fern". `is_joined` is set after a semicolon, or after a conjunction between clauses; "since Monday I
    /// live …" is one clause.
    fn is_sentence(&self, words: &[Word<'_>], at: usize, is_joined: bool) -> bool {
        let mut following = words[at..].iter().map(|word| &*word.folded);
        if is_joined && following.clone().take(BEFORE_SUBJECT).any(|word| is_listed(I_OR_WE, word)) {
            return true;
        }
        // after a comma alone, "die" and "que" may be relative pronouns
        let begins =
            following.next().is_some_and(|word| is_listed(THE, word) && (is_joined || self.contracts));
        begins && following.skip(1).take(BEFORE_SUBJECT).any(|word| is_listed(IS, word))
    }

    fn own_fact(&self, sentence: &str, words: &[Word<'_>], says: Says) -> Option<OwnFact> {
        let all = words;
        let words = closed(self.opened(sentence, all));
        // the clause of "también trabajo …" includes the first word, so that it does not replace the fact beside it
        let opening =
            all.iter().take_while(|word| words.first().is_none_or(|first| word.start < first.start));
        let also = opening.last().filter(|word| self.is_also(word));
        let fact = |words: &[Word<'_>], topic| {
            fact(sentence, also.or(words.first())?.start, words.last()?.end, topic)
        };
        let (first, last) = (words.first()?, self.last(words)?);
        let words = &words[..=last];
        let parsed = self.parsed();
        if words.len() > LONGEST || is_listed(self.supposing, &first.folded) || parsed.passing.are_in(words) {
            return None;
        }
        if says == Says::IsNotSo {
            let claims = ended::denied(sentence, words);
            let topic = claims.iter().find_map(|claim| self.topic(sentence, claim.iter().collect()))?;
            return fact(words, refined(topic, words))
                .filter(|_| self.topic_in_any_order(sentence, words).is_none());
        }
        if !parsed.times.are_in(words)
            && let Some(topic) = self.topic_in_any_order(sentence, words)
        {
            return fact(words, topic);
        }
        // "I'm a vet, long shift today"
        let comma = words.windows(2).position(|pair| sentence[pair[0].end..].starts_with(','));
        let before = comma.map(|at| &words[..=at]).filter(|before| before.len() > 1);
        if let Some(before) = before
            && !parsed.times.are_in(before)
            && let Some(topic) = self.topic_in_any_order(sentence, before)
        {
            return fact(before, topic);
        }
        let topic = relatives::topic(sentence, words, &parsed.kin, &parsed.adjectives)?;
        fact(words, topic)
    }

    /// The topic of a clause. The clause may end a fact, begin with another part, or have other contractions.
    fn topic_in_any_order(&self, sentence: &str, words: &[Word<'_>]) -> Option<String> {
        let inverted = || {
            let subject =
                words.iter().take(BEFORE_SUBJECT).position(|word| is_listed(self.inverted, &word.folded));
            self.topic(sentence, subject_first(words, subject.filter(|at| *at > 0)?))
        };
        let in_other_words = || {
            let variants = match (self.contracts, self.is_german()) {
                (true, _) => contractions::variants(sentence, words),
                (_, true) => german::variants(sentence, words),
                _ => Vec::new(),
            };
            // "bin dafür" tells nothing about its author
            let telling = |topic: &String| self.contracts || !topic.starts_with("is ");
            let mut variants = variants.iter().map(|words| self.topic(sentence, words.iter().collect()));
            variants.find_map(|topic| topic.filter(telling))
        };
        let ended = || {
            let variants = ended::before(sentence, words);
            variants.iter().find_map(|words| self.topic(sentence, words.iter().collect()))
        };
        // "my dog is now called Thor"
        let without_now = || {
            // « c'est Nantes maintenant » corrects something other than a name
            if words.first().is_some_and(|first| first.folded == "c'est") {
                return None;
            }
            let others: Vec<&Word<'_>> = words.iter().filter(|word| !is_listed(NOW, &word.folded)).collect();
            (others.len() < words.len()).then(|| self.topic(sentence, others))?
        };
        let in_other_order = || {
            let orders =
                if self.inverted.is_empty() { dislocated::orders(sentence, words) } else { Vec::new() };
            orders.into_iter().find_map(|words| self.topic(sentence, words))
        };
        let topic = ended()
            .or_else(|| self.topic(sentence, words.iter().collect()))
            .or_else(inverted)
            .or_else(in_other_words)
            .or_else(without_now)
            .or_else(in_other_order);
        let Some(topic) = topic else {
            let with_subject = contractions::with_subject(words).filter(|_| self.contracts)?;
            // "not Ripon any more" corrects a place
            let denies = words.first().is_some_and(|first| first.folded == "not");
            let topic = self.topic_in_any_order(sentence, &with_subject);
            return topic.filter(|topic| !denies || topic != "name");
        };
        (!ended::is_denied(sentence, &topic, words, self.contracts)).then(|| refined(topic, words))
    }

    /// The topic of a clause whose words are in this order.
    fn topic(&self, sentence: &str, words: Vec<&Word<'_>>) -> Option<String> {
        self.parsed().rules.topic(&ClauseWords::of(sentence, &words))
    }

    /// The words without opening words: listed ones, and any word before a comma, such as a name or "no".
    fn opened<'a, 'b>(&self, sentence: &str, words: &'b [Word<'a>]) -> &'b [Word<'a>] {
        let called = |word: &Word<'_>| {
            sentence[word.end..].starts_with([',', ':', '!'])
                && !is_listed(self.supposing, &word.folded)
                && !word.folded.starts_with("l'")
        };
        let mut words = words;
        while let Some(first) = words.first() {
            let lengths = self.parsed().openings.lengths(words);
            let listed = lengths.filter(|length| *length < words.len()).max();
            let Some(count) = listed.or_else(|| called(first).then_some(1)) else { break };
            words = &words[count..];
        }
        words
    }

    /// Whether a word means "also"; German "also" means "so".
    fn is_also(&self, word: &Word<'_>) -> bool {
        is_listed(correction::ALSO, &word.folded) && (word.folded != "also" || self.contracts)
    }

    /// The index of the last word that is no conjunction.
    fn last(&self, words: &[Word<'_>]) -> Option<usize> {
        words.iter().rposition(|word| !self.is_joint(word))
    }

    fn is_joint(&self, word: &Word<'_>) -> bool {
        self.parsed().joints.iter().any(|joint| *joint == word.folded)
    }

    fn is_german(&self) -> bool {
        std::ptr::eq(self, &german::TABLES)
    }

    /// The words of these lists.
    fn listed(&self, names: &[&str]) -> Vec<&'static str> {
        let lists = self.lists.iter().filter(|(name, _)| names.contains(name));
        lists.flat_map(|(_, list)| list.split_ascii_whitespace()).collect()
    }

    fn parsed(&self) -> &Parsed {
        self.parsed.get_or_init(|| Parsed {
            rules: Rules::new(self.rules, self.lists),
            openings: Phrases::of(self.openings),
            stories: Phrases::of(self.stories),
            times: Phrases::of(self.times),
            passing: Phrases::of(self.passing),
            joints: self.joints.split('|').collect(),
            kin: self.listed(&["kin", "pet"]),
            adjectives: self.listed(&["rel", "adj"]),
        })
    }
}

/// The fact in a part of a sentence, with the mark at its end.
fn fact(sentence: &str, begin: usize, end: usize, topic: String) -> Option<OwnFact> {
    let mark =
        sentence[end..].chars().next().filter(|mark| matches!(mark, '.' | '!')).map_or(0, char::len_utf8);
    Some(OwnFact { text: sentence[begin..end + mark].to_owned(), topic })
}

/// Makes a topic more precise if its pattern does not. One intolerance does not exclude another, and a year of birth
/// does not exclude a birthday.
fn refined(topic: String, words: &[Word<'_>]) -> String {
    let is_year =
        |word: &Word<'_>| word.folded.len() == 4 && word.folded.bytes().all(|byte| byte.is_ascii_digit());
    match &*topic {
        "diet" if !words.iter().any(|word| correction::names_diet(&word.folded)) => {
            let listed = |word: &&Word<'_>| DIETS.iter().any(|diet| word.folded.starts_with(diet));
            words.iter().find(listed).map(|word| format!("diet {}", word.folded)).unwrap_or(topic)
        }
        "birthday" if words.last().is_some_and(is_year) => {
            let dated = words[..words.len() - 1].iter().any(|word| {
                word.folded.starts_with(|c: char| c.is_ascii_digit()) || word.folded.ends_with("ten")
            });
            let year_alone = words.len() > 1 && is_listed("in en", &words[words.len() - 2].folded);
            if dated || !year_alone { topic } else { "birth year".to_owned() }
        }
        _ => topic,
    }
}

/// The beginnings of words for diets that do not exclude other diets.
const DIETS: [&str; 16] = [
    "lact", "lakt", "glut", "fruct", "frukt", "histamin", "celi", "coeli", "zoli", "kosher", "kosch",
    "casher", "halal", "keto", "abst", "teetot",
];

/// The words with the subject (at `at`) before the verb, without the words before the verb: "seit Mai wohne ich in
/// Kiel" becomes "ich wohne in Kiel".
fn subject_first<'a, 'b>(words: &'b [Word<'a>], at: usize) -> Vec<&'b Word<'a>> {
    [&words[at], &words[at - 1]].into_iter().chain(&words[at + 1..]).collect()
}
