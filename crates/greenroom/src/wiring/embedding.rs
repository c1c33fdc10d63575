//! The embedder of the settings, even while its endpoint is unreachable, and the embedder used before.

use std::{sync::Arc, time::Duration};

use greenroom_core::real_time;
use greenroom_memory::Memory;
use greenroom_models::{
    EmbedError, Embedder, Endpoint, MiniLmEmbedder, MultilingualEmbedder, OpenAiEmbedder, StaticEmbedder,
    Weights,
};
use greenroom_store::{Store, StoreError, VectorSpace};

/// The wait before the next attempt to reach an embedder: first and longest. It doubles after each attempt.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// The embedder of the settings.
pub enum Embedding {
    /// No embedder: texts are found by their words.
    None,
    /// An embedder.
    Ready(Arc<dyn Embedder>),
    /// An embedder whose endpoint does not answer, so that the dimension of its vectors is unknown.
    Away {
        /// The endpoint.
        remote: UnknownDimension,
        /// Its error.
        why: String,
    },
}

/// An embedder whose endpoint reports the dimension.
pub struct UnknownDimension {
    pub(super) endpoint: Endpoint,
    pub(super) model: String,
}

impl UnknownDimension {
    /// Connects and asks for the dimension.
    pub(super) async fn connect(&self) -> Result<Arc<dyn Embedder>, EmbedError> {
        let embedder = OpenAiEmbedder::connect(self.endpoint.clone(), self.model.clone()).await?;
        Ok(Arc::new(embedder))
    }

    /// Connects in the background, and then gives the embedder to the memory that waits for it.
    pub(super) async fn connect_later(
        self,
        memory: Memory,
        store: Arc<dyn Store>,
        previous: PreviousEmbedders,
    ) {
        let mut wait = FIRST_WAIT;
        let embedder = loop {
            real_time().sleep(wait).await;
            // a dead connection never answers, so an attempt is limited to the longest wait
            match real_time().timeout(LONGEST_WAIT, self.connect()).await {
                Ok(Ok(embedder)) => break embedder,
                Ok(Err(error)) => tracing::debug!("the embedder is still away: {error}"),
                Err(_) => tracing::debug!("the embedder does not answer within {LONGEST_WAIT:?}"),
            }
            wait = (wait * 2).min(LONGEST_WAIT);
        };
        let previous = previous.find(&*store, &*embedder).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the previous embedder could not be determined");
            None
        });
        tracing::info!(model = embedder.model(), "the embedder answers; recall by meaning is on");
        memory.arrived(embedder, previous);
    }
}

/// Where the embedder used before may be found: in this program, or at the endpoint of embeddings.
pub(super) struct PreviousEmbedders {
    pub(super) weights: Weights,
    pub(super) endpoint: Option<Endpoint>,
}

impl PreviousEmbedders {
    /// The embedder used before the present one, while most texts still have its vectors (FG16, BD13): one of this
    /// program, or another model at the endpoint of embeddings.
    pub(super) async fn find(
        self,
        store: &dyn Store,
        embedder: &dyn Embedder,
    ) -> Result<Option<Arc<dyn Embedder>>, StoreError> {
        let space = |embedder: &dyn Embedder| VectorSpace {
            model: embedder.model().to_owned(),
            dimension: embedder.dimension(),
        };
        let present = space(embedder);
        // the usual case, checked first because the queries below read every text
        if store.spaces().await?.iter().all(|known| *known == present) {
            return Ok(None);
        }
        if store.unembedded(&present, None, 1).await?.is_empty() {
            return Ok(None);
        }
        let vectors = store.health().await?.vectors;
        let Some(space_before) = before(&vectors, &present) else { return Ok(None) };
        let own: [Arc<dyn Embedder>; 3] = [
            Arc::new(StaticEmbedder::new()),
            Arc::new(MultilingualEmbedder::new(self.weights.clone())),
            Arc::new(MiniLmEmbedder::new(self.weights)),
        ];
        if let Some(embedder) = own.into_iter().find(|embedder| space(&**embedder) == *space_before) {
            return Ok(Some(embedder));
        }
        let VectorSpace { model, dimension } = space_before;
        Ok(self.endpoint.map(|endpoint| -> Arc<dyn Embedder> {
            Arc::new(OpenAiEmbedder::new(endpoint, model, *dimension))
        }))
    }
}

/// The space with the most vectors, unless it is the present one.
fn before<'a>(vectors: &'a [(VectorSpace, u64)], present: &VectorSpace) -> Option<&'a VectorSpace> {
    let most = vectors.iter().max_by_key(|(space, count)| (*count, space == present));
    most.map(|(space, _)| space).filter(|space| *space != present)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fg16_the_embedder_before_is_the_one_with_more_vectors_than_ours() {
        let space = |model: &str| VectorSpace { model: model.into(), dimension: 3 };
        let found = |vectors: &[(&str, u64)]| {
            let vectors: Vec<_> = vectors.iter().map(|(model, count)| (space(model), *count)).collect();
            before(&vectors, &space("new")).map(|space| space.model.clone())
        };
        assert_eq!(found(&[("old", 9), ("older", 3), ("new", 2)]).as_deref(), Some("old"));
        assert_eq!(found(&[("old", 9), ("new", 9)]), None, "ours are complete");
        assert_eq!(found(&[("new", 9)]), None);
        assert_eq!(found(&[]), None);
    }
}
