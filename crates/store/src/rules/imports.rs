//! Which exported memories may be stored (GR10). Pure, so that every store refuses the same lines.

use std::collections::HashSet;

use greenroom_core::{Kind, Memory, Scope, Timestamp, Trust};

use crate::{Exported, Result, StoreError, rules::summaries::session_of_summary_key};

/// The greatest number of characters of a memory.
const MAX_TEXT_CHARS: usize = 4_000;
/// Larger ids are replaced, so that ids for later memories remain.
pub const MAX_ID: i64 = 1 << 53;
/// The end of the year 9999: a time past it is a mistake.
const LATEST: Timestamp = Timestamp(253_402_300_799_999_999);

/// Refuses the first memory that must not be stored, independent of the store's contents.
///
/// # Errors
/// [`StoreError::Invalid`] names the memory and the reason.
pub fn check(imports: &[Exported]) -> Result<()> {
    let mut ids = HashSet::new();
    for Exported { memory, .. } in imports {
        let length = memory.text.chars().count();
        let times = [Some(memory.created_at), Some(memory.updated_at), memory.expires_at];
        let sane = |at: &Timestamp| (Timestamp(0)..=LATEST).contains(at);
        let wrong = if !ids.insert(memory.id) {
            "its id occurs twice".to_owned()
        } else if memory.text.trim().is_empty() {
            "it has no text".to_owned()
        } else if length > MAX_TEXT_CHARS {
            format!("its text has {length} characters and a memory holds at most {MAX_TEXT_CHARS}")
        } else if Kind::new(memory.kind.as_str()) != memory.kind {
            format!("its kind is not a word: `{}`", memory.kind)
        } else if memory.trust == Trust::Stranger && memory.scope == Scope::Global {
            "a stranger's word does not hold everywhere".to_owned()
        } else if memory
            .source
            .via
            .chars()
            .chain(memory.key.iter().flat_map(|key| key.chars()))
            .any(|c| c.is_control())
        {
            "its key or its source holds a control character".to_owned()
        } else if memory.version == 0 {
            "its version is 0, and the first is 1".to_owned()
        } else if !times.iter().flatten().all(sane) {
            "one of its times is before 1970 or after the year 9999".to_owned()
        } else if memory.updated_at < memory.created_at {
            "it was last written before it was first written".to_owned()
        } else {
            continue;
        };
        return Err(refused(memory, &wrong));
    }
    Ok(())
}

/// An import that is refused because of one of its memories.
pub fn refused(memory: &Memory, why: &str) -> StoreError {
    StoreError::Invalid(format!("cannot import {}: {why}; nothing was imported", memory.id))
}

/// The session that a memory summarises (JV1); `None` for any other memory.
pub fn session_of_summary(memory: &Memory) -> Option<i64> {
    session_of_summary_key(memory.key.as_deref()?)
}
