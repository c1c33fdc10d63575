//! The resources of a process, as Linux counts them; for benchmarks.

use std::fs;

/// Clock ticks a second in /proc, as every Linux has it.
const TICKS: f64 = 100.0;

/// User and system time of a process, in seconds.
pub fn cpu_seconds(process: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("a process on Linux");
    let fields = stat.rsplit_once(')').expect("the name of a process").1;
    let ticks = |n: usize| -> f64 { fields.split_whitespace().nth(n).unwrap().parse().unwrap() };
    (ticks(11) + ticks(12)) / TICKS
}

/// Memory a process has in use (RSS), in KiB.
pub fn resident_kib(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("a process on Linux");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a process that lives");
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
