//! What an adapter hands in.
//!
//! Texts are Markdown or plain, with the platform's own mentions written as `@name`. Ids are the platform's; where they
//! are unique in one network only, the adapter puts the account's name in front (`libera/ann`), as in a
//! [`Place`](crate::Place).

use greenroom_core::{PersonaName, Platform, Timestamp};

use crate::Place;

/// Something that happened on the platform.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A person or a bot said something.
    Message(Message),
    /// The author changed a message.
    Edited(Edit),
    /// A message was deleted.
    Deleted {
        /// Where.
        place: Place,
        /// The platform's id of the message.
        event_id: String,
        /// Who deleted it, where the platform lets everybody say so: it counts if they wrote the message. `None` where
        /// the platform has checked the right to delete it.
        by: Option<String>,
    },
    /// A person came to a chat.
    Joined {
        /// Where.
        place: Place,
        /// Who.
        person: Person,
    },
    /// A person left a chat.
    Left {
        /// Where.
        place: Place,
        /// Who.
        person: Person,
    },
    /// A person used a command of the platform's own kind, as a slash command of Discord. Commands that are typed as a
    /// message are found in the message.
    Command(CommandCall),
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Where it was said.
    pub place: Place,
    /// The platform's id: the same event has the same id when it is delivered again.
    pub event_id: String,
    /// Who said it.
    pub author: Author,
    /// What was said; may be empty where there are attachments.
    pub text: String,
    /// Personas that the platform says are mentioned, as by the name of their own account.
    pub mentions: Vec<PersonaName>,
    /// Whether the account itself is mentioned, or the chat is with it alone.
    pub addressed: bool,
    /// The `event_id` of the message it replies to.
    pub reply_to: Option<String>,
    /// Whether others than the author read the chat.
    pub group: bool,
    /// Files that came with it. They are described in the text; images are fetched for models that accept them.
    pub attachments: Vec<Attachment>,
    /// When the platform says that it was said; the time of arrival where it does not.
    pub said_at: Option<Timestamp>,
}

impl Message {
    /// A message of a person in a group, as tests and simple platforms have it.
    pub fn new(place: Place, event_id: impl Into<String>, author: Author, text: impl Into<String>) -> Self {
        Self {
            place,
            event_id: event_id.into(),
            author,
            text: text.into(),
            mentions: Vec::new(),
            addressed: false,
            reply_to: None,
            group: true,
            attachments: Vec::new(),
            said_at: None,
        }
    }
}

/// A message that was changed by its author.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The message as it is now, with the `event_id` that it had from the beginning.
    pub message: Message,
}

/// The author of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// Who.
    pub person: Person,
    /// What the platform says of them.
    pub kind: AuthorKind,
}

/// What an author is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthorKind {
    /// A human being.
    Person,
    /// A program of others: it counts against the limits of the room, so that bots do not talk for ever (RM4).
    Bot,
    /// This account, or a persona's face on it: an echo of what was sent. It is noted and not stored.
    Ourselves,
}

/// A person on the platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The platform's id, which outlives names.
    pub id: String,
    /// The name that is shown.
    pub name: String,
}

impl Person {
    /// Whether a platform proves that an id belongs to the same person each time. Others have no accounts linked.
    pub fn is_proven(platform: Platform, id: &str) -> bool {
        match platform {
            // a nick alone belongs to the person who has it at the moment
            Platform::Irc => !id.contains("/~"),
            // an address; a person in a room whose address is hidden has another id in each room
            Platform::Xmpp => !id.contains(['/', '#']),
            _ => true,
        }
    }
}

impl Author {
    /// A human being.
    pub fn person(id: impl Into<String>, name: impl Into<String>) -> Self {
        Self { person: Person { id: id.into(), name: name.into() }, kind: AuthorKind::Person }
    }

    /// A program of others.
    pub fn bot(id: impl Into<String>, name: impl Into<String>) -> Self {
        Self { kind: AuthorKind::Bot, ..Self::person(id, name) }
    }
}

/// A file that came with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Its name.
    pub name: String,
    /// Its media type, as `image/png`, where the platform tells.
    pub media_type: Option<String>,
    /// Its size in bytes, where the platform tells.
    pub bytes: Option<u64>,
    /// What [`Adapter::fetch`](crate::Adapter::fetch) is asked for; `None` where the file cannot be fetched.
    pub source: Option<String>,
}

/// A command of the platform's own kind.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandCall {
    /// Where.
    pub place: Place,
    /// Who asks.
    pub person: Person,
    /// The command with its arguments and without its mark, as `quiet 1h`.
    pub line: String,
    /// What the answer is bound to, as the token of an interaction.
    pub answer_to: Option<String>,
}
