//! Inclusion groups: only one entry of a group is activated.

use std::collections::BTreeMap;

use super::{Lorebook, scan::Trigger};
use crate::seed::Seed;

/// Removes candidates that lose in their group. A loser is settled and does not come back in a later round. A group
/// with an active entry accepts no further one.
pub(super) fn winners(
    book: &Lorebook,
    candidates: Vec<(usize, Trigger)>,
    active: &[(usize, Trigger)],
    settled: &mut [bool],
    seed: Seed,
) -> Vec<(usize, Trigger)> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (n, _) in &candidates {
        for group in &book.entries[*n].groups {
            groups.entry(group).or_default().push(*n);
        }
    }
    for (group, members) in groups {
        let is_taken = active.iter().any(|(n, _)| book.entries[*n].groups.iter().any(|name| name == group));
        let members: Vec<usize> = members.into_iter().filter(|n| !settled[*n]).collect();
        let is_sticky =
            |n: &&usize| candidates.iter().any(|(m, trigger)| m == *n && *trigger == Trigger::Sticky);
        let winner = match () {
            () if is_taken => None,
            () if members.iter().any(|n| is_sticky(&n)) => members.iter().find(is_sticky).copied(),
            () if members.iter().any(|n| book.entries[*n].prioritised) => {
                let prioritised = members.iter().filter(|n| book.entries[**n].prioritised);
                prioritised.max_by_key(|n| book.entries[**n].order).copied()
            }
            () => draw(book, &members, seed.roll(&format!("group {group}"))),
        };
        members.iter().filter(|n| Some(**n) != winner).for_each(|n| settled[*n] = true);
    }
    candidates.into_iter().filter(|(n, _)| !settled[*n]).collect()
}

/// Selects one entry at random, by weight.
fn draw(book: &Lorebook, members: &[usize], roll: u64) -> Option<usize> {
    let weight = |n: &usize| book.entries[*n].weight.clamp(1, 1_000_000);
    let total: u64 = members.iter().map(weight).sum();
    let mut left = roll % total.max(1);
    members.iter().copied().find(|n| match left.checked_sub(weight(n)) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    })
}
