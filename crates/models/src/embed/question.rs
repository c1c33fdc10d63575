//! A map from the vector of a question to the vectors of its answers (MP4).
//!
//! An encoder puts a question next to other questions: "what breed is my dog?" is nearer to "which breeds are good with
//! children?" than to "the beagle has eaten a sock again". The map is linear and was fitted to questions with their
//! answers (`crates/memory/examples/fit_questions.rs`). It maps the query alone, so stored vectors stay as they are.

use crate::normalise;

/// The largest weight is this number in a row of signed bytes.
const LARGEST: f32 = 127.0;

/// The map of an embedder with vectors of `N` numbers: `v + W v + b`, scaled to length 1.
///
/// Its file has a row for each number of the result: the row's scale, its part of `b`, each a little-endian f32, and
/// the row of `W`, a signed byte for each number of the vector.
#[derive(Debug, Clone, Copy)]
pub struct QuestionMap<const N: usize>(&'static [u8]);

impl<const N: usize> QuestionMap<N> {
    /// The size of a row in bytes.
    const ROW: usize = 8 + N;

    /// Takes the bytes of a file. Panics at compile time if their number is wrong.
    pub const fn of(file: &'static [u8]) -> Self {
        assert!(file.len() == N * Self::ROW, "a file of another dimension");
        Self(file)
    }

    /// Maps the vector of a question. A vector of another dimension, and one without a length, stay as they are.
    pub fn apply(&self, mut vector: Vec<f32>) -> Vec<f32> {
        if vector.len() != N || vector.iter().all(|number| *number == 0.0) {
            return vector;
        }
        let mapped: Vec<f32> = self.0.chunks_exact(Self::ROW).map(|row| moved(row, &vector)).collect();
        vector.iter_mut().zip(mapped).for_each(|(number, moved)| *number += moved);
        normalise(&mut vector);
        vector
    }
}

/// One number of `W v + b`.
fn moved(row: &[u8], vector: &[f32]) -> f32 {
    let number = |at: usize| f32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]]);
    let sum: f32 =
        row[8..].iter().zip(vector).map(|(weight, number)| f32::from(*weight as i8) * number).sum();
    number(0) * sum + number(4)
}

/// The file of a map, from the rows of `W` and their parts of `b`.
pub fn question_map_file(rows: &[(Vec<f32>, f32)]) -> Vec<u8> {
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

    #[test]
    fn mp4_a_question_moves_by_the_map_and_keeps_its_length() {
        let file = question_map_file(&[(vec![0.0, 2.0], 0.0), (vec![0.0, -1.0], 0.5)]);
        let map: QuestionMap<2> = QuestionMap::of(Box::leak(file.into_boxed_slice()));
        let mapped = map.apply(vec![0.0, 1.0]);
        let length = (2.0_f32 * 2.0 + 0.5 * 0.5).sqrt();
        assert!((mapped[0] - 2.0 / length).abs() < 1e-6 && (mapped[1] - 0.5 / length).abs() < 1e-6);
        assert_eq!(map.apply(vec![0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(map.apply(vec![1.0]), [1.0]);
    }
}
