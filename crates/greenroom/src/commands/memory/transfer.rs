//! Export and import of memories, as lines of JSON.

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
    term::{count, print_json},
    wiring::App,
};

/// The largest file in bytes; it is in memory until it is stored.
const MAX_FILE: usize = 256 << 20;

/// `greenroom memory export`
pub async fn export(app: &App, out: Option<&Path>, persona: Option<PersonaName>) -> anyhow::Result<Outcome> {
    app.require_valid_settings()?;
    let persona = persona.map(|name| app.names().find(name.as_str()).map_err(usage)).transpose()?;
    let written = app
        .with_store(async |store| match out {
            None => write(store, persona, io::stdout().lock()).await,
            Some(path) => {
                let file = private_file(path);
                let failed = |error| usage(format!("cannot write {}: {error}", path.display()));
                write(store, persona, file.map_err(failed)?).await
            }
        })
        .await?;
    if let Some(path) = out {
        stderr_line!("{} in {}", count(written, "memory", "memories"), path.display());
    }
    Ok(Outcome::Done)
}

/// Writes the memories and returns their number.
async fn write(
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

/// Creates a file that only its owner may read.
fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// `greenroom memory import`
pub async fn import(app: &App, path: &Path, json: bool) -> anyhow::Result<Outcome> {
    app.require_valid_settings()?;
    let name = if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
    let memories = if path == Path::new("-") {
        read(&name, io::stdin().lock())?
    } else {
        let file = File::open(path).map_err(|error| usage(format!("cannot read {name}: {error}")))?;
        read(&name, BufReader::new(file))?
    };
    let imported = app
        .with_store(async |store| {
            let imported = store.import(memories).await;
            let imported = imported.with_context(|| format!("nothing of {name} was imported"))?;
            embed(app, store).await;
            Ok(imported)
        })
        .await?;
    if json {
        print_json(&imported)?;
    } else {
        writeln!(
            io::stdout(),
            "{} added, {} known already, {}",
            count(imported.added, "memory", "memories"),
            imported.known,
            count(imported.relations, "relation", "relations")
        )?;
    }
    Ok(Outcome::Done)
}

/// Makes the vectors of imported memories. If this fails, the next start makes them (L18).
async fn embed(app: &App, store: &Arc<dyn Store>) {
    let embedded = match app.memory(store).await {
        Ok(memory) => memory.index_pending().await.map_err(anyhow::Error::from),
        Err(error) => Err(error),
    };
    if let Err(error) = embedded {
        tracing::warn!("until the next start the memories are found by words alone: {error:#}");
    }
}

/// The memories of a file.
///
/// # Errors
/// The number of a line that is not a valid memory.
fn read(name: &str, mut file: impl BufRead) -> anyhow::Result<Vec<Exported>> {
    let mut lines = ImportLines::new(MAX_FILE);
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
