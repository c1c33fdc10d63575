//! Fits the weights of the ranking to questions whose answers are known, and says how well a message
//! that answers is found: each conversation is ranked with weights fitted to the others. With `--minilm`
//! the weights are fitted to the static table and MiniLM together, as those in the program are.
//!
//! ```text
//! cargo run --release -p greenroom-memory --example fit_ranking -- FILE.jsonl
//! cargo run --release -p greenroom-memory --example fit_ranking -- --minilm DATA/models FILE.jsonl
//! cargo run --release -p greenroom-memory --example fit_ranking -- --words FILE.jsonl       # no vectors
//! cargo run --release -p greenroom-memory --example fit_ranking -- --each FILE.jsonl        # gains
//! ```
//!
//! A line of the file is a conversation: `{"id", "messages": [{"id", "speaker", "text", "at"}],
//! "questions": [{"id", "text", "category", "gold": [message id]}]}`. A message is a row, its day is in
//! the date field, the speakers' names are kept out of text and question, and the features are those
//! of live recall.

use std::{error::Error, fs, path::PathBuf};

use greenroom_memory::rank::{COUNT, NAMES, Weights};
use greenroom_models::{Embedder, MiniLmEmbedder, StaticEmbedder, Weights as Installed};

#[path = "fit_ranking/data.rs"]
mod data;
#[path = "fit_ranking/figures.rs"]
mod figures;
#[path = "fit_ranking/fit.rs"]
mod fit;

use data::{Conversation, Question};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut embedders: Vec<Option<Box<dyn Embedder>>> = vec![Some(Box::new(StaticEmbedder::new()))];
    let (mut each, mut files) = (false, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--words" => embedders = vec![None],
            "--each" => each = true,
            "--minilm" => {
                let models = arguments.next().ok_or("which directory are the weights in?")?;
                let weights = Installed::new(PathBuf::from(models));
                embedders.push(Some(Box::new(MiniLmEmbedder::new(weights))));
            }
            _ => files.push(PathBuf::from(argument)),
        }
    }
    let mut of_embedders: Vec<Vec<Conversation>> = Vec::new();
    for embedder in &embedders {
        let mut conversations = Vec::new();
        for file in &files {
            for line in fs::read_to_string(file)?.lines() {
                conversations.push(data::read(line, embedder.as_deref()).await?);
            }
        }
        of_embedders.push(conversations);
    }
    println!("{}", figures::HEADER);
    for (at, name) in NAMES.iter().enumerate().take(if each { 2 } else { 0 }) {
        let mut alone = [0.0; COUNT];
        alone[at] = 1.0;
        show(&format!("{name} alone"), &of_embedders, |_| Weights(alone));
    }
    show("the weights in the program", &of_embedders, |_| Weights::FITTED);
    held_out("fitted to the others", &of_embedders, &[]);
    if each {
        for (at, name) in NAMES.iter().enumerate() {
            held_out(&format!("without {name}"), &of_embedders, &[at]);
        }
    }
    let all: Vec<&Question> = of_embedders.iter().flatten().flat_map(|c| &c.questions).collect();
    println!("\nfitted to all:");
    for (name, weight) in NAMES.iter().zip(fit::fit(&all, &[]).0) {
        println!("  {name:12} {weight:6.2}");
    }
    Ok(())
}

/// A line for each embedder, with weights a conversation.
fn show(name: &str, of_embedders: &[Vec<Conversation>], weights: impl Fn(usize) -> Weights) {
    for conversations in of_embedders {
        figures::show(name, conversations, &weights);
    }
}

/// The figures with weights that know nothing of the conversation they rank.
fn held_out(name: &str, of_embedders: &[Vec<Conversation>], without: &[usize]) {
    let count = of_embedders.first().map_or(0, Vec::len);
    let weights: Vec<Weights> = (0..count)
        .map(|held| {
            let others = of_embedders.iter().flat_map(|all| all.iter().enumerate());
            let others = others.filter(|(at, _)| *at != held).flat_map(|(_, c)| &c.questions);
            fit::fit(&others.collect::<Vec<_>>(), without)
        })
        .collect();
    show(name, of_embedders, |at| weights[at]);
}
