//! The formats with one line per entry: relevant (WB8), recalled (BD4), attributed (AS8, AS11).

use greenroom_context::MemoryBlock;
use greenroom_store::Item;
use jiff::tz::TimeZone;

use super::{
    entry,
    text::{category, date, dated_statement, name, origin, quoted, said, shown},
};
use crate::RecalledItem;

const RELEVANT: &str = "## Relevant Memories";

/// Lines `- [kind] text`. Messages and statements of people also have author and date (WB8): if two statements
/// contradict each other, the later one holds.
pub(super) fn relevant(items: &[RecalledItem], zone: &TimeZone) -> MemoryBlock {
    block(RELEVANT, items, |recalled| match &recalled.item {
        Item::Memory(memory) => {
            let said = dated_statement(memory, recalled.from.as_deref(), zone);
            format!("- [{}] {said}", memory.kind)
        }
        Item::Message(message) => {
            let who = name(message.author.name());
            let from = if recalled.is_from_other_chat { "another chat" } else { "message" };
            format!("- [{from}] {who}, {}: {}", date(message.at, zone), quoted(&message.text))
        }
    })
}

/// Lines `- "TEXT" (CATEGORY, relevance: 0.92)` (BD4).
pub(super) fn recalled(items: &[RecalledItem]) -> MemoryBlock {
    block("## Recalled Memories", items, |recalled| {
        let text = quoted(recalled.item.text());
        format!("- {text} ({}, relevance: {:.2})", category(&recalled.item), shown(recalled.score))
    })
}

/// Lines `- [source] text (date)` (AS8, AS11).
pub(super) fn with_source(items: &[RecalledItem], zone: &TimeZone) -> MemoryBlock {
    block(RELEVANT, items, |recalled| attributed(&recalled.item, recalled.from.as_deref(), zone))
}

/// Formats one item with its source and its date in `zone`, as `- [jo] "tea is green" (2026-11-21)` (AS8). The source
/// is the author of a message, or the origin of a memory. `from` is the label of a memory's source person
/// ([`Memory::source_label`](crate::Memory::source_labels)).
pub fn attributed(item: &Item, from: Option<&str>, zone: &TimeZone) -> String {
    format!("- [{}] {} ({})", origin(item, from), said(item), date(item.at(), zone))
}

fn block(header: &str, items: &[RecalledItem], line: impl Fn(&RecalledItem) -> String) -> MemoryBlock {
    let entries = items.iter().map(|recalled| entry(recalled, line(recalled))).collect();
    MemoryBlock { header: header.into(), entries, ..MemoryBlock::default() }
}
