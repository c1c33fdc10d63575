//! A complete setup for tests of accounts: runtime, store, accounts, and a model that repeats its input.

use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use greenroom_adapters::{Accounts, AccountsOptions, Adapter, Author, Event, Message, Place, memberships};
use greenroom_context::{Layout, ModelProfile, QuarterCounter};
use greenroom_core::{ChannelKey, PersonaName, Platform, Timestamp, Usage, Viewer};
use greenroom_memory::Memory;
use greenroom_models::{ChatModel, ChatRequest, FinishReason, ModelError, ModelEvent, ModelStream};
use greenroom_persona::{AccountSettings, Persona};
use greenroom_runtime::{
    ChatLocks, HeldLock, NotLocked, OwnedChats, ResolvedModel, RoomsSettings, Runtime, RuntimeOptions,
};
use greenroom_store::{MemoryFilter, OpenDelivery, prelude::*};
use greenroom_store_sqlite::{Options, SqliteStore};

use crate::paper::{Paper, PaperAdapter};

/// A wait of this length means a defect, not a slow machine.
const TOO_LONG: Duration = Duration::from_secs(60);

pub async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(TOO_LONG, work).await.expect("this takes too long")
}

/// Answers with `heard: ` and the last line of its input. With `Say: TEXT` it answers TEXT, in which `(at)` becomes
/// `@`. With `look` it answers how many images it received. It fails if the last line contains `fail`.
struct Echo;

impl ChatModel for Echo {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        let last = request.messages.last().map(|message| message.content.clone()).unwrap_or_default();
        if last.lines().last().is_some_and(|line| line.to_lowercase().contains("fail")) {
            return futures::stream::iter([Err(ModelError::Unreachable {
                endpoint: "here".into(),
                reason: "it is out".into(),
            })])
            .boxed();
        }
        let images = request.messages.iter().map(|message| message.images.len()).sum::<usize>();
        let text = match last.split_once("Say: ") {
            _ if last.contains("look") => format!("I see {images} images"),
            Some((_, text)) => text.replace("(at)", "@"),
            None => format!("heard: {}", last.lines().last().unwrap_or_default()),
        };
        let usage = Usage { prompt_tokens: 10, completion_tokens: 5, estimated: false, cost_micros: 0 };
        let end = ModelEvent::Finished { tool_calls: Vec::new(), reason: FinishReason::Stop, usage };
        futures::stream::iter([Ok(ModelEvent::Delta(text)), Ok(end)]).boxed()
    }
}

pub struct Free;

impl ChatLocks for Free {
    fn lock(&self, _: &ChannelKey) -> Result<HeldLock, NotLocked> {
        Ok(Box::new(()))
    }
}

pub struct House {
    pub runtime: Runtime,
    pub store: Arc<SqliteStore>,
    pub accounts: Accounts,
    directory: Arc<tempfile::TempDir>,
    settings: AccountSettings,
    cast: Vec<&'static str>,
}

/// The accounts of a process.
type Connected = Vec<(AccountSettings, Arc<dyn Adapter>)>;

pub fn settings() -> AccountSettings {
    AccountSettings {
        name: "paper".into(),
        platform: Platform::Discord,
        personas: vec!["ada".parse().unwrap()],
        answers_per_person: 1000,
        new_chats_per_hour: 1000,
        ..AccountSettings::default()
    }
}

impl House {
    /// Ada alone on the scripted platform.
    pub async fn on(paper: &Arc<Paper>) -> Self {
        Self::with(paper, settings()).await
    }

    pub async fn with(paper: &Arc<Paper>, settings: AccountSettings) -> Self {
        let adapter = Arc::new(PaperAdapter(paper.clone()));
        Self::open(Arc::new(tempfile::tempdir().unwrap()), adapter, settings, vec!["ada", "vesper"]).await
    }

    pub async fn open(
        directory: Arc<tempfile::TempDir>,
        adapter: Arc<dyn Adapter>,
        settings: AccountSettings,
        cast: Vec<&'static str>,
    ) -> Self {
        Self::open_all(directory, vec![(settings, adapter)], cast).await
    }

    /// Ada's and Vesper's accounts in the same chats.
    pub async fn shared(papers: &[Arc<Paper>; 2]) -> Self {
        let account = |(paper, persona): (&Arc<Paper>, &str)| {
            let settings =
                AccountSettings { name: persona.into(), personas: vec![name(persona)], ..settings() };
            (settings, Arc::new(PaperAdapter(paper.clone())) as _)
        };
        let accounts = papers.iter().zip(["ada", "vesper"]).map(account).collect();
        Self::open_all(Arc::new(tempfile::tempdir().unwrap()), accounts, vec!["ada", "vesper"]).await
    }

    /// Several accounts in one process. [`killed`](Self::killed) starts only the first one again.
    pub async fn open_all(
        directory: Arc<tempfile::TempDir>,
        adapters: Connected,
        cast: Vec<&'static str>,
    ) -> Self {
        let mut settings: Vec<_> = adapters.iter().map(|(settings, _)| settings.clone()).collect();
        let stale_after = settings[0].stale_after;
        let store = Arc::new(
            SqliteStore::open_with(&directory.path().join("greenroom.db"), &Options::unsynced())
                .await
                .unwrap(),
        );
        let profile =
            ModelProfile { window: 32_000, counter: Arc::new(QuarterCounter), layout: Layout::Standard };
        let model = ResolvedModel { model: Arc::new(Echo), name: "echo".into(), profile };
        let personas = cast.iter().map(|name| {
            let mut persona = Persona::new(name.parse().unwrap(), "You repeat what you hear.");
            // this persona has a memory
            persona.memory.enabled = *name == "mnemo";
            // the models of these personas accept images
            persona.model.images = Some(matches!(*name, "argus" | "hawk"));
            persona
        });
        let memory = Memory::new(store.clone(), None, Arc::new(greenroom_core::SystemClock));
        let options = RuntimeOptions {
            rooms: RoomsSettings { channels: memberships(&settings), ..RoomsSettings::default() },
            ..RuntimeOptions::new(store.clone(), memory, Arc::new(model), personas.collect())
        };
        let runtime = Runtime::start(options).await.unwrap();
        let chats = Arc::new(OwnedChats::new(Free));
        let recovered = chats.recover(&runtime, stale_after).await.unwrap();
        let options = AccountsOptions {
            runtime: runtime.clone(),
            store: store.clone(),
            chats,
            default_persona: "ada".parse().unwrap(),
        };
        let accounts = Accounts::run(options, adapters);
        accounts.answer_owed(recovered.unanswered).await;
        Self { runtime, store, accounts, directory, settings: settings.remove(0), cast }
    }

    /// Kills the process without an orderly end, and starts another one on the same data.
    pub async fn killed(self, adapter: Arc<dyn Adapter>) -> Self {
        let Self { runtime, store, accounts, directory, settings, cast } = self;
        accounts.kill().await;
        runtime.shutdown(Duration::ZERO).await;
        store.close().await;
        Self::open(directory, adapter, settings, cast).await
    }

    /// Waits until the open deliveries satisfy a condition.
    pub async fn until_open(&self, wished: impl Fn(&[OpenDelivery]) -> bool) -> Vec<OpenDelivery> {
        within(async {
            loop {
                let open = self.store.open_deliveries(100).await.unwrap();
                if wished(&open) {
                    return open;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await
    }

    /// What a persona remembers, as Ann sees it in the group `tea`.
    pub async fn memories(&self, persona: &str) -> Vec<String> {
        let viewer = Viewer::new(name(persona), key("tea"), Some("ann".parse().unwrap()));
        let filter =
            MemoryFilter { now: now(), scopes: Vec::new(), ids: Vec::new(), about: None, limit: 100 };
        let memories = self.store.memories(&viewer, &filter).await.unwrap();
        memories.into_iter().map(|memory| memory.text).collect()
    }

    /// The texts of a chat's messages.
    pub async fn history(&self, chat: &str) -> Vec<String> {
        let history = self.store.history(&key(chat), None, 100).await.unwrap();
        history.into_iter().map(|said| said.text).collect()
    }
}

pub fn key(chat: &str) -> ChannelKey {
    Place::chat(chat).key(Platform::Discord).unwrap()
}

/// Ann addresses the account in the group `tea`.
pub fn says(id: &str, text: &str) -> Event {
    Event::Message(message(id, text))
}

pub fn message(id: &str, text: &str) -> Message {
    let author = Author::person("ann", "Ann");
    Message { addressed: true, ..Message::new(Place::chat("tea"), id, author, text) }
}

pub fn now() -> Timestamp {
    greenroom_core::Time::now(&greenroom_core::SystemClock)
}

pub fn name(name: &str) -> PersonaName {
    name.parse().unwrap()
}
