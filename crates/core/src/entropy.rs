//! Ids and randomness as values that the caller passes in, so that a test or a simulation controls them (GR8).

use std::fmt;

use uuid::Uuid;

/// The source of ids and randomness.
pub trait Entropy: Send + Sync + fmt::Debug {
    /// A new UUID v7.
    fn uuid(&self) -> Uuid;
    /// 64 random bits, for jitter and the like; never for secrets.
    fn bits(&self) -> u64;
}

/// The machine's randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn uuid(&self) -> Uuid {
        Uuid::now_v7()
    }
    fn bits(&self) -> u64 {
        // the low 62 bits of a v7 UUID are random
        let (_, low) = Uuid::now_v7().as_u64_pair();
        low << 2
    }
}
