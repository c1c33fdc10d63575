//! Measures how often a fact told in passing is in the block when the person asks about it, in the same channel and in
//! another one-to-one channel. Also measures which share of the block is about something else (MP1, MP3, MP4, MP6). It
//! runs the live path: capture without a model, recall with the settings of the profile `default`, and the rendered
//! block.
//!
//! ```text
//! cargo run --release -p greenroom-memory --example told_in_passing -- FACTS.tsv DISTRACTORS.txt
//! cargo run --release -p greenroom-memory --example told_in_passing -- --multilingual DATA/models FACTS.tsv DISTRACTORS.txt
//! ```
//!
//! A line of FACTS is `language <tab> statement <tab> question <tab> question in English`; the last is optional. A line
//! of DISTRACTORS is a message. The facts are mixed with these messages, in an order that depends only on the texts.

use std::{collections::BTreeMap, error::Error, fs, path::PathBuf, sync::Arc, time::Duration};

use greenroom_core::{
    Author, Entropy, ManualClock, Message, MessageId, SystemEntropy, Timestamp, TurnId, Viewer,
};
use greenroom_memory::{Memory, RecallRequest, TimeZone, render};
use greenroom_models::{Embedder, MultilingualEmbedder, StaticEmbedder, Weights};
use greenroom_persona::MemorySettings;
use greenroom_store::{Plan, prelude::*};
use greenroom_store_sqlite::SqliteStore;

const BEGIN: i64 = 1_795_219_200_000_000;
const MINUTE: i64 = 60_000_000;

/// Sums over the questions of a kind.
#[derive(Default)]
struct Figures {
    questions: usize,
    here: usize,
    elsewhere: usize,
    /// The characters of the block, and of its lines without the fact.
    all: usize,
    unrelated: usize,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (embedder, files) = arguments()?;
    let [facts, distractors] = files.as_slice() else { return Err("FACTS.tsv DISTRACTORS.txt".into()) };
    let (facts, distractors) = (fs::read_to_string(facts)?, fs::read_to_string(distractors)?);
    let facts: Vec<Vec<&str>> = facts.lines().map(|line| line.split('\t').collect()).collect();

    let directory = tempfile::tempdir()?;
    let store = Arc::new(SqliteStore::open(&directory.path().join("greenroom.db")).await?);
    let clock = Arc::new(ManualClock::at(Timestamp(BEGIN)));
    let memory = Memory::new(store.clone(), Some(embedder), clock);
    // presence belongs to the runtime, which does not run here
    let settings =
        MemorySettings { deadline: Duration::from_secs(60), witness: false, ..MemorySettings::default() };
    let here = Viewer::new("ada".parse()?, "discord:bo".parse()?, Some("bo".parse()?)).one_to_one();
    let elsewhere = Viewer::new("ada".parse()?, "discord:two".parse()?, Some("bo".parse()?)).one_to_one();

    // statements of another chat are recalled only if the persona was present there
    store.enter(here.persona(), here.channel(), MessageId(1)).await?;

    let mut said: Vec<&str> =
        facts.iter().filter_map(|fact| fact.get(1).copied()).chain(distractors.lines()).collect();
    // an order that mixes both
    said.sort_by_key(|text| {
        text.bytes().fold(7_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    });
    let mut kept = 0;
    for (number, text) in said.iter().enumerate() {
        let author = Author::User { id: "bo".parse()?, name: "Bo".into() };
        let at = Timestamp(BEGIN + (number as i64 - 1_000) * MINUTE);
        let message =
            Message { at, ..Message::new(here.channel().clone(), format!("e{number}"), author, *text) };
        let message = store.accept_planned(message, Plan::default()).await?.message;
        let report = memory.capture_now(&here, &message, &settings).await?;
        kept += report.remembered.len();
    }
    memory.index_pending().await?;
    memory.ready(&here).await?;
    memory.ready(&elsewhere).await?;
    println!("{} messages, {} facts, {kept} memories kept in passing", said.len(), facts.len());

    let mut figures: BTreeMap<String, Figures> = BTreeMap::new();
    for fact in &facts {
        let [language, text, questions @ ..] = fact.as_slice() else { continue };
        for (question, kind) in
            questions.iter().zip(["own", "english"]).filter(|(question, _)| !question.is_empty())
        {
            let figures = figures.entry(format!("{language} {kind}")).or_default();
            figures.questions += 1;
            for (viewer, count) in [(&here, &mut figures.here), (&elsewhere, &mut figures.elsewhere)] {
                let window = [(*question).to_owned()];
                let mut request = RecallRequest::new(TurnId(SystemEntropy.uuid()), &window, &settings);
                request.asker = Some("Bo");
                let recalled = memory.recall(viewer, &request).await?;
                let block = render(&recalled, &settings, &TimeZone::UTC);
                let about = |line: &str| holds(line, text);
                *count += usize::from(block.entries.iter().any(|entry| about(&entry.line)));
                if std::ptr::eq(viewer, &here) {
                    let length = |line: &str| line.chars().count();
                    figures.all += block.entries.iter().map(|entry| length(&entry.line)).sum::<usize>();
                    let others = block.entries.iter().filter(|entry| !about(&entry.line));
                    figures.unrelated += others.map(|entry| length(&entry.line)).sum::<usize>();
                    for item in recalled.items.iter().filter(|_| std::env::var_os("ITEMS").is_some()) {
                        let gold = u8::from(holds(item.item.text(), text) || text.contains(item.item.text()));
                        let (meaning, words) = (item.meaning.unwrap_or(-1.0), item.words.unwrap_or(0.0));
                        let source = item.source.key();
                        println!(
                            "item\t{language} {kind}\t{question}\t{gold}\t{source}\t{meaning:.3}\t{words:.3}\t{}",
                            item.item.text()
                        );
                    }
                }
            }
        }
    }
    println!("{:16}{:>6}{:>8}{:>10}{:>11}", "percent", "asked", "here", "elsewhere", "unrelated");
    for (kind, of) in &figures {
        let percent = |part: usize, all: usize| 100.0 * part as f32 / all.max(1) as f32;
        let (here, elsewhere) = (percent(of.here, of.questions), percent(of.elsewhere, of.questions));
        println!(
            "{kind:16}{:6}{here:8.1}{elsewhere:10.1}{:11.1}",
            of.questions,
            percent(of.unrelated, of.all)
        );
    }
    Ok(())
}

/// Whether a line of the block contains a fact, or the clause of it that was stored.
fn holds(line: &str, fact: &str) -> bool {
    let kept = line.trim_start_matches("- ").split_once("] ").map_or(line, |(_, text)| text);
    let kept = kept.trim_matches('"').split("\" (from").next().unwrap_or(kept).trim();
    line.contains(fact) || kept.len() > 8 && fact.contains(kept)
}

/// The embedder that the command line names, and the files.
type Arguments = (Arc<dyn Embedder>, Vec<String>);

fn arguments() -> Result<Arguments, Box<dyn Error>> {
    let mut embedder: Arc<dyn Embedder> = Arc::new(StaticEmbedder::new());
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--multilingual" => {
                let models = arguments.next().ok_or("which directory are the weights in?")?;
                embedder = Arc::new(MultilingualEmbedder::new(Weights::new(PathBuf::from(models))));
            }
            _ => files.push(argument),
        }
    }
    Ok((embedder, files))
}
