//! Repeatable random numbers: the same seed and the same question give the same number, so that a context can be
//! rebuilt identically (WB9).

/// A seed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seed(u64);

impl Seed {
    /// Makes a seed of numbers, such as the ids of a channel and a message.
    pub fn of(numbers: &[u64]) -> Self {
        Self(numbers.iter().fold(0, |seed, number| mixed(seed ^ number)))
    }

    /// Makes a seed of a text.
    pub fn of_text(text: &str) -> Self {
        Self(text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    /// Derives a seed for one of several occasions.
    pub fn at(self, number: u64) -> Self {
        Self(mixed(self.0 ^ mixed(number)))
    }

    /// A random number for a question.
    pub(crate) fn roll(self, question: &str) -> u64 {
        mixed(self.0 ^ Self::of_text(question).0)
    }
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
