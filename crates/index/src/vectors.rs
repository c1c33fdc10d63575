//! The vectors of one chunk, in full and in one byte a number, and a query in both forms.

use std::sync::Arc;

use crate::chunk::with_room;
use crate::kernels::{self, Kernels, Lane, Line};
use crate::row::VectorError;

/// The vectors of the rows of a chunk, end to end. A row without one is all zero.
#[derive(Default)]
pub struct Vectors {
    codes: Vec<Line>,
    /// What a code of 1 stands for.
    scales: Vec<f32>,
    /// `128 × sum` of each row's codes, for the row as a query.
    offsets: Vec<i32>,
    /// In blocks of [`BLOCK`] rows, since it is most of what there is: a copy shares all but the one that is
    /// written to.
    full: Vec<Arc<Vec<Lane>>>,
}

/// Rows whose vectors lie together in full.
const BLOCK: usize = 16;

impl Clone for Vectors {
    fn clone(&self) -> Self {
        let width = self.codes.len() / self.scales.len().max(1);
        Vectors {
            codes: with_room(&self.codes, width),
            scales: with_room(&self.scales, 1),
            offsets: with_room(&self.offsets, 1),
            full: self.full.clone(),
        }
    }
}

/// Cache lines a vector takes as bytes.
pub fn lines(dimension: usize) -> usize {
    dimension.div_ceil(64)
}

/// Cache lines a vector takes in full.
fn lanes(dimension: usize) -> usize {
    dimension.div_ceil(16)
}

impl Vectors {
    /// Adds a row, without a vector if there is no `unit`.
    pub fn push(&mut self, dimension: usize, unit: Option<&Unit>) {
        let (row, lanes) = (self.scales.len(), lanes(dimension));
        self.codes.resize(self.codes.len() + lines(dimension), Line([128; 64]));
        self.scales.push(0.0);
        self.offsets.push(0);
        if row.is_multiple_of(BLOCK) {
            // most places hold a few rows
            let room = if row == 0 { 0 } else { BLOCK * lanes };
            self.full.push(Arc::new(Vec::with_capacity(room)));
        }
        if let Some(block) = self.full.last_mut() {
            if Arc::get_mut(block).is_none() {
                *block = Arc::new(with_room(block, lanes));
            }
            let block = Arc::make_mut(block);
            block.resize(block.len() + lanes, Lane([0.0; 16]));
        }
        if unit.is_some() {
            self.set(dimension, row, unit);
        }
    }

    /// Replaces the vector of a row.
    pub fn set(&mut self, dimension: usize, row: usize, unit: Option<&Unit>) {
        let (lines, lanes) = (lines(dimension), lanes(dimension));
        if let Some(place) = self.codes.get_mut(row * lines..(row + 1) * lines) {
            match unit {
                Some(unit) => {
                    place.iter_mut().zip(turned(&unit.coded.codes)).for_each(|(old, new)| *old = new)
                }
                None => place.fill(Line([128; 64])),
            }
        }
        let at = row % BLOCK * lanes;
        let block = self.full.get_mut(row / BLOCK).map(Arc::make_mut);
        if let Some(place) = block.and_then(|block| block.get_mut(at..at + lanes)) {
            match unit {
                Some(unit) => place.copy_from_slice(&unit.full),
                None => place.fill(Lane([0.0; 16])),
            }
        }
        if let (Some(scale), Some(offset)) = (self.scales.get_mut(row), self.offsets.get_mut(row)) {
            (*scale, *offset) = unit.map_or((0.0, 0), |unit| (unit.coded.scale, unit.coded.offset));
        }
    }

    /// A row without a vector is never found.
    pub fn hide_missing(&self, scores: &mut [f32]) {
        for (score, scale) in scores.iter_mut().zip(&self.scales) {
            *score = if *scale > 0.0 { *score } else { f32::NEG_INFINITY };
        }
    }

    /// Whether the row has a vector.
    pub fn has(&self, row: usize) -> bool {
        self.scales.get(row).is_some_and(|scale| *scale > 0.0)
    }

    /// The row's bytes.
    pub fn codes(&self, dimension: usize, row: usize) -> &[Line] {
        let lines = lines(dimension);
        self.codes.get(row * lines..(row + 1) * lines).unwrap_or_default()
    }

    /// The row in full.
    pub fn full(&self, dimension: usize, row: usize) -> &[Lane] {
        let lanes = lanes(dimension);
        let at = row % BLOCK * lanes;
        self.full.get(row / BLOCK).and_then(|block| block.get(at..at + lanes)).unwrap_or_default()
    }

    /// The row as a query: its vector or nothing.
    pub fn unit(&self, dimension: usize, row: usize) -> Option<Unit> {
        let coded = self.coded(dimension, row)?;
        Some(Unit { dimension, full: self.full(dimension, row).to_vec(), coded })
    }

    /// The row as a query by bytes: its vector or nothing.
    pub fn coded(&self, dimension: usize, row: usize) -> Option<Coded> {
        let scale = *self.scales.get(row).filter(|scale| **scale > 0.0)?;
        let codes = turned(self.codes(dimension, row)).collect();
        Some(Coded { codes, offset: *self.offsets.get(row)?, scale })
    }

    /// The cosine of every row with the query, from the bytes, into `out`; returns how many rows there
    /// are. `next` are scored after these.
    pub fn score(
        &self,
        kernels: Kernels,
        query: &Unit,
        next: Option<&Vectors>,
        dots: &mut [i32],
        out: &mut [f32],
    ) -> usize {
        let rows = self.scales.len().min(out.len()).min(dots.len());
        let dots = &mut dots[..rows];
        let (codes, scales) = next.map(|next| (&*next.codes, &*next.scales)).unwrap_or_default();
        kernels::prefetch(scales.as_chunks::<16>().0);
        kernels.coded(&query.coded.codes, &self.codes, codes, dots);
        kernels.run(
            #[inline(always)]
            || scaled(out, dots, &self.scales, &query.coded),
        );
        rows
    }

    /// The same in full.
    pub fn score_full(
        &self,
        kernels: Kernels,
        query: &Unit,
        next: Option<&Vectors>,
        out: &mut [f32],
    ) -> usize {
        let rows = self.scales.len().min(out.len());
        let after = next.and_then(|next| next.full.first());
        let next = self.full.iter().skip(1).chain(after).map(|block| block.as_slice()).chain([&[][..]]);
        for ((out, block), next) in out[..rows].chunks_mut(BLOCK).zip(&self.full).zip(next) {
            kernels.full(&query.full, block, next, out);
        }
        rows
    }

    /// The cosine of one row with the query, from the bytes.
    pub fn score_one(&self, kernels: Kernels, query: &Coded, row: usize) -> f32 {
        let Some(scale) = self.scales.get(row) else { return 0.0 };
        let lines = query.codes.len();
        let mut dot = [0];
        kernels.coded(&query.codes, &self.codes[row * lines..(row + 1) * lines], &[], &mut dot);
        (dot[0] - query.offset) as f32 * (scale * query.scale)
    }

    /// The cosine of one row with the query, in full.
    pub fn cosine(&self, kernels: Kernels, query: &Unit, dimension: usize, row: usize) -> f32 {
        let mut dot = [0.0];
        kernels.full(&query.full, self.full(dimension, row), &[], &mut dot);
        dot[0]
    }
}

/// A vector of length one, ready to be stored and to be searched with.
#[derive(Clone, Debug)]
pub struct Unit {
    dimension: usize,
    full: Vec<Lane>,
    coded: Coded,
}

/// A query by bytes.
#[derive(Clone, Debug)]
pub struct Coded {
    codes: Vec<Line>,
    /// `128 × sum`: what the offset of the stored bytes adds to a dot product.
    offset: i32,
    /// What a code of 1 stands for.
    scale: f32,
}

/// Stored bytes as the bits of `i8`, which the kernels want of a query, and the other way round.
fn turned(codes: &[Line]) -> impl Iterator<Item = Line> {
    codes.iter().map(|line| {
        let mut line = *line;
        line.0.iter_mut().for_each(|code| *code ^= 128);
        line
    })
}

impl Unit {
    /// Normalises and encodes: the largest number of the vector becomes ±127.
    ///
    /// # Errors
    /// What cannot be normalised, or is of another dimension.
    pub fn new(vector: &[f32], dimension: usize) -> Result<Unit, VectorError> {
        if vector.len() != dimension {
            return Err(VectorError::Dimension { expected: dimension, found: vector.len() });
        }
        let mut full = vec![Lane([0.0; 16]); lanes(dimension)];
        for (lane, numbers) in full.iter_mut().zip(vector.chunks(16)) {
            lane.0[..numbers.len()].copy_from_slice(numbers);
        }
        let kernels = Kernels::detect();
        let length = kernels.run(
            #[inline(always)]
            || length(&full),
        );
        if !length.is_finite() {
            return Err(VectorError::NotFinite);
        }
        if length < 1e-12 {
            return Err(VectorError::Zero);
        }
        let mut codes = vec![Line([0; 64]); lines(dimension)];
        let (scale, sum) = kernels.run(
            #[inline(always)]
            || encode(&mut full, (1.0 / length) as f32, &mut codes),
        );
        Ok(Unit { dimension, full, coded: Coded { codes, offset: 128 * sum, scale } })
    }

    /// This one, where it is of so many numbers.
    ///
    /// # Errors
    /// It is not.
    pub(crate) fn of(&self, dimension: usize) -> Result<&Unit, VectorError> {
        match self.dimension == dimension {
            true => Ok(self),
            false => Err(VectorError::Dimension { expected: dimension, found: self.dimension }),
        }
    }

    /// Seven parts of this one and three of the other.
    ///
    /// # Errors
    /// When they cancel out.
    pub fn mixed_with(&self, other: &Unit, dimension: usize) -> Result<Unit, VectorError> {
        let pairs = self.full.iter().flat_map(|lane| lane.0).zip(other.full.iter().flat_map(|lane| lane.0));
        let mixed: Vec<f32> = pairs.take(dimension).map(|(one, other)| 0.7 * one + 0.3 * other).collect();
        Unit::new(&mixed, dimension)
    }

    /// The vector as a query by bytes.
    pub fn coded(&self) -> &Coded {
        &self.coded
    }

    /// The vector in full.
    pub fn full(&self) -> &[Lane] {
        &self.full
    }
}

/// The cosines from the dot products of bytes.
#[inline(always)]
fn scaled(out: &mut [f32], dots: &[i32], scales: &[f32], query: &Coded) {
    for ((out, dot), scale) in out.iter_mut().zip(dots).zip(scales) {
        *out = (*dot - query.offset) as f32 * (scale * query.scale);
    }
}

/// The length of a vector; not finite if a number is not.
#[inline(always)]
fn length(full: &[Lane]) -> f64 {
    let mut squares = [0.0f64; 16];
    for lane in full {
        for (sum, number) in squares.iter_mut().zip(&lane.0) {
            *sum += f64::from(*number) * f64::from(*number);
        }
    }
    squares.iter().sum::<f64>().sqrt()
}

/// So large that nothing after the point is left of a sum with it, whose last bits then are the whole number:
/// done for many at a time, which the conversion to integers is not.
const ROUNDING: f32 = 12_582_912.0;

/// Scales a vector, and gives each number its code, the bits of an `i8`. What a code of 1 stands for, and the
/// sum of the codes.
#[inline(always)]
fn encode(full: &mut [Lane], scale: f32, codes: &mut [Line]) -> (f32, i32) {
    let mut largest = [0.0f32; 16];
    for lane in &mut *full {
        for (number, largest) in lane.0.iter_mut().zip(&mut largest) {
            *number *= scale;
            *largest = if number.abs() > *largest { number.abs() } else { *largest };
        }
    }
    let scale = largest.iter().fold(0.0f32, |one, other| one.max(*other)) / 127.0;
    let finer = 1.0 / scale;
    let mut sums = [0i32; 16];
    for (line, lanes) in codes.iter_mut().zip(full.chunks(4)) {
        for (part, lane) in line.0.as_chunks_mut::<16>().0.iter_mut().zip(lanes) {
            for at in 0..16 {
                let code = (lane.0[at] * finer + ROUNDING).to_bits().wrapping_sub(ROUNDING.to_bits());
                sums[at] += code as i32;
                part[at] = code as u8;
            }
        }
    }
    (scale, sums.iter().sum())
}
