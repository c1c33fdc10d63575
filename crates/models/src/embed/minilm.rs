//! all-MiniLM-L6-v2 in candle, on the CPU: better vectors than the static table, at about ten milliseconds per text.

use std::{fs, path::Path};

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::VarBuilder;
use tokenizers::{Tokenizer, TruncationParams};

use super::{
    bert::{Bert, Config},
    local::{LocalEmbedder, LocalNetwork},
};
use crate::normalise;

const DIMENSION: usize = 384;
/// Longer texts are cut, because the model was trained on no more tokens.
const MAX_TOKENS: usize = 256;
/// The number of texts in one pass. Texts are sorted by length first, because a long text makes every text in its pass
/// as expensive as itself.
const BATCH: usize = 32;

/// The embedder `minilm`.
pub type MiniLmEmbedder = LocalEmbedder<MiniLm>;

impl LocalNetwork for MiniLm {
    const MODEL: &str = "all-MiniLM-L6-v2@1";
    const WEIGHTS: &str = "minilm";
    const DIMENSION: usize = DIMENSION;

    fn read(dir: &Path) -> Result<Self> {
        Self::load(dir)
    }

    fn vectors(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        self.embed(texts)
    }
}

/// The transformer itself, for callers that embed tokens instead of texts.
pub struct MiniLm {
    bert: Bert,
    tokenizer: Tokenizer,
}

impl std::fmt::Debug for MiniLm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MiniLm")
    }
}

impl MiniLm {
    /// Reads the model from a directory in the hub's layout.
    pub fn load(dir: &Path) -> Result<Self> {
        let config: Config =
            serde_json::from_slice(&fs::read(dir.join("config.json"))?).map_err(candle_core::Error::wrap)?;
        let weights = fs::read(dir.join("model.safetensors"))?;
        let variables = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)?;
        let bert = Bert::load(&variables, &config)?;
        let mut tokenizer =
            Tokenizer::from_file(dir.join("tokenizer.json")).map_err(candle_core::Error::wrap)?;
        // the file sets padding to a fixed length, which would take most of the time
        tokenizer.with_padding(None);
        tokenizer
            .with_truncation(Some(TruncationParams { max_length: MAX_TOKENS, ..Default::default() }))
            .map_err(candle_core::Error::wrap)?;
        Ok(Self { bert, tokenizer })
    }

    /// The vocabulary, sorted by id.
    pub fn vocabulary(&self) -> Vec<String> {
        (0u32..).map_while(|id| self.tokenizer.id_to_token(id)).collect()
    }

    /// One unit vector per text, in order; zero for a text without a known word piece.
    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        let mut sequences = Vec::with_capacity(texts.len());
        for (index, text) in texts.iter().enumerate() {
            let ids = self.tokenizer.encode_fast(text.as_str(), true).map_err(candle_core::Error::wrap)?;
            sequences.push((index, ids.get_ids().to_vec()));
        }
        // an empty text has two ids: its start and end marks
        sequences.retain(|(_, ids)| ids.len() > 2);
        sequences.sort_by_key(|(_, ids)| ids.len());
        let mut vectors = vec![vec![0.0; DIMENSION]; texts.len()];
        for batch in sequences.chunks(BATCH) {
            let (indices, ids): (Vec<usize>, Vec<&[u32]>) =
                batch.iter().map(|(index, ids)| (*index, ids.as_slice())).unzip();
            for (index, mut vector) in indices.into_iter().zip(self.mean_pool(&ids)?) {
                normalise(&mut vector);
                vectors[index] = vector;
            }
        }
        Ok(vectors)
    }

    /// The mean of the last layer over each sequence of ids, marks included, not normalised.
    pub fn mean_pool(&self, sequences: &[&[u32]]) -> Result<Vec<Vec<f32>>> {
        let longest = sequences.iter().map(|ids| ids.len()).max().unwrap_or(0);
        let padded = |value: &dyn Fn(&[u32], usize) -> u32| -> Result<Tensor> {
            let values: Vec<u32> =
                sequences.iter().flat_map(|ids| (0..longest).map(move |at| value(ids, at))).collect();
            Tensor::from_vec(values, (sequences.len(), longest), &Device::Cpu)
        };
        let ids = padded(&|ids, at| ids.get(at).copied().unwrap_or(0))?;
        let mask = padded(&|ids, at| u32::from(at < ids.len()))?;
        let mask = mask.to_dtype(DType::F32)?;
        let hidden = self.bert.forward(&ids, &mask)?;
        let sum = hidden.broadcast_mul(&mask.unsqueeze(2)?)?.sum(1)?;
        sum.broadcast_div(&mask.sum_keepdim(1)?)?.to_vec2()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Embedder, Weights};

    #[tokio::test]
    async fn l20_without_its_weights_it_says_how_to_get_them() {
        let dir = tempfile::TempDir::new().unwrap();
        let embedder = MiniLmEmbedder::new(Weights::new(dir.path().to_owned()));
        let error = embedder.embed(&["hello".to_owned()]).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the embedding model minilm is not installed; run `greenroom models pull minilm`"
        );
    }
}
