//! From text to a [`Node`] tree: TOML and YAML.
//!
//! Neither reader recurses deeper than [`MAX_DEPTH`](crate::node::MAX_DEPTH) or expands anything
//! (X12). What can be read is returned beside what is wrong, so that one slip of the pen does not
//! hide the next.

pub(crate) mod toml;
pub(crate) mod yaml;
