//! Requests that the accounts make to an adapter, and their outcomes.

use std::time::Duration;

use greenroom_core::PersonaName;

use crate::Place;

/// A request for [`Adapter::perform`](crate::Adapter::perform).
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Send a message.
    Post(Post),
    /// Delete a sent message, because it was erased here.
    Delete {
        /// The chat.
        place: Place,
        /// The platform's id of the message.
        event_id: String,
        /// The face that sent the message, on platforms where each face has its own account.
        face: Option<Face>,
    },
    /// Show that a persona is typing. The platform shows this for some seconds at most.
    Typing {
        /// The chat.
        place: Place,
        /// The persona.
        face: Face,
    },
    /// Tell one person something about the program itself, as the answer to a command.
    Notice(Notice),
}

/// One message of the platform: a whole reply, or a part of a longer one.
#[derive(Debug, Clone, PartialEq)]
pub struct Post {
    /// The chat.
    pub place: Place,
    /// The platform's id of the message that this post answers. Set on the first part of a reply only.
    pub reply_to: Option<String>,
    /// The text, ready to send: within the limits, in the platform's dialect, neutralised, and with its prefix if faces
    /// are prefixes.
    pub text: String,
    /// The persona that says it.
    pub face: Face,
    /// The idempotency key: equal for all attempts at this part, unique otherwise. 24 hexadecimal digits.
    pub key: String,
}

/// How a persona appears on the platform (AD4).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Face {
    /// The persona.
    pub persona: PersonaName,
    /// The display name.
    pub name: String,
}

/// A message to one person about the program itself, as the answer to a command.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// The chat in which the person asked.
    pub place: Place,
    /// The platform's id of the person. Only this person sees the notice, where the platform can do that.
    pub to: String,
    /// [`CommandCall::answer_to`](crate::CommandCall::answer_to).
    pub answer_to: Option<String>,
    /// Plain text of one or more lines. The adapter splits and formats it.
    pub text: String,
}

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The platform confirmed it.
    Done {
        /// The platform's id of the sent message, if the platform gives one.
        event_id: Option<String>,
    },
    /// There was no connection. Nothing was sent.
    Offline,
    /// The platform refuses the account itself, as with a withdrawn token, with the remedy. Nothing was sent.
    Denied(String),
    /// The platform asks to wait. Nothing was sent.
    RetryAfter(Duration),
    /// It failed and certainly had no effect. Another attempt may succeed.
    Failed(String),
    /// The platform refuses it permanently, with the platform's reason.
    Refused(String),
    /// The answer was lost, so the request may have taken effect.
    Uncertain(String),
}
