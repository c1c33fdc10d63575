//! The best `k` of many scores: a row below the worst of them costs one comparison.

/// Keeps the `k` largest; of equal scores those of the larger slot, the newer row. They are gathered until
/// there are twice as many, and then the smaller half goes: cheaper than a heap, which has to be put in order
/// for each.
pub struct Top {
    k: usize,
    keys: Vec<u64>,
    /// A score below this cannot enter.
    pub bar: f32,
}

/// So many more than `k` are gathered, at least.
const GATHERED: usize = 32;

impl Top {
    pub fn new(k: usize) -> Top {
        let bar = if k == 0 { f32::INFINITY } else { f32::NEG_INFINITY };
        Top { k, keys: Vec::new(), bar }
    }

    pub fn push(&mut self, score: f32, slot: u32) {
        if score < self.bar || self.k == 0 {
            return;
        }
        if self.keys.len() >= self.k + self.k.max(GATHERED) {
            self.keep_best();
        }
        self.keys.push(key(score, slot));
    }

    /// Lets all but the best `k` go.
    fn keep_best(&mut self) {
        if let Some(last) = self.k.checked_sub(1).filter(|_| self.keys.len() > self.k) {
            let (_, worst, _) = self.keys.select_nth_unstable_by(last, |one, other| other.cmp(one));
            self.bar = score_of(*worst);
            self.keys.truncate(self.k);
        }
    }

    /// Best first.
    pub fn into_sorted(mut self) -> Vec<(f32, u32)> {
        self.keep_best();
        self.keys.sort_unstable_by(|one, other| other.cmp(one));
        self.keys.into_iter().map(|key| (score_of(key), slot_of(key))).collect()
    }
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
            let mut top = Top::new(k);
            let mut expected: Vec<(f32, u32)> = Vec::new();
            for (slot, score) in (0u32..).zip(scores) {
                top.push(f32::from(score), slot);
                expected.push((f32::from(score), slot));
            }
            expected.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
            expected.truncate(k);
            prop_assert_eq!(top.into_sorted(), expected);
        }
    }
}
