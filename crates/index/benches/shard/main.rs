//! What searching and writing a shard costs, and the floor: a plain read of the same bytes.
//!
//! `cargo bench -p greenroom-index`; a million rows with `-- --include-ignored`; one with `-- dense::bytes`.

mod data;
mod dense;
mod words;

fn main() {
    divan::main();
}
