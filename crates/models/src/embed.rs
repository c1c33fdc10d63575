//! Embedders that need no server: a table of word pieces compiled into the program, and the small
//! transformer the table was made from.

mod bert;
mod minilm;
mod table;

pub use minilm::{MiniLm, MiniLmEmbedder};
pub use table::{STATIC_DIMENSION, StaticEmbedder};
