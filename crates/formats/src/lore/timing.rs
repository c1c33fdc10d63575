//! Entries that stay or rest for some messages. Their state is not stored: it follows from the conversation, which is
//! searched again as it was at each earlier turn.

use super::{LoreLine, Lorebook, Scan, scan::Trigger};
use crate::Macros;

/// Messages that are looked back at most.
const MAX_LOOK_BACK: usize = 60;

/// The state of an entry when a message is answered.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Timing {
    /// Whether it stays from an earlier turn.
    pub sticky: bool,
    /// Whether it rests.
    pub cooling: bool,
}

/// The state of each entry at the end of the conversation.
pub(super) fn timings(book: &Lorebook, said: &[LoreLine], macros: Macros<'_>) -> Vec<Timing> {
    let mut now = vec![Timing::default(); book.entries.len()];
    if !book.is_timed() {
        return now;
    }
    let longest =
        book.entries.iter().map(|entry| entry.sticky.saturating_add(entry.cooldown)).max().unwrap_or(0);
    let from = said.len().saturating_sub(longest.saturating_mul(2).min(MAX_LOOK_BACK)).max(1);
    // the number of messages until which an entry stays, and until which it rests after that
    let mut until = vec![(0usize, 0usize); book.entries.len()];
    for length in from..=said.len() {
        for (n, (sticky, cooling)) in until.iter().enumerate() {
            now[n] = Timing { sticky: length < *sticky, cooling: length < *cooling };
        }
        // the persona answers others, and the present turn is not over
        if length == said.len() || said[length - 1].is_own {
            continue;
        }
        let triggered = Scan { book, said: &said[..length], macros, timings: &now }.run();
        for (n, trigger) in triggered {
            let entry = &book.entries[n];
            if trigger != Trigger::Sticky {
                let sticky = if entry.sticky > 0 { length.saturating_add(entry.sticky) } else { 0 };
                let rests_from = sticky.max(length);
                let cooling = if entry.cooldown > 0 { rests_from.saturating_add(entry.cooldown) } else { 0 };
                until[n] = (sticky, cooling);
            }
        }
    }
    now
}
