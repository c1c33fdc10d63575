//! The table of English word pieces.
//!
//! It was made from all-MiniLM-L6-v2; `assets/README.md` describes how, and the example `static_table` makes it again. Its
//! rows are weighted: frequent pieces have shorter rows, and words that occur in every text count a tenth.

use tokenizers::{
    DecoderWrapper, PostProcessorWrapper, TokenizerBuilder, TokenizerImpl, models::wordpiece::WordPiece,
    normalizers::BertNormalizer, pre_tokenizers::bert::BertPreTokenizer,
};

use super::table::{Pieces, unusable};
use crate::EmbedError;

/// The dimension of the table's vectors.
pub(super) const ENGLISH: usize = 128;
/// The size of a row in bytes: its scale as a little-endian f32, then one signed byte per number.
const ROW: usize = 4 + ENGLISH;
/// The tokenizer's piece for a word it cannot split.
const UNKNOWN: &str = "[UNK]";

static TABLE: &[u8] = include_bytes!("../../assets/static-minilm-128.bin");
static VOCABULARY: &str = include_str!("../../assets/vocab.txt");

type Tokenizer =
    TokenizerImpl<WordPiece, BertNormalizer, BertPreTokenizer, PostProcessorWrapper, DecoderWrapper>;

/// The words that the table contains whole, most frequent first: a dictionary of English.
pub fn dictionary() -> impl Iterator<Item = &'static str> {
    VOCABULARY.lines().filter(|piece| piece.bytes().all(|byte| byte.is_ascii_lowercase()))
}

/// Splits words with the model's vocabulary.
#[derive(Debug)]
pub(super) struct EnglishPieces {
    tokenizer: Tokenizer,
    unknown: Option<u32>,
}

impl Pieces for EnglishPieces {
    fn build() -> Result<Self, EmbedError> {
        let tokenizer = tokenizer().map_err(|error| unusable(&error))?;
        Ok(Self { unknown: tokenizer.token_to_id(UNKNOWN), tokenizer })
    }

    fn spelt(&self, word: &str) -> Result<Box<[u32]>, EmbedError> {
        let encoding = self.tokenizer.encode_fast(word, false).map_err(|error| unusable(&error))?;
        Ok(encoding.get_ids().iter().copied().filter(|id| Some(*id) != self.unknown).collect())
    }

    fn sum(ids: &[u32]) -> Vec<f32> {
        let rows: Vec<Row> = ids.iter().filter_map(|id| row(*id)).collect();
        let mut all = Vec::with_capacity(ENGLISH);
        for at in 0..ENGLISH / SUMS {
            let mut sums = [0.0f32; SUMS];
            for (scale, values) in &rows {
                let Some(values) = values.as_chunks::<SUMS>().0.get(at) else { continue };
                for (sum, value) in sums.iter_mut().zip(values) {
                    *sum += scale * f32::from(value.cast_signed());
                }
            }
            all.extend_from_slice(&sums);
        }
        all
    }
}

fn tokenizer() -> tokenizers::Result<Tokenizer> {
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
type Row = (f32, &'static [u8; ENGLISH]);

/// The row of `id`, if the table has it.
fn row(id: u32) -> Option<Row> {
    let row = TABLE.get(id as usize * ROW..(id as usize + 1) * ROW)?;
    let (scale, values) = row.split_first_chunk::<4>()?;
    Some((f32::from_le_bytes(*scale), values.first_chunk()?))
}

/// How many columns are summed at a time over all rows, so that the sums fit into registers.
const SUMS: usize = 32;

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use proptest::prelude::*;

    use super::{super::table::words, *};

    #[test]
    fn the_table_has_a_row_for_every_word_piece() {
        assert_eq!(TABLE.len(), ROW * VOCABULARY.lines().count());
    }

    #[test]
    fn wb9_case_and_accents_are_folded() {
        let pieces = EnglishPieces::build().unwrap();
        assert_eq!(pieces.spelt("Déjà").unwrap(), pieces.spelt("deja").unwrap());
    }

    proptest! {
        #[test]
        fn word_by_word_a_text_has_the_pieces_it_has_as_a_whole(text in "(\\PC|[ \t\n\u{b}\u{85}\u{2028}\u{a0}\0]|caf\u{e9} |cafe\u{301}|\u{79c1}|don't-){0,30}") {
            static PIECES: OnceLock<EnglishPieces> = OnceLock::new();
            let pieces = PIECES.get_or_init(|| EnglishPieces::build().unwrap());
            let apart: Vec<u32> = words(&text).flat_map(|word| pieces.spelt(word).unwrap()).collect();
            prop_assert_eq!(apart, pieces.spelt(&text).unwrap().to_vec());
        }
    }
}
