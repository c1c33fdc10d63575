//! The input of a turn whose conversation comes with the request.

use greenroom_core::{ChatMessage, PersonaName, ReplyOptions, ToolCall, ToolSchema, UserId};

/// A message of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserLine {
    /// The speaker's name, if several speak; without one it is the user of the request.
    pub name: Option<String>,
    /// The text.
    pub text: String,
}

/// A message of a given conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConversationLine {
    /// A message of a user.
    User(UserLine),
    /// A message of the persona.
    Persona {
        /// The text; may be empty if it calls tools.
        text: String,
        /// Its tool calls, each with the result.
        calls: Vec<(ToolCall, String)>,
    },
}

/// A conversation that the caller keeps, to be answered. Nothing of it is stored. The persona recalls its global
/// memories and those about the person, and none of a channel.
#[derive(Debug, Clone)]
pub struct Completion {
    /// The persona that answers.
    pub persona: PersonaName,
    /// The user of the request.
    pub user: UserId,
    /// The person whose memories may be recalled, as the API knows them; `None` if only the caller is known.
    pub person: Option<UserId>,
    /// Instructions of the caller. They follow the persona's own prompt.
    pub system: Vec<String>,
    /// The earlier messages, oldest first.
    pub history: Vec<ConversationLine>,
    /// The message to be answered.
    pub asked: UserLine,
    /// What the persona said and what tools answered after that message. The request always contains it.
    pub since: Vec<ChatMessage>,
    /// Tools of the caller. A reply that calls one of them ends with the call.
    pub tools: Vec<ToolSchema>,
    /// Whether the persona may also use those of its own tools that only read.
    pub own_tools: bool,
    /// Options of the reply.
    pub reply_options: ReplyOptions,
    /// Switches recall off (BD6).
    pub disable_memory: bool,
}
