//! What searching and writing a shard costs, and the floor: a plain read of the same bytes.
//!
//! `cargo bench -p greenroom-index`; a million rows with `-- --include-ignored`; one with `-- dense::codes`.

#![allow(clippy::unwrap_used, reason = "a measurement may stop")]

mod data;
mod dense;
mod words;

fn main() {
    divan::main();
}
