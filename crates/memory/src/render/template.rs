//! The user's own format: the Jinja template in `memory.template`.
//!
//! A template sees only `memories`, the shown entries in order. It has no clock, file or network, so that the same
//! memories give the same text (WB9). The template is checked when the settings are read. Its work and its output are
//! limited in steps and bytes, not in time. If it fails, the assembler shows the usual block and reports why.

use std::{
    borrow::Cow,
    collections::HashMap,
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use greenroom_context::{BlockTemplate, MemoryBlock};
use greenroom_core::Tier;
use greenroom_store::Item;
use jiff::tz::TimeZone;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, Value, context};

use super::{
    lines,
    text::{category, date, origin, quoted, said, shown, tagless},
};
use crate::RecalledItem;

/// The steps that all renderings of one block may take together. The assembler renders the block once for each number
/// of entries that it tries. A loop over 500 memories with a dozen fields each takes a fifth of this.
const FUEL: u64 = 50_000;
/// The bytes of text that filters may process in all renderings together.
const FILTERED: usize = 1_000_000;
/// The longest text of one field, in bytes. No memory is longer, and no longer message fits into a block.
const LONGEST_TEXT: usize = 16_000;
/// The longest block, in bytes.
const LONGEST: usize = 200_000;

/// The block of [`lines::relevant`], with the template that replaces its format.
pub(super) fn block(items: &[RecalledItem], template: Option<&str>, zone: &TimeZone) -> MemoryBlock {
    let block = lines::relevant(items, zone);
    let Some(source) = template.map(str::to_owned) else { return block };
    let memories: Vec<Value> = items.iter().map(|recalled| value(recalled, zone)).collect();
    let filling = Mutex::new(Filling::default());
    let fill = move |kept: &[usize]| {
        let mut filling = filling.lock().unwrap_or_else(PoisonError::into_inner);
        filling.fill(&source, &memories, kept)
    };
    MemoryBlock { template: Some(BlockTemplate::new(fill)), ..block }
}

/// The renderings of one block. All of them share their fuel, so that the work per turn is bounded. The same selection
/// of entries is rendered once.
struct Filling {
    fuel: u64,
    filtered: Arc<AtomicUsize>,
    filled: HashMap<Vec<usize>, String>,
    failed: Option<String>,
}

impl Default for Filling {
    fn default() -> Self {
        let (filled, filtered) = (HashMap::new(), Arc::new(AtomicUsize::new(FILTERED)));
        Self { fuel: FUEL, filtered, filled, failed: None }
    }
}

impl Filling {
    fn fill(&mut self, source: &str, memories: &[Value], kept: &[usize]) -> Result<String, String> {
        if let Some(reason) = &self.failed {
            return Err(reason.clone());
        }
        if let Some(text) = self.filled.get(kept) {
            return Ok(text.clone());
        }
        let shown: Vec<Value> = kept.iter().filter_map(|n| memories.get(*n).cloned()).collect();
        match fill(source, shown, self.fuel, &self.filtered) {
            Ok((text, fuel)) => {
                self.fuel = fuel;
                self.filled.insert(kept.to_vec(), text.clone());
                Ok(text)
            }
            Err(reason) => Err(self.failed.insert(reason).clone()),
        }
    }
}

/// Renders the template. Returns the text and the remaining fuel.
fn fill(
    source: &str,
    memories: Vec<Value>,
    fuel: u64,
    filtered: &Arc<AtomicUsize>,
) -> Result<(String, u64), String> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(fuel));
    for (name, filter) in FILTERS {
        let left = filtered.clone();
        environment.add_filter(name, move |text: Cow<'_, str>| {
            let enough =
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(text.len()));
            match enough {
                Ok(_) => Ok(filter(text)),
                Err(_) => Err(Error::new(ErrorKind::OutOfFuel, "its filters work on too much text")),
            }
        });
    }
    let mut page = Page::default();
    let filled = environment
        .template_from_str(source)
        .and_then(|template| template.render_captured_to(context! { memories }, &mut page));
    match filled {
        Err(_) if page.full => Err(format!("it writes more than {LONGEST} bytes")),
        Err(error) => {
            let line = error.line().map(|line| format!("line {line}: ")).unwrap_or_default();
            Err(format!("{line}{}", error.detail().map_or_else(|| error.kind().to_string(), str::to_owned)))
        }
        Ok(captured) => {
            let left = captured.state().fuel_levels().map_or(0, |(_, left)| left);
            Ok((String::from_utf8_lossy(&page.bytes).trim().to_owned(), left))
        }
    }
}

/// A filter of the template language.
type Filter = fn(Cow<'_, str>) -> String;

/// The filters whose work depends on the whole length of a text.
const FILTERS: [(&str, Filter); 5] = [
    ("capitalize", capitalize),
    ("lower", |text| text.to_lowercase()),
    ("title", minijinja::filters::title),
    ("trim", |text| text.trim().to_owned()),
    ("upper", |text| text.to_uppercase()),
];

fn capitalize(text: Cow<'_, str>) -> String {
    let mut rest = text.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest.as_str().to_lowercase().chars()).collect()
}

/// The output of a template, up to a limit (X12).
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

/// The fields of one item in a template. `text` is safe in a prompt as it is: a stranger's text is in quotes. `quoted`
/// is always in quotes.
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
        text => cut(tagless(&said(item))),
        quoted => cut(tagless(&quoted(item.text()))),
        kind => category(item),
        scope,
        tier,
        source => recalled.source,
        who => origin(item, recalled.from.as_deref()),
        date => date(item.at(), zone),
        score => (f64::from(shown(recalled.score)) * 100.0).round() / 100.0,
        version,
        supersedes,
    }
}

/// Cuts a text to the longest field.
fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(LONGEST_TEXT));
    text
}

fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Semantic => "semantic",
        Tier::Episodic => "episodic",
        Tier::Conversation => "conversation",
    }
}
