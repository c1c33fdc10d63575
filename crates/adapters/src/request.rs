//! What an adapter is asked to do, and how it ended.

use std::time::Duration;

use greenroom_core::PersonaName;

use crate::Place;

/// One thing to do on the platform.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Say something.
    Post(Post),
    /// Delete what was said, because it is forgotten here.
    Delete {
        /// Where.
        place: Place,
        /// The platform's id of the message.
        event_id: String,
        /// Whose face said it, where faces are accounts of their own.
        face: Option<Face>,
    },
    /// Show that a persona is about to answer. It is shown for some seconds at most.
    Typing {
        /// Where.
        place: Place,
        /// Who.
        face: Face,
    },
    /// Tell one person something about the program itself.
    Notice(Notice),
}

/// One message of the platform: a whole reply, or a part of a longer one.
#[derive(Debug, Clone, PartialEq)]
pub struct Post {
    /// Where.
    pub place: Place,
    /// The platform's id of the message that it answers; on the first part only.
    pub reply_to: Option<String>,
    /// What to send: within the limits, in the platform's dialect, neutralised, with its prefix where faces are
    /// prefixes.
    pub text: String,
    /// Who says it.
    pub face: Face,
    /// The same for each attempt at the same part, and for no other: 24 hexadecimal digits.
    pub key: String,
}

/// How a persona appears on the platform (AD4).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Face {
    /// The persona.
    pub persona: PersonaName,
    /// The name that is shown.
    pub name: String,
}

/// An answer to a command.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// Where the person asked.
    pub place: Place,
    /// The platform's id of the person. They alone see the answer, where the platform can do that.
    pub to: String,
    /// [`CommandCall::answer_to`](crate::CommandCall::answer_to).
    pub answer_to: Option<String>,
    /// Plain text of one or several lines. The adapter splits and formats it.
    pub text: String,
}

/// How a request ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It is done, and the platform said so.
    Done {
        /// The platform's id of what was sent, where it gives one.
        event_id: Option<String>,
    },
    /// There is no connection, and nothing was sent.
    Offline,
    /// The platform asks to wait, and nothing was sent.
    RetryAfter(Duration),
    /// It failed and surely was not done; another attempt may succeed.
    Failed(String),
    /// The platform refuses it for good, and says why.
    Refused(String),
    /// It may be done: the answer was lost.
    Uncertain(String),
}
