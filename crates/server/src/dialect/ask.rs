//! The request that every dialect translates to. Pure.

use greenroom_core::{ReplyOptions, ToolCall, TurnId};
use serde_json::{Map, Value};

use super::tools::Tools;
use crate::ApiError;

/// Texts a reply may be told to stop at.
const MOST_STOPS: usize = 4;

/// What a client asks of a persona, in no dialect.
#[derive(Debug, Default)]
pub(crate) struct Ask {
    /// A persona's name, perhaps with a channel: `ada@den`.
    pub(crate) model: String,
    /// What was said, oldest first.
    pub(crate) messages: Vec<Message>,
    /// The person the client says it speaks for.
    pub(crate) user: Option<String>,
    /// The channel that the body names.
    pub(crate) channel: Option<String>,
    /// Whether the reply comes in pieces.
    pub(crate) stream: bool,
    /// What the reply should be like.
    pub(crate) reply_options: ReplyOptions,
    /// The client's function tools.
    pub(crate) tools: Tools,
    /// Switches recall off for this message (BD6).
    pub(crate) disable_memory: bool,
    /// A field that has a meaning in a channel alone, since nothing is kept without one.
    pub(crate) only_in_channel: Option<&'static str>,
    /// The turn that this one goes on from: one of the channel.
    pub(crate) previous: Option<TurnId>,
}

/// One message of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Message {
    /// Where it stands in the request.
    pub(crate) at: At,
    /// What it is.
    pub(crate) what: RequestMessage,
}

/// What a message is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RequestMessage {
    /// Instructions.
    System(Text),
    /// A person says something.
    User {
        /// What to call them, where several do.
        name: Option<String>,
        /// What they say.
        text: Text,
    },
    /// The persona said something, or called tools.
    Assistant {
        /// What it said; may be empty beside calls.
        text: Text,
        /// The tools it called.
        calls: Vec<ToolCall>,
    },
    /// The result of a tool call.
    Tool {
        /// The call's id.
        call: String,
        /// The result.
        text: Text,
    },
}

/// A text, or why it cannot be read. In a channel nobody reads older messages, so that an image among them
/// is no error there.
pub(crate) type Text = Result<String, String>;

/// Where a message stands in a request, as `messages[3]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct At {
    /// The field.
    pub(crate) field: &'static str,
    /// The place in it; none where the field is the message.
    pub(crate) index: Option<usize>,
}

impl At {
    /// The `n`th of a field.
    pub(crate) fn nth(field: &'static str, n: usize) -> Self {
        Self { field, index: Some(n) }
    }

    /// The field itself.
    pub(crate) fn field(field: &'static str) -> Self {
        Self { field, index: None }
    }
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.index {
            Some(n) => write!(f, "{}[{n}]", self.field),
            None => f.write_str(self.field),
        }
    }
}

/// Where images, audio and files stand.
pub(crate) fn only_text<T>() -> Result<T, String> {
    Err("only text can be read here, no images, audio or files".into())
}

/// What the reply should be like, checked. `limit` names the field of the longest reply.
pub(crate) fn reply_options(
    temperature: Option<f32>,
    (limit, max_output_tokens): (&'static str, Option<u32>),
    extra: Map<String, Value>,
) -> Result<ReplyOptions, ApiError> {
    if max_output_tokens == Some(0) {
        return Err(ApiError::invalid("ask for at least 1 token").about(limit));
    }
    if temperature.is_some_and(|temperature| !(0.0..=2.0).contains(&temperature)) {
        return Err(ApiError::invalid("the temperature is a number from 0 to 2").about("temperature"));
    }
    Ok(ReplyOptions { temperature, max_output_tokens, extra })
}

/// Whether this is a text to stop at, or a list of up to four.
pub(crate) fn is_stops(value: &Value) -> bool {
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    text(value) || value.as_array().is_some_and(|all| all.len() <= MOST_STOPS && all.iter().all(text))
}

/// Why texts to stop at are refused.
pub(crate) const STOPS: &str = "it is a text or up to 4 of them, and none is empty";
