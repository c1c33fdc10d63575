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
    /// The best of all: hybrid recall of messages, memories, notes, events and summaries, 1200 tokens.
    #[default]
    Default,
    /// 3 memories at 0.5 or above for the user's latest message, no past messages (BD).
    RecallVisible,
    /// Memories and messages by rank for the last few messages; the context fills up and says so (WB).
    Assembler,
    /// 5 past messages at 0.3 or above and 10 memories by rank (AS).
    Knowledge,
    /// What a small model thinks a relevant memory might say is searched for (FG).
    Hyde,
    /// Preferences always, related events, recent conversations, in 600 tokens (JV).
    Tiers,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 6] =
        [Self::Default, Self::RecallVisible, Self::Assembler, Self::Knowledge, Self::Hyde, Self::Tiers];

    /// As it is written in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::RecallVisible => "recall-visible",
            Self::Assembler => "assembler",
            Self::Knowledge => "knowledge",
            Self::Hyde => "hyde",
            Self::Tiers => "tiers",
        }
    }

    /// The settings behind the name.
    pub fn settings(self) -> MemorySettings {
        let off = SourceSettings::ranked(0);
        let all = MemorySettings {
            profile: self,
            enabled: true,
            auto_retrieve: true,
            strategy: Strategy::Hybrid,
            window: 4,
            budget_tokens: 1200,
            knowledge: SourceSettings::ranked(10),
            notes: SourceSettings::ranked(5),
            events: SourceSettings::above(5, 0.3),
            summaries: SourceSettings::above(3, 0.3),
            messages: SourceSettings::above(10, 0.3),
            order: SourceName::ALL.to_vec(),
            hops: 1,
            render: Render::Relevant,
            template: None,
            place: BlockPlace::System,
            witness: true,
            summarise_history: true,
            deadline: Duration::from_secs(2),
            time_zone: None,
            hyde: HydeSettings::default(),
            capture: CaptureSettings::default(),
        };
        match self {
            Self::Default => all,
            // BD1 to BD4: the latest message alone; three lines need no budget.
            Self::RecallVisible => MemorySettings {
                strategy: Strategy::Latest,
                window: 1,
                budget_tokens: 0,
                knowledge: SourceSettings::above(3, 0.5),
                notes: off,
                events: off,
                summaries: off,
                messages: off,
                hops: 0,
                render: Render::Recalled,
                ..all
            },
            // WB6 to WB8, WB14: the seed names no numbers; those of AS without its threshold stand in.
            Self::Assembler => MemorySettings {
                strategy: Strategy::Window,
                notes: off,
                events: off,
                summaries: off,
                messages: SourceSettings::ranked(5),
                hops: 0,
                summarise_history: false,
                ..all
            },
            // AS1 to AS3, AS11: the latest message alone; user notes as well.
            Self::Knowledge => MemorySettings {
                strategy: Strategy::Latest,
                window: 1,
                events: off,
                summaries: off,
                messages: SourceSettings::above(5, 0.3),
                hops: 0,
                render: Render::Attributed,
                ..all
            },
            // FG5 to FG8, FG13, FG14: memories of every tier together, best first.
            Self::Hyde => MemorySettings {
                strategy: Strategy::Hyde,
                window: 50,
                budget_tokens: 0,
                messages: off,
                render: Render::LongTerm,
                ..all
            },
            // JV5 to JV8.
            Self::Tiers => MemorySettings {
                strategy: Strategy::Hybrid,
                window: 1,
                budget_tokens: 600,
                knowledge: SourceSettings::ranked(100),
                notes: off,
                events: SourceSettings::ranked(10),
                summaries: SourceSettings::ranked(10),
                messages: off,
                hops: 0,
                render: Render::Tiers,
                capture: CaptureSettings {
                    preferences: true,
                    tool_results: true,
                    ..CaptureSettings::default()
                },
                ..all
            },
        }
    }
}

/// How what matters is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// What is like the latest message (BD1).
    Latest,
    /// What is like the last few messages (WB6).
    Window,
    /// What is like the sentences a small model thinks a memory might hold (FG5).
    Hyde,
    /// By meaning and by words together.
    #[default]
    Hybrid,
    /// By words alone; needs no embedder.
    Keyword,
}

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
}

/// How the block of memories looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Render {
    /// `## Relevant Memories`, lines `- [kind] text` (WB8).
    #[default]
    Relevant,
    /// `## Recalled Memories`, lines `- "TEXT" (CATEGORY, relevance: 0.92)` (BD4).
    Recalled,
    /// `## Relevant Memories`, lines `- [source, date] text` (AS8, AS11).
    Attributed,
    /// `## Relevant Long-Term Memories`, entries with category, scope, version and chain (FG13).
    LongTerm,
    /// `<memory_context>` with preferences, recent events and recent conversations (JV5).
    Tiers,
    /// The template of `memory.template`.
    Template,
}

/// Where the block of memories stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BlockPlace {
    /// In the system message, before the history (WB1).
    #[default]
    System,
    /// After the history and right before the message being answered, so that what stands before it
    /// stays the same from turn to turn (GR5).
    AfterHistory,
}

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
    #[schemars(regex(pattern = crate::settings::URL_PATTERN))]
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

/// What is remembered without being asked for. None of it stands in front of a reply but the first two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CaptureSettings {
    /// What people ask to remember in so many words (AS13).
    pub requests: bool,
    /// Preferences, found by patterns (JV2).
    pub preferences: bool,
    /// A short summary of each sitting (JV1).
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
    #[schemars(regex(pattern = crate::settings::URL_PATTERN))]
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
    /// How what matters is looked for.
    pub strategy: Strategy,
    /// How many of the last messages make the query (WB6, FG12).
    #[schemars(range(min = 1, max = 50))]
    pub window: usize,
    /// Tokens of the memory block, header included; 0 is unlimited.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub budget_tokens: usize,
    /// Semantic memories of the channel and global ones (AS3).
    pub knowledge: SourceSettings,
    /// Memories about or with the person (AS1).
    pub notes: SourceSettings,
    /// Episodic memories: events, facts from tools (JV3, JV4).
    pub events: SourceSettings,
    /// Summaries of conversations (JV1).
    pub summaries: SourceSettings,
    /// Past messages of the channel (AS2).
    pub messages: SourceSettings,
    /// In which order the sources stand in the block.
    pub order: Vec<SourceName>,
    /// How many edges are followed from what was found (FG7).
    #[schemars(range(min = 0, max = 3))]
    pub hops: usize,
    /// How the block looks.
    pub render: Render,
    /// The template of `render: template`, in the syntax of Jinja; it is given `memories`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 10_000))]
    pub template: Option<String>,
    /// Where the block stands (GR5).
    pub place: BlockPlace,
    /// Whether only messages are recalled and shown that the persona was present for (GR2).
    pub witness: bool,
    /// Whether history that no longer fits is summarised by the persona's model (FG12).
    pub summarise_history: bool,
    /// How long recall may take, hypotheses included (FG8).
    #[serde(with = "duration")]
    #[schemars(with = "duration::Positive")]
    pub deadline: Duration,
    /// In which time zone "yesterday" is meant, as Europe/Berlin; that of this machine where it is
    /// not set (JV8).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 60))]
    pub time_zone: Option<String>,
    /// The small model of the strategy `hyde`.
    pub hyde: HydeSettings,
    /// What is remembered without being asked for.
    pub capture: CaptureSettings,
}

impl MemorySettings {
    /// The settings of one source.
    pub fn source(&self, name: SourceName) -> SourceSettings {
        match name {
            SourceName::Knowledge => self.knowledge,
            SourceName::Notes => self.notes,
            SourceName::Events => self.events,
            SourceName::Summaries => self.summaries,
            SourceName::Messages => self.messages,
        }
    }
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
    /// At least this relevant, inclusive; without one the best by rank. -1 takes a profile's
    /// threshold away.
    #[serde(with = "decimal::option", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f32>", range(min = -1, max = 1))]
    pub threshold: Option<f32>,
}

impl SourceSettings {
    /// The best `limit`, whatever their relevance.
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
            assert_eq!(settings.messages.threshold, Some(0.3));
            assert_eq!(settings.knowledge, SourceSettings::ranked(10));
        }
    }

    #[test]
    fn fg8_recall_has_two_seconds_in_every_profile() {
        for profile in Profile::ALL {
            assert_eq!(profile.settings().deadline, Duration::from_secs(2));
            assert_eq!(profile.settings().profile, profile);
            assert_eq!(serde_json::to_value(profile).unwrap(), profile.as_str());
        }
    }
}
