//! Embedders that need no server: two tables compiled into the program, the small transformer from which one of
//! them was made, and a small network for sixteen languages.

mod bert;
mod compiled;
mod english;
mod local;
mod minilm;
mod multilingual;
mod question;
mod table;
mod words;

pub use compiled::StaticEmbedder;
pub use english::dictionary;
pub use minilm::{MiniLm, MiniLmEmbedder};
pub use multilingual::MultilingualEmbedder;
pub use question::question_map_file;
