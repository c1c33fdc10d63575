//! Fits the weights of the ranking to questions whose answers are known, and says how well a message
//! that answers is found: each conversation is ranked with weights fitted to the others.
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
    let mut embedder: Option<Box<dyn Embedder>> = Some(Box::new(StaticEmbedder::new()));
    let (mut each, mut files) = (false, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--words" => embedder = None,
            "--each" => each = true,
            "--minilm" => {
                let models = arguments.next().ok_or("which directory are the weights in?")?;
                embedder = Some(Box::new(MiniLmEmbedder::new(Installed::new(PathBuf::from(models)))));
            }
            _ => files.push(PathBuf::from(argument)),
        }
    }
    let mut conversations = Vec::new();
    for file in files {
        for line in fs::read_to_string(file)?.lines() {
            conversations.push(data::read(line, embedder.as_deref()).await?);
        }
    }
    println!("{}", figures::HEADER);
    for (at, name) in NAMES.iter().enumerate().take(if each { 2 } else { 0 }) {
        let mut alone = [0.0; COUNT];
        alone[at] = 1.0;
        figures::show(&format!("{name} alone"), &conversations, |_| Weights(alone));
    }
    figures::show("the weights in the program", &conversations, |_| Weights::default());
    held_out("fitted to the others", &conversations, &[]);
    if each {
        for (at, name) in NAMES.iter().enumerate() {
            held_out(&format!("without {name}"), &conversations, &[at]);
        }
    }
    let all: Vec<&Question> = conversations.iter().flat_map(|c| &c.questions).collect();
    println!("\nfitted to all:");
    for (name, weight) in NAMES.iter().zip(fit::fit(&all, &[]).0) {
        println!("  {name:12} {weight:6.2}");
    }
    Ok(())
}

/// The figures with weights that know nothing of the conversation they rank.
fn held_out(name: &str, conversations: &[Conversation], without: &[usize]) {
    let weights: Vec<Weights> = (0..conversations.len())
        .map(|held| {
            let others = conversations.iter().enumerate().filter(|(at, _)| *at != held);
            fit::fit(&others.flat_map(|(_, c)| &c.questions).collect::<Vec<_>>(), without)
        })
        .collect();
    figures::show(name, conversations, |at| weights[at]);
}
