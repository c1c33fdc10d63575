//! Prepares texts: `neutralise` for incoming and outgoing texts, `split` and `format` for outgoing ones. Pure
//! functions.

mod format;
mod neutralise;
mod split;

pub use self::{
    format::{escape_html, format},
    neutralise::{clean_line, clean_name, neutralise},
    split::{split, split_line},
};
use sha2::{Digest, Sha256};

use crate::{Limits, Unit};

/// Turns a reply into messages of the platform: neutralises, splits and formats it, and puts `prefix` in front of each.
/// Empty if the reply contains nothing to send.
///
/// Each part fits the limit after formatting.
pub fn parts(text: &str, limits: &Limits, prefix: &str) -> Vec<String> {
    let text = neutralise(text);
    let room = limits.longest.saturating_sub(limits.unit.len(prefix)).max(1);
    let formatted: Vec<String> = if limits.lines {
        let length = |part: &str| limits.unit.len(&format(part, limits.dialect));
        split(&text, room, length).iter().map(|part| format(part, limits.dialect)).collect()
    } else {
        let lines = format(&text, limits.dialect);
        lines.lines().flat_map(|line| split_line(line.trim_end(), room, limits.unit)).collect()
    };
    let said = formatted.into_iter().filter(|part| !part.trim().is_empty());
    said.map(|part| format!("{prefix}{part}")).collect()
}

/// The first 12 bytes of the SHA-256 of a text, in hexadecimal digits.
pub(crate) fn short_hash(text: &str) -> String {
    Sha256::digest(text).iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}

/// The longest beginning of a text that fits. It ends between two graphemes.
pub(crate) fn fitting(text: &str, longest: usize, unit: Unit) -> &str {
    use unicode_segmentation::UnicodeSegmentation;
    let (mut used, mut end) = (0, 0);
    for grapheme in text.graphemes(true) {
        used += unit.len(grapheme);
        if used > longest {
            break;
        }
        end += grapheme.len();
    }
    &text[..end]
}

#[cfg(test)]
mod tests;
