//! A message of a channel, and the envelope of a new one.
//!
//! One type holds a message from the moment a platform or an API hands it in until a turn answers it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::{AttachedImage, ChannelKey, MessageId, PersonaName, Timestamp, TurnId, UserId, composed};

/// The author of a message.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Author {
    /// A person: `name` is shown, the id tells people apart.
    User {
        /// The platform's id.
        id: UserId,
        /// The name shown in the conversation.
        name: String,
    },
    /// A persona of the cast.
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

/// A message. Unique in its channel by the platform's own event id (GR6).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Message {
    /// The store's id; [`MessageId::UNSTORED`] until the message is stored.
    pub id: MessageId,
    /// Where it was said.
    pub channel: ChannelKey,
    /// The platform's id of the event. A second message with the same id is a repetition of the first.
    pub event_id: String,
    /// The `event_id` of the message that this one answers, where the platform reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Who said it.
    pub author: Author,
    /// What was said.
    pub text: String,
    /// When it was said; the runtime sets it when it accepts the message.
    pub at: Timestamp,
    /// The turn that produced it, if a persona said it.
    pub turn_id: Option<TurnId>,
}

/// The `event_id` of a turn's reply.
pub fn reply_event(turn: TurnId) -> String {
    format!("turn:{turn}")
}

impl Message {
    /// A message that is not stored yet. Its text is composed ([`composed`]).
    pub fn new(
        channel: ChannelKey,
        event_id: impl Into<String>,
        author: Author,
        text: impl Into<String>,
    ) -> Self {
        Self {
            id: MessageId::UNSTORED,
            channel,
            event_id: event_id.into(),
            reply_to: None,
            author,
            text: composed(text),
            at: Timestamp(0),
            turn_id: None,
        }
    }

    /// The reply of a persona's turn, with the id that the store gave it.
    pub fn reply(
        id: MessageId,
        channel: ChannelKey,
        persona: PersonaName,
        text: impl Into<String>,
        at: Timestamp,
        turn: TurnId,
    ) -> Self {
        let author = Author::Persona { name: persona };
        Self { id, at, turn_id: Some(turn), ..Self::new(channel, reply_event(turn), author, text) }
    }

    /// Whether the message is stored.
    pub fn is_stored(&self) -> bool {
        self.id != MessageId::UNSTORED
    }
}

/// Why no persona answers a message that is stored and heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unanswered {
    /// It came too late.
    Late,
    /// Its author has used up the answers that one person gets in an hour.
    Limit,
    /// Too many messages waited in the channel.
    Full,
    /// It was edited after its author had sent newer messages.
    Older,
}

impl Unanswered {
    /// The reason for people.
    pub fn text(self) -> &'static str {
        match self {
            Self::Late => "the message came too late to be answered",
            Self::Limit => "its author has had all the answers that are given to one person in an hour",
            Self::Full => "too many messages waited here to be answered",
            Self::Older => "the message was changed after its author had said more",
        }
    }
}

/// A message with its sender's options, from the entry points to the turns that answer it.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    /// The message.
    pub message: Message,
    /// The persona it is addressed to; without one the room decides who answers.
    pub to: Option<PersonaName>,
    /// The persona that answers a message that addresses nobody, unless the channel is a room of several personas.
    pub default_persona: Option<PersonaName>,
    /// The personas of an account that the message addresses as a whole, the usual one first. Where the room would leave it
    /// unanswered, one of them that is a member answers. Empty for a message that addresses no account.
    pub one_of: Vec<PersonaName>,
    /// Whether a program said it instead of a person. Then it counts against the limits of the room (RM4).
    pub bot: bool,
    /// The directory of the project whose instruction files the persona reads.
    pub project: Option<PathBuf>,
    /// Switches memory off for this message: no recall for it and no capture from it (BD6).
    pub disable_memory: bool,
    /// Whether people other than its author read the channel. False if the platform does not say so; the store then
    /// decides by who has spoken there (MP1).
    pub group: bool,
    /// Why no persona may answer it, if that is so. It is stored and heard all the same (AD7, S9).
    pub unanswered: Option<Unanswered>,
    /// The time that the platform gives. If there is none, or if it is in the future, the time of arrival counts.
    pub said_at: Option<Timestamp>,
    /// The images that came with it.
    pub images: Vec<AttachedImage>,
    /// The options of the reply.
    pub reply_options: ReplyOptions,
}

impl Envelope {
    /// A message without an addressee and without options.
    pub fn new(message: Message) -> Self {
        Self {
            message,
            to: None,
            default_persona: None,
            one_of: Vec::new(),
            bot: false,
            project: None,
            disable_memory: false,
            group: false,
            unanswered: None,
            said_at: None,
            images: Vec::new(),
            reply_options: ReplyOptions::default(),
        }
    }
}

/// Options of a reply, within the limits of the persona's file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReplyOptions {
    /// Another sampling temperature.
    pub temperature: Option<f32>,
    /// At most this many tokens, where the persona's own limit is higher.
    pub max_output_tokens: Option<u32>,
    /// Further fields of the OpenAI API for the model, as `stop`.
    pub extra: Map<String, Value>,
}
