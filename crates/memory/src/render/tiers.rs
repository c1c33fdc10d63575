//! The tagged format: preferences, recent events, recent conversations, in this order (JV5, JV6).
//!
//! Other knowledge, as "the code is 4711", is no preference. It stands in the block without a tag of its own,
//! behind the events and before the conversations: it is shown because it is related to what was said, as
//! events are, and conversations are shown whatever was said.

use greenroom_context::{Measure, MemoryBlock, MemoryEntry, MemoryGroup};
use greenroom_core::{Kind, Tier};
use greenroom_store::Item;
use jiff::tz::TimeZone;

use super::{
    entry,
    text::{date, name, quoted, statement, tagless},
};
use crate::RecalledItem;

/// Says that the persona has a memory (JV11), also while there is nothing in it.
pub(super) const NOTICE: &str = "You have a persistent memory: it keeps preferences, events and earlier conversations. What \
    of it matters now is shown to you with each message; where nothing is shown, you remember nothing that matters \
    now. Refer to it where it helps.";

/// The groups in the order in which they are shown and paid for; `None` is the one without a tag.
const TAGS: [Option<&str>; 4] =
    [Some("preferences"), Some("recent_events"), None, Some("recent_conversations")];
const PREFERENCES: usize = 0;
const EVENTS: usize = 1;
const KNOWLEDGE: usize = 2;
const CONVERSATIONS: usize = 3;

/// Each group as far as its entries fit.
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

/// In which group an item stands, and as which line: preferences without a date, all else with one.
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
