//! One answer of the demonstration model: reads the prompt, then samples token by token until it
//! ends, the limit is reached, or nobody listens any more.

use candle_core::{DType, Device, Tensor};
use candle_transformers::{
    generation::LogitsProcessor, models::quantized_llama::ModelWeights, utils::apply_repeat_penalty,
};
use greenroom_core::Usage;
use tokio::sync::mpsc::Sender;

use super::{LOCAL_MAX_OUTPUT, LOCAL_WINDOW, LocalTokenizer};
use crate::{ChatRequest, FinishReason, ModelError, ModelEvent};

/// Prompt tokens between two looks at whether anybody still listens: well under a second's worth.
const CHUNK: usize = 64;
/// So small a model rambles when it is sampled freely.
const MAX_TEMPERATURE: f64 = 0.3;
const TOP_P: f64 = 0.9;
const REPEAT_PENALTY: f32 = 1.1;
const REPEAT_WINDOW: usize = 64;
/// After so many tokens the answer ends with its sentence: what comes later repeats or strays.
const ENOUGH: usize = 48;

/// Streams the answer to `request` into `events`. Ends quietly when their receiver is dropped.
pub(super) fn generate(
    mut model: ModelWeights,
    tokenizer: &LocalTokenizer,
    request: &ChatRequest,
    seed: u64,
    events: &Sender<ModelEvent>,
) -> Result<(), ModelError> {
    let prompt = tokenizer.encode_request(&request.messages);
    let limit = request.max_output_tokens.min(LOCAL_MAX_OUTPUT) as usize;
    if prompt.len() + limit > LOCAL_WINDOW {
        return Err(ModelError::ContextLength {
            endpoint: "built-in".to_owned(),
            reason: format!("{} tokens and {limit} to answer exceed {LOCAL_WINDOW}", prompt.len()),
        });
    }
    let mut logits = None;
    for (index, chunk) in prompt.chunks(CHUNK).enumerate() {
        if events.is_closed() {
            return Ok(());
        }
        logits = Some(forward(&mut model, chunk, index * CHUNK)?);
    }
    let mut logits = logits.ok_or_else(|| super::failed(&"the request is empty"))?;

    let temperature = f64::from(request.temperature).min(MAX_TEMPERATURE);
    let mut sampler = LogitsProcessor::new(seed, Some(temperature), Some(TOP_P));
    let mut text = tokenizer.0.decode_stream(true);
    let mut answer = Vec::with_capacity(limit);
    let mut reason = FinishReason::Length;
    while answer.len() < limit {
        let recent = &answer[answer.len().saturating_sub(REPEAT_WINDOW)..];
        let id = apply_repeat_penalty(&logits, REPEAT_PENALTY, recent)
            .and_then(|logits| sampler.sample(&logits))
            .map_err(|error| super::failed(&error))?;
        answer.push(id);
        if LocalTokenizer::ends(id) {
            reason = FinishReason::Stop;
            break;
        }
        // `None` until the bytes so far make whole characters
        if let Some(delta) = text.step(id).map_err(|error| super::failed(&error))? {
            let sentence_ends = delta.trim_end().ends_with(['.', '!', '?']);
            if events.blocking_send(ModelEvent::Delta(delta)).is_err() {
                return Ok(());
            }
            if answer.len() >= ENOUGH && sentence_ends {
                reason = FinishReason::Stop;
                break;
            }
        }
        if answer.len() < limit {
            logits = forward(&mut model, &[id], prompt.len() + answer.len() - 1)?;
        }
    }
    let usage = Usage {
        prompt_tokens: prompt.len() as u64,
        completion_tokens: answer.len() as u64,
        estimated: false,
        cost_micros: 0,
    };
    // nobody listening is no failure
    let _ = events.blocking_send(ModelEvent::Finished { tool_calls: Vec::new(), reason, usage });
    Ok(())
}

/// The logits after `ids`, which stand at `position` of the conversation.
fn forward(model: &mut ModelWeights, ids: &[u32], position: usize) -> Result<Tensor, ModelError> {
    Tensor::new(ids, &Device::Cpu)
        .and_then(|ids| model.forward(&ids.unsqueeze(0)?, position))
        .and_then(|logits| logits.squeeze(0)?.to_dtype(DType::F32))
        .map_err(|error| super::failed(&error))
}
