//! The code of all fuzz targets: each passes its bytes through import, conversation and export (PF8). A run fails if it
//! panics, if it uses more than 64 MB of memory, or if it does not free its memory.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::{Duration, Instant},
};

use greenroom_formats::{
    Asset, Exporting, Format, FormatError, Imported, LoreLine, Macros, Seed, Source, Target, activate, detect, detect_folder,
    export, is_lossless,
};

/// The maximum number of bytes that one file may use (X12).
const MAX_MEMORY: usize = 64 << 20;
/// The number of runs after which all static tables are filled.
const WARM: usize = 10_000;
/// Bytes that may stay in use after these runs, because the expressions for credentials keep bounded caches.
const MAX_GROWTH: usize = 4 << 20;
/// A text on which every expression for credentials is tried.
const SECRETS: &[u8] = b"sk-canary-canary-canary-canary -----BEGIN PRIVATE KEY----- x seed phrase: a b c d e f g h i j k l m n";

/// Counts the bytes in use. libFuzzer's own allocations do not count.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
static HUNGRIEST: AtomicUsize = AtomicUsize::new(0);
static RUNS: AtomicUsize = AtomicUsize::new(0);
static WARM_USE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        MOST.fetch_max(NOW.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs a target.
///
/// # Panics
/// If there is no such target, or if the run fails.
pub fn run(target: &str, bytes: &[u8]) {
    match target {
        "agent_markdown" => text(bytes, "agent.md", None),
        "agent_toml" => text(bytes, "agent.toml", None),
        "aieos" => text(bytes, "tree.json", Some(Format::Aieos)),
        "archive" => text(bytes, "a.zip", None),
        "byaf" | "charx" | "soul" => files(bytes),
        "card" => text(bytes, "card.json", Some(Format::CardV3)),
        "crewai" => text(bytes, "agents.yaml", None),
        "eliza" => text(bytes, "character.json", Some(Format::Eliza)),
        "letta" => text(bytes, "agent.af", Some(Format::Letta)),
        "lorebook" => text(bytes, "book.json", Some(Format::Lorebook)),
        "picture" => text(bytes, "card.png", None),
        "soul_json" => text(bytes, "soul.json", Some(Format::SoulJson)),
        other => panic!("there is no target {other}"),
    }
}

/// Runs on a file. With a `format`, that format's reader also gets the data, whatever format was detected.
fn text(bytes: &[u8], name: &str, format: Option<Format>) {
    within_memory(|| {
        let Ok(source) = detect(name, bytes) else { return };
        if let Some(format) = format.filter(|format| source.format != *format) {
            everything(Source { format, ..source.clone() }, bytes);
        }
        everything(source, bytes);
    });
}

/// Runs on a folder: alternating paths and contents, separated by zero bytes.
fn files(bytes: &[u8]) {
    within_memory(|| {
        let parts: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
        let file = |pair: &[&[u8]]| {
            let path = String::from_utf8_lossy(pair[0]).into_owned();
            Asset { path, content: pair.get(1).map(|content| content.to_vec()).unwrap_or_default() }
        };
        let Ok(source) = detect_folder("folder", parts.chunks(2).map(file).collect()) else { return };
        everything(source, bytes);
    });
}

/// Encodes a folder as bytes for [`files`].
pub fn packed<'a>(files: impl Iterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let pairs: Vec<Vec<u8>> =
        files.map(|(path, content)| [path.as_bytes(), b"\0", content].concat()).collect();
    pairs.join(&0)
}

/// Does one of the steps after reading, which the bytes select. One step for each run keeps the runs fast.
fn everything(source: Source, bytes: &[u8]) {
    let number =
        bytes.iter().fold(bytes.len(), |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
    let format = source.format;
    let mut last = None;
    for imported in Imported::each(source).take(3) {
        imported.character.to_markdown();
        match number % 8 {
            0 => converse(&imported, bytes),
            1 => convert(&imported, number / 8),
            _ if format == Format::Lorebook => converse(&imported, bytes),
            _ => {}
        }
        last = Some(imported.source);
    }
    if let Some(source) = last.filter(|_| number % 8 == 2) {
        source.to_json();
        // an error is a permitted result
        let _ = is_lossless(source);
    }
}

fn converse(imported: &Imported, bytes: &[u8]) {
    let said: Vec<LoreLine> = String::from_utf8_lossy(&bytes[..bytes.len().min(2_000)])
        .split(',')
        .take(6)
        .enumerate()
        .map(|(n, text)| LoreLine { id: n as u64, text: text.to_owned(), is_own: n % 2 == 1 })
        .collect();
    let seed = Seed::of(&[bytes.len() as u64]);
    let macros = Macros { char: "Nova", user: "Mia", seed, lasting: seed };
    macros.expand(&imported.character.prompt);
    for text in imported.play.greetings.iter().chain(&imported.play.examples) {
        macros.expand(text);
    }
    for book in &imported.play.books {
        activate(book, &said, macros);
    }
}

fn convert(imported: &Imported, number: usize) {
    let targets = [
        Target::CardV2,
        Target::CardV3,
        Target::Png,
        Target::Eliza,
        Target::Soul,
        Target::Agent,
        Target::Original,
    ];
    // an edit: removes one line of the prompt and adds another
    let mut character = imported.character.clone();
    let lines: Vec<&str> = character.prompt.lines().collect();
    let gone = number / 7 % lines.len().max(1);
    character.prompt =
        lines.iter().enumerate().filter(|(n, _)| *n != gone).map(|(_, line)| format!("{line}\n")).collect();
    character.prompt.push_str("- more: text");
    let persona = Exporting {
        name: &imported.name,
        character: &character,
        play: &imported.play,
        source: Some(&imported.source),
        books: &[],
    };
    let _ = export(targets[number % targets.len()], &persona);
}

/// Runs the steps of `persona import --check`. Returns for each step its name, its end time, and the peak memory until
/// then.
///
/// # Errors
/// If the file is invalid.
pub fn import(name: &str, bytes: Vec<u8>) -> Result<Vec<(&'static str, Duration, usize)>, FormatError> {
    let (before, begun) = (NOW.load(Relaxed) - bytes.len(), Instant::now());
    MOST.store(before + bytes.len(), Relaxed);
    let mut steps = Vec::new();
    let mut step = |name| steps.push((name, begun.elapsed(), MOST.load(Relaxed).saturating_sub(before)));
    let source = detect(name, bytes)?;
    step("read");
    let mut last = None;
    for imported in Imported::each(source) {
        step("viewed");
        imported.source.to_json();
        last = Some(imported.source);
    }
    step("written");
    if let Some(source) = last {
        assert!(is_lossless(source)?, "an export would not be the same");
    }
    step("checked");
    Ok(steps)
}

/// The peak memory of all runs, in bytes.
pub fn most_memory() -> usize {
    HUNGRIEST.load(Relaxed)
}

/// Runs a closure and checks its memory.
///
/// # Panics
/// If the run uses too much memory, or does not free it.
fn within_memory(run: impl FnOnce()) {
    if RUNS.load(Relaxed) == 0 {
        let _ = detect("SOUL.md", SECRETS);
    }
    let before = NOW.load(Relaxed);
    MOST.store(before, Relaxed);
    run();
    let most = MOST.load(Relaxed).saturating_sub(before);
    HUNGRIEST.fetch_max(most, Relaxed);
    assert!(most <= MAX_MEMORY, "the file takes {} MB of memory", most >> 20);
    if RUNS.fetch_add(1, Relaxed) == WARM {
        WARM_USE.store(NOW.load(Relaxed), Relaxed);
    }
    if RUNS.load(Relaxed) > WARM {
        let growth = NOW.load(Relaxed).saturating_sub(WARM_USE.load(Relaxed));
        assert!(growth <= MAX_GROWTH, "{growth} bytes stay in use");
    }
}
