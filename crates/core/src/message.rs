//! What somebody said in a channel.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{ChannelKey, MessageId, PersonaName, Timestamp, TurnId, UserId};

/// Who said something.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Author {
    /// A person; `name` is what to call them, the id is what tells them apart.
    User {
        /// The platform's id.
        id: UserId,
        /// The name shown in the conversation.
        name: String,
    },
    /// One of the cast.
    Persona {
        /// Which one.
        name: PersonaName,
    },
}

impl Author {
    /// The name shown in a conversation.
    pub fn name(&self) -> &str {
        match self {
            Author::User { name, .. } => name,
            Author::Persona { name } => name.as_str(),
        }
    }
}

/// A stored message. Unique in its channel by the platform's own event id (GR6).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Message {
    /// The store's id.
    pub id: MessageId,
    /// Where it was said.
    pub channel: ChannelKey,
    /// The platform's id of the event; the same id again is the same message.
    pub event_id: String,
    /// Who said it.
    pub author: Author,
    /// What was said.
    pub text: String,
    /// When it was said.
    pub at: Timestamp,
    /// The turn it came from, if a persona said it.
    pub turn_id: Option<TurnId>,
}
