//! The tagged format: preferences, recent events, recent conversations, in this order (JV5, JV6).

use greenroom_context::{Measure, MemoryBlock, MemoryEntry, MemoryGroup};
use greenroom_core::Tier;
use greenroom_store::Item;
use jiff::tz::TimeZone;

use super::{
    entry,
    text::{date, name, quoted, statement, tagless},
};
use crate::RecalledItem;

/// Says that the persona has a memory (JV11). It is part of the block, so that without memories the
/// prompt is the prompt (BD9).
const INSTRUCTION: &str = "You have a persistent memory. It is shown below: preferences, events and \
    conversations of the past. Refer to it where it helps.";

const TAGS: [&str; 3] = ["preferences", "recent_events", "recent_conversations"];

/// Groups in the order in which they are paid for: each as far as its entries fit.
pub(super) fn block(items: &[RecalledItem], zone: &TimeZone) -> MemoryBlock {
    let mut sorted: [Vec<MemoryEntry>; 3] = Default::default();
    for recalled in items {
        let (group, line) = placed(&recalled.item, zone);
        sorted[group].push(entry(recalled, tagless(&line)));
    }
    let groups = TAGS.iter().zip(&sorted).map(|(tag, entries)| MemoryGroup {
        open: format!("<{tag}>"),
        close: format!("</{tag}>"),
        size: entries.len(),
    });
    MemoryBlock {
        header: format!("{INSTRUCTION}\n<memory_context>"),
        groups: groups.collect(),
        entries: sorted.into_iter().flatten().collect(),
        footer: "</memory_context>".into(),
        measure: Measure::Quarters,
        ..MemoryBlock::default()
    }
}

/// In which group an item stands, and as which line: preferences without a date, all else with one.
fn placed(item: &Item, zone: &TimeZone) -> (usize, String) {
    let dated = |text: String| format!("- [{}] {text}", date(item.at(), zone));
    match item {
        Item::Memory(memory) => match memory.tier {
            Tier::Semantic => (0, format!("- {}", statement(memory))),
            Tier::Episodic => (1, dated(statement(memory))),
            Tier::Conversation => (2, dated(statement(memory))),
        },
        Item::Message(message) => {
            let who = name(message.author.name());
            (2, dated(format!("{who}: {}", quoted(&message.text))))
        }
    }
}
