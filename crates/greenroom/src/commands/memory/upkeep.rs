//! Remembers events from outside, and recomputes the vectors of all texts.

use std::io::Write;

use greenroom_memory::{Event, TimeZone};
use greenroom_persona::EmbedderKind;
use serde_json::json;

use super::{print_added, scope, viewer};
use crate::{
    cli::MemoryPlace,
    failure::{Outcome, usage},
    term::{count, print_json, progress},
    wiring::App,
};

/// `greenroom memory event`: remembers warnings, worse events, and resolved events for 30 days (JV3).
pub async fn ingest(app: &App, event: &Event, place: &MemoryPlace) -> anyhow::Result<Outcome> {
    if event.message.trim().is_empty() || event.kind.trim().is_empty() {
        return Err(usage("an event needs a type and a message; `greenroom memory event --help` shows one"));
    }
    let viewer = viewer(app, place)?;
    let persona = app.cast.personas.iter().find(|persona| persona.name == *viewer.persona());
    let zone = persona.and_then(|persona| persona.memory.time_zone.as_deref()).map(TimeZone::get);
    let zone = zone.transpose()?.unwrap_or_else(TimeZone::system);
    let added = app
        .with_store(async |store| {
            let memory = app.memory(store).await?;
            Ok(memory.ingest_event(&viewer, scope(place), event, &zone).await?)
        })
        .await?;
    match added {
        Some(added) => print_added(&added, place.json)?,
        None => {
            if place.json {
                print_json(&json!({ "memory": null, "decision": null, "known": false }))?;
            }
            stderr_line!("not remembered: only warnings and worse are, and events with --resolved");
        }
    }
    Ok(Outcome::Done)
}

/// `greenroom memory reembed`
pub async fn reembed(app: &App, json: bool) -> anyhow::Result<Outcome> {
    app.require_valid_settings()?;
    if app.settings().embedder.kind == EmbedderKind::None {
        return Err(usage(
            "there is no embedder: embedder.kind is none; set it to auto, static, multilingual, minilm or openai",
        ));
    }
    let report = app
        .with_store(async |store| {
            let memory = app.memory(store).await?;
            if let Some(why) = memory.awaited() {
                anyhow::bail!("the embedder is away: {why}; `greenroom doctor` checks it");
            }
            let bar = progress(app.err, "embedding", 0);
            let report = memory
                .reembed(|done, total| {
                    bar.set_length(total);
                    bar.set_position(done);
                })
                .await;
            bar.finish_and_clear();
            Ok(report?)
        })
        .await?;
    if json {
        let line = json!({ "embedded": report.embedded, "pending": report.pending, "empty": report.empty });
        print_json(&line)?;
    } else {
        writeln!(
            std::io::stdout(),
            "{} embedded, {} pending",
            count(report.embedded, "text", "texts"),
            report.pending
        )?;
    }
    if report.pending > 0 {
        stderr_line!(
            "the embedder failed for {}; check it with `greenroom doctor` and try again",
            count(report.pending, "text", "texts")
        );
    }
    Ok(if report.pending == 0 { Outcome::Done } else { Outcome::Failed })
}
