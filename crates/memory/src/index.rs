//! Indexing: giving every stored text its vector, in batches, again and again until it has one.
//!
//! A run goes once through what waits. A text whose embedding fails stays in the store's queue for
//! the next run (L18); one in which the model finds nothing leaves the queue without a vector.

use std::slice;

use greenroom_models::Embedder;
use greenroom_store::NewVector;

use crate::{
    Memory, MemoryError,
    embed::{Embedding, embed, one_line},
    memory::space_of,
};

/// Texts in one call of the embedder.
const BATCH: usize = 64;

/// After so many failed calls in a row the embedder is down and the run ends.
const DOWN_AFTER: usize = 3;

/// What an indexing run did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexReport {
    /// Texts that have a vector now.
    pub embedded: u64,
    /// Texts that still wait because the embedder failed, as far as the run came (L18); worth
    /// another run later.
    pub pending: u64,
    /// Texts that hold nothing the model knows; they are found by their words alone and not tried
    /// again (FG2).
    pub empty: u64,
}

impl Memory {
    /// Embeds everything that waits for a vector. Safe to call at any time and from several
    /// places; texts whose embedding fails stay pending.
    pub async fn index_pending(&self) -> Result<IndexReport, MemoryError> {
        let mut report = IndexReport::default();
        let Some(embedder) = self.embedder.as_deref() else { return Ok(report) };
        let space = space_of(embedder);
        let mut after = None;
        loop {
            let batch = self.store.unembedded(&space, after, BATCH).await?;
            let Some(last) = batch.last() else { return Ok(report) };
            after = Some(last.item);

            let texts: Vec<String> = batch.iter().map(|u| u.text.clone()).collect();
            let embeddings = embed_each(embedder, &texts).await;
            let down = embeddings.len() < batch.len();
            report.pending += (batch.len() - embeddings.len()) as u64;
            let mut vectors = Vec::with_capacity(batch.len());
            let mut empty = Vec::new();
            for (waiting, embedding) in batch.iter().zip(embeddings) {
                match embedding {
                    Embedding::Vector(vector) => {
                        vectors.push(NewVector { item: waiting.item, version: waiting.version, vector });
                    }
                    Embedding::Nothing => empty.push((waiting.item, waiting.version)),
                    Embedding::Unusable(reason) => {
                        tracing::debug!(item = %waiting.item, "not embedded: {reason}");
                        report.pending += 1;
                    }
                }
            }
            report.embedded += vectors.len() as u64;
            report.empty += empty.len() as u64;
            if !vectors.is_empty() {
                self.store.put_vectors(&space, vectors).await?;
            }
            if !empty.is_empty() {
                self.store.pass_over(&space, empty).await?;
            }
            if down {
                return Ok(report);
            }
        }
    }
}

/// One call for all of them; where that fails one a text, so that a text the embedder chokes on
/// does not hold up the others. Shorter than `texts` when the embedder turned out to be down.
async fn embed_each(embedder: &dyn Embedder, texts: &[String]) -> Vec<Embedding> {
    match embed(embedder, texts).await {
        Ok(all) => return all,
        Err(error) => tracing::warn!("{} texts not embedded together: {}", texts.len(), one_line(&error)),
    }
    let mut embeddings = Vec::with_capacity(texts.len());
    let mut failures = 0;
    for text in texts {
        match embed(embedder, slice::from_ref(text)).await {
            Ok(one) => {
                failures = 0;
                embeddings.extend(one);
            }
            Err(error) => {
                failures += 1;
                if failures == DOWN_AFTER {
                    break;
                }
                embeddings.push(Embedding::Unusable(one_line(&error)));
            }
        }
    }
    embeddings
}
