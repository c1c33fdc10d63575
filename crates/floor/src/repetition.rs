//! Whether an answer nearly repeats recent messages of its author (RM4).

use std::collections::HashMap;

/// How many messages of the author an answer is compared with.
pub const COMPARED: usize = 3;
/// From this similarity on, 0 to 1, an answer is a repetition.
const SAME: f32 = 0.85;

/// Whether an answer nearly repeats one of its author's last messages. `latest` begins with the newest; the first
/// [`COMPARED`] count.
///
/// Two texts are compared by the runs of three letters that they share (Dice's coefficient, 1945), without case, spaces
/// and punctuation. A text without letters or digits has to be equal.
pub fn nearly_repeats<'a>(answer: &str, latest: impl IntoIterator<Item = &'a str>) -> bool {
    let runs = Runs::of(answer);
    latest.into_iter().take(COMPARED).any(|said| {
        let other = Runs::of(said);
        if runs.total == 0 || other.total == 0 {
            answer.trim() == said.trim()
        } else {
            runs.likeness(&other) >= SAME
        }
    })
}

struct Runs {
    counts: HashMap<[char; 3], u32>,
    total: u32,
}

impl Runs {
    fn of(text: &str) -> Self {
        let letters = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
        let mut counts = HashMap::new();
        let mut total = 0;
        // two spaces before the text, so that a text of one letter has a run too
        let (mut a, mut b) = (' ', ' ');
        for c in letters {
            *counts.entry([a, b, c]).or_default() += 1;
            total += 1;
            (a, b) = (b, c);
        }
        Self { counts, total }
    }

    fn likeness(&self, other: &Self) -> f32 {
        let shared = |(run, n): (&[char; 3], &u32)| other.counts.get(run).map_or(0, |m| (*n).min(*m));
        let both: u32 = self.counts.iter().map(shared).sum();
        2.0 * both as f32 / (self.total + other.total) as f32
    }
}
