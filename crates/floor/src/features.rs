//! The building blocks of both models' features.

use std::sync::LazyLock;

use crate::text::Words;
use crate::window::{WINDOW, Window};

/// Fills a row of features one by one, in the order of the weights.
pub(crate) struct Row<const N: usize> {
    values: [f32; N],
    at: usize,
}

impl<const N: usize> Row<N> {
    pub(crate) fn new() -> Self {
        Self { values: [0.0; N], at: 0 }
    }

    pub(crate) fn put(&mut self, values: &[f32]) {
        self.values[self.at..self.at + values.len()].copy_from_slice(values);
        self.at += values.len();
    }

    pub(crate) fn done(self) -> [f32; N] {
        debug_assert!(self.at == N, "{} features of {N}", self.at);
        self.values
    }
}

pub(crate) fn yes(condition: bool) -> f32 {
    f32::from(u8::from(condition))
}

pub(crate) fn log1(value: f32) -> f32 {
    (1.0 + value).ln()
}

/// The usual times and lengths of a room, by which those of a message are scaled: what is long in one room is short in
/// another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tempo {
    /// Mean time between two messages, in seconds.
    pace: f32,
    /// Mean of the logarithms of the times between messages. A night without messages hardly moves it.
    beat: f32,
    /// Mean of the logarithms of the lengths.
    pub(crate) length: f32,
}

impl Tempo {
    /// Measures the oldest `count` messages of the window, before a message at `now`.
    pub(crate) fn of(window: &Window, count: usize, now: i64) -> Self {
        let n = count.max(1) as f32;
        let first = window.entries.front().map_or(now, |e| e.at);
        let last = count.checked_sub(1).and_then(|at| window.entries.get(at));
        let (mut beat, mut length, mut pause) = (0.0, 0.0, last.map_or(0.0, |last| log_gap(now - last.at)));
        for entry in window.entries.iter().take(count).rev() {
            beat += pause;
            pause = entry.pause;
            length += entry.words.length;
        }
        Self { pace: (now - first).max(0) as f32 / n, beat: beat / n, length: length / n }
    }

    /// A time in seconds relative to the mean time between messages, as a logarithm.
    pub(crate) fn against_pace(&self, gap: i64) -> f32 {
        ((gap.max(0) as f32 + 15.0) / (self.pace + 15.0)).ln()
    }

    /// A time in seconds relative to the usual time between messages, as a logarithm.
    pub(crate) fn against_beat(&self, gap: i64) -> f32 {
        log_gap(gap) - self.beat
    }
}

/// A time in seconds as a logarithm.
pub(crate) fn log_gap(gap: i64) -> f32 {
    (gap.max(0) as f32 + 20.0).ln()
}

/// The weight of a message that is this far back in the window, which has at most one message more than [`WINDOW`].
pub(crate) fn freshness(distance: usize) -> f32 {
    static FRESH: LazyLock<[f32; WINDOW + 2]> =
        LazyLock::new(|| std::array::from_fn(|at| 0.93_f32.powi(at as i32)));
    FRESH.get(distance).copied().unwrap_or(0.0)
}

/// How many rare words each message in the window shares with a text: the sum of their rarity, reduced for long texts.
pub(crate) fn shared_words(window: &Window, words: &Words) -> Vec<f32> {
    let rarity: Vec<f32> = words.hashes.iter().map(|w| (window.rarity(*w) - 1.5).max(0.0)).collect();
    let norm = |n: usize| (n as f32 + 3.0).sqrt();
    let shared = |theirs: &[u32]| {
        let (mut sum, mut at) = (0.0, 0);
        for (word, rarity) in words.hashes.iter().zip(&rarity) {
            while at < theirs.len() && theirs[at] < *word {
                at += 1;
            }
            if at < theirs.len() && theirs[at] == *word {
                sum += rarity;
            }
        }
        sum / (norm(words.hashes.len()) * norm(theirs.len()).sqrt())
    };
    window.entries.iter().map(|entry| shared(&entry.words.hashes)).collect()
}
