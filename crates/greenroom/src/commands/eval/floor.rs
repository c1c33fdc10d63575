//! `greenroom eval floor`: measures which message a message answers, and who speaks next, on labelled group chats
//! (RM6).

use std::{
    fs::File,
    io::{BufRead, BufReader, Write},
    path::Path,
    time::Duration,
};

use greenroom_core::{Instant, real_time};
use greenroom_floor::{Report, evaluate, log::Log};

use crate::{
    cli::EvalFloorArgs,
    failure::{Outcome, usage},
    term::{count, print_json, table},
};

/// The format of a line.
const SHAPE: &str = "a line is one log, {\"id\", \"messages\": [{\"n\", \"at\", \"speaker\", \"text\"}], \
                     \"labels\": [{\"n\", \"replies_to\": [n]}]}";

/// Runs the command. It computes for seconds and writes no files, so Ctrl-C may end the process.
pub fn run(args: &EvalFloorArgs) -> anyhow::Result<Outcome> {
    let logs = read(&args.file)?;
    let report = evaluate(&logs, &cpu_time);
    if args.json {
        print_json(&serde_json::to_value(&report)?)?;
    } else {
        write!(std::io::stdout(), "{}", text(&report))?;
    }
    Ok(Outcome::Done)
}

fn read(path: &Path) -> anyhow::Result<Vec<Log>> {
    let name = path.display();
    let file = File::open(path).map_err(|error| usage(format!("cannot read {name}: {error}")))?;
    let mut logs = Vec::new();
    for (line, number) in BufReader::new(file).lines().zip(1..) {
        let line = line.map_err(|error| usage(format!("cannot read {name}: {error}")))?;
        if line.trim().is_empty() {
            continue;
        }
        let log = serde_json::from_str(&line)
            .map_err(|error| anyhow::anyhow!("{name}:{number}: {error}; {SHAPE}"))?;
        logs.push(log);
    }
    anyhow::ensure!(!logs.is_empty(), "{name} holds no log; {SHAPE}");
    Ok(logs)
}

fn text(report: &Report) -> String {
    let row = |name: &str, t1: &greenroom_floor::Addressee, t2: &greenroom_floor::Speaking| {
        let shares = [t1.accuracy, t2.balanced, t2.f1, t2.precision, t2.recall, t2.average_precision];
        let shares = shares.map(|share| format!("{share:.1}"));
        let counts = [t1.messages, t2.decisions].map(|n| n.to_string());
        [name.to_owned()].into_iter().chain(shares).chain(counts).collect::<Vec<_>>()
    };
    let mut rows: Vec<_> = report.logs.iter().map(|log| row(&log.id, &log.t1, &log.t2)).collect();
    rows.push(row("all", &report.t1, &report.t2));
    let header =
        ["PERCENT", "ADDRESSEE", "BALANCED", "F1", "PRECISION", "RECALL", "AVERAGE", "MESSAGES", "DECISIONS"];
    let messages = count(report.decisions as u64, "message", "messages");
    format!("{}\n{:.1} µs of CPU a message, {messages}\n", table(&header, &rows), report.decision_us)
}

/// The CPU time of this thread; wall-clock time on systems without such a clock.
fn cpu_time() -> Duration {
    #[cfg(unix)]
    if let Ok(spent) = nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID) {
        return spent.into();
    }
    static BEGUN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    real_time().elapsed(*BEGUN.get_or_init(|| real_time().instant()))
}
