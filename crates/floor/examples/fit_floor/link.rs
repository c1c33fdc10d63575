//! Fits the model of what a message answers: a softmax over all messages of the window, the author's own ones and nothing.
//!
//! Its loss is twofold: the probability of the labelled parents among everything, and the probability of their speakers
//! among the others, which is the sum over their messages.

use std::collections::HashMap;

use greenroom_floor::fitting::{Candidates, Model, OPENING, OTHER, OWN, push, window};
use greenroom_floor::log::{Log, Truth};
use greenroom_floor::{MemberId, Members};

use crate::simulate::Random;

/// Number of weights.
pub const WEIGHTS: usize = OTHER + OWN + OPENING;
const BATCH: usize = 64;

/// A labelled message.
pub struct Sample {
    candidates: Candidates,
    /// The messages of others that it answers.
    others: Vec<bool>,
    /// The messages of the author's own that it continues.
    own: Vec<bool>,
    /// Whether it answers nothing.
    opens: bool,
    /// The messages of others whose speakers it answers.
    speakers: Vec<bool>,
}

/// The labelled messages of logs, as a room with this model sees them.
pub fn samples(logs: &[Log], model: &'static Model) -> Vec<Sample> {
    let mut found = Vec::new();
    for log in logs {
        let truth = Truth::of(log);
        let (mut members, mut window) = (Members::new(), window(model));
        let authors: HashMap<u64, MemberId> =
            log.messages.iter().map(|line| (line.n, line.author())).collect();
        for line in log.messages.iter().filter(|line| !line.system) {
            if members.get(&line.author()).is_none() {
                members.insert(line.member());
            }
            push(&mut window, &line.message(), &members, &mut |candidates| {
                let Some(gold) = truth.replies_to(line.n) else { return };
                let addressees = truth.addressees(line.n);
                found.push(Sample {
                    others: candidates.ids.iter().map(|id| gold.contains(id)).collect(),
                    own: candidates.own_ids.iter().map(|id| gold.contains(id)).collect(),
                    opens: gold.is_empty(),
                    speakers: candidates.ids.iter().map(|id| addressees.contains(&&authors[id])).collect(),
                    candidates: candidates.clone(),
                });
            });
        }
    }
    found
}

/// Fits by Adam without momentum on shuffled batches; the weights are the mean over the last epochs.
pub fn fit(data: &[Sample], start: &[f32], epochs: usize, ridge: f32) -> Vec<f32> {
    let mut weights = start.to_vec();
    let mut squares = vec![1e-3_f32; WEIGHTS];
    let mut order: Vec<usize> = (0..data.len()).collect();
    let mut random = Random(5);
    let (mut mean, mut steps) = (vec![0.0_f32; WEIGHTS], 0.0);
    for epoch in 0..epochs {
        for i in (1..order.len()).rev() {
            order.swap(i, random.below(i + 1));
        }
        let rate = 0.015 * (1.0 - epoch as f32 / epochs as f32) + 0.001;
        for batch in order.chunks(BATCH) {
            let mut slope = vec![0.0_f32; WEIGHTS];
            batch.iter().for_each(|i| data[*i].slope(&weights, &mut slope));
            for ((w, s), square) in weights.iter_mut().zip(&slope).zip(&mut squares) {
                let g = s / BATCH as f32 - ridge * *w;
                *square = 0.999 * *square + 0.001 * g * g;
                *w += rate * g / (square.sqrt() + 1e-4);
            }
            if epoch + 3 >= epochs {
                mean.iter_mut().zip(&weights).for_each(|(m, w)| *m += w);
                steps += 1.0;
            }
        }
    }
    mean.iter().map(|m| m / steps).collect()
}

impl Sample {
    /// Adds the slope of the logarithm of the likelihood.
    fn slope(&self, weights: &[f32], slope: &mut [f32]) {
        let c = &self.candidates;
        let others: Vec<f32> = c.others.iter().map(|x| dot(&weights[..OTHER], x)).collect();
        let own = c.own.iter().map(|x| dot(&weights[OTHER..OTHER + OWN], x));
        let opens = dot(&weights[OTHER + OWN..], &c.opening);
        let scores: Vec<f32> = others.iter().copied().chain(own).chain([opens]).collect();
        let gold: Vec<bool> = self.others.iter().chain(&self.own).copied().chain([self.opens]).collect();
        let residuals = residuals(&scores, &gold);
        let n = c.others.len();
        let among_others = residuals_or_none(&others, &self.speakers);
        for ((x, r), more) in c.others.iter().zip(&residuals).zip(&among_others) {
            add(&mut slope[..OTHER], x, r + more);
        }
        for (x, r) in c.own.iter().zip(&residuals[n..]) {
            add(&mut slope[OTHER..OTHER + OWN], x, *r);
        }
        add(&mut slope[OTHER + OWN..], &c.opening, residuals[n + c.own.len()]);
    }
}

fn residuals_or_none(scores: &[f32], gold: &[bool]) -> Vec<f32> {
    if gold.contains(&true) { residuals(scores, gold) } else { vec![0.0; scores.len()] }
}

/// For each candidate, its share of the gold probability less its probability. Zero if none is gold.
fn residuals(scores: &[f32], gold: &[bool]) -> Vec<f32> {
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    let shares: Vec<f32> = scores.iter().map(|s| (s - top).exp()).collect();
    let all: f32 = shares.iter().sum();
    let right: f32 = shares.iter().zip(gold).filter(|(_, g)| **g).map(|(s, _)| s).sum();
    if right < 1e-30 {
        return vec![0.0; scores.len()];
    }
    shares.iter().zip(gold).map(|(s, g)| if *g { s / right - s / all } else { -s / all }).collect()
}

fn dot(weights: &[f32], features: &[f32]) -> f32 {
    weights.iter().zip(features).map(|(w, x)| w * x).sum()
}

fn add(slope: &mut [f32], features: &[f32], by: f32) {
    if by.abs() > 1e-6 {
        slope.iter_mut().zip(features).for_each(|(s, x)| *s += by * x);
    }
}
