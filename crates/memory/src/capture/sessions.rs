//! Sessions: what a sitting was about, in one or two sentences, while it goes on (JV1).

use greenroom_core::{Kind, MessageId, Scope, Source, Tier, Trust, Viewer};

use super::speech::sentences;
use crate::{Memory, MemoryError, Remember, Remembered, words::clipped};

/// Characters of a summary.
pub(crate) const LONGEST_SUMMARY: usize = 240;

impl Memory {
    /// Keeps the summary of a sitting in the conversation tier for 7 days. Said again while the
    /// sitting goes on, it is written in place: one row a session (JV9).
    ///
    /// Its words are those of whoever spoke: it holds in the channel, as a stranger's (X7).
    pub async fn capture_session(
        &self,
        viewer: &Viewer,
        session: i64,
        summary: String,
        message: Option<MessageId>,
    ) -> Result<Remembered, MemoryError> {
        let statement = Remember {
            text: summary,
            kind: Kind::new("summary"),
            tier: Tier::Conversation,
            scope: Scope::Channel(viewer.channel().clone()),
            source: Source { via: "session".into(), message, user: viewer.user().cloned() },
            trust: Trust::Stranger,
            key: Some(session_key(session)),
            expires_in: None,
        };
        self.remember(viewer, statement).await
    }
}

/// The key of a session's summary.
pub(crate) fn session_key(session: i64) -> String {
    format!("session_{session}_summary")
}

/// One or two sentences made of what was said last: the first sentence of each side.
pub fn session_summary(last_user: &str, last_assistant: &str) -> String {
    let first = |text: &str, most: usize| -> Option<String> {
        let sentences = sentences(text);
        // a greeting says little; what follows it says more
        let telling = sentences.iter().find(|s| s.text.split_whitespace().count() >= 3);
        telling.or(sentences.first()).map(|sentence| clipped(&sentence.text, most))
    };
    let asked = first(last_user, LONGEST_SUMMARY / 2 - 8);
    let answered = first(last_assistant, LONGEST_SUMMARY / 2 - 8);
    match (asked, answered) {
        (Some(asked), Some(answered)) => format!("Said: {asked} Reply: {answered}"),
        (Some(asked), None) => format!("Said: {asked}"),
        (None, Some(answered)) => format!("Reply: {answered}"),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn jv1_a_summary_is_the_first_sentence_of_each_side() {
        insta::assert_snapshot!(
            session_summary("Hi! How do I free space on pve? It is urgent.", "Clean up old backups. Then look again."),
            @"Said: How do I free space on pve? Reply: Clean up old backups."
        );
        insta::assert_snapshot!(session_summary("tea", ""), @"Said: tea");
        assert_eq!(session_summary("", " \n"), "");
    }

    proptest! {
        #[test]
        fn jv1_a_summary_is_one_line_of_240_characters(said in "(\\PC|\n|[.?!] ){0,200}", reply in "(\\PC|[.?!] ){0,400}") {
            let summary = session_summary(&said, &reply);
            prop_assert!(summary.chars().count() <= LONGEST_SUMMARY && !summary.contains('\n'));
        }
    }
}
