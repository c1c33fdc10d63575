//! Meaning and words as one order: the sum of their z-scores, words counting less.
//!
//! Ranks would do with less, but they forget by how much one is better than the next; measured on
//! chat, the sum is the better of the two.

/// What words count against meaning.
const WORDS_WEIGHT: f32 = 0.6;

/// What candidates are sorted by, in their order: each has a cosine, or none, and a score of words.
/// Without words the cosine is the order as it is.
pub(super) fn fused(scores: &[(Option<f32>, f32)], by_words: bool) -> Vec<f32> {
    let meaning = Spread::of(scores.iter().filter_map(|(meaning, _)| *meaning));
    let words = Spread::of(scores.iter().map(|(_, words)| *words));
    let order = |(near, held): &(Option<f32>, f32)| match by_words {
        false => near.unwrap_or(-1.0),
        // what has no cosine is taken for as near as the farthest that has one
        true => near.map_or(meaning.least, |near| meaning.z(near)) + WORDS_WEIGHT * words.z(*held),
    };
    scores.iter().map(order).collect()
}

/// Mean and standard deviation of scores.
struct Spread {
    mean: f32,
    deviation: f32,
    /// The z-score of the smallest.
    least: f32,
}

impl Spread {
    fn of(scores: impl Iterator<Item = f32> + Clone) -> Self {
        let count = scores.clone().count().max(1) as f32;
        let mean = scores.clone().sum::<f32>() / count;
        let variance = scores.clone().map(|s| (s - mean) * (s - mean)).sum::<f32>() / count;
        let mut spread = Self { mean, deviation: variance.sqrt(), least: 0.0 };
        spread.least = scores.map(|s| spread.z(s)).fold(0.0, f32::min);
        spread
    }

    fn z(&self, score: f32) -> f32 {
        if self.deviation > f32::EPSILON { (score - self.mean) / self.deviation } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_and_holds_the_words_comes_before_what_is_only_one_of_them() {
        let order = fused(&[(Some(0.8), 5.0), (Some(0.8), 0.0), (Some(0.1), 5.0), (None, 0.0)], true);
        assert!(order[0] > order[1] && order[1] > order[2] && order[2] > order[3], "{order:?}");
    }

    #[test]
    fn without_words_the_cosine_decides_and_without_a_cosine_the_words() {
        assert_eq!(fused(&[(Some(0.2), 0.0), (Some(-0.3), 0.0)], false), [0.2, -0.3]);
        let order = fused(&[(None, 1.0), (None, 2.0)], true);
        assert!(order[1] > order[0], "{order:?}");
    }
}
