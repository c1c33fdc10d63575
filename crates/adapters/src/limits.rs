//! The limits of a platform in a chat. Adapters state them; the delivery of replies keeps to them.

use std::time::Duration;

/// The limits of a platform in a chat.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// The longest text of one message, in `unit`, after formatting.
    pub longest: usize,
    /// The unit of `longest`.
    pub unit: Unit,
    /// Whether a message may have several lines. If not, each line becomes a message.
    pub lines: bool,
    /// The markup of texts.
    pub dialect: Dialect,
    /// The rate of messages in this chat.
    pub per_chat: Rate,
    /// The rate of messages in all chats of the account together.
    pub in_all: Rate,
    /// How long the platform recognises a message's key and suppresses a repeated send. `None` if it has no keys. If a
    /// send was cut off longer ago than this, its outcome is uncertain.
    pub key_lives: Option<Duration>,
    /// How people tell personas apart.
    pub faces: Faces,
}

/// A rate of a token bucket: `burst` at once, then one per interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// The size of the burst; at least 1.
    pub burst: u32,
    /// The interval after which one more is permitted.
    pub every: Duration,
}

/// The unit of lengths.
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
    /// No markup.
    Plain,
    /// Slack's mrkdwn.
    Slack,
    /// The HTML of Telegram's `parse_mode`.
    TelegramHtml,
    /// The HTML of a Matrix `formatted_body`.
    MatrixHtml,
    /// Discord's Markdown.
    Discord,
    /// Markdown, unchanged.
    Markdown,
}

/// How people tell several personas of one account apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Faces {
    /// The platform shows the persona's name at each message.
    Own,
    /// Each persona has its own connection with its own name. The rates apply to each connection.
    Connected,
    /// The text begins with the persona's name.
    Prefix,
}
