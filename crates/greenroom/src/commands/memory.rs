//! `greenroom memory`: what a persona remembers, written and read by whoever runs Greenroom. It
//! needs no runtime and works beside a running chat, which sees what it does.

mod forget;
mod show;
mod tables;
mod transfer;
mod upkeep;

use std::io::Write;

use greenroom_core::{Kind, Scope, Source, Tier, Trust, UserId, UserRef, Viewer};
use greenroom_memory::{Decision, Event, Hit, IgnoreReason, Remember, Remembered, span};
use greenroom_store::{Item, MemoryFilter};
use serde_json::json;

pub use tables::{day, hit_table, memory_table};

use crate::{
    cli::{MemoryCommand, MemoryPlace},
    failure::{Outcome, usage},
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
        MemoryCommand::List { about, limit, place } => list(app, about, limit, &place).await,
        MemoryCommand::Search { query, limit, place } => search(app, &query, limit, &place).await,
        MemoryCommand::Show { id, place } => show::show(app, id, &place).await,
        MemoryCommand::Relate { from, kind, to, place } => {
            show::relate(app, from, kind.into(), to, &place).await
        }
        MemoryCommand::Forget(args) => forget::run(app, &args).await,
        MemoryCommand::Export { out, persona } => transfer::export(app, out.as_deref(), persona).await,
        MemoryCommand::Import { file, json } => transfer::import(app, &file, json).await,
        MemoryCommand::Event { message, kind, severity, node, resolved, place } => {
            let at = app.now();
            let event = Event { kind, severity: severity.into(), message, node, resolved, at };
            upkeep::ingest(app, &event, &place).await
        }
        MemoryCommand::Reembed { json } => upkeep::reembed(app, json).await,
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
    let lasting = |text: &str| span(text).map_err(|how| usage(format!("--expires-in {text}: {how}")));
    let expires_in = expires_in.as_deref().map(lasting).transpose()?;
    let viewer = viewer(app, place)?;
    let store = app.store().await?;
    let statement = Remember {
        text,
        kind: Kind::new(kind),
        tier: Tier::Semantic,
        scope: scope(place),
        source: Source { via: "cli".into(), message: None, user: None },
        trust: Trust::Operator,
        key: None,
        expires_in,
    };
    let remembered = app.memory(&store).await?.remember(&viewer, statement).await;
    store.close().await;
    tell(&remembered?, place.json)?;
    Ok(Outcome::Done)
}

/// Where what is written with these flags holds.
fn scope(place: &MemoryPlace) -> Scope {
    match (&place.user, place.global) {
        (_, true) => Scope::Global,
        (Some(user), false) => Scope::User(UserRef::new(&place.channel, user)),
        (None, false) => Scope::Channel(place.channel.clone()),
    }
}

/// What became of a statement.
fn tell(remembered: &Remembered, json: bool) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    if json {
        let Remembered { memory, decision } = remembered;
        let line = json!({ "memory": memory, "decision": decision, "known": remembered.known() });
        writeln!(out, "{}", serde_json::to_string_pretty(&line)?)?;
    } else {
        writeln!(out, "{}", decided(remembered))?;
    }
    Ok(())
}

/// `ada remembers m4 (terminal:default), in place of m1`
fn decided(remembered: &Remembered) -> String {
    let memory = &remembered.memory;
    let (verb, rest) = match &remembered.decision {
        Decision::Add => ("remembers", String::new()),
        Decision::Update(_) => ("remembers", format!(", now version {}", memory.version)),
        Decision::Supersede(old) => ("remembers", format!(", in place of {old}")),
        Decision::Ignore(_, IgnoreReason::Known) => ("knew that already, as", String::new()),
        Decision::Ignore(_, why) => ("did not write it down, because of", format!(": {why}")),
    };
    format!("{} {verb} {} ({}){rest}", memory.persona, memory.id, tables::place_of(memory))
}

async fn list(
    app: &App,
    about: Option<UserId>,
    limit: usize,
    place: &MemoryPlace,
) -> anyhow::Result<Outcome> {
    let viewer = viewer(app, place)?;
    let store = app.store().await?;
    let filter = MemoryFilter { now: app.now(), scopes: scopes(place), ids: Vec::new(), about, limit };
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
    let found = app.memory(&store).await?.search(&viewer, query, enough).await;
    store.close().await;
    let found = found?;
    for note in &found.notes {
        eprintln!("{note}");
    }
    let hits: Vec<Hit> =
        found.hits.into_iter().filter(|hit| !place.global || global(hit)).take(limit).collect();
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

fn global(hit: &Hit) -> bool {
    matches!(&hit.item, Item::Memory(memory) if memory.scope == Scope::Global)
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
