//! Opinion models with known results, which verify the engine: bounded confidence, and the voter model.

use std::io::{self, Read, Write};

use super::{
    Rule, in_parts,
    snapshot::{read_numbers, write_numbers},
};
use crate::draw::{below, draw, mix, share};

/// Agents that move by at most this in a step count as settled.
const SETTLED: f32 = 1e-4;
/// The smallest cluster that is counted, as a share of the agents. Single agents may remain between the clusters.
const CLUSTER: f64 = 0.02;

/// Bounded confidence: Deffuant, Neau, Amblard and Weisbuch, "Mixing beliefs among interacting agents", 2000. Opinions
/// start uniform in 0 to 1. In a step, every agent meets one random other agent. If their opinions differ by less than
/// the threshold `d`, both move towards each other by `mu` of the difference. About `1 / 2d` clusters remain.
pub struct Deffuant {
    seed: u64,
    threshold: f32,
    convergence: f32,
    opinions: Vec<f32>,
    /// The agents in the order of meetings: the first meets the second, and so on.
    order: Vec<u32>,
}

impl Deffuant {
    /// A population with uniform opinions.
    pub fn new(size: usize, seed: u64, threshold: f32, convergence: f32) -> Self {
        let opinion = |agent: u64| share(draw(seed, agent, 0)) as f32;
        Self {
            seed,
            threshold,
            convergence,
            opinions: (0..size as u64).map(opinion).collect(),
            order: (0..u32::try_from(size).unwrap_or(u32::MAX)).collect(),
        }
    }

    /// The mean opinions of the clusters with their shares of the agents. A gap of a tenth of the threshold separates
    /// two clusters.
    pub fn clusters(&self) -> Vec<(f32, f64)> {
        let mut sorted = self.opinions.clone();
        sorted.sort_by(f32::total_cmp);
        let groups = sorted.chunk_by(|a, b| b - a < self.threshold / 10.0);
        let cluster = |group: &[f32]| {
            let mean = group.iter().map(|opinion| f64::from(*opinion)).sum::<f64>() / group.len() as f64;
            (mean as f32, group.len() as f64 / sorted.len() as f64)
        };
        groups.map(cluster).filter(|(_, share)| *share >= CLUSTER).collect()
    }
}

impl Rule for Deffuant {
    fn step(&mut self, step: u64, threads: usize) -> bool {
        // the pairs come from a shuffle that depends on seed and step only (Fisher and Yates)
        let seed = mix(self.seed ^ mix(step));
        for n in (1..self.order.len()).rev() {
            self.order.swap(n, below(draw(seed, n as u64, 1), n + 1));
        }
        let (threshold, convergence) = (self.threshold, self.convergence);
        let opinions = &self.opinions;
        let mut pairs: Vec<[(u32, f32); 2]> = Vec::with_capacity(self.order.len() / 2);
        pairs.extend(self.order.chunks_exact(2).map(|pair| [(pair[0], 0.0), (pair[1], 0.0)]));
        let moved = in_parts(&mut pairs, threads, |_, pairs| {
            let mut moved = 0.0_f32;
            for [(a, new_a), (b, new_b)] in pairs {
                let (x, y) = (opinions[*a as usize], opinions[*b as usize]);
                let apart = y - x;
                let by = if apart.abs() < threshold { convergence * apart } else { 0.0 };
                (*new_a, *new_b) = (x + by, y - by);
                moved = moved.max(by.abs());
            }
            moved
        });
        for (agent, opinion) in pairs.into_iter().flatten() {
            self.opinions[agent as usize] = opinion;
        }
        moved.into_iter().fold(0.0, f32::max) > SETTLED
    }

    fn measures(&self) -> Vec<(&'static str, f64)> {
        let n = self.opinions.len().max(1) as f64;
        let mean = self.opinions.iter().map(|opinion| f64::from(*opinion)).sum::<f64>() / n;
        let variance =
            self.opinions.iter().map(|opinion| (f64::from(*opinion) - mean).powi(2)).sum::<f64>() / n;
        vec![("clusters", self.clusters().len() as f64), ("mean", mean), ("variance", variance)]
    }

    fn bytes(&self) -> usize {
        // includes the pairs that a step allocates
        self.opinions.len() * (size_of::<f32>() + size_of::<u32>() + size_of::<(u32, f32)>())
    }

    fn save(&self, to: &mut dyn Write) -> io::Result<()> {
        write_numbers(to, &self.opinions)?;
        write_numbers(to, &self.order)
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        self.opinions = read_numbers(from)?;
        self.order = read_numbers(from)?;
        Ok(())
    }
}

/// The voter model on a complete graph (Clifford and Sudbury 1973, Holley and Liggett 1975). In a step, each agent
/// takes the opinion that one random other agent had before the step. The probability that all end in opinion 1 is its
/// initial share, and the mean share stays constant.
pub struct Voter {
    seed: u64,
    opinions: Vec<u8>,
    before: Vec<u8>,
}

impl Voter {
    /// A population in which the share `ones` has opinion 1.
    pub fn new(size: usize, seed: u64, ones: f64) -> Self {
        let first = (ones * size as f64).round() as usize;
        let opinions: Vec<u8> = (0..size).map(|agent| u8::from(agent < first)).collect();
        Self { seed, before: opinions.clone(), opinions }
    }

    /// The share of agents with opinion 1.
    pub fn ones(&self) -> f64 {
        self.opinions.iter().map(|opinion| u64::from(*opinion)).sum::<u64>() as f64
            / self.opinions.len().max(1) as f64
    }
}

impl Rule for Voter {
    fn step(&mut self, step: u64, threads: usize) -> bool {
        std::mem::swap(&mut self.opinions, &mut self.before);
        let (seed, before) = (self.seed, &self.before);
        in_parts(&mut self.opinions, threads, |first, part| {
            for (opinion, agent) in part.iter_mut().zip(first as u64..) {
                *opinion = before[below(draw(seed, agent, step), before.len())];
            }
        });
        let ones = self.ones();
        ones > 0.0 && ones < 1.0
    }

    fn measures(&self) -> Vec<(&'static str, f64)> {
        vec![("ones", self.ones())]
    }

    fn bytes(&self) -> usize {
        self.opinions.len() * 2
    }

    fn save(&self, to: &mut dyn Write) -> io::Result<()> {
        write_numbers(to, &self.opinions)
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        self.opinions = read_numbers(from)?;
        self.before = self.opinions.clone();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Population;

    fn settled(threshold: f32, seed: u64) -> Vec<(f32, f64)> {
        let mut rule = Deffuant::new(2_000, seed, threshold, 0.5);
        let steps = (1..2_000).take_while(|step| rule.step(*step, 1)).count();
        assert!(steps < 1_990, "it settles");
        rule.clusters()
    }

    /// The published result: the number of clusters is about the integer part of `1 / 2d`; above a threshold of about
    /// 0.27 all agents agree on the middle (Deffuant et al. 2000, figures 1 to 4).
    #[test]
    fn sm10_opinions_end_in_as_many_clusters_as_published() {
        for seed in 1..=10 {
            for threshold in [0.5, 0.4, 0.3] {
                let clusters = settled(threshold, seed);
                assert_eq!(clusters.len(), 1, "d = {threshold}, seed {seed}: {clusters:?}");
                assert!((clusters[0].0 - 0.5).abs() < 0.06, "d = {threshold}: {clusters:?}");
            }
        }
        for (threshold, published) in [(0.2_f32, 2.5), (0.15, 3.33), (0.1, 5.0)] {
            let counts: usize = (1..=20).map(|seed| settled(threshold, seed).len()).sum();
            let mean = counts as f64 / 20.0;
            assert!(
                (mean - published).abs() <= 0.9,
                "d = {threshold}: {mean} clusters, published {published}"
            );
        }
    }

    /// The mean share is a martingale, so the share of runs that end in opinion 1 equals the initial share.
    #[test]
    fn sm10_voters_agree_on_an_opinion_as_often_as_it_was_held() {
        for (ones, within) in [(0.2, 0.08), (0.5, 0.1), (0.8, 0.08)] {
            let ends = (0..300).map(|seed| {
                let mut rule = Voter::new(50, seed, ones);
                let steps = (1..100_000).take_while(|step| rule.step(*step, 1)).count();
                assert!(steps < 99_999, "everybody agrees in the end");
                rule.ones()
            });
            let mean: f64 = ends.sum::<f64>() / 300.0;
            assert!((mean - ones).abs() < within, "{ones} ends as {mean}");
        }
    }

    #[test]
    fn sm3_threads_change_nothing_in_a_population() {
        let run = |threads| {
            let mut all = Vec::new();
            for rule in [
                Box::new(Deffuant::new(1_001, 3, 0.2, 0.5)) as Box<dyn Rule>,
                Box::new(Voter::new(1_001, 3, 0.4)),
                Box::new(super::super::Feed::new(1_001, 3, 10, 0.2, 0.1, 0.02)),
            ] {
                let mut told = Vec::new();
                let report = Population::with(rule, 40).run(threads, |step, measures| {
                    told.push((step, format!("{measures:?}")));
                    Ok(())
                });
                all.push((told, format!("{:?}", report.unwrap())));
            }
            all
        };
        let one = run(1);
        assert_eq!(run(2), one);
        assert_eq!(run(16), one);
    }
}
