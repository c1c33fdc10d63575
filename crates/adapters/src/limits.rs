//! What a platform permits in a chat.

use std::time::Duration;

/// What a platform permits in a chat.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// The longest text of one message, in `unit`, after formatting.
    pub longest: usize,
    /// The unit of `longest`.
    pub unit: Unit,
    /// Whether a message may have several lines. Otherwise each line is a message.
    pub lines: bool,
    /// How texts are formatted.
    pub dialect: Dialect,
    /// Messages in this chat.
    pub per_chat: Rate,
    /// Messages in all chats of the account.
    pub in_all: Rate,
    /// For how long the platform knows the key of a message again; `None` where it has no keys. A send that was cut off
    /// longer ago is uncertain.
    pub key_lives: Option<Duration>,
    /// How personas are told apart.
    pub faces: Faces,
}

/// A rate: so many at once, and after that one in each interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// At once; at least 1.
    pub burst: u32,
    /// The interval in which one more is permitted.
    pub every: Duration,
}

/// What a length is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes of UTF-8.
    Bytes,
    /// Code units of UTF-16, as JavaScript counts.
    Utf16,
    /// Unicode scalar values.
    Chars,
}

impl Unit {
    /// The length of a text.
    pub fn len(self, text: &str) -> usize {
        match self {
            Self::Bytes => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
            Self::Chars => text.chars().count(),
        }
    }
}

/// How a platform writes emphasis, code and links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// No marks at all.
    Plain,
    /// Slack's mrkdwn.
    Slack,
    /// The HTML of Telegram's `parse_mode`.
    TelegramHtml,
    /// The HTML of a Matrix `formatted_body`.
    MatrixHtml,
    /// Discord's Markdown.
    Discord,
    /// Markdown as it is.
    Markdown,
}

/// How several personas are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Faces {
    /// Each message has the name of its persona.
    Own,
    /// Each persona has a connection of its own, with its own name. The rates are those of one connection.
    Connected,
    /// The text begins with the name.
    Prefix,
}
