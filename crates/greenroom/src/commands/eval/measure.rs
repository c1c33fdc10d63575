//! Runs the measurement: stores conversations in a temporary store, and asks every question as one recall, with the
//! same call that a turn makes.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use anyhow::Context;
use futures::{StreamExt, TryStreamExt, stream};
use greenroom_core::{
    Author, ChannelKey, Entropy, Message, MessageId, PersonaName, SystemEntropy, Time, Timestamp, TurnId,
    Viewer,
};
use greenroom_memory::{Memory, RecallRequest};
use greenroom_models::Embedder;
use greenroom_persona::{MemorySettings, Profile, SourceSettings};
use greenroom_store::{Item, Store};
use greenroom_store_sqlite::SqliteStore;
use indicatif::ProgressBar;
use tempfile::TempDir;

use super::{
    block::{self, BlockScores},
    data::{Conversation, Question},
    figures::Ranked,
};

/// Concurrent writes of messages: the store commits waiting writes together.
const AT_ONCE: usize = 64;

/// A recall deadline so long that a busy machine never changes a figure.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// The results of the recalls.
#[derive(Debug, Default)]
pub struct RecallScores {
    /// One row per question that has an answer.
    pub questions: Vec<Ranked>,
    /// The number of recalled messages of other conversations; must be 0.
    pub foreign: usize,
    /// The number of questions without an answer in their conversation.
    pub skipped: usize,
    /// The ids in `gold` that belong to no message, as `question: id`.
    pub unknown: Vec<String>,
}

/// Asks the questions of each conversation in a separate store.
pub async fn each_alone(
    conversations: &[Conversation],
    embedder: &Option<Arc<dyn Embedder>>,
    limit: usize,
    bar: &ProgressBar,
) -> anyhow::Result<RecallScores> {
    let mut asked = RecallScores::default();
    for conversation in conversations {
        let stored = EvalStore::open(embedder).await?;
        let room = stored.hear(0, conversation, bar).await?;
        stored.ask(&room, conversation, limit, bar, &mut asked).await?;
        stored.store.close().await;
    }
    Ok(asked)
}

/// Asks the questions of all conversations in one store, with a channel for each; then again for the blocks of live
/// turns.
pub async fn all_together(
    conversations: &[Conversation],
    embedder: &Option<Arc<dyn Embedder>>,
    limit: usize,
    bar: &ProgressBar,
) -> anyhow::Result<(RecallScores, BlockScores)> {
    let mut asked = RecallScores::default();
    let stored = EvalStore::open(embedder).await?;
    let mut rooms = Vec::with_capacity(conversations.len());
    for (n, conversation) in conversations.iter().enumerate() {
        rooms.push(stored.hear(n, conversation, bar).await?);
    }
    for (room, conversation) in rooms.iter().zip(conversations) {
        stored.ask(room, conversation, limit, bar, &mut asked).await?;
    }
    let blocks = block::of_turns(conversations, &stored, &rooms, bar).await?;
    stored.store.close().await;
    Ok((asked, blocks))
}

/// The settings of the profile `default`, restricted to past messages and without a threshold.
fn settings(limit: usize) -> MemorySettings {
    let off = SourceSettings::ranked(0);
    MemorySettings {
        knowledge: off,
        notes: off,
        events: off,
        summaries: off,
        messages: SourceSettings::ranked(limit),
        deadline: PATIENCE,
        time_zone: Some("UTC".into()),
        ..Profile::Default.settings()
    }
}

/// The only person who talks with the persona; `None` in other conversations.
fn asker(conversation: &Conversation) -> Option<&str> {
    let speakers: HashSet<&str> = conversation.messages.iter().map(|said| said.speaker.as_str()).collect();
    let person = speakers.iter().copied().find(|speaker| *speaker != PERSONA);
    person.filter(|_| speakers.len() == 2 && speakers.contains(PERSONA))
}

/// A temporary store and its memory; deleted on drop.
pub struct EvalStore {
    store: Arc<dyn Store>,
    pub memory: Memory,
    persona: PersonaName,
    pub now: Arc<Now>,
    _directory: Scratch,
}

/// A temporary directory, removed on drop. A store that is dropped during its work ends a moment later and may still
/// create a file, so the removal is retried.
struct Scratch(TempDir);

impl Scratch {
    const TRIES: usize = 100;
    const PAUSE: Duration = Duration::from_millis(10);
}

impl Drop for Scratch {
    fn drop(&mut self) {
        for _ in 0..Self::TRIES {
            match std::fs::remove_dir_all(self.0.path()) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => std::thread::sleep(Self::PAUSE),
                _ => return,
            }
        }
    }
}

/// A conversation in a store.
pub struct Room<'a> {
    viewer: Viewer,
    /// The stored messages.
    pub messages: Vec<Message>,
    /// For each message, its id in the file.
    ids: HashMap<MessageId, &'a str>,
    /// The time of the last message.
    pub end: Timestamp,
    /// The person who asks, in a chat of one person and the persona.
    pub asker: Option<&'a str>,
}

impl Room<'_> {
    /// The id in the file of a stored message; `None` if it belongs to another conversation.
    pub fn id(&self, message: MessageId) -> Option<&str> {
        self.ids.get(&message).copied()
    }

    /// The ids in `gold` of the conversation's messages, and those of no message.
    pub fn gold<'q>(&self, question: &'q Question) -> (HashSet<&'q str>, HashSet<&'q str>) {
        let known: HashSet<&str> = self.ids.values().copied().collect();
        question.gold.iter().map(String::as_str).partition(|id| known.contains(id))
    }

    /// The persona's view while it hears a message.
    pub fn viewer_of(&self, message: &Message) -> Viewer {
        match &message.author {
            Author::User { id, .. } if self.asker.is_some() => {
                self.viewer.clone().with(id.clone()).one_to_one()
            }
            Author::User { id, .. } => self.viewer.clone().with(id.clone()),
            _ => self.viewer.clone(),
        }
    }

    /// The persona's view while a question is asked.
    pub fn asking(&self) -> Viewer {
        let by_person = |message: &&Message| matches!(message.author, Author::User { .. });
        match self.messages.iter().find(by_person) {
            Some(message) if self.asker.is_some() => self.viewer_of(message),
            _ => self.viewer.clone(),
        }
    }
}

/// The name of the speaker in a file that stands for the persona.
const PERSONA: &str = "assistant";

impl EvalStore {
    async fn open(embedder: &Option<Arc<dyn Embedder>>) -> anyhow::Result<Self> {
        let directory = tempfile::Builder::new()
            .prefix("greenroom-eval-")
            .tempdir()
            .context("cannot make a temporary store; free some space or set TMPDIR")?;
        let directory = Scratch(directory);
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&directory.0.path().join("eval.db")).await?);
        let now = Arc::new(Now::default());
        let memory = Memory::new(store.clone(), embedder.clone(), now.clone());
        Ok(Self { store, memory, persona: PersonaName::default(), now, _directory: directory })
    }

    /// Stores a conversation as the channel with this number and embeds its messages.
    async fn hear<'a>(
        &self,
        n: usize,
        conversation: &'a Conversation,
        bar: &ProgressBar,
    ) -> anyhow::Result<Room<'a>> {
        let channel: ChannelKey = format!("eval:{n}").parse()?;
        let messages: Vec<Message> = conversation
            .messages
            .iter()
            .map(|said| {
                let author = match said.speaker.as_str() {
                    PERSONA => Author::Persona { name: self.persona.clone() },
                    // a person of each conversation: other chats of the same person would be recalled as well
                    name => Author::User { id: format!("{name}/{n}").parse()?, name: name.to_owned() },
                };
                let message = Message::new(channel.clone(), said.id.clone(), author, said.text.clone());
                Ok(Message { at: said.at, ..message })
            })
            .collect::<anyhow::Result<_>>()?;
        let stored: Vec<Message> = stream::iter(messages)
            .map(|message| async { Ok::<_, anyhow::Error>(self.store.accept(message).await?.message) })
            .buffered(AT_ONCE)
            .try_collect()
            .await?;
        if let Some(first) = stored.first() {
            self.store.enter(&self.persona, &channel, first.id).await?;
        }
        self.index().await?;
        bar.inc(stored.len() as u64);
        Ok(Room {
            viewer: Viewer::new(self.persona.clone(), channel, None),
            ids: stored
                .iter()
                .zip(&conversation.messages)
                .map(|(m, said)| (m.id, said.id.as_str()))
                .collect(),
            messages: stored,
            end: conversation.messages.iter().map(|said| said.at).max().unwrap_or(Timestamp(0)),
            asker: asker(conversation),
        })
    }

    /// Embeds what has no vector yet.
    pub async fn index(&self) -> anyhow::Result<()> {
        let report = self.memory.index_pending().await?;
        anyhow::ensure!(
            report.pending == 0,
            "{} texts could not be embedded; `greenroom doctor` says how the embedder is",
            report.pending
        );
        Ok(())
    }

    /// Asks all questions of a conversation, with its last message as the present.
    async fn ask(
        &self,
        room: &Room<'_>,
        conversation: &Conversation,
        limit: usize,
        bar: &ProgressBar,
        asked: &mut RecallScores,
    ) -> anyhow::Result<()> {
        self.now.set(room.end.after(Duration::from_secs(60)));
        self.memory.ready(&room.viewer).await?;
        for question in &conversation.questions {
            let (gold, unknown) = room.gold(question);
            asked.unknown.extend(unknown.iter().map(|id| format!("{}: {id}", question.id)));
            if gold.is_empty() {
                asked.skipped += 1;
            } else {
                let found = self.recall(room, question, limit).await?;
                asked.foreign += found.iter().filter(|hit| hit.is_none()).count();
                let hits = found.into_iter().map(|hit| hit.is_some_and(|id| gold.contains(id))).collect();
                asked.questions.push(Ranked { category: question.category.clone(), hits, gold: gold.len() });
            }
            bar.inc(1);
        }
        Ok(())
    }

    /// The ids of the messages recalled for a question, best first; `None` is a message of another conversation.
    async fn recall<'a>(
        &self,
        room: &Room<'a>,
        question: &Question,
        limit: usize,
    ) -> anyhow::Result<Vec<Option<&'a str>>> {
        let window = std::slice::from_ref(&question.text);
        let settings = settings(limit);
        let turn = TurnId(SystemEntropy.uuid());
        let request = RecallRequest { asker: room.asker, ..RecallRequest::new(turn, window, &settings) };
        let recalled = self.memory.recall(&room.viewer, &request).await?;
        if let Some(why) = recalled.degraded {
            anyhow::bail!("the recall for question {} is not what it could be: {why:?}", question.id);
        }
        let of_the_file = |item: &Item| match item {
            Item::Message(message) => room.ids.get(&message.id).copied(),
            Item::Memory(_) => None,
        };
        Ok(recalled.items.iter().map(|hit| of_the_file(&hit.item)).collect())
    }
}

/// The clock of the current conversation: "last week" is the week before its end.
#[derive(Debug, Default)]
pub struct Now(AtomicI64);

impl Now {
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.0, Ordering::Relaxed);
    }
}

impl Time for Now {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::Relaxed))
    }
}
