//! What speaks for a candidate: one number a reason, each a small function of what is known of a row
//! and of those beside it.

/// How many features there are.
pub const COUNT: usize = 9;

/// The features of a candidate, in the order of [`NAMES`].
pub type Features = [f32; COUNT];

/// What the features are called.
pub const NAMES: [&str; COUNT] =
    ["meaning", "words", "date", "speaker", "reply", "further", "passage", "question", "time"];

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
    /// Whether the query asks for a time and it names one.
    pub(super) time: bool,
}

impl Facts {
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
    /// How well the rows two before and two after it match. Those right beside it are in the passage
    /// already, or are what it replies to.
    pub(super) further: [f32; 2],
    /// The best three matches of the passage it stands in, itself included.
    pub(super) passage: [f32; 3],
}

/// All features of a row.
pub(super) fn features(row: &Facts, around: &Around) -> Features {
    [
        row.meaning.unwrap_or(0.0),
        row.words.unwrap_or(0.0),
        row.date,
        said_by_whom_is_meant(row),
        reply(around),
        mean(&around.further),
        mean(&around.passage),
        question(row),
        time(row),
    ]
}

/// 1 when the query names its author. Soft: whom people name is not always who said it.
fn said_by_whom_is_meant(row: &Facts) -> f32 {
    f32::from(u8::from(row.speaker))
}

/// How well the question matches that it may be the answer to.
fn reply(around: &Around) -> f32 {
    around.replies_to.unwrap_or(0.0)
}

/// 1 for a short question, which seldom answers another; a long message with a question in it says
/// something besides.
fn question(row: &Facts) -> f32 {
    if row.question { (LONG / row.count.max(1) as f32).min(1.0) } else { 0.0 }
}

/// 1 when the query asks for a time and the row names one.
fn time(row: &Facts) -> f32 {
    f32::from(u8::from(row.time))
}

fn mean<const N: usize>(of: &[f32; N]) -> f32 {
    of.iter().sum::<f32>() / N as f32
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
        assert_eq!(alone(Facts { words: Some(2.5), ..Facts::default() }, "words"), 2.5);
    }

    #[test]
    fn the_date_the_speaker_and_a_time_count() {
        assert_eq!(alone(Facts { date: 1.5, ..Facts::default() }, "date"), 1.5);
        assert_eq!(alone(Facts { speaker: true, ..Facts::default() }, "speaker"), 1.0);
        assert_eq!(alone(Facts { time: true, ..Facts::default() }, "time"), 1.0);
    }

    #[test]
    fn a_reply_is_worth_what_its_question_matches() {
        let row = Facts::default();
        assert_eq!(of(row, Around { replies_to: Some(3.0), ..Around::default() }, "reply"), 3.0);
        assert_eq!(of(row, Around { replies_to: None, ..Around::default() }, "reply"), 0.0);
    }

    #[test]
    fn what_was_said_two_before_and_after_counts() {
        let around = Around { further: [0.0, 1.0], ..Around::default() };
        assert_eq!(of(Facts::default(), around, "further"), 0.5);
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
