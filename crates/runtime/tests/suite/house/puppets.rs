//! The scripted model of a `House`: the test answers each call.

use std::{collections::HashMap, sync::Arc};

use futures::StreamExt;
use greenroom_context::ModelProfile;
use greenroom_core::{ToolCall, Usage};
use greenroom_memory::SmallModel;
use greenroom_models::{ChatModel, ChatRequest, FinishReason, ModelError, ModelEvent, ModelStream};
use greenroom_persona::{Persona, Price};
use greenroom_runtime::{ModelSource, ResolvedModel, SmallRole};
use tokio::sync::mpsc;

use super::TOO_LONG;

/// One call of the model, which the test answers. If it is dropped, the stream just ends (L7).
pub struct Call {
    pub request: ChatRequest,
    voice: mpsc::UnboundedSender<Result<ModelEvent, ModelError>>,
}

impl Call {
    pub fn says(&self, text: &str) {
        let _ = self.voice.send(Ok(ModelEvent::Delta(text.into())));
    }

    pub fn emits(&self, event: ModelEvent) {
        let _ = self.voice.send(Ok(event));
    }

    pub fn fails(self, error: ModelError) {
        let _ = self.voice.send(Err(error));
    }

    /// Makes the stream panic when it is polled next.
    pub fn panics(self) {
        self.emits(ModelEvent::Delta(PANIC.into()));
    }

    pub fn finishes(self, reason: FinishReason) {
        self.ends(Vec::new(), reason);
    }

    pub fn answer(self, text: &str) {
        self.says(text);
        self.finishes(FinishReason::Stop);
    }

    /// Calls tools, as `(name, arguments)`.
    pub fn wants(self, tools: &[(&str, &str)]) {
        let call = |(n, (name, arguments)): (usize, &(&str, &str))| ToolCall {
            id: format!("call-{n}"),
            name: (*name).into(),
            arguments: (*arguments).into(),
        };
        self.ends(tools.iter().enumerate().map(call).collect(), FinishReason::ToolCalls);
    }

    fn ends(self, tool_calls: Vec<ToolCall>, reason: FinishReason) {
        let usage = Usage { prompt_tokens: 100, completion_tokens: 10, estimated: false, cost_micros: 0 };
        self.emits(ModelEvent::Finished { tool_calls, reason, usage });
    }

    /// The whole request as text, to search it.
    pub fn text(&self) -> String {
        self.request.messages.iter().map(|m| format!("{:?}: {}\n", m.role, m.content)).collect()
    }

    pub async fn dropped(&self) {
        tokio::time::timeout(TOO_LONG, self.voice.closed()).await.expect("the call to be dropped");
    }
}

const PANIC: &str = "\u{0}panic";

/// Gives every persona the model that the test controls.
pub(super) struct Puppets {
    pub(super) calling: mpsc::UnboundedSender<Call>,
    pub(super) small: Option<mpsc::UnboundedSender<Call>>,
    pub(super) profile: ModelProfile,
    pub(super) prices: HashMap<String, Price>,
}

struct Puppet(mpsc::UnboundedSender<Call>);

impl Puppets {
    /// The window is that of the persona's file, if the file names one.
    fn profile(&self, persona: &Persona) -> ModelProfile {
        let window = persona.model.context_window.unwrap_or(self.profile.window);
        ModelProfile { window, ..self.profile.clone() }
    }
}

impl ModelSource for Puppets {
    fn resolve(&self, persona: &Persona, instead: Option<&str>) -> Result<ResolvedModel, ModelError> {
        let model = Arc::new(Puppet(self.calling.clone()));
        let profile = self.profile(persona);
        Ok(ResolvedModel { model, name: instead.unwrap_or("puppet").into(), profile })
    }

    fn price(&self, model: &str) -> Option<Price> {
        self.prices.get(model).copied()
    }

    fn small(&self, persona: &Persona, _: SmallRole) -> Option<SmallModel> {
        let model = Arc::new(Puppet(self.small.clone()?));
        Some(SmallModel { model, name: "small".into(), temperature: 0.0, profile: self.profile(persona) })
    }
}

impl ChatModel for Puppet {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        let (voice, events) = mpsc::unbounded_channel();
        let _ = self.0.send(Call { request: Arc::unwrap_or_clone(request), voice });
        let events = futures::stream::unfold(events, |mut events| async {
            let event = events.recv().await?;
            assert_ne!(event, Ok(ModelEvent::Delta(PANIC.into())), "a panic the test asked for");
            Some((event, events))
        });
        events.boxed()
    }
}
