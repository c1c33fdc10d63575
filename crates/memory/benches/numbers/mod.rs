//! Random numbers that are the same for the same seed, for the benches.

/// A generator that is good enough to spread rows and words (xorshift, Marsaglia 2003). The seed must not be 0.
pub struct Numbers(pub u64);

impl Numbers {
    /// A random number from 0 to 1.
    pub fn share(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }

    /// The place of a word among `count` words, the most frequent first. Few are frequent, as in a natural language.
    pub fn word(&mut self, count: usize) -> usize {
        (self.share().powi(3) * count as f32) as usize
    }
}
