//! Persona files, settings and diagnostics: from text on disk to a cast that can play.

mod decimal;
mod duration;
mod memory;
mod persona;
mod secret;
mod settings;

pub use memory::{MemorySettings, Profile, SourceSettings};
pub use persona::{DEFAULT_TOOLS, Persona};
pub use secret::Secret;
pub use settings::{Answer, LimitSettings, ModelSettings, RoomSettings, Timeouts};
