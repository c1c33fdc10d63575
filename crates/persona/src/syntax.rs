//! Parses TOML and YAML into a [`Node`] tree.
//!
//! Neither parser recurses deeper than [`MAX_DEPTH`](crate::node::MAX_DEPTH) or expands anything (X12). Both return the
//! readable part together with the problems, so that one mistake does not hide the next.

pub(crate) mod toml;
pub(crate) mod yaml;

use crate::node::Problem;

/// The longest text that is parsed as TOML or YAML. It is far more than settings need, and small enough that the worst
/// text costs little (X12). Prompts may be longer.
const MAX_BYTES: usize = 128 << 10;

/// A problem if a text is too long to be parsed.
pub(crate) fn too_long(text: &str, offset: usize) -> Option<Problem> {
    let at = offset..offset + 1;
    let expected = format!("at most {} KB", MAX_BYTES >> 10);
    (text.len() > MAX_BYTES).then(|| Problem::new("too_large", at, "the settings are too long", expected))
}
