//! Sessions: what a sitting was about, in one or two sentences, while it goes on (JV1).

use greenroom_core::{Author, Kind, Message, MessageId, Scope, Source, Tier, Trust, Viewer};

use super::{secret::tells_a_secret, speech::sentences};
use crate::{
    Memory, MemoryError, Remember, Remembered,
    words::{clipped, stems},
};

/// Characters of a summary.
pub(crate) const LONGEST_SUMMARY: usize = 240;

impl Memory {
    /// Keeps the summary of a sitting in the conversation tier for 7 days. Said again while the
    /// sitting goes on, it is written in place: one row a session (JV9).
    ///
    /// Its words are those of whoever spoke: it holds in the channel, as a stranger's (X7). It is
    /// nobody's own word, for the reply or a model may have a part in it.
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
            source: Source { via: "session".into(), message, user: None },
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

/// How much an exchange tells of what its sitting is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Telling {
    /// It has no summary.
    Nothing,
    /// Its summary is better than none.
    Little,
    /// Its summary is that of the sitting.
    Much,
}

impl Telling {
    /// Of a burst and its reply; what was `recalled` is no news.
    pub fn of<'a>(
        burst: impl DoubleEndedIterator<Item = &'a Message>,
        reply: &str,
        recalled: impl Iterator<Item = &'a str>,
    ) -> Self {
        let said = last_said(burst).map_or("", |message| message.text.as_str());
        if first(said, [].into_iter()).is_none() && first(reply, recalled).is_none() {
            return Self::Nothing;
        }
        if tells(said) { Self::Much } else { Self::Little }
    }

    /// Whether the summary takes the place of an earlier one's of the same sitting.
    pub fn replaces(self, earlier: Self) -> bool {
        self == Self::Much || self > earlier
    }
}

/// The last that a person said in a burst.
pub(crate) fn last_said<'a>(mut burst: impl DoubleEndedIterator<Item = &'a Message>) -> Option<&'a Message> {
    burst.rfind(|message| matches!(message.author, Author::User { .. }))
}

/// Whether a message says what a sitting is about: at least three words that tell something, or as
/// many letters of a script without spaces. "Thanks, bye" does not.
fn tells(said: &str) -> bool {
    let letters = said.chars().filter(|c| c.is_alphabetic() && *c >= '\u{0e00}').count();
    stems(said).len() >= 3 || letters >= 6
}

/// Whether a sentence of the reply has at least half of its words from one recalled text, given in
/// stems: what the persona repeats of its memory is no news of the sitting.
fn is_repeated(sentence: &str, recalled: &[Vec<String>]) -> bool {
    if recalled.is_empty() {
        return false;
    }
    let telling = stems(sentence);
    let shared = |old: &Vec<String>| telling.iter().filter(|stem| old.contains(stem)).count();
    recalled.iter().any(|old| shared(old) > 0 && shared(old) * 2 >= telling.len())
}

/// The first sentence that says something, tells no secret (X5) and repeats nothing `recalled`.
fn first<'a>(text: &str, recalled: impl Iterator<Item = &'a str>) -> Option<String> {
    let sentences = sentences(text);
    if sentences.is_empty() {
        return None;
    }
    let recalled: Vec<_> = recalled.map(stems).collect();
    let news = |text: &String| !tells_a_secret(text) && !is_repeated(text, &recalled);
    let mut news = sentences.into_iter().map(|sentence| sentence.text).filter(news);
    let first = news.next()?;
    // a greeting says little; what follows it says more
    let says_little = |text: &String| text.split_whitespace().nth(2).is_none();
    if says_little(&first) { news.find(|text| !says_little(text)).or(Some(first)) } else { Some(first) }
}

/// One or two sentences made of what was said last: the first of either side.
pub fn session_summary(last_user: &str, last_assistant: &str, recalled: &[String]) -> String {
    let clipped = |sentence: String| clipped(&sentence, LONGEST_SUMMARY / 2 - 8);
    let asked = first(last_user, [].into_iter()).map(clipped);
    let answered = first(last_assistant, recalled.iter().map(String::as_str)).map(clipped);
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
            session_summary("Hi! How do I free space on pve? It is urgent.", "Clean up old backups. Then look again.", &[]),
            @"Said: How do I free space on pve? Reply: Clean up old backups."
        );
        insta::assert_snapshot!(session_summary("tea", "", &[]), @"Said: tea");
        assert_eq!(session_summary("", " \n", &[]), "");
    }

    #[test]
    fn jv1_what_the_persona_repeats_of_its_memory_is_no_news() {
        let recalled = ["Jo prefers green tea in the morning".to_owned()];
        let reply = "You prefer green tea in the morning, Jo. The shop closes at six.";
        insta::assert_snapshot!(
            session_summary("When does the tea shop close?", reply, &recalled),
            @"Said: When does the tea shop close? Reply: The shop closes at six."
        );
        assert!(tells("When does the tea shop close?") && tells("私は先月引っ越しました"));
        assert!(!tells("thanks, bye"));
    }

    #[test]
    fn x5_a_summary_tells_no_secret() {
        let summary = session_summary(
            "My password is hunter2. Can you log me in now?",
            "With hunter2 as password, yes.",
            &[],
        );
        assert_eq!(summary, "Said: Can you log me in now?");
    }

    proptest! {
        #[test]
        fn jv1_a_summary_is_one_line_of_240_characters(said in "(\\PC|\n|[.?!] ){0,200}", reply in "(\\PC|[.?!] ){0,400}") {
            let summary = session_summary(&said, &reply, &[]);
            prop_assert!(summary.chars().count() <= LONGEST_SUMMARY && !summary.contains('\n'));
        }
    }
}
