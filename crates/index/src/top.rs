//! The best `k` of many scores: a row no better than the worst of them costs one comparison.

use std::ops::Range;

use crate::kernels::Kernels;

/// Keeps the `k` largest; of equal scores those that came first, so that rows are pushed from the newest on.
/// They are gathered until there are twice as many, and then the smaller half goes: cheaper than a heap,
/// which has to be put in order for each.
pub struct Top {
    k: usize,
    kernels: Kernels,
    scores: Vec<f32>,
    slots: Vec<u32>,
    /// Only a larger score can enter.
    pub bar: f32,
}

/// So many more than `k` are gathered, at least.
const GATHERED: usize = 32;

impl Top {
    pub fn new(k: usize, kernels: Kernels) -> Top {
        Top::above(f32::NEG_INFINITY, k, kernels)
    }

    /// Of the scores above `bar`.
    pub fn above(bar: f32, k: usize, kernels: Kernels) -> Top {
        let bar = if k == 0 { f32::INFINITY } else { bar };
        Top { k, kernels, scores: Vec::new(), slots: Vec::new(), bar }
    }

    pub fn push(&mut self, score: f32, slot: u32) {
        if score > self.bar {
            if self.scores.len() >= self.most() {
                self.keep_best();
                return self.push(score, slot);
            }
            self.scores.push(score);
            self.slots.push(slot);
        }
    }

    /// So many are gathered.
    fn most(&self) -> usize {
        self.k.saturating_add(self.k.max(GATHERED))
    }

    /// Pushes rows that follow each other, the last first; `first` is the slot of the first.
    pub fn push_all(&mut self, scores: &[f32], first: u32) {
        if self.scores.len() >= self.most() {
            self.keep_best();
        }
        let mut count = self.scores.len();
        self.scores.resize(count + scores.len(), 0.0);
        self.slots.resize(count + scores.len(), 0);
        for (slot, score) in (first..first + scores.len() as u32).zip(scores).rev() {
            // written over by the next one if it is not good enough
            (self.scores[count], self.slots[count]) = (*score, slot);
            count += usize::from(*score > self.bar);
        }
        self.scores.truncate(count);
        self.slots.truncate(count);
    }

    /// Lets all but the best `k` go; the others stay in their order.
    fn keep_best(&mut self) {
        if self.scores.len() <= self.k {
            return;
        }
        let found = self.kernels.run(
            #[inline(always)]
            || kth(&self.scores, self.k),
        );
        let Some((worst, above, equal)) = found else { return };
        self.bar = worst;
        let mut kept = 0;
        let mut end = self.scores.len();
        if above + equal > self.k {
            // of the equals the first are enough
            let equals = self.scores.iter().enumerate().filter(|(_, score)| **score == worst);
            end = equals.map(|(at, _)| at).nth(self.k - above).unwrap_or(end);
        }
        self.move_up(0..end, worst, &mut kept);
        self.move_up(end..self.scores.len(), worst.next_up(), &mut kept);
        self.scores.truncate(kept);
        self.slots.truncate(kept);
    }

    /// Moves those of a range that are at least so good up behind those that stay.
    fn move_up(&mut self, range: Range<usize>, least: f32, kept: &mut usize) {
        let (scores, slots) = (&mut self.scores[..range.end], &mut self.slots[..range.end]);
        for at in range {
            // never behind; said for the compiler
            let to = at.min(*kept);
            (scores[to], slots[to]) = (scores[at], slots[at]);
            *kept += usize::from(scores[to] >= least);
        }
    }

    /// The best in the order they came, each with its slot.
    pub fn into_hits(mut self) -> impl Iterator<Item = (f32, u32)> {
        self.keep_best();
        self.scores.into_iter().zip(self.slots)
    }

    /// Best first.
    pub fn into_sorted(self) -> Vec<(f32, u32)> {
        let mut keys: Vec<u64> = self.into_hits().map(|(score, slot)| key(score, slot)).collect();
        keys.sort_unstable_by(|one, other| other.cmp(one));
        keys.into_iter().map(|key| (score_of(key), slot_of(key))).collect()
    }
}

/// The `k`-th largest score, how many are larger, and how many are equal. Every score between what is known to be too small and
/// too large is counted against all, which few are: nothing is moved, and counting is quick.
#[inline(always)]
fn kth(scores: &[f32], k: usize) -> Option<(f32, usize, usize)> {
    let (mut low, mut high) = (f32::NEG_INFINITY, f32::INFINITY);
    for pivot in scores {
        if *pivot <= low || *pivot >= high {
            continue;
        }
        let (mut above, mut equal) = (0i32, 0i32);
        for score in scores {
            above += i32::from(score > pivot);
            equal += i32::from(score == pivot);
        }
        let (above, equal) = (above as usize, equal as usize);
        if above >= k {
            low = *pivot;
        } else if above + equal >= k {
            return Some((*pivot, above, equal));
        } else {
            high = *pivot;
        }
    }
    None
}

/// A score and a slot as one number in the same order: an integer comparison, and no NaN to think of.
pub fn key(score: f32, slot: u32) -> u64 {
    let bits = (score + 0.0).to_bits();
    let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    u64::from(ordered) << 32 | u64::from(slot)
}

/// The score in a [`key`].
pub fn score_of(key: u64) -> f32 {
    let ordered = (key >> 32) as u32;
    f32::from_bits(if ordered >> 31 == 1 { ordered & !(1 << 31) } else { !ordered })
}

/// The slot in a [`key`].
pub fn slot_of(key: u64) -> u32 {
    key as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_are_kept_in_order(scores in proptest::collection::vec(-4i8..4, 0..200), k in 0usize..50) {
            for kernels in Kernels::all() {
                let mut top = Top::new(k, kernels);
                let mut expected: Vec<(f32, u32)> = Vec::new();
                for (slot, score) in (0u32..).zip(&scores).collect::<Vec<_>>().into_iter().rev() {
                    top.push(f32::from(*score), slot);
                    expected.push((f32::from(*score), slot));
                }
                expected.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
                expected.truncate(k);
                prop_assert_eq!(top.into_sorted(), expected.clone());
                let mut top = Top::new(k, kernels);
                let all: Vec<f32> = scores.iter().map(|score| f32::from(*score)).collect();
                let parts: Vec<_> = (0u32..).step_by(16).zip(all.chunks(16)).collect();
                parts.into_iter().rev().for_each(|(first, part)| top.push_all(part, first));
                prop_assert_eq!(top.into_sorted(), expected);
            }
        }
    }
}
