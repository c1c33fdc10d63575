//! Keeping the store in order: vectors of the present embedder for every text.

use std::io::Write;

use greenroom_persona::EmbedderKind;
use serde_json::json;

use crate::{
    failure::{Outcome, usage},
    term::{count, progress},
    wiring::App,
};

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
