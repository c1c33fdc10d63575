//! The demonstration model's tokenizer and chat format, read from its GGUF file.
//!
//! Messages are always encoded as plain text: a message that contains `<|im_end|>` cannot end its own turn.

use std::{path::Path, sync::Arc};

use candle_core::quantized::gguf_file::Content;
use greenroom_core::{ChatMessage, Role};
use tokenizers::{
    DecoderWrapper, ModelWrapper, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper,
    TokenizerBuilder, TokenizerImpl,
    models::bpe::{BPE, Vocab},
    pre_tokenizers::{byte_level::ByteLevel, digits::Digits, sequence::Sequence},
};

use crate::ModelError;

/// Begins a message.
const START: (&str, u32) = ("<|im_start|>", 1);
/// Ends a message, and with it an answer.
const END: (&str, u32) = ("<|im_end|>", 2);
/// Ends a text; the model may use it instead of [`END`].
const END_OF_TEXT: (&str, u32) = ("<|endoftext|>", 0);

pub(super) type Pieces =
    TokenizerImpl<ModelWrapper, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

/// Counts the exact tokens that the demonstration model gets. Cheap to clone.
#[derive(Debug, Clone)]
pub struct LocalTokenizer(pub(super) Arc<Pieces>);

impl LocalTokenizer {
    /// Reads the tokenizer of the GGUF file at `path`.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let (content, _) = super::open(path)?;
        build(&content).map(|pieces| Self(Arc::new(pieces))).map_err(|error| super::unreadable(path, &error))
    }

    /// The number of tokens in a text.
    pub fn count(&self, text: &str) -> usize {
        self.encode(text).len()
    }

    /// The token ids of a text, without special tokens.
    pub(super) fn encode(&self, text: &str) -> Vec<u32> {
        // a byte-level vocabulary has a token for every byte, so nothing fails to encode
        self.0.encode_fast(text, false).map(|encoding| encoding.get_ids().to_vec()).unwrap_or_default()
    }

    /// A whole request in ChatML, up to the beginning of the answer. Beside its text each message takes five tokens:
    /// its start, its role, a line break, its end and another line break. The head of the answer takes three.
    pub(super) fn encode_request(&self, messages: &[ChatMessage]) -> Vec<u32> {
        let mut ids = Vec::new();
        for message in messages {
            // the model was not trained with tools, so a tool's result is encoded as a user's message
            let role = match message.role {
                Role::System => "system",
                Role::User | Role::Tool => "user",
                Role::Assistant => "assistant",
            };
            ids.push(START.1);
            ids.extend(self.encode(role));
            ids.extend(self.encode("\n"));
            ids.extend(self.encode(&message.content));
            ids.push(END.1);
            ids.extend(self.encode("\n"));
        }
        ids.push(START.1);
        ids.extend(self.encode("assistant"));
        ids.extend(self.encode("\n"));
        ids
    }

    /// Whether this token ends the answer.
    pub(super) fn ends(id: u32) -> bool {
        id == END.1 || id == END_OF_TEXT.1
    }
}

fn build(content: &Content) -> tokenizers::Result<Pieces> {
    let tokens = strings(content, "tokenizer.ggml.tokens")?;
    for (text, id) in [START, END, END_OF_TEXT] {
        if tokens.get(id as usize).is_none_or(|token| token != text) {
            return Err(format!("token {id} is not {text}, so this is not SmolLM2").into());
        }
    }
    let vocabulary: Vocab = (0u32..).zip(&tokens).map(|(id, token)| (token.clone(), id)).collect();
    let merges = strings(content, "tokenizer.ggml.merges")?
        .iter()
        .map(|merge| merge.split_once(' ').map(|(left, right)| (left.to_owned(), right.to_owned())))
        .collect::<Option<Vec<_>>>()
        .ok_or("a merge is not a pair")?;
    let model = BPE::builder().vocab_and_merges(vocabulary, merges).build()?;
    let byte_level = ByteLevel::new(false, false, true);
    TokenizerBuilder::new()
        .with_model(model.into())
        .with_normalizer(None)
        // the GGUF file names its pre-tokenizer `smollm`, which candle reads as GPT-2's; SmolLM2 also splits numbers
        // into single digits
        .with_pre_tokenizer(Some(Sequence::new(vec![Digits::new(true).into(), byte_level.into()]).into()))
        .with_post_processor(None)
        .with_decoder(Some(byte_level.into()))
        .build()
}

fn strings(content: &Content, key: &str) -> tokenizers::Result<Vec<String>> {
    let values = content.metadata.get(key).ok_or_else(|| format!("it has no {key}"))?.to_vec()?;
    Ok(values.iter().map(|value| value.to_string().cloned()).collect::<Result<_, _>>()?)
}
