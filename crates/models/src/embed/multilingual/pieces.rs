//! Splits texts into word pieces, with the model's SentencePiece vocabulary and normalisation (Kudo & Richardson 2018).

use prost::Message;
use tokenizers::{
    Model, NormalizedString, Normalizer, Result, models::unigram::Unigram, normalizers::Precompiled,
};

/// The ids of an unknown piece, and of the marks before and after a text.
const UNKNOWN: u32 = 0;
const BEGIN: u32 = 1;
const END: u32 = 2;

/// The character that SentencePiece uses for a space; it is also put before the first word.
const SPACE: char = '\u{2581}';

/// The used fields of `sp.model`. The field numbers are those of the older SentencePiece format.
#[derive(Message)]
struct File {
    #[prost(message, repeated, tag = "1")]
    pieces: Vec<Piece>,
    #[prost(message, optional, tag = "3")]
    normalisation: Option<Normalisation>,
}

#[derive(Message)]
struct Piece {
    #[prost(string, tag = "1")]
    text: String,
    #[prost(float, tag = "2")]
    score: f32,
}

#[derive(Message)]
struct Normalisation {
    #[prost(bytes = "vec", tag = "2")]
    map: Vec<u8>,
}

/// The vocabulary.
#[derive(Debug)]
pub struct SentencePieces {
    normalisation: Option<Precompiled>,
    vocabulary: Unigram,
}

impl SentencePieces {
    /// Reads the vocabulary from the bytes of `sp.model`.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let File { pieces, normalisation } = File::decode(bytes)?;
        let map = normalisation.map(|normalisation| Precompiled::from(&normalisation.map)).transpose()?;
        let scored = pieces.into_iter().map(|piece| (piece.text, f64::from(piece.score))).collect();
        Ok(Self { normalisation: map, vocabulary: Unigram::from(scored, Some(UNKNOWN as usize), false)? })
    }

    /// The ids of the first `most` pieces of a text, with marks around them. `None` if no piece of the text is known.
    pub fn ids(&self, text: &str, most: usize) -> Result<Option<Vec<u32>>> {
        let mut normalised = NormalizedString::from(text);
        if let Some(map) = &self.normalisation {
            map.normalize(&mut normalised)?;
        }
        let mut spelt = String::with_capacity(text.len() + 16);
        for word in normalised.get().split(' ').filter(|word| !word.is_empty()) {
            spelt.push(SPACE);
            spelt.push_str(word);
        }
        let pieces = self.vocabulary.tokenize(&spelt)?;
        let ids = || pieces.iter().map(|piece| piece.id).take(most);
        let is_space = |piece: &str| piece.chars().all(|letter| letter == SPACE);
        let known = pieces.iter().any(|piece| piece.id != UNKNOWN && !is_space(&piece.value));
        Ok(known.then(|| std::iter::once(BEGIN).chain(ids()).chain([END]).collect()))
    }
}
