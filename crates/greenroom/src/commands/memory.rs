//! `greenroom memory`: what a persona remembers, written and read by whoever runs Greenroom. It
//! needs no runtime and works beside a running chat, which sees what it does.

use std::{io::Write, time::Duration};

use greenroom_core::{
    Kind, Memory as Stored, MemoryId, Scope, Source, Tier, Timestamp, Trust, UserRef, Viewer,
};
use greenroom_memory::{Decision, Remember};
use greenroom_store::{Hit, Item, MemoryFilter};
use serde_json::json;

use crate::{
    cli::{MemoryCommand, MemoryPlace},
    failure::{Outcome, usage},
    term::{count, one_line, table},
    wiring::App,
};

/// More than anybody remembers of one thing.
const EVERYTHING: usize = 10_000;

/// Runs the command.
pub async fn run(app: &App, command: MemoryCommand) -> anyhow::Result<Outcome> {
    match command {
        MemoryCommand::Add { text, kind, expires_in, place } => {
            add(app, text, &kind, expires_in, &place).await
        }
        MemoryCommand::List { limit, place } => list(app, limit, &place).await,
        MemoryCommand::Search { query, limit, place } => search(app, &query, limit, &place).await,
        MemoryCommand::Forget { id, place } => forget(app, id, &place).await,
    }
}

/// As whom the command looks: the persona in the channel, and with the user the chat would have.
fn viewer(app: &App, place: &MemoryPlace) -> anyhow::Result<Viewer> {
    app.insist_on_settings()?;
    let name = place.persona.as_ref().unwrap_or(&app.settings().persona);
    let persona = app.names().find(name.as_str()).map_err(usage)?;
    Ok(Viewer::new(persona, place.channel.clone(), Some(app.user(place.user.as_ref())?)))
}

/// Only what the flags ask for.
fn scopes(place: &MemoryPlace) -> Vec<&'static str> {
    if place.global { vec!["global"] } else { Vec::new() }
}

async fn add(
    app: &App,
    text: String,
    kind: &str,
    expires_in: Option<String>,
    place: &MemoryPlace,
) -> anyhow::Result<Outcome> {
    if text.trim().is_empty() {
        return Err(usage("there is nothing to remember; write: greenroom memory add \"what is so\""));
    }
    let expires_in = expires_in.as_deref().map(lifetime).transpose().map_err(usage)?;
    let viewer = viewer(app, place)?;
    let scope = match (&place.user, place.global) {
        (_, true) => Scope::Global,
        (Some(user), false) => Scope::User(UserRef::new(&place.channel, user)),
        (None, false) => Scope::Channel(place.channel.clone()),
    };
    let store = app.store().await?;
    let statement = Remember {
        text,
        kind: Kind::new(kind),
        tier: Tier::Semantic,
        scope,
        source: Source { via: "cli".into(), message: None, user: None },
        trust: Trust::Operator,
        key: None,
        expires_in,
    };
    let remembered = app.memory(&store).await?.remember(&viewer, statement).await;
    store.close().await;
    let remembered = remembered?;
    let mut out = std::io::stdout();
    if place.json {
        let decision = remembered.decision;
        let line = json!({ "memory": remembered.memory, "known": remembered.known(), "decision": decision });
        writeln!(out, "{}", serde_json::to_string_pretty(&line)?)?;
    } else {
        let memory = &remembered.memory;
        let (verb, rest) = match remembered.decision {
            Decision::Add => ("remembers", String::new()),
            Decision::Update(_) => ("remembers", format!(", version {}", memory.version)),
            Decision::Supersede(old) => ("remembers", format!(", in place of {old}")),
            Decision::Ignore(..) => ("knew that already, as", String::new()),
        };
        writeln!(out, "{} {verb} {} ({}){rest}", memory.persona, memory.id, place_of(memory))?;
    }
    Ok(Outcome::Done)
}

async fn list(app: &App, limit: usize, place: &MemoryPlace) -> anyhow::Result<Outcome> {
    let viewer = viewer(app, place)?;
    let store = app.store().await?;
    let filter = MemoryFilter { now: app.now(), scopes: scopes(place), ids: Vec::new(), limit };
    let memories = store.memories(&viewer, &filter).await;
    store.close().await;
    let memories = memories?;
    let mut out = std::io::stdout();
    if place.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&memories)?)?;
    } else if memories.is_empty() {
        eprintln!("{}", nothing_there(&viewer, &place_asked(place)));
    } else {
        write!(out, "{}", memory_table(&memories))?;
    }
    Ok(Outcome::Done)
}

async fn search(app: &App, query: &str, limit: usize, place: &MemoryPlace) -> anyhow::Result<Outcome> {
    let viewer = viewer(app, place)?;
    let store = app.store().await?;
    // what is left out below must not count
    let enough = if place.global { limit.max(EVERYTHING) } else { limit };
    let hits = app.memory(&store).await?.search(&viewer, query, enough).await;
    store.close().await;
    let global = |hit: &Hit| matches!(&hit.item, Item::Memory(memory) if memory.scope == Scope::Global);
    let hits: Vec<Hit> = hits?.into_iter().filter(|hit| !place.global || global(hit)).take(limit).collect();
    let mut out = std::io::stdout();
    if place.json {
        let rows: Vec<_> = hits
            .iter()
            .map(|hit| match &hit.item {
                Item::Memory(memory) => json!({ "score": hit.score, "memory": memory }),
                Item::Message(message) => json!({ "score": hit.score, "message": message }),
            })
            .collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&rows)?)?;
    } else if hits.is_empty() {
        eprintln!("nothing that {} remembers {} is like it", viewer.persona(), place_asked(place));
    } else {
        write!(out, "{}", hit_table(&hits))?;
    }
    Ok(Outcome::Done)
}

async fn forget(app: &App, id: MemoryId, place: &MemoryPlace) -> anyhow::Result<Outcome> {
    let viewer = viewer(app, place)?;
    let store = app.store().await?;
    let forgotten = store.forget(&viewer, id).await;
    store.close().await;
    let mut out = std::io::stdout();
    match forgotten? {
        Some(gone) if place.json => writeln!(out, "{}", serde_json::to_string_pretty(&gone)?)?,
        Some(gone) => writeln!(
            out,
            "{} forgot {id}: “{}” (with {} and {})",
            viewer.persona(),
            one_line(&gone.memory.text, 60),
            count(gone.vectors, "vector", "vectors"),
            count(gone.relations, "relation", "relations")
        )?,
        None => {
            eprintln!(
                "{} has no memory {id} {}; `greenroom memory list` shows what there is, and --persona and \
                 --channel say where to look",
                viewer.persona(),
                place_asked(place)
            );
            return Ok(Outcome::Failed);
        }
    }
    Ok(Outcome::Done)
}

/// What to say when there is nothing to list.
pub fn nothing_yet(viewer: &Viewer) -> String {
    nothing_there(viewer, &format!("in {}", viewer.channel()))
}

fn nothing_there(viewer: &Viewer, place: &str) -> String {
    let persona = viewer.persona();
    format!(
        "{persona} remembers nothing {place} yet; add something with: greenroom memory add \"…\" \
         --persona {persona}"
    )
}

/// Where the flags say to look.
fn place_asked(place: &MemoryPlace) -> String {
    match (place.global, &place.user) {
        (true, _) => "that holds everywhere".to_owned(),
        (false, Some(user)) => format!("in {} or with {user}", place.channel),
        (false, None) => format!("in {}", place.channel),
    }
}

/// Memories as a table.
pub fn memory_table(memories: &[Stored]) -> String {
    let row = |memory: &Stored| {
        vec![
            memory.id.to_string(),
            memory.kind.to_string(),
            place_of(memory),
            day(memory.updated_at),
            memory.expires_at.map_or("never".into(), day),
            one_line(&memory.text, 120),
        ]
    };
    let rows: Vec<_> = memories.iter().map(row).collect();
    table(&["ID", "KIND", "WHERE", "WRITTEN", "EXPIRES", "TEXT"], &rows)
}

/// Found memories and messages as a table, best first.
pub fn hit_table(hits: &[Hit]) -> String {
    let row = |hit: &Hit| {
        let (kind, place) = match &hit.item {
            Item::Memory(memory) => (memory.kind.to_string(), place_of(memory)),
            Item::Message(message) => ("message".to_owned(), one_line(message.author.name(), 20)),
        };
        let id = hit.item.id().to_string();
        vec![id, format!("{:.2}", hit.score), kind, place, day(hit.item.at()), one_line(hit.item.text(), 120)]
    };
    let rows: Vec<_> = hits.iter().map(row).collect();
    table(&["ID", "SCORE", "KIND", "WHERE", "WRITTEN", "TEXT"], &rows)
}

fn place_of(memory: &Stored) -> String {
    match &memory.scope {
        Scope::Channel(channel) => one_line(channel.as_str(), 40),
        Scope::Global => "everywhere".to_owned(),
        Scope::User(user) => format!("with {}", one_line(user.as_str(), 30)),
    }
}

/// The day in the time zone of this machine.
pub fn day(at: Timestamp) -> String {
    match jiff::Timestamp::from_microsecond(at.0) {
        Ok(at) => at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d").to_string(),
        Err(_) => "unknown".to_owned(),
    }
}

/// How long a memory holds: `12h`, `30d`, `2w`; a day has 24 hours.
fn lifetime(text: &str) -> Result<Duration, String> {
    let wrong = || format!("--expires-in {text}: write a time as 90m, 12h, 30d or 2w");
    let span: jiff::Span = text.trim().parse().map_err(|_| wrong())?;
    let duration = span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()).map_err(|_| wrong())?;
    Duration::try_from(duration).ok().filter(|duration| !duration.is_zero()).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as9_a_lifetime_is_a_number_and_a_unit() {
        for (text, seconds) in [("90m", 5_400), ("12h", 43_200), ("30d", 2_592_000), ("2w", 1_209_600)] {
            assert_eq!(lifetime(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for bad in ["", "soon", "-1d", "0d", "7"] {
            assert!(lifetime(bad).unwrap_err().contains("30d"), "{bad}");
        }
    }

    #[test]
    fn memories_are_listed_in_columns() {
        let memory = |id, text: &str, scope| Stored {
            id: MemoryId(id),
            persona: "ada".parse().unwrap(),
            scope,
            text: text.into(),
            kind: Kind::new("fact"),
            tier: greenroom_core::Tier::Semantic,
            source: Source { via: "cli".into(), message: None, user: None },
            trust: Trust::Operator,
            version: 1,
            key: None,
            expires_at: None,
            created_at: Timestamp(0),
            updated_at: Timestamp(1_795_257_000_000_000),
        };
        let memories = [
            memory(12, "The build takes 6 minutes", Scope::Global),
            memory(3, "Tea,\n\x1b[31mnot coffee", Scope::Channel("terminal:default".parse().unwrap())),
        ];
        insta::assert_snapshot!(memory_table(&memories), @r"
        ID   KIND  WHERE             WRITTEN     EXPIRES  TEXT
        m12  fact  everywhere        2026-11-21  never    The build takes 6 minutes
        m3   fact  terminal:default  2026-11-21  never    Tea, ␛[31mnot coffee
        ");
    }
}
