//! Fits the models of floor control and writes them to `crates/floor/src/weights.rs`. Some minutes; the same file gives
//! the same weights.
//!
//! ```sh
//! cargo run --release -p greenroom-floor --example fit_floor -- FILE          # fits, writes, measures
//! cargo run --release -p greenroom-floor --example fit_floor -- FILE --cross  # fits on half of the training logs only,
//!                                                                             # measures on the other half
//! ```
//! FILE holds labelled logs, a line each. Those whose id begins with `train/` are fitted on, with a second copy of each
//! that resembles another channel (`simulate.rs`); the others are measured only.

mod boost;
mod link;
mod simulate;
mod write;

use std::{error::Error, fs, path::Path, time::Duration};

use greenroom_floor::fitting::{Model, SITUATION, push, situations, window};
use greenroom_floor::log::{Log, Truth};
use greenroom_floor::{Members, evaluate_with};

use boost::{Layout, Table};

/// How many rounds of fitting the links. The features of a round depend on the readings of the round before.
const ROUNDS: usize = 3;
/// How many folds, for choosing the thresholds at which a member speaks.
const FOLDS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("give the file of labelled logs")?;
    let is_cross = arguments.next().is_some_and(|a| a == "--cross");
    let text = fs::read_to_string(file)?;
    let logs: Vec<Log> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let (train, rest): (Vec<Log>, Vec<Log>) = logs.into_iter().partition(|log| log.id.starts_with("train/"));
    if is_cross {
        // logs of one year are neighbours
        let (fitted, held): (Vec<_>, Vec<_>) = train.into_iter().enumerate().partition(|(i, _)| i % 2 == 0);
        let strip = |part: Vec<(usize, Log)>| part.into_iter().map(|(_, log)| log).collect::<Vec<_>>();
        let model = fit(&strip(fitted));
        measure(&model, &strip(held));
        return Ok(());
    }
    let model = fit(&train);
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/weights.rs");
    fs::write(target, write::source(&model))?;
    measure(&model, &rest);
    Ok(())
}

/// Everything that is fitted, owned.
struct Fitted {
    links: Vec<f32>,
    forest: Layout,
    speaks: f32,
    speaks_balanced: f32,
}

impl Fitted {
    /// Rooms borrow a model for good, so this one is never freed.
    fn leak(&self) -> &'static Model {
        let links = write::parts(&self.links);
        let forest: &'static Layout = Box::leak(Box::new(self.forest.clone()));
        let speak = forest.trees();
        let (speaks, speaks_balanced) = (self.speaks, self.speaks_balanced);
        Box::leak(Box::new(Model {
            other: links.0,
            own: links.1,
            opening: links.2,
            speak,
            speaks,
            speaks_balanced,
        }))
    }
}

fn fit(train: &[Log]) -> Fitted {
    let copies = simulate::mixed(train);
    let all: Vec<Log> = train.iter().chain(&copies).cloned().collect();
    let mut fitted =
        Fitted { links: write::first_guess(), forest: Layout::default(), speaks: 0.5, speaks_balanced: 0.5 };
    for round in 1..=ROUNDS {
        let samples = link::samples(&all, fitted.leak());
        fitted.links = link::fit(&samples, &fitted.links, 12, 1e-5);
        fitted.links.iter_mut().for_each(|w| *w = boost::round(*w));
        eprintln!("links, round {round}: {} labelled messages", samples.len());
    }
    let model = fitted.leak();
    let (rows, answers, logs) = decisions(&all, model);
    let table = Table::of(&rows, answers.clone());
    let held = held_out(&rows, &answers, &logs, train.len());
    (fitted.speaks, fitted.speaks_balanced) = points(&held, &logs, train.len());
    fitted.forest = boost::fit(&table, &boost::Settings::default()).layout();
    eprintln!(
        "speaks from {:.4}, balanced from {:.4}, {} decisions",
        fitted.speaks,
        fitted.speaks_balanced,
        rows.len()
    );
    fitted
}

/// The situation of every participant at every message where T2 asks; whether it spoke; in which log.
fn decisions(logs: &[Log], model: &'static Model) -> (Vec<[f32; SITUATION]>, Vec<bool>, Vec<usize>) {
    let (mut rows, mut answers, mut of) = (Vec::new(), Vec::new(), Vec::new());
    for (number, log) in logs.iter().enumerate() {
        let truth = Truth::of(log);
        let (mut members, mut window) = (Members::new(), window(model));
        for line in log.messages.iter().filter(|line| !line.system) {
            if members.get(&line.author()).is_none() {
                members.insert(line.member());
            }
            push(&mut window, &line.message(), &members, &mut |_| {});
            for (member, row) in situations(&window, line.n) {
                if let Some(speaks) = truth.speaks(line.n, &member) {
                    rows.push(row);
                    answers.push(speaks);
                    of.push(number);
                }
            }
        }
    }
    (rows, answers, of)
}

/// Probabilities for each decision by trees that have seen neither its log nor the copy of it.
fn held_out(rows: &[[f32; SITUATION]], answers: &[bool], logs: &[usize], train: usize) -> Vec<(f32, bool)> {
    let mut found = vec![(0.0, false); rows.len()];
    for fold in 0..FOLDS {
        let is_held = |i: usize| logs[i] % train % FOLDS == fold;
        let kept: Vec<usize> = (0..rows.len()).filter(|i| !is_held(*i)).collect();
        let part: Vec<[f32; SITUATION]> = kept.iter().map(|i| rows[*i]).collect();
        let table = Table::of(&part, kept.iter().map(|i| answers[*i]).collect());
        let forest = boost::fit(&table, &boost::Settings::default()).layout();
        let trees = forest.trees();
        for i in (0..rows.len()).filter(|i| is_held(*i)) {
            found[i] = (trees.probability(&rows[i]), answers[i]);
        }
    }
    found
}

/// The points with the best sum over the logs as they are and over their copies: of F1, of balanced accuracy.
fn points(held: &[(f32, bool)], logs: &[usize], train: usize) -> (f32, f32) {
    let part = |copies: bool| held.iter().zip(logs).filter(move |(_, log)| (**log >= train) == copies);
    let score = |threshold: f32, copies: bool| {
        let (mut hits, mut alarms, mut speak, mut silent) = (0.0_f32, 0.0_f32, 0.0_f32, 0.0_f32);
        for ((p, truth), _) in part(copies) {
            let chosen = f32::from(u8::from(*p >= threshold));
            if *truth {
                (hits, speak) = (hits + chosen, speak + 1.0)
            } else {
                (alarms, silent) = (alarms + chosen, silent + 1.0)
            }
        }
        (2.0 * hits / (hits + alarms + speak), (hits / speak + 1.0 - alarms / silent) / 2.0)
    };
    let steps: Vec<f32> = (1..=120).map(|i| i as f32 / 200.0).collect();
    let fine: Vec<f32> = (10..=200).map(|i| i as f32 / 2000.0).collect();
    let best = |steps: &[f32], which: fn((f32, f32)) -> f32| {
        let sums = steps.iter().map(|t| (*t, which(score(*t, false)) + which(score(*t, true))));
        sums.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0.5, |(t, _)| t)
    };
    (best(&steps, |s| s.0), best(&fine, |s| s.1))
}

/// Prints the figures on logs, as they are and as other channels.
fn measure(fitted: &Fitted, logs: &[Log]) {
    let model = fitted.leak();
    println!("| logs | T1 | of | T2 balanced | F1 | precision | recall | average precision | of |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, logs) in simulate::all(logs) {
        let logs: Vec<&Log> = logs.iter().collect();
        let r = evaluate_with(model, &logs, &|| Duration::ZERO);
        println!(
            "| {name} | {:.1} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {} |",
            r.t1.accuracy,
            r.t1.messages,
            r.t2.balanced,
            r.t2.f1,
            r.t2.precision,
            r.t2.recall,
            r.t2.average_precision,
            r.t2.decisions
        );
    }
}
