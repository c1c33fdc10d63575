//! Sharing what is left between memories and history, and showing nothing twice.
//!
//! A past message that was recalled and also stands in the history is left out of the memories.
//! That makes room, perhaps for more history, which may hold more of the recalled messages. So it
//! goes round until nothing changes. History that was once kept stays, hence so does every
//! exclusion: each round but the last excludes at least one memory more, and the end is certain.

use super::Assembly;

/// Who got what.
pub(super) struct Settled<M> {
    /// The memories as `fit` chose them.
    pub memories: M,
    /// What was left for them when they were chosen.
    pub left: usize,
    /// From which message on the history is kept.
    pub first: usize,
    /// Which memories stand in the history already.
    pub in_history: Vec<bool>,
}

/// Gives `free` tokens to memories, then to history: newest first, whole, without a gap (WB4), at
/// most `most` messages. The newest message is paid for already. `fit` chooses memories under a
/// limit, without those marked, and says what they cost.
pub(super) fn settle<M>(
    assembly: &Assembly<'_>,
    costs: &[usize],
    free: usize,
    most: usize,
    fit: impl Fn(&[bool], usize) -> (M, usize),
) -> Settled<M> {
    let history = assembly.history;
    let entries = &assembly.memories.entries;
    let mut in_history = vec![false; entries.len()];
    let mut first = history.len().saturating_sub(1);
    let mut older = 0;
    loop {
        let left = free - older;
        let (memories, used) = fit(&in_history, left);
        while first > 0 && history.len() - first < most && older + costs[first - 1] + used <= free {
            first -= 1;
            older += costs[first];
        }
        let mut changed = false;
        for (known, entry) in in_history.iter_mut().zip(entries) {
            let twice = entry.message.is_some_and(|id| history[first..].iter().any(|kept| kept.id == id));
            changed |= twice && !*known;
            *known |= twice;
        }
        if !changed {
            return Settled { memories, left, first, in_history };
        }
    }
}
