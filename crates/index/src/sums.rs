//! Sums of scores, in columns so that the compiler adds them side by side.

use crate::kernels::Kernels;

#[derive(Default)]
pub struct Sums {
    pub sum: f64,
    pub squares: f64,
}

impl Sums {
    /// Adds scores; returns the largest of them.
    pub fn add(&mut self, kernels: Kernels, scores: &[f32]) -> f32 {
        kernels.run(
            #[inline(always)]
            || self.add_here(scores),
        )
    }

    #[inline(always)]
    fn add_here(&mut self, scores: &[f32]) -> f32 {
        let (mut sum, mut squares, mut largest) = ([0.0f32; 16], [0.0f32; 16], [f32::NEG_INFINITY; 16]);
        let (sixteens, rest) = scores.as_chunks::<16>();
        for sixteen in sixteens {
            for at in 0..16 {
                let score = sixteen[at];
                sum[at] += score;
                squares[at] += score * score;
                largest[at] = if score > largest[at] { score } else { largest[at] };
            }
        }
        let largest = largest.iter().chain(rest).fold(f32::NEG_INFINITY, |one, other| one.max(*other));
        self.sum += f64::from(sum.iter().chain(rest).sum::<f32>());
        let rest: f32 = rest.iter().map(|score| score * score).sum();
        self.squares += f64::from(squares.iter().sum::<f32>() + rest);
        largest
    }
}
