//! The default embedder: a table with one vector per word piece, compiled into the program. A text's vector is the sum
//! of its pieces' vectors, scaled to length 1. It needs no download and no start-up, and takes about twenty
//! microseconds per text.
//!
//! The table was made from all-MiniLM-L6-v2; `assets/README.md` describes how, and the example `static_table` makes it
//! again. Its rows are weighted: frequent pieces have shorter rows, and words that occur in every text count a tenth.
//! In a long text the first sixty words count as much as the whole text, because they usually name its subject (MP2).

use std::{
    collections::HashMap,
    sync::{OnceLock, PoisonError, RwLock},
};

use async_trait::async_trait;
use tokenizers::{
    DecoderWrapper, PostProcessorWrapper, TokenizerBuilder, TokenizerImpl, models::wordpiece::WordPiece,
    normalizers::BertNormalizer, pre_tokenizers::bert::BertPreTokenizer,
};

use crate::{EmbedError, Embedder, normalise};

const NAME: &str = "static-minilm-256@3";
/// The dimension of the static table's vectors.
pub const STATIC_DIMENSION: usize = 256;
/// The size of a row in bytes: its scale as a little-endian f32, then one signed byte per number.
const ROW: usize = 4 + STATIC_DIMENSION;
/// The length of a text's beginning, in words. Shorter texts have no separate beginning.
const BEGINNING: usize = 60;
/// The tokenizer's piece for a word it cannot split.
const UNKNOWN: &str = "[UNK]";

static TABLE: &[u8] = include_bytes!("../../assets/static-minilm-256.bin");
static VOCABULARY: &str = include_str!("../../assets/vocab.txt");

type Pieces =
    TokenizerImpl<WordPiece, BertNormalizer, BertPreTokenizer, PostProcessorWrapper, DecoderWrapper>;

/// The cache's limit in words. A full cache has a megabyte or two, and is cleared.
const WORDS: usize = 20_000;
/// The longest word that is cached, in bytes.
const LONGEST_WORD: usize = 32;

/// The words that the table contains whole, most frequent first: a dictionary of English.
pub fn dictionary() -> impl Iterator<Item = &'static str> {
    VOCABULARY.lines().filter(|piece| piece.bytes().all(|byte| byte.is_ascii_lowercase()))
}

/// The embedder `static`. Builds its tokenizer on first use, which takes about ten milliseconds.
#[derive(Debug, Default)]
pub struct StaticEmbedder {
    pieces: OnceLock<Pieces>,
    /// The pieces of words seen so far, because splitting a word into pieces costs more than all other steps.
    words: RwLock<HashMap<Box<str>, Box<[u32]>>>,
}

impl StaticEmbedder {
    /// The embedder; there is only one.
    pub fn new() -> Self {
        Self::default()
    }

    fn pieces(&self) -> Result<&Pieces, EmbedError> {
        if let Some(pieces) = self.pieces.get() {
            return Ok(pieces);
        }
        let built = tokenizer().map_err(|error| unusable(&error))?;
        Ok(self.pieces.get_or_init(|| built))
    }

    /// The vector of one text, as [`Embedder::embed`] returns it.
    ///
    /// # Errors
    /// The table is unusable.
    pub(super) fn vector_of(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.vector(self.pieces()?, text)
    }

    /// The vector of one text; zero if the vocabulary contains no piece of it (FG2).
    fn vector(&self, pieces: &Pieces, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut rows = Vec::with_capacity(text.len() / 3);
        let mut beginning = 0;
        for (at, word) in words(text).enumerate() {
            if at == BEGINNING {
                beginning = rows.len();
            }
            let known = self.words.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(ids) = known.get(word) {
                rows.extend(ids.iter().filter_map(|id| row(*id)));
                continue;
            }
            drop(known);
            let ids = spelt(pieces, word)?;
            rows.extend(ids.iter().filter_map(|id| row(*id)));
            if word.len() <= LONGEST_WORD {
                let mut known = self.words.write().unwrap_or_else(PoisonError::into_inner);
                if known.len() >= WORDS {
                    known.clear();
                }
                known.insert(word.into(), ids);
            }
        }
        let mut vector = unit(&rows);
        if beginning > 0 {
            vector.iter_mut().zip(unit(&rows[..beginning])).for_each(|(all, first)| *all += first);
            normalise(&mut vector);
        }
        Ok(vector)
    }
}

/// The words of a text, split at the tokenizer's white space, which no word piece crosses.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let space = |c: char| match c {
        ' ' | '\t' | '\n' | '\r' => true,
        _ => !c.is_ascii() && c.is_whitespace() && !c.is_control(),
    };
    text.split(space).filter(|word| !word.is_empty())
}

/// The pieces of a text, without the piece for unknown text.
fn spelt(pieces: &Pieces, text: &str) -> Result<Box<[u32]>, EmbedError> {
    let encoding = pieces.encode_fast(text, false).map_err(|error| unusable(&error))?;
    let unknown = pieces.token_to_id(UNKNOWN);
    Ok(encoding.get_ids().iter().copied().filter(|id| Some(*id) != unknown).collect())
}

#[async_trait]
impl Embedder for StaticEmbedder {
    fn model(&self) -> &str {
        NAME
    }

    fn dimension(&self) -> usize {
        STATIC_DIMENSION
    }

    fn at_once(&self) -> bool {
        true
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let pieces = self.pieces()?;
        texts.iter().map(|text| self.vector(pieces, text)).collect()
    }
}

fn tokenizer() -> tokenizers::Result<Pieces> {
    let vocabulary: tokenizers::models::bpe::Vocab =
        (0u32..).zip(VOCABULARY.lines()).map(|(id, piece)| (piece.to_owned(), id)).collect();
    TokenizerBuilder::new()
        .with_model(WordPiece::builder().vocab(vocabulary).build()?)
        .with_normalizer(Some(BertNormalizer::default()))
        .with_pre_tokenizer(Some(BertPreTokenizer))
        .with_post_processor(None)
        .with_decoder(None)
        .build()
}

/// A row: its scale, and its numbers as signed bytes.
type Row = (f32, &'static [u8; STATIC_DIMENSION]);

/// The row of `id`, if the table has it.
fn row(id: u32) -> Option<Row> {
    let row = TABLE.get(id as usize * ROW..(id as usize + 1) * ROW)?;
    let (scale, values) = row.split_first_chunk::<4>()?;
    Some((f32::from_le_bytes(*scale), values.first_chunk()?))
}

/// How many columns are summed at a time over all rows, so that the sums fit into registers.
const SUMS: usize = 32;

/// The sum of some rows, scaled to length 1.
fn unit(rows: &[Row]) -> Vec<f32> {
    let mut sum = sum(rows);
    normalise(&mut sum);
    sum
}

/// The sum of some rows.
fn sum(rows: &[Row]) -> Vec<f32> {
    let mut all = Vec::with_capacity(STATIC_DIMENSION);
    for at in 0..STATIC_DIMENSION / SUMS {
        let mut sums = [0.0f32; SUMS];
        for (scale, values) in rows {
            let Some(values) = values.as_chunks::<SUMS>().0.get(at) else { continue };
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += scale * f32::from(value.cast_signed());
            }
        }
        all.extend_from_slice(&sums);
    }
    all
}

fn unusable(error: &dyn std::fmt::Display) -> EmbedError {
    EmbedError::BadAnswer { model: NAME.to_owned(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    async fn vectors(texts: &[&str]) -> Vec<Vec<f32>> {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        StaticEmbedder::new().embed(&texts).await.unwrap()
    }

    fn dot(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn the_table_has_a_row_for_every_word_piece() {
        assert_eq!(TABLE.len(), ROW * VOCABULARY.lines().count());
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
    async fn fg2_vectors_have_length_one_and_nothing_known_is_zero() {
        let found = vectors(&["hello there", "", " \n", "🦀🦀", "\u{fffd}\0"]).await;
        assert!((dot(&found[0], &found[0]) - 1.0).abs() < 1e-5);
        for nothing in &found[1..] {
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
        let text = "Déjà vu: the SAME text, again";
        let alone = vectors(&[text]).await;
        let among = vectors(&["something else", text, "and more"]).await;
        assert_eq!(alone[0], among[1]);
        assert_eq!(alone, vectors(&["deja vu: the same text, again"]).await, "case and accents are folded");
    }

    proptest! {
        #[test]
        fn word_by_word_a_text_has_the_pieces_it_has_as_a_whole(text in "(\\PC|[ \t\n\u{b}\u{85}\u{2028}\u{a0}\0]|caf\u{e9} |cafe\u{301}|\u{79c1}|don't-){0,30}") {
            static PIECES: OnceLock<Pieces> = OnceLock::new();
            let pieces = PIECES.get_or_init(|| tokenizer().unwrap());
            let apart: Vec<u32> = words(&text).flat_map(|word| spelt(pieces, word).unwrap()).collect();
            prop_assert_eq!(apart, spelt(pieces, &text).unwrap().to_vec());
        }
    }
}
