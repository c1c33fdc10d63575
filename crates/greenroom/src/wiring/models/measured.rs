//! Requests that are counted by the server before they are sent, so that none is longer than its window
//! (GR4).
//!
//! A server that counts is asked for samples once; they give the weights of an estimate, by which contexts
//! are assembled without asking anybody. An estimate can be wrong. So a request that might be too long is
//! counted whole, once, as the server lays it out; no byte is more than a token, so a request of fewer
//! bytes than the window has tokens need not be. What is too long is refused before it is sent, as the
//! server would refuse it; the turn then assembles less (L12). And the estimate is raised, so that the
//! next context is right from the beginning.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use futures::{StreamExt, TryStreamExt, stream};
use greenroom_context::{EstimateCounter, SAMPLES, TokenCounter, Weights};
use greenroom_core::short_model_name;
use greenroom_models::{ChatModel, ChatRequest, ModelError, ModelStream, RemoteTokenizer};

/// Bytes that a template may put around a request, around each message and around each tool.
const AROUND: usize = 512;
const AROUND_MESSAGE: usize = 32;
const AROUND_TOOL: usize = 64;
/// The estimate is raised in steps of so many per cent, and to so many at most.
const STEP: usize = 5;
const MOST: usize = 500;

/// What counts the tokens of one model.
pub(super) struct Ruler {
    tokenizer: RemoteTokenizer,
    model: String,
    weights: Weights,
    /// By how much the samples had it too low, in per cent of what they give.
    raised: AtomicUsize,
}

impl Ruler {
    /// A ruler after samples; none where the server does not count them.
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

    /// The estimate as it is now. It stays what it is for a whole turn; what is learned meanwhile is for
    /// the next.
    pub fn counter(&self) -> Arc<dyn TokenCounter> {
        let raised = self.raised.load(Ordering::Relaxed);
        let weights = self.weights.raised(raised);
        // counts are remembered by this name
        Arc::new(EstimateCounter::new(format!("samples of {} ({raised}%)", self.model), weights))
    }

    /// A request that was estimated at so many tokens has so many.
    fn learn(&self, estimated: usize, counted: usize) {
        let now = self.raised.load(Ordering::Relaxed);
        let needed = (now * counted).div_ceil(estimated.max(1)).next_multiple_of(STEP).min(MOST);
        self.raised.fetch_max(needed, Ordering::Relaxed);
    }
}

/// A model whose requests are measured.
pub(super) struct Measured {
    pub model: Arc<dyn ChatModel>,
    pub ruler: Arc<Ruler>,
    pub window: usize,
}

impl ChatModel for Measured {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        let room = self.window.saturating_sub(request.max_output_tokens as usize);
        if bytes(&request) <= room {
            return self.model.stream(request);
        }
        let (model, ruler, window) = (self.model.clone(), self.ruler.clone(), self.window);
        let looked_at = async move {
            // a server that does not count now may answer all the same; it refuses what is too long itself
            let counted = ruler.tokenizer.count_request(&request).await.unwrap_or(0);
            ruler.learn(request.prompt_tokens as usize, counted);
            if counted <= room {
                return Ok(model.stream(request));
            }
            Err(ModelError::ContextLength {
                endpoint: ruler.model.clone(),
                reason: format!(
                    "it has {counted} tokens, {} are kept for the reply, and its window has {window}",
                    request.max_output_tokens
                ),
            })
        };
        stream::once(looked_at).try_flatten().boxed()
    }
}

/// Bytes a request may have by the time the model gets it, and so tokens at most.
fn bytes(request: &ChatRequest) -> usize {
    let messages = request.messages.iter().map(|message| {
        let calls =
            message.tool_calls.iter().map(|call| call.name.len() + call.arguments.len() + call.id.len());
        AROUND_MESSAGE + message.content.len() + calls.map(|bytes| bytes + AROUND_TOOL).sum::<usize>()
    });
    let tools = request.tools.iter().map(|tool| AROUND_TOOL + tool.json().get().len());
    AROUND + messages.sum::<usize>() + tools.sum::<usize>()
}
