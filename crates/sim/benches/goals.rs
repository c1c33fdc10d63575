//! The goals of SM11, measured: `cargo bench -p greenroom-sim`. Each line has the goal beside the figure.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use futures::future::BoxFuture;
use greenroom_core::{Instant, real_time};
use greenroom_sim::{
    Deffuant, Feed, Mind, MindAnswer, MindCall, MindError, Options, Population, Rule, branch, replay, run,
};

type Failed = Box<dyn std::error::Error>;

/// A mind that answers after a time, to one of those who are there.
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

fn told(what: &str, figure: String, goal: &str) {
    println!("{what:52} {figure:>28}   goal {goal}");
}

fn main() -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        replayed().await?;
        branched().await?;
        causal().await?;
        crowd().await
    })?;
    dense("opinions of 1,000,000", Box::new(Deffuant::new(1_000_000, 1, 0.2, 0.5)), 20)?;
    dense("feed of 1,000,000", Box::new(Feed::new(1_000_000, 1, 20, 0.1, 0.03, 0.02)), 5)
}

/// Turns a second of a replay, with memory and context.
async fn replayed() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let out = directory.path().join("run");
    let sets = ["clock.end=20h".to_owned(), "stop={}".to_owned(), "probe=[]".to_owned()];
    for (name, sets) in [("tea-party", &sets[..]), ("town", &[])] {
        let out = out.with_file_name(name);
        run(&sample(name), sets, &out, &Options::default()).await?;
        let begun = real_time().instant();
        let outcome = replay(&out, &Options::default()).await?;
        let figure = format!("{:.0} steps/s of {}", outcome.calls as f64 / seconds(begun), outcome.calls);
        told(&format!("replay, {name}, memory and context on"), figure, "≥ 13,000");
    }
    Ok(())
}

/// A branch of a world of a million agents.
async fn branched() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let (out, other) = (directory.path().join("run"), directory.path().join("branch"));
    let sets = ["population.size=1000000".to_owned(), "population.steps=2".to_owned()];
    run(&sample("opinions"), &sets, &out, &Options::default()).await?;
    let begun = real_time().instant();
    branch(&out, 1_000, &["population.rule.threshold=0.1".to_owned()], &other)?;
    let bytes = std::fs::metadata(other.join("run.json"))?.len();
    told(
        "branch of a world of 1,000,000",
        format!("{:.2} ms, {bytes} bytes", seconds(begun) * 1e3),
        "≤ 100 ms",
    );
    Ok(())
}

/// The town at 100 ms a call: by the witness rule, and with all places waiting for each other.
async fn causal() -> Result<(), Failed> {
    let mut took = [0.0; 2];
    for (barrier, took) in [true, false].into_iter().zip(&mut took) {
        let directory = tempfile::tempdir()?;
        let slow: Arc<dyn Mind> = Arc::new(Slow(Duration::from_millis(100)));
        let minds = ["isabella", "townsperson"].map(|name| (name.to_owned(), slow.clone())).into();
        let options = Options { barrier, minds, ..Options::default() };
        let begun = real_time().instant();
        run(&sample("town"), &["probe=[]".to_owned()], &directory.path().join("run"), &options).await?;
        *took = seconds(begun);
    }
    let figure = format!("{:.2} × ({:.1} s, {:.1} s)", took[0] / took[1], took[0], took[1]);
    told("town at 100 ms a call against a global barrier", figure, "≥ 2 ×");
    Ok(())
}

/// Ten thousand agents with memories in 200 places; everybody meets, goes elsewhere, and meets again.
async fn crowd() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("crowd.toml");
    let places: Vec<_> = (0..200).map(|n| format!("place-{n}")).collect();
    let mut text = String::from("name = \"Crowd\"\n[clock]\nend = \"3h\"\n");
    for (n, place) in places.iter().enumerate() {
        let next = &places[(n + 1) % places.len()];
        text += &format!(
            "[[place]]\nname = \"{place}\"\n[[move]]\nat = \"2h\"\nto = \"{next}\"\nwho = [\"{place}-p-1\"]\n"
        );
        text += &format!("[[cast]]\nprompt = \"You are {{{{ name }}}}.\"\nat = \"{place}\"\nmind = \"m\"\n");
        text += &format!("generate = {{ count = 50, name = \"{place}-p\" }}\n");
    }
    text += "[[encounter]]\nevery = \"20m\"\nsay = \"{{ me }}, you meet the others.\"\n";
    text += "[[mind]]\nname = \"m\"\n[[mind.rule]]\nsay = [\"The harvest was good in the valley.\", \"The mill is closed.\"]\n";
    std::fs::write(&file, text)?;
    let begun = real_time().instant();
    let outcome = run(&file, &[], &directory.path().join("run"), &Options::default()).await?;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("unknown").trim().to_owned();
    told(
        "10,000 agents with memories",
        format!("{most} at most, {} calls, {:.0} s", outcome.calls, seconds(begun)),
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
    told(what, format!("{:.1} M steps/s, {memory:.2} GB", rate / 1e6), "≤ 8 GB");
    Ok(())
}
