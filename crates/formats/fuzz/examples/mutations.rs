//! Runs a fuzz target on randomly damaged inputs, without the cost of measuring coverage:
//! `cargo run --release --example mutations -- TARGET RUNS SEED DIR...`. The inputs are the files in each DIR, such as
//! libFuzzer's `corpus/TARGET`. Prints runs per second and the slowest run, and writes its input to
//! `slowest-TARGET.bin`. A panic ends the program, and its input is in `crash-TARGET.bin`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a program for developers")]

use std::time::{Duration, Instant};

use greenroom_formats_fuzz::run;

/// Longer files run once unchanged, and are not damaged.
const MAX_SEED: usize = 2_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, runs, seed, directories @ ..] = &arguments[..] else {
        panic!("mutations TARGET RUNS SEED DIR...")
    };
    let (runs, mut state): (u64, u64) = (runs.parse().unwrap(), seed.parse().unwrap());
    let files = directories.iter().flat_map(|directory| std::fs::read_dir(directory).unwrap());
    let mut seeds: Vec<Vec<u8>> = files.map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect();
    seeds.iter().for_each(|bytes| run(target, bytes));
    seeds.retain(|bytes| !bytes.is_empty() && bytes.len() <= MAX_SEED);
    // sorts, because the order of a directory's files differs between machines
    seeds.sort();
    let small: Vec<&Vec<u8>> = seeds.iter().collect();
    let (begun, mut slowest) = (Instant::now(), Duration::ZERO);
    for _ in 0..runs {
        let bytes = mutated(&small, &mut state);
        let at = Instant::now();
        if std::panic::catch_unwind(|| run(target, &bytes)).is_err() {
            std::fs::write(format!("crash-{target}.bin"), &bytes).unwrap();
            std::process::exit(1);
        }
        if at.elapsed() > slowest {
            slowest = at.elapsed();
            std::fs::write(format!("slowest-{target}.bin"), &bytes).unwrap();
        }
    }
    let rate = runs as f64 / begun.elapsed().as_secs_f64();
    println!(
        "{target}: {runs} runs from {} inputs, {rate:.0} a second, slowest {slowest:?}, most memory of a run {} KB",
        small.len(),
        greenroom_formats_fuzz::most_memory() >> 10
    );
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
