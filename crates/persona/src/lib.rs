//! Persona files, settings and diagnostics: from text on disk to a cast that can play.

mod persona;
mod settings;

pub use persona::Persona;
pub use settings::{
    Answer, LimitSettings, MemorySettings, ModelSettings, Profile, RoomSettings, SourceSettings, Timeouts,
};
