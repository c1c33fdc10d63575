//! Embeds the lines of standard input with the multilingual embedder, before the projection of the vectors, for
//! `scripts/fit_words.py`.
//!
//! ```text
//! cargo run --release -p greenroom-models --example embed_lines -- DATA/models VECTORS < LINES
//! ```
//!
//! The vectors are written one after the other, each number as a little-endian f32.

use std::{error::Error, fs, io, path::PathBuf};

use greenroom_models::{MultilingualEmbedder, Weights};

/// The number of texts per call of the embedder.
const TEXTS: usize = 64;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [models, output] = arguments.as_slice() else {
        return Err("usage: embed_lines MODELS VECTORS".into());
    };
    let embedder = MultilingualEmbedder::new(Weights::new(PathBuf::from(models)));
    let lines: Vec<String> = io::stdin().lines().collect::<Result<_, _>>()?;
    let mut bytes = Vec::new();
    for batch in lines.chunks(TEXTS) {
        let vectors = embedder.joined_vectors(batch).await?;
        bytes.extend(vectors.into_iter().flatten().flat_map(f32::to_le_bytes));
    }
    fs::write(output, bytes)?;
    Ok(())
}
