//! From text to a [`Node`] tree: TOML and YAML.
//!
//! Neither reader recurses deeper than [`MAX_DEPTH`](crate::node::MAX_DEPTH) or expands anything
//! (X12). What can be read is returned beside what is wrong, so that one slip of the pen does not
//! hide the next.

pub(crate) mod toml;
pub(crate) mod yaml;

use crate::node::Problem;

/// The longest text that is read as TOML or YAML: many times what settings need, and short enough
/// that the worst of it costs little (X12). Prompts may be longer.
const MAX_BYTES: usize = 128 << 10;

/// A problem with a text that is too long to be read at all.
pub(crate) fn too_long(text: &str, offset: usize) -> Option<Problem> {
    let at = offset..offset + 1;
    let expected = format!("at most {} KB", MAX_BYTES >> 10);
    (text.len() > MAX_BYTES).then(|| Problem::new("too_large", at, "the settings are too long", expected))
}
