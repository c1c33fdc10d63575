//! Indexing: giving every stored text its vector, in batches, again and again until it has one.
//!
//! A run goes once through what waits. A text whose embedding fails stays in the store's queue for
//! the next run (L18); one in which the model finds nothing leaves the queue without a vector. A run that
//! left nothing waiting remembers where the journal stood: the next looks at what was written since. After
//! a change of embedder everything waits for a vector of the new one, while queries go to the old
//! vectors; new texts get theirs first (FG16, L19).

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

/// Texts in one call of the embedder.
const BATCH: usize = 64;

/// After so many failed calls in a row the embedder is down and the run ends.
const DOWN_AFTER: usize = 3;

/// While everything is embedded anew, texts that came since get an old vector after so many batches.
const TOP_UP: usize = 64;

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

impl IndexReport {
    fn seen(&self) -> u64 {
        self.embedded + self.pending + self.empty
    }
}

/// How a run is going.
struct Run<'a> {
    embedder: &'a dyn Embedder,
    space: VectorSpace,
    /// Whose texts alone are embedded; everybody's without.
    of: Option<&'a [PersonaName]>,
    /// Nothing that was written before this end of the journal waits.
    since: Option<i64>,
    /// Where the journal ended when the run began.
    begun: Option<i64>,
    after: Option<ItemId>,
    report: IndexReport,
    /// The embedder is down, or there is nothing left.
    ended: bool,
    down: bool,
}

impl Memory {
    /// Embeds everything that waits for a vector. Safe to call at any time and from several
    /// places; texts whose embedding fails stay pending.
    pub async fn index_pending(&self) -> Result<IndexReport, MemoryError> {
        self.index_all(None, |_| {}).await
    }

    /// The same as far as one of these personas may come to recall it: what is said where none of
    /// them answers is sent to no embedder (FG17).
    pub async fn index_pending_of(&self, personas: &[PersonaName]) -> Result<IndexReport, MemoryError> {
        self.index_all(Some(personas), |_| {}).await
    }

    /// The same with its progress: how many texts were gone through, and how many there are as far as
    /// it is known. After a change of embedder that is everything (BD13, FG16); a text that has a
    /// vector of the current model keeps it.
    pub async fn reembed(&self, progress: impl Fn(u64, u64)) -> Result<IndexReport, MemoryError> {
        let health = self.store.health().await?;
        let space = self.embedder().map(|embedder| space_of(embedder));
        let there = health.vectors.iter().find(|(known, _)| Some(known) == space.as_ref());
        let total = (health.messages + health.memories).saturating_sub(there.map_or(0, |(_, count)| *count));
        progress(0, total);
        self.index_all(None, |done| progress(done, total.max(done))).await
    }

    /// The vector of a message that is about to be stored, to be stored with it: where the embedder takes no
    /// longer than a write and finds something in the text. What has none by then gets it with the next run.
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
        // what an embedder that works cannot embed holds nothing up
        if !run.down {
            self.shared.moved.store(true, Ordering::Release);
        }
        Ok(self.end(run))
    }

    /// Gives new texts a vector of the embedder before, while that one is still asked. What fails
    /// here comes again.
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

    /// What was not gone through, or failed, is looked for by the next run.
    fn end(&self, run: Run<'_>) -> IndexReport {
        let whole = run.ended && run.report.pending == 0;
        self.shared.marks.set(&run.space, run.of, run.begun.filter(|_| whole));
        run.report
    }

    /// The next texts that wait; fewer than [`BATCH`] are the last.
    async fn waiting(&self, run: &mut Run<'_>) -> Result<Vec<Unembedded>, MemoryError> {
        if let Some(since) = run.since {
            let news = self.store.unembedded_since(&run.space, run.of, since, run.after, BATCH).await?;
            if let Some(news) = news {
                run.begun.get_or_insert(news.end);
                return Ok(news.texts);
            }
            // the journal does not reach back
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

    /// Embeds the next texts that wait.
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

    /// Stores what became of a batch.
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
