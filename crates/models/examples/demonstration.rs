//! The prompt layout with which the built-in model uses a memory: the best memory alone, inside the last user
//! message, after two example exchanges of the same shape.
//!
//! ```text
//! greenroom models pull smollm2
//! cargo run --release -p greenroom-models --example demonstration -- DATA/models
//! ```
//!
//! Prints four answers and fails unless each of them holds the fact. Sampling is off, so every run gives the same
//! answers.

use std::{error::Error, path::PathBuf, sync::Arc};

use futures::StreamExt;
use greenroom_core::{ChatMessage, Role, SystemEntropy};
use greenroom_models::{ChatModel, ChatRequest, LocalModel, ModelEvent, Weights};

const SYSTEM: &str = "You are Ada, a patient systems engineer who explains things step by step.";

/// A fact, a question, and the answer or a word that must be in it.
const EXAMPLES: [[&str; 3]; 2] = [
    ["I play the violin", "Which instrument do I play?", "You play the violin."],
    ["My sister lives in Oslo", "Where does my sister live?", "Your sister lives in Oslo."],
];
const CASES: [[&str; 3]; 4] = [
    ["I prefer concise responses", "What communication style do I prefer?", "concise"],
    ["My cat is called Miso", "What is my cat called?", "Miso"],
    ["I am allergic to peanuts", "What am I allergic to?", "peanuts"],
    ["I live in Lisbon", "Where do I live?", "Lisbon"],
];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let models = PathBuf::from(std::env::args().nth(1).ok_or("which directory are the weights in?")?);
    let installed =
        Weights::new(models).installed("smollm2").ok_or("run `greenroom models pull smollm2` first")?;
    let model = LocalModel::new(installed.file(LocalModel::FILE), Arc::new(SystemEntropy));
    let mut missed = 0;
    for [fact, question, expected] in CASES {
        let mut answer = String::new();
        let mut events = model.stream(request(fact, question).into());
        while let Some(event) = events.next().await {
            if let ModelEvent::Delta(text) = event? {
                answer += &text;
            }
        }
        println!("{fact} / {question}\n  {answer}");
        missed += usize::from(!answer.contains(expected));
    }
    if missed > 0 { Err(format!("{missed} answers miss the fact").into()) } else { Ok(()) }
}

fn request(fact: &str, question: &str) -> ChatRequest {
    let mut messages = vec![ChatMessage::new(Role::System, SYSTEM)];
    for [fact, question, answer] in EXAMPLES {
        messages.push(ChatMessage::new(Role::User, with_fact(fact, question)));
        messages.push(ChatMessage::new(Role::Assistant, answer));
    }
    messages.push(ChatMessage::new(Role::User, with_fact(fact, question)));
    ChatRequest {
        model: "smollm2".to_owned(),
        messages,
        tools: Vec::new(),
        temperature: 0.0,
        max_output_tokens: 64,
        prompt_tokens: 0,
        extra: Default::default(),
    }
}

fn with_fact(fact: &str, question: &str) -> String {
    format!("Fact: {fact}.\nQuestion: {question}")
}
