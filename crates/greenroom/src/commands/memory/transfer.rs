//! Taking memories along: out as lines of JSON, and in again, all or none.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, BufWriter, Write},
    path::Path,
    sync::Arc,
};

use anyhow::Context;
use futures::TryStreamExt;
use greenroom_core::PersonaName;
use greenroom_memory::{ImportLines, export_lines};
use greenroom_store::{Exported, Store};

use crate::{
    failure::{Outcome, usage},
    term::count,
    wiring::App,
};

/// Bytes in a file: all of it is in memory until it is stored.
const LONGEST_FILE: usize = 256 << 20;

/// `greenroom memory export`
pub async fn export(app: &App, out: Option<&Path>, persona: Option<PersonaName>) -> anyhow::Result<Outcome> {
    app.insist_on_settings()?;
    let store = app.store().await?;
    let written = match out {
        None => pages(&store, persona, io::stdout().lock()).await,
        Some(path) => match private_file(path) {
            Ok(file) => pages(&store, persona, file).await,
            Err(error) => Err(usage(format!("cannot write {}: {error}", path.display()))),
        },
    };
    store.close().await;
    let written = written?;
    if let Some(path) = out {
        eprintln!("{} in {}", count(written, "memory", "memories"), path.display());
    }
    Ok(Outcome::Done)
}

/// Writes what is stored; how many memories.
async fn pages(
    store: &Arc<dyn Store>,
    persona: Option<PersonaName>,
    out: impl Write,
) -> anyhow::Result<usize> {
    let mut out = BufWriter::new(out);
    let mut pages = std::pin::pin!(export_lines(store.clone(), persona));
    let mut written = 0;
    while let Some(page) = pages.try_next().await? {
        out.write_all(&page)?;
        written += page.iter().filter(|byte| **byte == b'\n').count();
    }
    out.flush()?;
    Ok(written)
}

/// A file for its owner's eyes only: it holds what was said in confidence.
fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// `greenroom memory import`
pub async fn import(app: &App, path: &Path, json: bool) -> anyhow::Result<Outcome> {
    app.insist_on_settings()?;
    let name = if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
    let memories = if path == Path::new("-") {
        read(&name, io::stdin().lock())?
    } else {
        let file = File::open(path).map_err(|error| usage(format!("cannot read {name}: {error}")))?;
        read(&name, BufReader::new(file))?
    };
    let store = app.store().await?;
    let imported = store.import(memories).await.with_context(|| format!("nothing of {name} was imported"));
    if imported.is_ok() {
        embed(app, &store).await;
    }
    store.close().await;
    let imported = imported?;
    let mut out = io::stdout();
    if json {
        writeln!(out, "{}", serde_json::to_string_pretty(&imported)?)?;
    } else {
        writeln!(
            out,
            "{} added, {} known already, {}",
            count(imported.added, "memory", "memories"),
            imported.known,
            count(imported.relations, "relation", "relations")
        )?;
    }
    Ok(Outcome::Done)
}

/// Makes the vectors of what came in. Where that fails they are made at the next start (L18).
async fn embed(app: &App, store: &Arc<dyn Store>) {
    let embedded = match app.memory(store).await {
        Ok(memory) => memory.index_pending().await.map_err(anyhow::Error::from),
        Err(error) => Err(error),
    };
    if let Err(error) = embedded {
        tracing::warn!("not found by meaning before the next start: {error:#}");
    }
}

/// Every memory of a file; a line that is none says so with its number.
fn read(name: &str, mut file: impl BufRead) -> anyhow::Result<Vec<Exported>> {
    let mut lines = ImportLines::new(LONGEST_FILE);
    loop {
        let piece = file.fill_buf().with_context(|| format!("cannot read {name}"))?;
        if piece.is_empty() {
            return lines.finish().map_err(|error| anyhow::anyhow!("{name}:{error}"));
        }
        lines.feed(piece).map_err(|error| anyhow::anyhow!("{name}:{error}"))?;
        let length = piece.len();
        file.consume(length);
    }
}
