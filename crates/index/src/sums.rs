//! Sums of scores, from which searches compute mean and deviation.

use crate::kernels::Kernels;

#[derive(Default)]
pub struct ScoreSums {
    pub sum: f64,
    pub squares: f64,
}

impl ScoreSums {
    /// Adds scores; returns the largest of them. Sums in columns, so that the compiler vectorises the additions.
    pub fn add(&mut self, kernels: Kernels, scores: &[f32]) -> f32 {
        kernels.run(
            #[inline(always)]
            || {
                let (mut sum, mut squares, mut largest) =
                    ([0.0f32; 16], [0.0f32; 16], [f32::NEG_INFINITY; 16]);
                let (columns, rest) = scores.as_chunks::<16>();
                for scores in columns {
                    for at in 0..16 {
                        let score = scores[at];
                        sum[at] += score;
                        squares[at] += score * score;
                        largest[at] = if score > largest[at] { score } else { largest[at] };
                    }
                }
                self.sum += f64::from(sum.iter().chain(rest).sum::<f32>());
                let rest_squares: f32 = rest.iter().map(|score| score * score).sum();
                self.squares += f64::from(squares.iter().sum::<f32>() + rest_squares);
                largest.iter().chain(rest).fold(f32::NEG_INFINITY, |one, other| one.max(*other))
            },
        )
    }
}
