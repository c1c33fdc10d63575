//! An embedder of your own. It represents a text by its runs of three letters, and so finds parts of a word, which a
//! comparison of whole words does not.

use std::{error::Error, sync::Arc};

use async_trait::async_trait;
use greenroom_core::{SystemClock, Viewer};
use greenroom_memory::Library;
use greenroom_models::{EmbedError, Embedder, normalise};
use greenroom_store_sqlite::SqliteStore;

/// The dimension of a vector.
const DIMENSION: usize = 256;

/// Counts the runs of three letters in a text.
struct Trigrams;

#[async_trait]
impl Embedder for Trigrams {
    /// The name is stored with every vector. Change it when the vectors change: Greenroom then embeds all texts again
    /// and never compares old vectors with new ones.
    fn model(&self) -> &str {
        "trigrams@1"
    }

    fn dimension(&self) -> usize {
        DIMENSION
    }

    /// A vector takes some microseconds, so it is stored together with its text.
    fn at_once(&self) -> bool {
        true
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| vector(text)).collect())
    }
}

fn vector(text: &str) -> Vec<f32> {
    let letters: Vec<char> = format!("  {} ", text.to_lowercase()).chars().collect();
    let mut vector = vec![0.0; DIMENSION];
    for run in letters.windows(3) {
        let place = bucket(run) % DIMENSION;
        vector[place] += 1.0;
    }
    normalise(&mut vector);
    vector
}

/// FNV-1a: the same in every run of the program, as stored vectors need it.
fn bucket(letters: &[char]) -> usize {
    letters.iter().fold(0x811c_9dc5_u32, |hash, &letter| (hash ^ letter as u32).wrapping_mul(0x0100_0193))
        as usize
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let viewer = Viewer::new("agent".parse()?, "api:den".parse()?, None);
    let by_words: Option<Arc<dyn Embedder>> = None;
    let by_letters: Option<Arc<dyn Embedder>> = Some(Arc::new(Trigrams));
    for (name, embedder) in [("words alone", by_words), ("trigrams", by_letters)] {
        let store = Arc::new(SqliteStore::open(&directory.path().join(format!("{name}.db"))).await?);
        let library = Library::new(store, embedder, Arc::new(SystemClock));
        library.add_knowledge(&viewer, "The harbourmaster lives upstairs", "handbook", None).await?;
        library.add_knowledge(&viewer, "Lunch is at noon", "handbook", None).await?;
        let found = library.search(&viewer, "masters of harbors").await?;
        let found: Vec<&str> = found.knowledge.iter().map(|known| known.content.as_str()).collect();
        println!("{name}: {found:?}");
    }
    Ok(())
}
