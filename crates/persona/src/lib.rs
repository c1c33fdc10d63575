//! Persona files, settings and diagnostics: loads the cast from text on disk.
//!
//! A file passes these modules in order: `read` (reads it with bounds), `persona_file` (splits front matter and
//! prompt), `syntax` (parses a tree with positions), `check` (compares it with the `schema` of the types and finds all
//! problems at once), `layers` (merges it with defaults, `greenroom.toml`, the environment and flags), `cast`.
//!
#![doc = include_str!("../README.md")]

mod accounts;
mod base;
mod cast;
mod check;
mod decimal;
mod diagnostic;
mod duration;
pub mod env;
mod global;
mod keys;
mod layers;
mod mcp;
mod memory;
mod node;
mod persona;
mod persona_file;
mod read;
mod rooms;
mod samples;
mod schema;
mod secret;
mod settings;
mod syntax;
mod template;
mod watch;

pub use accounts::{AccountSettings, FaceSetting};
pub use base::{Flag, Layers};
pub use cast::{Cast, CastChecker};
pub use diagnostic::Diagnostic;
pub use duration::{parse as parse_duration, parse_within as parse_duration_within};
pub use global::{
    CacheShares, EmbedderKind, EmbedderSettings, GlobalModel, ModelEntry, Price, ProjectSettings,
    RuntimeSettings, ServerSettings, Settings,
};
pub use layers::{Origin, OriginKind};
pub use mcp::{McpServer, Reference};
pub use memory::{
    BlockPlace, CaptureSettings, Follow, HydeSettings, MemorySettings, Profile, Render, SourceName,
    SourceSettings, Strategy, TEMPLATE_FIELDS,
};
pub use persona::{BUILT_IN_TOOLS, DEFAULT_TOOLS, Persona};
pub use rooms::{ChannelSettings, GlobalRoom, RoomPolicy, matches_channel};
pub use samples::SAMPLES;
pub use schema::persona_schema;
pub use secret::{Secret, blot, is_variable_name};
pub use settings::{Answer, AtCostLimit, LimitSettings, ModelSettings, RoomSettings, Timeouts};
pub use template::{NewError, create, template};
pub use watch::{WatchError, watch};
