//! Generation of one answer by the demonstration model. It reads the prompt, then samples token by token until the
//! answer ends, the limit is reached, or the receiver of the events is dropped.

use greenroom_core::{Entropy, Usage};
use tokio::sync::mpsc::Sender;

use super::{LOCAL_MAX_OUTPUT, LOCAL_WINDOW, LocalTokenizer, llama::Llama};
use crate::{ChatRequest, FinishReason, ModelError, ModelEvent};

/// How many prompt tokens are computed between two checks for a dropped receiver: well under a second.
const CHUNK: usize = 64;
/// A model of this size rambles at higher temperatures.
const MAX_TEMPERATURE: f32 = 0.3;
/// The probability mass of the nucleus: tokens are sampled from the most probable ones that together have it.
const TOP_P: f32 = 0.9;
/// Divides the logits of tokens that occur in the last [`REPEAT_WINDOW`] tokens.
const REPEAT_PENALTY: f32 = 1.1;
const REPEAT_WINDOW: usize = 64;
/// After this many tokens the answer ends with its sentence, because later text repeats or drifts.
const ENOUGH: usize = 48;

/// Streams the answer to `request` into `events`. Ends without an error when their receiver is dropped.
pub(super) fn generate(
    mut model: Llama,
    tokenizer: &LocalTokenizer,
    request: &ChatRequest,
    entropy: &dyn Entropy,
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

    let temperature = request.temperature.min(MAX_TEMPERATURE);
    let mut text = tokenizer.0.decode_stream(true);
    let mut answer = Vec::with_capacity(limit);
    let mut reason = FinishReason::Length;
    while answer.len() < limit {
        let recent = &answer[answer.len().saturating_sub(REPEAT_WINDOW)..];
        let id = sample(&mut logits, recent, temperature, entropy.bits());
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
    // a dropped receiver is no error
    let _ = events.blocking_send(ModelEvent::Finished { tool_calls: Vec::new(), reason, usage });
    Ok(())
}

/// The logits after `ids`; `position` is the position of the first id in the conversation.
fn forward(model: &mut Llama, ids: &[u32], position: usize) -> Result<Vec<f32>, ModelError> {
    model.forward(ids, position).and_then(|logits| logits.to_vec1()).map_err(|error| super::failed(&error))
}

/// The next token, given 64 random bits. Without a temperature it is the most probable token.
fn sample(logits: &mut [f32], recent: &[u32], temperature: f32, random: u64) -> u32 {
    for (at, id) in recent.iter().enumerate() {
        if !recent[..at].contains(id) {
            let logit = &mut logits[*id as usize];
            *logit = if *logit < 0.0 { *logit * REPEAT_PENALTY } else { *logit / REPEAT_PENALTY };
        }
    }
    let mut tokens: Vec<(u32, f32)> = (0..).zip(logits.iter().copied()).collect();
    tokens.sort_unstable_by(|(_, a), (_, b)| b.total_cmp(a));
    let (best, highest) = tokens[0];
    if temperature < 1e-7 {
        return best;
    }
    // probabilities up to a common factor
    for (_, value) in &mut tokens {
        *value = ((*value - highest) / temperature).exp();
    }
    let total: f32 = tokens.iter().map(|(_, weight)| weight).sum();
    let mut nucleus = 0.0;
    let complete = |(_, weight): &(u32, f32)| {
        nucleus += weight;
        nucleus >= TOP_P * total
    };
    let last = tokens.iter().position(complete).unwrap_or(0);
    // the upper 24 bits, because an f32 has no more precision
    let mut rest = (random >> 40) as f32 / (1u32 << 24) as f32 * nucleus;
    let drawn = tokens[..=last].iter().find(|(_, weight)| {
        rest -= weight;
        rest < 0.0
    });
    drawn.map_or(best, |(id, _)| *id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_temperature_the_most_probable_token_is_taken_unless_it_was_said_lately() {
        let logits = [0.5, 2.0, 1.95, -1.0];
        assert_eq!(sample(&mut logits.clone(), &[], 0.0, u64::MAX), 1);
        assert_eq!(sample(&mut logits.clone(), &[1, 1], 0.0, u64::MAX), 2);
    }

    #[test]
    fn tokens_outside_the_nucleus_are_never_taken() {
        let logits = [0.0, 3.0, 2.5, -4.0];
        let drawn = |random: u64| sample(&mut logits.clone(), &[], 1.0, random << 40);
        assert_eq!(drawn(0), 1);
        assert_eq!(drawn((1 << 24) - 1), 2);
        assert!((0..1_000).all(|n| [1, 2].contains(&drawn(n * 16_777))));
    }
}
