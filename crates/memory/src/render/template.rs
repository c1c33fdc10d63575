//! A format of one's own: the template of `memory.template`, in the syntax of Jinja.
//!
//! A template is given `memories`, the entries that are shown, in order, and nothing else: no clock,
//! no file, no network, so that the same memories give the same text (WB9). It is checked when the
//! settings are read, and may work only so long and write only so much; where it fails, the assembler shows the usual block and says why.

use std::io;

use greenroom_context::{BlockTemplate, MemoryBlock};
use greenroom_core::Tier;
use greenroom_store::Item;
use jiff::tz::TimeZone;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, context};

use super::{
    lines,
    text::{category, date, origin, quoted, said, shown, tagless},
};
use crate::RecalledItem;

/// Steps a template may take; a loop over 500 memories with a dozen fields each takes a tenth of it.
const FUEL: u64 = 100_000;
/// The longest block, in bytes.
const LONGEST: usize = 200_000;

/// The block of [`lines::relevant`], with the template to be used instead.
pub(super) fn block(items: &[RecalledItem], template: Option<&str>, zone: &TimeZone) -> MemoryBlock {
    let block = lines::relevant(items, zone);
    let Some(source) = template.map(str::to_owned) else { return block };
    let memories: Vec<Value> = items.iter().map(|recalled| value(recalled, zone)).collect();
    let fill = move |kept: &[usize]| {
        let shown: Vec<Value> = kept.iter().filter_map(|n| memories.get(*n).cloned()).collect();
        fill(&source, shown)
    };
    MemoryBlock { template: Some(BlockTemplate::new(fill)), ..block }
}

fn fill(source: &str, memories: Vec<Value>) -> Result<String, String> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(FUEL));
    let mut page = Page::default();
    let filled = environment
        .template_from_str(source)
        .and_then(|template| template.render_captured_to(context! { memories }, &mut page).map(drop));
    match filled {
        Err(_) if page.full => Err(format!("it writes more than {LONGEST} bytes")),
        Err(error) => {
            let line = error.line().map(|line| format!("line {line}: ")).unwrap_or_default();
            Err(format!("{line}{}", error.detail().map_or_else(|| error.kind().to_string(), str::to_owned)))
        }
        Ok(()) => Ok(String::from_utf8_lossy(&page.bytes).trim().to_owned()),
    }
}

/// What a template has written, up to a limit (X12).
#[derive(Default)]
struct Page {
    bytes: Vec<u8>,
    full: bool,
}

impl io::Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.full |= self.bytes.len() + bytes.len() > LONGEST;
        if self.full {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a template knows of one item. `text` may stand in a prompt as it is: what a stranger said is
/// in quotes there, and always in `quoted`.
fn value(recalled: &RecalledItem, zone: &TimeZone) -> Value {
    let item = &recalled.item;
    let (scope, tier, version) = match item {
        Item::Memory(memory) => (memory.scope.name(), tier(memory.tier), memory.version),
        Item::Message(_) => ("channel", "", 1),
    };
    let supersedes: Vec<Value> = recalled
        .supersedes
        .iter()
        .map(|older| {
            let quoted = tagless(&quoted(&older.text));
            context! { id => older.id.to_string(), text => quoted, date => date(older.at, zone) }
        })
        .collect();
    context! {
        id => item.id().to_string(),
        text => tagless(&said(item)),
        quoted => tagless(&quoted(item.text())),
        kind => category(item),
        scope,
        tier,
        source => recalled.source,
        who => origin(item),
        date => date(item.at(), zone),
        score => (f64::from(shown(recalled.score)) * 100.0).round() / 100.0,
        version,
        supersedes,
    }
}

fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Semantic => "semantic",
        Tier::Episodic => "episodic",
        Tier::Conversation => "conversation",
    }
}
