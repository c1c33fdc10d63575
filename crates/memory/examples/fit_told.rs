//! Fits the weights of the classifier for sentences that tell something lasting about their author (MP6). Prints how
//! well they judge messages of an author that they were not fitted to.
//!
//! ```text
//! cargo run --release -p greenroom-memory --example fit_told -- DATA/models crates/memory/data/told/*.tsv
//! cargo run --release -p greenroom-memory --example fit_told -- DATA/models FILE.tsv … --judge OTHER.tsv
//! cargo run --release -p greenroom-memory --example fit_told -- DATA/models FILE.tsv … --write crates/memory/src/capture/told.weights
//! ```
//!
//! DATA/models has the multilingual embedder (`greenroom models pull multilingual`). A file holds the messages of one
//! author, a line each: `+` or `-`, the language, the message, separated by tabs. `+` means that the message tells
//! something about its author. The weights of the program are fitted to the files of `data/told/` and to 1,080 labelled
//! messages of three public sets (LoCoMo, BEAM, Ubuntu IRC) that are not in this repository.
//!
//! The network has one hidden layer. It is fitted by Adam with decoupled weight decay (Loshchilov and Hutter,
//! arXiv:1711.05101) and dropout; a linear one found a tenth fewer facts at the same precision.

use std::{error::Error, fs, path::PathBuf};

use greenroom_memory::TOLD_FROM;
use greenroom_models::{Embedder, MultilingualEmbedder, Weights as Installed};

#[path = "fit_told/network.rs"]
mod network;

use network::Network;

/// The number of messages per call of the embedder.
const BATCH: usize = 64;
/// The precisions at which the recall is printed.
const PRECISIONS: [f32; 3] = [0.97, 0.95, 0.9];

/// A message with its vector.
pub struct Example {
    tells: bool,
    vector: Vec<f32>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (mut fitted, mut judged, mut output) = (Vec::new(), Vec::new(), None);
    let mut arguments = std::env::args().skip(1);
    let models = arguments.next().ok_or("which directory are the weights in?")?;
    let embedder = MultilingualEmbedder::new(Installed::new(PathBuf::from(models)));
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--judge" => judged.push(read(&arguments.next().ok_or("which file?")?, &embedder).await?),
            "--write" => output = Some(arguments.next().ok_or("which file?")?),
            file => fitted.push(read(file, &embedder).await?),
        }
    }
    println!(
        "| messages of | tell, do not | recall at precision {PRECISIONS:?} | recall, precision of what is kept |"
    );
    println!("|---|---|---|---|");
    let judge = |network: &Network, name: &str, messages: &[Example]| {
        let mut scored: Vec<(f32, bool)> =
            messages.iter().map(|message| (network.odds(&message.vector), message.tells)).collect();
        show(name, &mut scored);
    };
    if judged.is_empty() && output.is_none() {
        for (at, (name, messages)) in fitted.iter().enumerate() {
            let others = fitted.iter().enumerate().filter(|(other, _)| *other != at);
            let others: Vec<&Example> = others.flat_map(|(_, (_, messages))| messages).collect();
            judge(&Network::fitted(&others), name, messages);
        }
        return Ok(());
    }
    let all: Vec<&Example> = fitted.iter().flat_map(|(_, messages)| messages).collect();
    let network = Network::fitted(&all).rounded();
    for (name, messages) in &judged {
        judge(&network, name, messages);
    }
    if let Some(output) = output {
        fs::write(output, network.bytes())?;
    }
    Ok(())
}

/// Returns the name of a file, and its messages with their vectors.
async fn read(file: &str, embedder: &dyn Embedder) -> Result<(String, Vec<Example>), Box<dyn Error>> {
    let (mut labels, mut texts) = (Vec::new(), Vec::new());
    let content = fs::read_to_string(file)?;
    for (at, line) in content.lines().enumerate() {
        let mut fields = line.splitn(3, '\t');
        let label = fields.next().filter(|label| matches!(*label, "+" | "-"));
        match (label, fields.nth(1)) {
            (Some(label), Some(text)) => {
                labels.push(label == "+");
                texts.push(text.to_owned());
            }
            _ => {
                return Err(
                    format!("{file}:{}: `+` or `-`, a language and a message are expected", at + 1).into()
                );
            }
        }
    }
    let mut examples = Vec::new();
    for (texts, labels) in texts.chunks(BATCH).zip(labels.chunks(BATCH)) {
        let vectors = embedder.embed(texts).await?;
        examples.extend(labels.iter().zip(vectors).map(|(tells, vector)| Example { tells: *tells, vector }));
    }
    Ok((file.rsplit('/').next().unwrap_or(file).to_owned(), examples))
}

/// Prints how well the messages of a file were judged.
fn show(name: &str, scored: &mut [(f32, bool)]) {
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let telling = scored.iter().filter(|(_, tells)| *tells).count();
    let share = |of: usize, whole: usize| 100.0 * of as f32 / whole.max(1) as f32;
    let mut best = PRECISIONS.map(|_| 0);
    let (mut found, mut kept) = (0, (0, 0));
    for (at, (odds, tells)) in scored.iter().enumerate() {
        found += usize::from(*tells);
        for (best, precision) in best.iter_mut().zip(PRECISIONS) {
            if found as f32 >= precision * (at + 1) as f32 {
                *best = found;
            }
        }
        if *odds >= TOLD_FROM {
            kept = (found, at + 1);
        }
    }
    println!(
        "| {name} | {telling}, {} | {:?} | {:.1}, {:.1} |",
        scored.len() - telling,
        best.map(|found| share(found, telling).round()),
        share(kept.0, telling),
        share(kept.0, kept.1),
    );
}
