//! How unusual a score is among all rows: its distance from their mean, in deviations.

/// A collection smaller than this has too few rows to know how scores vary; what they usually do
/// counts as so many rows more.
const USUAL: f32 = 5.0;

/// Further out is no better: in a large collection one rare word is dozens of deviations away.
const FURTHEST: f32 = 12.0;

/// Mean and deviation of the scores of all rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moments {
    mean: f32,
    deviation: f32,
}

impl Moments {
    /// Of `count` scores with this sum and sum of squares; they usually vary by `usual`.
    pub(super) fn of(count: f32, sum: f32, squares: f32, usual: f32) -> Self {
        let mean = if count > 0.0 { sum / count } else { 0.0 };
        let variance = (squares - mean * sum).max(0.0);
        Self { mean, deviation: ((variance + USUAL * usual * usual) / (count + USUAL)).sqrt() }
    }

    /// The distance of a score from the mean, in deviations.
    pub(super) fn unusual(&self, score: f32) -> f32 {
        ((score - self.mean) / self.deviation).min(FURTHEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_measured_against_all_others() {
        let moments = Moments::of(10_000.0, 2_000.0, 500.0, 0.1);
        assert!((moments.unusual(0.3) - 1.0).abs() < 0.01, "{moments:?}");
        assert!(moments.unusual(0.2).abs() < 0.01);
        assert!(moments.unusual(9.0) <= FURTHEST);
    }

    #[test]
    fn of_very_few_rows_the_usual_deviation_decides() {
        let three_alike = Moments::of(3.0, 1.5, 0.75, 0.1);
        assert!(three_alike.unusual(0.6) < 1.5, "{three_alike:?}");
        assert!(Moments::of(0.0, 0.0, 0.0, 0.1).unusual(0.1).is_finite());
    }
}
