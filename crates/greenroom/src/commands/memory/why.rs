//! `greenroom memory why`: which memories a question recalls, which are near, and a remedy for a miss (MP8).

use std::io::Write;

use greenroom_core::{Entropy, Kind, Scope, Source, SystemEntropy, Tier, Trust, TurnId, Viewer};
use greenroom_memory::{Edit, Explained, Memory, Missed, RecalledItem, Remember};
use greenroom_persona::MemorySettings;
use greenroom_store::{Item, ItemId};
use serde_json::{Value, json};

use super::viewer;
use crate::{
    cli::MemoryPlace,
    failure::{Outcome, usage},
    term::{one_line, print_json, table},
    wiring::App,
};

/// Runs the command.
pub async fn run(
    app: &App,
    question: &str,
    expect: Option<ItemId>,
    place: &MemoryPlace,
) -> anyhow::Result<Outcome> {
    if question.trim().is_empty() {
        return Err(usage("the question is empty; write it as you would to the persona"));
    }
    let viewer = viewer(app, place)?;
    let settings = app.cast.get(viewer.persona()).map(|persona| persona.memory.clone()).unwrap_or_default();
    let explained = app
        .with_store(async |store| {
            let memory = app.memory(store).await?;
            let explained = explain(&memory, &viewer, question, &settings, expect).await?;
            let Some(id) = expect else { return Ok(explained) };
            if explained.recalled.items.iter().any(|found| found.item.id() == id) {
                return Err(usage(format!("--expect {id}: the question recalls it already")));
            }
            let Some(missed) = explained.near.iter().find(|missed| missed.item.item.id() == id) else {
                return Err(usage(format!(
                    "--expect {id}: {} sees nothing of this name here; `greenroom memory list` and `greenroom memory \
                     search` show ids, --channel and --user say where and with whom",
                    viewer.persona()
                )));
            };
            if missed.item.is_from_other_chat {
                return Err(usage(format!(
                    "--expect {id}: it was told in another chat and stays between the two; add what may be known \
                     here with `greenroom memory add`"
                )));
            }
            let_be_found(&memory, &viewer, missed, question).await?;
            explain(&memory, &viewer, question, &settings, None).await
        })
        .await?;
    match place.json {
        true => print_json(&document(&explained, question))?,
        false => print(&explained, question, &viewer, &settings, place)?,
    }
    Ok(Outcome::Done)
}

async fn explain(
    memory: &Memory,
    viewer: &Viewer,
    question: &str,
    settings: &MemorySettings,
    expected: Option<ItemId>,
) -> anyhow::Result<Explained> {
    let turns = [TurnId(SystemEntropy.uuid()), TurnId(SystemEntropy.uuid())];
    Ok(memory.explain(viewer, question, settings, turns, expected).await?)
}

/// Makes an item findable by the question: adds the question to a memory's text, or stores a message as such a memory.
async fn let_be_found(
    memory: &Memory,
    viewer: &Viewer,
    missed: &Missed,
    question: &str,
) -> anyhow::Result<()> {
    let text = missed.expected(question);
    match &missed.item.item {
        Item::Memory(known) => {
            let edit = Edit {
                text: Some(text),
                kind: None,
                expires_at: None,
                private: None,
                trust: Trust::Operator,
            };
            memory.edit(viewer, known.id, edit).await?;
        }
        Item::Message(message) => {
            let statement = Remember {
                text,
                kind: Kind::new("general"),
                tier: Tier::Semantic,
                scope: Scope::Channel(viewer.channel().clone()),
                source: Source { via: "cli".into(), message: Some(message.id), user: None },
                trust: Trust::Operator,
                key: None,
                expires_in: None,
            };
            memory.remember(viewer, statement).await?;
        }
    }
    Ok(())
}

fn row(item: &RecalledItem) -> Vec<String> {
    let id = item.item.id().to_string();
    // truncated, not rounded: a score below a threshold of 0.30 must not be shown as 0.30
    let score = (item.score * 100.0).floor() / 100.0;
    vec![id, format!("{score:.2}"), item.source.key().to_owned(), one_line(item.item.text(), 90)]
}

fn print(
    explained: &Explained,
    question: &str,
    viewer: &Viewer,
    settings: &MemorySettings,
    place: &MemoryPlace,
) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    let Explained { recalled, near } = explained;
    for note in &recalled.notes {
        writeln!(out, "{}", one_line(note, 200))?;
    }
    if !settings.enabled || !settings.auto_retrieve {
        let key = if settings.enabled { "auto_retrieve" } else { "enabled" };
        writeln!(out, "{} recalls nothing by itself: memory.{key} is false", viewer.persona())?;
    }
    if let Some(degraded) = &recalled.degraded {
        writeln!(out, "{}", one_line(&degraded.to_string(), 200))?;
    }
    match recalled.items.is_empty() {
        true => writeln!(out, "nothing is recalled")?,
        false => {
            let rows: Vec<_> = recalled.items.iter().map(row).collect();
            writeln!(out, "recalled\n{}", table(&["ID", "SCORE", "SOURCE", "TEXT"], &rows).trim_end())?;
        }
    }
    if near.is_empty() {
        writeln!(out, "\nnothing else is near")?;
        return Ok(());
    }
    let rows: Vec<_> = near
        .iter()
        .map(|missed| [row(&missed.item), vec![missed.reason.text(missed.item.source)]].concat())
        .collect();
    let heads = ["ID", "SCORE", "SOURCE", "TEXT", "WHY NOT"];
    writeln!(out, "\nnear, and not recalled\n{}", table(&heads, &rows).trim_end())?;
    let (persona, channel) = (viewer.persona(), viewer.channel());
    let user = place.user.as_ref().map(|user| format!(" --user {user}")).unwrap_or_default();
    let first = near.first().map(|missed| missed.item.item.id().to_string()).unwrap_or_default();
    writeln!(
        out,
        "\nto let one of them be found by this question:\n  greenroom memory why {:?} --persona {persona} --channel \
         {channel}{user} --expect {first}",
        one_line(question, 200)
    )?;
    Ok(())
}

fn document(explained: &Explained, question: &str) -> Value {
    let item = |item: &RecalledItem| {
        json!({
            "id": item.item.id().to_string(), "score": item.score, "source": item.source.key(),
            "text": item.item.text(),
        })
    };
    let near = |missed: &Missed| {
        let mut near = item(&missed.item);
        near["why"] = missed.reason.text(missed.item.source).into();
        near["expected"] = missed.expected(question).into();
        near
    };
    json!({
        "recalled": explained.recalled.items.iter().map(item).collect::<Vec<_>>(),
        "near": explained.near.iter().map(near).collect::<Vec<_>>(),
        "notes": explained.recalled.notes,
    })
}
