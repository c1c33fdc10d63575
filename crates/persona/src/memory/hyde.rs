//! Settings of the small model that writes hypothetical memories as a query (FG5).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::settings::URL_PATTERN;

/// The small model that writes hypotheses (FG5). Without a model there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HydeSettings {
    /// Its name; without one the strategy recalls nothing and says so once (FG10).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub model: Option<String>,
    /// Its endpoint; that of the persona's model where it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = URL_PATTERN))]
    pub base_url: Option<String>,
    /// How many sentences it writes (FG5).
    #[schemars(range(min = 1, max = 10))]
    pub hypotheses: usize,
    /// Hits taken for each of them (FG6).
    #[schemars(range(min = 1, max = 100))]
    pub top_k: usize,
}

impl Default for HydeSettings {
    /// 5 sentences, 10 hits each (FG5, FG6).
    fn default() -> Self {
        Self { model: None, base_url: None, hypotheses: 5, top_k: 10 }
    }
}
