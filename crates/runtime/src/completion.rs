//! What goes into a turn of given messages: whoever asks keeps the conversation and brings it along.

use std::sync::Arc;

use greenroom_core::{ChatMessage, PersonaName, ToolCall, ToolSchema, UserId};
use greenroom_persona::Persona;
use serde_json::{Map, Value};

/// What whoever asks wants of one reply, within what the persona's file allows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wishes {
    /// Another sampling temperature.
    pub temperature: Option<f32>,
    /// Fewer tokens than the persona's limit.
    pub max_output_tokens: Option<u32>,
    /// Further fields of the OpenAI API for the model, as `stop`; see
    /// [`ChatRequest::extra`](greenroom_models::ChatRequest).
    pub extra: Map<String, Value>,
}

impl Wishes {
    /// The persona as it answers then.
    pub(crate) fn applied_to(&self, persona: Arc<Persona>) -> Arc<Persona> {
        if self.temperature.is_none() && self.max_output_tokens.is_none() {
            return persona;
        }
        let mut persona = Arc::unwrap_or_clone(persona);
        let model = &mut persona.model;
        model.temperature = self.temperature.unwrap_or(model.temperature);
        model.max_output_tokens = self.max_output_tokens.unwrap_or(u32::MAX).min(model.max_output_tokens);
        Arc::new(persona)
    }
}

/// What somebody said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saying {
    /// What to call them, where several speak; whoever asks without one.
    pub name: Option<String>,
    /// What they said.
    pub text: String,
}

/// One line of a given conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConversationLine {
    /// Somebody said something.
    User(Saying),
    /// The persona said something, or called tools.
    Persona {
        /// What it said; may be empty beside calls.
        text: String,
        /// Its calls, each with what came back.
        calls: Vec<(ToolCall, String)>,
    },
}

/// A conversation somebody else keeps, to be answered. Nothing of it is stored; the persona recalls
/// what it knows everywhere and about the person it talks with, and nothing of a channel.
#[derive(Debug, Clone)]
pub struct Completion {
    /// Who answers.
    pub persona: PersonaName,
    /// Who asks.
    pub user: UserId,
    /// The person whose memories may be recalled, as the API knows them; none where only the caller is known.
    pub person: Option<UserId>,
    /// Instructions of whoever asks; they stand after the persona's own prompt.
    pub system: Vec<String>,
    /// What was said before, oldest first.
    pub said: Vec<ConversationLine>,
    /// What is to be answered.
    pub asked: Saying,
    /// What the persona said and what tools answered since. Always stands in the request.
    pub since: Vec<ChatMessage>,
    /// Tools of whoever asks. A reply that calls one of them ends there.
    pub tools: Vec<ToolSchema>,
    /// Whether the persona may use its own tools that only read, too.
    pub own_tools: bool,
    /// What the reply is to be like.
    pub wishes: Wishes,
    /// Switches recall off (BD6).
    pub disable_memory: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_may_ask_for_less_than_a_persona_says_and_never_for_more() {
        let persona = Arc::new(Persona::new("ada".parse().unwrap(), ""));
        let limit = persona.model.max_output_tokens;
        let asked = |temperature, max_output_tokens| {
            let wishes = Wishes { temperature, max_output_tokens, extra: Map::new() };
            let model = wishes.applied_to(persona.clone()).model.clone();
            (model.temperature, model.max_output_tokens)
        };
        let usual = persona.model.temperature;
        assert_eq!(asked(None, None), (usual, limit));
        assert_eq!(asked(Some(0.0), Some(7)), (0.0, 7));
        assert_eq!(asked(None, Some(limit + 1)), (usual, limit));
    }
}
