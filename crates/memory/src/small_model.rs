//! A small model: one question, one answer, no tools. Writes hypotheses (FG5), finds facts, sums up.

use std::sync::Arc;

use futures::StreamExt;
use greenroom_core::{ChatMessage, Role};
use greenroom_models::{ChatModel, ChatRequest, ModelError, ModelEvent};

/// A model for work on the side, with the name its endpoint knows it by.
#[derive(Clone)]
pub struct SmallModel {
    /// What answers; retries are its own business.
    pub model: Arc<dyn ChatModel>,
    /// The name it is asked for by.
    pub name: String,
}

impl SmallModel {
    /// The whole answer to `user` under the instructions `system`; at temperature 0.
    ///
    /// Has no deadline of its own: dropping the future cancels the call.
    ///
    /// # Errors
    /// That of the model; [`ModelError::Broken`] for an answer that ends without having finished.
    pub async fn complete(
        &self,
        system: &str,
        user: &str,
        max_output_tokens: u32,
    ) -> Result<String, ModelError> {
        let mut events = self.model.stream(ChatRequest {
            model: self.name.clone(),
            messages: vec![ChatMessage::new(Role::System, system), ChatMessage::new(Role::User, user)],
            tools: Vec::new(),
            temperature: 0.0,
            max_output_tokens,
            prompt_tokens: (system.len() + user.len()).div_ceil(4) as u64,
        });
        let mut said = String::new();
        while let Some(event) = events.next().await {
            match event? {
                ModelEvent::Delta(piece) => said.push_str(&piece),
                ModelEvent::Discarded { .. } => said.clear(),
                ModelEvent::Retrying { .. } => {}
                ModelEvent::Finished { .. } => return Ok(said),
            }
        }
        Err(ModelError::Broken {
            endpoint: self.name.clone(),
            reason: "the stream ended before the answer did".into(),
        })
    }
}
