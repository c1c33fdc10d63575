//! The settings of a persona after merging defaults, `greenroom.toml`, its file, the environment and flags.
//!
//! These types are the only definition of the file format. `schema.rs` turns them, with their doc comments, ranges and
//! defaults, into the schema that files are checked against.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{decimal, duration, rooms::CHANNELS_PATTERN};

/// The pattern of an endpoint: http or https, a host, no credentials.
pub(crate) const URL_PATTERN: &str = "^https?://[^/@\\s]+(/\\S*)?$";

/// Which model answers, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelSettings {
    /// The model's name at its endpoint, as gpt-4o-mini; without one the endpoint's usual model.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub name: Option<String>,
    /// An OpenAI-compatible endpoint, as http://localhost:11434/v1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = URL_PATTERN))]
    pub base_url: Option<String>,
    /// Sampling temperature (WB12).
    #[serde(with = "decimal")]
    #[schemars(with = "f32", range(min = 0, max = 2))]
    pub temperature: f32,
    /// Longest reply in tokens (WB12).
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_output_tokens: u32,
    /// The window in tokens; that of the model where it is not set (WB2).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 256, max = 100_000_000))]
    pub context_window: Option<usize>,
    /// A model of the same endpoint to ask when the first one fails (L3).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub fallback: Option<String>,
    /// Whether it accepts images; what is known of its name where it is not set (AD2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<bool>,
    /// Tries after the first one (L3).
    #[schemars(range(min = 0, max = 10))]
    pub retries: u32,
    /// How long to wait for what (L4).
    pub timeouts: Timeouts,
}

impl Default for ModelSettings {
    /// Temperature 0.7, 4096 tokens of reply, 2 retries (WB12, L3); the rest is open.
    fn default() -> Self {
        Self {
            name: None,
            base_url: None,
            temperature: 0.7,
            max_output_tokens: 4096,
            context_window: None,
            fallback: None,
            images: None,
            retries: 2,
            timeouts: Timeouts::default(),
        }
    }
}

/// How long to wait for a model (L4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Timeouts {
    /// For the connection.
    #[serde(with = "duration")]
    #[schemars(with = "duration::Positive")]
    pub connect: Duration,
    /// For the first token.
    #[serde(with = "duration")]
    #[schemars(with = "duration::Positive")]
    pub first_token: Duration,
    /// Between two tokens.
    #[serde(with = "duration")]
    #[schemars(with = "duration::Positive")]
    pub stall: Duration,
    /// For the whole turn, waiting included.
    #[serde(with = "duration")]
    #[schemars(with = "duration::Positive")]
    pub turn: Duration,
}

impl Default for Timeouts {
    /// 5 s, 120 s, 30 s, 600 s.
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { connect: seconds(5), first_token: seconds(120), stall: seconds(30), turn: seconds(600) }
    }
}

/// Where a persona belongs, and when it answers among others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RoomSettings {
    /// The channels it belongs to: keys as `api:tea` or patterns as `discord:*` (RM1). `"*"` is every channel, also
    /// those in which one person talks to another persona. Where this is not set it comes when it is invited or addressed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(regex(pattern = CHANNELS_PATTERN)))]
    pub channels: Vec<String>,
    /// To what it answers.
    pub answer: Answer,
    /// After a reply, so long only a mention makes it answer (WB12). Not in a direct chat.
    #[serde(with = "duration")]
    #[schemars(with = "duration::Any")]
    pub cooldown: Duration,
    /// With `answer: talkative`, the share of messages it answers unasked, 0 to 1.
    #[serde(with = "decimal")]
    #[schemars(with = "f32", range(min = 0, max = 1))]
    pub talkativeness: f32,
    /// With `answer: relevant`, how near a message has to come to what the persona is about, 0 to 1.
    #[serde(with = "decimal")]
    #[schemars(with = "f32", range(min = 0, max = 1))]
    pub relevance: f32,
}

impl Default for RoomSettings {
    /// Answers when mentioned, cooldown 30 s (WB12). A talkative persona answers a fifth of what is said.
    fn default() -> Self {
        Self {
            channels: Vec::new(),
            answer: Answer::Mentioned,
            cooldown: Duration::from_secs(30),
            talkativeness: 0.2,
            relevance: 0.3,
        }
    }
}

/// To what a persona answers in a room (RM3). Each also answers what the ones before it do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// To messages that mention or address it, or reply to it.
    Mentioned,
    /// To what goes on with an exchange with it.
    Addressed,
    /// To what comes near to what it is about (`relevance`).
    Relevant,
    /// To a share of the rest (`talkativeness`).
    Talkative,
    /// To everything.
    Always,
    /// To nobody.
    Never,
}

/// What a persona may use up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LimitSettings {
    /// Tokens in any hour (WB12); 0 is unlimited.
    #[schemars(range(min = 0, max = 1_000_000_000_000_i64))]
    pub tokens_per_hour: u64,
    /// Tool rounds of a turn, never more than 10 (WB12).
    #[schemars(range(min = 0, max = 10))]
    pub tool_rounds: u32,
    /// What it may cost in any 24 hours, in the currency of the prices of `[models.NAME]`; 0 is
    /// unlimited.
    #[serde(with = "decimal")]
    #[schemars(with = "f32", range(min = 0, max = 1_000_000))]
    pub cost_per_day: f32,
    /// What happens when that is reached.
    pub at_cost_limit: AtCostLimit,
    /// The model of the same endpoint that answers then, where `at_cost_limit` is `downgrade`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub downgrade_to: Option<String>,
}

impl LimitSettings {
    /// The cost limit for any 24 hours, in millionths of the currency. `None` without a limit.
    pub fn cost_limit(&self) -> Option<u64> {
        // rounds to a millionth, because 0.3 as `f32` is 0.300000012
        (self.cost_per_day > 0.0).then(|| (f64::from(self.cost_per_day) * 1e6).round() as u64)
    }
}

/// What happens when a persona has cost what it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AtCostLimit {
    /// It answers no more until the 24 hours have room again.
    #[default]
    Block,
    /// It answers, and says so each time.
    Warn,
    /// Another model answers: `downgrade_to`.
    Downgrade,
}

impl Default for LimitSettings {
    /// 100,000 tokens an hour, 10 tool rounds (WB12), any cost.
    fn default() -> Self {
        Self {
            tokens_per_hour: 100_000,
            tool_rounds: 10,
            cost_per_day: 0.0,
            at_cost_limit: AtCostLimit::Block,
            downgrade_to: None,
        }
    }
}
