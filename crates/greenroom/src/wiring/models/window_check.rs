//! Counts long requests on the server before they are sent, so that none exceeds the window (GR4).
//!
//! A server that counts tokens counts a few samples once. They give the weights of an estimate, and contexts are
//! assembled with the estimate alone. An estimate can be wrong, so the server counts each request that might be too
//! long, in its final form. (No byte is more than one token, so a request with fewer bytes than the window has tokens
//! always fits.) A request that is too long fails with the error that the server would send, and the turn assembles a
//! shorter one (L12). The estimate is raised, so that the next context fits at once.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use futures::{StreamExt, TryStreamExt, stream};
use greenroom_context::{EstimateCounter, SAMPLES, TokenCounter, Weights};
use greenroom_core::short_model_name;
use greenroom_models::{ChatModel, ChatRequest, ModelError, ModelStream, RemoteTokenizer};

/// The bytes that a chat template may add to a request, to each message and to each tool.
const AROUND: usize = 512;
const AROUND_MESSAGE: usize = 32;
const AROUND_TOOL: usize = 64;
/// The step by which the estimate is raised, and its maximum, in per cent.
const STEP: usize = 5;
const MAX_RAISED: usize = 500;

/// The counter of one model's tokens.
pub(super) struct ServerCounter {
    tokenizer: RemoteTokenizer,
    model: String,
    weights: Weights,
    /// The factor by which the samples' estimate is raised, in per cent.
    raised: AtomicUsize,
}

impl ServerCounter {
    /// A counter with the weights of samples; none if the server does not count them.
    pub async fn sampled(tokenizer: RemoteTokenizer, model: &str) -> Option<Self> {
        let mut counted = [0; SAMPLES.len()];
        for (tokens, sample) in counted.iter_mut().zip(SAMPLES) {
            *tokens = tokenizer.count(sample).await.ok()?;
        }
        let weights = Weights::of_samples(counted);
        Some(Self {
            tokenizer,
            model: short_model_name(model).to_owned(),
            weights,
            raised: AtomicUsize::new(100),
        })
    }

    /// The current estimate. A turn keeps its estimate; later corrections affect later turns.
    pub fn estimate(&self) -> Arc<dyn TokenCounter> {
        let raised = self.raised.load(Ordering::Relaxed);
        let weights = self.weights.raised(raised);
        // counts are cached by this name
        Arc::new(EstimateCounter::new(format!("samples of {} ({raised}%)", self.model), weights))
    }

    /// Corrects the estimate by the count of a request.
    fn correct(&self, estimated: usize, counted: usize) {
        let now = self.raised.load(Ordering::Relaxed);
        let needed = (now * counted).div_ceil(estimated.max(1)).next_multiple_of(STEP).min(MAX_RAISED);
        self.raised.fetch_max(needed, Ordering::Relaxed);
    }
}

/// A model whose long requests are counted before they are sent.
pub(super) struct WindowCheck {
    pub model: Arc<dyn ChatModel>,
    pub counter: Arc<ServerCounter>,
    pub window: usize,
}

impl ChatModel for WindowCheck {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        let room = self.window.saturating_sub(request.max_output_tokens as usize);
        if bytes(&request) <= room {
            return self.model.stream(request);
        }
        let (model, counter, window) = (self.model.clone(), self.counter.clone(), self.window);
        let checked = async move {
            // a server that fails to count may still answer; it refuses a request that is too long
            let counted = counter.tokenizer.count_request(&request).await.unwrap_or(0);
            counter.correct(request.prompt_tokens as usize, counted);
            if counted <= room {
                return Ok(model.stream(request));
            }
            Err(ModelError::ContextLength {
                endpoint: counter.model.clone(),
                reason: format!(
                    "it has {counted} tokens, {} are kept for the reply, and its window has {window}",
                    request.max_output_tokens
                ),
            })
        };
        stream::once(checked).try_flatten().boxed()
    }
}

/// An upper bound of the bytes, and therefore of the tokens, of a request.
fn bytes(request: &ChatRequest) -> usize {
    let messages = request.messages.iter().map(|message| {
        let calls =
            message.tool_calls.iter().map(|call| call.name.len() + call.arguments.len() + call.id.len());
        AROUND_MESSAGE + message.content.len() + calls.map(|bytes| bytes + AROUND_TOOL).sum::<usize>()
    });
    let tools = request.tools.iter().map(|tool| AROUND_TOOL + tool.json().get().len());
    AROUND + messages.sum::<usize>() + tools.sum::<usize>()
}
