//! `greenroom eval`: measures recall on conversations with known answers, and floor control on group chats.

mod block;
mod data;
mod figures;
mod floor;
mod measure;

use std::{
    fs::File,
    io::{BufReader, Write},
    path::Path,
};

use greenroom_core::{Instant, real_time};
use greenroom_models::Embedder;
use serde_json::json;

use self::{
    block::{BlockScores, Blocks},
    data::Conversation,
    figures::{Figures, NDCG_DEPTH, Report, names},
    measure::RecallScores,
};
use crate::{
    cli::{EvalCommand, EvalRecallArgs},
    failure::{Outcome, usage},
    term::{count, print_json, progress, table},
    wiring::{App, Embedding},
};

/// The number of unknown ids that an error lists; the rest is counted.
const NAMED: usize = 5;

/// Runs the command. Ctrl-C ends it and leaves no files behind.
pub async fn run(app: &App, command: EvalCommand) -> anyhow::Result<Outcome> {
    let args = match command {
        EvalCommand::Recall(args) => args,
        EvalCommand::Floor(args) => return floor::run(&args),
    };
    tokio::select! {
        // signals first, so that no store is created before Ctrl-C is handled
        biased;
        _ = tokio::signal::ctrl_c() => Ok(Outcome::Interrupted),
        outcome = recall(app, &args) => outcome,
    }
}

async fn recall(app: &App, args: &EvalRecallArgs) -> anyhow::Result<Outcome> {
    app.require_valid_settings()?;
    let begun = real_time().instant();
    let conversations = read(&args.file)?;
    let kind = args.embedder.map_or(app.settings().embedder.kind, Into::into);
    let embedder = match app.embedder_of(kind).await? {
        Embedding::None => None,
        Embedding::Ready(embedder) => Some(embedder),
        Embedding::Away { why, .. } => anyhow::bail!("the embedder cannot be asked: {why}"),
    };
    let mut ks = args.k.clone();
    ks.sort_unstable();
    ks.dedup();
    let limit = ks.last().copied().unwrap_or(NDCG_DEPTH).max(NDCG_DEPTH);

    let bar = progress(app.err, "asking", 3 * steps(&conversations));
    let alone = measure::each_alone(&conversations, &embedder, limit, &bar).await?;
    if alone.questions.is_empty() {
        let name = args.file.display();
        return Err(usage(format!(
            "{name} asks nothing that its conversations answer; give questions whose `gold` names messages"
        )));
    }
    let (together, blocks) = measure::all_together(&conversations, &embedder, limit, &bar).await?;
    bar.finish_and_clear();

    let found = EvalResults { ks: &ks, alone: &alone, together: &together, blocks: &blocks };
    let name = embedder.as_deref().map_or("words only", Embedder::model);
    let mut out = std::io::stdout();
    if args.json {
        print_json(&found.json(name))?;
    } else {
        writeln!(out, "{} · {name}\n", summary(&conversations))?;
        writeln!(out, "{}", found.table())?;
        write!(out, "{}", found.blocks())?;
    }
    Ok(found.conclude(begun))
}

fn read(path: &Path) -> anyhow::Result<Vec<Conversation>> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| usage(format!("cannot read {name}: {error}")))?;
    Ok(data::read(&name, BufReader::new(file))?)
}

fn steps(conversations: &[Conversation]) -> u64 {
    conversations.iter().map(|c| c.messages.len() + c.questions.len()).sum::<usize>() as u64
}

fn summary(conversations: &[Conversation]) -> String {
    let messages: usize = conversations.iter().map(|c| c.messages.len()).sum();
    let questions: usize = conversations.iter().map(|c| c.questions.len()).sum();
    let conversations = count(conversations.len() as u64, "conversation", "conversations");
    format!(
        "{conversations}, {}, {}",
        count(messages as u64, "message", "messages"),
        count(questions as u64, "question", "questions")
    )
}

/// The name of a category in a table.
fn shown(category: &str) -> &str {
    match category {
        figures::ADVERSARIAL => "adversarial (apart)",
        name => name,
    }
}

/// The results of the measurements: a separate store for each conversation, one common store, and the blocks of live
/// turns.
struct EvalResults<'a> {
    ks: &'a [usize],
    alone: &'a RecallScores,
    together: &'a RecallScores,
    blocks: &'a BlockScores,
}

impl EvalResults<'_> {
    fn reports(&self) -> (Report, Report) {
        (Report::of(&self.alone.questions, self.ks), Report::of(&self.together.questions, self.ks))
    }

    fn json(&self, embedder: &str) -> serde_json::Value {
        let (alone, together) = self.reports();
        let categories: serde_json::Map<_, _> =
            alone.categories.iter().map(|(name, figures)| (name.clone(), figures.json())).collect();
        json!({
            "overall": alone.overall.json(),
            "adversarial": alone.adversarial.json(),
            "categories": categories,
            "embedder": embedder,
            "skipped": self.alone.skipped,
            "unknown_gold": self.alone.unknown.len(),
            "one_store": together.overall.json(),
            "one_store_foreign_hits": self.together.foreign + self.blocks.foreign,
            "block": {
                "overall": self.blocks.overall.json(),
                "categories": self.blocks.categories.iter().map(|(name, blocks)| (name.clone(), blocks.json()))
                    .collect::<serde_json::Map<_, _>>(),
            },
        })
    }

    fn table(&self) -> String {
        let (alone, together) = self.reports();
        let row = |name: &str, figures: &Figures| {
            let means = figures.means.iter().map(|(_, mean)| format!("{:.1}", mean * 100.0));
            [name.to_owned(), figures.questions.to_string()].into_iter().chain(means).collect()
        };
        let mut rows: Vec<Vec<String>> = vec![row("overall", &alone.overall)];
        let named = alone.categories.iter().map(|(name, figures)| row(shown(name), figures));
        rows.extend(named);
        rows.push(row("overall, one store", &together.overall));
        let header: Vec<String> = names(self.ks).iter().map(|name| name.to_uppercase()).collect();
        let header: Vec<&str> =
            ["PERCENT", "QUESTIONS"].into_iter().chain(header.iter().map(String::as_str)).collect();
        table(&header, &rows)
    }

    /// The blocks of live turns.
    fn blocks(&self) -> String {
        let row = |name: &str, blocks: &Blocks| {
            let (found, items) = (format!("{:.1}", blocks.found() * 100.0), format!("{:.1}", blocks.items()));
            vec![name.to_owned(), blocks.questions.to_string(), found, items]
        };
        let named = self.blocks.categories.iter().map(|(name, blocks)| row(shown(name), blocks));
        let rows: Vec<_> = std::iter::once(row("overall", &self.blocks.overall)).chain(named).collect();
        table(&["LIVE BLOCK", "QUESTIONS", "FOUND %", "ITEMS"], &rows)
    }

    /// Prints remarks about the figures, and whether scopes were respected.
    fn conclude(&self, begun: Instant) -> Outcome {
        if self.alone.skipped > 0 {
            let skipped = count(self.alone.skipped as u64, "question", "questions");
            stderr_line!("{skipped} without an answer in the conversation: not asked");
        }
        let unknown = &self.alone.unknown;
        if !unknown.is_empty() {
            let more = if unknown.len() > NAMED { " …" } else { "" };
            let first = unknown.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            let ids = count(unknown.len() as u64, "id of gold is", "ids of gold are");
            stderr_line!("{ids} of no message of the conversation: {first}{more}");
        }
        stderr_line!("took {:.1} s", real_time().elapsed(begun).as_secs_f64());
        let (alone, together) = self.reports();
        let foreign = self.alone.foreign + self.together.foreign + self.blocks.foreign;
        if foreign > 0 {
            let hits = count(foreign as u64, "item", "items");
            stderr_line!("scopes leak: {hits} of another conversation came back");
        }
        let same = alone.agrees(&together);
        match same {
            true => stderr_line!("all conversations in one store: the same figures"),
            false => {
                stderr_line!("all conversations in one store: other figures, so the others have an influence")
            }
        }
        if same && foreign == 0 { Outcome::Done } else { Outcome::Failed }
    }
}
