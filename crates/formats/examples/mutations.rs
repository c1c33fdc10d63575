//! Damages good files at random and reads them: `cargo run --release -p greenroom-formats --example mutations -- DIR RUNS
//! [SEED]`. Every file below DIR is a seed of its own. Prints runs, the slowest read and the most memory that a read took
//! (PF8: at most 1 s and 64 MB); `slowest.bin` is that file. A panic ends the program with the file that caused it in `mutation.bin`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a program for developers")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::{Duration, Instant},
};

use greenroom_formats::{Imported, Said, Seed, activate, detect, is_lossless};

/// Counts the bytes in use.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[allow(unsafe_code, reason = "an allocator is unsafe; this one only counts")]
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

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, runs, ..] = &arguments[..] else { panic!("mutations DIR RUNS [SEED]") };
    let runs: u64 = runs.parse().unwrap();
    let mut state: u64 = arguments.get(2).map_or(1, |seed| seed.parse().unwrap());
    let seeds: Vec<Vec<u8>> =
        files(Path::new(directory)).iter().map(|file| std::fs::read(file).unwrap()).collect();
    let small: Vec<&Vec<u8>> = seeds.iter().filter(|bytes| bytes.len() < 100_000).collect();
    println!("{} files, of which {} are small enough to be damaged", seeds.len(), small.len());
    let (mut slowest, mut memory, mut read) = (Duration::ZERO, 0, 0u64);
    for run in 0..runs {
        let bytes = mutated(&small, &mut state);
        let before = NOW.load(Relaxed);
        MOST.store(before, Relaxed);
        let begun = Instant::now();
        let good = std::panic::catch_unwind(|| everything(&bytes));
        let Ok(good) = good else {
            std::fs::write("mutation.bin", &bytes).unwrap();
            panic!("run {run} panicked; the file is mutation.bin");
        };
        read += u64::from(good);
        if begun.elapsed() > slowest {
            slowest = begun.elapsed();
            std::fs::write("slowest.bin", &bytes).unwrap();
        }
        memory = memory.max(MOST.load(Relaxed) - before);
    }
    println!("{runs} runs, {read} read, slowest {slowest:?}, most memory {} KB", memory >> 10);
}

/// Everything that an import and a turn do with a file; whether it was read.
fn everything(bytes: &[u8]) -> bool {
    let Ok(source) = detect("file", bytes) else { return false };
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(2_000)]).into_owned();
    let said: Vec<Said> = (0..4).map(|id| Said { id, text: text.clone(), is_own: id % 2 == 1 }).collect();
    for imported in Imported::all(&source) {
        imported.character.to_markdown();
        imported.source.to_json();
        for book in &imported.play.books {
            activate(book, &said, Seed::of(&[1]));
        }
    }
    let _ = is_lossless(&source);
    true
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A file with bytes changed, added, removed, repeated, or mixed with another file.
fn mutated(seeds: &[&Vec<u8>], state: &mut u64) -> Vec<u8> {
    const TOKENS: [&[u8]; 12] = [
        b"{",
        b"[",
        b"\"",
        b"null",
        b"\\u0000",
        b"---\n",
        b"{{char}}",
        b"-1e999",
        b"/(a+)+$/",
        b"\xff",
        b"../",
        b"@@depth 9\n",
    ];
    let pick = |state: &mut u64, most: usize| (next(state) % most.max(1) as u64) as usize;
    let mut bytes = seeds[pick(state, seeds.len())].clone();
    for _ in 0..=pick(state, 8) {
        let at = pick(state, bytes.len());
        let end = (at + pick(state, 64)).min(bytes.len());
        match pick(state, 6) {
            0 => bytes[at] = next(state) as u8,
            1 => drop(bytes.splice(at..at, TOKENS[pick(state, TOKENS.len())].iter().copied())),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].repeat(pick(state, 20));
                bytes.splice(at..at, piece);
            }
            4 => {
                let other = seeds[pick(state, seeds.len())];
                let from = pick(state, other.len());
                bytes.splice(at..end, other[from..(from + 200).min(other.len())].iter().copied());
            }
            _ => bytes.truncate(at.max(1)),
        }
        if bytes.is_empty() {
            bytes.push(b'{');
        }
    }
    bytes
}
