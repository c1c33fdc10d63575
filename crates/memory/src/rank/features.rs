//! What speaks for a candidate: one number a reason, each a small function of what is known of a row
//! and of those beside it.

/// How many features there are.
pub const COUNT: usize = 11;

/// The features of a candidate, in the order of [`NAMES`].
pub type Features = [f32; COUNT];

/// What the features are called.
pub const NAMES: [&str; COUNT] = [
    "meaning", "stronger", "together", "date", "speaker", "reply", "passage", "question", "when", "time",
    "name",
];

/// Words of a message with which it is no short one any more.
const LONG: f32 = 16.0;

/// What is known of a row before its neighbours are looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Facts {
    /// How unusual its cosine is; nothing without vectors.
    pub(super) meaning: Option<f32>,
    /// How unusual its words are; nothing without words in the query.
    pub(super) words: Option<f32>,
    /// What words of the query are worth that stand in its date.
    pub(super) date: f32,
    /// Whether its author is meant.
    pub(super) speaker: bool,
    /// Words it has.
    pub(super) count: usize,
    /// Whether it asks something.
    pub(super) question: bool,
    /// Whether it says when something happened, and whether the query asks for that.
    pub(super) when: bool,
    pub(super) asked_when: bool,
    /// Whether the query asks for a name and it holds one.
    pub(super) name: bool,
}

impl Facts {
    /// The stronger of meaning and words: of a good match by either the other need not be one.
    fn stronger(&self) -> f32 {
        match (self.meaning, self.words) {
            (Some(meaning), Some(words)) => meaning.max(words),
            (only, None) | (None, only) => only.unwrap_or(0.0),
        }
    }

    /// How well a row matches by itself: meaning and words in equal parts.
    pub(super) fn matches(&self) -> f32 {
        match (self.meaning, self.words) {
            (Some(meaning), Some(words)) => (meaning + words) / 2.0,
            (only, None) | (None, only) => only.unwrap_or(0.0),
        }
    }
}

/// What is known of the rows beside a row.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Around {
    /// How well the one before it matches, if that is a question of somebody else.
    pub(super) replies_to: Option<f32>,
    /// How relevant that one is by itself; 0 without one. No feature.
    pub(super) question: f32,
    /// The best three matches of the passage it stands in, itself included.
    pub(super) passage: [f32; 3],
    /// The share of the query's words that it and the rows around it hold together, 0 to 1.
    pub(super) together: f32,
}

/// All features of a row.
pub(super) fn features(row: &Facts, around: &Around) -> Features {
    [
        row.meaning.unwrap_or(0.0),
        row.stronger(),
        around.together,
        row.date,
        one(row.speaker),
        around.replies_to.unwrap_or(0.0),
        around.passage.iter().sum::<f32>() / around.passage.len() as f32,
        question(row),
        one(row.when),
        one(row.when && row.asked_when),
        one(row.name),
    ]
}

/// 1 for a short question, which seldom answers another; a long message with a question in it says
/// something besides.
fn question(row: &Facts) -> f32 {
    if row.question { (LONG / row.count.max(1) as f32).min(1.0) } else { 0.0 }
}

fn one(holds: bool) -> f32 {
    f32::from(u8::from(holds))
}

/// What a word counts that stands in another row, for every row it is further away.
const DISTANCE: f32 = 0.8;

/// The share of a query's words that a row and those around it hold together. `held` are the words of the
/// row itself, of those right beside it, of those two away …; each counts where it is nearest.
pub(super) fn together(held: &[u64], share: impl Fn(u64) -> f32) -> f32 {
    let (mut seen, mut sum, mut counts) = (0, 0.0, 1.0);
    for words in held {
        let new = words & !seen;
        if new != 0 {
            sum += counts * share(new);
        }
        seen |= new;
        counts *= DISTANCE;
    }
    sum
}

/// Takes note of a match of the passage: the best three stay, best first.
pub(super) fn note(best: &mut [f32; 3], matches: f32) {
    let [first, second, third] = *best;
    *best = if matches > first {
        [matches, first, second]
    } else if matches > second {
        [first, matches, second]
    } else {
        [first, second, third.max(matches)]
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(row: Facts, around: Around, name: &str) -> f32 {
        let at = NAMES.iter().position(|known| *known == name).unwrap();
        features(&row, &around)[at]
    }

    fn alone(row: Facts, name: &str) -> f32 {
        of(row, Around::default(), name)
    }

    #[test]
    fn what_is_not_known_speaks_neither_for_nor_against() {
        let nothing = features(&Facts::default(), &Around::default());
        assert_eq!(nothing, [0.0; COUNT]);
    }

    #[test]
    fn a_row_matches_by_meaning_and_words_or_by_what_there_is() {
        let row = |meaning, words| Facts { meaning, words, ..Facts::default() }.matches();
        assert_eq!(row(Some(1.0), Some(3.0)), 2.0);
        assert_eq!((row(Some(1.0), None), row(None, Some(3.0)), row(None, None)), (1.0, 3.0, 0.0));
        assert_eq!(alone(Facts { meaning: Some(1.5), ..Facts::default() }, "meaning"), 1.5);
        let stronger = |meaning, words| alone(Facts { meaning, words, ..Facts::default() }, "stronger");
        assert_eq!((stronger(Some(1.0), Some(2.5)), stronger(Some(3.0), None)), (2.5, 3.0));
        assert_eq!((stronger(None, Some(2.5)), stronger(None, None)), (2.5, 0.0));
    }

    #[test]
    fn the_date_the_speaker_a_time_and_a_name_count() {
        assert_eq!(alone(Facts { date: 1.5, ..Facts::default() }, "date"), 1.5);
        assert_eq!(alone(Facts { speaker: true, ..Facts::default() }, "speaker"), 1.0);
        assert_eq!(alone(Facts { name: true, ..Facts::default() }, "name"), 1.0);
        let time = |when, asked_when| Facts { when, asked_when, ..Facts::default() };
        assert_eq!((alone(time(true, false), "when"), alone(time(true, false), "time")), (1.0, 0.0));
        assert_eq!((alone(time(true, true), "time"), alone(time(false, true), "time")), (1.0, 0.0));
    }

    #[test]
    fn a_reply_is_worth_what_its_question_matches() {
        let row = Facts::default();
        assert_eq!(of(row, Around { replies_to: Some(3.0), ..Around::default() }, "reply"), 3.0);
        assert_eq!(of(row, Around { replies_to: None, ..Around::default() }, "reply"), 0.0);
    }

    #[test]
    fn words_count_where_they_are_nearest() {
        let share = |held: u64| held.count_ones() as f32 / 4.0;
        assert_eq!(together(&[0b11, 0b01, 0], share), 0.5, "said again beside it");
        assert_eq!(together(&[0b01, 0b10], share), 0.25 + 0.25 * DISTANCE);
        assert_eq!(together(&[0, 0, 0b10], share), 0.25 * DISTANCE * DISTANCE);
        let around = Around { together: 0.4, ..Around::default() };
        assert_eq!(of(Facts::default(), around, "together"), 0.4);
    }

    #[test]
    fn a_passage_is_worth_its_best_three() {
        let mut best = [0.0; 3];
        for matches in [1.0, -2.0, 3.0, 2.0, 0.5] {
            note(&mut best, matches);
        }
        assert_eq!(best, [3.0, 2.0, 1.0]);
        assert_eq!(of(Facts::default(), Around { passage: best, ..Around::default() }, "passage"), 2.0);
    }

    #[test]
    fn a_long_message_with_a_question_in_it_is_no_question() {
        let question = |count, question| alone(Facts { count, question, ..Facts::default() }, "question");
        assert_eq!((question(5, true), question(5, false)), (1.0, 0.0));
        assert!(question(160, true) <= 0.1);
    }
}
