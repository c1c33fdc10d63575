//! Embeddings without a model: the same text gives the same vector, shared words give similar
//! ones.

/// Numbers in a vector.
const DIMENSION: usize = 64;

/// The vector of a text: each of its words, in lower case, adds 1 at its own place (up to collisions), scaled to
/// length 1. Without a word, 1 at the first place.
pub fn embedding(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0f32; DIMENSION];
    let lower = text.to_lowercase();
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        vector[fnv(word) as usize % DIMENSION] += 1.0;
    }
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if norm == 0.0 {
        vector[0] = 1.0;
        return vector;
    }
    vector.iter().map(|x| x / norm).collect()
}

/// FNV-1a: short, and the same on every machine.
fn fnv(word: &str) -> u64 {
    word.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
