//! Embedders that need no server: a table of word pieces compiled into the program, and the small transformer from
//! which the table was made.

mod bert;
mod minilm;
mod table;

pub use minilm::{MiniLm, MiniLmEmbedder};
pub use table::{STATIC_DIMENSION, StaticEmbedder};
