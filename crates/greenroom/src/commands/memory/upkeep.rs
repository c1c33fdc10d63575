//! What is done to a memory from outside: events it is told of, and vectors of another embedder
//! for every text.

use std::io::Write;

use greenroom_memory::{Event, TimeZone};
use greenroom_persona::EmbedderKind;
use serde_json::json;

use super::{scope, tell, viewer};
use crate::{
    cli::MemoryPlace,
    failure::{Outcome, usage},
    term::{count, progress},
    wiring::App,
};

/// `greenroom memory event`: what matters is remembered for 30 days (JV3).
pub async fn ingest(app: &App, event: &Event, place: &MemoryPlace) -> anyhow::Result<Outcome> {
    if event.message.trim().is_empty() || event.kind.trim().is_empty() {
        return Err(usage("an event has a type and a message; `greenroom memory event --help` shows one"));
    }
    let viewer = viewer(app, place)?;
    let persona = app.cast.personas.iter().find(|persona| persona.name == *viewer.persona());
    let zone = persona.and_then(|persona| persona.memory.time_zone.as_deref()).map(TimeZone::get);
    let zone = zone.transpose()?.unwrap_or_else(TimeZone::system);
    let store = app.store().await?;
    let remembered = app.memory(&store).await?.ingest_event(&viewer, scope(place), event, &zone).await;
    store.close().await;
    match remembered? {
        Some(remembered) => tell(&remembered, place.json)?,
        None => eprintln!("not remembered: only warnings and worse are, and whatever is --resolved"),
    }
    Ok(Outcome::Done)
}

/// `greenroom memory reembed`
pub async fn reembed(app: &App, json: bool) -> anyhow::Result<Outcome> {
    app.insist_on_settings()?;
    if app.settings().embedder.kind == EmbedderKind::None {
        return Err(usage(
            "embedder.kind is none, so there is nothing to embed with; set it to static, minilm or openai",
        ));
    }
    let store = app.store().await?;
    let memory = app.memory(&store).await?;
    if let Some(why) = memory.awaited() {
        store.close().await;
        anyhow::bail!("nothing can be embedded: {why}; `greenroom doctor` says how the embedder is");
    }
    let bar = progress(app.err, "embedding", 0);
    let report = memory
        .reembed(|done, total| {
            bar.set_length(total);
            bar.set_position(done);
        })
        .await;
    bar.finish_and_clear();
    store.close().await;
    let report = report?;
    let mut out = std::io::stdout();
    if json {
        let line = json!({ "embedded": report.embedded, "pending": report.pending, "empty": report.empty });
        writeln!(out, "{}", serde_json::to_string_pretty(&line)?)?;
    } else {
        writeln!(out, "{} embedded, {} pending", count(report.embedded, "text", "texts"), report.pending)?;
    }
    if report.pending > 0 {
        eprintln!(
            "the embedder did not take {}; `greenroom doctor` says how it is, then try again",
            count(report.pending, "text", "texts")
        );
    }
    Ok(if report.pending == 0 { Outcome::Done } else { Outcome::Failed })
}
