//! Embedders that run locally from installed weights.

use std::{fmt, path::Path, sync::Arc};

use async_trait::async_trait;
use candle_core::Result;
use tokio::{
    sync::{OnceCell, Semaphore},
    task::spawn_blocking,
};

use crate::{EmbedError, Embedder, QuestionMap, Weights};

/// A network that embeds texts.
pub trait LocalNetwork: Sized + Send + Sync + 'static {
    /// See [`Embedder::model`].
    const MODEL: &str;
    /// The name of its weights in the catalogue.
    const WEIGHTS: &str;
    /// The dimension of the vectors.
    const DIMENSION: usize;

    /// Reads the network from the directory of its weights.
    ///
    /// # Errors
    /// A file is missing or invalid.
    fn read(dir: &Path) -> Result<Self>;

    /// See [`Embedder::question_map`].
    const QUESTION_MAP: Option<QuestionMap> = None;

    /// Returns one vector per text, in order: of length 1, or zero (FG2).
    ///
    /// # Errors
    /// The computation failed.
    fn vectors(&self, texts: &[String]) -> Result<Vec<Vec<f32>>>;
}

/// The embedder of a network. The network is read on first use.
#[derive(Debug)]
pub struct LocalEmbedder<N> {
    weights: Weights,
    network: Arc<OnceCell<Arc<N>>>,
    /// Allows one pass at a time, because a pass uses all cores.
    turn: Arc<Semaphore>,
}

impl<N: LocalNetwork> LocalEmbedder<N> {
    /// Returns the embedder of these weights, which need not be installed yet.
    pub fn new(weights: Weights) -> Self {
        Self { weights, network: Arc::default(), turn: Arc::new(Semaphore::new(1)) }
    }

    /// Returns the network, which the first call reads. A task of its own reads it: a caller that stops waiting, as a
    /// recall at its deadline does, would end the reading, and the next call would begin it again.
    async fn network(&self) -> std::result::Result<Arc<N>, EmbedError> {
        if let Some(network) = self.network.get() {
            return Ok(network.clone());
        }
        let (network, weights) = (self.network.clone(), self.weights.clone());
        let reading = tokio::spawn(async move { network.get_or_try_init(|| load(&weights)).await.cloned() });
        reading.await.map_err(unusable::<N>)?
    }

    /// Runs a pass of the network on a thread that may block.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        pass: impl FnOnce(&N) -> Result<T> + Send + 'static,
    ) -> std::result::Result<T, EmbedError> {
        let network = self.network().await?;
        let turn = Arc::clone(&self.turn).acquire_owned().await.map_err(unusable::<N>)?;
        let work = spawn_blocking(move || {
            let _turn = turn;
            pass(&network)
        });
        work.await.map_err(unusable::<N>)?.map_err(unusable::<N>)
    }
}

async fn load<N: LocalNetwork>(weights: &Weights) -> std::result::Result<Arc<N>, EmbedError> {
    let installed = weights
        .installed(N::WEIGHTS)
        .ok_or_else(|| EmbedError::NotInstalled { model: N::WEIGHTS.to_owned() })?;
    let network = spawn_blocking(move || N::read(&installed.dir)).await.map_err(unusable::<N>)?;
    Ok(Arc::new(network.map_err(unusable::<N>)?))
}

#[async_trait]
impl<N: LocalNetwork> Embedder for LocalEmbedder<N> {
    fn model(&self) -> &str {
        N::MODEL
    }

    fn dimension(&self) -> usize {
        N::DIMENSION
    }

    fn question_map(&self) -> Option<QuestionMap> {
        N::QUESTION_MAP
    }

    async fn embed(&self, texts: &[String]) -> std::result::Result<Vec<Vec<f32>>, EmbedError> {
        let texts = texts.to_vec();
        self.run(move |network| network.vectors(&texts)).await
    }
}

fn unusable<N: LocalNetwork>(error: impl fmt::Display) -> EmbedError {
    EmbedError::BadAnswer { model: N::MODEL.to_owned(), reason: error.to_string() }
}
