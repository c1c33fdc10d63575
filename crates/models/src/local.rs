//! The built-in demonstration model: SmolLM2-135M-Instruct in candle, on the CPU, with no server.
//!
//! It is loaded on first use and shared by all callers. It computes one answer at a time; other callers wait in order.
//! It supports no tools. With 135 million parameters it needs a special prompt layout: one remembered fact, inside the
//! last user message, after two example exchanges.

mod generate;
mod llama;
#[cfg(test)]
mod tests;
mod tokenizer;

use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use candle_core::quantized::gguf_file;
use futures::{StreamExt, stream};
use greenroom_core::Entropy;
use tokio::{
    sync::{OnceCell, Semaphore, mpsc},
    task::{JoinHandle, spawn_blocking},
};

use llama::Llama;
pub use tokenizer::LocalTokenizer;

use crate::{ChatModel, ChatRequest, ModelError, ModelEvent, ModelStream, weights};

/// The limit of request and answer together, in tokens. The model was trained for more, but beyond this it is slow and
/// incoherent.
pub const LOCAL_WINDOW: usize = 2048;
/// The maximum length of an answer in tokens, whatever the request allows, because the model often does not end an
/// answer.
pub const LOCAL_MAX_OUTPUT: u32 = 128;
/// How many events are produced ahead of the reader.
const AHEAD: usize = 8;

/// The demonstration model.
#[derive(Debug, Clone)]
pub struct LocalModel(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    entropy: Arc<dyn Entropy>,
    tokenizer: OnceLock<LocalTokenizer>,
    model: OnceCell<Llama>,
    /// Lets one answer run at a time, in the order of requests.
    turn: Arc<Semaphore>,
}

impl std::fmt::Debug for Llama {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Llama")
    }
}

impl LocalModel {
    /// The name of the model's file among the installed weights.
    pub const FILE: &str = weights::CHAT_FILE;

    /// The model in the Q8_0 GGUF file at `path`, which samples with randomness from `entropy`. Reads nothing yet.
    pub fn new(path: PathBuf, entropy: Arc<dyn Entropy>) -> Self {
        Self(Arc::new(Shared {
            path,
            entropy,
            tokenizer: OnceLock::new(),
            model: OnceCell::new(),
            turn: Arc::new(Semaphore::new(1)),
        }))
    }

    /// The model's tokenizer. The first call reads it from the file, which takes about ten milliseconds.
    pub fn tokenizer(&self) -> Result<LocalTokenizer, ModelError> {
        if let Some(tokenizer) = self.0.tokenizer.get() {
            return Ok(tokenizer.clone());
        }
        let tokenizer = LocalTokenizer::load(&self.0.path)?;
        Ok(self.0.tokenizer.get_or_init(|| tokenizer).clone())
    }
}

impl ChatModel for LocalModel {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        stream::once(start(self.clone(), request))
            .flat_map(|started| match started {
                Ok((events, work)) => stream::unfold((events, Some(work)), next).boxed(),
                Err(error) => stream::iter([Err(error)]).boxed(),
            })
            .boxed()
    }
}

type Work = JoinHandle<Result<(), ModelError>>;

/// Waits until the model is free, and starts an answer on a blocking thread. The thread ends soon after the returned
/// receiver is dropped.
async fn start(
    model: LocalModel,
    request: Arc<ChatRequest>,
) -> Result<(mpsc::Receiver<ModelEvent>, Work), ModelError> {
    let turn = Arc::clone(&model.0.turn).acquire_owned().await.map_err(|error| failed(&error))?;
    let loaded = model.0.model.get_or_try_init(|| load(model.0.path.clone())).await?.clone();
    let (events, receiver) = mpsc::channel(AHEAD);
    let work = spawn_blocking(move || {
        let _turn = turn;
        generate::generate(loaded, &model.tokenizer()?, &request, &*model.0.entropy, &events)
    });
    Ok((receiver, work))
}

/// Returns the next event; after the last one, the error of the thread, if any.
async fn next(
    (mut events, work): (mpsc::Receiver<ModelEvent>, Option<Work>),
) -> Option<(Result<ModelEvent, ModelError>, (mpsc::Receiver<ModelEvent>, Option<Work>))> {
    if let Some(event) = events.recv().await {
        return Some((Ok(event), (events, work)));
    }
    match work?.await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some((Err(error), (events, None))),
        Err(panicked) => Some((Err(failed(&panicked)), (events, None))),
    }
}

async fn load(path: PathBuf) -> Result<Llama, ModelError> {
    let read = move || -> Result<Llama, ModelError> {
        let (content, mut reader) = open(&path)?;
        Llama::read(&content, &mut reader, LOCAL_WINDOW).map_err(|error| unreadable(&path, &error))
    };
    spawn_blocking(read).await.map_err(|error| failed(&error))?
}

/// Reads the header of the GGUF file, which contains everything except the matrices.
fn open(path: &Path) -> Result<(gguf_file::Content, BufReader<File>), ModelError> {
    let file = File::open(path).map_err(|error| ModelError::Local {
        reason: format!(
            "cannot open {}: {error}; run `greenroom models pull smollm2`, or use another model with --base-url",
            path.display()
        ),
    })?;
    let mut reader = BufReader::new(file);
    let content = gguf_file::Content::read(&mut reader).map_err(|error| unreadable(path, &error))?;
    Ok((content, reader))
}

fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> ModelError {
    let reason =
        format!("{} is damaged ({error}); remove it and run `greenroom models pull smollm2`", path.display());
    ModelError::Local { reason }
}

fn failed(error: &dyn std::fmt::Display) -> ModelError {
    ModelError::Local { reason: error.to_string() }
}
