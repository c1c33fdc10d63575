//! Embedders that need no server: a table of word pieces compiled into the program, the small transformer from which
//! the table was made, and a small network for sixteen languages.

mod bert;
mod local;
mod minilm;
mod multilingual;
mod question;
mod table;

pub use minilm::{MiniLm, MiniLmEmbedder};
pub use multilingual::MultilingualEmbedder;
pub use question::question_map_file;
pub use table::{STATIC_DIMENSION, StaticEmbedder, dictionary};
