//! Weights under which answers are likely: a softmax over the candidates of each question (ListNet, Cao
//! et al. 2007), a small ridge, and Newton's method.

use greenroom_memory::rank::{COUNT, Weights};

use super::data::Question;

/// The ridge, on features scaled to deviation 1.
const RIDGE: f64 = 0.01;
/// Newton's method is done long before.
const STEPS: usize = 12;

type Vector = [f64; COUNT];

/// The weights for these questions, those of the features `without` zero.
pub fn fit(questions: &[&Question], without: &[usize]) -> Weights {
    let scale = deviations(questions);
    let mut weights = [0.0; COUNT];
    for _ in 0..STEPS {
        let (mut gradient, mut hessian) = ([0.0; COUNT], [[0.0; COUNT]; COUNT]);
        for question in questions {
            add(question, &weights, &scale, without, &mut gradient, &mut hessian);
        }
        for at in 0..COUNT {
            gradient[at] = gradient[at] / questions.len() as f64 - 2.0 * RIDGE * weights[at];
            hessian[at].iter_mut().for_each(|x| *x /= questions.len() as f64);
            hessian[at][at] += 2.0 * RIDGE;
        }
        let step = solve(hessian, gradient);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight += step);
    }
    Weights(std::array::from_fn(|at| (weights[at] / scale[at]) as f32))
}

/// Adds the gradient and the curvature of one question's likelihood.
fn add(
    question: &Question,
    weights: &Vector,
    scale: &Vector,
    without: &[usize],
    gradient: &mut Vector,
    hessian: &mut [Vector; COUNT],
) {
    let gold = question.gold.iter().filter(|gold| **gold).count();
    if gold == 0 {
        return;
    }
    let rows: Vec<Vector> = question
        .candidates
        .iter()
        .map(|c| {
            std::array::from_fn(|at| {
                if without.contains(&at) { 0.0 } else { f64::from(c.features[at]) / scale[at] }
            })
        })
        .collect();
    let scores: Vec<f64> = rows.iter().map(|row| row.iter().zip(weights).map(|(x, w)| x * w).sum()).collect();
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let likely: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let total: f64 = likely.iter().sum();
    let mut mean = [0.0; COUNT];
    for ((row, likely), is_gold) in rows.iter().zip(likely).zip(&question.gold) {
        let share = likely / total;
        for (at, x) in row.iter().enumerate() {
            mean[at] += share * x;
            if *is_gold {
                gradient[at] += x / gold as f64;
            }
            for (sum, y) in hessian[at].iter_mut().zip(row) {
                *sum += share * x * y;
            }
        }
    }
    for (at, x) in mean.iter().enumerate() {
        gradient[at] -= x;
        hessian[at].iter_mut().zip(&mean).for_each(|(sum, y)| *sum -= x * y);
    }
}

/// How much each feature varies, over all candidates.
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
