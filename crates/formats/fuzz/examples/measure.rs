//! Measures imports: `cargo run --release --example measure -- FILE...`. For each file it prints when each step of
//! `persona import --check` ends, and the peak memory until then.

#![allow(clippy::unwrap_used, reason = "a program for developers")]

use std::path::Path;

fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let name = Path::new(&path).file_name().unwrap().to_string_lossy().into_owned();
        match greenroom_formats_fuzz::import(&name, bytes) {
            Ok(steps) => {
                let step = |(name, time, bytes)| format!("{name} {time:.0?} {:.1} MB", mb(bytes));
                println!("{path}: {}", steps.into_iter().map(step).collect::<Vec<_>>().join(", "));
            }
            Err(error) => println!("{path}: {error}"),
        }
    }
}

fn mb(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
