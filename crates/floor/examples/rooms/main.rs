//! Rooms that try to talk for ever (RM5): `cargo run --release -p greenroom-floor --example rooms -- 1000000 [SEED]`.
//! Prints what happened; fails if one room went beyond its bound.

mod room;

use std::process::ExitCode;
use std::thread;

use room::{Outcome, Room};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).filter_map(|a| a.parse::<u64>().ok());
    let (rooms, seed) = (arguments.next().unwrap_or(1_000_000), arguments.next().unwrap_or(1));
    let threads = thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let part = |first: u64| {
        (first..rooms).step_by(threads as usize).map(|i| Room::new(seed.wrapping_mul(1 << 32) + i).run())
    };
    let sums: Vec<Outcome> = thread::scope(|scope| {
        let parts: Vec<_> = (0..threads)
            .map(|first| scope.spawn(move || part(first).fold(Outcome::default(), add)))
            .collect();
        parts.into_iter().filter_map(|part| part.join().ok()).collect()
    });
    let finished = sums.len() as u64 == threads;
    let all = sums.into_iter().fold(Outcome::default(), add);
    println!("{rooms} rooms, seed {seed}: {all:?}");
    if all.violation.is_none() && finished { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn add(a: Outcome, b: Outcome) -> Outcome {
    Outcome {
        chains: a.chains + b.chains,
        longest: a.longest.max(b.longest),
        tokens: a.tokens.max(b.tokens),
        answers: a.answers + b.answers,
        restarts: a.restarts + b.restarts,
        repetitions: a.repetitions + b.repetitions,
        violation: a.violation.or(b.violation),
    }
}
