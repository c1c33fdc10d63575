//! The best `k` of many scores. A row that is no better than the worst kept score costs one comparison.

/// Keeps the `k` largest scores; of equal scores those of larger slots, which are the newer rows. Searches push the
/// newest rows first.
///
/// The buffer collects at least twice as many keys as needed, and then drops the smaller half. This is cheaper than a
/// heap, which reorders for each score.
pub struct TopK {
    k: usize,
    keys: Vec<u64>,
    /// The threshold: only larger scores are kept.
    pub bar: f32,
}

/// The buffer collects at least this many keys more than `k`.
const GATHERED: usize = 32;

impl TopK {
    pub fn new(k: usize) -> TopK {
        TopK::above(f32::NEG_INFINITY, k)
    }

    /// Keeps only scores above `bar`.
    pub fn above(bar: f32, k: usize) -> TopK {
        TopK { k, keys: Vec::new(), bar: if k == 0 { f32::INFINITY } else { bar } }
    }

    pub fn push(&mut self, score: f32, slot: u32) {
        if score > self.bar {
            if self.keys.len() >= self.k + self.k.max(GATHERED) {
                self.drop_smaller();
                return self.push(score, slot);
            }
            self.keys.push(key(score, slot));
        }
    }

    fn drop_smaller(&mut self) {
        if self.k > 0 && self.keys.len() > self.k {
            let (_, worst, _) = self.keys.select_nth_unstable_by(self.k - 1, |one, other| other.cmp(one));
            self.bar = score_of(*worst);
            self.keys.truncate(self.k);
        }
    }

    /// The best scores with their slots, unsorted.
    pub fn into_hits(mut self) -> impl Iterator<Item = (f32, u32)> {
        self.drop_smaller();
        self.keys.into_iter().map(|key| (score_of(key), slot_of(key)))
    }

    /// The best scores with their slots, best first.
    pub fn into_sorted(mut self) -> Vec<(f32, u32)> {
        self.keys.sort_unstable_by(|one, other| other.cmp(one));
        self.keys.truncate(self.k);
        self.keys.into_iter().map(|key| (score_of(key), slot_of(key))).collect()
    }
}

/// A score and a slot as one number with the same order.
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
            let mut top = TopK::new(k);
            let mut expected: Vec<(f32, u32)> = (0u32..).zip(&scores).map(|(slot, score)| (f32::from(*score), slot)).collect();
            expected.iter().rev().for_each(|(score, slot)| top.push(*score, *slot));
            expected.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
            expected.truncate(k);
            prop_assert_eq!(top.into_sorted(), expected);
        }
    }
}
