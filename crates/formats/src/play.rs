//! What a character adds to a context beyond the persona file: greetings, examples, late instructions, lorebooks (PF4,
//! PF5).

use crate::{Lorebook, lore::Speaker};

/// The additions of a persona's source to its contexts. The texts contain macros.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Play {
    /// The value of `{{char}}`, if it is not the persona's display name.
    pub nickname: Option<String>,
    /// First messages: the usual one, then the alternatives.
    pub greetings: Vec<String>,
    /// Example conversations, each one block.
    pub examples: Vec<String>,
    /// Instructions after the conversation.
    pub post_history: Option<String>,
    /// A text among the messages.
    pub depth_prompt: Option<DepthPrompt>,
    /// The books.
    pub books: Vec<Lorebook>,
}

/// A text that is always among the messages, at the same distance from the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepthPrompt {
    /// The text.
    pub text: String,
    /// Messages after it.
    pub depth: usize,
    /// The speaker.
    pub speaker: Speaker,
}

impl Play {
    /// Whether it adds nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The most example conversations of a card.
const MAX_EXAMPLES: usize = 100;

/// The blocks of example messages; `<START>` separates them.
pub(crate) fn example_blocks(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let mut from = 0;
    let mut blocks = Vec::new();
    for (at, mark) in lower.match_indices("<start>").chain([(text.len(), "")]) {
        let block = text[from..at].trim();
        if !block.is_empty() && blocks.len() < MAX_EXAMPLES {
            blocks.push(block.to_owned());
        }
        from = at + mark.len();
    }
    blocks
}
