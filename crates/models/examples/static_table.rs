//! Makes the English table of the static embedder from the installed weights of all-MiniLM-L6-v2, or checks that the table in
//! `assets/` equals the one this program makes.
//!
//! ```text
//! greenroom models pull minilm
//! cargo run --release -p greenroom-models --example static_table -- DATA/models            # write
//! cargo run --release -p greenroom-models --example static_table -- --check DATA/models    # compare
//! ```
//!
//! The steps:
//!
//! 1. Every word piece goes through the model alone, between its two marks, and the last layer is averaged.
//! 2. Three quarters of the mean of all pieces are subtracted, and the 384 numbers are projected onto their 128
//!    principal axes.
//! 3. Each row is weighted by `a / (a + p)` with `a` = 7e-5, after Arora et al., "A simple but tough-to-beat baseline
//!    for sentence embeddings", 2017. `p` is the piece's frequency, estimated from its rank by Zipf's law: the
//!    vocabulary is sorted by frequency.
//! 4. Words that occur in every text and punctuation get a tenth of that weight.
//! 5. Each row is stored as 128 signed bytes and a scale. Rows that represent no text (`[CLS]`, `[unused7]` …) are
//!    zero.
//!
//! Without the subtraction, any two texts have a cosine of 0.8; with the whole mean subtracted, questions find a
//! little less. With three quarters, unrelated texts have 0.25 on average, a question and its answer 0.48, and one
//! unrelated pair in fifty is above 0.5, so that a threshold separates them.

use std::{error::Error, fs, path::PathBuf};

use greenroom_models::{MiniLm, Weights};

#[path = "static_table/axes.rs"]
mod axes;
#[path = "static_table/common.rs"]
mod common;

/// The ids of the marks around a text.
const CLS: u32 = 101;
const SEP: u32 = 102;
/// The number of principal axes that are kept.
const DIMENSION: usize = 128;
/// Word pieces in one pass.
const BATCH: usize = 512;
/// The smoothing of the weights: pieces much more frequent than this count less.
const SMOOTHING: f64 = 7e-5;
/// How much of the mean of all pieces is taken away.
const CENTRING: f64 = 0.75;
/// The weight factor of a piece that occurs in every text.
const COMMON: f64 = 0.1;
/// The least cosine of a row with the stored one. Processors that add in another order give slightly different rows.
const SAME_DIRECTION: f64 = 0.9998;
/// The greatest difference in length, as a share. A row of few large numbers changes its length with the rounding of
/// the largest one: up to 0.1 % between two processors, at a cosine of 0.99998.
const SAME_LENGTH: f64 = 0.005;

fn main() -> Result<(), Box<dyn Error>> {
    let mut check = false;
    let mut models = None;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--check" => check = true,
            _ => models = Some(PathBuf::from(argument)),
        }
    }
    let models = models.ok_or("which directory are the weights in? DATA/models, usually")?;
    let installed =
        Weights::new(models).installed("minilm").ok_or("run `greenroom models pull minilm` first")?;
    let model = MiniLm::load(&installed.dir)?;
    let vocabulary = model.vocabulary();
    let table = table(&model, &vocabulary)?;

    let assets = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets");
    let (table_path, vocabulary_path) = (assets.join("static-minilm-128.bin"), assets.join("vocab.txt"));
    let words = vocabulary.join("\n") + "\n";
    if check {
        if fs::read_to_string(vocabulary_path)? != words {
            return Err("assets/vocab.txt is not the vocabulary of the model".into());
        }
        compare(&fs::read(table_path)?, &table, &vocabulary)
    } else {
        fs::write(vocabulary_path, words)?;
        fs::write(table_path, table)?;
        Ok(())
    }
}

/// The bytes of the table.
fn table(model: &MiniLm, vocabulary: &[String]) -> Result<Vec<u8>, Box<dyn Error>> {
    let sequences: Vec<[u32; 3]> = (0u32..).zip(vocabulary).map(|(id, _)| [CLS, id, SEP]).collect();
    let mut rows: Vec<Vec<f32>> = Vec::with_capacity(sequences.len());
    for batch in sequences.chunks(BATCH) {
        let batch: Vec<&[u32]> = batch.iter().map(|ids| ids.as_slice()).collect();
        rows.extend(model.mean_pool(&batch)?);
    }
    axes::centre(&mut rows, CENTRING);
    let rows = axes::principal(&rows, DIMENSION);
    let total: f64 = (0..vocabulary.len()).map(zipf).sum();
    let mut bytes = Vec::new();
    for (rank, (row, piece)) in rows.iter().zip(vocabulary).enumerate() {
        let frequency = zipf(rank) / total;
        let share = if common::is_common(piece) { COMMON } else { 1.0 };
        let weight = if is_text(piece) { share * SMOOTHING / (SMOOTHING + frequency) } else { 0.0 };
        push_row(&mut bytes, row, weight as f32);
    }
    Ok(bytes)
}

/// Zipf's law: the frequency of the piece at a rank, up to a factor.
fn zipf(rank: usize) -> f64 {
    1.0 / (rank as f64 + 2.0)
}

/// Whether a piece can represent text.
fn is_text(piece: &str) -> bool {
    piece.chars().count() == 1 || !(piece.starts_with('[') && piece.ends_with(']'))
}

/// Adds a scale and signed bytes to the table: `weight` is part of the scale.
fn push_row(bytes: &mut Vec<u8>, row: &[f32], weight: f32) {
    let largest = row.iter().fold(0f32, |largest, x| largest.max(x.abs())).max(f32::MIN_POSITIVE);
    let step = largest / 127.0;
    bytes.extend((step * weight).to_le_bytes());
    bytes.extend(row.iter().map(|x| ((x / step).round() as i8).cast_unsigned()));
}

/// Fails at the first row with another direction or another length.
fn compare(stored: &[u8], made: &[u8], vocabulary: &[String]) -> Result<(), Box<dyn Error>> {
    if stored.len() != made.len() {
        return Err(format!("the table has {} bytes and should have {}", stored.len(), made.len()).into());
    }
    let size = made.len() / vocabulary.len();
    for ((a, b), piece) in stored.chunks(size).zip(made.chunks(size)).zip(vocabulary) {
        let (a, b) = (values(a), values(b));
        let (aa, ab, bb) = (dot(&a, &a), dot(&a, &b), dot(&b, &b));
        let lengths = (aa * bb).sqrt();
        if ab < SAME_DIRECTION * lengths || (aa - bb).abs() > 2.0 * SAME_LENGTH * lengths {
            return Err(format!("the row of `{piece}` is not the one the weights give").into());
        }
    }
    println!("all {} rows are those the weights give", vocabulary.len());
    Ok(())
}

fn values(row: &[u8]) -> Vec<f64> {
    let (scale, values) = row.split_at(4);
    let scale = f32::from_le_bytes([scale[0], scale[1], scale[2], scale[3]]);
    values.iter().map(|value| f64::from(scale * f32::from(value.cast_signed()))).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
