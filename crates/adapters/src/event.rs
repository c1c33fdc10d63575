//! The events that an adapter passes to [`Inlet::take`](crate::Inlet::take).
//!
//! Texts are Markdown or plain, and the platform's own mentions are written as `@name`. Ids are the platform's. If ids
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
        /// The chat.
        place: Place,
        /// The platform's id of the message.
        event_id: String,
        /// The person who deleted the message, on platforms where any person can send a deletion. It then takes effect
        /// only if this person wrote the message. `None` where the platform has checked the right to delete.
        by: Option<String>,
    },
    /// A person came to a chat.
    Joined {
        /// The chat.
        place: Place,
        /// The person.
        person: Person,
    },
    /// A person left a chat.
    Left {
        /// The chat.
        place: Place,
        /// The person.
        person: Person,
    },
    /// A person used a native command of the platform, as a slash command of Discord. A command that is typed as a
    /// message arrives as `Message`.
    Command(CommandCall),
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The chat.
    pub place: Place,
    /// The platform's id of the event. A repeated delivery of the same event has the same id.
    pub event_id: String,
    /// The author.
    pub author: Author,
    /// The text. It may be empty if there are attachments.
    pub text: String,
    /// Personas that the platform reports as mentioned, for example by the name of their own account.
    pub mentions: Vec<PersonaName>,
    /// Whether the message mentions the account itself, or the chat is a direct chat with the account.
    pub addressed: bool,
    /// The platform's ids of everyone whom the message mentions, on platforms where several accounts share a chat: the
    /// message may be for another account of this process.
    pub mentioned: Vec<String>,
    /// The `event_id` of the message it replies to.
    pub reply_to: Option<String>,
    /// Whether people other than the author can read the chat.
    pub group: bool,
    /// Files of the message. The stored text describes them. Images are fetched for models that accept images.
    pub attachments: Vec<Attachment>,
    /// The platform's time of the message. `None`: the time of arrival counts.
    pub said_at: Option<Timestamp>,
}

impl Message {
    /// A message in a group, with no mentions and no attachments. For tests and simple platforms.
    pub fn new(place: Place, event_id: impl Into<String>, author: Author, text: impl Into<String>) -> Self {
        Self {
            place,
            event_id: event_id.into(),
            author,
            text: text.into(),
            mentions: Vec::new(),
            addressed: false,
            mentioned: Vec::new(),
            reply_to: None,
            group: true,
            attachments: Vec::new(),
            said_at: None,
        }
    }
}

/// A message whose author changed it.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The message after the change, with its original `event_id`.
    pub message: Message,
}

/// The author of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// The person or program.
    pub person: Person,
    /// The kind of author that the platform reports.
    pub kind: AuthorKind,
}

/// The kind of an author.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthorKind {
    /// A human being.
    Person,
    /// Another program. Its messages count against the room's limits, so that bots do not talk without end (RM4).
    Bot,
    /// This account, or a persona's face on it: the echo of a sent message. It is not stored.
    Ourselves,
}

/// A person on the platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The platform's id. It stays the same when the name changes.
    pub id: String,
    /// The display name.
    pub name: String,
}

impl Person {
    /// Whether the platform proves that this id always belongs to the same person. Only proven ids can be linked.
    pub fn is_proven(platform: Platform, id: &str) -> bool {
        match platform {
            // a bare nick belongs to the person who uses it at the moment
            Platform::Irc => !id.contains("/~"),
            // An address is proven. A room that hides addresses gives a person another id in each room.
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

    /// A program that is not part of Greenroom.
    pub fn bot(id: impl Into<String>, name: impl Into<String>) -> Self {
        Self { kind: AuthorKind::Bot, ..Self::person(id, name) }
    }
}

/// A file that came with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// The file name.
    pub name: String,
    /// The media type, as `image/png`. `None` if the platform does not tell.
    pub media_type: Option<String>,
    /// The size in bytes. `None` if the platform does not tell.
    pub bytes: Option<u64>,
    /// The argument for [`Adapter::fetch`](crate::Adapter::fetch). `None` if the file cannot be fetched.
    pub source: Option<String>,
}

/// A native command of the platform.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandCall {
    /// The chat.
    pub place: Place,
    /// The person who used the command.
    pub person: Person,
    /// The command and its arguments without the prefix, as `quiet 1h`.
    pub line: String,
    /// A token that the answer needs, as the token of a Discord interaction.
    pub answer_to: Option<String>,
}
