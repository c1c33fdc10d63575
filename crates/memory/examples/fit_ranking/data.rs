//! Conversations of a file, and the candidates of each question.

use std::{collections::HashMap, error::Error};

use greenroom_index::{Change, Filter, Names, Row, ShardWriter, Words, without_names};
use greenroom_memory::rank::{CANDIDATES, Collection, Query, RankedRow, candidates};
use greenroom_models::Embedder;
use serde_json::Value;

/// The number of texts per call of the embedder.
const BATCH: usize = 64;

/// The speaker name of a persona in the files (MP2).
const PERSONA: &str = "assistant";

pub struct Conversation {
    /// The index of its file, which is a kind of chat.
    pub kind: usize,
    pub questions: Vec<Question>,
}

pub struct Question {
    /// The weight of the question in the fit.
    pub counts: f64,
    pub category: String,
    pub candidates: Vec<RankedRow>,
    /// Whether each candidate is an answer.
    pub gold: Vec<bool>,
    /// The number of messages that answer it, candidates or not.
    pub answers: usize,
}

pub async fn read(
    line: &str,
    kind: usize,
    embedder: Option<&dyn Embedder>,
) -> Result<Conversation, Box<dyn Error>> {
    let conversation: Value = serde_json::from_str(line)?;
    let list = |key: &str| conversation[key].as_array().cloned().unwrap_or_default();
    let (messages, questions) = (list("messages"), list("questions"));
    let mut speakers: Vec<&str> = messages.iter().map(|m| text(m, "speaker")).collect();
    speakers.sort_unstable();
    speakers.dedup();
    let names = Names::new(&speakers);
    let persona = speakers.contains(&PERSONA).then_some(PERSONA);
    let person = speakers.iter().copied().find(|speaker| *speaker != PERSONA);

    let said = vectors(embedder, &messages, &names).await?;
    let asked = vectors(embedder, &questions, &names).await?;
    let map = embedder.and_then(|embedder| embedder.question_map());
    let mapped = |vector: Vec<f32>| match map {
        Some(map) => map(vector),
        None => vector,
    };
    let mut ids = HashMap::new();
    let mut writer = ShardWriter::new(said.iter().flatten().next().map_or(1, Vec::len));
    let mut rows = Vec::new();
    for (id, (message, vector)) in (1..).zip(messages.iter().zip(said)) {
        ids.insert(text(message, "id"), id);
        let at: jiff::Timestamp = text(message, "at").parse()?;
        rows.push(Change::Put(Row {
            id,
            at: at.as_microsecond(),
            expires_at: i64::MAX,
            source: 0,
            author: Some(text(message, "speaker").to_owned()),
            words: Words::of(text(message, "text"), &at.strftime("%-d %B %Y %A").to_string(), &names),
            vector,
        }));
    }
    let shard = writer.apply(rows).shard;
    let collection = Collection { shards: &[(&*shard).into()], conversation: true };
    let mut read = Vec::new();
    for (question, vector) in questions.iter().zip(asked) {
        let query = Query::of_vectors(vector.into_iter().map(mapped).collect());
        let query = query.with_words(text(question, "text"), "", (&speakers, &Names::new(&speakers)));
        let query = match persona {
            Some(_) => {
                query.with_personas(&[PERSONA.to_owned()]).between(text(question, "text"), person, persona)
            }
            None => query,
        };
        let found = candidates(&collection, &query, &[(Filter::default(), CANDIDATES)], &[])?;
        let answers: Vec<i64> = question["gold"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|id| ids.get(id.as_str()?).copied())
            .collect();
        read.push(Question {
            counts: 1.0,
            category: text(question, "category").to_owned(),
            gold: found.iter().map(|candidate| answers.contains(&candidate.id)).collect(),
            candidates: found,
            answers: answers.len(),
        });
    }
    Ok(Conversation { kind, questions: read })
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

async fn vectors(
    embedder: Option<&dyn Embedder>,
    of: &[Value],
    names: &Names,
) -> Result<Vec<Option<Vec<f32>>>, Box<dyn Error>> {
    let Some(embedder) = embedder else { return Ok(vec![None; of.len()]) };
    let texts: Vec<String> = of.iter().map(|value| without_names(text(value, "text"), names)).collect();
    let mut vectors = Vec::with_capacity(texts.len());
    for batch in texts.chunks(BATCH) {
        vectors.extend(embedder.embed(batch).await?);
    }
    Ok(vectors.into_iter().map(|vector| vector.iter().any(|x| *x != 0.0).then_some(vector)).collect())
}
