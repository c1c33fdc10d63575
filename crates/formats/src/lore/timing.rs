//! Entries that stay active (sticky) or pause (cooldown) for some messages. Their state is not stored. It is computed
//! from the conversation, by searching it again as it was at each earlier turn.

use super::{LoreLine, Lorebook, Scan, scan::Trigger};
use crate::Macros;

/// The most messages that are searched again.
const MAX_LOOK_BACK: usize = 60;

/// The state of an entry when a message is answered.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Timing {
    /// Whether it stays active from an earlier turn.
    pub sticky: bool,
    /// Whether its cooldown lasts.
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
    // by entry: the number of messages until which it is sticky, and until which its cooldown lasts
    let mut until = vec![(0usize, 0usize); book.entries.len()];
    for length in from..=said.len() {
        for (n, (sticky, cooling)) in until.iter().enumerate() {
            now[n] = Timing { sticky: length < *sticky, cooling: length < *cooling };
        }
        // skip the persona's own messages and the present turn, which is not over
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
