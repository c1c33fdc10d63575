//! Checks the limits of JSON before parsing (X12). It estimates memory, so that a lorebook of many plain fields passes,
//! but as many objects do not.

use super::{Documents, MAX_DEPTH, MAX_MEMORY, MAX_MEMORY_WITHIN, MAX_SOURCE_DEPTH};
use crate::{FormatError, error::place};

/// The most raw control characters in strings. Each position takes eight bytes until the document is parsed.
pub(super) const MAX_CONTROLS: usize = 200_000;

/// The estimated bytes of a list item, including the spare capacity of a growing list.
const ITEM: usize = 64;
/// The estimated bytes of an object or a list, including its entry in the order of fields.
const CONTAINER: usize = 80;
/// The estimated bytes of a field, including its name and its entry in the order.
const FIELD: usize = 32;
/// The bytes of a map node, and the number of fields in a node.
const NODE: usize = 640;
const FIELDS_OF_NODE: usize = 12;
/// The number of fields from which an object needs extra memory while it grows, and the extra bytes per field.
const LARGE: usize = 1_000;
const GROWTH: usize = 100;

/// Checks the limits. Returns the positions of control characters in strings.
pub(super) fn guard(text: &str, documents: &mut Documents) -> Result<Vec<usize>, FormatError> {
    documents.take_bytes(text.len())?;
    let mut controls = Vec::new();
    let mut guard = Guard { open: [(0, false); MAX_SOURCE_DEPTH], depth: 0, memory: documents.memory };
    let (mut string, mut escaped) = (None, false);
    for (at, byte) in text.bytes().enumerate() {
        if let Some(from) = string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    guard.take((at - from) * 9 / 8 + 8)?;
                    string = None;
                }
                0..=0x1f if controls.len() == MAX_CONTROLS => {
                    return Err(FormatError::TooLarge {
                        what: "the number of raw line breaks in the JSON".into(),
                        limit: MAX_CONTROLS.to_string(),
                    });
                }
                0..=0x1f => controls.push(at),
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => string = Some(at),
            b'{' | b'[' if guard.depth == documents.depth => {
                let (line, column) = place(text, at);
                return Err(FormatError::TooDeep { line, column, limit: MAX_DEPTH });
            }
            b'{' | b'[' => guard.open(byte == b'{')?,
            b'}' | b']' => guard.depth = guard.depth.saturating_sub(1),
            b':' => guard.field()?,
            b',' => guard.item()?,
            _ => {}
        }
    }
    documents.memory = guard.memory;
    Ok(controls)
}

/// The estimated memory of the document.
struct Guard {
    /// The number of fields of each open container, and whether it is an object.
    open: [(usize, bool); MAX_SOURCE_DEPTH],
    depth: usize,
    /// The bytes that are left of the limit.
    memory: usize,
}

impl Guard {
    fn take(&mut self, bytes: usize) -> Result<(), FormatError> {
        self.memory = self.memory.checked_sub(bytes).ok_or_else(|| FormatError::TooLarge {
            what: "the JSON, once it is read,".into(),
            limit: format!(
                "{} MB, or {} MB in a picture or an archive",
                MAX_MEMORY >> 20,
                MAX_MEMORY_WITHIN >> 20
            ),
        })?;
        Ok(())
    }

    fn open(&mut self, is_object: bool) -> Result<(), FormatError> {
        self.open[self.depth] = (0, is_object);
        self.depth += 1;
        self.take(CONTAINER)
    }

    fn field(&mut self) -> Result<(), FormatError> {
        let Some(at) = self.depth.checked_sub(1) else { return Ok(()) };
        let (fields, _) = &mut self.open[at];
        *fields += 1;
        let (node, growth) = (*fields % FIELDS_OF_NODE == 1, *fields > LARGE);
        self.take(FIELD + if node { NODE } else { 0 } + if growth { GROWTH } else { 0 })
    }

    fn item(&mut self) -> Result<(), FormatError> {
        match self.depth.checked_sub(1).map(|at| self.open[at]) {
            Some((_, true)) => Ok(()),
            _ => self.take(ITEM),
        }
    }
}
