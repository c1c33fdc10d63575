//! What people tell about themselves in words that no pattern covers (MP6): "shellfish puts me in the ER". Capture
//! calls it after the reply.
//!
//! A classifier judges each sentence by its vector: a network with one hidden layer over the vector of the multilingual
//! embedder, fitted to messages in five languages (`examples/fit_told.rs`, `data/told/`). A sentence that tells
//! something lasting is stored verbatim and without a key. With another embedder the classifier is off, and only the
//! patterns work.

use std::time::Duration;

use greenroom_core::{Author, Viewer};
use greenroom_lang::{before_other_text, denied_facts, is_supposition, lasting_part, without_mentions};
use greenroom_models::Embedder;

use super::{
    Exchange,
    preferences::{LONGEST, LONGEST_SENTENCE, MOST, Preference, preferences},
    requests::is_request,
    speaking,
    speech::{Sentence, sentences},
    statements::told_by_author,
    tells_a_secret,
};
use crate::{Memory, Remember, embed::Embedding, words::one_of};

/// The embedding model for which the weights were fitted.
const FITTED_TO: &str = "use-multilingual-v3@4";
/// The dimension of its vectors.
const DIMENSION: usize = 320;
/// The number of hidden units.
const HIDDEN: usize = 256;
/// The size of a unit in bytes: one byte per weight, then the scale, the bias and the output weight as little-endian
/// `f32`.
const UNIT: usize = DIMENSION + 3 * size_of::<f32>();
/// All units, then the constant of the output.
static WEIGHTS: &[u8; HIDDEN * UNIT + size_of::<f32>()] = include_bytes!("told.weights");
/// How long the sentences of a message wait for their vectors. No reply waits for them, and without vectors they are
/// lost. After a start the embedder must first be loaded, so the wait is long.
const JUDGE_WAIT: Duration = Duration::from_secs(60);
/// The minimum number of words in the rest of a sentence; twice as many characters in Japanese.
const FEWEST_OF_REST: usize = 3;
/// The minimum number of words after a clause about the moment; fewer only continue it: "I'm on the bus, will call you".
const FEWEST_BEHIND_THE_MOMENT: usize = 5;
/// The least log-odds with which a sentence is stored. It was chosen for a precision of 0.95 on messages of held-out
/// authors (MP6).
pub const TOLD_FROM: f32 = 0.5;

impl Memory {
    /// Whether the classifier is active, which requires the embedder that its weights were fitted to.
    pub fn judges_what_is_told(&self) -> bool {
        self.embedder().is_some_and(|embedder| embedder.model() == FITTED_TO)
    }

    /// What people tell about themselves in an exchange, in words that no pattern covers. Returns nothing if a model
    /// looks for facts, because the model phrases them better. Skips messages that contain a permission, because it is
    /// uncertain which statement the permission refers to.
    pub(super) async fn told(&self, viewer: &Viewer, exchange: &Exchange) -> Vec<Remember> {
        let settings = &exchange.settings;
        let mut told = Vec::new();
        if !self.judges_what_is_told() || !settings.preferences || settings.facts && exchange.model.is_some()
        {
            return told;
        }
        for message in &exchange.burst {
            let Author::User { id, .. } = &message.author else { continue };
            let viewer = &speaking(viewer, Some(id));
            let text = self.shared.cast_names.without_addresses(&message.text);
            if self.permission_of(viewer, &text, message).is_some() {
                continue;
            }
            let (judged, kept): (Vec<String>, Vec<String>) = sentences_to_judge(&text).into_iter().unzip();
            let embeddings = self.embedded_within(JUDGE_WAIT, &judged).await;
            for (kept, embedding) in kept.into_iter().zip(embeddings) {
                if let Embedding::Unusable(reason) = &embedding {
                    tracing::warn!("a sentence is not judged, and what it tells is not remembered: {reason}");
                }
                if matches!(embedding, Embedding::Vector(vector) if tells_of_author(&vector)) {
                    told.push(told_by_author(kept, "fact", (viewer, exchange.follow), (message.id, id)));
                }
            }
        }
        told
    }
}

/// Whether a sentence with this vector tells something lasting about its author.
fn tells_of_author(vector: &[f32]) -> bool {
    let (units, constant) = WEIGHTS.split_at(HIDDEN * UNIT);
    let odds: f32 = units.chunks_exact(UNIT).map(|unit| output(unit, vector)).sum();
    vector.len() == DIMENSION && odds + floats(constant).sum::<f32>() >= TOLD_FROM
}

/// The contribution of a hidden unit to the log-odds.
fn output(unit: &[u8], vector: &[f32]) -> f32 {
    let (weights, rest) = unit.split_at(DIMENSION);
    let sum: f32 = weights.iter().zip(vector).map(|(weight, number)| f32::from(*weight as i8) * number).sum();
    let mut rest = floats(rest);
    let mut next = || rest.next().unwrap_or_default();
    let (scale, bias, weight) = (next(), next(), next());
    (sum * scale + bias).max(0.0) * weight
}

fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes))
}

/// The sentences of a message that the classifier judges, at most [`MOST`], each with the text that is stored. These
/// sentences may tell something about the author and are not covered by patterns. The stored text includes a question
/// before it, which explains "there" and "it".
fn sentences_to_judge(message: &str) -> Vec<(String, String)> {
    if message.trim().chars().count() > LONGEST {
        return Vec::new();
    }
    let found = preferences(message);
    let said = without_mentions(before_other_text(message)).replace('\u{2019}', "'");
    let may_tell = |text: &str| {
        !text.contains(['`', '{', '}'])
            && text.chars().count() <= LONGEST_SENTENCE
            && !is_request(text)
            && !tells_a_secret(text)
            && !is_supposition(text)
            && denied_facts(text).is_empty()
            && found.iter().all(|known| !text.contains(&known.text))
    };
    let mut before: Option<String> = None;
    let mut to_judge = Vec::new();
    for sentence in sentences(&said) {
        let may_be_told = !sentence.quoted && may_tell(&sentence.text);
        let asks = sentence.is_question() && may_be_told;
        let is_told = may_be_told && lasting_part(&sentence.text) == sentence.text;
        // "I'm Julien, teacher in Nantes": a pattern took the name, and the rest is judged
        let rest = rest_of(&sentence, &found).or_else(|| behind_the_moment(&sentence));
        if let Some(rest) = rest.filter(|rest| may_tell(rest) && lasting_part(rest) == rest) {
            to_judge.push((rest.clone(), rest));
        }
        if is_told {
            let with_question = before.take().map(|question| format!("{question} {}", sentence.text));
            let kept = with_question.filter(|kept| kept.chars().count() <= LONGEST_SENTENCE);
            to_judge.push((sentence.text.clone(), kept.unwrap_or_else(|| sentence.text.clone())));
        }
        before = asks.then_some(sentence.text);
    }
    to_judge.truncate(MOST);
    to_judge
}

/// Words that join the parts of a sentence.
const JOINTS: &str = "and or but und oder aber y e o pero et ou mais";
/// Beginnings of a rest that goes on with a subject of several people, the plural verbs that follow them in English and
/// irregular ones in other languages, and the ending of the regular ones.
const SHARED_SUBJECTS: [(&str, &str, &str); 4] = [
    ("and i ", "are were", ""),
    ("und ich ", "sind", "en"),
    ("y yo ", "", "mos"),
    ("et moi ", "sommes", "ons"),
];

/// Whether a rest goes on with a subject that what was found before it is a part of: "My wife Maureen | and I are off to
/// Madeira".
fn shares_its_subject(rest: &str) -> bool {
    let low = rest.to_lowercase();
    SHARED_SUBJECTS.into_iter().any(|(beginning, verbs, ending)| {
        let verb = low.strip_prefix(beginning).and_then(|after| after.split_whitespace().next());
        verb.is_some_and(|verb| one_of(verbs, verb) || !ending.is_empty() && verb.ends_with(ending))
    })
}

/// A part of a sentence without the words that joined it to another part.
fn without_joints(part: &str) -> String {
    let words: Vec<&str> = part.split_whitespace().collect();
    let joins = |word: Option<&&str>| word.is_some_and(|word| one_of(JOINTS, &word.to_lowercase()));
    let from = usize::from(joins(words.first()));
    let until = words.len() - usize::from(joins(words.last()) && words.len() > from);
    words.get(from..until).unwrap_or_default().join(" ")
}

/// The part of a sentence before or after the preferences found in it, if it is long enough to tell something.
fn rest_of(sentence: &Sentence, found: &[Preference]) -> Option<String> {
    let text = sentence.text.trim();
    if sentence.quoted || sentence.is_question() {
        return None;
    }
    let known = found.iter().filter(|known| text.contains(&known.text));
    let spans: Vec<(usize, usize)> =
        known.filter_map(|known| text.find(&known.text).map(|at| (at, at + known.text.len()))).collect();
    let (begin, end) = (spans.iter().map(|span| span.0).min()?, spans.iter().map(|span| span.1).max()?);
    let bare = |part: &str| part.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let (before, after) = (bare(text.get(..begin)?), bare(text.get(end..)?));
    if shares_its_subject(&after) {
        return Some(text.to_owned());
    }
    let parts = [without_joints(&after), without_joints(&before)];
    let is_long = |part: &String| match part.is_ascii() || part.contains(' ') {
        true => part.split_whitespace().count() >= FEWEST_OF_REST,
        false => part.chars().count() >= 2 * FEWEST_OF_REST,
    };
    parts.into_iter().find(is_long)
}

/// The part of a sentence after a clause about the moment: "I'm on the bus, | my daughter is allergic to nuts".
fn behind_the_moment(sentence: &Sentence) -> Option<String> {
    let rest = lasting_part(&sentence.text);
    let is_told = !sentence.quoted && !sentence.is_question() && rest != sentence.text;
    let is_long = rest.split_whitespace().count() >= FEWEST_BEHIND_THE_MOMENT;
    (is_told && is_long).then(|| without_joints(rest))
}

#[cfg(test)]
mod tests {
    use greenroom_models::{MultilingualEmbedder, Weights};

    use super::*;

    #[test]
    fn mp6_the_weights_are_for_the_vectors_of_the_multilingual_embedder() {
        let embedder = MultilingualEmbedder::new(Weights::new("nowhere".into()));
        assert_eq!((FITTED_TO, DIMENSION), (embedder.model(), embedder.dimension()));
        assert!(!tells_of_author(&[1.0]), "a vector of another model tells nothing");
    }

    #[test]
    fn mp6_the_rest_of_a_sentence_is_a_whole_statement() {
        let found =
            |text: &str| Preference { text: text.to_owned(), ..preferences("I live in Graz").remove(0) };
        let rest = |text: &str, known: &str| rest_of(&sentences(text).remove(0), &[found(known)]);
        assert_eq!(
            rest("My wife Maureen and I are off to Madeira on the 14th", "My wife Maureen").as_deref(),
            Some("My wife Maureen and I are off to Madeira on the 14th"),
            "the name is a part of the subject"
        );
        assert_eq!(
            rest("I live in Graz and work nights at the bakery", "I live in Graz").as_deref(),
            Some("work nights at the bakery")
        );
        assert_eq!(
            rest("I live in Graz and I have two dogs at home", "I live in Graz").as_deref(),
            Some("I have two dogs at home"),
            "the place may change without the dogs"
        );
        let texts = |text: &str| sentences(text).into_iter().map(|one| one.text).collect::<Vec<_>>();
        assert_eq!(
            texts("11. September, Emre und Defne, beide gesund"),
            ["11. September, Emre und Defne, beide gesund"]
        );
    }

    #[test]
    fn mp6_quotes_suppositions_requests_and_what_patterns_find_are_not_judged() {
        let judged = |message: &str| {
            sentences_to_judge(message).into_iter().map(|(judged, _)| judged).collect::<Vec<_>>()
        };
        assert_eq!(
            judged("shellfish puts me in the ER. what do I order?"),
            ["shellfish puts me in the ER.", "what do I order?"]
        );
        for message in [
            "\"I'm a doctor, not an engineer\"",
            "if I lived in Japan I'd eat noodles all day",
            "I live in Graz.",
            "I'm not allergic to nuts",
            "remember that shellfish puts me in the ER",
            "translate into German: shellfish puts me in the ER",
            "user = {\"city\": \"Berlin\"}",
            &"a very long text ".repeat(200),
        ] {
            assert_eq!(judged(message), [] as [&str; 0], "{message}");
        }
    }

    #[test]
    fn mp6_the_rest_of_a_sentence_of_which_patterns_take_a_part_is_judged() {
        let judged = |message: &str| {
            sentences_to_judge(message).into_iter().map(|(judged, _)| judged).collect::<Vec<_>>()
        };
        let message = "moi c'est Julien, prof de maths à Nantes, deux enfants";
        assert_eq!(judged(message), ["prof de maths à Nantes, deux enfants"]);
        assert_eq!(judged("I live in Graz, lol"), [""; 0]);
    }

    #[test]
    fn mp6_what_is_told_is_kept_with_the_question_before_it() {
        let kept = |message: &str| sentences_to_judge(message).pop().map(|(_, kept)| kept);
        let message = "What time is it in Manila? My mum has moved there.";
        assert_eq!(kept(message).as_deref(), Some(message));
        assert_eq!(kept("Shellfish puts me in the ER! No soup then.").as_deref(), Some("No soup then."));
        let long = "what about ".repeat(30);
        assert_eq!(kept(&format!("{long}? I bake.")).as_deref(), Some("I bake."));
    }
}
