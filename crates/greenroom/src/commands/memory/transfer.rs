//! Taking memories along: out as lines of JSON, and in again, all or none.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    path::Path,
    sync::Arc,
};

use anyhow::Context;
use greenroom_core::PersonaName;
use greenroom_store::{Exported, Store};

use crate::{
    failure::{Outcome, usage},
    term::count,
    wiring::App,
};

/// Bytes in a line: a memory of 4,000 characters, each escaped, with its edges.
const LONGEST_LINE: usize = 64 << 10;

/// Bytes in a file: all of it is in memory until it is stored.
const LONGEST_FILE: usize = 256 << 20;

/// Memories in one page.
const PAGE: usize = 500;

/// `greenroom memory export`
pub async fn export(app: &App, out: Option<&Path>, persona: Option<PersonaName>) -> anyhow::Result<Outcome> {
    app.insist_on_settings()?;
    let store = app.store().await?;
    let written = match out {
        None => pages(&*store, persona.as_ref(), io::stdout().lock()).await,
        Some(path) => match private_file(path) {
            Ok(file) => pages(&*store, persona.as_ref(), file).await,
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

/// Writes page after page, so that a large store needs no large memory; how many memories.
async fn pages(store: &dyn Store, persona: Option<&PersonaName>, out: impl Write) -> anyhow::Result<u64> {
    let mut out = BufWriter::new(out);
    let mut after = None;
    let mut written = 0;
    loop {
        let page = store.export(persona, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.memory.id);
        for memory in &page {
            serde_json::to_writer(&mut out, memory).map_err(io::Error::from)?;
            out.write_all(b"\n")?;
        }
        written += page.len() as u64;
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

/// Every memory of a file; a line that is none says so with its number, and so does one that is too
/// long, or the one with which the file is (X12).
fn read(name: &str, mut file: impl BufRead) -> anyhow::Result<Vec<Exported>> {
    let mut memories = Vec::new();
    let mut line = Vec::new();
    let mut left = LONGEST_FILE;
    for number in 1.. {
        line.clear();
        let most = LONGEST_LINE.min(left);
        let length = Read::take(&mut file, most as u64 + 1)
            .read_until(b'\n', &mut line)
            .with_context(|| format!("cannot read {name}"))?;
        if length > most {
            anyhow::bail!(
                "{name}:{number}: a line holds at most {LONGEST_LINE} bytes and a file {LONGEST_FILE}; nothing \
                 was imported"
            );
        }
        if length == 0 {
            break;
        }
        left -= length;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let memory = serde_json::from_slice(&line).map_err(|error| {
            anyhow::anyhow!(
                "{name}:{number}: {error}; a line is one memory as `greenroom memory export` writes it, and \
                 nothing was imported"
            )
        })?;
        memories.push(memory);
    }
    Ok(memories)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::memory::tables::memory;
    use greenroom_core::{MemoryId, RelationKind, Scope};
    use greenroom_store::ExportedRelation;

    #[test]
    fn gr10_a_memory_is_read_as_it_was_written() {
        let scope = Scope::Channel("terminal:default".parse().unwrap());
        let edge = ExportedRelation { to: MemoryId(1), kind: RelationKind::Refines };
        let all = [
            Exported { memory: memory(1, "two\nlines “ü”", Scope::Global), relations: Vec::new() },
            Exported { memory: memory(2, "another", scope), relations: vec![edge] },
        ];
        let lines: Vec<_> = all.iter().map(|memory| serde_json::to_string(memory).unwrap()).collect();
        assert_eq!(read("x", format!("{}\n\n{}\n", lines[0], lines[1]).as_bytes()).unwrap(), all);
    }

    #[test]
    fn x12_a_line_without_an_end_is_refused() {
        let error = read("m.jsonl", BufReader::new(io::repeat(0))).unwrap_err().to_string();
        assert!(error.starts_with("m.jsonl:1: a line holds at most 65536 bytes"), "{error}");
        let spaces = io::Read::chain(&b"\n"[..], io::repeat(b' '));
        let error = read("m.jsonl", BufReader::new(spaces)).unwrap_err().to_string();
        assert!(error.starts_with("m.jsonl:2: "), "{error}");
    }

    #[test]
    fn a_line_that_is_no_memory_is_named() {
        let good =
            serde_json::to_string(&Exported { memory: memory(1, "a", Scope::Global), relations: Vec::new() });
        let error = read("m.jsonl", format!("{}\n{{}}\n", good.unwrap()).as_bytes()).unwrap_err().to_string();
        assert!(
            error.starts_with("m.jsonl:2: missing field") && error.ends_with("nothing was imported"),
            "{error}"
        );
    }
}
