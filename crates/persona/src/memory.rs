//! Memory settings: what a persona remembers, how memories are searched and how they are shown.

mod capture;
pub(crate) mod checks;
mod hyde;
mod profiles;
mod sources;
pub(crate) mod template;

use std::time::Duration;

use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::duration;

pub use capture::CaptureSettings;
pub use hyde::HydeSettings;
pub use profiles::Profile;
pub use sources::{SourceName, SourceSettings};
pub use template::TEMPLATE_FIELDS;

use checks::{TEMPLATE_PATTERN, TIME_ZONE_PATTERN};

/// A model with a smaller window counts as small, in tokens (JV7).
const SMALL_WINDOW: usize = 16_000;

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
    /// Where what a person says is kept: with the person, or in the channel (MP1).
    pub follow: Follow,
    /// How what matters is looked for.
    pub strategy: Strategy,
    /// How many of the last messages make the query (WB6, FG12).
    #[schemars(range(min = 1, max = 50))]
    pub window: usize,
    /// Tokens of the memory block, header included; 0 is unlimited. The 600 of the profile tiers are
    /// 200 for a model with a small window (JV7).
    #[schemars(range(min = 0, max = 1_000_000))]
    pub budget_tokens: usize,
    /// What a preset has instead for a model with a small window (JV7). No key of a file: a number
    /// a person wrote holds for every model.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub small_budget: Option<usize>,
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
    /// The share of the best relevance that an item of a source with a threshold needs, so that poor matches beside an
    /// answer take no room (MP3); 0 keeps all.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub focus: f32,
    /// In which order the sources stand in the block; those it leaves out follow in the usual order.
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    pub order: Vec<SourceName>,
    /// How many edges are followed from what was found, 0 to 3 (FG7).
    #[schemars(range(min = 0, max = 3))]
    pub hops: usize,
    /// How the block looks.
    pub render: Render,
    /// The template of `render: template`, in the syntax of Jinja. It is given `memories`, each with
    /// id, text, quoted, kind, scope, tier, source, who, date, score, version and supersedes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = TEMPLATE_PATTERN), length(max = 10_000))]
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
    #[schemars(regex(pattern = TIME_ZONE_PATTERN))]
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

    /// All sources, in the order of the block.
    pub fn sources(&self) -> Vec<SourceName> {
        let others = SourceName::ALL.into_iter().filter(|name| !self.order.contains(name));
        self.order.iter().copied().chain(others).collect()
    }

    /// The token budget of the block for a model with a window of `window` tokens; 0 means unlimited.
    ///
    /// This is `budget_tokens`, except that the 600 of the profile `tiers` become 200 for a small model (JV7). A number
    /// in a file applies unchanged.
    pub fn budget_for(&self, window: usize) -> usize {
        self.small_budget.filter(|_| window < SMALL_WINDOW).unwrap_or(self.budget_tokens)
    }

    /// The time zone in which days begin and end: `time_zone`, else that of the machine.
    pub fn zone(&self) -> TimeZone {
        let named = self.time_zone.as_deref().and_then(|name| TimeZone::get(name).ok());
        named.unwrap_or_else(TimeZone::system)
    }
}

impl Default for MemorySettings {
    /// The settings of the profile `default`.
    fn default() -> Self {
        Profile::Default.settings()
    }
}

/// Where what a person says is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Follow {
    /// With the person: it is recalled wherever they talk with the persona. What they told one to one is recalled
    /// one to one alone (MP1).
    #[default]
    Person,
    /// In the channel in which it was said.
    Channel,
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

/// How the block of memories looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Render {
    /// `## Relevant Memories`, lines `- [kind] text` (WB8).
    #[default]
    Relevant,
    /// `## Recalled Memories`, lines `- "TEXT" (CATEGORY, relevance: 0.92)` (BD4).
    Recalled,
    /// `## Relevant Memories`, lines `- [source] text (date)` (AS8, AS11).
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
