//! The states of a channel actor (WB13), and of a persona's limits (WB12).

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The visible state of a persona in a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActorState {
    /// Waiting for its cue.
    Idle,
    /// A model call runs.
    Thinking,
    /// A tool runs.
    ToolCall,
    /// The last turn failed.
    Error,
    /// Stopped until started again.
    Stopped,
    /// The hourly token budget is used up.
    BudgetExceeded,
    /// No message of the history fits; a reset helps.
    ContextFull,
}

impl fmt::Display for ActorState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Idle => "idle",
            Self::Thinking => "thinking",
            Self::ToolCall => "tool_call",
            Self::Error => "error",
            Self::Stopped => "stopped",
            Self::BudgetExceeded => "budget_exceeded",
            Self::ContextFull => "context_full",
        })
    }
}

/// A persona's use of its limits: tokens per hour and cost per day (WB12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Below every limit, or no limit is set.
    Within,
    /// The cost limit is reached; the persona answers with a warning.
    Warned,
    /// The cost limit is reached; another model answers.
    Downgraded,
    /// A limit is reached; the persona does not answer.
    Blocked,
}
