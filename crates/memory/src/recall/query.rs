//! The query of a recall: builds vectors and words from the last messages, as the strategy requires.
//!
//! The query for messages leaves out the participants' names, because messages were embedded without them: the speaker
//! is a field of the message. The query for memories keeps the names, because a memory's text names its person.

use std::borrow::Cow;

use greenroom_index::{Names, terms};
use greenroom_lang::{japanese_telling_words, refers_back};
use greenroom_models::{Embedder, normalise};
use greenroom_persona::{MemorySettings, Strategy};
use greenroom_store::ItemKind;

use crate::{
    embed::{Embedding, embed, one_line},
    names::nameless_question,
};

/// The trigger's weight in the query's vector; the rest is the weight of the messages before it. The trigger must
/// dominate, or a long reply before a short question would decide what is recalled. The messages before must count, or
/// "and which one did I prefer?" would find nothing.
const TRIGGER_WEIGHT: f32 = 0.7;

/// A trigger with more telling words than this needs no messages before it. A trigger with exactly this number needs
/// them only if it refers back.
const TELLING: usize = 2;

/// How many characters of each message before the trigger are used. A message's subject is usually at its beginning,
/// and one long message must not crowd out the others.
const CONTEXT_CHARS: usize = 1_000;

/// The query. Without vectors the recall does not search by meaning, and without words it does not search by words.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RecallQuery {
    /// The vectors that memories are compared with; more than one only with hypotheses.
    pub(crate) memories: Vec<Vec<f32>>,
    /// The vectors that messages are compared with.
    pub(crate) messages: Vec<Vec<f32>>,
    /// Whether the vectors are mapped to where the answers are.
    pub(crate) is_mapped: bool,
    /// The texts whose words are searched; `None` if the strategy searches by meaning alone.
    pub(crate) words: Option<QueryTexts>,
}

/// The texts whose words are searched.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct QueryTexts {
    /// The trigger.
    pub(crate) trigger: String,
    /// The messages before the trigger; their words count less.
    pub(crate) before: String,
}

impl QueryTexts {
    /// Takes the trigger and the context from [`texts`]; `None` if there is no text.
    pub(crate) fn of(texts: &[String]) -> Option<Self> {
        let text = |at| texts.get(at).cloned().unwrap_or_default();
        (!texts.is_empty()).then(|| Self { trigger: text(0), before: text(1) })
    }
}

impl RecallQuery {
    /// The vectors for items of this kind.
    pub(crate) fn vectors(&self, kind: ItemKind) -> &[Vec<f32>] {
        match kind {
            ItemKind::Memory => &self.memories,
            ItemKind::Message => &self.messages,
        }
    }

    /// True if there is nothing to search for.
    pub(crate) fn is_empty(&self) -> bool {
        self.memories.is_empty() && self.messages.is_empty() && self.words.is_none()
    }
}

/// The texts of the query: the trigger, then the messages before it. The messages before are left out if the trigger
/// names its subject (WB6): a talk about bread must not answer "where does my sister live?". The strategy `latest` uses
/// the trigger alone (BD1). `said` returns a text without a greeting and the names of addressed personas.
pub(crate) fn texts(
    trigger: &str,
    before: &[String],
    settings: &MemorySettings,
    said: impl for<'a> Fn(&'a str) -> Cow<'a, str>,
) -> Vec<String> {
    let size = if settings.strategy == Strategy::Latest { 1 } else { settings.window.max(1) };
    let from =
        if size > 1 && leans(trigger) { (before.len() + 1).saturating_sub(size) } else { before.len() };
    let before = before[from..].iter().map(|text| said(text).chars().take(CONTEXT_CHARS).collect::<String>());
    let before: Vec<String> = before.filter(|text| !text.trim().is_empty()).collect();
    [trigger.to_owned(), before.join("\n")].into_iter().filter(|t| !t.trim().is_empty()).collect()
}

/// Whether the trigger needs the messages before it to be understood.
fn leans(trigger: &str) -> bool {
    let telling = japanese_telling_words(trigger).unwrap_or_else(|| {
        let mut telling = terms(trigger, &Names::none());
        telling.sort_unstable();
        telling.dedup();
        telling.len()
    });
    telling < TELLING || (telling == TELLING && refers_back(trigger))
}

/// Embeds the trigger and the messages before it in one call (BD10), and blends them to one query, which is mapped to
/// where its answers are. The query has no vectors if the model knows nothing in the texts.
pub(crate) async fn blended(
    embedder: &dyn Embedder,
    texts: &[String],
    names: &Names,
) -> Result<RecallQuery, String> {
    let (memories, messages) = embedded(embedder, texts, names).await?;
    let map = embedder.question_map();
    let mapped = |vector: Vec<f32>| match map {
        Some(map) => map(vector),
        None => vector,
    };
    let query = |vectors| blend(vectors).into_iter().map(mapped).collect();
    let (memories, messages) = (query(memories), query(messages));
    Ok(RecallQuery { memories, messages, is_mapped: map.is_some(), words: None })
}

/// Embeds hypotheses in one call; each becomes a query vector of its own (FG6).
pub(crate) async fn separate(
    embedder: &dyn Embedder,
    texts: &[String],
    names: &Names,
) -> Result<RecallQuery, String> {
    let (memories, messages) = embedded(embedder, texts, names).await?;
    Ok(RecallQuery {
        memories: memories.into_iter().flatten().collect(),
        messages: messages.into_iter().flatten().collect(),
        is_mapped: false,
        words: None,
    })
}

type Vectors = Vec<Option<Vec<f32>>>;

/// Two vectors per text: of the text as it is, and of the text without names.
async fn embedded(
    embedder: &dyn Embedder,
    texts: &[String],
    names: &Names,
) -> Result<(Vectors, Vectors), String> {
    let nameless: Vec<String> = texts.iter().map(|text| nameless_question(text, names)).collect();
    let differs = nameless != texts;
    let batch: Cow<'_, [String]> = if differs { [texts, &nameless].concat().into() } else { texts.into() };
    let mut vectors = Vec::with_capacity(batch.len());
    for embedding in embed(embedder, &batch).await.map_err(|e| one_line(&e))? {
        vectors.push(match embedding {
            Embedding::Vector(vector) => Some(vector),
            Embedding::Nothing => None,
            Embedding::Unusable(reason) => {
                return Err(format!("the embedding model {} gave {reason}", embedder.model()));
            }
        });
    }
    let without = if differs { vectors.split_off(texts.len()) } else { vectors.clone() };
    Ok((vectors, without))
}

/// The weighted sum of the trigger's and the context's vectors, as one unit vector.
fn blend(vectors: Vectors) -> Vec<Vec<f32>> {
    let mut known = vectors.into_iter().flatten();
    match (known.next(), known.next()) {
        (Some(mut trigger), Some(before)) => {
            for (t, b) in trigger.iter_mut().zip(&before) {
                *t = TRIGGER_WEIGHT * *t + (1.0 - TRIGGER_WEIGHT) * b;
            }
            normalise(&mut trigger);
            vec![trigger]
        }
        (only, _) => only.into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|t| (*t).to_owned()).collect()
    }

    fn of(window: &[String], size: usize) -> Vec<String> {
        let settings =
            MemorySettings { strategy: Strategy::Window, window: size, ..MemorySettings::default() };
        in_window(window, &settings)
    }

    fn in_window(window: &[String], settings: &MemorySettings) -> Vec<String> {
        let Some((trigger, before)) = window.split_last() else { return Vec::new() };
        texts(trigger, before, settings, |text| text.into())
    }

    #[test]
    fn wb6_the_query_is_the_trigger_and_the_few_messages_before_it() {
        let all = window(&["a", "b", "c", "d"]);
        assert_eq!(of(&all, 3), ["d", "b\nc"]);
        assert_eq!(of(&all, 1), ["d"]);
        assert_eq!(of(&all, 0), ["d"]);
        assert_eq!(of(&all[..1], 9), ["a"]);
        assert!(of(&[], 3).is_empty());
        assert!(of(&window(&[" \n"]), 3).is_empty());
    }

    #[test]
    fn wb6_a_trigger_that_says_what_it_is_about_needs_nothing_before_it() {
        for text in [
            "why?",
            "and tea?",
            "which one did I prefer?",
            "What did she paint there?",
            "Do you like it?",
            "Was frisst sie gern?",
            "彼女の仕事は何？",
        ] {
            assert!(leans(text), "{text}");
        }
        for text in [
            "Where does my sister live?",
            "Is it far to the house of my sister?",
            "green tea",
            "うちの猫の名前は？",
        ] {
            assert!(!leans(text), "{text}");
        }
        let bread = "sourdough needs flour, water and time. ".repeat(30);
        assert_eq!(of(&window(&[&bread, "Where does my sister live?"]), 4), ["Where does my sister live?"]);
    }

    #[test]
    fn mp5_a_greeting_before_a_short_question_is_no_part_of_the_query() {
        let cast = greenroom_lang::Addressees::new(["ada"]);
        let settings = MemorySettings { strategy: Strategy::Window, window: 4, ..MemorySettings::default() };
        let before = window(&["I bake bread", "hey ada!"]);
        let said = texts("where do I work?", &before, &settings, |text| cast.without_greeting(text));
        assert_eq!(said, ["where do I work?", "I bake bread"]);
    }

    #[test]
    fn bd1_the_latest_message_alone_is_the_query() {
        let settings = MemorySettings { strategy: Strategy::Latest, window: 9, ..MemorySettings::default() };
        assert_eq!(in_window(&window(&["a", "b"]), &settings), ["b"]);
    }

    #[test]
    fn wb6_a_long_message_before_the_trigger_does_not_crowd_out_the_others() {
        let texts = of(&window(&[&"x".repeat(9_000), "why?", "and now?"]), 3);
        assert_eq!(texts[1].len(), CONTEXT_CHARS + "\nwhy?".len());
    }

    #[test]
    fn wb6_the_trigger_leads_and_what_came_before_counts() {
        let both = blend(vec![Some(vec![1.0, 0.0]), Some(vec![0.0, 1.0])]).remove(0);
        assert!(both[0] > both[1] && both[1] > 0.0, "{both:?}");
        let length: f32 = both.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-6);
        assert_eq!(blend(vec![None, Some(vec![0.0, 1.0])]), [vec![0.0, 1.0]]);
        assert!(blend(vec![None]).is_empty());
    }
}
