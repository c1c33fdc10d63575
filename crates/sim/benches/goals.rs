//! Measures the goals of SM11: `cargo bench -p greenroom-sim`. Each line shows the goal beside the figure.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use futures::future::BoxFuture;
use greenroom_core::{Instant, real_time};
use greenroom_sim::{
    Deffuant, Feed, Mind, MindAnswer, MindCall, MindError, Options, Population, Rule, branch, replay, resume,
    run,
};

/// The same allocator as in the program.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

type Failed = Box<dyn std::error::Error>;

/// A mind that answers after a delay, addressing another agent in the place.
struct Slow(Duration);

impl Mind for Slow {
    fn answer<'a>(&'a self, call: &'a MindCall) -> BoxFuture<'a, Result<MindAnswer, MindError>> {
        Box::pin(async {
            real_time().sleep(self.0).await;
            let other = call.others.get(call.draw as usize % call.others.len().max(1));
            let text =
                format!("I have thought of {} things, {}.", call.draw % 1_000, other.map_or("", |name| name));
            Ok(MindAnswer { text, ..MindAnswer::default() })
        })
    }
}

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name).join("scenario.toml")
}

fn seconds(begun: Instant) -> f64 {
    real_time().elapsed(begun).as_secs_f64()
}

fn print_row(what: &str, figure: String, goal: &str) {
    println!("{what:52} {figure:>44}   goal {goal}");
}

fn main() -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let wanted = |name: &str| only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    runtime.block_on(async {
        if wanted("replay") {
            replayed().await?;
        }
        if wanted("branch") {
            branched().await?;
        }
        if wanted("causal") {
            causal().await?;
        }
        if wanted("crowd") {
            crowd().await?;
        }
        Ok::<_, Failed>(())
    })?;
    if wanted("dense") {
        dense("opinions of 1,000,000", Box::new(Deffuant::new(1_000_000, 1, 0.2, 0.5)), 20)?;
        dense("feed of 1,000,000", Box::new(Feed::new(1_000_000, 1, 20, 0.1, 0.03, 0.02)), 5)?;
    }
    Ok(())
}

/// Turns per second of a replay with memory and context: five agents at one table for 20 hours, where each turn waits
/// for the previous one; and the town, as it is and for ten days.
async fn replayed() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let table = ["clock.end=20h", "stop={}", "probe=[]"];
    for (name, what, sets) in [
        ("tea-party", "tea party of 20 h", &table[..]),
        ("town", "town", &[]),
        ("town", "town of 10 days", &["clock.end=240h"]),
    ] {
        let out = directory.path().join(what);
        let sets: Vec<_> = sets.iter().map(ToString::to_string).collect();
        run(&sample(name), &sets, &out, &Options::default()).await?;
        let begun = real_time().instant();
        let outcome = replay(&out, &Options::default()).await?;
        let figure = format!("{:.0} steps/s of {}", outcome.calls as f64 / seconds(begun), outcome.calls);
        print_row(&format!("replay, {what}, memory and context on"), figure, "≥ 13,000");
        if outcome.same != Some(true) {
            return Err("the replay has another trace".into());
        }
    }
    Ok(())
}

fn bytes_of(directory: &Path) -> Result<u64, Failed> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() { bytes_of(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}

/// A branch of a world of a million agents: creating the branch, and the time to its next step.
async fn branched() -> Result<(), Failed> {
    for (name, change) in
        [("opinions", "population.rule.threshold=0.1"), ("feed", "population.rule.share=0.2")]
    {
        let directory = tempfile::tempdir()?;
        let (out, other) = (directory.path().join("run"), directory.path().join("branch"));
        let sets = ["population.size=1000000".to_owned(), "population.steps=60".to_owned()];
        // a stop writes a snapshot of this time
        let options = Options::default();
        let (stop, mut progress) = (options.stop.clone(), options.progress.subscribe());
        tokio::spawn(async move {
            if progress.wait_for(|progress| progress.ms >= 10_000).await.is_ok() {
                stop.notify_one();
            }
        });
        let outcome = run(&sample(name), &sets, &out, &options).await?;
        let begun = real_time().instant();
        branch(&out, outcome.ms + 1_000, &[change.to_owned()], &other)?;
        let took = seconds(begun);
        let (bytes, parent) = (bytes_of(&other)?, bytes_of(&out)?);
        print_row(
            &format!("branch of a world of 1,000,000 ({name})"),
            format!("{:.2} ms, {bytes} of {parent} bytes", took * 1e3),
            "≤ 100 ms, ≤ 1 % more bytes",
        );
        let options = Options::default();
        let (stop, mut progress) = (options.stop.clone(), options.progress.subscribe());
        stop.notify_one();
        let begun = real_time().instant();
        let first = tokio::spawn(async move {
            let first = progress.wait_for(|progress| progress.ms > 0).await.map(|progress| progress.ms);
            (seconds(begun), first.unwrap_or_default())
        });
        resume(&other, &options).await?;
        let (took, ms) = first.await?;
        print_row(
            &format!("its first step ({name}, at {} s)", ms / 1_000),
            format!("{:.0} ms", took * 1e3),
            "none",
        );
    }
    Ok(())
}

/// The town at 100 ms per call: with the witness rule, and with all places waiting for each other.
async fn causal() -> Result<(), Failed> {
    let mut took = [0.0; 2];
    for (barrier, took) in [true, false].into_iter().zip(&mut took) {
        let directory = tempfile::tempdir()?;
        let slow: Arc<dyn Mind> = Arc::new(Slow(Duration::from_millis(100)));
        let minds = ["isabella", "townsperson"].map(|name| (name.to_owned(), slow.clone())).into();
        let options = Options { barrier, minds, ..Options::default() };
        let begun = real_time().instant();
        let sets = ["probe=[]".to_owned(), "measure=[]".to_owned()];
        run(&sample("town"), &sets, &directory.path().join("run"), &options).await?;
        *took = seconds(begun);
    }
    let figure = format!("{:.2} × ({:.1} s, {:.1} s)", took[0] / took[1], took[0], took[1]);
    print_row("town at 100 ms a call against a global barrier", figure, "≥ 2 ×");
    Ok(())
}

/// Ten thousand agents in 200 places. They talk, all move with what they heard as memories, and talk again.
async fn crowd() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("crowd.toml");
    let places: Vec<_> = (0..200).map(|n| format!("place-{n}")).collect();
    let mut text = String::from("name = \"Crowd\"\n[clock]\nend = \"3h\"\n");
    for (n, place) in places.iter().enumerate() {
        let next = &places[(n + 1) % places.len()];
        let all: Vec<_> = (1..=50).map(|n| format!("\"{place}-p-{n}\"")).collect();
        text += &format!("[[place]]\nname = \"{place}\"\n");
        text += &format!("[[move]]\nat = \"2h\"\nto = \"{next}\"\nwho = [{}]\n", all.join(", "));
        text += &format!("[[cast]]\nprompt = \"You are {{{{ name }}}}.\"\nat = \"{place}\"\nmind = \"m\"\n");
        text += &format!("generate = {{ count = 50, name = \"{place}-p\" }}\n");
    }
    text += "[[encounter]]\nevery = \"12m\"\nsay = \"{{ me }}, you meet the others.\"\n";
    text += "[[mind]]\nname = \"m\"\n[[mind.rule]]\nsay = [\"The harvest was good in the valley.\", \"The mill is closed.\"]\n";
    std::fs::write(&file, text)?;
    let begun = real_time().instant();
    let outcome = run(&file, &[], &directory.path().join("run"), &Options::default()).await?;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("unknown").trim().to_owned();
    print_row(
        "10,000 agents with memories",
        format!("{most} at most, {} turns, {:.0} s", outcome.calls, seconds(begun)),
        "≤ 2 GB",
    );
    Ok(())
}

fn dense(what: &str, rule: Box<dyn Rule>, steps: u64) -> Result<(), Failed> {
    let threads = Options::default().threads;
    let mut population = Population::with(rule, steps);
    let begun = real_time().instant();
    let report = population.run(threads, |_, _| Ok(()))?;
    let rate = report.steps as f64 * 1e6 / seconds(begun);
    let memory = population.bytes() as f64 / 1e9;
    print_row(what, format!("{:.1} M steps/s, {memory:.2} GB", rate / 1e6), "≤ 8 GB");
    Ok(())
}
