//! Stores the knowledge of an imported persona as memories (PF6).

use greenroom_core::PersonaName;
use greenroom_formats::Knowledge;

use crate::{
    term::{Style, count, progress},
    wiring::App,
};

/// Writes the memories and returns a line about them; `None` if there is no knowledge and no store yet. Memories of
/// documents that could not be read stay.
pub(super) async fn remember(
    app: &App,
    name: &PersonaName,
    known: Vec<Knowledge>,
    unread: &[String],
) -> anyhow::Result<Option<String>> {
    if known.is_empty() && !app.store_file().exists() {
        return Ok(None);
    }
    let bar = progress(Style::stderr(Default::default()), "knowledge", known.len() as u64);
    let statements: Vec<(String, String)> = known.into_iter().map(|it| (it.place, it.text)).collect();
    let learned = app
        .with_store(async |store| {
            Ok(app.memory(store).await?.learn(name, &statements, unread, || bar.inc(1)).await?)
        })
        .await?;
    bar.finish_and_clear();
    let fresh = match learned.fresh {
        fresh if fresh == learned.known => String::new(),
        0 => ", all of them known before".to_owned(),
        fresh => format!(", {fresh} of them new or changed"),
    };
    let forgotten = match learned.forgotten {
        0 => String::new(),
        gone => format!(", and {} of an earlier import forgotten", count(gone, "memory", "memories")),
    };
    let nothing = learned.known == 0 && learned.forgotten == 0;
    Ok((!nothing)
        .then(|| format!("{} for {name}{fresh}{forgotten}", count(learned.known, "memory", "memories"))))
}
