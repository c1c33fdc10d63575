//! The models of the cast. Stores what small models use, so that it counts for the persona (WB12).

use std::sync::Arc;

use futures::{StreamExt, stream};
use greenroom_context::{Layout, ModelProfile};
use greenroom_core::{PersonaName, Time, Usage};
use greenroom_memory::SmallModel;
use greenroom_models::{ChatModel, ChatRequest, ModelError, ModelEvent, ModelStream};
use greenroom_persona::{Persona, Price};
use greenroom_store::Store;

use crate::{Answering, ModelSource, ResolvedModel, SmallRole, grant::Grant, write_again::write_again};

/// The models of the cast.
pub(crate) struct Models {
    pub(crate) source: Arc<dyn ModelSource>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Time>,
}

impl Models {
    /// The model that answers a persona. `instead` names another model of the same endpoint.
    pub(crate) fn resolve(
        &self,
        persona: &Persona,
        instead: Option<&str>,
    ) -> Result<ResolvedModel, ModelError> {
        self.source.resolve(persona, instead)
    }

    /// The price of a model, if it is known.
    pub(crate) fn price(&self, model: &str) -> Option<Price> {
        self.source.price(model)
    }

    /// The model that answers a persona, for people.
    pub(crate) fn answering(&self, persona: &Persona) -> Option<Answering> {
        self.source.answering(persona)
    }

    /// The persona's model for work beside the turns, if it has one. Its usage counts for the persona, and is taken
    /// from the grant of the answer that it works for.
    pub(crate) fn small(
        &self,
        persona: &Persona,
        role: SmallRole,
        grant: Option<&Arc<Grant>>,
    ) -> Option<SmallModel> {
        let small = self.source.small(persona, role)?;
        Some(SmallModel { model: self.metered(persona, small.model.clone(), &small.name, grant), ..small })
    }

    /// The model that finds facts and writes summaries after replies: that of `memory.capture`, or the persona's own.
    /// The demonstration model cannot do that.
    pub(crate) fn for_capture(&self, persona: &Persona, grant: Option<&Arc<Grant>>) -> Option<SmallModel> {
        self.small(persona, SmallRole::Capture, grant).or_else(|| {
            let own = self.resolve(persona, None).ok()?;
            let profile = ModelProfile { window: window(persona, &own.profile), ..own.profile };
            (profile.layout != Layout::Demonstration).then(|| SmallModel {
                model: self.metered(persona, own.model, &own.name, grant),
                name: own.name,
                temperature: 0.0,
                profile,
            })
        })
    }

    fn metered(
        &self,
        persona: &Persona,
        model: Arc<dyn ChatModel>,
        name: &str,
        grant: Option<&Arc<Grant>>,
    ) -> Arc<dyn ChatModel> {
        let (store, clock) = (self.store.clone(), self.clock.clone());
        let (persona, price, grant) = (persona.name.clone(), self.price(name), grant.cloned());
        Arc::new(Metered { model, persona, price, store, clock, grant })
    }
}

/// The tokens of a request to the persona's model: as many as the persona's file says, but no more than the model's
/// window (WB2).
pub(crate) fn window(persona: &Persona, profile: &ModelProfile) -> usize {
    persona.model.context_window.map_or(profile.window, |asked| asked.min(profile.window))
}

/// A model for work beside the turns. Its usage is stored for a persona.
#[derive(Clone)]
struct Metered {
    model: Arc<dyn ChatModel>,
    persona: PersonaName,
    price: Option<Price>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Time>,
    /// The grant of the answer that it works for, if the answer has a limit.
    grant: Option<Arc<Grant>>,
}

impl Metered {
    async fn spend(&self, prompt_tokens: u64, completion_tokens: u64) {
        let cost_micros = self.price.map_or(0, |price| price.of(prompt_tokens, completion_tokens));
        let usage = Usage { prompt_tokens, completion_tokens, estimated: false, cost_micros };
        if usage.total() == 0 {
            return;
        }
        record_side_usage(&self.store, &self.clock, &self.persona, usage).await;
    }
}

/// Stores the usage of a persona outside stored turns, which counts for the hour (WB12). If the store fails, tries
/// again.
pub(crate) async fn record_side_usage(
    store: &Arc<dyn Store>,
    clock: &Arc<dyn Time>,
    persona: &PersonaName,
    usage: Usage,
) {
    let now = clock.now();
    if let Err(error) = store.record_side_usage(persona, now, usage).await {
        tracing::warn!(%persona, %error, "what was used could not be stored; it is tried again");
        let (store, persona) = (store.clone(), persona.clone());
        write_again(clock.clone(), move || {
            let (store, persona) = (store.clone(), persona.clone());
            Box::pin(async move { store.record_side_usage(&persona, now, usage).await })
        });
    }
}

impl ChatModel for Metered {
    /// The prompt counts when the call begins, because an interrupted call is paid for too (L14).
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        let asked = request.prompt_tokens;
        // an interrupted call keeps its reservation, because its usage is not known
        let reserved = asked.saturating_add(u64::from(request.max_output_tokens));
        if let Some(grant) = self.grant.as_ref().filter(|grant| !grant.reserve(reserved)) {
            let reason = format!(
                "it needs {reserved} tokens, and the answer that it works for has {} left in its room; raise \
                 room.tokens_per_answer",
                grant.left_beside()
            );
            let refused = ModelError::NoTokensLeft { model: request.model.clone(), reason };
            return stream::iter([Err(refused)]).boxed();
        }
        let events = self.model.stream(request);
        let metered = self.clone();
        let call = async move {
            metered.spend(asked, 0).await;
            events.then(move |event| {
                let metered = metered.clone();
                async move {
                    if let Ok(ModelEvent::Finished { usage, .. }) = &event {
                        let rest = usage.prompt_tokens.saturating_sub(asked);
                        if let Some(grant) = &metered.grant {
                            grant.settle(reserved, usage.total());
                        }
                        metered.spend(rest, usage.completion_tokens).await;
                    }
                    event
                }
            })
        };
        stream::once(call).flatten().boxed()
    }
}
