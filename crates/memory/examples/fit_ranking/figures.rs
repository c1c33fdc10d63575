//! Figures of the ranking: recall@k (the share of a question's answers among the first k), nDCG@10 and the reciprocal
//! rank of the first answer, each as a mean over questions.

use greenroom_memory::rank::Weights;

use super::data::{Conversation, Question};

/// The category of questions about things that were never said, which are reported separately.
pub const APART: &str = "adversarial";

pub const HEADER: &str =
    "                                  R@3   R@5  R@10  R@20 nDCG@10   MRR | R@10 by category";

/// Prints one line for all questions outside of that category; `weights` returns the weights for a conversation.
pub fn show<'a>(
    name: &str,
    conversations: impl Iterator<Item = (usize, &'a Conversation)>,
    weights: impl Fn(usize) -> Weights,
) {
    let mut all: Vec<(&str, [f64; 6])> = Vec::new();
    for (at, conversation) in conversations {
        let weights = weights(at);
        all.extend(conversation.questions.iter().map(|q| (q.category.as_str(), of(q, &weights))));
    }
    let mean = |wanted: &dyn Fn(&str) -> bool| {
        let these: Vec<&[f64; 6]> = all.iter().filter(|(c, _)| wanted(c)).map(|(_, f)| f).collect();
        std::array::from_fn::<f64, 6, _>(|at| {
            100.0 * these.iter().map(|figures| figures[at]).sum::<f64>() / these.len().max(1) as f64
        })
    };
    let [r3, r5, r10, r20, ndcg, first] = mean(&|category| category != APART);
    print!("{name:30} {r3:6.1}{r5:6.1}{r10:6.1}{r20:6.1}{ndcg:8.1}{first:6.1} |");
    let mut categories: Vec<&str> = all.iter().map(|(category, _)| *category).collect();
    categories.sort_unstable();
    categories.dedup();
    for category in categories {
        print!(" {category} {:.1}", mean(&|other| other == category)[2]);
    }
    println!();
}

fn of(question: &Question, weights: &Weights) -> [f64; 6] {
    let mut order: Vec<usize> = (0..question.candidates.len()).collect();
    let score = |at: usize| weights.score(&question.candidates[at].features);
    order.sort_by(|a, b| score(*b).total_cmp(&score(*a)).then(b.cmp(a)));
    let places: Vec<usize> =
        order.iter().enumerate().filter(|(_, at)| question.gold[**at]).map(|(place, _)| place).collect();
    let answers = question.answers.max(1);
    let within = |k: usize| places.iter().filter(|place| **place < k).count() as f64 / answers as f64;
    let gain = |place: usize| 1.0 / (place as f64 + 2.0).log2();
    let ideal: f64 = (0..answers.min(10)).map(gain).sum();
    let found: f64 = places.iter().filter(|place| **place < 10).map(|place| gain(*place)).sum();
    let first = places.first().map_or(0.0, |place| 1.0 / (*place as f64 + 1.0));
    [within(3), within(5), within(10), within(20), found / ideal, first]
}
