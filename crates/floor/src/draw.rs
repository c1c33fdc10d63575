//! Random draws that depend on nothing but their seed.

/// A number from 0 up to 1, drawn by the seed of a message and a member. The seed is not the id of the message: a
/// message has no id when it is first decided, and ids depend on what is said in other channels.
pub(crate) fn draw(seed: u64, member: &str) -> f32 {
    let mixed = mix(mix(seed) ^ hash(member));
    (mixed >> 40) as f32 / (1_u64 << 24) as f32
}

/// The finaliser of splitmix64 (Steele, Lea, Flood 2014).
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The FNV-1a hash of a text. It is the same on every machine and in every build, so that a seed made of it stays the
/// same.
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}
