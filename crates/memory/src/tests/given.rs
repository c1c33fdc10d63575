//! Test fixtures: a store in a temporary directory, a clock that stands still, and an embedder that hashes words and
//! can be told to fail.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use futures::{StreamExt, stream};
use greenroom_context::profile_for;
use greenroom_core::{
    Author, Entropy, Kind, ManualClock, MemoryId, Message, MessageId, Scope, Source, SystemEntropy, Tier,
    Timestamp, Trust, TurnId, Usage, Viewer,
};
use greenroom_models::{
    ChatModel, ChatRequest, EmbedError, Embedder, FinishReason, ModelError, ModelEvent, ModelStream,
    normalise,
};
use greenroom_persona::{MemorySettings, Profile};
use greenroom_store::prelude::*;
use greenroom_store_sqlite::{Options, SqliteStore};

use crate::{Memory, RecallRequest, Recalled, Remember, SmallModel};

pub(crate) const NOW: Timestamp = Timestamp(1_795_219_200_000_000);

/// The behaviour of an embedder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Mood {
    Fine,
    Down,
    Hanging,
    NotANumber,
    OtherDimension,
    ShortList,
    /// Fails for any batch that contains this word.
    Chokes(&'static str),
}

/// A bag of words hashed to 512 numbers, so that few words collide. Words without letters are ignored.
pub(crate) struct Words {
    pub(crate) mood: Mutex<Mood>,
    pub(crate) calls: AtomicUsize,
}

impl Words {
    pub(crate) fn feel(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
    fn vector(text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; 512];
        for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()) {
            let hash = word
                .bytes()
                .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
            // mixes the hash again, because short words differ only in its low bits
            vector[(hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 55) as usize] += 1.0;
        }
        normalise(&mut vector);
        vector
    }
    fn down() -> EmbedError {
        EmbedError::Endpoint { endpoint: "http://127.0.0.1:1/v1".into(), reason: "refused\nagain".into() }
    }
}

#[async_trait]
impl Embedder for Words {
    fn model(&self) -> &str {
        "words-512@1"
    }
    fn dimension(&self) -> usize {
        512
    }
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let mood = *self.mood.lock().unwrap();
        let mut vectors: Vec<Vec<f32>> = texts.iter().map(|t| Words::vector(t)).collect();
        match mood {
            Mood::Fine => {}
            Mood::Down => return Err(Words::down()),
            Mood::Hanging => std::future::pending().await,
            Mood::NotANumber => vectors.iter_mut().for_each(|v| v[0] = f32::NAN),
            Mood::OtherDimension => vectors.iter_mut().for_each(|v| v.truncate(511)),
            Mood::ShortList => vectors.truncate(texts.len() - 1),
            Mood::Chokes(word) if texts.iter().any(|t| t.contains(word)) => return Err(Words::down()),
            Mood::Chokes(_) => {}
        }
        Ok(vectors)
    }
}

/// A memory with all its parts.
pub(crate) struct Stage {
    pub(crate) memory: Memory,
    pub(crate) store: SqliteStore,
    pub(crate) embedder: Arc<Words>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) directory: tempfile::TempDir,
}

/// Ada and Bert are present in both channels from the beginning.
pub(crate) async fn stage() -> Stage {
    let directory = tempfile::tempdir().unwrap();
    let store =
        SqliteStore::open_with(&directory.path().join("greenroom.db"), &Options::unsynced()).await.unwrap();
    let embedder = Arc::new(Words { mood: Mutex::new(Mood::Fine), calls: AtomicUsize::new(0) });
    let clock = Arc::new(ManualClock::at(NOW));
    for persona in ["ada", "bert"] {
        for channel in ["terminal:default", "terminal:other"] {
            store.enter(&persona.parse().unwrap(), &channel.parse().unwrap(), MessageId(1)).await.unwrap();
        }
    }
    let memory = Memory::new(Arc::new(store.clone()), Some(embedder.clone()), clock.clone());
    Stage { memory, store, embedder, clock, directory }
}

impl Stage {
    /// The stage's memory without an embedder.
    pub(crate) fn without_embedder(&self) -> Memory {
        Memory::new(Arc::new(self.store.clone()), None, self.clock.clone())
    }

    /// The store of another process that has opened the same file.
    pub(crate) async fn elsewhere(&self) -> SqliteStore {
        SqliteStore::open_with(&self.directory.path().join("greenroom.db"), &Options::unsynced())
            .await
            .unwrap()
    }

    /// Jo sends a message to a channel, and it is indexed if possible.
    pub(crate) async fn say(&self, channel: &str, text: &str) -> MessageId {
        self.clock.advance(Duration::from_secs(1));
        let at = greenroom_core::Time::now(&*self.clock);
        let author = Author::User { id: "jo".parse().unwrap(), name: "Jo".into() };
        let message =
            Message { at, ..Message::new(channel.parse().unwrap(), at.0.to_string(), author, text) };
        let accepted = self.store.accept(message).await.unwrap();
        self.memory.index_pending().await.unwrap();
        accepted.message.id
    }

    /// Ada recalls in the terminal.
    pub(crate) async fn recall(&self, said: &str, settings: &MemorySettings) -> Recalled {
        recall(&self.memory, &ada(), said, None, settings).await
    }
}

pub(crate) async fn recall(
    memory: &Memory,
    viewer: &Viewer,
    said: &str,
    before: Option<MessageId>,
    settings: &MemorySettings,
) -> Recalled {
    let window = [said.to_owned()];
    memory.recall(viewer, &request(&window, before, settings)).await.unwrap()
}

pub(crate) fn request<'a>(
    window: &'a [String],
    before: Option<MessageId>,
    settings: &'a MemorySettings,
) -> RecallRequest<'a> {
    RecallRequest { before, ..RecallRequest::new(TurnId(SystemEntropy.uuid()), window, settings) }
}

pub(crate) fn viewer(persona: &str, channel: &str) -> Viewer {
    Viewer::new(persona.parse().unwrap(), channel.parse().unwrap(), Some("jo".parse().unwrap()))
}

/// Ada in the terminal, talking with Jo.
pub(crate) fn ada() -> Viewer {
    viewer("ada", "terminal:default")
}

/// A statement of the operator for the viewer's persona in this channel.
pub(crate) fn told(viewer: &Viewer, text: &str) -> Remember {
    Remember {
        text: text.into(),
        kind: Kind::new("fact"),
        tier: Tier::Semantic,
        scope: Scope::Channel(viewer.channel().clone()),
        source: Source { via: "cli".into(), message: None, user: None },
        trust: Trust::Operator,
        key: None,
        expires_in: None,
    }
}

/// The `knowledge` profile (5 messages from 0.3, 10 memories by rank), with a window of three messages and a deadline
/// long enough for a busy machine.
pub(crate) fn settings() -> MemorySettings {
    MemorySettings { window: 3, deadline: Duration::from_secs(60), ..Profile::Knowledge.settings() }
}

/// The texts of a recall, in order.
pub(crate) fn texts(recalled: &Recalled) -> Vec<&str> {
    recalled.items.iter().map(|i| i.item.text()).collect()
}

/// A small model that writes the same answer each time, and then finishes, hangs or breaks off.
pub(crate) struct Writer {
    pub(crate) answer: &'static str,
    pub(crate) end: End,
    pub(crate) calls: AtomicUsize,
    pub(crate) asked: Mutex<String>,
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum End {
    Finished,
    Broken,
    Hanging,
}

impl Writer {
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

impl ChatModel for Writer {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        self.calls.fetch_add(1, Ordering::SeqCst);
        *self.asked.lock().unwrap() = request.messages.last().unwrap().content.clone();
        let said = stream::iter([Ok(ModelEvent::Delta(self.answer.into()))]);
        let (tool_calls, reason, usage) = (Vec::new(), FinishReason::Stop, Usage::default());
        match self.end {
            End::Finished => {
                said.chain(stream::iter([Ok(ModelEvent::Finished { tool_calls, reason, usage })])).boxed()
            }
            End::Broken => {
                said.chain(stream::iter([Err(ModelError::Local { reason: "gone".into() })])).boxed()
            }
            End::Hanging => said.chain(stream::pending()).boxed(),
        }
    }
}

pub(crate) fn writer(answer: &'static str, end: End) -> (Arc<Writer>, SmallModel) {
    let writer = Writer { answer, end, calls: AtomicUsize::new(0), asked: Mutex::default() };
    let writer = Arc::new(writer);
    (
        writer.clone(),
        SmallModel {
            model: writer,
            name: "small".into(),
            temperature: 0.0,
            profile: profile_for("small", None),
        },
    )
}

/// Ada remembers a statement for this channel.
pub(crate) async fn learn(stage: &Stage, text: &str) -> MemoryId {
    stage.clock.advance(Duration::from_secs(1));
    stage.memory.remember(&ada(), told(&ada(), text)).await.unwrap().memory.id
}
