//! The features of a candidate: one number per reason to recall it, computed from the row and the rows beside it.

/// The number of features.
pub const COUNT: usize = 18;

/// The features of a candidate, in the order of [`NAMES`].
pub type Features = [f32; COUNT];

/// The names of the features. The manual (`docs/memory-internals.md`, "Ranking") has a table of them.
pub const NAMES: [&str; COUNT] = [
    "speaker",       // the query names the author
    "meaning",       // the cosine
    "stronger",      // the larger of the cosine and the score by words
    "together",      // the share of the query's words that the row and those around it have
    "date",          // the score of the query's words in the date
    "reply",         // how well the question right before the row matches
    "passage",       // the best three matches around the row
    "question",      // the row is a short question among people
    "when",          // the row says when something happened
    "time",          // the row says that, and the query asks for a time
    "name",          // the row has a name, and the query asks for one
    "long meaning",  // the cosine, among long texts
    "long words",    // the score by words, among long texts
    "long lead",     // the weight of the query's words in the beginning, among long texts
    "persona",       // a persona said it
    "other words",   // the cosine of a row that shares no word with the query
    "only asks",     // the row asks and says nothing else
    "tells nothing", // the row only asks or requests something and has no word of the first person
];

/// From this number of words on, a message with a question in it is assumed to say something else too.
const LONG: f32 = 16.0;

/// A collection whose texts have more terms than this on average counts as partly long texts; see [`talk`].
const SHORT: f32 = 20.0;

/// The signals of a row alone.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct RowSignals {
    /// The cosine, in standard deviations from the mean; `None` without vectors.
    pub(super) meaning: Option<f32>,
    /// The BM25 score, in standard deviations from the mean; `None` if the query has no words.
    pub(super) words: Option<f32>,
    /// Whether the row contains a word of the query.
    pub(super) shares_words: bool,
    /// The weight of the query's words in the beginning of its text, in standard deviations.
    pub(super) lead: f32,
    /// The score of the query's words in the row's date.
    pub(super) date: f32,
    /// Whether the query names the row's author.
    pub(super) by_speaker: bool,
    /// Whether a persona said it.
    pub(super) by_persona: bool,
    /// The number of words in its text.
    pub(super) word_count: usize,
    /// Whether the row asks something.
    pub(super) is_question: bool,
    /// Whether no persona speaks in the chat. A question to a persona often comes right before what the person tells
    /// about themselves, so it is not penalised.
    pub(super) among_people: bool,
    /// Whether the row asks something and says nothing else.
    pub(super) only_asks: bool,
    /// Whether the row only asks or requests something, and tells nothing about its author.
    pub(super) tells_nothing: bool,
    /// Whether the row says when something happened, and whether the query asks for a time.
    pub(super) says_when: bool,
    pub(super) asked_when: bool,
    /// Whether the query asks for a name and the row has one.
    pub(super) names_what_is_asked: bool,
}

impl RowSignals {
    /// The larger of meaning and words: a row that matches well by one need not match by the other.
    fn stronger(&self) -> f32 {
        match (self.meaning, self.words) {
            (Some(meaning), Some(words)) => meaning.max(words),
            (only, None) | (None, only) => only.unwrap_or(0.0),
        }
    }

    /// The cosine of a row that shares no word with the query, for example because of another language or a typo (MP4).
    fn in_other_words(&self) -> f32 {
        match (self.meaning, self.words) {
            (Some(meaning), Some(_)) if !self.shares_words => meaning.max(0.0),
            _ => 0.0,
        }
    }

    /// How well a row matches on its own: the mean of meaning and words.
    pub(super) fn matches(&self) -> f32 {
        match (self.meaning, self.words) {
            (Some(meaning), Some(words)) => (meaning + words) / 2.0,
            (only, None) | (None, only) => only.unwrap_or(0.0),
        }
    }
}

/// The signals of the rows beside a row.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct NeighbourSignals {
    /// The match of the previous row, if it is a question of another author.
    pub(super) replies_to: Option<f32>,
    /// The relevance of that question; 0 if there is none. It is no feature: it counts only for the threshold.
    pub(super) question_relevance: f32,
    /// The best three matches in the passage, including the row itself.
    pub(super) passage: [f32; 3],
    /// The share of the query's words that all rows of the passage contain together, 0 to 1.
    pub(super) joint_coverage: f32,
}

/// How much a collection is talk, 0 to 1, by the mean number of terms per text: 1 for short messages, less for long
/// texts.
pub(super) fn talk(mean_terms: f32) -> f32 {
    (SHORT / mean_terms.max(1.0)).min(1.0)
}

/// The features of a row, in the order of [`NAMES`]. `talk` is the collection's result of [`talk`]. Among short
/// messages the rows beside a row and single words are important. Among long texts they are not, and the plain scores
/// decide (MP2).
pub(super) fn features(row: &RowSignals, beside: &NeighbourSignals, talk: f32) -> Features {
    let one_if = |holds: bool| f32::from(u8::from(holds));
    // a short question is seldom the answer to another question
    let shortness = (LONG / row.word_count.max(1) as f32).min(1.0);
    let long = 1.0 - talk;
    [
        one_if(row.by_speaker),
        talk * row.meaning.unwrap_or(0.0),
        talk * row.stronger(),
        talk * beside.joint_coverage,
        talk * row.date,
        talk * beside.replies_to.unwrap_or(0.0),
        talk * beside.passage.iter().sum::<f32>() / beside.passage.len() as f32,
        talk * one_if(row.is_question && row.among_people) * shortness,
        talk * one_if(row.says_when),
        talk * one_if(row.says_when && row.asked_when),
        talk * one_if(row.names_what_is_asked),
        long * row.meaning.unwrap_or(0.0),
        long * row.words.unwrap_or(0.0),
        long * row.lead,
        one_if(row.by_persona),
        talk * row.in_other_words(),
        talk * one_if(row.only_asks),
        talk * one_if(row.tells_nothing),
    ]
}

/// The factor of a word's weight for each row of distance.
const DISTANCE: f32 = 0.8;

/// The share of the query's words that a row and the rows around it contain together. `terms[n]` are the words of the
/// rows at distance `n`. Each word counts at its nearest distance.
pub(super) fn joint_coverage(terms: &[u64], share: impl Fn(u64) -> f32) -> f32 {
    let (mut seen, mut sum, mut counts) = (0, 0.0, 1.0);
    for words in terms {
        let new = words & !seen;
        if new != 0 {
            sum += counts * share(new);
        }
        seen |= new;
        counts *= DISTANCE;
    }
    sum
}

/// Adds a match to the three best, which are sorted in descending order.
pub(super) fn keep_best(best: &mut [f32; 3], matches: f32) {
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

    fn of(row: RowSignals, beside: NeighbourSignals, name: &str) -> f32 {
        let at = NAMES.iter().position(|known| *known == name).unwrap();
        features(&row, &beside, 1.0)[at]
    }

    fn alone(row: RowSignals, name: &str) -> f32 {
        of(row, NeighbourSignals::default(), name)
    }

    #[test]
    fn what_is_not_known_speaks_neither_for_nor_against() {
        let nothing = features(&RowSignals::default(), &NeighbourSignals::default(), 0.5);
        assert_eq!(nothing, [0.0; COUNT]);
    }

    #[test]
    fn a_row_matches_by_meaning_and_words_or_by_what_there_is() {
        let row = |meaning, words| RowSignals { meaning, words, ..RowSignals::default() }.matches();
        assert_eq!(row(Some(1.0), Some(3.0)), 2.0);
        assert_eq!((row(Some(1.0), None), row(None, Some(3.0)), row(None, None)), (1.0, 3.0, 0.0));
        assert_eq!(alone(RowSignals { meaning: Some(1.5), ..RowSignals::default() }, "meaning"), 1.5);
        let stronger =
            |meaning, words| alone(RowSignals { meaning, words, ..RowSignals::default() }, "stronger");
        assert_eq!((stronger(Some(1.0), Some(2.5)), stronger(Some(3.0), None)), (2.5, 3.0));
        assert_eq!((stronger(None, Some(2.5)), stronger(None, None)), (2.5, 0.0));
    }

    #[test]
    fn the_date_the_speaker_a_time_and_a_name_count() {
        assert_eq!(alone(RowSignals { date: 1.5, ..RowSignals::default() }, "date"), 1.5);
        assert_eq!(alone(RowSignals { by_speaker: true, ..RowSignals::default() }, "speaker"), 1.0);
        assert_eq!(alone(RowSignals { names_what_is_asked: true, ..RowSignals::default() }, "name"), 1.0);
        let time = |says_when, asked_when| RowSignals { says_when, asked_when, ..RowSignals::default() };
        assert_eq!((alone(time(true, false), "when"), alone(time(true, false), "time")), (1.0, 0.0));
        assert_eq!((alone(time(true, true), "time"), alone(time(false, true), "time")), (1.0, 0.0));
    }

    #[test]
    fn mp2_among_long_texts_the_plain_scores_count_and_the_rows_around_do_not() {
        let row = RowSignals { meaning: Some(2.0), words: Some(3.0), lead: 1.0, ..RowSignals::default() };
        let beside =
            NeighbourSignals { joint_coverage: 1.0, passage: [3.0; 3], ..NeighbourSignals::default() };
        let of =
            |name: &str, talk| features(&row, &beside, talk)[NAMES.iter().position(|n| *n == name).unwrap()];
        assert_eq!((of("meaning", 1.0), of("together", 1.0), of("passage", 1.0)), (2.0, 1.0, 3.0));
        assert_eq!((of("long meaning", 1.0), of("long words", 1.0), of("long lead", 1.0)), (0.0, 0.0, 0.0));
        let long = talk(200.0);
        assert_eq!((talk(8.0), long), (1.0, 0.1));
        assert!(
            of("together", long) <= 0.1 && of("long words", long) > 2.5 && of("long meaning", long) > 1.5
        );
    }

    #[test]
    fn mp4_meaning_counts_more_where_no_word_is_shared() {
        let row = |shares_words, meaning| RowSignals {
            meaning: Some(meaning),
            words: Some(-0.5),
            shares_words,
            ..RowSignals::default()
        };
        let of = |shares_words, meaning| alone(row(shares_words, meaning), "other words");
        assert_eq!((of(false, 3.0), of(true, 3.0), of(false, -1.0)), (3.0, 0.0, 0.0));
        let by_meaning = RowSignals { meaning: Some(3.0), ..RowSignals::default() };
        assert_eq!(alone(by_meaning, "other words"), 0.0, "no words were looked for");
    }

    #[test]
    fn mp2_what_a_persona_said_is_told_from_what_a_person_said() {
        let by_persona = RowSignals { by_persona: true, ..RowSignals::default() };
        assert_eq!((alone(by_persona, "persona"), alone(RowSignals::default(), "persona")), (1.0, 0.0));
    }

    #[test]
    fn a_reply_is_worth_what_its_question_matches() {
        let row = RowSignals::default();
        assert_eq!(
            of(row, NeighbourSignals { replies_to: Some(3.0), ..NeighbourSignals::default() }, "reply"),
            3.0
        );
        assert_eq!(
            of(row, NeighbourSignals { replies_to: None, ..NeighbourSignals::default() }, "reply"),
            0.0
        );
    }

    #[test]
    fn words_count_where_they_are_nearest() {
        let share = |held: u64| held.count_ones() as f32 / 4.0;
        assert_eq!(joint_coverage(&[0b11, 0b01, 0], share), 0.5, "said again beside it");
        assert_eq!(joint_coverage(&[0b01, 0b10], share), 0.25 + 0.25 * DISTANCE);
        assert_eq!(joint_coverage(&[0, 0, 0b10], share), 0.25 * DISTANCE * DISTANCE);
        let beside = NeighbourSignals { joint_coverage: 0.4, ..NeighbourSignals::default() };
        assert_eq!(of(RowSignals::default(), beside, "together"), 0.4);
    }

    #[test]
    fn a_passage_is_worth_its_best_three() {
        let mut best = [0.0; 3];
        for matches in [1.0, -2.0, 3.0, 2.0, 0.5] {
            keep_best(&mut best, matches);
        }
        assert_eq!(best, [3.0, 2.0, 1.0]);
        assert_eq!(
            of(
                RowSignals::default(),
                NeighbourSignals { passage: best, ..NeighbourSignals::default() },
                "passage"
            ),
            2.0
        );
    }

    #[test]
    fn mp2_what_only_asks_is_told_from_what_says_something_besides() {
        let asks = RowSignals { only_asks: true, ..RowSignals::default() };
        assert_eq!((alone(asks, "only asks"), alone(RowSignals::default(), "only asks")), (1.0, 0.0));
    }

    #[test]
    fn mp2_a_request_that_tells_nothing_is_told_from_one_that_does() {
        let request = RowSignals { tells_nothing: true, ..RowSignals::default() };
        assert_eq!(
            (alone(request, "tells nothing"), alone(RowSignals::default(), "tells nothing")),
            (1.0, 0.0)
        );
    }

    #[test]
    fn a_long_message_with_a_question_in_it_is_no_question() {
        let question = |word_count, is_question| {
            let row = RowSignals { word_count, is_question, among_people: true, ..RowSignals::default() };
            alone(row, "question")
        };
        assert_eq!((question(5, true), question(5, false)), (1.0, 0.0));
        assert!(question(160, true) <= 0.1);
    }

    #[test]
    fn mp3_a_question_to_a_persona_counts_for_no_less() {
        let row = RowSignals { word_count: 5, is_question: true, ..RowSignals::default() };
        assert_eq!(alone(row, "question"), 0.0);
    }
}
