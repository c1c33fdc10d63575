//! The vectors of one chunk, in one byte a number and a second byte that makes it finer, and a query in both
//! forms. A search reads the first bytes of every row and both of the few that are nearest. Two bytes are as
//! good as the four of a float: the error of a cosine is some millionths.

use std::sync::Arc;

use crate::chunk::with_room;
use crate::kernels::{self, CacheLine, Kernels, Lane};
use crate::row::VectorError;

/// The vectors of the rows of a chunk, end to end. A row without one is all zero.
#[derive(Default)]
pub struct Vectors {
    codes: Vec<CacheLine>,
    /// What a code of 1 stands for.
    scales: Vec<f32>,
    /// `128 × sum` of each row's codes, for the row as a query.
    offsets: Vec<i32>,
    /// What the codes leave, in parts of a code: the bits of `i8`. In blocks of [`BLOCK`] rows: a copy shares
    /// all but the one that is written to.
    fine: Vec<Arc<Vec<CacheLine>>>,
}

/// Rows whose finer bytes lie together.
const BLOCK: usize = 16;

/// Parts of a code: a half of it, which is the most that is left, is 127 of them.
const PARTS: f32 = 254.0;

impl Clone for Vectors {
    fn clone(&self) -> Self {
        let width = self.codes.len() / self.scales.len().max(1);
        Vectors {
            codes: with_room(&self.codes, width),
            scales: with_room(&self.scales, 1),
            offsets: with_room(&self.offsets, 1),
            fine: self.fine.clone(),
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
        let (row, lines) = (self.scales.len(), lines(dimension));
        self.codes.resize(self.codes.len() + lines, CacheLine([128; 64]));
        self.scales.push(0.0);
        self.offsets.push(0);
        if row.is_multiple_of(BLOCK) {
            // most places hold a few rows
            let room = if row == 0 { 0 } else { BLOCK * lines };
            self.fine.push(Arc::new(Vec::with_capacity(room)));
        }
        if let Some(block) = self.fine.last_mut() {
            if Arc::get_mut(block).is_none() {
                *block = Arc::new(with_room(block, lines));
            }
            let block = Arc::make_mut(block);
            block.resize(block.len() + lines, CacheLine([0; 64]));
        }
        if unit.is_some() {
            self.set(dimension, row, unit);
        }
    }

    /// Replaces the vector of a row.
    pub fn set(&mut self, dimension: usize, row: usize, unit: Option<&Unit>) {
        let lines = lines(dimension);
        if let Some(place) = self.codes.get_mut(row * lines..(row + 1) * lines) {
            match unit {
                Some(unit) => {
                    place.iter_mut().zip(turned(&unit.coded.codes)).for_each(|(old, new)| *old = new)
                }
                None => place.fill(CacheLine([128; 64])),
            }
        }
        let at = row % BLOCK * lines;
        let block = self.fine.get_mut(row / BLOCK).map(Arc::make_mut);
        if let Some(place) = block.and_then(|block| block.get_mut(at..at + lines)) {
            match unit {
                Some(unit) => place.iter_mut().zip(unit.fine()).for_each(|(old, new)| *old = new),
                None => place.fill(CacheLine([0; 64])),
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
    pub fn codes(&self, dimension: usize, row: usize) -> &[CacheLine] {
        let lines = lines(dimension);
        self.codes.get(row * lines..(row + 1) * lines).unwrap_or_default()
    }

    /// The row's finer bytes.
    pub fn fine(&self, dimension: usize, row: usize) -> &[CacheLine] {
        let lines = lines(dimension);
        let at = row % BLOCK * lines;
        self.fine.get(row / BLOCK).and_then(|block| block.get(at..at + lines)).unwrap_or_default()
    }

    /// Whether the row has this vector, or none.
    pub fn is(&self, dimension: usize, row: usize, unit: Option<&Unit>) -> bool {
        let Some(unit) = unit else { return !self.has(row) };
        self.scales.get(row) == Some(&unit.coded.scale)
            && self.codes(dimension, row).iter().copied().eq(turned(&unit.coded.codes))
            && self.fine(dimension, row).iter().copied().eq(unit.fine())
    }

    /// The row as a query: its vector or nothing.
    pub fn unit(&self, dimension: usize, row: usize) -> Option<Unit> {
        let coded = self.coded(dimension, row)?;
        let mut full = Vec::with_capacity(lanes(dimension));
        self.expand(dimension, row, &mut full);
        Some(Unit { dimension, full, coded })
    }

    /// Adds the row in full to others.
    fn expand(&self, dimension: usize, row: usize, full: &mut Vec<Lane>) {
        let scale = self.scales.get(row).copied().unwrap_or_default();
        let (end, lanes) = (full.len(), lanes(dimension));
        for (codes, fine) in self.codes(dimension, row).iter().zip(self.fine(dimension, row)) {
            for (codes, fine) in codes.0.as_chunks::<16>().0.iter().zip(fine.0.as_chunks::<16>().0) {
                full.push(Lane(std::array::from_fn(|at| number(codes[at], fine[at]) * scale)));
            }
        }
        full.truncate(end + lanes); // the rest of the last line is zero
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
    pub fn score_full(&self, kernels: Kernels, query: &Unit, out: &mut [f32]) -> usize {
        let rows = self.scales.len().min(out.len());
        let mut block = Vec::with_capacity(BLOCK * query.full.len());
        for (at, out) in out[..rows].chunks_mut(BLOCK).enumerate() {
            block.clear();
            (0..out.len()).for_each(|row| self.expand(query.dimension, at * BLOCK + row, &mut block));
            kernels.full(&query.full, &block, &[], out);
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
        let (codes, fine) = (self.codes(dimension, row), self.fine(dimension, row));
        let dot = kernels.run(
            #[inline(always)]
            || dot(&query.full, codes, fine),
        );
        dot * self.scales.get(row).copied().unwrap_or_default()
    }
}

/// What a code and its finer part stand for, in codes of 1.
#[inline(always)]
fn number(code: u8, fine: u8) -> f32 {
    f32::from(code) - 128.0 + f32::from(fine as i8) * (1.0 / PARTS)
}

/// The dot product of a query with a row, in codes of 1.
#[inline(always)]
fn dot(query: &[Lane], codes: &[CacheLine], fine: &[CacheLine]) -> f32 {
    let mut sums = [0.0f32; 16];
    for ((codes, fine), lanes) in codes.iter().zip(fine).zip(query.chunks(4)) {
        let (codes, fine) = (codes.0.as_chunks::<16>().0, fine.0.as_chunks::<16>().0);
        for ((codes, fine), lane) in codes.iter().zip(fine).zip(lanes) {
            for at in 0..16 {
                sums[at] += lane.0[at] * number(codes[at], fine[at]);
            }
        }
    }
    sums.iter().sum()
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
    codes: Vec<CacheLine>,
    /// `128 × sum`: what the offset of the stored bytes adds to a dot product.
    offset: i32,
    /// What a code of 1 stands for.
    scale: f32,
}

/// Stored bytes as the bits of `i8`, which the kernels want of a query, and the other way round.
fn turned(codes: &[CacheLine]) -> impl Iterator<Item = CacheLine> {
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
        let mut codes = vec![CacheLine([0; 64]); lines(dimension)];
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

    /// What the codes leave of each number, as it is stored beside them.
    fn fine(&self) -> impl Iterator<Item = CacheLine> {
        let finer = 1.0 / self.coded.scale;
        self.coded.codes.iter().zip(self.full.chunks(4)).map(move |(codes, lanes)| {
            let mut line = CacheLine([0; 64]);
            let codes = codes.0.as_chunks::<16>().0;
            for ((part, codes), lane) in line.0.as_chunks_mut::<16>().0.iter_mut().zip(codes).zip(lanes) {
                for at in 0..16 {
                    let left = lane.0[at] * finer - f32::from(codes[at] as i8);
                    part[at] = (left * PARTS).round().clamp(-127.0, 127.0) as i8 as u8;
                }
            }
            line
        })
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
fn encode(full: &mut [Lane], scale: f32, codes: &mut [CacheLine]) -> (f32, i32) {
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
