//! A live model as a mind. A semaphore limits the concurrent calls of all places.

use std::sync::Arc;

use futures::{StreamExt, future::BoxFuture};
use greenroom_models::{ChatModel, ModelEvent};
use greenroom_persona::Price;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::{Mind, MindAnswer, MindCall, MindError};

/// A model, its price, and the limit of concurrent calls.
pub(crate) struct ModelMind {
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) price: Option<Price>,
    pub(crate) at_once: Arc<Semaphore>,
    /// Cancelled after the run has ended. Calls that wait for a permit are then not sent.
    pub(crate) closing: CancellationToken,
}

impl Mind for ModelMind {
    fn answer<'a>(&'a self, call: &'a MindCall) -> BoxFuture<'a, Result<MindAnswer, MindError>> {
        Box::pin(async move {
            let permit = self.closing.run_until_cancelled(self.at_once.acquire()).await;
            let permit = permit.ok_or_else(|| MindError("the run has ended".into()))?;
            let _permit = permit.map_err(|error| MindError(error.to_string()))?;
            let mut events = self.model.stream(call.request.clone());
            let mut said = MindAnswer { state: call.state.clone(), ..MindAnswer::default() };
            while let Some(event) = events.next().await {
                match event.map_err(|error| MindError(error.to_string()))? {
                    ModelEvent::Delta(piece) => said.text.push_str(&piece),
                    ModelEvent::Discarded { .. } => said.text.clear(),
                    ModelEvent::Retrying { .. } => {}
                    ModelEvent::Finished { tool_calls, mut usage, .. } => {
                        if let Some(price) = &self.price {
                            usage.cost_micros = price.of(usage.prompt_tokens, usage.completion_tokens);
                        }
                        (said.tool_calls, said.usage) = (tool_calls, usage);
                        return Ok(said);
                    }
                }
            }
            Err(MindError("the model ended in the middle of its answer".into()))
        })
    }
}
