//! Embedders that need no server: two tables compiled into the program, the small transformer from which one of
//! them was made, and a small network for sixteen languages.

mod bert;
mod compiled;
mod english;
mod linear;
mod local;
mod minilm;
mod multilingual;
mod table;
mod words;

pub use compiled::StaticEmbedder;
pub use english::dictionary;
pub use linear::linear_map_file;
pub use minilm::{MiniLm, MiniLmEmbedder};
pub use multilingual::MultilingualEmbedder;
