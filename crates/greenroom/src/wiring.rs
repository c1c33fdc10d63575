//! Creates the parts of a command: settings, store, embedder, memory, models, runtime. Each part is opened or loaded
//! when a command needs it.

mod embedding;
mod knowledge;
mod models;

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::Duration,
};

use greenroom_adapters::memberships;
use greenroom_core::{Entropy, SystemClock, SystemEntropy, Time, Timestamp, UserId, real_time};
use greenroom_memory::Memory;
use greenroom_models::{
    Endpoint, MiniLmEmbedder, MultilingualEmbedder, OpenAiEmbedder, StaticEmbedder, Timeouts, Weights,
};
use greenroom_persona::{
    Cast, EmbedderKind, Flag, Layers, Settings,
    env::{self, Environment},
};
use greenroom_runtime::{RoomsSettings, Runtime, RuntimeOptions};
use greenroom_server::HOST_USER;
use greenroom_store::{Store, StoreError};
use greenroom_store_sqlite::SqliteStore;
use greenroom_tools::mcp::McpTools;

use self::embedding::{PreviousEmbedders, UnknownDimension};
pub use self::{embedding::Embedding, models::Models};
use crate::{
    cli::{Global, ModelArgs},
    commands::who::Names,
    failure::usage,
    model_choice::BUILT_IN,
    term::Style,
};

/// The file of the data directory with the approvals of MCP servers.
const APPROVALS: &str = "mcp-approvals.json";

/// The time that a command with a single message waits for MCP servers to connect.
const MCP_TIMEOUT: Duration = Duration::from_secs(5);

/// The weights of the embedder for sixteen languages.
const MULTILINGUAL: &str = "multilingual";

/// The default embedding model of an endpoint, and its dimension.
const EMBEDDING_MODEL: (&str, usize) = ("text-embedding-3-small", 1536);

/// The time that an endpoint has to report the dimension of its vectors; the start waits for it.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// One run of the program.
pub struct App {
    /// The personas and the settings.
    pub cast: Arc<Cast>,
    /// Their sources, for reading them again.
    pub layers: Layers,
    /// The data directory.
    pub data: PathBuf,
    /// Whether `--data` sets it.
    pub data_flag: bool,
    /// The MCP servers of the cast.
    pub mcp: McpTools,
    /// The style of standard error.
    pub err: Style,
    /// The style of standard output.
    pub out: Style,
    built_in: bool,
    list_timeout: Duration,
    /// The kind that the embedder `auto` resolved to.
    auto_embedder: OnceLock<EmbedderKind>,
}

impl App {
    /// Reads the settings and the personas. `models` are flags that override settings; `list_timeout` is the time that
    /// an endpoint has to list its models.
    pub fn new(global: &Global, models: Option<&ModelArgs>, list_timeout: Duration) -> anyhow::Result<Self> {
        let environment = Environment::of_process();
        let directories = directories::ProjectDirs::from("", "", "greenroom");
        let own = directories.as_ref().map(|directories| directories.data_dir().to_owned());
        let data = global.data.clone().or_else(|| environment.get(env::DATA).map(PathBuf::from)).or(own);
        let data =
            data.ok_or_else(|| usage("this system has no data directory; choose one with --data DIR"))?;
        let base_url = models.and_then(|models| models.base_url.as_deref());
        let built_in = base_url.or(environment.get(env::BASE_URL)) == Some(BUILT_IN);
        let environment = if environment.get(env::BASE_URL) == Some(BUILT_IN) {
            environment.without(env::BASE_URL)
        } else {
            environment
        };
        let layers = Layers {
            config: global.config.clone(),
            personas: global.personas.clone(),
            user_config: directories.map(|directories| directories.config_dir().to_owned()),
            environment,
            flags: models.map(flags).unwrap_or_default(),
            ..Layers::default()
        };
        let cast = Arc::new(Cast::load(&layers));
        let (err, out) = (Style::stderr(global.color), Style::stdout(global.color));
        let mcp = McpTools::new(data.join(APPROVALS));
        Ok(Self {
            cast,
            layers,
            data,
            data_flag: global.data.is_some(),
            mcp,
            err,
            out,
            built_in,
            list_timeout,
            auto_embedder: OnceLock::new(),
        })
    }

    /// The settings, without those of a single persona.
    pub fn settings(&self) -> &Settings {
        &self.cast.settings
    }

    /// The names of the personas, and the problems of persona files.
    pub fn names(&self) -> Names {
        Names::of(&self.cast)
    }

    /// Fails if the settings have a problem, because defaults would be used in their place.
    pub fn require_valid_settings(&self) -> anyhow::Result<()> {
        let problems: Vec<String> = self.cast.settings_problems().iter().map(|p| p.line()).collect();
        if problems.is_empty() { Ok(()) } else { Err(usage(problems.join("\n       "))) }
    }

    /// The user: from the flag, the environment, or the system's login name.
    pub fn user(&self, asked: Option<&UserId>) -> anyhow::Result<UserId> {
        let environment = &self.layers.environment;
        match (asked, environment.get(env::USER)) {
            (Some(user), _) => Ok(user.clone()),
            (None, Some(user)) => user.parse().map_err(|error| usage(format!("{}: {error}", env::USER))),
            (None, None) => Ok(login(environment).map_or_else(|| HOST_USER.parse(), Ok)?),
        }
    }

    /// The present time.
    pub fn now(&self) -> Timestamp {
        SystemClock.now()
    }

    /// The weights of the data directory.
    pub fn weights(&self) -> Weights {
        Weights::new(self.data.join("models"))
    }

    /// Opens the store and creates it if needed. Only the owner may read its directory, because it contains every
    /// message.
    pub async fn store(&self) -> Result<Arc<dyn Store>, StoreError> {
        self.make_data_directory()?;
        Ok(Arc::new(SqliteStore::open(&self.store_file()).await?))
    }

    fn make_data_directory(&self) -> Result<(), StoreError> {
        private_directory(&self.data).map_err(|error| StoreError::Open {
            path: self.data.display().to_string(),
            reason: error.to_string(),
            remedy: "choose a directory you may write to with --data DIR".into(),
        })
    }

    /// Runs `work` with the store, and closes the store afterwards. Without a write in `work` the store need not be
    /// writable.
    pub async fn with_store<T>(
        &self,
        work: impl AsyncFnOnce(&Arc<dyn Store>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        self.make_data_directory()?;
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open_to_read(&self.store_file()).await?);
        let result = work(&store).await;
        store.close().await;
        result
    }

    /// The file of the store.
    pub fn store_file(&self) -> PathBuf {
        self.data.join("greenroom.db")
    }

    /// The file with the approvals of MCP servers. Makes the data directory if needed.
    pub fn approvals_file(&self) -> io::Result<PathBuf> {
        private_directory(&self.data)?;
        Ok(self.data.join(APPROVALS))
    }

    /// Waits a short time for MCP servers to connect; for a command with one message.
    pub async fn wait_for_tools(&self) {
        self.mcp.settled(MCP_TIMEOUT).await;
    }

    /// The embedder of the settings.
    pub async fn embedder(&self) -> anyhow::Result<Embedding> {
        self.embedder_of(self.settings().embedder.kind).await
    }

    /// An embedder of a kind, with its settings.
    pub async fn embedder_of(&self, kind: EmbedderKind) -> anyhow::Result<Embedding> {
        let settings = &self.settings().embedder;
        Ok(match kind {
            EmbedderKind::None => Embedding::None,
            EmbedderKind::Auto => return Box::pin(self.embedder_of(self.chosen_embedder())).await,
            EmbedderKind::Static => Embedding::Ready(Arc::new(StaticEmbedder::new())),
            EmbedderKind::Multilingual => {
                Embedding::Ready(Arc::new(MultilingualEmbedder::new(self.weights())))
            }
            EmbedderKind::Minilm => Embedding::Ready(Arc::new(MiniLmEmbedder::new(self.weights()))),
            EmbedderKind::OpenAi => {
                let url = settings.base_url.as_ref().or(self.settings().model.settings.base_url.as_ref());
                let url =
                    url.ok_or_else(|| usage("the embedder openai has no endpoint; set embedder.base_url"))?;
                let endpoint = self.endpoint(url)?;
                let name = settings.model.as_deref().unwrap_or(EMBEDDING_MODEL.0);
                let known = (name == EMBEDDING_MODEL.0).then_some(EMBEDDING_MODEL.1);
                match settings.dimension.or(known) {
                    Some(dimension) => {
                        Embedding::Ready(Arc::new(OpenAiEmbedder::new(endpoint, name, dimension)))
                    }
                    None => {
                        let remote = UnknownDimension { endpoint, model: name.to_owned() };
                        match within(CONNECT_TIMEOUT, remote.connect()).await {
                            Ok(embedder) => Embedding::Ready(embedder),
                            Err(why) => Embedding::Away { remote, why },
                        }
                    }
                }
            }
        })
    }

    /// The kind in the settings. For `auto`, the kind that was installed at the first call: a process searches a store
    /// with one model, even if the other model is installed meanwhile.
    fn chosen_embedder(&self) -> EmbedderKind {
        match self.settings().embedder.kind {
            EmbedderKind::Auto => {
                *self.auto_embedder.get_or_init(|| match self.weights().installed(MULTILINGUAL) {
                    Some(_) => EmbedderKind::Multilingual,
                    None => EmbedderKind::Static,
                })
            }
            kind => kind,
        }
    }

    /// Installs the multilingual embedder in the background if the settings leave the choice open and allow the network
    /// (MP4). It is used from the next start on.
    pub fn fetch_embedder(&self) {
        let settings = &self.settings().embedder;
        let is_chosen = settings.kind != EmbedderKind::Auto;
        if is_chosen || settings.offline || self.chosen_embedder() == EmbedderKind::Multilingual {
            return;
        }
        let weights = self.weights();
        tokio::spawn(async move {
            match weights.pull(MULTILINGUAL, &()).await {
                Ok(_) => tracing::info!(
                    "the multilingual embedder is installed; it is used from the next start on"
                ),
                Err(error) => tracing::info!("recall goes on with the built-in embedder: {error}"),
            }
        });
    }

    fn endpoint(&self, url: &str) -> anyhow::Result<Endpoint> {
        let key = self.settings().key_for(url).map(|key| key.expose());
        Ok(Endpoint::new(url, key, Timeouts::default())?)
    }

    /// Where [`PreviousEmbedders`] searches for the embedder used before.
    fn previous_embedders(&self) -> anyhow::Result<PreviousEmbedders> {
        let wanted = &self.settings().embedder;
        let model_url = self.settings().model.settings.base_url.as_ref();
        let model_url = model_url.filter(|_| wanted.kind == EmbedderKind::OpenAi);
        let url = wanted.base_url.as_ref().or(model_url);
        let endpoint = url.map(|url| self.endpoint(url)).transpose()?;
        Ok(PreviousEmbedders { weights: self.weights(), endpoint })
    }

    /// The embedder's name for people.
    pub fn embedder_name(&self) -> &'static str {
        match self.chosen_embedder() {
            EmbedderKind::None => "words only",
            EmbedderKind::Auto | EmbedderKind::Static => "static",
            EmbedderKind::Multilingual => "multilingual",
            EmbedderKind::Minilm => "minilm",
            EmbedderKind::OpenAi => "openai",
        }
    }

    /// The memory over a store. If the embedder is unreachable, connecting is retried in the background; after that,
    /// texts get their vectors with the next turn.
    pub async fn memory(&self, store: &Arc<dyn Store>) -> anyhow::Result<Memory> {
        let clock = Arc::new(SystemClock);
        let bytes = self.settings().runtime.cache_shares().index;
        let memory = match self.embedder().await? {
            Embedding::None => Memory::new(store.clone(), None, clock).with_index_bytes(bytes),
            Embedding::Ready(embedder) => {
                let previous = self.previous_embedders()?.find(&**store, &*embedder).await?;
                let memory = Memory::new(store.clone(), Some(embedder), clock).with_index_bytes(bytes);
                match previous {
                    Some(previous) => memory.with_previous(previous),
                    None => memory,
                }
            }
            Embedding::Away { remote, why } => {
                tracing::warn!("nothing is recalled by meaning until the embedder answers: {why}");
                let memory = Memory::awaiting(store.clone(), &why, clock).with_index_bytes(bytes);
                tokio::spawn(remote.connect_later(memory.clone(), store.clone(), self.previous_embedders()?));
                memory
            }
        };
        // so that a command without a runtime interprets a question as a turn does
        memory.reserve_names(self.cast.personas.iter().map(|persona| persona.spoken_names()));
        Ok(memory)
    }

    /// The models that personas answer with.
    pub fn models(&self) -> Arc<Models> {
        let ollama = self.layers.environment.get(env::OLLAMA_HOST).map(str::to_owned);
        Arc::new(Models::new(self.cast.clone(), self.built_in, self.list_timeout, self.weights(), ollama))
    }

    /// The settings of rooms: members of channels, who answers there, how long bots may talk.
    pub fn rooms(&self) -> RoomsSettings {
        let settings = self.settings();
        // personas of an account are members of its channels
        let of_accounts = memberships(&settings.accounts);
        let channels = settings.channels.iter().cloned().chain(of_accounts).collect();
        RoomsSettings { room: settings.room.clone(), channels }
    }

    /// A runtime over store, memory and models.
    pub async fn runtime(
        &self,
        store: Arc<dyn Store>,
        memory: Memory,
        models: Arc<Models>,
    ) -> anyhow::Result<Runtime> {
        self.learn_the_rest(&memory).await;
        let settings = self.settings();
        let options = RuntimeOptions {
            mcp: self.mcp.clone(),
            rooms: self.rooms(),
            idle_after: settings.runtime.idle_after,
            queue_limit: settings.runtime.queue_limit,
            event_bytes: settings.runtime.cache_shares().events,
            project_budget: settings.project.budget_tokens,
            project_fallback_names: settings.project.fallback_names.clone(),
            ..RuntimeOptions::new(store, memory, models, self.cast.personas.clone())
        };
        Ok(Runtime::start(options).await?)
    }
}

/// Runs `work`, or fails after `limit`.
async fn within<T, E: ToString>(
    limit: Duration,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, String> {
    match real_time().timeout(limit, work).await {
        Ok(done) => done.map_err(|error| error.to_string()),
        Err(_) => Err(format!("no answer within {limit:?}")),
    }
}

fn entropy() -> Arc<dyn Entropy> {
    Arc::new(SystemEntropy)
}

/// The flags that override settings.
fn flags(models: &ModelArgs) -> Vec<Flag> {
    let flag = |name: &str, key: &str, value: &Option<String>| {
        value.clone().map(|value| Flag { name: name.into(), key: key.into(), value })
    };
    let base_url = models.base_url.clone().filter(|url| url != BUILT_IN);
    [flag("--base-url", "model.base_url", &base_url), flag("--model", "model.name", &models.model)]
        .into_iter()
        .flatten()
        .collect()
}

/// The system's login name, if it is a valid user id and not `root`.
fn login(environment: &Environment) -> Option<UserId> {
    let name = environment.get(env::LOGIN).or(environment.get(env::LOGIN_WINDOWS))?;
    name.parse().ok().filter(|_| name != "root")
}

fn private_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_login_name_is_used_if_it_is_a_name_for_a_person() {
        let name = |pairs: &[(&str, &str)]| {
            let environment = pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
            login(&environment).map(|user| user.to_string())
        };
        assert_eq!(name(&[("USER", "ann"), ("USERNAME", "bob")]).as_deref(), Some("ann"));
        assert_eq!(name(&[("USERNAME", "bob")]).as_deref(), Some("bob"));
        assert_eq!(name(&[("USER", "root")]), None);
        assert_eq!(name(&[("USER", &"x".repeat(500))]), None);
        assert_eq!(name(&[]), None);
    }
}
