//! The profile of a model (window, token counter), and the small models of a persona.

use std::sync::Arc;

use greenroom_context::{EstimateCounter, ModelProfile, QuarterCounter, cl100k, o200k, profile_for};
use greenroom_models::ChatModel;
use greenroom_persona::{ModelEntry, Persona};
use greenroom_runtime::SmallRole;

use super::{endpoint::ModelInfo, window_check::WindowCheck};
use crate::model_choice::{Choice, Target};

/// Wraps a model so that long requests are counted before they are sent, if its server counts tokens.
pub(super) fn with_window_check(
    model: Arc<dyn ChatModel>,
    profile: &ModelProfile,
    info: ModelInfo,
) -> Arc<dyn ChatModel> {
    match info.counter {
        Some(counter) => Arc::new(WindowCheck { model, counter, window: profile.window }),
        None => model,
    }
}

/// The temperature of HyDE, which needs different hypotheses.
const HYPOTHESES_TEMPERATURE: f32 = 0.7;

/// The name, the endpoint and the temperature of a small model. Without settings, name and endpoint are those of the
/// persona's own model.
pub(super) fn small(persona: &Persona, role: SmallRole, choice: &Choice) -> Option<(String, String, f32)> {
    let (hyde, capture) = (&persona.memory.hyde, &persona.memory.capture);
    let own = || choice.model().map(str::to_owned).filter(|_| capture.facts);
    let (name, url, temperature) = match role {
        SmallRole::Retrieval => (hyde.model.clone()?, &hyde.base_url, HYPOTHESES_TEMPERATURE),
        SmallRole::Capture => (capture.model.clone().or_else(own)?, &capture.base_url, 0.0),
    };
    let url = match (url, &choice.target) {
        (Some(url), _) | (None, Target::Url(url)) => url.clone(),
        (None, Target::BuiltIn) => return None,
    };
    Some((name, url, temperature))
}

/// The profile of a model (WB2). Its window is the first of: the persona's file, `[models.NAME]` of the settings (both
/// at most the server's window), the server, the model's family. Its counter is the first of: the settings, the
/// server, the family.
pub(super) fn profile(
    model: &str,
    window: Option<usize>,
    entry: &ModelEntry,
    info: &ModelInfo,
) -> ModelProfile {
    let mut profile = profile_for(model, window.or(entry.context_window));
    match info.window {
        Some(told) if window.or(entry.context_window).is_none() => profile.window = told.tokens,
        Some(told) if told.firm => profile.window = profile.window.min(told.tokens),
        _ => {}
    }
    match entry.tokenizer.as_deref() {
        None => {
            if let Some(counter) = &info.counter {
                profile.counter = counter.estimate();
            }
        }
        Some("o200k" | "o200k_base") => profile.counter = o200k(),
        Some("cl100k" | "cl100k_base") => profile.counter = cl100k(),
        Some("len/4") => profile.counter = Arc::new(QuarterCounter),
        Some("estimate") => profile.counter = Arc::new(EstimateCounter::default()),
        Some(like) => profile.counter = profile_for(like, None).counter,
    }
    profile
}
