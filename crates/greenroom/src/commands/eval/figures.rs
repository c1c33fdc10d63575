//! Figures of retrieval: how high the messages that answer a question rank. Pure.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The number of hits that nDCG uses.
pub const NDCG_DEPTH: usize = 10;

/// The category that is reported separately: no message answers its questions.
pub const ADVERSARIAL: &str = "adversarial";

/// The result of one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Its category.
    pub category: String,
    /// For each hit, best first: whether it answers the question.
    pub hits: Vec<bool>,
    /// The number of messages that answer it; at least 1, each counted once.
    pub gold: usize,
}

impl Ranked {
    /// The share of the answers that are among the first `k` hits.
    pub fn recall(&self, k: usize) -> f64 {
        self.found(k) as f64 / self.gold as f64
    }

    /// 1 when an answer is among the first `k` hits.
    pub fn hit(&self, k: usize) -> f64 {
        if self.found(k) > 0 { 1.0 } else { 0.0 }
    }

    /// 1 / rank of the first answer; 0 without an answer.
    pub fn reciprocal_rank(&self) -> f64 {
        self.hits.iter().position(|&hit| hit).map_or(0.0, |rank| 1.0 / (rank + 1) as f64)
    }

    /// Discounted gain of the first `k` hits, divided by the gain of an ideal ranking; relevance is binary (Järvelin
    /// and Kekäläinen, 2002).
    pub fn ndcg(&self, k: usize) -> f64 {
        let discount = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
        let gain: f64 = self
            .hits
            .iter()
            .take(k)
            .enumerate()
            .filter(|(_, hit)| **hit)
            .map(|(rank, _)| discount(rank))
            .sum();
        let ideal: f64 = (0..self.gold.min(k)).map(discount).sum();
        gain / ideal
    }

    fn found(&self, k: usize) -> usize {
        self.hits.iter().take(k).filter(|&&hit| hit).count()
    }
}

/// Means over questions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figures {
    /// How many questions.
    pub questions: usize,
    /// By name, as `recall@10`, in the order of printing.
    pub means: Vec<(String, f64)>,
}

impl Figures {
    /// The figures of some questions; without questions every mean is 0.
    pub fn of<'a>(questions: impl Iterator<Item = &'a Ranked>, ks: &[usize]) -> Self {
        let mut figures =
            Self { questions: 0, means: names(ks).into_iter().map(|name| (name, 0.0)).collect() };
        for question in questions {
            figures.questions += 1;
            let values = ks.iter().map(|&k| question.recall(k)).chain(ks.iter().map(|&k| question.hit(k)));
            let values = values.chain([question.reciprocal_rank(), question.ndcg(NDCG_DEPTH)]);
            figures.means.iter_mut().zip(values).for_each(|((_, sum), value)| *sum += value);
        }
        let count = figures.questions.max(1) as f64;
        figures.means.iter_mut().for_each(|(_, sum)| *sum /= count);
        figures
    }

    /// `{"recall@3": 0.5, …, "questions": 12}`
    pub fn json(&self) -> Value {
        let means = self.means.iter().map(|(name, mean)| (name.clone(), json!(rounded(*mean))));
        let questions = [("questions".to_owned(), json!(self.questions))];
        Value::Object(means.chain(questions).collect::<Map<_, _>>())
    }
}

/// The names of the figures, in the order of [`Figures::means`].
pub fn names(ks: &[usize]) -> Vec<String> {
    let recall = ks.iter().map(|k| format!("recall@{k}"));
    let hit = ks.iter().map(|k| format!("hit@{k}"));
    recall.chain(hit).chain(["mrr".to_owned(), format!("ndcg@{NDCG_DEPTH}")]).collect()
}

/// The figures of a whole run.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// All questions except adversarial ones.
    pub overall: Figures,
    /// Adversarial questions.
    pub adversarial: Figures,
    /// By category, including adversarial.
    pub categories: BTreeMap<String, Figures>,
}

impl Report {
    /// Sorts the questions and takes the means.
    pub fn of(questions: &[Ranked], ks: &[usize]) -> Self {
        let adversarial = |question: &&Ranked| question.category == ADVERSARIAL;
        let mut categories = BTreeMap::new();
        for question in questions {
            categories.entry(question.category.clone()).or_insert_with(|| {
                Figures::of(questions.iter().filter(|other| other.category == question.category), ks)
            });
        }
        Self {
            overall: Figures::of(questions.iter().filter(|question| !adversarial(question)), ks),
            adversarial: Figures::of(questions.iter().filter(adversarial), ks),
            categories,
        }
    }

    /// Whether both are equal to three decimals, which is the printed precision.
    pub fn agrees(&self, other: &Self) -> bool {
        let all = |report: &Self| -> Vec<Figures> {
            [&report.overall, &report.adversarial]
                .into_iter()
                .chain(report.categories.values())
                .cloned()
                .collect()
        };
        let (one, two) = (all(self), all(other));
        let near = |a: &Figures, b: &Figures| {
            a.questions == b.questions
                && a.means.iter().zip(&b.means).all(|((_, a), (_, b))| (a - b).abs() < 0.0005)
        };
        one.len() == two.len() && one.iter().zip(&two).all(|(a, b)| near(a, b))
    }
}

/// Rounds to six decimals, so that sums in different orders print the same.
fn rounded(mean: f64) -> f64 {
    (mean * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(hits: &str, gold: usize) -> Ranked {
        Ranked { category: "c".into(), hits: hits.chars().map(|c| c == 'x').collect(), gold }
    }

    #[test]
    fn figures_are_what_a_hand_computes() {
        let question = ranked(".x..x.....x", 4);
        assert_eq!(question.recall(1), 0.0);
        assert_eq!(question.recall(3), 0.25);
        assert_eq!(question.recall(10), 0.5);
        assert_eq!(question.recall(20), 0.75);
        assert_eq!((question.hit(1), question.hit(2)), (0.0, 1.0));
        assert_eq!(question.reciprocal_rank(), 0.5);
        // ranks 2 and 5: 1/log2(3) + 1/log2(6) = 0.63093 + 0.38685; the best four ranks:
        // 1 + 0.63093 + 0.5 + 0.43068
        assert!((question.ndcg(10) - 1.01778 / 2.56161).abs() < 1e-5, "{}", question.ndcg(10));
    }

    #[test]
    fn nothing_found_is_0_and_all_in_front_is_1() {
        for none in [ranked("", 2), ranked("....", 2)] {
            assert_eq!(
                (none.recall(3), none.hit(3), none.reciprocal_rank(), none.ndcg(10)),
                (0.0, 0.0, 0.0, 0.0)
            );
        }
        for all in [ranked("x", 1), ranked("xx...", 2)] {
            assert_eq!(
                (all.recall(2), all.hit(1), all.reciprocal_rank(), all.ndcg(10)),
                (1.0, 1.0, 1.0, 1.0)
            );
        }
        assert_eq!(ranked("xxxxxxxxxxxx", 12).ndcg(10), 1.0, "more answers than nDCG looks at");
    }

    #[test]
    fn adversarial_questions_are_apart() {
        let of = |category: &str, hits: &str| Ranked { category: category.into(), ..ranked(hits, 1) };
        let questions = [of("a", "x"), of("a", "."), of("b", ".x"), of(ADVERSARIAL, "x")];
        let report = Report::of(&questions, &[1, 2]);
        let recall = |figures: &Figures| (figures.questions, figures.means[0].1, figures.means[1].1);
        assert_eq!(recall(&report.overall), (3, 1.0 / 3.0, 2.0 / 3.0));
        assert_eq!(recall(&report.adversarial), (1, 1.0, 1.0));
        assert_eq!(report.categories.keys().collect::<Vec<_>>(), ["a", ADVERSARIAL, "b"]);
        assert_eq!(recall(&report.categories["a"]), (2, 0.5, 0.5));
        assert_eq!(
            report.overall.json().to_string(),
            r#"{"hit@1":0.333333,"hit@2":0.666667,"mrr":0.5,"ndcg@10":0.543643,"questions":3,"recall@1":0.333333,"recall@2":0.666667}"#
        );
    }

    #[test]
    fn reports_agree_to_three_decimals() {
        let report = Report::of(&[ranked("x", 1), ranked(".", 1)], &[1]);
        let mut other = report.clone();
        other.overall.means[0].1 += 0.0001;
        assert!(report.agrees(&other));
        other.overall.means[0].1 += 0.001;
        assert!(!report.agrees(&other));
        assert!(!report.agrees(&Report::of(&[ranked("x", 1)], &[1])));
    }
}
