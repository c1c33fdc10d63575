//! Distributes the remaining tokens between memories and history, and shows nothing twice.
//!
//! A recalled message that the history contains is left out of the memories. This frees tokens, perhaps for more
//! history, which may contain more of the recalled messages. So the choice is repeated until nothing changes. History
//! that was kept once stays, and so does every exclusion. Each round but the last excludes at least one more memory,
//! so the loop ends.

use greenroom_core::{ChatMessage, MessageId};

use super::Assembly;

/// The messages of the history in the request: from `first` to the one being answered, and the later ones from
/// `later` on.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    pub first: usize,
    pub trigger: usize,
    pub later: usize,
}

impl Shown {
    /// The message being answered and the later ones: newest first, whole, as many as fit into `free` tokens and
    /// `most` messages. Also returns the tokens of the later ones.
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

    /// The shown messages in the form of a request.
    pub fn messages(self, assembly: &Assembly<'_>) -> impl Iterator<Item = ChatMessage> {
        let shown = assembly.history.iter().enumerate().filter(move |(n, _)| self.has(*n));
        shown.flat_map(|(_, entry)| entry.messages())
    }

    /// The earliest place at which older history may begin, chosen so that it stays the same for many turns (GR5). If
    /// all of the history fits into `room` tokens, all of it is shown. Otherwise the history loses a whole block at a
    /// time instead of one message per turn: it begins at the steadiest message in the older half of the part that
    /// fits.
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

/// The index of the message at which a moving history can begin for the longest time: the message whose id is divisible
/// by 2 most often, the newest of several. The choice stays the same while the range moves, so no earlier choice has to
/// be stored.
pub fn steadiest(ids: impl Iterator<Item = MessageId>) -> Option<usize> {
    ids.enumerate().max_by_key(|(_, id)| id.0.trailing_zeros()).map(|(n, _)| n)
}

/// The result of the distribution.
pub(super) struct Settled<M> {
    /// The memories as `fit` chose them.
    pub memories: M,
    /// The tokens left for memories when they were chosen.
    pub left: usize,
    /// The kept part of the history.
    pub shown: Shown,
    /// Whether some messages older than `shown` would fit, but are left out with their block.
    pub in_blocks: bool,
    /// Which memories the history already contains.
    pub in_history: Vec<bool>,
}

/// Gives `free` tokens to memories, then to history older than `shown`, whose tokens are already counted: newest
/// first, whole, without a gap (WB4), at most `most` messages in all and none before `beginning`. `fit` chooses
/// memories under a limit, without the marked ones, and returns their tokens.
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
    // with a gap after the trigger, older messages cannot be shown without a gap
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
