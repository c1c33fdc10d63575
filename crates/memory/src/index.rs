//! Indexing: gives every stored text a vector, in batches. The memory actor calls it after replies.
//!
//! A run goes once through the texts that have no vector. A text whose embedding fails stays in the store's queue for
//! the next run (L18). A text in which the model finds nothing leaves the queue without a vector. A run that completed
//! everything remembers the journal's end, so that the next run reads only later writes. After a change of embedder
//! every text needs a vector of the new model. Queries meanwhile use the old vectors, and new texts get an old vector
//! first (FG16, L19).

mod follower;
mod marks;
mod rows;

use std::{slice, sync::atomic::Ordering};

use greenroom_core::{ChannelKey, PersonaName};
use greenroom_models::Embedder;
use greenroom_store::{Embedded, ItemId, NewVector, Place, Unembedded, VectorSpace};

pub(crate) use self::{
    follower::{Index, PlaceView},
    marks::Marks,
};
use crate::{
    Memory, MemoryError,
    embed::{Embedding, embed, one_line},
    memory::space_of,
};

/// How many texts one call of the embedder gets.
const BATCH: usize = 64;

/// After this number of failed calls in a row the embedder counts as down and the run ends.
const DOWN_AFTER: usize = 3;

/// While everything is embedded again, new texts get a vector of the previous model each time after this number of
/// batches.
const TOP_UP: usize = 64;

/// The result of an indexing run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexReport {
    /// Texts that got a vector.
    pub embedded: u64,
    /// Texts that still have no vector because the embedder failed, as far as the run came (L18). Another run may embed
    /// them.
    pub pending: u64,
    /// Texts in which the model knows nothing. They are found by their words alone and not tried again (FG2).
    pub empty: u64,
}

impl IndexReport {
    fn seen(&self) -> u64 {
        self.embedded + self.pending + self.empty
    }
}

/// The state of a run.
struct Run<'a> {
    embedder: &'a dyn Embedder,
    space: VectorSpace,
    /// The personas whose texts are embedded; `None` for all personas.
    of: Option<&'a [PersonaName]>,
    /// Texts written before this position of the journal all have a vector.
    since: Option<i64>,
    /// The end of the journal when the run began.
    begun: Option<i64>,
    after: Option<ItemId>,
    report: IndexReport,
    /// Whether the run is over: the embedder is down, or nothing is left.
    ended: bool,
    down: bool,
}

impl Memory {
    /// Embeds every text that has no vector. Safe to call at any time and concurrently. Texts whose embedding fails
    /// stay pending.
    pub async fn index_pending(&self) -> Result<IndexReport, MemoryError> {
        self.index_all(None, |_| {}).await
    }

    /// Like [`Self::index_pending`], limited to what one of these personas may recall. Messages in channels where none
    /// of them answers are sent to no embedder (FG17).
    pub async fn index_pending_of(&self, personas: &[PersonaName]) -> Result<IndexReport, MemoryError> {
        self.index_all(Some(personas), |_| {}).await
    }

    /// Like [`Self::index_pending`], with a callback for the progress: the number of texts done, and the total as far
    /// as it is known. After a change of embedder the total is every text (BD13, FG16). A text that has a vector of the
    /// current model keeps it.
    pub async fn reembed(&self, progress: impl Fn(u64, u64)) -> Result<IndexReport, MemoryError> {
        let health = self.store.health().await?;
        let space = self.embedder().map(|embedder| space_of(embedder));
        let there = health.vectors.iter().find(|(known, _)| Some(known) == space.as_ref());
        let total = (health.messages + health.memories).saturating_sub(there.map_or(0, |(_, count)| *count));
        progress(0, total);
        self.index_all(None, |done| progress(done, total.max(done))).await
    }

    /// Embeds a message that is about to be stored, so that its vector is stored with it. Returns `None` if the
    /// embedder takes longer than a write, fails, or finds nothing in the text; the next run then embeds the message.
    pub async fn embedded_at_once(&self, channel: &ChannelKey, text: &str) -> Option<Embedded> {
        let embedder = self.embedder().filter(|embedder| embedder.at_once())?;
        let text = self.embedded_text(&Place::Messages(channel.clone()), text).await.ok()?;
        let embeddings = embed(embedder, &[text]).await.ok()?;
        match embeddings.into_iter().next()? {
            Embedding::Vector(vector) => Some(Embedded { space: space_of(embedder), vector }),
            Embedding::Nothing | Embedding::Unusable(_) => None,
        }
    }

    async fn index_all(
        &self,
        of: Option<&[PersonaName]>,
        progress: impl Fn(u64),
    ) -> Result<IndexReport, MemoryError> {
        let Some(embedder) = self.embedder() else { return Ok(IndexReport::default()) };
        let mut run = self.begin(embedder, of);
        let mut batches = 0;
        while !run.ended {
            if batches % TOP_UP == 0 {
                self.top_up(of).await?;
            }
            batches += 1;
            self.index_batch(&mut run).await?;
            progress(run.report.seen());
        }
        // a working embedder with texts that it cannot embed must not delay the change to the new model
        if !run.down {
            self.shared.moved.store(true, Ordering::Release);
        }
        Ok(self.end(run))
    }

    /// Gives new texts a vector of the previous embedder, as long as queries still use it. The next run repeats what
    /// fails here.
    async fn top_up(&self, of: Option<&[PersonaName]>) -> Result<(), MemoryError> {
        let moved = || self.shared.moved.load(Ordering::Acquire);
        let Some(previous) = self.previous().filter(|_| !moved()) else { return Ok(()) };
        let mut run = self.begin(previous, of);
        while !run.ended && !moved() {
            self.index_batch(&mut run).await?;
        }
        self.end(run);
        Ok(())
    }

    fn begin<'a>(&self, embedder: &'a dyn Embedder, of: Option<&'a [PersonaName]>) -> Run<'a> {
        let space = space_of(embedder);
        Run {
            since: self.shared.marks.get(&space, of),
            embedder,
            space,
            of,
            begun: None,
            after: None,
            report: IndexReport::default(),
            ended: false,
            down: false,
        }
    }

    /// Ends a run. The next run starts from the journal's position only if this run completed everything.
    fn end(&self, run: Run<'_>) -> IndexReport {
        let whole = run.ended && run.report.pending == 0;
        self.shared.marks.set(&run.space, run.of, run.begun.filter(|_| whole));
        run.report
    }

    /// The next texts without a vector; fewer than [`BATCH`] are the last.
    async fn waiting(&self, run: &mut Run<'_>) -> Result<Vec<Unembedded>, MemoryError> {
        if let Some(since) = run.since {
            let news = self.store.unembedded_since(&run.space, run.of, since, run.after, BATCH).await?;
            if let Some(news) = news {
                run.begun.get_or_insert(news.end);
                return Ok(news.texts);
            }
            // the journal no longer reaches back to `since`
            run.since = None;
        }
        if run.begun.is_none() {
            run.begun = Some(self.store.journal_end().await?);
        }
        Ok(match run.of {
            Some(personas) => self.store.unembedded_of(&run.space, personas, run.after, BATCH).await?,
            None => self.store.unembedded(&run.space, run.after, BATCH).await?,
        })
    }

    /// Embeds one batch.
    async fn index_batch(&self, run: &mut Run<'_>) -> Result<(), MemoryError> {
        let batch = self.waiting(run).await?;
        run.ended = batch.len() < BATCH;
        let Some(last) = batch.last() else { return Ok(()) };
        run.after = Some(last.item);
        let mut texts = Vec::with_capacity(batch.len());
        for waiting in &batch {
            texts.push(self.embedded_text(&waiting.place, &waiting.text).await?);
        }
        let embeddings = embed_each(run.embedder, &texts).await;
        run.down = embeddings.len() < batch.len();
        run.ended |= run.down;
        run.report.pending += (batch.len() - embeddings.len()) as u64;
        self.put(&run.space, &batch, embeddings, &mut run.report).await
    }

    /// Stores the results of a batch.
    async fn put(
        &self,
        space: &VectorSpace,
        batch: &[Unembedded],
        embeddings: Vec<Embedding>,
        report: &mut IndexReport,
    ) -> Result<(), MemoryError> {
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
            self.store.put_vectors(space, vectors).await?;
        }
        if !empty.is_empty() {
            self.store.pass_over(space, empty).await?;
        }
        Ok(())
    }
}

/// Embeds all texts in one call. If that fails, embeds each text alone, so that one bad text does not block the others.
/// Returns fewer embeddings than texts if the embedder turns out to be down.
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
