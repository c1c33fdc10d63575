//! The vectors of one chunk, quantized to two bytes per number, and a query in the same form.
//!
//! The first byte is the *code*: the number in steps of 1/127 of the row's largest number. The second is the
//! *residual*: the error of the code, in steps of 1/254 of a code. A search reads the codes of every row, and both
//! bytes of the few nearest rows. With both bytes, a cosine is wrong by some millionths, about as much as with the
//! four bytes of a float.

use crate::chunk::with_room;
use crate::kernels::{self, CacheLine, Kernels};
use crate::row::VectorError;

/// The vectors of a chunk's rows, end to end. A row without a vector has only zeros.
#[derive(Default)]
pub struct Vectors {
    codes: Vec<CacheLine>,
    /// The bits of `i8` values.
    residuals: Vec<CacheLine>,
    /// The value of a code of 1; 0 in a row without a vector.
    scales: Vec<f32>,
}

/// The code of 0, as rows store it.
const ZERO: CacheLine = CacheLine([128; 64]);

/// Steps of a residual per code. The error of a code is at most half a code, 127 steps.
const STEPS: f32 = 254.0;

impl Clone for Vectors {
    fn clone(&self) -> Self {
        let width = self.codes.len() / self.scales.len().max(1);
        Vectors {
            codes: with_room(&self.codes, width),
            residuals: with_room(&self.residuals, width),
            scales: with_room(&self.scales, 1),
        }
    }
}

/// The number of cache lines of a vector's codes.
fn lines(dimension: usize) -> usize {
    dimension.div_ceil(64)
}

impl Vectors {
    /// Adds a row, without a vector if there is no `unit`.
    pub fn push(&mut self, dimension: usize, unit: Option<&UnitVector>) {
        let (row, lines) = (self.scales.len(), (self.scales.len() + 1) * lines(dimension));
        self.codes.resize(lines, ZERO);
        self.residuals.resize(lines, CacheLine([0; 64]));
        self.scales.push(0.0);
        if unit.is_some() {
            self.set(dimension, row, unit);
        }
    }

    /// Replaces the vector of a row.
    pub fn set(&mut self, dimension: usize, row: usize, unit: Option<&UnitVector>) {
        let place = row * lines(dimension)..(row + 1) * lines(dimension);
        let (Some(codes), Some(residuals), Some(scale)) =
            (self.codes.get_mut(place.clone()), self.residuals.get_mut(place), self.scales.get_mut(row))
        else {
            return;
        };
        match unit {
            Some(unit) => {
                codes.iter_mut().zip(flipped(&unit.codes.codes)).for_each(|(old, new)| *old = new);
                residuals.iter_mut().zip(unit.residuals()).for_each(|(old, new)| *old = new);
                *scale = unit.codes.scale;
            }
            None => {
                codes.fill(ZERO);
                residuals.fill(CacheLine([0; 64]));
                *scale = 0.0;
            }
        }
    }

    /// Gives rows without a vector the lowest score, so that no search finds them.
    pub fn hide_missing(&self, scores: &mut [f32]) {
        for (score, scale) in scores.iter_mut().zip(&self.scales) {
            *score = if *scale > 0.0 { *score } else { f32::NEG_INFINITY };
        }
    }

    /// Whether the row has a vector.
    pub fn has(&self, row: usize) -> bool {
        self.scales.get(row).is_some_and(|scale| *scale > 0.0)
    }

    pub fn codes(&self, dimension: usize, row: usize) -> &[CacheLine] {
        self.codes.get(row * lines(dimension)..(row + 1) * lines(dimension)).unwrap_or_default()
    }

    pub fn residuals(&self, dimension: usize, row: usize) -> &[CacheLine] {
        self.residuals.get(row * lines(dimension)..(row + 1) * lines(dimension)).unwrap_or_default()
    }

    /// Whether the row has exactly this vector, or none if `unit` is `None`.
    pub fn is(&self, dimension: usize, row: usize, unit: Option<&UnitVector>) -> bool {
        let Some(unit) = unit else { return !self.has(row) };
        self.scales.get(row) == Some(&unit.codes.scale)
            && self.codes(dimension, row).iter().copied().eq(flipped(&unit.codes.codes))
            && self.residuals(dimension, row) == unit.residuals()
    }

    /// The row as a query, if it has a vector.
    pub fn unit(&self, dimension: usize, row: usize) -> Option<UnitVector> {
        let codes = self.query_codes(dimension, row)?;
        let mut numbers = Vec::with_capacity(64 * codes.codes.len());
        for (codes, residuals) in self.codes(dimension, row).iter().zip(self.residuals(dimension, row)) {
            let pairs = codes.0.iter().zip(&residuals.0);
            numbers.extend(pairs.map(|(code, residual)| number(*code, *residual)));
        }
        numbers.iter_mut().for_each(|number| *number *= codes.scale);
        Some(UnitVector { dimension, numbers, codes })
    }

    /// The codes of the row as a query, if it has a vector.
    pub fn query_codes(&self, dimension: usize, row: usize) -> Option<QueryCodes> {
        let scale = *self.scales.get(row).filter(|scale| **scale > 0.0)?;
        let codes: Vec<CacheLine> = flipped(self.codes(dimension, row)).collect();
        let sum = codes.iter().flat_map(|line| line.0).map(|code| i32::from(code.cast_signed())).sum::<i32>();
        Some(QueryCodes { codes, offset: 128 * sum, scale })
    }

    /// Writes the cosine of every row with the query, by codes, into `out`; returns the number of rows. `next` is
    /// scored after this chunk and is prefetched.
    pub fn score(
        &self,
        kernels: Kernels,
        query: &QueryCodes,
        next: Option<&Vectors>,
        dots: &mut [i32],
        out: &mut [f32],
    ) -> usize {
        let rows = self.scales.len().min(out.len()).min(dots.len());
        let dots = &mut dots[..rows];
        let (codes, scales) = next.map(|next| (&*next.codes, &*next.scales)).unwrap_or_default();
        kernels::prefetch(scales.as_chunks::<16>().0);
        kernels.dot_codes(&query.codes, &self.codes, codes, dots);
        kernels.run(
            #[inline(always)]
            || {
                for ((out, dot), scale) in out.iter_mut().zip(dots).zip(&self.scales) {
                    *out = (*dot - query.offset) as f32 * (scale * query.scale);
                }
            },
        );
        rows
    }

    /// The cosine of one row with the query, by codes.
    pub fn score_one(&self, kernels: Kernels, query: &QueryCodes, row: usize) -> f32 {
        let Some(scale) = self.scales.get(row) else { return 0.0 };
        let lines = query.codes.len();
        let mut dot = [0];
        kernels.dot_codes(&query.codes, &self.codes[row * lines..(row + 1) * lines], &[], &mut dot);
        (dot[0] - query.offset) as f32 * (scale * query.scale)
    }

    /// The cosine of one row with the query, in full precision.
    pub fn cosine(&self, kernels: Kernels, query: &UnitVector, dimension: usize, row: usize) -> f32 {
        let (codes, residuals) = (self.codes(dimension, row), self.residuals(dimension, row));
        let dot = kernels.run(
            #[inline(always)]
            || dot(&query.numbers, codes, residuals),
        );
        dot * self.scales.get(row).copied().unwrap_or_default()
    }
}

/// A stored number, in units of one code.
#[inline(always)]
fn number(code: u8, residual: u8) -> f32 {
    f32::from(code) - 128.0 + f32::from(residual.cast_signed()) * (1.0 / STEPS)
}

/// The dot product of a query with a row, in units of one code.
#[inline(always)]
fn dot(query: &[f32], codes: &[CacheLine], residuals: &[CacheLine]) -> f32 {
    let mut sums = [0.0f32; 16];
    for ((codes, residuals), query) in codes.iter().zip(residuals).zip(query.as_chunks::<64>().0) {
        for part in 0..4 {
            for (at, sum) in sums.iter_mut().enumerate() {
                let place = 16 * part + at;
                *sum += query[place] * number(codes.0[place], residuals.0[place]);
            }
        }
    }
    sums.iter().sum()
}

/// A vector of length one, ready to be stored and to be searched with.
#[derive(Clone, Debug)]
pub struct UnitVector {
    dimension: usize,
    /// The numbers, padded with zeros to a whole number of cache lines of codes.
    numbers: Vec<f32>,
    codes: QueryCodes,
}

/// The codes of a query.
#[derive(Clone, Debug)]
pub struct QueryCodes {
    codes: Vec<CacheLine>,
    /// `128 × sum`: the part of a dot product that comes from the 128 added to each stored code.
    offset: i32,
    /// The value of a code of 1.
    scale: f32,
}

/// Converts codes of a stored row to codes of a query, and back.
fn flipped(codes: &[CacheLine]) -> impl Iterator<Item = CacheLine> {
    codes.iter().map(|line| {
        let mut flipped = *line;
        flipped.0.iter_mut().for_each(|code| *code ^= 128);
        flipped
    })
}

impl UnitVector {
    /// Normalises and quantizes a vector.
    ///
    /// # Errors
    /// A vector that cannot be normalised, or is of another dimension.
    pub fn new(vector: &[f32], dimension: usize) -> Result<UnitVector, VectorError> {
        if vector.len() != dimension {
            return Err(VectorError::Dimension { expected: dimension, found: vector.len() });
        }
        let mut numbers = vec![0.0; 64 * lines(dimension)];
        numbers[..dimension].copy_from_slice(vector);
        let kernels = Kernels::detect();
        let length = kernels.run(
            #[inline(always)]
            || length(&numbers),
        );
        if !length.is_finite() {
            return Err(VectorError::NotFinite);
        }
        if length < 1e-12 {
            return Err(VectorError::Zero);
        }
        let mut codes = vec![CacheLine([0; 64]); lines(dimension)];
        let (scale, sum) = kernels.run(
            #[inline(always)]
            || quantize(&mut numbers, (1.0 / length) as f32, &mut codes),
        );
        Ok(UnitVector { dimension, numbers, codes: QueryCodes { codes, offset: 128 * sum, scale } })
    }

    /// The vector itself, if it has this dimension.
    pub(crate) fn of_dimension(&self, dimension: usize) -> Result<&UnitVector, VectorError> {
        match self.dimension == dimension {
            true => Ok(self),
            false => Err(VectorError::Dimension { expected: dimension, found: self.dimension }),
        }
    }

    /// A normalised mix of 70 % of this vector and 30 % of the other.
    ///
    /// # Errors
    /// When the two cancel out.
    pub fn mixed_with(&self, other: &UnitVector, dimension: usize) -> Result<UnitVector, VectorError> {
        let pairs = self.numbers.iter().zip(&other.numbers).take(dimension);
        let mixed: Vec<f32> = pairs.map(|(one, other)| 0.7 * one + 0.3 * other).collect();
        UnitVector::new(&mixed, dimension)
    }

    pub(crate) fn codes(&self) -> &QueryCodes {
        &self.codes
    }

    fn residuals(&self) -> Vec<CacheLine> {
        let mut residuals = vec![CacheLine([0; 64]); self.codes.codes.len()];
        let finer = 1.0 / self.codes.scale;
        let lines = self.codes.codes.iter().zip(self.numbers.as_chunks::<64>().0);
        Kernels::detect().run(
            #[inline(always)]
            || {
                for (residuals, (codes, numbers)) in residuals.iter_mut().zip(lines) {
                    let numbers = codes.0.iter().zip(numbers);
                    for (residual, (code, number)) in residuals.0.iter_mut().zip(numbers) {
                        let left = number * finer - f32::from(code.cast_signed());
                        *residual = ((left * STEPS).round().clamp(-127.0, 127.0) as i8).cast_unsigned();
                    }
                }
            },
        );
        residuals
    }
}

/// The length of a vector; not finite if one of its numbers is not finite.
#[inline(always)]
fn length(numbers: &[f32]) -> f64 {
    let mut squares = [0.0f64; 16];
    for numbers in numbers.as_chunks::<16>().0 {
        for (sum, number) in squares.iter_mut().zip(numbers) {
            *sum += f64::from(*number) * f64::from(*number);
        }
    }
    squares.iter().sum::<f64>().sqrt()
}

/// Adding this to a small number leaves the nearest integer in the low bits of the sum. The compiler vectorises this
/// addition for 16 numbers, but not a conversion to integers.
const ROUNDING: f32 = 12_582_912.0;

/// Multiplies a vector by `scale` and gives each number its code. Returns the value of a code of 1, and the sum of
/// the codes.
#[inline(always)]
fn quantize(numbers: &mut [f32], scale: f32, codes: &mut [CacheLine]) -> (f32, i32) {
    let mut largest = [0.0f32; 16];
    for numbers in numbers.as_chunks_mut::<16>().0 {
        for (number, largest) in numbers.iter_mut().zip(&mut largest) {
            *number *= scale;
            *largest = if number.abs() > *largest { number.abs() } else { *largest };
        }
    }
    let scale = largest.iter().fold(0.0f32, |one, other| one.max(*other)) / 127.0;
    let finer = 1.0 / scale;
    let mut sums = [0i32; 16];
    for (line, numbers) in codes.iter_mut().zip(numbers.as_chunks::<64>().0) {
        for (place, number) in numbers.iter().enumerate() {
            let code = (number * finer + ROUNDING).to_bits().wrapping_sub(ROUNDING.to_bits());
            sums[place % 16] += code.cast_signed();
            line.0[place] = code as u8;
        }
    }
    (scale, sums.iter().sum())
}
