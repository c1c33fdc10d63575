//! The projection to the directions in which texts differ most: the first eigenvectors of the second moments of their
//! vectors, by orthogonal iteration (Golub and Van Loan, Matrix Computations, section 8.2).

use crate::map::{add, dot};

/// The number of directions that are kept. Of 640 numbers, 320 keep 95 % of the squares (`docs/decisions.md`, Memory).
const KEPT: usize = 320;
/// The rounds of the iteration. The last directions need not have settled: they exchange places with their neighbours.
const ROUNDS: usize = 60;

/// The kept directions, each of length 1 and at right angles to the others.
pub struct Projection(Vec<Vec<f32>>);

impl Projection {
    /// Fits the projection.
    pub fn fitted<'a>(vectors: impl Iterator<Item = &'a Vec<f32>>) -> Self {
        let mut moments: Vec<Vec<f32>> = Vec::new();
        for vector in vectors {
            moments.resize(vector.len(), vec![0.0; vector.len()]);
            moments.iter_mut().zip(vector).for_each(|(row, number)| add(row, *number, vector));
        }
        let size = moments.len();
        let start = |at: usize| (0..size).map(|of| if of % KEPT == at { 1.0 } else { 0.0 }).collect();
        let mut kept: Vec<Vec<f32>> = (0..KEPT.min(size)).map(start).collect();
        for _ in 0..ROUNDS {
            kept = kept.iter().map(|of| moments.iter().map(|row| dot(row, of)).collect()).collect();
            at_right_angles(&mut kept);
        }
        Self(kept)
    }

    /// The vector in the kept directions, of length 1.
    pub fn apply(&self, vector: &[f32]) -> Vec<f32> {
        let kept: Vec<f32> = self.0.iter().map(|direction| dot(direction, vector)).collect();
        let length = dot(&kept, &kept).sqrt().max(1e-6);
        kept.into_iter().map(|number| number / length).collect()
    }

    /// The kept directions.
    pub fn directions(&self) -> &[Vec<f32>] {
        &self.0
    }

    /// The directions, as rows of a map without an offset.
    pub fn rows(&self) -> Vec<(Vec<f32>, f32)> {
        self.0.iter().map(|direction| (direction.clone(), 0.0)).collect()
    }
}

/// Makes each vector one of length 1 at right angles to those before it (modified Gram-Schmidt).
fn at_right_angles(vectors: &mut [Vec<f32>]) {
    for at in 0..vectors.len() {
        let (before, rest) = vectors.split_at_mut(at);
        let Some(vector) = rest.first_mut() else { return };
        for other in before.iter() {
            let along = dot(other, vector);
            add(vector, -along, other);
        }
        let length = dot(vector, vector).sqrt().max(1e-12);
        vector.iter_mut().for_each(|number| *number /= length);
    }
}
