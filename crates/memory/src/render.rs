//! Rendering: formats recalled items as a block for the model and as snippets for the user.
//!
//! Each format of `memory.render` is one function from items to a [`MemoryBlock`]. The assembler of the context takes
//! as many entries of the block as fit. Every format quotes the text of strangers (X7, AS11). No text, name or kind can
//! start a line of its own, or close its quotes or a tag.

mod lines;
mod long_term;
mod template;
#[cfg(test)]
mod tests;
mod text;
mod tiers;

use greenroom_context::{MemoryBlock, MemoryEntry, MemoryPlace};
use greenroom_core::{Author, MemorySnippet};
use greenroom_persona::{BlockPlace, MemorySettings, Render};
use greenroom_store::Item;
use jiff::tz::TimeZone;

use crate::{Recalled, RecalledItem};
use text::{category, date, flat, origin, shown};

pub use lines::attributed;

/// Formats a recall as a block, in the format of `settings`, with dates in `zone`. Without items the block has no
/// entries, and a context with it is byte for byte the same as one without (BD9).
pub fn render(recalled: &Recalled, settings: &MemorySettings, zone: &TimeZone) -> MemoryBlock {
    let items = &recalled.items;
    let mut block = match settings.render {
        Render::Relevant => lines::relevant(items, zone),
        Render::Recalled => lines::recalled(items),
        Render::Attributed => lines::with_source(items, zone),
        Render::LongTerm => long_term::block(items, zone),
        Render::Tiers => tiers::block(items, zone),
        Render::Template => template::block(items, settings.template.as_deref(), zone),
    };
    block.place = match settings.place {
        BlockPlace::System => MemoryPlace::System,
        BlockPlace::AfterHistory => MemoryPlace::AfterHistory,
    };
    block
}

/// The notice about the memory in the system prompt, which does not depend on what was recalled (JV11). Only the tagged
/// format has one; with the other formats an empty memory changes no byte of a request (BD9).
pub fn notice(settings: &MemorySettings) -> Option<&'static str> {
    (settings.enabled && settings.render == Render::Tiers).then_some(tiers::NOTICE)
}

/// The snippets of a recall for the user (BD5), best first.
pub fn snippets(recalled: &Recalled, zone: &TimeZone) -> Vec<MemorySnippet> {
    let snippet = |recalled: &RecalledItem| MemorySnippet {
        id: recalled.item.id().to_string(),
        text: flat(recalled.item.text()),
        category: category(&recalled.item).to_owned(),
        score: shown(recalled.score),
        source: source(recalled, zone),
    };
    let mut snippets: Vec<_> = recalled.items.iter().map(snippet).collect();
    snippets.sort_by(|a, b| b.score.total_cmp(&a.score));
    snippets
}

/// The source of a snippet, as `channel · jo, 2026-11-21`.
fn source(recalled: &RecalledItem, zone: &TimeZone) -> String {
    let RecalledItem { item, from, .. } = recalled;
    let place = match item {
        Item::Message(_) if recalled.is_from_other_chat => "another chat",
        Item::Message(_) => "channel",
        Item::Memory(memory) => memory.scope.name(),
    };
    format!("{place} · {}, {}", origin(item, from.as_deref()), date(item.at(), zone))
}

/// An entry of the block with this line.
fn entry(recalled: &RecalledItem, line: String) -> MemoryEntry {
    let (message, reply) = match &recalled.item {
        Item::Message(message) => (Some(message.id), matches!(message.author, Author::Persona { .. })),
        Item::Memory(_) => (None, false),
    };
    MemoryEntry {
        id: recalled.item.id().to_string(),
        message,
        reply,
        is_from_other_chat: recalled.is_from_other_chat,
        line,
        text: flat(recalled.item.text()),
        score: recalled.score,
    }
}
