//! The default embedder: two tables with a vector per piece of a word, compiled into the program. A text's vector joins the
//! sums of both. It needs no download and no start-up, and takes tens of microseconds per text.
//!
//! The table of word pieces is English and made from all-MiniLM-L6-v2; the table of words has five languages in one space
//! and is fitted to the multilingual encoder and to questions with their answers (MP4). `assets/README.md` describes how.

use async_trait::async_trait;

use super::{
    english::{ENGLISH, EnglishPieces},
    table::{STATIC, Table},
    words::{WORDS, WordPieces},
};
use crate::{EmbedError, Embedder, normalise};

/// The dimension of the static embedder's vectors.
const STATIC_DIMENSION: usize = ENGLISH + WORDS;
/// The English table's share of a cosine; the rest is that of the table of words. With less, questions find more in other languages
/// and less in talk of two people.
const SHARE_OF_ENGLISH: f32 = 0.5;

/// The embedder `static`. Builds the tables' spelling on first use, which takes some tens of milliseconds.
#[derive(Debug, Default)]
pub struct StaticEmbedder {
    english: Table<EnglishPieces>,
    words: Table<WordPieces>,
}

impl StaticEmbedder {
    /// The embedder; there is only one.
    pub fn new() -> Self {
        Self::default()
    }

    /// The vector of one text; zero if neither table has a piece of it (FG2).
    fn vector(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut joined = self.english.vector_of(text)?;
        joined.iter_mut().for_each(|number| *number *= SHARE_OF_ENGLISH.sqrt());
        let words = self.words.vector_of(text)?;
        joined.extend(words.into_iter().map(|number| number * (1.0 - SHARE_OF_ENGLISH).sqrt()));
        // one of the two may be zero
        normalise(&mut joined);
        Ok(joined)
    }
}

#[async_trait]
impl Embedder for StaticEmbedder {
    fn model(&self) -> &str {
        STATIC
    }

    fn dimension(&self) -> usize {
        STATIC_DIMENSION
    }

    fn at_once(&self) -> bool {
        true
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().map(|text| self.vector(text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn vectors(texts: &[&str]) -> Vec<Vec<f32>> {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        StaticEmbedder::new().embed(&texts).await.unwrap()
    }

    fn dot(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    #[tokio::test]
    async fn as1_what_means_the_same_is_nearer_than_what_does_not() {
        let found = vectors(&[
            "What communication style do I prefer?",
            "I prefer concise responses",
            "The train to Lisbon leaves at noon",
            "My cat is called Miso",
            "a kitten is a small pet",
        ])
        .await;
        assert!(dot(&found[0], &found[1]) > dot(&found[0], &found[2]));
        assert!(dot(&found[0], &found[1]) > dot(&found[0], &found[3]));
        assert!(dot(&found[3], &found[4]) > dot(&found[3], &found[2]));
    }

    #[tokio::test]
    async fn mp4_a_question_is_nearest_to_its_answer_in_its_own_language_and_in_english() {
        let told = [
            "Meine Schwester ist nach Graz gezogen.",
            "Mi hermana trabaja en una panadería.",
            "Notre chat s'appelle Moustache.",
            "妹は毎朝パンを焼いています。",
            "Der Zug nach Linz fährt um neun.",
            "El partido empieza a las ocho.",
            "Le fromage est au frigo.",
            "会議は三時に始まります。",
        ];
        let asked = [
            ("Wo wohnt meine Schwester jetzt?", "Which city did my sister move to?"),
            ("¿En qué trabaja mi hermana?", "Where does my sister work, at a bakery?"),
            ("Comment s'appelle mon chat ?", "What is our cat called?"),
            ("妹は朝に何を焼いていますか？", "What bread does my younger sister bake?"),
        ];
        let answers = vectors(&told).await;
        let mut missed = Vec::new();
        for (at, (own, english)) in asked.into_iter().enumerate() {
            for (question, of) in [(own, 1), (english, 2)] {
                let question = &vectors(&[question]).await[0];
                let answer = dot(question, &answers[at]);
                if answers.iter().filter(|other| dot(question, other) > answer).count() >= of {
                    missed.push((told[at], of));
                }
            }
        }
        assert_eq!(missed, []);
    }

    #[tokio::test]
    async fn fg2_vectors_have_length_one_and_nothing_known_is_zero() {
        let found = vectors(&["hello there", "こんにちは", "", " \n", "🦀🦀", "\u{fffd}\0"]).await;
        for known in &found[..2] {
            assert!((dot(known, known) - 1.0).abs() < 1e-5);
        }
        for nothing in &found[2..] {
            assert_eq!(nothing, &vec![0.0; STATIC_DIMENSION]);
        }
    }

    #[tokio::test]
    async fn mp2_a_long_text_is_found_by_what_its_beginning_is_about() {
        let talk = "we then spoke about the weather and the price of new windows ".repeat(20);
        let long = format!("My sister keeps bees in Graz. {}", "It hums in her garden. ".repeat(11) + &talk);
        let found = vectors(&["Who keeps bees?", &long, &talk]).await;
        assert!(dot(&found[0], &found[1]) > dot(&found[0], &found[2]) + 0.1);
    }

    #[tokio::test]
    async fn wb9_a_text_has_the_same_vector_alone_and_among_others() {
        let text = "Stop it: the SAME text, again";
        let alone = vectors(&[text]).await;
        let among = vectors(&["something else", text, "and more"]).await;
        assert_eq!(alone[0], among[1]);
        assert_eq!(alone, vectors(&["stop it: the same text, again"]).await, "case is folded");
    }
}
