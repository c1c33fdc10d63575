//! Memory settings and the profiles they begin from.
//!
//! A profile is a preset: its numbers lie just above the built-in defaults, so that anything said
//! in a file, the environment or a flag wins over it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{decimal, duration};

/// A preset of memory settings; the seeds' own numbers stand behind the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The best of all: 5 past messages at 0.3 or above, 10 memories by rank, 1200 tokens.
    #[default]
    Default,
    /// 3 memories at 0.5 or above for the user's latest message, no past messages (BD).
    RecallVisible,
    /// Memories and messages by rank for the last few messages (WB).
    Assembler,
    /// 5 past messages at 0.3 or above and 10 memories by rank (AS).
    Knowledge,
}

impl Profile {
    /// As it is written in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::RecallVisible => "recall-visible",
            Self::Assembler => "assembler",
            Self::Knowledge => "knowledge",
        }
    }

    /// The settings behind the name.
    pub fn settings(self) -> MemorySettings {
        let (window, budget_tokens, messages, knowledge) = match self {
            // AS2, AS3 with a window (WB6) and a budget of its own (AS11).
            Self::Default => (4, 1200, SourceSettings::above(5, 0.3), SourceSettings::ranked(10)),
            // BD1 to BD3: the latest message alone; three lines need no budget.
            Self::RecallVisible => (1, 0, SourceSettings::ranked(0), SourceSettings::above(3, 0.5)),
            // WB6, WB7: the seed names no numbers; those of AS without its threshold stand in.
            Self::Assembler => (4, 1200, SourceSettings::ranked(5), SourceSettings::ranked(10)),
            // AS2, AS3, AS11: the latest message alone.
            Self::Knowledge => (1, 1200, SourceSettings::above(5, 0.3), SourceSettings::ranked(10)),
        };
        MemorySettings {
            profile: self,
            enabled: true,
            auto_retrieve: true,
            budget_tokens,
            window,
            messages,
            knowledge,
            deadline: Duration::from_secs(2),
        }
    }
}

/// What a persona remembers, and how much of it is recalled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MemorySettings {
    /// The preset the other values begin from.
    pub profile: Profile,
    /// False: nothing is recalled, captured or offered as a tool (FG17).
    pub enabled: bool,
    /// False: nothing is recalled by itself; the tools still work. A false in greenroom.toml wins
    /// over a persona's true (BD7).
    pub auto_retrieve: bool,
    /// Tokens of the memory block, header included; 0 is unlimited.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub budget_tokens: usize,
    /// How many of the last messages make the query (WB6).
    #[schemars(range(min = 1, max = 50))]
    pub window: usize,
    /// Past messages of the channel (AS2).
    pub messages: SourceSettings,
    /// Memories (AS3).
    pub knowledge: SourceSettings,
    /// How long recall may take (FG8).
    #[serde(with = "duration")]
    #[schemars(with = "duration::Positive")]
    pub deadline: Duration,
}

impl Default for MemorySettings {
    /// Those of the profile `default`.
    fn default() -> Self {
        Profile::Default.settings()
    }
}

/// One source of recall.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SourceSettings {
    /// At most so many; 0 switches the source off.
    #[schemars(range(min = 0, max = 100))]
    pub limit: usize,
    /// At least this similar, inclusive; without one the best by rank. -1 takes a profile's
    /// threshold away.
    #[serde(with = "decimal::option", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f32>", range(min = -1, max = 1))]
    pub threshold: Option<f32>,
}

impl SourceSettings {
    /// The best `limit`, whatever their similarity.
    pub fn ranked(limit: usize) -> Self {
        Self { limit, threshold: None }
    }
    /// The best `limit` at or above `threshold`.
    pub fn above(limit: usize, threshold: f32) -> Self {
        Self { limit, threshold: Some(threshold) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bd2_bd3_the_visible_profile_recalls_three_memories_at_one_half() {
        let settings = Profile::RecallVisible.settings();
        assert_eq!(settings.knowledge, SourceSettings::above(3, 0.5));
        assert_eq!(settings.messages.limit, 0);
        assert_eq!(settings.window, 1);
    }

    #[test]
    fn as2_as3_messages_have_a_threshold_and_knowledge_has_none() {
        for profile in [Profile::Knowledge, Profile::Default] {
            let settings = profile.settings();
            assert_eq!(settings.messages, SourceSettings::above(5, 0.3));
            assert_eq!(settings.knowledge, SourceSettings::ranked(10));
        }
    }

    #[test]
    fn fg8_recall_has_two_seconds_in_every_profile() {
        for profile in [Profile::Default, Profile::RecallVisible, Profile::Assembler, Profile::Knowledge] {
            assert_eq!(profile.settings().deadline, Duration::from_secs(2));
            assert_eq!(profile.settings().profile, profile);
            assert_eq!(serde_json::to_value(profile).unwrap(), profile.as_str());
        }
    }
}
