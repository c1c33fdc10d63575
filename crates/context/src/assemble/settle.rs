//! Sharing what is left between memories and history, and showing nothing twice.
//!
//! A past message that was recalled and also stands in the history is left out of the memories.
//! That makes room, perhaps for more history, which may hold more of the recalled messages. So it
//! goes round until nothing changes. History that was once kept stays, hence so does every
//! exclusion: each round but the last excludes at least one memory more, and the end is certain.

use greenroom_core::{ChatMessage, MessageId};

use super::Assembly;

/// Which messages of the history stand in the request: those from `first` to the one being
/// answered, and what was said since from `later` on.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    pub first: usize,
    pub trigger: usize,
    pub later: usize,
}

impl Shown {
    /// The message being answered and what was said since: newest first, whole, as much as fits
    /// into `free` tokens and `most` messages. And what the latter cost.
    pub fn since_the_trigger(
        assembly: &Assembly<'_>,
        costs: &[usize],
        free: usize,
        most: usize,
    ) -> (Self, usize) {
        let trigger = assembly.trigger();
        let mut later = costs.len();
        let mut tokens = 0;
        while later > trigger + 1 && costs.len() - later + 1 < most && tokens + costs[later - 1] <= free {
            later -= 1;
            tokens += costs[later];
        }
        (Self { first: trigger, trigger, later }, tokens)
    }

    pub fn has(&self, n: usize) -> bool {
        (self.first..=self.trigger).contains(&n) || n >= self.later
    }

    /// How many of `all` messages.
    pub fn count(&self, all: usize) -> usize {
        (0..all).filter(|n| self.has(*n)).count()
    }

    /// Them, as they are sent.
    pub fn messages(self, assembly: &Assembly<'_>) -> impl Iterator<Item = ChatMessage> {
        let shown = assembly.history.iter().enumerate().filter(move |(n, _)| self.has(*n));
        shown.flat_map(|(_, entry)| entry.messages())
    }

    /// Where older history may begin at the earliest, so that its beginning stays where it is for many turns (GR5).
    /// With `room` tokens for it all of it is shown if it fits. Otherwise it loses a block, not a message with
    /// every turn: it begins at the steadiest message of the older half of what fits.
    pub fn steady_beginning(self, assembly: &Assembly<'_>, costs: &[usize], room: usize) -> usize {
        let (mut oldest, mut tokens) = (self.first, 0);
        while oldest > 0 && tokens + costs[oldest - 1] <= room {
            oldest -= 1;
            tokens += costs[oldest];
        }
        if oldest == 0 {
            return 0;
        }
        let mut passed = 0;
        let older_half = (oldest..self.first).take_while(|n| {
            passed += costs[*n];
            passed * 2 <= tokens
        });
        let ids = older_half.map(|n| assembly.history[n].id);
        oldest + steadiest(ids).unwrap_or(0)
    }

    fn holds(&self, assembly: &Assembly<'_>, id: MessageId) -> bool {
        assembly.history.iter().enumerate().any(|(n, entry)| entry.id == id && self.has(n))
    }
}

/// The place of the message at which a history may begin for the longest time while it moves on: the one whose id
/// can be halved most often, the newest of several. Whoever chooses so from a range that moves chooses the same
/// again and again, and needs no memory of the choice before.
pub fn steadiest(ids: impl Iterator<Item = MessageId>) -> Option<usize> {
    ids.enumerate().max_by_key(|(_, id)| id.0.trailing_zeros()).map(|(n, _)| n)
}

/// Who got what.
pub(super) struct Settled<M> {
    /// The memories as `fit` chose them.
    pub memories: M,
    /// What was left for them when they were chosen.
    pub left: usize,
    /// What of the history is kept.
    pub shown: Shown,
    /// Whether older messages than `shown` would fit and are left out with their block.
    pub in_blocks: bool,
    /// Which memories stand in the history already.
    pub in_history: Vec<bool>,
}

/// Gives `free` tokens to memories, then to history older than what is `shown` and paid for
/// already: newest first, whole, without a gap (WB4), at most `most` messages in all and none before
/// `beginning`. `fit` chooses memories under a limit, without those marked, and says what they cost.
pub(super) fn settle<M>(
    assembly: &Assembly<'_>,
    costs: &[usize],
    mut shown: Shown,
    free: usize,
    most: usize,
    beginning: usize,
    fit: impl Fn(&[bool], usize) -> (M, usize),
) -> Settled<M> {
    let entries = &assembly.memories.entries;
    let mut in_history = vec![false; entries.len()];
    // with a gap after the trigger there is no use in going back further
    let whole = shown.later <= shown.trigger + 1;
    let mut older = 0;
    loop {
        let left = free - older;
        let (memories, used) = fit(&in_history, left);
        while whole
            && shown.first > beginning
            && costs.len() - shown.first < most
            && older + costs[shown.first - 1] + used <= free
        {
            shown.first -= 1;
            older += costs[shown.first];
        }
        let mut changed = false;
        for (known, entry) in in_history.iter_mut().zip(entries) {
            let twice = entry.message.is_some_and(|id| shown.holds(assembly, id));
            changed |= twice && !*known;
            *known |= twice;
        }
        if !changed {
            let in_blocks = beginning > 0 && shown.first == beginning;
            return Settled { memories, left, shown, in_blocks, in_history };
        }
    }
}
