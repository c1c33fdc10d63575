//! Keeping the store in order: vectors of the present embedder for every text.

use std::io::Write;

use serde_json::json;

use crate::{failure::Outcome, term::count, wiring::App};

/// `greenroom memory reembed`
pub async fn reembed(app: &App, json: bool) -> anyhow::Result<Outcome> {
    app.insist_on_settings()?;
    let store = app.store().await?;
    let memory = app.memory(&store).await?;
    let report = memory.index_pending().await;
    store.close().await;
    let report = report?;
    let mut out = std::io::stdout();
    if json {
        let line = json!({ "embedded": report.embedded, "pending": report.pending, "empty": report.empty });
        writeln!(out, "{}", serde_json::to_string_pretty(&line)?)?;
    } else {
        writeln!(out, "{} embedded, {} pending", count(report.embedded, "text", "texts"), report.pending)?;
    }
    Ok(if report.pending == 0 { Outcome::Done } else { Outcome::Failed })
}
