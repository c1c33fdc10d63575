//! The network and its training.

use crate::Example;

/// The dimension of a vector.
const INPUTS: usize = 320;
/// The number of hidden units.
const HIDDEN: usize = 256;
/// The number of passes over all messages, and of messages per step.
const PASSES: usize = 60;
const STEP: usize = 64;
/// The initial learning rate, which falls to zero.
const RATE: f32 = 3e-3;
/// The weight decay per step, relative to the learning rate.
const DECAY: f32 = 0.1;
/// The dropout rates of inputs and of hidden units, per message.
const INPUTS_DROPPED: f32 = 0.1;
const HIDDEN_DROPPED: f32 = 0.7;
/// Scales the small numbers of a unit vector, so that one learning rate fits all weights.
const INPUT_SCALE: f32 = 3.16;
/// Adam's decay rates of the first and second moments.
const MEMORY: (f32, f32) = (0.9, 0.999);

/// A parameter vector with Adam's moments of its gradients.
struct Parameters {
    values: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    gradient: Vec<f32>,
    decay: f32,
}

impl Parameters {
    fn new(values: Vec<f32>, decay: f32) -> Self {
        let zeros = || vec![0.0; values.len()];
        Self { mean: zeros(), square: zeros(), gradient: zeros(), values, decay }
    }

    /// Takes a step against the gradient and resets the gradient. `taken` counts the steps, including this one.
    fn step(&mut self, rate: f32, taken: i32) {
        let (of_mean, of_square) = (1.0 - MEMORY.0.powi(taken), 1.0 - MEMORY.1.powi(taken));
        let moments = self.mean.iter_mut().zip(&mut self.square).zip(&mut self.gradient);
        for (value, ((mean, square), gradient)) in self.values.iter_mut().zip(moments) {
            *mean = MEMORY.0 * *mean + (1.0 - MEMORY.0) * *gradient;
            *square = MEMORY.1 * *square + (1.0 - MEMORY.1) * *gradient * *gradient;
            *value -= rate * (*mean / of_mean / ((*square / of_square).sqrt() + 1e-8) + self.decay * *value);
            *gradient = 0.0;
        }
    }
}

/// A network with one hidden layer of rectified units. Its output is the log-odds that a message tells something.
pub struct Network {
    /// `HIDDEN` rows of `INPUTS` weights.
    hidden: Vec<f32>,
    bias: Vec<f32>,
    output: Vec<f32>,
    constant: f32,
}

impl Network {
    /// The network fitted to these messages; deterministic.
    pub fn fitted(examples: &[&Example]) -> Self {
        let mut random = Random(7);
        let normal = |n: usize, deviation: f32, random: &mut Random| {
            (0..n).map(|_| random.normal() * deviation).collect()
        };
        let mut hidden =
            Parameters::new(normal(HIDDEN * INPUTS, 2.0 / (INPUTS as f32).sqrt(), &mut random), DECAY);
        let mut output = Parameters::new(normal(HIDDEN, 1.0 / (HIDDEN as f32).sqrt(), &mut random), DECAY);
        let mut bias = Parameters::new(vec![0.0; HIDDEN], 0.0);
        let mut constant = Parameters::new(vec![0.0], 0.0);
        let mut order: Vec<usize> = (0..examples.len()).collect();
        let mut taken = 0;
        for pass in 0..PASSES {
            let rate = RATE * (1.0 - pass as f32 / PASSES as f32);
            random.shuffle(&mut order);
            for step in order.chunks(STEP) {
                for example in step.iter().map(|at| examples[*at]) {
                    let keep = |share: f32, random: &mut Random| random.share() >= share;
                    let input: Vec<f32> = example
                        .vector
                        .iter()
                        .map(|number| match keep(INPUTS_DROPPED, &mut random) {
                            true => number * INPUT_SCALE / (1.0 - INPUTS_DROPPED),
                            false => 0.0,
                        })
                        .collect();
                    let mut active = Vec::new();
                    let mut odds = constant.values[0];
                    for unit in 0..HIDDEN {
                        if keep(HIDDEN_DROPPED, &mut random) {
                            let row = &hidden.values[unit * INPUTS..][..INPUTS];
                            let sum = dot(row, &input) + bias.values[unit];
                            if sum > 0.0 {
                                let sum = sum / (1.0 - HIDDEN_DROPPED);
                                odds += sum * output.values[unit];
                                active.push((unit, sum));
                            }
                        }
                    }
                    let wanted = f32::from(u8::from(example.tells));
                    let error = (1.0 / (1.0 + (-odds).exp()) - wanted) / step.len() as f32;
                    constant.gradient[0] += error;
                    for (unit, sum) in active {
                        output.gradient[unit] += error * sum;
                        let of_unit = error * output.values[unit] / (1.0 - HIDDEN_DROPPED);
                        bias.gradient[unit] += of_unit;
                        let row = &mut hidden.gradient[unit * INPUTS..][..INPUTS];
                        row.iter_mut()
                            .zip(&input)
                            .for_each(|(gradient, number)| *gradient += of_unit * number);
                    }
                }
                taken += 1;
                for parameters in [&mut hidden, &mut output, &mut bias, &mut constant] {
                    parameters.step(rate, taken);
                }
            }
        }
        hidden.values.iter_mut().for_each(|weight| *weight *= INPUT_SCALE);
        Self { hidden: hidden.values, bias: bias.values, output: output.values, constant: constant.values[0] }
    }

    /// The log-odds that a message with this vector tells something about its author.
    pub fn odds(&self, vector: &[f32]) -> f32 {
        let units = self.hidden.chunks(INPUTS).zip(&self.bias).zip(&self.output);
        self.constant
            + units.map(|((row, bias), output)| (dot(row, vector) + bias).max(0.0) * output).sum::<f32>()
    }

    /// The network with weights rounded to one byte.
    pub fn rounded(mut self) -> Self {
        for row in self.hidden.chunks_mut(INPUTS) {
            let scale = scale_of(row);
            row.iter_mut().for_each(|weight| *weight = (*weight / scale).round() * scale);
        }
        self
    }

    /// The weights in the program's format: for each hidden unit one byte per weight, then the weights' scale, the bias
    /// and the output weight; at the end the constant. Floats are little-endian.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for ((row, bias), output) in self.hidden.chunks(INPUTS).zip(&self.bias).zip(&self.output) {
            let scale = scale_of(row);
            bytes.extend(row.iter().map(|weight| (weight / scale).round() as i8 as u8));
            bytes.extend([scale, *bias, *output].map(f32::to_le_bytes).as_flattened());
        }
        bytes.extend(self.constant.to_le_bytes());
        bytes
    }
}

fn scale_of(row: &[f32]) -> f32 {
    let largest = row.iter().fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
    largest.max(f32::MIN_POSITIVE) / f32::from(i8::MAX)
}

/// The dot product in eight sums, which the processor adds in parallel.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

/// Reproducible random numbers (SplitMix64, Steele et al. 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A random number from 0, inclusive, to 1, exclusive.
    fn share(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// A normally distributed number (Box and Muller).
    fn normal(&mut self) -> f32 {
        (-2.0 * (1.0 - self.share()).ln()).sqrt() * (std::f32::consts::TAU * self.share()).cos()
    }

    fn shuffle(&mut self, order: &mut [usize]) {
        for at in (1..order.len()).rev() {
            order.swap(at, (self.next() % (at as u64 + 1)) as usize);
        }
    }
}
