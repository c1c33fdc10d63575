//! The commands that people can use, for platforms that list commands (AD6). `accounts/commands.rs` runs them.

/// A command of people.
pub(crate) struct SlashCommand {
    pub(crate) name: &'static str,
    /// Shown by the platform beside the name; at most 100 characters.
    pub(crate) description: &'static str,
    /// The argument that may follow the name.
    pub(crate) argument: Option<&'static str>,
}

/// Every command.
pub(crate) const COMMANDS: [SlashCommand; 8] = [
    SlashCommand { name: "who", description: "Which personas are here, and who is present", argument: None },
    SlashCommand {
        name: "why",
        description: "Why personas answered the last message, or did not",
        argument: None,
    },
    SlashCommand {
        name: "quiet",
        description: "No persona answers here for a time, as 1h; `off` lifts it",
        argument: Some("time"),
    },
    SlashCommand { name: "leave", description: "A persona leaves this chat", argument: Some("persona") },
    SlashCommand {
        name: "forget-me",
        description: "Forget what is known about you; it asks for `yes` first",
        argument: Some("yes"),
    },
    SlashCommand {
        name: "link",
        description: "A code that makes your accounts on two platforms one person's, or the code of the other one",
        argument: Some("code"),
    },
    SlashCommand {
        name: "unlink",
        description: "This account is linked with your others no longer",
        argument: None,
    },
    SlashCommand { name: "help", description: "What these commands do", argument: None },
];
