//! The map `v + W v + b`, scaled to length 1, and its fit: the softmax over the texts of a batch, by Adam with decoupled
//! weight decay (Loshchilov and Hutter, arXiv:1711.05101). The decay pulls towards the identity.

use crate::projection::Projection;

/// How sharply the softmax tells texts apart.
const SHARPNESS: f32 = 20.0;
/// The passes over the batches, the learning rate at the beginning, and the decay.
const PASSES: usize = 15;
const RATE: f32 = 5e-4;
const DECAY: f32 = 1.0;
/// The mean cosine of a question with texts that do not answer it, which makes relevance comparable between embedders:
/// the usual threshold of 0.3 lies between these texts and the answers.
const UNRELATED: f32 = 0.25;

/// Texts, and questions about the first of them. Question `n` is about text `n % answers`.
pub struct Batch {
    pub texts: Vec<Vec<f32>>,
    pub answers: usize,
    pub questions: Vec<Vec<f32>>,
}

/// The map, with the state of Adam.
pub struct Map {
    dimension: usize,
    /// `W` by rows, each followed by its part of `b`.
    numbers: Vec<f32>,
    means: Vec<f32>,
    squares: Vec<f32>,
}

impl Map {
    /// Fits a map.
    pub fn fitted(batches: &[&Batch]) -> Self {
        let dimension = batches.first().map_or(0, |batch| batch.texts[0].len());
        let zero = vec![0.0; dimension * (dimension + 1)];
        let mut map = Self { dimension, numbers: zero.clone(), means: zero.clone(), squares: zero };
        let steps = (PASSES * batches.len()) as i32;
        let mut step = 0;
        for pass in 0..PASSES {
            for at in 0..batches.len() {
                // another order in each pass, the same in each run
                let batch = batches[(at * 7 + pass * 3) % batches.len()];
                step += 1;
                map.step(&map.gradient(batch), step, steps);
            }
        }
        map
    }

    /// The map of projected vectors that moves them as this one moves whole vectors. A map that was fitted to projected
    /// vectors found two answers in a hundred fewer.
    pub fn projected(&self, projection: &Projection) -> Self {
        let whole = self.rows();
        let mut numbers = Vec::new();
        for direction in projection.directions() {
            let mut moved = vec![0.0; self.dimension];
            let mut offset = 0.0;
            for ((row, of_row), share) in whole.iter().zip(direction) {
                add(&mut moved, *share, row);
                offset += share * of_row;
            }
            numbers.extend(projection.directions().iter().map(|other| dot(&moved, other)));
            numbers.push(offset);
        }
        let dimension = projection.directions().len();
        Self { dimension, means: vec![0.0; numbers.len()], squares: vec![0.0; numbers.len()], numbers }
    }

    /// The rows of `W` and their parts of `b`.
    pub fn rows(&self) -> Vec<(Vec<f32>, f32)> {
        let row = |row: &[f32]| (row[..self.dimension].to_vec(), row[self.dimension]);
        self.numbers.chunks(self.dimension + 1).map(row).collect()
    }

    /// The mapped vector of a question, of length 1.
    pub fn apply(&self, question: &[f32]) -> Vec<f32> {
        let moved = self.moved(question);
        let length = dot(&moved, &moved).sqrt().max(1e-6);
        moved.into_iter().map(|number| number / length).collect()
    }

    fn moved(&self, question: &[f32]) -> Vec<f32> {
        let rows = self.numbers.chunks(self.dimension + 1).zip(question);
        rows.map(|(row, number)| number + dot(&row[..self.dimension], question) + row[self.dimension])
            .collect()
    }

    /// The gradient of the mean surprise at the answers of a batch.
    fn gradient(&self, batch: &Batch) -> Vec<f32> {
        let mut gradient = vec![0.0; self.numbers.len()];
        let share = 1.0 / batch.questions.len() as f32;
        for (at, question) in batch.questions.iter().enumerate() {
            let moved = self.moved(question);
            let length = dot(&moved, &moved).sqrt().max(1e-6);
            let unit: Vec<f32> = moved.iter().map(|number| number / length).collect();
            let scores: Vec<f32> = batch.texts.iter().map(|text| SHARPNESS * dot(&unit, text)).collect();
            let most = scores.iter().fold(f32::MIN, |most, score| most.max(*score));
            let odds: Vec<f32> = scores.iter().map(|score| (score - most).exp()).collect();
            let sum: f32 = odds.iter().sum();
            let mut of_unit = vec![0.0; self.dimension];
            for (index, (text, odds)) in batch.texts.iter().zip(&odds).enumerate() {
                let is_answer = if index == at % batch.answers { 1.0 } else { 0.0 };
                add(&mut of_unit, SHARPNESS * share * (odds / sum - is_answer), text);
            }
            // the part along the vector changes nothing, because its length is 1
            let along = dot(&of_unit, &unit);
            for ((row, of_unit), unit) in gradient.chunks_mut(self.dimension + 1).zip(&of_unit).zip(&unit) {
                let of_moved = (of_unit - along * unit) / length;
                add(&mut row[..self.dimension], of_moved, question);
                row[self.dimension] += of_moved;
            }
        }
        gradient
    }

    fn step(&mut self, gradient: &[f32], step: i32, steps: i32) {
        let rate = RATE * (1.0 - step as f32 / steps as f32);
        let (of_means, of_squares) = (1.0 - 0.9_f32.powi(step), 1.0 - 0.999_f32.powi(step));
        let state = self.means.iter_mut().zip(&mut self.squares);
        for ((number, (mean, square)), gradient) in self.numbers.iter_mut().zip(state).zip(gradient) {
            *mean = 0.9 * *mean + 0.1 * gradient;
            *square = 0.999 * *square + 0.001 * gradient * gradient;
            *number -= rate * (*mean / of_means / ((*square / of_squares).sqrt() + 1e-6) + DECAY * *number);
        }
    }

    /// Moves all questions towards the mean of the texts, or away from it, until unrelated texts have the wanted cosine.
    pub fn calibrate(&mut self, batches: &[Batch]) {
        let mut mean = vec![0.0; self.dimension];
        batches.iter().flat_map(|batch| &batch.texts).for_each(|text| add(&mut mean, 1.0, text));
        let length = dot(&mean, &mean).sqrt().max(1e-6);
        let (mut low, mut high) = (-2.0_f32, 2.0);
        let mut moved_by = 0.0;
        for _ in 0..20 {
            let middle = f32::midpoint(low, high);
            self.offset(&mean, (middle - moved_by) / length);
            moved_by = middle;
            if self.unrelated(batches) < UNRELATED { low = middle } else { high = middle }
        }
    }

    fn offset(&mut self, direction: &[f32], by: f32) {
        let rows = self.numbers.chunks_mut(self.dimension + 1).zip(direction);
        rows.for_each(|(row, number)| row[self.dimension] += by * number);
    }

    /// The mean cosine of each tenth question with the texts of its batch.
    fn unrelated(&self, batches: &[Batch]) -> f32 {
        let (mut sum, mut count) = (0.0, 0.0);
        for batch in batches {
            for question in batch.questions.iter().step_by(10) {
                let question = self.apply(question);
                sum += batch.texts.iter().map(|text| dot(&question, text)).sum::<f32>();
                count += batch.texts.len() as f32;
            }
        }
        sum / count
    }
}

/// The dot product, in eight sums that the compiler can put beside each other.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    let (a_parts, b_parts) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = a_parts.remainder().iter().zip(b_parts.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_parts.zip(b_parts) {
        for at in 0..8 {
            sums[at] += x[at] * y[at];
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// Adds a multiple of other numbers.
pub fn add(to: &mut [f32], factor: f32, numbers: &[f32]) {
    to.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += factor * number);
}
