//! Settings of capture: what is remembered without a call of a tool.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::settings::URL_PATTERN;

/// What is remembered without being asked for. None of it stands in front of a reply but the first two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CaptureSettings {
    /// What people ask to remember in so many words (AS13).
    pub requests: bool,
    /// Preferences, found by patterns (JV2).
    pub preferences: bool,
    /// A short summary of each session (JV1).
    pub sessions: bool,
    /// What tools answered (JV4).
    pub tool_results: bool,
    /// Facts and decisions, found by a model after the reply. Costs a call a turn.
    pub facts: bool,
    /// The model that finds them; the persona's own where it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub model: Option<String>,
    /// Its endpoint; that of the persona's model where it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = URL_PATTERN))]
    pub base_url: Option<String>,
}

impl Default for CaptureSettings {
    /// Requests, preferences and sessions; no model is called.
    fn default() -> Self {
        Self {
            requests: true,
            preferences: true,
            sessions: true,
            tool_results: false,
            facts: false,
            model: None,
            base_url: None,
        }
    }
}
