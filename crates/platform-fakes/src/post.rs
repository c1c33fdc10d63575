//! The messages of a bot, in one form for all platforms.

/// The name and picture that a message of the bot shows instead of the bot's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Face {
    /// The name.
    pub name: Option<String>,
    /// The address of the picture.
    pub avatar: Option<String>,
}

/// One message of the bot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Post {
    /// The platform's id of the message.
    pub id: String,
    /// The platform's id of the chat. On Discord a thread is a chat.
    pub chat: String,
    /// The thread within the chat: Telegram's topic, Slack's `thread_ts`.
    pub thread: Option<String>,
    /// The text as the platform stores it, with visible markup but without the markup of the protocol.
    pub text: String,
    /// The id of the answered message.
    pub reply_to: Option<String>,
    /// The name and picture, if they differ from the bot's own.
    pub face: Face,
    /// The people, or `everyone`, that the message notifies.
    pub notifies: Vec<String>,
    /// Whether only the person who asked can see it.
    pub ephemeral: bool,
    /// The number of its edits.
    pub edits: usize,
    /// Whether it was deleted.
    pub deleted: bool,
}
