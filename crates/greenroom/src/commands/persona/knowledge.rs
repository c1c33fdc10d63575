//! Knowledge of an imported persona becomes memories that hold everywhere. Each has its place in the file as its key, so
//! that another import updates it (PF6).

use greenroom_core::{ChannelKey, Kind, PersonaName, Scope, Source, Tier, Trust, Viewer};
use greenroom_formats::Knowledge;
use greenroom_memory::{MemoryError, Remember};
use greenroom_store::MemoryFilter;

use crate::{
    term::{Style, count, progress},
    wiring::App,
};

/// The way these memories came, and the beginning of their keys.
const VIA: &str = "import";
/// More memories than a persona is imported with.
const ALL: usize = 100_000;

fn viewer(name: &PersonaName) -> anyhow::Result<Viewer> {
    let channel: ChannelKey = "terminal:default".parse()?;
    Ok(Viewer::new(name.clone(), channel, None))
}

fn filter(app: &App) -> MemoryFilter {
    MemoryFilter { now: app.now(), scopes: vec!["global"], ids: Vec::new(), about: None, limit: ALL }
}

/// Whether the persona has memories of an earlier import.
pub(super) async fn has_any(app: &App, name: &PersonaName) -> bool {
    if !app.store_file().exists() {
        return false;
    }
    let found = app.with_store(async |store| Ok(store.memories(&viewer(name)?, &filter(app)).await?)).await;
    found.is_ok_and(|memories| memories.iter().any(|memory| memory.source.via == VIA))
}

/// Writes the memories, forgets those of an earlier import that are no longer there, and says so in a line.
pub(super) async fn remember(app: &App, name: &PersonaName, known: &[Knowledge]) -> anyhow::Result<String> {
    let viewer = viewer(name)?;
    let bar = progress(Style::stderr(Default::default()), "knowledge", known.len() as u64);
    let key = |place: &str| format!("{VIA}:{place}");
    let (written, gone) = app
        .with_store(async |store| {
            let memory = app.memory(store).await?;
            let mut written = 0;
            for Knowledge { place, text } in known {
                let statement = Remember {
                    text: text.clone(),
                    kind: Kind::new("knowledge"),
                    tier: Tier::Semantic,
                    scope: Scope::Global,
                    source: Source { via: VIA.into(), message: None, user: None },
                    // not the operator's words: the text is data of others
                    trust: Trust::Persona,
                    key: Some(key(place)),
                    expires_in: None,
                };
                match memory.remember(&viewer, statement).await {
                    Ok(_) => written += 1,
                    Err(MemoryError::Empty) => {}
                    Err(error) => return Err(error.into()),
                }
                bar.inc(1);
            }
            let wanted: Vec<String> = known.iter().map(|it| key(&it.place)).collect();
            let mut gone = 0;
            for old in store.memories(&viewer, &filter(app)).await? {
                if old.source.via == VIA && old.key.as_ref().is_some_and(|key| !wanted.contains(key)) {
                    store.forget(&viewer, old.id).await?;
                    gone += 1;
                }
            }
            Ok((written, gone))
        })
        .await?;
    bar.finish_and_clear();
    let forgotten = match gone {
        0 => String::new(),
        gone => format!(", and {} of an earlier import forgotten", count(gone, "memory", "memories")),
    };
    Ok(format!("{} for {name}{forgotten}", count(written, "memory", "memories")))
}
