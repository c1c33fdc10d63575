//! Shows one memory in full, makes it private or public, and relates two memories.

use std::io::Write;

use greenroom_core::{Memory, MemoryId, Relation, RelationKind, Trust, Viewer};
use greenroom_memory::{InFull, TimeZone, existing, in_full, is_newer};
use serde_json::json;

use super::{
    place_of_flags,
    tables::{day, place_of},
    viewer, zone,
};
use crate::{
    cli::MemoryPlace,
    failure::{Outcome, usage},
    term::{harmless, one_line, print_json, table, word},
    wiring::App,
};

/// `greenroom memory show`
pub async fn show(app: &App, id: MemoryId, place: &MemoryPlace) -> anyhow::Result<Outcome> {
    let viewer = viewer(app, place)?;
    let memory = app.with_store(async |store| Ok(in_full(&**store, &viewer, id, app.now()).await?)).await?;
    let Some(memory) = memory else {
        stderr_line!("{}", unknown(&viewer, id, place));
        return Ok(Outcome::Failed);
    };
    if place.json {
        let InFull { memory, versions, relations, .. } = memory;
        print_json(&json!({ "memory": memory, "versions": versions, "relations": relations }))?;
    } else {
        write!(std::io::stdout(), "{}", written_out(&memory, &zone(app, &viewer)))?;
    }
    Ok(Outcome::Done)
}

/// `greenroom memory share`
pub async fn share(app: &App, id: MemoryId, open: bool, place: &MemoryPlace) -> anyhow::Result<Outcome> {
    let viewer = viewer(app, place)?;
    let shared = app
        .with_store(async |store| match app.memory(store).await?.set_private(&viewer, id, !open).await? {
            Some(memory) => Ok(Ok(memory)),
            None => Ok(Err(existing(&**store, &viewer, &[id], app.now()).await?.pop())),
        })
        .await?;
    let memory = match shared {
        Ok(memory) => memory,
        Err(of_no_person) => {
            match of_no_person {
                Some(memory) => stderr_line!(
                    "{id} holds with no person ({}); only what does is recalled in groups too or one to one alone",
                    place_of(&memory)
                ),
                None => stderr_line!("{}", unknown(&viewer, id, place)),
            }
            return Ok(Outcome::Failed);
        }
    };
    if place.json {
        print_json(&memory)?;
    } else {
        let who = if open { "in groups too" } else { "one to one alone" };
        writeln!(std::io::stdout(), "{} recalls {id} {who} ({})", memory.persona, place_of(&memory))?;
    }
    Ok(Outcome::Done)
}

/// `greenroom memory relate`
pub async fn relate(
    app: &App,
    from: MemoryId,
    kind: RelationKind,
    to: MemoryId,
    place: &MemoryPlace,
) -> anyhow::Result<Outcome> {
    if from == to {
        return Err(usage("a memory has no relation to itself; name another one"));
    }
    let viewer = viewer(app, place)?;
    let relation = Relation { from, to, kind };
    let missing = app
        .with_store(async |store| {
            let there = existing(&**store, &viewer, &[from, to], app.now()).await?;
            let missing = [from, to].into_iter().find(|id| there.iter().all(|memory| memory.id != *id));
            if kind == RelationKind::Supersedes && is_newer(&**store, &viewer, to, from).await? {
                return Err(usage(format!("{to} supersedes {from} already, so {from} cannot supersede it")));
            }
            if missing.is_none() {
                store.relate(&viewer, relation).await?;
            }
            Ok(missing)
        })
        .await?;
    if let Some(id) = missing {
        stderr_line!("{}", unknown(&viewer, id, place));
        return Ok(Outcome::Failed);
    }
    if place.json {
        print_json(&relation)?;
    } else {
        writeln!(std::io::stdout(), "{from} {} {to}", word(kind))?;
    }
    Ok(Outcome::Done)
}

/// The text for a memory that does not exist, or is not visible there.
pub fn unknown(viewer: &Viewer, id: MemoryId, place: &MemoryPlace) -> String {
    format!(
        "{} has no memory {id} {}; `greenroom memory list` shows the memories; --persona and \
         --channel select others",
        viewer.persona(),
        place_of_flags(place)
    )
}

fn written_out(shown: &InFull, zone: &TimeZone) -> String {
    let InFull { memory, versions, relations, others } = shown;
    let trust = match memory.trust {
        Trust::Stranger => "a stranger",
        Trust::Persona => "the persona",
        Trust::Operator => "the operator",
    };
    let expires = memory.expires_at.map_or("never expires".into(), |at| format!("expires {}", day(at, zone)));
    let key = memory.key.as_deref().map(|key| format!(" · key {}", one_line(key, 80))).unwrap_or_default();
    let mut text = format!(
        "{} · {} · {} · v{} · {}\n{}\n\nwritten {} · first {} · {expires} · from {} · said by {trust}{key}\n",
        memory.id,
        memory.kind,
        word(memory.tier),
        memory.version,
        place_of(memory),
        harmless(&memory.text),
        day(memory.updated_at, zone),
        day(memory.created_at, zone),
        one_line(&memory.source.via, 80),
    );
    let text_of = |id: MemoryId| {
        let other = others.iter().find(|other| other.id == id);
        other.map_or("forgotten".into(), |other| one_line(&other.text, 120))
    };
    if versions.len() > 1 {
        let row = |version: &Memory| {
            let id = version.id.to_string();
            vec![id, day(version.updated_at, zone), one_line(&version.text, 120)]
        };
        text += "\n";
        text += &table(&["VERSIONS", "WRITTEN", "TEXT"], &versions.iter().map(row).collect::<Vec<_>>());
    }
    if !relations.is_empty() {
        let row = |edge: &Relation| {
            let other = if edge.from == memory.id { edge.to } else { edge.from };
            vec![format!("{} {} {}", edge.from, word(edge.kind), edge.to), text_of(other)]
        };
        text += "\n";
        text += &table(&["RELATIONS", "TEXT"], &relations.iter().map(row).collect::<Vec<_>>());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::memory::tables::memory;
    use greenroom_core::Scope;

    fn edge(from: i64, kind: RelationKind, to: i64) -> Relation {
        Relation { from: MemoryId(from), to: MemoryId(to), kind }
    }

    #[test]
    fn a_memory_is_shown_with_versions_and_relations() {
        let (new, old) = (memory(12, "6 minutes", Scope::Global), memory(3, "8 minutes", Scope::Global));
        let tea = memory(4, "Tea", Scope::Global);
        let shown = InFull {
            memory: new.clone(),
            versions: vec![new.clone(), old.clone()],
            relations: vec![edge(12, RelationKind::Supersedes, 3), edge(4, RelationKind::RelatesTo, 12)],
            others: vec![new, old, tea],
        };
        insta::assert_snapshot!(written_out(&shown, &TimeZone::UTC), @r"
        m12 · fact · semantic · v1 · everywhere
        6 minutes

        written 2026-11-21 · first 1970-01-01 · never expires · from cli · said by the operator

        VERSIONS  WRITTEN     TEXT
        m12       2026-11-21  6 minutes
        m3        2026-11-21  8 minutes

        RELATIONS          TEXT
        m12 supersedes m3  8 minutes
        m4 relates-to m12  Tea
        ");
    }
}
