//! Random numbers that depend only on their key: the seed, an agent, a step (SM3). So the order in which threads draw
//! them does not matter.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use greenroom_core::{Entropy, SimulatedTime, Time};
use uuid::{Builder, Uuid};

/// Mixes 64 bits (the finaliser of SplitMix64, Steele et al. 2014).
pub(crate) fn mix(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// The random number for the key `(seed, agent, step)`.
pub(crate) fn draw(seed: u64, agent: u64, step: u64) -> u64 {
    mix(mix(mix(seed) ^ agent) ^ step)
}

/// Converts a random number to a fraction: from 0 to below 1.
pub(crate) fn share(drawn: u64) -> f64 {
    (drawn >> 11) as f64 / (1_u64 << 53) as f64
}

/// Converts a random number to an integer below `end`; 0 if `end` is 0.
pub(crate) fn below(drawn: u64, end: usize) -> usize {
    let wide = u128::from(drawn) * end as u128;
    usize::try_from(wide >> 64).unwrap_or(0)
}

/// The hash of a name, for the key of a draw (FNV-1a). It is the same on every machine.
pub(crate) fn key(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Generates the ids and random numbers of one place.
#[derive(Debug)]
pub(crate) struct SeededEntropy {
    /// The seed of the scenario, which a branch may change.
    seed: Arc<AtomicU64>,
    /// The key of the place.
    place: u64,
    time: SimulatedTime,
    drawn: AtomicU64,
    last: Mutex<u64>,
}

impl SeededEntropy {
    pub(crate) fn new(seed: Arc<AtomicU64>, place: &str, time: SimulatedTime) -> Self {
        Self { seed, place: key(place), time, drawn: AtomicU64::new(0), last: Mutex::new(0) }
    }
}

impl Entropy for SeededEntropy {
    fn uuid(&self) -> Uuid {
        let (high, low) = (self.bits(), self.bits());
        let mut random = [0_u8; 10];
        random[..8].copy_from_slice(&high.to_le_bytes());
        random[8..].copy_from_slice(&low.to_le_bytes()[..2]);
        // ids rise, as those of the system do
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = u64::try_from(self.time.now().0 / 1_000).unwrap_or(0);
        *last = now.max(*last + 1);
        Builder::from_unix_timestamp_millis(*last, &random).into_uuid()
    }

    fn bits(&self) -> u64 {
        let seed = mix(self.seed.load(Ordering::SeqCst)) ^ self.place;
        draw(seed, 0, self.drawn.fetch_add(1, Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use greenroom_core::Timestamp;

    use super::*;

    #[test]
    fn sm3_a_draw_depends_on_its_key_alone() {
        assert_eq!(draw(1, 2, 3), draw(1, 2, 3));
        assert_ne!(draw(1, 2, 3), draw(1, 3, 2));
        let mean: f64 = (0..10_000).map(|step| share(draw(7, 1, step))).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        assert!((0..1_000).all(|step| below(draw(7, 1, step), 3) < 3));
    }

    #[test]
    fn sm3_ids_are_those_of_the_seed_and_rise() {
        let ids = |seed| {
            let seed = Arc::new(AtomicU64::new(seed));
            let drawn = SeededEntropy::new(seed, "parlour", SimulatedTime::at(Timestamp(1_000_000)));
            (0..100).map(|_| drawn.uuid()).collect::<Vec<_>>()
        };
        assert_eq!(ids(1), ids(1));
        assert_ne!(ids(1), ids(2));
        assert!(ids(1).is_sorted());
    }
}
