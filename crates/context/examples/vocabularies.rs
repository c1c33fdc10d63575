//! Writes the vocabularies in `assets/` from the data of `bpe-openai`: `cargo run -p greenroom-context --example
//! vocabularies`.

use std::{fs, io};

use bpe_openai::Tokenizer;

fn main() -> io::Result<()> {
    write("o200k_base", bpe_openai::o200k_base())?;
    write("cl100k_base", bpe_openai::cl100k_base())
}

/// Writes each token in the order of its rank: its length as one byte, then its bytes.
fn write(name: &str, tokenizer: &Tokenizer) -> io::Result<()> {
    let mut vocabulary = Vec::new();
    for rank in 0..tokenizer.bpe.num_tokens() as u32 {
        let token = tokenizer.bpe.token_bytes(rank);
        vocabulary.push(u8::try_from(token.len()).map_err(io::Error::other)?);
        vocabulary.extend_from_slice(token);
    }
    fs::write(format!("{}/assets/{name}.tokens", env!("CARGO_MANIFEST_DIR")), vocabulary)
}
