//! The sources of recalled items, and the limits of each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::decimal;

/// A source of recall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SourceName {
    /// Semantic memories of the channel and those that hold everywhere.
    Knowledge,
    /// Memories about or with the person.
    Notes,
    /// Episodic memories.
    Events,
    /// What conversations were about.
    Summaries,
    /// Past messages of the channel.
    Messages,
}

impl SourceName {
    /// Every source, in the order of the block.
    pub const ALL: [Self; 5] = [Self::Knowledge, Self::Notes, Self::Events, Self::Summaries, Self::Messages];

    /// Its key under `memory` in a persona file.
    pub fn key(self) -> &'static str {
        match self {
            Self::Knowledge => "knowledge",
            Self::Notes => "notes",
            Self::Events => "events",
            Self::Summaries => "summaries",
            Self::Messages => "messages",
        }
    }
}

/// One source of recall.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SourceSettings {
    /// At most so many; 0 switches the source off.
    #[schemars(range(min = 0, max = 100))]
    pub limit: usize,
    /// At least this relevant, inclusive; without one the best by rank. -1 takes a profile's
    /// threshold away.
    #[serde(with = "decimal::option", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f32>", range(min = -1, max = 1))]
    pub threshold: Option<f32>,
}

impl SourceSettings {
    /// The best `limit` items, whatever their relevance.
    pub fn ranked(limit: usize) -> Self {
        Self { limit, threshold: None }
    }
    /// The best `limit` items with a relevance of at least `threshold`.
    pub fn above(limit: usize, threshold: f32) -> Self {
        Self { limit, threshold: Some(threshold) }
    }
}
