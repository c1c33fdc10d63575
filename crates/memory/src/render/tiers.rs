//! The tagged format: preferences, recent events, recent conversations, in this order (JV5, JV6).
//!
//! Other knowledge, as "the code is 4711", is no preference. It has no tag of its own and comes between events and
//! conversations. Like events it is shown only if it is related to the conversation; the recent conversations are
//! always shown.

use greenroom_context::{Measure, MemoryBlock, MemoryEntry, MemoryGroup};
use greenroom_core::{Kind, Tier};
use greenroom_store::Item;
use jiff::tz::TimeZone;

use super::{
    entry,
    text::{date, name, quoted, statement, tagless},
};
use crate::RecalledItem;

/// The notice that the persona has a memory (JV11), also while the memory is empty.
pub(super) const NOTICE: &str = "You have a persistent memory: it keeps preferences, events and earlier conversations. What \
    of it matters now is shown to you with each message; where nothing is shown, you remember nothing that matters \
    now. Refer to it where it helps.";

/// The groups in the order in which they are shown and get their tokens; `None` is the group without a tag.
const TAGS: [Option<&str>; 4] =
    [Some("preferences"), Some("recent_events"), None, Some("recent_conversations")];
const PREFERENCES: usize = 0;
const EVENTS: usize = 1;
const KNOWLEDGE: usize = 2;
const CONVERSATIONS: usize = 3;

/// The block with one group per tag; the assembler drops entries that do not fit.
pub(super) fn block(items: &[RecalledItem], zone: &TimeZone) -> MemoryBlock {
    let mut sorted: [Vec<MemoryEntry>; TAGS.len()] = Default::default();
    for recalled in items {
        let (group, line) = placed(recalled, zone);
        sorted[group].push(entry(recalled, tagless(&line)));
    }
    let groups = TAGS.iter().zip(&sorted).map(|(tag, entries)| MemoryGroup {
        open: tag.map(|tag| format!("<{tag}>")).unwrap_or_default(),
        close: tag.map(|tag| format!("</{tag}>")).unwrap_or_default(),
        size: entries.len(),
    });
    MemoryBlock {
        header: "<memory_context>".into(),
        groups: groups.collect(),
        entries: sorted.into_iter().flatten().collect(),
        footer: "</memory_context>".into(),
        measure: Measure::Quarters,
        ..MemoryBlock::default()
    }
}

/// The group of an item and its line: preferences without a date, all others with one.
fn placed(recalled: &RecalledItem, zone: &TimeZone) -> (usize, String) {
    let RecalledItem { item, from, .. } = recalled;
    let dated = |text: String| format!("- [{}] {text}", date(item.at(), zone));
    match item {
        Item::Memory(memory) => match memory.tier {
            Tier::Semantic if memory.kind == Kind::preference() => {
                (PREFERENCES, format!("- {}", statement(memory, from.as_deref())))
            }
            Tier::Semantic => (KNOWLEDGE, dated(statement(memory, from.as_deref()))),
            Tier::Episodic => (EVENTS, dated(statement(memory, from.as_deref()))),
            Tier::Conversation => (CONVERSATIONS, dated(statement(memory, from.as_deref()))),
        },
        Item::Message(message) => {
            let who = name(message.author.name());
            (CONVERSATIONS, dated(format!("{who}: {}", quoted(&message.text))))
        }
    }
}
