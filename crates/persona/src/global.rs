//! The settings of the whole program, from `greenroom.toml`.

use std::{collections::BTreeMap, time::Duration};

use greenroom_core::PersonaName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AccountSettings, ChannelSettings, GlobalRoom, LimitSettings, MemorySettings, ModelSettings, Secret,
    decimal, duration, env,
    keys::{self, Key},
    persona::NAME_PATTERN,
    settings::URL_PATTERN,
};

/// The endpoint for an OpenAI key if no other endpoint is named.
pub(crate) const OPENAI: &str = "https://api.openai.com/v1";

/// The settings file. Every field may be left out; `model`, `memory`, `room` and `limits` are what
/// personas begin from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(title = "Greenroom settings: greenroom.toml")]
pub struct Settings {
    /// The persona meant where none is named.
    #[schemars(with = "String", regex(pattern = NAME_PATTERN))]
    pub persona: PersonaName,
    /// Which model answers, and how, where a persona does not say.
    pub model: GlobalModel,
    /// What personas remember, where they do not say.
    pub memory: MemorySettings,
    /// What turns texts into vectors.
    pub embedder: EmbedderSettings,
    /// When personas answer among others, where they do not say, and how long bots may talk.
    pub room: GlobalRoom,
    /// Who belongs to which channels, and who answers there.
    pub channels: Vec<ChannelSettings>,
    /// Accounts on chat platforms that `greenroom serve` connects.
    pub accounts: Vec<AccountSettings>,
    /// What personas may use up, where they do not say.
    pub limits: LimitSettings,
    /// Documents of a project.
    pub project: ProjectSettings,
    /// What is known of models, by name (WB2).
    pub models: BTreeMap<String, ModelEntry>,
    /// Actors and queues.
    pub runtime: RuntimeSettings,
    /// What `greenroom serve` lets in.
    pub server: ServerSettings,
    /// Every key and where it may go; no part of the file.
    #[serde(skip)]
    pub(crate) keys: Vec<Key>,
}

/// The model settings of `greenroom.toml`: those of a persona, and the key.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GlobalModel {
    /// What a persona may say as well.
    #[serde(flatten)]
    pub settings: ModelSettings,
    /// The key of the endpoint `base_url`, and of no other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<Secret>,
    /// Further endpoints the key may be sent to.
    #[schemars(inner(regex(pattern = URL_PATTERN)))]
    pub share_key_with: Vec<String>,
}

/// What turns texts into vectors.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EmbedderSettings {
    /// Which sort of embedder.
    pub kind: EmbedderKind,
    /// Whether the kind auto goes without what is not installed, instead of fetching it.
    pub offline: bool,
    /// The endpoint of kind openai; that of the model where it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = URL_PATTERN))]
    pub base_url: Option<String>,
    /// The model's name at that endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub model: Option<String>,
    /// Numbers in a vector, where the endpoint lets one choose.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 16_384))]
    pub dimension: Option<usize>,
}

/// Which sort of embedder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EmbedderKind {
    /// The multilingual one where it is installed, else the table; `serve` and `chat` install it in the background.
    #[default]
    Auto,
    /// The table compiled into the program.
    Static,
    /// The Universal Sentence Encoder for sixteen languages, run locally.
    Multilingual,
    /// MiniLM, run locally.
    Minilm,
    /// An OpenAI-compatible endpoint.
    OpenAi,
    /// None: nothing is recalled by meaning.
    None,
}

/// Documents of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProjectSettings {
    /// Tokens the project's documents may take.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub budget_tokens: usize,
    /// File names looked for where there is no AGENTS.md.
    #[schemars(inner(regex(pattern = FILE_NAME_PATTERN)))]
    pub fallback_names: Vec<String>,
}

/// The pattern of a file name without a path (X11).
pub(crate) const FILE_NAME_PATTERN: &str = "^[^/\\\\]+$";

impl Default for ProjectSettings {
    /// 4000 tokens, AGENTS.md alone.
    fn default() -> Self {
        Self { budget_tokens: 4000, fallback_names: Vec::new() }
    }
}

/// What is known of one model (WB2).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelEntry {
    /// Its window in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 256, max = 100_000_000))]
    pub context_window: Option<usize>,
    /// Its tokenizer (WB3).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub tokenizer: Option<String>,
    /// What it costs; without this nothing is known of its cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

/// What a model costs, in any currency, as long as it is the same for all.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Price {
    /// A million tokens of requests.
    #[serde(with = "decimal")]
    #[schemars(with = "f32", range(min = 0, max = 1_000_000))]
    pub input: f32,
    /// A million tokens of answers.
    #[serde(with = "decimal")]
    #[schemars(with = "f32", range(min = 0, max = 1_000_000))]
    pub output: f32,
}

impl Price {
    /// The cost of a call in millionths. Prices are per million tokens.
    pub fn of(&self, prompt_tokens: u64, completion_tokens: u64) -> u64 {
        let cost =
            prompt_tokens as f64 * f64::from(self.input) + completion_tokens as f64 * f64::from(self.output);
        cost.round() as u64
    }

    /// The number of tokens that `cost_micros` pays for at the higher of both prices.
    pub fn tokens_for(&self, cost_micros: u64) -> u64 {
        match f64::from(self.input.max(self.output)) {
            0.0 => u64::MAX,
            price => (cost_micros as f64 / price) as u64,
        }
    }
}

/// Actors and queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RuntimeSettings {
    /// After so long without a message an actor is passivated.
    #[serde(with = "duration")]
    #[schemars(with = "duration::Positive")]
    pub idle_after: Duration,
    /// Messages a channel may have waiting (S9).
    #[schemars(range(min = 1, max = 10_000))]
    pub queue_limit: usize,
    /// Bytes of memory for what is kept ready of the store: the search index and events.
    /// What was not used for longest goes first and is read again when it is wanted.
    #[schemars(range(min = 1_048_576, max = 1_099_511_627_776_u64))]
    pub cache_bytes: usize,
}

/// The division of `runtime.cache_bytes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheShares {
    /// The search index.
    pub index: usize,
    /// Events for those who listen late.
    pub events: usize,
}

impl RuntimeSettings {
    /// The index gets most of the cache, because it contains a vector of every message.
    pub fn cache_shares(&self) -> CacheShares {
        let eighth = self.cache_bytes / 8;
        CacheShares { index: 7 * eighth, events: eighth }
    }
}

impl Default for RuntimeSettings {
    /// 5 minutes, 32 messages, 96 MiB.
    fn default() -> Self {
        Self { idle_after: Duration::from_secs(300), queue_limit: 32, cache_bytes: 96 << 20 }
    }
}

/// What `greenroom serve` lets in, and where it sends its traces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ServerSettings {
    /// Names a request may ask for in `Host` beside our own address, as greenroom.example or
    /// greenroom.example:8443 (X4).
    #[schemars(inner(regex(pattern = HOST_PATTERN)))]
    pub hosts: Vec<String>,
    /// Other sites whose pages may call this server and read what it answers (X4, CORS), as
    /// `https://app.example`.
    #[schemars(inner(regex(pattern = ORIGIN_PATTERN)))]
    pub origins: Vec<String>,
    /// The longest body of a request, in bytes; a longer one is refused with 413 (X14).
    #[schemars(range(min = 1_024, max = 1_073_741_824))]
    pub body_limit: usize,
    /// Requests answered at a time, each from when its body is there; another one is refused with 503. One in
    /// eight is kept for operators. Open streams do not count.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub concurrency: usize,
    /// Requests in one channel at a time; another one is refused with 429. 0 is unlimited.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub requests_per_channel: usize,
    /// Requests of one user key at a time, replies that are streamed included; 429. 0 is unlimited.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub requests_per_user: usize,
    /// Bodies of one user key that are on their way at a time; 429. 0 is unlimited.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub bodies_per_user: usize,
    /// Streams of events and WebSockets of one user key; 429. 0 is unlimited.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub streams_per_user: usize,
    /// Channels of one user key that are live at a time; 429. 0 is unlimited.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub rooms_per_user: usize,
    /// Channels a user key may wake in a minute; 429. 0 is unlimited.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub new_rooms_per_minute: u32,
    /// Connections held open at a time, streams included. For one more the one that has waited longest for a
    /// request is closed; where there is none, the new one is refused with 503.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub connections: usize,
    /// Connections from one address that is not this machine's; 429. 0 is unlimited.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub connections_per_address: usize,
    /// Requests a minute of one caller; more are refused with 429. 0 is unlimited.
    #[schemars(range(min = 0, max = 100_000_000))]
    pub requests_per_minute: u32,
    /// An OpenTelemetry collector that takes OTLP over HTTP, as http://localhost:4318.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = URL_PATTERN))]
    pub otlp_endpoint: Option<String>,
}

/// The pattern of a host name, with an optional port.
pub(crate) const HOST_PATTERN: &str = "^[^/@\\s]+$";
/// The pattern of an origin as browsers send it: scheme, host, and an optional port.
pub(crate) const ORIGIN_PATTERN: &str = "^https?://[^/@\\s]+$";

impl Default for ServerSettings {
    /// 4 MiB, 4096 requests, 16384 connections, any rate, no CORS, no traces.
    fn default() -> Self {
        Self {
            body_limit: 4 * 1024 * 1024,
            concurrency: 4096,
            requests_per_channel: 256,
            requests_per_user: 64,
            bodies_per_user: 16,
            streams_per_user: 64,
            rooms_per_user: 64,
            new_rooms_per_minute: 120,
            connections: 16_384,
            connections_per_address: 1024,
            requests_per_minute: 0,
            hosts: Vec::new(),
            origins: Vec::new(),
            otlp_endpoint: None,
        }
    }
}

impl Settings {
    /// The key that may be sent to an endpoint, if any (X5).
    ///
    /// A key is sent only where the person who set it wanted it sent. So neither a persona file nor a `greenroom.toml`
    /// that came with a project can redirect a key of the environment by naming an endpoint.
    pub fn key_for(&self, base_url: &str) -> Option<&Secret> {
        keys::key_for(&self.keys, base_url)
    }

    /// The reason why an endpoint gets no key although there are keys, with the remedy.
    pub fn withheld(&self, base_url: &str) -> Option<String> {
        if self.keys.is_empty() || self.key_for(base_url).is_some() {
            return None;
        }
        let names: Vec<&str> = self.keys.iter().map(|key| key.name).collect();
        Some(format!(
            "no key was sent: {} is for other endpoints; set {} and name this one with --base-url or {}",
            names.join(" or "),
            env::API_KEY,
            env::BASE_URL
        ))
    }
}
