//! What goes into a turn whose conversation comes with the request.

use greenroom_core::{ChatMessage, PersonaName, ReplyOptions, ToolCall, ToolSchema, UserId};

/// What a user said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserLine {
    /// What to call them, where several speak; without one it is the user of the request.
    pub name: Option<String>,
    /// What they said.
    pub text: String,
}

/// One line of a given conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConversationLine {
    /// A user said something.
    User(UserLine),
    /// The persona said something, or called tools.
    Persona {
        /// What it said; may be empty beside calls.
        text: String,
        /// Its calls, each with the result.
        calls: Vec<(ToolCall, String)>,
    },
}

/// A conversation that the caller keeps, to be answered. Nothing of it is stored. The persona recalls what it knows
/// everywhere and about the person, and nothing of a channel.
#[derive(Debug, Clone)]
pub struct Completion {
    /// Who answers.
    pub persona: PersonaName,
    /// The user of the request.
    pub user: UserId,
    /// The person whose memories may be recalled, as the API knows them; `None` where only the caller is known.
    pub person: Option<UserId>,
    /// Instructions of the caller; they stand after the persona's own prompt.
    pub system: Vec<String>,
    /// What was said before, oldest first.
    pub history: Vec<ConversationLine>,
    /// What is to be answered.
    pub asked: UserLine,
    /// What the persona said and what tools answered since. Always stands in the request.
    pub since: Vec<ChatMessage>,
    /// Tools of the caller. A reply that calls one of them ends there.
    pub tools: Vec<ToolSchema>,
    /// Whether the persona may also use those of its own tools that only read.
    pub own_tools: bool,
    /// What the reply should be like.
    pub reply_options: ReplyOptions,
    /// Switches recall off (BD6).
    pub disable_memory: bool,
}
