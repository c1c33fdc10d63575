//! Fits the weights of the ranking to questions with known answers, and prints how well answering messages are found.
//! Each file is a kind of chat: two people, a person and an assistant, a group. Every conversation is ranked with
//! weights fitted to five sixths of the others (`fitted to others`), and with weights fitted to the other kinds (`kind
//! left out`). Files after `--judge` are ranked with weights fitted to all files before it. With `--multilingual` or
//! `--minilm` the weights are fitted to the static table and that model together.
//!
//! ```text
//! cargo run --release -p greenroom-memory --example fit_ranking -- PEOPLE.jsonl ASSISTANT.jsonl GROUP.jsonl
//! cargo run --release -p greenroom-memory --example fit_ranking -- --multilingual DATA/models FILE.jsonl
//! cargo run --release -p greenroom-memory --example fit_ranking -- --words FILE.jsonl       # no vectors
//! cargo run --release -p greenroom-memory --example fit_ranking -- --each FILE.jsonl        # gains
//! cargo run --release -p greenroom-memory --example fit_ranking -- FILE.jsonl --judge OTHER.jsonl
//! ```
//!
//! A line of a file is a conversation: `{"id", "messages": [{"id", "speaker", "text", "at"}],
//! "questions": [{"id", "text", "category", "gold": [message id]}]}`. A message is a row, its day is in
//! the date field, the speakers' names are kept out of text and question, the speaker `assistant` is a persona, and
//! the features are those of live recall.

use std::{error::Error, fs, path::PathBuf};

use greenroom_memory::rank::{COUNT, NAMES, Weights};
use greenroom_models::{
    Embedder, MiniLmEmbedder, MultilingualEmbedder, StaticEmbedder, Weights as Installed,
};

#[path = "fit_ranking/data.rs"]
mod data;
#[path = "fit_ranking/figures.rs"]
mod figures;
#[path = "fit_ranking/fit.rs"]
mod fit;

use data::{Conversation, Question};

/// The number of folds of the cross-validation.
const FOLDS: usize = 6;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut embedders: Vec<Option<Box<dyn Embedder>>> = vec![Some(Box::new(StaticEmbedder::new()))];
    let (mut each, mut files, mut fitted_files) = (false, Vec::new(), None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--words" => embedders = vec![None],
            "--each" => each = true,
            "--judge" => fitted_files = Some(files.len()),
            "--minilm" | "--multilingual" => {
                let models = arguments.next().ok_or("which directory are the weights in?")?;
                let weights = Installed::new(PathBuf::from(models));
                embedders.push(Some(match argument.as_str() {
                    "--minilm" => Box::new(MiniLmEmbedder::new(weights)),
                    _ => Box::new(MultilingualEmbedder::new(weights)),
                }));
            }
            _ => files.push(PathBuf::from(argument)),
        }
    }
    let fitted_files = fitted_files.unwrap_or(files.len());
    let mut of_embedders: Vec<Vec<Conversation>> = Vec::new();
    let mut judged: Vec<Vec<Conversation>> = Vec::new();
    for embedder in &embedders {
        let mut conversations = Vec::new();
        for (kind, file) in files.iter().enumerate() {
            for line in fs::read_to_string(file)?.lines() {
                conversations.push(data::read(line, kind, embedder.as_deref()).await?);
            }
        }
        judged.push(conversations.extract_if(.., |conversation| conversation.kind >= fitted_files).collect());
        fit::weigh(&mut conversations);
        of_embedders.push(conversations);
    }
    println!("{}", figures::HEADER);
    for (at, name) in NAMES.iter().enumerate().take(if each { 2 } else { 0 }) {
        let mut alone = [0.0; COUNT];
        alone[at] = 1.0;
        show(&format!("{name} alone"), &of_embedders, |_| Weights(alone));
    }
    show("the weights in the program", &of_embedders, |_| Weights::FITTED);
    held_out("fitted to others", &of_embedders, &[], |at, _| at % FOLDS);
    if fitted_files > 1 {
        held_out("kind left out", &of_embedders, &[], |_, conversation| conversation.kind);
    }
    if each {
        for (at, name) in NAMES.iter().enumerate() {
            held_out(&format!("without {name}"), &of_embedders, &[at], |at, _| at % FOLDS);
        }
    }
    let all: Vec<&Question> = of_embedders.iter().flatten().flat_map(|c| &c.questions).collect();
    let fitted = fit::fit(&all, &[]);
    show("judged, the weights in the program", &judged, |_| Weights::FITTED);
    show("judged, fitted to all", &judged, |_| fitted);
    println!("\nfitted to all:");
    for (name, weight) in NAMES.iter().zip(fitted.0) {
        println!("  {name:12} {weight:6.2}");
    }
    Ok(())
}

/// Prints a line per embedder and kind of chat; `weights` returns the weights for a conversation.
fn show(name: &str, of_embedders: &[Vec<Conversation>], weights: impl Fn(usize) -> Weights) {
    for conversations in of_embedders {
        let kinds = conversations.iter().map(|c| c.kind + 1).max().unwrap_or(0);
        for kind in 0..kinds {
            let of_kind = conversations.iter().enumerate().filter(|(_, c)| c.kind == kind);
            if of_kind.clone().next().is_none() {
                continue;
            }
            figures::show(&format!("{name}, {}", kind + 1), of_kind, &weights);
        }
    }
}

/// The figures with weights fitted without the fold of each conversation.
fn held_out(
    name: &str,
    of_embedders: &[Vec<Conversation>],
    without: &[usize],
    part: impl Fn(usize, &Conversation) -> usize,
) {
    let Some(conversations) = of_embedders.first() else { return };
    let parts: Vec<usize> = conversations.iter().enumerate().map(|(at, c)| part(at, c)).collect();
    let count = parts.iter().max().map_or(0, |last| last + 1);
    let weights: Vec<Weights> = (0..count)
        .map(|held| {
            let others = of_embedders.iter().flat_map(|all| all.iter().zip(&parts));
            let others = others.filter(|(_, part)| **part != held).flat_map(|(c, _)| &c.questions);
            fit::fit(&others.collect::<Vec<_>>(), without)
        })
        .collect();
    show(name, of_embedders, |at| weights[parts[at]]);
}
