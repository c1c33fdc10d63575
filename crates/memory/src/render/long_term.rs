//! The long-term format: each memory has a title with category, scope and version, and below it a list of the versions
//! that it superseded (FG13).

use greenroom_context::MemoryBlock;
use greenroom_store::Item;
use jiff::tz::TimeZone;

use super::{
    entry,
    text::{category, date, name, quoted, statement},
};
use crate::RecalledItem;

const HEADER: &str = "## Relevant Long-Term Memories\n\n\
    The following memories were retrieved from your persistent memory store as relevant to the current \
    conversation. Apply them silently.";

/// The block; a blank line separates its entries.
pub(super) fn block(items: &[RecalledItem], zone: &TimeZone) -> MemoryBlock {
    let entries = items.iter().map(|recalled| entry(recalled, lines(recalled, zone))).collect();
    MemoryBlock { header: HEADER.into(), entries, spaced: true, ..MemoryBlock::default() }
}

/// The title `**[category | scope | vN]**`, the superseded id, the text, and every earlier version.
fn lines(recalled: &RecalledItem, zone: &TimeZone) -> String {
    let (scope, version, text) = match &recalled.item {
        Item::Memory(memory) => {
            (memory.scope.name(), memory.version, plain(statement(memory, recalled.from.as_deref())))
        }
        Item::Message(message) => {
            let who = name(message.author.name());
            let text = format!("{who}, {}: {}", date(message.at, zone), quoted(&message.text));
            ("channel", 1, plain(text))
        }
    };
    let title = format!("**[{} | {scope} | v{version}]**", category(&recalled.item));
    let supersedes = recalled.supersedes.first().map(|older| format!("*(supersedes {})*", older.id));
    let chain = recalled
        .supersedes
        .iter()
        .map(|older| format!("- before, {} of {}: {}", older.id, date(older.at, zone), quoted(&older.text)));
    let mut lines = vec![title];
    lines.extend(supersedes);
    lines.push(text);
    lines.extend(chain);
    lines.join("\n")
}

/// The line, quoted unless it begins with a letter, a digit or a quotation mark, so that it cannot pass for a title, a
/// heading or a list item.
fn plain(line: String) -> String {
    if line.starts_with(|c: char| c.is_alphanumeric() || c == '"') { line } else { quoted(&line) }
}
