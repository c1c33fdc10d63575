//! What a message answers and whom it is for, as probabilities. The window computes a reading for each new message.

use crate::candidates::Candidates;
use crate::model::dot;
use crate::window::{SpeakerIndex, Window, add_share, index, share};

/// The most links that are kept of a message: the most likely ones.
const LINKS: usize = 6;
/// Smaller probabilities are not kept.
const LEAST: f32 = 0.004;

/// The model's reading of a message.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Reading {
    /// The messages of others that it may answer, by `seq`, the most likely first.
    pub(crate) links: Vec<(u64, f32)>,
    /// The probability that it continues the author's own message.
    pub(crate) own: f32,
    /// The probability that it answers nothing.
    pub(crate) opens: f32,
    /// The speakers whose messages it answers.
    pub(crate) answers: Vec<(SpeakerIndex, f32)>,
    /// The members that it is for. If it continues a message, these include the members that message was for.
    pub(crate) to: Vec<(SpeakerIndex, f32)>,
}

impl Reading {
    pub(crate) fn meant_for(&self, slot: SpeakerIndex) -> f32 {
        share(&self.to, slot)
    }
}

/// Applies the model. `reply_to` is the index of the message that it replies to, if the platform says so.
pub(crate) fn read(
    window: &Window,
    author: SpeakerIndex,
    candidates: &Candidates,
    reply_to: Option<usize>,
) -> Reading {
    let model = window.model;
    let mut others: Vec<f32> = candidates.others.iter().map(|row| dot(&model.other, row)).collect();
    let mut own: Vec<f32> = candidates.own.iter().map(|row| dot(&model.own, row)).collect();
    let mut opens = dot(&model.opening, &candidates.opening);
    if let Some(at) = reply_to {
        // a reply that the platform marks is certain
        let sure = 30.0;
        others
            .iter_mut()
            .zip(&candidates.places)
            .filter(|(_, place)| **place == at)
            .for_each(|(s, _)| *s = sure);
        own.iter_mut()
            .zip(&candidates.own_places)
            .filter(|(_, place)| **place == at)
            .for_each(|(s, _)| *s = sure);
    }
    let top = others.iter().chain(&own).copied().fold(opens, f32::max);
    let mut total = 0.0;
    for score in others.iter_mut().chain(&mut own).chain([&mut opens]) {
        *score = (*score - top).exp();
        total += *score;
    }
    let mut reading = Reading { opens: opens / total, ..Reading::default() };
    let mut sums: Vec<(SpeakerIndex, f32)> = Vec::new();
    let mut links: Vec<(u64, f32)> = Vec::with_capacity(others.len());
    for (score, &place) in others.iter().zip(&candidates.places) {
        let entry = &window.entries[place];
        add_share(&mut sums, entry.slot, score / total);
        links.push((entry.seq, score / total));
    }
    links.sort_by(|a, b| b.1.total_cmp(&a.1));
    links.retain(|(_, p)| *p >= LEAST);
    links.truncate(LINKS);
    links.shrink_to_fit();
    reading.links = links;
    reading.to = sums.clone();
    for (score, &place) in own.iter().zip(&candidates.own_places) {
        let p = score / total;
        reading.own += p;
        for &(slot, share) in &window.entries[place].reading.to {
            add_share(&mut reading.to, slot, p * share);
        }
    }
    reading.to.retain(|(slot, p)| *p >= LEAST && *slot != author);
    sums.sort_by(|a, b| b.1.total_cmp(&a.1));
    sums.retain(|(_, p)| *p >= LEAST);
    sums.shrink_to_fit();
    reading.answers = sums;
    debug_assert!(reading.links.iter().all(|(seq, _)| index(&window.entries, *seq).is_some()));
    reading
}
