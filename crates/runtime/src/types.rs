//! What the runtime returns.

use greenroom_core::{
    ActorState, ChannelKey, ChatMessage, MemorySnippet, MessageId, PersonaName, Receipt, Standing,
    ToolSchema, TurnId, Usage,
};

use crate::TurnEvents;

/// An accepted message.
pub struct Sent {
    /// The stored message.
    pub message: MessageId,
    /// The `event_id` of the message, to which another message can reply.
    pub event_id: String,
    /// Whether it had been accepted before; then nothing more happens (GR6).
    pub duplicate: bool,
    /// The personas that answer, in order, each with the reason. Empty for a duplicate.
    pub answering: Vec<(PersonaName, String)>,
    /// The turns that answer it, in the same order; for a duplicate, its earlier turns.
    pub turns: Vec<TurnId>,
    /// The events of these turns; none for a duplicate.
    pub events: TurnEvents,
}

/// One row of `status`.
#[derive(Debug, Clone, PartialEq)]
pub struct ActorStatus {
    /// The persona.
    pub persona: PersonaName,
    /// The channel.
    pub channel: ChannelKey,
    /// The state of the persona in the channel (WB13).
    pub state: ActorState,
}

/// What a persona used and may use (WB12).
#[derive(Debug, Clone, PartialEq)]
pub struct PersonaUsage {
    /// The persona.
    pub persona: PersonaName,
    /// Within the last hour.
    pub hour: Usage,
    /// Within the last 24 hours.
    pub day: Usage,
    /// Tokens in any hour; 0 is unlimited.
    pub tokens_per_hour: u64,
    /// Cost in any 24 hours; 0 is unlimited.
    pub cost_per_day: f32,
    /// How the usage compares with these limits.
    pub standing: Standing,
}

/// The context of a turn as it went to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnContext {
    /// What was kept, cut and dropped, and why (GR3).
    pub receipt: Receipt,
    /// The exact texts of its items, in their order.
    pub texts: Vec<String>,
    /// The request, in order.
    pub messages: Vec<ChatMessage>,
    /// The tools that were on offer.
    pub tools: Vec<ToolSchema>,
}

/// A context as it would go to the model, had the message been sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// The persona that would answer.
    pub persona: PersonaName,
    /// The model of that persona.
    pub model: String,
    /// What would be recalled (BD5).
    pub memories: Vec<MemorySnippet>,
    /// The request, in order; empty when the context is full.
    pub messages: Vec<ChatMessage>,
    /// The tools that would be on offer.
    pub tools: Vec<ToolSchema>,
    /// What would be kept, cut and dropped, and why (GR3).
    pub receipt: Receipt,
    /// The exact texts of its items, in their order; empty when the context is full.
    pub texts: Vec<String>,
    /// The remedy, when the context is full (WB14).
    pub full: Option<String>,
}
