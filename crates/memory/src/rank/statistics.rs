//! Statistics of scores: how unusual a score is among all rows, as its distance from the mean in standard deviations.

/// The prior deviation counts as this many rows, because a small collection has too few rows to estimate the deviation.
const PRIOR_ROWS: f32 = 5.0;

/// Distances are clipped here: in a large collection one rare word is dozens of deviations away.
const LARGEST: f32 = 12.0;

/// Sums of scores over all shards.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Statistics {
    count: f32,
    sum: f32,
    squares: f32,
}

/// The mean and the standard deviation of the scores of all rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Distribution {
    mean: f32,
    deviation: f32,
}

impl Statistics {
    /// Adds `count` scores with this mean and this mean of squares.
    pub(super) fn add(&mut self, count: f32, mean: f32, squares: f32) {
        self.count += count;
        self.sum += count * mean;
        self.squares += count * squares;
    }

    /// The distribution of the scores; `usual` is the prior of their standard deviation.
    pub(super) fn distribution(&self, usual: f32) -> Distribution {
        let Self { count, sum, squares } = *self;
        let mean = if count > 0.0 { sum / count } else { 0.0 };
        let variance = (squares - mean * sum).max(0.0);
        let deviation = ((variance + PRIOR_ROWS * usual * usual) / (count + PRIOR_ROWS)).sqrt();
        Distribution { mean, deviation }
    }
}

impl Distribution {
    /// The distance of a score from the mean, in standard deviations.
    pub(super) fn deviations(&self, score: f32) -> f32 {
        ((score - self.mean) / self.deviation).min(LARGEST)
    }

    /// A score in units of the standard deviation.
    pub(super) fn in_deviations(&self, score: f32) -> f32 {
        (score / self.deviation).min(LARGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_measured_against_all_others() {
        let all = Statistics { count: 10_000.0, sum: 2_000.0, squares: 500.0 }.distribution(0.1);
        assert!((all.deviations(0.3) - 1.0).abs() < 0.01, "{all:?}");
        assert!(all.deviations(0.2).abs() < 0.01);
        assert!(all.deviations(9.0) <= LARGEST);
    }

    #[test]
    fn of_very_few_rows_the_usual_deviation_decides() {
        let three_alike = Statistics { count: 3.0, sum: 1.5, squares: 0.75 }.distribution(0.1);
        assert!(three_alike.deviations(0.6) < 1.5, "{three_alike:?}");
        assert!(Statistics::default().distribution(0.1).deviations(0.1).is_finite());
    }
}
