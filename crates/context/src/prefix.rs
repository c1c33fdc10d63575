//! The share of a request that a server may have cached from the previous request (GR5).

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::FixedState;
use greenroom_core::{ChatMessage, Role};

/// Bytes of text per number of an outline: the end of the common beginning is found with this precision.
const BLOCK: usize = 64;

/// The part of a request that is kept for comparison with the next one: an eighth of its length.
#[derive(Debug, Clone)]
pub struct Outline(Vec<MessageOutline>);

/// One message of a request.
#[derive(Debug, Clone)]
struct MessageOutline {
    role: Role,
    /// The text, tool calls included, in bytes.
    length: usize,
    /// The hash of the whole message.
    hash: u64,
    /// The hash of each whole block of its content.
    blocks: Vec<u64>,
}

impl Outline {
    /// The outline of a request.
    pub fn of(request: &[ChatMessage]) -> Self {
        Self(request.iter().map(MessageOutline::of).collect())
    }
}

impl MessageOutline {
    /// Whether two messages are the same, by the hash of all that they contain.
    fn is_same(&self, other: &Self) -> bool {
        (self.role, self.length, self.hash) == (other.role, other.length, other.hash)
    }

    fn of(message: &ChatMessage) -> Self {
        let calls = message.tool_calls.iter().map(|call| call.name.len() + call.arguments.len());
        let (blocks, rest) = message.content.as_bytes().as_chunks::<BLOCK>();
        let blocks: Vec<u64> = blocks.iter().map(|block| hasher().hash_one(block)).collect();
        let mut whole = hasher().build_hasher();
        (&blocks, rest, &message.tool_call_id).hash(&mut whole);
        message.tool_calls.iter().for_each(|call| (&call.id, &call.name, &call.arguments).hash(&mut whole));
        Self {
            role: message.role,
            length: message.content.len() + calls.sum::<usize>(),
            hash: whole.finish(),
            blocks,
        }
    }
}

/// A fast hasher without a random key: a constructed collision would only falsify the share in the receipt.
fn hasher() -> FixedState {
    FixedState::default()
}

/// The share of `now`, 0 to 1 by length of text, that begins like `previous`: servers reuse the work on the longest
/// common beginning of two requests. In the first message that differs, whole blocks of 64 bytes count. For an empty
/// `now` it is 0.
///
/// ```
/// use greenroom_context::{Outline, reusable_prefix};
/// use greenroom_core::{ChatMessage, Role};
///
/// let first = [ChatMessage::new(Role::System, "be kind"), ChatMessage::new(Role::User, "hello")];
/// let second = [first.as_slice(), &[ChatMessage::new(Role::Assistant, "hi there....")]].concat();
/// assert_eq!(reusable_prefix(&Outline::of(&first), &Outline::of(&second)), 0.5);
/// ```
pub fn reusable_prefix(previous: &Outline, now: &Outline) -> f32 {
    let (Outline(previous), Outline(now)) = (previous, now);
    let all: usize = now.iter().map(|line| line.length).sum();
    if all == 0 {
        return 0.0;
    }
    let same = previous.iter().zip(now).take_while(|(before, after)| before.is_same(after)).count();
    let whole: usize = now[..same].iter().map(|line| line.length).sum();
    // The first message that differs may still begin alike.
    let part = match (previous.get(same), now.get(same)) {
        (Some(before), Some(after)) if before.role == after.role => {
            let blocks = before.blocks.iter().zip(&after.blocks);
            BLOCK * blocks.take_while(|(before, after)| before == after).count()
        }
        _ => 0,
    };
    (whole + part) as f32 / all as f32
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
    fn gr5_the_reusable_share_ends_at_the_first_block_that_differs() {
        let share = |before: &[&str], now: &[&str]| {
            reusable_prefix(&Outline::of(&said(before)), &Outline::of(&said(now)))
        };
        assert_eq!(share(&["abcd", "efgh"], &["abcd", "efgh"]), 1.0);
        assert_eq!(share(&["abcd", "efgh"], &["abcd", "efXX"]), 0.5);
        let (long, other) =
            ("a".repeat(BLOCK * 4), format!("{}b{}", "a".repeat(BLOCK * 3), "a".repeat(BLOCK - 1)));
        assert_eq!(share(&[&long], &[&other]), 0.75);
        assert_eq!(share(&["Xbcd", "efgh"], &["abcd", "efgh"]), 0.0);
        assert_eq!(share(&[], &["abcd"]), 0.0);
        assert_eq!(share(&["abcd"], &[]), 0.0);
        let own = [ChatMessage::new(Role::Assistant, "abcd")];
        assert_eq!(
            reusable_prefix(&Outline::of(&own), &Outline::of(&said(&["abcd"]))),
            0.0,
            "who speaks is part of it"
        );
    }

    #[test]
    fn gr5_an_outline_takes_an_eighth_of_its_request() {
        let Outline(lines) = Outline::of(&said(&["a".repeat(800_000).as_str()]));
        assert_eq!(lines[0].blocks.len() * size_of::<u64>(), 100_000);
    }

    proptest! {
        #[test]
        fn gr5_the_share_is_one_for_the_same_and_never_beyond(
            before in prop::collection::vec("[ab]{0,3}", 0..4),
            now in prop::collection::vec("[ab]{0,3}", 0..4),
        ) {
            let all = |texts: &[String]| Outline::of(&said(&texts.iter().map(String::as_str).collect::<Vec<_>>()));
            let share = reusable_prefix(&all(&before), &all(&now));
            prop_assert!((0.0..=1.0).contains(&share));
            let empty = now.iter().all(String::is_empty);
            prop_assert_eq!(reusable_prefix(&all(&now), &all(&now)), if empty { 0.0 } else { 1.0 });
        }
    }
}
