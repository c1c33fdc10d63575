//! What a bot has said, in one form for every platform.

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
    /// The text as the platform stored it: markup that people see, without that of the wire.
    pub text: String,
    /// The id of the message that it answers.
    pub reply_to: Option<String>,
    /// The name and picture, where they are not the bot's own.
    pub face: Face,
    /// The people, or `everyone`, that the message notifies.
    pub notifies: Vec<String>,
    /// Whether only the person that asked sees it.
    pub ephemeral: bool,
    /// How often it was edited.
    pub edits: usize,
    /// Whether it was deleted.
    pub deleted: bool,
}
