//! Measures the block of a live turn: every source with its limit and threshold, after the capture of a running
//! conversation, asked by the person who talks with the persona.

use std::{collections::BTreeMap, mem, time::Duration};

use greenroom_core::{Author, Entropy, Message, SystemEntropy, TurnId};
use greenroom_memory::{Exchange, RecallRequest};
use greenroom_persona::{MemorySettings, Profile};
use greenroom_store::{Item, Sources};
use indicatif::ProgressBar;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::{
    data::Conversation,
    figures::ADVERSARIAL,
    measure::{EvalStore, PATIENCE, Room},
};

/// The blocks of the questions of one category.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Blocks {
    /// How many questions.
    pub questions: usize,
    /// The sum, over the questions, of the share of the answers that the block holds.
    found: f64,
    /// The number of recalled items in all blocks.
    items: usize,
}

impl Blocks {
    /// The mean share of the answers that a block holds, as the message or as a memory learned from it.
    pub fn found(&self) -> f64 {
        self.found / self.questions.max(1) as f64
    }

    /// The mean number of items of a block.
    pub fn items(&self) -> f64 {
        self.items as f64 / self.questions.max(1) as f64
    }

    /// `{"found": 0.5, "items": 3.2, "questions": 12}`
    pub fn json(&self) -> Value {
        let rounded = |mean: f64| (mean * 1e6).round() / 1e6;
        json!({"found": rounded(self.found()), "items": rounded(self.items()), "questions": self.questions})
    }

    fn add(&mut self, found: f64, items: usize) {
        self.questions += 1;
        self.found += found;
        self.items += items;
    }
}

/// The blocks of all conversations.
#[derive(Debug, Default)]
pub struct BlockScores {
    /// All categories but `adversarial`.
    pub overall: Blocks,
    /// By category.
    pub categories: BTreeMap<String, Blocks>,
    /// The number of items of other conversations; must be 0.
    pub foreign: usize,
}

impl BlockScores {
    fn add(&mut self, category: &str, found: f64, items: usize) {
        self.categories.entry(category.to_owned()).or_default().add(found, items);
        if category != ADVERSARIAL {
            self.overall.add(found, items);
        }
    }
}

/// Asks the questions of every conversation in one store, whose conversations were captured.
pub async fn of_turns(
    conversations: &[Conversation],
    stored: &EvalStore,
    rooms: &[Room<'_>],
    bar: &ProgressBar,
) -> anyhow::Result<BlockScores> {
    let settings =
        MemorySettings { deadline: PATIENCE, time_zone: Some("UTC".into()), ..Profile::Default.settings() };
    for room in rooms {
        capture(stored, room, &settings).await?;
        bar.inc(room.messages.len() as u64);
    }
    stored.index().await?;
    let mut scores = BlockScores::default();
    for (room, conversation) in rooms.iter().zip(conversations) {
        ask(stored, room, conversation, &settings, &mut scores).await?;
        bar.inc(conversation.questions.len() as u64);
    }
    Ok(scores)
}

/// Captures a conversation as if it were running. An exchange is what people say until the persona replies; in a
/// conversation without persona, each message.
async fn capture(stored: &EvalStore, room: &Room<'_>, settings: &MemorySettings) -> anyhow::Result<()> {
    let with_replies = room.messages.iter().any(|message| matches!(message.author, Author::Persona { .. }));
    let mut burst = Vec::new();
    for message in &room.messages {
        stored.now.set(message.at);
        let reply = match &message.author {
            Author::User { .. } => {
                stored.memory.capture_now(&room.viewer_of(message), message, settings).await?;
                burst.push(message.clone());
                if with_replies {
                    continue;
                }
                String::new()
            }
            _ => message.text.clone(),
        };
        let Some(last) = burst.last() else { continue };
        let viewer = room.viewer_of(last);
        let exchange = exchange(mem::take(&mut burst), reply, settings);
        stored.memory.capture_after(&viewer, &exchange).await?;
    }
    Ok(())
}

fn exchange(burst: Vec<Message>, reply: String, settings: &MemorySettings) -> Exchange {
    Exchange {
        // a summary holds the last exchange of its session alone, so that it answers hardly any question of a file
        session: None,
        burst,
        reply,
        tool_results: Vec::new(),
        recalled: Vec::new(),
        settings: settings.capture.clone(),
        follow: settings.follow,
        model: None,
        zone: TimeZone::UTC,
        sources: Sources::default(),
    }
}

async fn ask(
    stored: &EvalStore,
    room: &Room<'_>,
    conversation: &Conversation,
    settings: &MemorySettings,
    scores: &mut BlockScores,
) -> anyhow::Result<()> {
    stored.now.set(room.end.after(Duration::from_secs(60)));
    let viewer = room.asking();
    stored.memory.ready(&viewer).await?;
    for question in &conversation.questions {
        let (gold, _) = room.gold(question);
        if gold.is_empty() {
            continue;
        }
        let window = std::slice::from_ref(&question.text);
        let turn = TurnId(SystemEntropy.uuid());
        let request = RecallRequest { asker: room.asker, ..RecallRequest::new(turn, window, settings) };
        let recalled = stored.memory.recall(&viewer, &request).await?;
        if let Some(why) = recalled.degraded {
            anyhow::bail!("the recall for question {} is not what it could be: {why:?}", question.id);
        }
        // a memory without a message is of no conversation of the file, and leaks nothing
        let sources = recalled.items.iter().filter_map(|hit| match &hit.item {
            Item::Message(message) => Some(message.id),
            Item::Memory(memory) => memory.source.message,
        });
        let ids: Vec<Option<&str>> = sources.map(|id| room.id(id)).collect();
        scores.foreign += ids.iter().filter(|id| id.is_none()).count();
        let found = gold.iter().filter(|gold| ids.contains(&Some(*gold))).count();
        scores.add(&question.category, found as f64 / gold.len() as f64, recalled.items.len());
    }
    Ok(())
}
