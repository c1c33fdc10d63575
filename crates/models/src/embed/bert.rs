//! The BERT encoder, as all-MiniLM-L6-v2 uses it: one segment, absolute positions, GELU.
//!
//! It computes the same as `bert` of candle-transformers; `local/llama.rs` says why that crate is not used.

use candle_core::{D, Module, Result, Tensor};
use candle_nn::{
    Embedding, LayerNorm, Linear, VarBuilder, embedding, layer_norm, linear, ops::softmax_last_dim,
};
use serde::Deserialize;

/// The used part of the model's `config.json`.
#[derive(Debug, Deserialize)]
pub(super) struct Config {
    hidden_size: usize,
    intermediate_size: usize,
    layer_norm_eps: f64,
    max_position_embeddings: usize,
    num_attention_heads: usize,
    num_hidden_layers: usize,
    type_vocab_size: usize,
    vocab_size: usize,
}

pub(super) struct Bert {
    words: Embedding,
    positions: Embedding,
    segments: Embedding,
    norm: LayerNorm,
    layers: Vec<Layer>,
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    attention_norm: LayerNorm,
    up: Linear,
    down: Linear,
    norm: LayerNorm,
    heads: usize,
}

impl Bert {
    pub(super) fn load(variables: &VarBuilder, config: &Config) -> Result<Self> {
        let (width, epsilon) = (config.hidden_size, config.layer_norm_eps);
        let table = variables.pp("embeddings");
        let layer = |number: usize| {
            let layer = variables.pp(format!("encoder.layer.{number}"));
            let square = |name: &str| linear(width, width, layer.pp(name));
            Ok(Layer {
                query: square("attention.self.query")?,
                key: square("attention.self.key")?,
                value: square("attention.self.value")?,
                output: square("attention.output.dense")?,
                attention_norm: layer_norm(width, epsilon, layer.pp("attention.output.LayerNorm"))?,
                up: linear(width, config.intermediate_size, layer.pp("intermediate.dense"))?,
                down: linear(config.intermediate_size, width, layer.pp("output.dense"))?,
                norm: layer_norm(width, epsilon, layer.pp("output.LayerNorm"))?,
                heads: config.num_attention_heads,
            })
        };
        Ok(Self {
            words: embedding(config.vocab_size, width, table.pp("word_embeddings"))?,
            positions: embedding(config.max_position_embeddings, width, table.pp("position_embeddings"))?,
            segments: embedding(config.type_vocab_size, width, table.pp("token_type_embeddings"))?,
            norm: layer_norm(width, epsilon, table.pp("LayerNorm"))?,
            layers: (0..config.num_hidden_layers).map(layer).collect::<Result<_>>()?,
        })
    }

    /// The last layer for `ids`, texts × tokens; `mask` is 1 for tokens and 0 for padding.
    pub(super) fn forward(&self, ids: &Tensor, mask: &Tensor) -> Result<Tensor> {
        let positions = Tensor::arange(0, ids.dim(1)? as u32, ids.device())?;
        let beside =
            (self.positions.forward(&positions)? + self.segments.forward(&positions.zeros_like()?)?)?;
        let mut x = self.norm.forward(&self.words.forward(ids)?.broadcast_add(&beside)?)?;
        // the lowest number at padding makes its share of the attention zero
        let mask = mask.affine(-f64::from(f32::MIN), f64::from(f32::MIN))?.unsqueeze(1)?.unsqueeze(1)?;
        for layer in &self.layers {
            x = layer.forward(&x, &mask)?;
        }
        Ok(x)
    }
}

impl Layer {
    fn forward(&self, x: &Tensor, mask: &Tensor) -> Result<Tensor> {
        let attended = self.output.forward(&self.attend(x, mask)?)?;
        let x = self.attention_norm.forward(&(attended + x)?)?;
        let mlp = self.down.forward(&self.up.forward(&x)?.gelu_erf()?)?;
        self.norm.forward(&(mlp + x)?)
    }

    fn attend(&self, x: &Tensor, mask: &Tensor) -> Result<Tensor> {
        let (texts, tokens, _) = x.dims3()?;
        // texts × heads × tokens × numbers
        let split = |layer: &Linear| {
            layer.forward(x)?.reshape((texts, tokens, self.heads, ()))?.transpose(1, 2)?.contiguous()
        };
        let (query, key, value) = (split(&self.query)?, split(&self.key)?, split(&self.value)?);
        let scores = (query.matmul(&key.t()?)? / (query.dim(D::Minus1)? as f64).sqrt())?;
        let weights = softmax_last_dim(&scores.broadcast_add(mask)?)?;
        weights.matmul(&value)?.transpose(1, 2)?.flatten_from(D::Minus2)
    }
}
