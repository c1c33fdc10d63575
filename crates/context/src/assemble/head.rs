//! The leading system message, as it grows section by section.

use crate::TokenCounter;

/// A system message and its tokens. The counts of parts do not add up to the count of the whole, so the whole is
/// counted each time and a section costs the difference.
#[derive(Clone)]
pub(super) struct Head {
    pub text: String,
    /// With the frame of the message; 0 while there is no text, because then there is no message.
    pub tokens: usize,
}

impl Head {
    pub fn new(counter: &dyn TokenCounter, text: &str) -> Self {
        if text.trim().is_empty() {
            return Self { text: String::new(), tokens: 0 };
        }
        Self { text: text.to_owned(), tokens: counter.per_message() + counter.count(text) }
    }

    /// This message with one more section.
    pub fn with(&self, counter: &dyn TokenCounter, section: &str) -> Self {
        let gap = if self.text.is_empty() { "" } else { "\n\n" };
        Self::new(counter, &format!("{}{gap}{section}", self.text))
    }
}
