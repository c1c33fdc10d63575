//! The Llama architecture over the quantised matrices of a GGUF file, for one conversation at a time.
//!
//! It computes the same as `quantized_llama` of candle-transformers. That crate contains 120 architectures, which every
//! build would compile, and it keeps the embeddings as `f32`, 113 MB for SmolLM2.

use std::{
    borrow::Cow,
    io::{Read, Seek},
    sync::Arc,
};

use candle_core::{
    Device, Error, Module, Result, Tensor,
    quantized::{QMatMul, QStorage, QTensor, gguf_file::Content},
};
use candle_nn::{ops, rotary_emb::rope_i};

/// The model and the keys and values of one conversation. Clones share the weights.
#[derive(Clone)]
pub(super) struct Llama {
    embeddings: Arc<QTensor>,
    layers: Vec<Layer>,
    norm: Norm,
    output: QMatMul,
    /// Cosines and sines of the rotary embedding, one row per position of the window.
    rotations: (Tensor, Tensor),
}

#[derive(Clone)]
struct Layer {
    attention_norm: Norm,
    query: QMatMul,
    key: QMatMul,
    value: QMatMul,
    output: QMatMul,
    mlp_norm: Norm,
    gate: QMatMul,
    up: QMatMul,
    down: QMatMul,
    /// The numbers of attention heads for queries, and for keys and values.
    heads: (usize, usize),
    /// Keys and values of the conversation so far: heads × positions × numbers.
    past: Option<(Tensor, Tensor)>,
}

/// Root mean square normalisation.
#[derive(Clone)]
struct Norm(Tensor, f32);

impl Norm {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        ops::rms_norm(x, &self.0, self.1)
    }
}

impl Llama {
    /// Reads the model for conversations of at most `window` tokens.
    pub(super) fn read(file: &Content, reader: &mut (impl Read + Seek), window: usize) -> Result<Self> {
        let value = |key: &str| {
            let missing = || Error::Msg(format!("it has no llama.{key}"));
            file.metadata.get(&format!("llama.{key}")).ok_or_else(missing)
        };
        let number = |key| Ok::<_, Error>(value(key)?.to_u32()? as usize);
        let heads = (number("attention.head_count")?, number("attention.head_count_kv")?);
        let epsilon = value("attention.layer_norm_rms_epsilon")?.to_f32()?;
        let base = value("rope.freq_base").map_or(Ok(10_000.0), |base| base.to_f32())?;
        let rotations = rotations(number("rope.dimension_count")?, base, window)?;

        let mut tensor = |name: &str| file.tensor(reader, &format!("{name}.weight"), &Device::Cpu);
        let embeddings = Arc::new(tensor("token_embd")?);
        // a small model uses the same matrix for input and output
        let output = tensor("output").map_or_else(|_| Arc::clone(&embeddings), Arc::new);
        let norm = |weight: QTensor| Ok::<_, Error>(Norm(weight.dequantize(&Device::Cpu)?, epsilon));
        let mut layers = Vec::new();
        for block in 0..number("block_count")? {
            let mut tensor = |name: &str| tensor(&format!("blk.{block}.{name}"));
            layers.push(Layer {
                attention_norm: norm(tensor("attn_norm")?)?,
                query: QMatMul::from_qtensor(tensor("attn_q")?)?,
                key: QMatMul::from_qtensor(tensor("attn_k")?)?,
                value: QMatMul::from_qtensor(tensor("attn_v")?)?,
                output: QMatMul::from_qtensor(tensor("attn_output")?)?,
                mlp_norm: norm(tensor("ffn_norm")?)?,
                gate: QMatMul::from_qtensor(tensor("ffn_gate")?)?,
                up: QMatMul::from_qtensor(tensor("ffn_up")?)?,
                down: QMatMul::from_qtensor(tensor("ffn_down")?)?,
                heads,
                past: None,
            });
        }
        let norm = norm(tensor("output_norm")?)?;
        Ok(Self { embeddings, layers, norm, output: QMatMul::from_arc(output)?, rotations })
    }

    /// Appends tokens at `position` to the conversation, and returns the logits of the next token.
    pub(super) fn forward(&mut self, ids: &[u32], position: usize) -> Result<Tensor> {
        let rotations = (
            self.rotations.0.narrow(0, position, ids.len())?,
            self.rotations.1.narrow(0, position, ids.len())?,
        );
        let mask = causal_mask(ids.len(), position)?;
        let mut x = self.embed(ids)?;
        for layer in &mut self.layers {
            let attention = layer.attend(&layer.attention_norm.forward(&x)?, &rotations, &mask)?;
            x = (x + attention)?;
            let mlp = layer.mlp(&layer.mlp_norm.forward(&x)?)?;
            x = (x + mlp)?;
        }
        let last = self.norm.forward(&x.narrow(0, ids.len() - 1, 1)?)?;
        self.output.forward(&last)?.squeeze(0)
    }

    /// The embeddings of the tokens: tokens × width.
    fn embed(&self, ids: &[u32]) -> Result<Tensor> {
        let (tokens, width) = self.embeddings.shape().dims2()?;
        let data = self.embeddings.data()?;
        let row_bytes = data.len() / tokens;
        let row = |id: &u32| {
            let unknown = || Error::Msg(format!("there is no token {id}"));
            let bytes = data.get(*id as usize * row_bytes..).and_then(|rest| rest.get(..row_bytes));
            let bytes = Cow::Borrowed(bytes.ok_or_else(unknown)?);
            let row = QStorage::from_data(bytes, &Device::Cpu, self.embeddings.dtype())?;
            QTensor::new(row, (1, width))?.dequantize(&Device::Cpu)
        };
        Tensor::cat(&ids.iter().map(row).collect::<Result<Vec<_>>>()?, 0)
    }
}

impl Layer {
    fn attend(&mut self, x: &Tensor, rotations: &(Tensor, Tensor), mask: &Tensor) -> Result<Tensor> {
        let (tokens, _) = x.dims2()?;
        let (heads, key_heads) = self.heads;
        // heads × tokens × numbers
        let split = |x: Tensor, heads| x.reshape((tokens, heads, ()))?.transpose(0, 1)?.contiguous();
        let rotate = |x: Tensor| rope_i(&x.unsqueeze(0)?, &rotations.0, &rotations.1)?.squeeze(0);
        let query = rotate(split(self.query.forward(x)?, heads)?)?;
        let mut key = rotate(split(self.key.forward(x)?, key_heads)?)?;
        let mut value = split(self.value.forward(x)?, key_heads)?;
        if let Some((keys, values)) = &self.past {
            key = Tensor::cat(&[keys, &key], 1)?;
            value = Tensor::cat(&[values, &value], 1)?;
        }
        self.past = Some((key.clone(), value.clone()));

        // several heads of the query share a head of the keys
        let scale = (query.dim(2)? as f64).sqrt();
        let scores = (query.reshape((key_heads, (), query.dim(2)?))?.matmul(&key.t()?)? / scale)?;
        let scores = scores.reshape((heads, tokens, ()))?.broadcast_add(mask)?;
        let weights = ops::softmax_last_dim(&scores)?.reshape((key_heads, (), key.dim(1)?))?;
        let mixed = weights.matmul(&value)?.reshape((heads, tokens, ()))?;
        self.output.forward(&mixed.transpose(0, 1)?.flatten_from(1)?)
    }

    fn mlp(&self, x: &Tensor) -> Result<Tensor> {
        let gate = ops::silu(&self.gate.forward(x)?)?;
        self.down.forward(&(gate * self.up.forward(x)?)?)
    }
}

/// The attention mask: minus infinity where a token would see a later one. Tokens × positions.
fn causal_mask(tokens: usize, position: usize) -> Result<Tensor> {
    let positions = position + tokens;
    let value = |row, column| if column > position + row { f32::NEG_INFINITY } else { 0.0 };
    let values = (0..tokens).flat_map(|row| (0..positions).map(move |column| value(row, column)));
    Tensor::from_vec(values.collect(), (tokens, positions), &Device::Cpu)
}

/// Cosines and sines by which each pair of numbers is rotated: positions × half the numbers of a head.
fn rotations(dimension: usize, base: f32, window: usize) -> Result<(Tensor, Tensor)> {
    let frequency = |pair: usize| base.powf(pair as f32 / dimension as f32).recip();
    let frequencies: Vec<f32> = (0..dimension).step_by(2).map(frequency).collect();
    let angles = (0..window).flat_map(|position| frequencies.iter().map(move |f| position as f32 * f));
    let angles = Tensor::from_vec(angles.collect(), (window, frequencies.len()), &Device::Cpu)?;
    Ok((angles.cos()?, angles.sin()?))
}
