//! Persona formats of other programs: reads and writes them, and provides what they add to a context.
//!
//! A file passes these stages: [`detect()`] reads bytes into a [`Source`] of raw data, [`Imported::all`] interprets it
//! as personas with a receipt, and [`Folder`] writes them. [`export()`] goes the opposite way. When a persona answers,
//! [`Play`] contains what its source adds: greetings, examples and the entries of [`Lorebook`]s that [`activate`]
//! finds.
//!
//! All functions are pure except [`Folder`] and [`read_path`]. Imported text is data: no part of it is executed,
//! secrets are removed, regular expressions run in linear time, and sizes are bounded (PF8, X11 to X13).
#![doc = include_str!("../README.md")]

mod archive;
mod character;
mod detect;
mod disk;
mod error;
mod export;
mod folder;
mod front;
mod json;
mod literal;
mod lore;
mod macros;
mod name;
mod play;
mod png;
mod read;
mod receipt;
mod secrets;
mod seed;
mod source;
mod toml_data;
mod value;
mod yaml;
mod yaml_edit;

pub use character::{Character, Imported, Knowledge, MAX_GREETING};
pub use detect::{MAX_FILE, MAX_PERSONA, detect, detect_folder};
pub use disk::{is_persona_folder, read_documents, read_path};
pub use error::FormatError;
pub use export::{Exported, Exporting, Target, export, is_lossless};
pub use folder::{Folder, ToLearn, Written};
pub use json::Order;
pub use lore::{Activated, Entry, LoreLine, Lorebook, Position, Speaker, Trigger, activate};
pub use macros::Macros;
pub use name::{file_name, free_name};
pub use play::{DepthPrompt, Play};
pub use read::statements;
pub use receipt::{Fate, ReceiptLine};
pub use seed::Seed;
pub use source::{Asset, Carrier, Format, Source};
