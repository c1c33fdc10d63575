//! Fits weights that maximise the likelihood of answers: a softmax over the candidates of each question (ListNet, Cao
//! et al. 2007), a small ridge, and Newton's method.

use greenroom_memory::rank::{COUNT, Weights};

use super::{
    data::{Conversation, Question},
    figures::APART,
};

/// The ridge, for features scaled to standard deviation 1.
const RIDGE: f64 = 0.01;
/// The weight of a question about something that was never said. Most of these ask about another person's words. They
/// teach that a name in a question means little, whereas most other questions teach the opposite.
const WITHOUT_ANSWER: f64 = 0.75;
/// The maximum number of Newton steps; fewer are enough.
const STEPS: usize = 15;

type Vector = [f64; COUNT];

/// The weights for these questions; the weights of the features in `without` are zero.
pub fn fit(questions: &[&Question], without: &[usize]) -> Weights {
    let scale = deviations(questions);
    let mut at = Point::of(questions, [0.0; COUNT], &scale, without);
    for _ in 0..STEPS {
        let step = solve(at.hessian, at.gradient);
        // A whole step may overshoot the maximum, so it is halved until it improves the likelihood.
        let shorter = |half: i32| std::array::from_fn(|w| at.weights[w] + step[w] * 0.5f64.powi(half));
        let better = (0..STEPS as i32)
            .map(|half| Point::of(questions, shorter(half), &scale, without))
            .find(|next| next.likelihood > at.likelihood);
        let Some(next) = better else { break };
        at = next;
    }
    Weights(std::array::from_fn(|w| (at.weights[w] / scale[w]) as f32))
}

/// Weights, the likelihood of the answers under them, and its derivatives.
struct Point {
    weights: Vector,
    likelihood: f64,
    gradient: Vector,
    hessian: [Vector; COUNT],
}

impl Point {
    fn of(questions: &[&Question], weights: Vector, scale: &Vector, without: &[usize]) -> Self {
        let mut point =
            Self { weights, likelihood: 0.0, gradient: [0.0; COUNT], hessian: [[0.0; COUNT]; COUNT] };
        for question in questions {
            point.add(question, scale, without);
        }
        let count: f64 = questions.iter().map(|question| question.counts).sum();
        point.likelihood /= count;
        for (at, weight) in weights.iter().enumerate() {
            point.likelihood -= RIDGE * weight.powi(2);
            point.gradient[at] = point.gradient[at] / count - 2.0 * RIDGE * weight;
            point.hessian[at].iter_mut().for_each(|x| *x /= count);
            point.hessian[at][at] += 2.0 * RIDGE;
        }
        point
    }

    /// Adds the contribution of one question.
    fn add(&mut self, question: &Question, scale: &Vector, without: &[usize]) {
        let gold = question.gold.iter().filter(|gold| **gold).count();
        if gold == 0 {
            return;
        }
        let counts = question.counts;
        let rows: Vec<Vector> = question
            .candidates
            .iter()
            .map(|c| {
                std::array::from_fn(|at| {
                    if without.contains(&at) { 0.0 } else { f64::from(c.features[at]) / scale[at] }
                })
            })
            .collect();
        let score = |row: &Vector| row.iter().zip(&self.weights).map(|(x, w)| x * w).sum::<f64>();
        let scores: Vec<f64> = rows.iter().map(score).collect();
        let most = scores.iter().copied().fold(f64::MIN, f64::max);
        let total: f64 = scores.iter().map(|score| (score - most).exp()).sum();
        let mut mean = [0.0; COUNT];
        for ((row, score), is_gold) in rows.iter().zip(scores).zip(&question.gold) {
            let share = (score - most).exp() / total;
            if *is_gold {
                self.likelihood += counts * (score - most - total.ln()) / gold as f64;
            }
            for (at, x) in row.iter().enumerate() {
                mean[at] += share * x;
                if *is_gold {
                    self.gradient[at] += counts * x / gold as f64;
                }
                self.hessian[at].iter_mut().zip(row).for_each(|(sum, y)| *sum += counts * share * x * y);
            }
        }
        for (at, x) in mean.iter().enumerate() {
            self.gradient[at] -= counts * x;
            self.hessian[at].iter_mut().zip(&mean).for_each(|(sum, y)| *sum -= counts * x * y);
        }
    }
}

/// Sets the weight of each question: every kind of chat counts, and a kind with more questions counts more.
pub fn weigh(conversations: &mut [Conversation]) {
    let kinds = conversations.iter().map(|c| c.kind + 1).max().unwrap_or(0);
    for kind in 0..kinds {
        let of_kind = |c: &&mut Conversation| c.kind == kind;
        let count: usize = conversations.iter().filter(|c| c.kind == kind).map(|c| c.questions.len()).sum();
        for conversation in conversations.iter_mut().filter(of_kind) {
            for question in &mut conversation.questions {
                let answered = if question.category == APART { WITHOUT_ANSWER } else { 1.0 };
                question.counts = answered / (count as f64).sqrt();
            }
        }
    }
}

/// The standard deviation of each feature over all candidates.
fn deviations(questions: &[&Question]) -> Vector {
    let rows: Vec<_> = questions.iter().flat_map(|q| &q.candidates).map(|c| c.features).collect();
    std::array::from_fn(|at| {
        let mean = rows.iter().map(|row| f64::from(row[at])).sum::<f64>() / rows.len() as f64;
        let squares = rows.iter().map(|row| (f64::from(row[at]) - mean).powi(2)).sum::<f64>();
        (squares / rows.len() as f64).sqrt().max(1e-6)
    })
}

/// Solves a symmetric positive system by Gaussian elimination.
fn solve(mut matrix: [Vector; COUNT], mut right: Vector) -> Vector {
    for at in 0..COUNT {
        let (pivot, value) = (matrix[at], right[at]);
        for below in at + 1..COUNT {
            let factor = matrix[below][at] / pivot[at];
            matrix[below].iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
            right[below] -= factor * value;
        }
    }
    let mut solution = [0.0; COUNT];
    for at in (0..COUNT).rev() {
        let known: f64 = (at + 1..COUNT).map(|other| matrix[at][other] * solution[other]).sum();
        solution[at] = (right[at] - known) / matrix[at][at];
    }
    solution
}
