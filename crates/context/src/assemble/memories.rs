//! Fitting the memories into their budget: whole entries, best first; the first that does not fit
//! ends it, and without at least one there is no header either (WB8, FG14).

use super::{MemoryBlock, head::Head};
use crate::TokenCounter;

/// The memories that fit.
pub(super) struct Fitted {
    /// The system message with them.
    pub head: Head,
    /// What they cost, header included.
    pub tokens: usize,
    /// Which entries, best first.
    pub kept: Vec<usize>,
}

/// Puts as many entries of `block` under `head` as `limit` tokens allow, leaving out those marked
/// in `excluded`. `costs` are the entries' own tokens.
pub(super) fn fit(
    counter: &dyn TokenCounter,
    head: &Head,
    block: &MemoryBlock,
    costs: &[usize],
    excluded: &[bool],
    limit: usize,
) -> Fitted {
    let wanted: Vec<usize> = (0..block.entries.len()).filter(|n| !excluded[*n]).collect();
    let measure = |kept: &[usize]| {
        if kept.is_empty() {
            return Fitted { head: head.clone(), tokens: 0, kept: Vec::new() };
        }
        let grown = head.with(counter, &render(block, kept));
        let tokens = grown.tokens.saturating_sub(head.tokens);
        Fitted { head: grown, tokens, kept: kept.to_vec() }
    };
    // The sum of the parts is a good guess; measuring the whole makes it right, in both directions.
    let mut used = counter.count(&block.header);
    let guess = wanted.iter().take_while(|n| {
        used += costs[**n];
        used <= limit
    });
    let guess = guess.count();
    let mut fitted = measure(&wanted[..guess]);
    while fitted.tokens > limit {
        fitted = measure(&fitted.kept[..fitted.kept.len() - 1]);
    }
    while let Some(more) = wanted.get(..fitted.kept.len() + 1) {
        let grown = measure(more);
        if grown.tokens > limit {
            break;
        }
        fitted = grown;
    }
    fitted
}

fn render(block: &MemoryBlock, kept: &[usize]) -> String {
    let lines = kept.iter().map(|n| block.entries[*n].line.as_str());
    std::iter::once(block.header.as_str())
        .filter(|h| !h.is_empty())
        .chain(lines)
        .collect::<Vec<_>>()
        .join("\n")
}
