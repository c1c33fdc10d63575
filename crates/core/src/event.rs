//! The events of a turn.
//!
//! The order within a turn is fixed: `turn_started`, `memory_context` (if any), `context_assembled`, then any number
//! of `token_delta`, `tool_call` and `tool_result`, then exactly one of `done`, `failed`, `cancelled`. A `notice` or
//! a `reply_discarded` may come anywhere between the first and the last.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{ChannelKey, MessageId, PersonaName, Receipt, SharedReceipt, TurnId, Usage};

/// One thing that happened in a turn. In JSON the field `type` says which.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ChatEvent {
    /// The persona begins to answer `trigger`.
    TurnStarted {
        /// The message being answered; the last one of a burst.
        trigger: MessageId,
        /// The model that will answer.
        model: String,
        /// Why this persona answers.
        why: String,
    },
    /// The recalled memories; not sent when recall found none (BD5).
    MemoryContext {
        /// Best first.
        #[schema(value_type = Vec<MemorySnippet>)]
        memories: Arc<[MemorySnippet]>,
    },
    /// The context as it goes to the model, item by item (GR3).
    ContextAssembled {
        /// The account of it.
        #[schema(value_type = Receipt)]
        receipt: SharedReceipt,
    },
    /// A piece of the reply.
    TokenDelta {
        /// The text to append.
        text: String,
    },
    /// The text streamed so far is void: the connection broke and the reply starts again (L6).
    ReplyDiscarded {
        /// Why.
        reason: String,
    },
    /// The model calls a tool.
    ToolCall {
        /// The model's id of the call.
        id: String,
        /// Which tool.
        name: String,
        /// The arguments; a JSON string when they were not valid JSON.
        arguments: Value,
        /// The tool round, from 1.
        round: u32,
    },
    /// The answer of a tool.
    ToolResult {
        /// The call it answers.
        id: String,
        /// Which tool.
        name: String,
        /// False when the model got an error.
        ok: bool,
        /// The text that the model got.
        content: String,
    },
    /// A notice for the person; the turn goes on.
    Notice {
        /// For programs.
        code: NoticeCode,
        /// For people.
        message: String,
    },
    /// The reply is complete and stored.
    Done {
        /// The whole reply.
        text: String,
        /// The stored reply.
        message_id: MessageId,
        /// How it ended.
        finish: Finish,
        /// All calls of the turn together.
        usage: Usage,
    },
    /// There is no reply. The message stays stored and can be tried again.
    Failed {
        /// For programs.
        code: ErrorCode,
        /// For people: what happened and what to do.
        message: String,
    },
    /// The reply was stopped on request.
    Cancelled {
        /// The text streamed until then.
        text: String,
    },
}

impl ChatEvent {
    /// The `type` in JSON, which is also the name of the event in an event stream.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::TurnStarted { .. } => "turn_started",
            Self::MemoryContext { .. } => "memory_context",
            Self::ContextAssembled { .. } => "context_assembled",
            Self::TokenDelta { .. } => "token_delta",
            Self::ReplyDiscarded { .. } => "reply_discarded",
            Self::ToolCall { .. } => "tool_call",
            Self::ToolResult { .. } => "tool_result",
            Self::Notice { .. } => "notice",
            Self::Done { .. } => "done",
            Self::Failed { .. } => "failed",
            Self::Cancelled { .. } => "cancelled",
        }
    }

    /// Whether it is the last of its turn.
    pub fn is_last(&self) -> bool {
        matches!(self, Self::Done { .. } | Self::Failed { .. } | Self::Cancelled { .. })
    }
}

/// The number of an event in one run of the program; rises with every event. 0 for an event that was never published.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub u64);

/// An event with the turn it belongs to; `--json` prints one per line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TurnEvent {
    /// The event's number in this run. It is not part of the JSON, since another run starts again at 1.
    #[serde(skip)]
    pub id: EventId,
    /// The turn.
    pub turn_id: TurnId,
    /// The persona that answers.
    pub persona: PersonaName,
    /// The channel of the turn.
    pub channel: ChannelKey,
    /// The event.
    #[serde(flatten)]
    pub event: ChatEvent,
}

/// One recalled memory as shown to the user (BD5).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MemorySnippet {
    /// `m12` for a memory, `msg:34` for a past message.
    pub id: String,
    /// The statement.
    pub text: String,
    /// Its kind; `general` without one, `message` for a past message.
    pub category: String,
    /// Similarity, at most 1.
    pub score: f32,
    /// The origin, as `channel · you, 2026-11-21`.
    pub source: String,
}

/// How a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model was done.
    Stop,
    /// The output limit was reached.
    Length,
    /// The provider's filter refused (L11).
    Refused,
    /// The tool rounds were used up; the reply is the text until then (AS4).
    ToolLimit,
    /// The reply calls tools that the API client brought. The client runs them and sends the results in its next
    /// request.
    ToolCalls,
}

/// The subject of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoticeCode {
    /// Recall was degraded or skipped (AS10, L20).
    MemoryDegraded,
    /// The context is above 80 % (WB14).
    ContextWarning,
    /// A memory was written on request.
    Remembered,
    /// A cost limit is reached; the turn goes on.
    BudgetWarning,
    /// The model was tried again.
    Retrying,
    /// Tool calls were cut off (L16, L17).
    ToolsCutOff,
    /// The reply is not sent, since it nearly repeats an earlier one (RM4).
    NotSent,
}

/// Why a turn failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The endpoint cannot be reached.
    ModelUnreachable,
    /// The endpoint did not answer in time.
    ModelTimeout,
    /// The endpoint asks for fewer requests.
    RateLimited,
    /// The endpoint refuses the key.
    Unauthorized,
    /// The endpoint does not know the model.
    ModelUnknown,
    /// The endpoint refuses the request for another reason.
    ModelRejected,
    /// The endpoint broke off or sent an invalid answer.
    ModelBroken,
    /// No message of the history fits (WB14).
    ContextFull,
    /// The hourly token budget is used up (WB12).
    BudgetExceeded,
    /// The store failed (S2).
    StoreFailed,
    /// The persona was stopped or removed.
    PersonaStopped,
    /// Something in the context was forgotten while the persona answered (GR10).
    ForgottenMeanwhile,
    /// The program ended during the turn (S1).
    Interrupted,
    /// A defect of Greenroom.
    Internal,
}

impl ErrorCode {
    /// The code as JSON shows it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ModelUnreachable => "model_unreachable",
            Self::ModelTimeout => "model_timeout",
            Self::RateLimited => "rate_limited",
            Self::Unauthorized => "unauthorized",
            Self::ModelUnknown => "model_unknown",
            Self::ModelRejected => "model_rejected",
            Self::ModelBroken => "model_broken",
            Self::ContextFull => "context_full",
            Self::BudgetExceeded => "budget_exceeded",
            Self::StoreFailed => "store_failed",
            Self::PersonaStopped => "persona_stopped",
            Self::ForgottenMeanwhile => "forgotten_meanwhile",
            Self::Interrupted => "interrupted",
            Self::Internal => "internal",
        }
    }
}
