//! The table of words and their pieces in English, German, Spanish, French and Japanese, in one space: a word is near to
//! its translations. `assets/README.md` describes how it was made, and `scripts/fit_words.py` makes it again.

use tokenizers::{Model, NormalizedString, models::unigram::Unigram};

use super::table::{Pieces, unusable};
use crate::EmbedError;

/// The dimension of the table's vectors.
pub(super) const WORDS: usize = 128;
/// Two numbers are stored in a byte: one of the first half in the lower bits, one of the second half in the upper bits.
const BYTES: usize = WORDS / 2;
/// The size of a row in bytes: its scale as a little-endian f32, the score of its piece, then the numbers.
const ROW: usize = 4 + 1 + BYTES;
/// Added to a number, so that it has no sign.
const OFFSET: f32 = 8.0;
/// A score is stored in this many steps per unit, without its minus.
const SCORE_STEPS: f64 = 12.0;
/// The id of unknown text. Pieces are counted from the next.
const UNKNOWN: u32 = 0;
/// The character before the first piece of a word.
const SPACE: char = '\u{2581}';

static TABLE: &[u8] = include_bytes!("../../assets/words.bin");
static VOCABULARY: &str = include_str!("../../assets/words.txt");

/// Splits words into their likeliest pieces (Kudo 2018).
#[derive(Debug)]
pub(super) struct WordPieces(Unigram);

impl Pieces for WordPieces {
    fn build() -> Result<Self, EmbedError> {
        let rows = TABLE.as_chunks::<ROW>().0.iter();
        let pieces = VOCABULARY
            .lines()
            .zip(rows)
            .map(|(piece, row)| (piece.to_owned(), -f64::from(row[4]) / SCORE_STEPS));
        let pieces = std::iter::once((String::new(), 0.0)).chain(pieces).collect();
        Ok(Self(Unigram::from(pieces, Some(UNKNOWN as usize), false).map_err(|error| unusable(&error))?))
    }

    fn spelt(&self, word: &str) -> Result<Box<[u32]>, EmbedError> {
        let mut folded = NormalizedString::from(word);
        folded.nfkc().lowercase();
        let mut ids = Vec::new();
        for word in folded.get().split_whitespace() {
            let pieces = self.0.tokenize(&format!("{SPACE}{word}")).map_err(|error| unusable(&error))?;
            ids.extend(pieces.into_iter().map(|piece| piece.id).filter(|id| *id != UNKNOWN));
        }
        Ok(ids.into())
    }

    fn sum(ids: &[u32]) -> Vec<f32> {
        let (mut lower, mut upper) = ([0.0f32; BYTES], [0.0f32; BYTES]);
        let mut scales = 0.0;
        for (scale, values) in ids.iter().filter_map(|id| row(*id)) {
            scales += scale;
            for ((lower, upper), value) in lower.iter_mut().zip(&mut upper).zip(values) {
                *lower += scale * f32::from(value & 15);
                *upper += scale * f32::from(value >> 4);
            }
        }
        lower.into_iter().chain(upper).map(|sum| sum - OFFSET * scales).collect()
    }
}

/// The scale and the numbers of the row of `id`.
fn row(id: u32) -> Option<(f32, &'static [u8])> {
    let row = TABLE.as_chunks::<ROW>().0.get((id as usize).checked_sub(1)?)?;
    let (scale, rest) = row.split_first_chunk::<4>()?;
    Some((f32::from_le_bytes(*scale), rest.get(1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_row_for_every_piece() {
        assert_eq!(TABLE.len(), ROW * VOCABULARY.lines().count());
    }

    #[test]
    fn mp4_words_of_five_languages_are_spelt_in_whole() {
        let pieces = WordPieces::build().unwrap();
        let known: Vec<&str> = VOCABULARY.lines().collect();
        for word in ["Schwester", "hermana", "sœur", "sister", "毎日"] {
            let ids = pieces.spelt(word).unwrap();
            let spelt: Vec<&str> = ids.iter().map(|id| known[*id as usize - 1]).collect();
            assert!(spelt.len() == 1, "{word}: {spelt:?}");
            assert_eq!(spelt[0].trim_start_matches(SPACE), word.to_lowercase());
        }
        assert_eq!(pieces.spelt("ＨＥＬＬＯ").unwrap(), pieces.spelt("hello").unwrap());
        assert!(pieces.spelt("\u{1f980}").unwrap().is_empty());
    }
}
