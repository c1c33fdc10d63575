//! How a model counts and what it holds, and which small models a persona has.

use std::sync::Arc;

use greenroom_context::{EstimateCounter, ModelProfile, QuarterCounter, cl100k, o200k, profile_for};
use greenroom_models::ChatModel;
use greenroom_persona::{ModelEntry, Persona};
use greenroom_runtime::SmallRole;

use super::{asked::Learned, measured::Measured};
use crate::choose::{Choice, Target};

/// A model with a look at each request before it is sent, where its server counts tokens.
pub(super) fn measured(
    model: Arc<dyn ChatModel>,
    profile: &ModelProfile,
    learned: Learned,
) -> Arc<dyn ChatModel> {
    match learned.ruler {
        Some(ruler) => Arc::new(Measured { model, ruler, window: profile.window }),
        None => model,
    }
}

/// How readily hypotheses differ from each other.
const HYPOTHESES_TEMPERATURE: f32 = 0.7;

/// Name, endpoint and temperature of a small model: each of name and endpoint is the persona's own
/// where it is not set.
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

/// How a model counts and what it holds (WB2). The window: what its persona says, then `[models.NAME]` of
/// the settings, but no more than its server holds; then what the server tells, then what is known of its
/// family. The tokenizer: the settings, the server, the family.
pub(super) fn profile(
    model: &str,
    window: Option<usize>,
    entry: &ModelEntry,
    learned: &Learned,
) -> ModelProfile {
    let mut profile = profile_for(model, window.or(entry.context_window));
    match learned.window {
        Some(told) if window.or(entry.context_window).is_none() => profile.window = told.tokens,
        Some(told) if told.firm => profile.window = profile.window.min(told.tokens),
        _ => {}
    }
    match entry.tokenizer.as_deref() {
        None => {
            if let Some(ruler) = &learned.ruler {
                profile.counter = ruler.counter();
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
