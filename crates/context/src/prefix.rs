//! How much of a request a server may have in its cache from the one before it (GR5).

use greenroom_core::ChatMessage;

/// The share of `now` that begins like `previous`, 0 to 1, by length of text: servers reuse the work
/// on the longest common beginning of two requests. With nothing in `now` it is 0.
///
/// ```
/// use greenroom_context::reusable_prefix;
/// use greenroom_core::{ChatMessage, Role};
///
/// let first = [ChatMessage::new(Role::System, "be kind"), ChatMessage::new(Role::User, "hello")];
/// let second = [first.as_slice(), &[ChatMessage::new(Role::Assistant, "hi there....")]].concat();
/// assert_eq!(reusable_prefix(&first, &second), 0.5);
/// ```
pub fn reusable_prefix(previous: &[ChatMessage], now: &[ChatMessage]) -> f32 {
    let all: usize = now.iter().map(length).sum();
    if all == 0 {
        return 0.0;
    }
    let same = previous.iter().zip(now).take_while(|(before, after)| before == after).count();
    let whole: usize = now[..same].iter().map(length).sum();
    // The first message that differs may still begin alike.
    let part = match (previous.get(same), now.get(same)) {
        (Some(before), Some(after)) if before.role == after.role => common(&before.content, &after.content),
        _ => 0,
    };
    (whole + part) as f32 / all as f32
}

/// The text of a message, tool calls included, in bytes.
fn length(message: &ChatMessage) -> usize {
    let calls = message.tool_calls.iter().map(|call| call.name.len() + call.arguments.len());
    message.content.len() + calls.sum::<usize>()
}

fn common(before: &str, after: &str) -> usize {
    before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use greenroom_core::Role;
    use proptest::prelude::*;

    use super::*;

    fn said(texts: &[&str]) -> Vec<ChatMessage> {
        texts.iter().map(|text| ChatMessage::new(Role::User, *text)).collect()
    }

    #[test]
    fn gr5_the_reusable_share_ends_at_the_first_byte_that_differs() {
        let share = |before: &[&str], now: &[&str]| reusable_prefix(&said(before), &said(now));
        assert_eq!(share(&["abcd", "efgh"], &["abcd", "efgh"]), 1.0);
        assert_eq!(share(&["abcd", "efgh"], &["abcd", "efXX"]), 0.75);
        assert_eq!(share(&["Xbcd", "efgh"], &["abcd", "efgh"]), 0.0);
        assert_eq!(share(&[], &["abcd"]), 0.0);
        assert_eq!(share(&["abcd"], &[]), 0.0);
        let own = [ChatMessage::new(Role::Assistant, "abcd")];
        assert_eq!(reusable_prefix(&own, &said(&["abcd"])), 0.0, "who speaks is part of it");
    }

    proptest! {
        #[test]
        fn gr5_the_share_is_one_for_the_same_and_never_beyond(
            before in prop::collection::vec("[ab]{0,3}", 0..4),
            now in prop::collection::vec("[ab]{0,3}", 0..4),
        ) {
            let all = |texts: &[String]| said(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            let share = reusable_prefix(&all(&before), &all(&now));
            prop_assert!((0.0..=1.0).contains(&share));
            let empty = now.iter().all(String::is_empty);
            prop_assert_eq!(reusable_prefix(&all(&now), &all(&now)), if empty { 0.0 } else { 1.0 });
        }
    }
}
