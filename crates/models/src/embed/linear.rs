//! Linear maps of vectors, from files that were fitted: the projection of the multilingual embedder to fewer numbers, and
//! the map of a question to its answers (MP4).
//!
//! **Projection.** Texts differ mainly in some directions. The first of them, by the singular values of many texts, keep
//! nearly every cosine and halve the memory, the disk and the time of a search.
//!
//! **Map of questions.** An encoder puts a question next to other questions: "what breed is my dog?" is nearer to "which
//! breeds are good with children?" than to "the beagle has eaten a sock again". The map is fitted to questions with their
//! answers. It maps the query alone, so stored vectors stay as they are.
//!
//! `crates/memory/examples/fit_questions.rs` fits both.

use crate::normalise;

/// The largest weight is this number in a row of signed bytes.
const LARGEST: f32 = 127.0;
/// How many sums a row is added up in, so that the compiler can compute them at once.
const LANES: usize = 16;

/// A linear map `W v + b` from `IN` to `OUT` numbers.
///
/// Its file has a row for each number of the result: the row's scale, its part of `b`, each a little-endian f32, and
/// the row of `W`, a signed byte for each number of the vector.
#[derive(Debug, Clone, Copy)]
pub struct LinearMap<const IN: usize, const OUT: usize>(&'static [u8]);

impl<const IN: usize, const OUT: usize> LinearMap<IN, OUT> {
    /// The size of a row in bytes.
    const ROW: usize = 8 + IN;

    /// Takes the bytes of a file. Panics at compile time if their number is wrong.
    pub const fn of(file: &'static [u8]) -> Self {
        assert!(file.len() == OUT * Self::ROW, "a file of another dimension");
        Self(file)
    }

    /// The projected vector, scaled to length 1; zero stays zero.
    pub fn project(&self, vector: &[f32]) -> Vec<f32> {
        let mut projected = if is_zero(vector) { vec![0.0; OUT] } else { self.image(vector) };
        normalise(&mut projected);
        projected
    }

    fn image(&self, vector: &[f32]) -> Vec<f32> {
        self.0.chunks_exact(Self::ROW).map(|row| row_of_image(row, vector)).collect()
    }
}

impl<const N: usize> LinearMap<N, N> {
    /// The vector moved by the map, `v + W v + b`, scaled to length 1. A vector of another dimension, and one without a
    /// length, stay as they are.
    pub fn apply(&self, mut vector: Vec<f32>) -> Vec<f32> {
        if vector.len() != N || is_zero(&vector) {
            return vector;
        }
        let moved = self.image(&vector);
        vector.iter_mut().zip(moved).for_each(|(number, moved)| *number += moved);
        normalise(&mut vector);
        vector
    }
}

fn is_zero(vector: &[f32]) -> bool {
    vector.iter().all(|number| *number == 0.0)
}

/// One number of `W v + b`.
fn row_of_image(row: &[u8], vector: &[f32]) -> f32 {
    let number = |at: usize| f32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]]);
    let mut sums = [0.0_f32; LANES];
    let (weights, numbers) = (row[8..].chunks_exact(LANES), vector.chunks_exact(LANES));
    let rest: f32 = product(weights.remainder(), numbers.remainder());
    for (weights, numbers) in weights.zip(numbers) {
        for lane in 0..LANES {
            sums[lane] += f32::from(weights[lane] as i8) * numbers[lane];
        }
    }
    number(0) * (sums.iter().sum::<f32>() + rest) + number(4)
}

fn product(weights: &[u8], numbers: &[f32]) -> f32 {
    weights.iter().zip(numbers).map(|(weight, number)| f32::from(*weight as i8) * number).sum()
}

/// The file of a map, from the rows of `W` and their parts of `b`.
pub fn linear_map_file(rows: &[(Vec<f32>, f32)]) -> Vec<u8> {
    let mut file = Vec::new();
    for (weights, offset) in rows {
        let scale = weights.iter().fold(f32::MIN_POSITIVE, |most, weight| most.max(weight.abs())) / LARGEST;
        file.extend(scale.to_le_bytes());
        file.extend(offset.to_le_bytes());
        file.extend(weights.iter().map(|weight| (weight / scale).round() as i8 as u8));
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map<const IN: usize, const OUT: usize>(rows: &[(Vec<f32>, f32)]) -> LinearMap<IN, OUT> {
        LinearMap::of(Box::leak(linear_map_file(rows).into_boxed_slice()))
    }

    #[test]
    fn mp4_a_question_moves_by_the_map_and_keeps_its_length() {
        let map: LinearMap<2, 2> = map(&[(vec![0.0, 2.0], 0.0), (vec![0.0, -1.0], 0.5)]);
        let mapped = map.apply(vec![0.0, 1.0]);
        let length = (2.0_f32 * 2.0 + 0.5 * 0.5).sqrt();
        assert!((mapped[0] - 2.0 / length).abs() < 1e-6 && (mapped[1] - 0.5 / length).abs() < 1e-6);
        assert_eq!(map.apply(vec![0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(map.apply(vec![1.0]), [1.0]);
    }

    #[test]
    fn mp4_a_projection_keeps_its_directions_and_drops_the_rest() {
        let across: Vec<f32> = (0..20).map(|at| if at == 17 { 1.0 } else { 0.0 }).collect();
        let along: Vec<f32> = (0..20).map(|at| if at == 3 { 1.0 } else { 0.0 }).collect();
        let map: LinearMap<20, 2> = map(&[(across.clone(), 0.0), (along.clone(), 0.0)]);
        let both: Vec<f32> = across.iter().zip(&along).map(|(a, b)| 3.0 * a + 4.0 * b + 1e-9).collect();
        let projected = map.project(&both);
        assert!((projected[0] - 0.6).abs() < 1e-6 && (projected[1] - 0.8).abs() < 1e-6, "{projected:?}");
        assert_eq!(map.project(&[0.0; 20]), [0.0, 0.0]);
    }
}
