//! Which exported memories may be stored (GR10). Pure, so that every store refuses the same lines.

use std::collections::HashSet;

use greenroom_core::{Kind, Memory, Scope, Timestamp, Trust};

use crate::{Exported, Result, StoreError};

/// Characters in a memory.
const LONGEST: usize = 4_000;
/// Larger ids are replaced: after the largest possible id there is none for the next memory.
pub const LARGEST: i64 = 1 << 53;
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
            "its id stands there twice".to_owned()
        } else if memory.text.trim().is_empty() {
            "it has no text".to_owned()
        } else if length > LONGEST {
            format!("its text has {length} characters and a memory holds at most {LONGEST}")
        } else if Kind::new(memory.kind.as_str()) != memory.kind {
            format!("its kind is no word: `{}`", memory.kind)
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
            "one of its times is no microseconds since 1970".to_owned()
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

/// The number in the key of a session's summary (JV1).
pub fn session(memory: &Memory) -> Option<i64> {
    memory.key.as_deref()?.strip_prefix("session_")?.strip_suffix("_summary")?.parse().ok()
}
