//! The small model: writes texts that no user reads, namely hypotheses for recall (FG5) and facts for capture (AS12).
//! It may have an endpoint of its own. Its answers are short.

use std::{fmt, sync::Arc};

use futures::StreamExt;
use greenroom_context::{ModelProfile, count_request, usable};
use greenroom_core::{ChatMessage, Role};
use greenroom_models::{ChatModel, ChatRequest, ModelError, ModelEvent};

/// A model for short answers without tools.
#[derive(Clone)]
pub struct SmallModel {
    /// The model. It handles deadline and retries itself ([`Resilient`](greenroom_models::Resilient)).
    pub model: Arc<dyn ChatModel>,
    /// The model's name at its endpoint.
    pub name: String,
    /// The sampling temperature; 0 if a program parses the answers.
    pub temperature: f32,
    /// The tokenizer and the window of the model.
    pub profile: ModelProfile,
}

impl SmallModel {
    /// The tokens left for the user prompt in the model's window, beside the system prompt and an answer of
    /// `max_tokens`.
    pub fn room(&self, system: &str, max_tokens: u32) -> usize {
        let ModelProfile { window, counter, .. } = &self.profile;
        let frame = [ChatMessage::new(Role::System, system), ChatMessage::new(Role::User, "")];
        let taken = count_request(&**counter, &frame, &[]) + max_tokens as usize;
        usable(*window, counter.exact()).saturating_sub(taken)
    }

    /// The number of tokens in a text.
    pub fn count(&self, text: &str) -> usize {
        self.profile.counter.count(text)
    }

    /// Returns the whole answer to one prompt, trimmed. The request offers no tools. If the call restarts, the answer
    /// starts again (L6). Dropping the future cancels the call.
    pub async fn complete(&self, system: &str, user: &str, max_tokens: u32) -> Result<String, ModelError> {
        let mut answer = String::new();
        self.stream_into(&mut answer, system, user, max_tokens).await?;
        Ok(answer.trim().to_owned())
    }

    /// Like [`Self::complete`], but writes into the caller's string. If the future is dropped at a deadline, the string
    /// contains the part that arrived before (FG8).
    pub async fn stream_into(
        &self,
        answer: &mut String,
        system: &str,
        user: &str,
        max_tokens: u32,
    ) -> Result<(), ModelError> {
        let messages = vec![ChatMessage::new(Role::System, system), ChatMessage::new(Role::User, user)];
        let request = ChatRequest {
            model: self.name.clone(),
            prompt_tokens: count_request(&*self.profile.counter, &messages, &[]) as u64,
            messages,
            tools: Vec::new(),
            temperature: self.temperature,
            max_output_tokens: max_tokens,
            extra: Default::default(),
        };
        answer.clear();
        let mut events = self.model.stream(Arc::new(request));
        while let Some(event) = events.next().await {
            match event? {
                ModelEvent::Delta(text) => answer.push_str(&text),
                ModelEvent::Discarded { .. } => answer.clear(),
                ModelEvent::Retrying { .. } => {}
                ModelEvent::Finished { .. } => break,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for SmallModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmallModel").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use futures::stream;
    use greenroom_context::profile_for;
    use greenroom_core::Usage;
    use greenroom_models::{FinishReason, ModelStream};

    use super::*;

    /// A model that streams these events once.
    struct Says(Mutex<Vec<Result<ModelEvent, ModelError>>>);

    impl ChatModel for Says {
        fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
            assert!(request.tools.is_empty() && request.messages.len() == 2);
            stream::iter(std::mem::take(&mut *self.0.lock().unwrap())).boxed()
        }
    }

    fn model(events: Vec<Result<ModelEvent, ModelError>>) -> SmallModel {
        SmallModel {
            model: Arc::new(Says(Mutex::new(events))),
            name: "small".into(),
            temperature: 0.0,
            profile: profile_for("small", None),
        }
    }

    fn delta(text: &str) -> Result<ModelEvent, ModelError> {
        Ok(ModelEvent::Delta(text.into()))
    }

    fn finished() -> Result<ModelEvent, ModelError> {
        Ok(ModelEvent::Finished {
            tool_calls: Vec::new(),
            reason: FinishReason::Stop,
            usage: Usage::default(),
        })
    }

    #[tokio::test]
    async fn l6_an_answer_that_starts_afresh_is_not_put_together_from_two_halves() {
        let again = Ok(ModelEvent::Discarded { reason: "reset".into() });
        let model = model(vec![delta("half an"), again, delta(" a whole"), delta(" one\n"), finished()]);
        assert_eq!(model.complete("s", "u", 10).await.unwrap(), "a whole one");
    }

    #[tokio::test]
    async fn fg8_what_came_before_a_failure_is_there() {
        let broken = ModelError::Local { reason: "gone".into() };
        let model = model(vec![delta("one sentence.\nanoth"), Err(broken.clone())]);
        let mut answer = "old".to_owned();
        assert_eq!(model.stream_into(&mut answer, "s", "u", 10).await, Err(broken));
        assert_eq!(answer, "one sentence.\nanoth");
    }
}
