//! `greenroom memory`: reads and changes a persona's memories, with the operator's rights. It needs no runtime. A chat
//! or server that runs meanwhile sees the changes.

mod forget;
mod show;
mod tables;
mod transfer;
mod upkeep;
mod why;

use std::io::Write;

use greenroom_core::{Kind, Scope, Source, Tier, Trust, UserId, UserRef, Viewer};
use greenroom_memory::{
    Decision, Event, Hit, IgnoreReason, Remember, Remembered, SearchOptions, TimeZone, span,
};
use greenroom_store::{Item, MemoryFilter};
use serde_json::json;

pub use tables::{day, hit_table, memory_table};

use crate::{
    cli::{MemoryCommand, MemoryPlace},
    failure::{Outcome, usage},
    term::print_json,
    wiring::App,
};

/// The number of hits from which a search with `--global` filters: more than a persona remembers about one topic.
const ALL_HITS: usize = 10_000;

/// Runs the command.
pub async fn run(app: &App, command: MemoryCommand) -> anyhow::Result<Outcome> {
    match command {
        MemoryCommand::Add { text, kind, expires_in, place } => {
            add(app, text, &kind, expires_in, &place).await
        }
        MemoryCommand::List { about, limit, place } => list(app, about, limit, &place).await,
        MemoryCommand::Search { query, limit, place } => search(app, &query, limit, &place).await,
        MemoryCommand::Why { question, expect, place } => why::run(app, &question, expect, &place).await,
        MemoryCommand::Show { id, place } => show::show(app, id, &place).await,
        MemoryCommand::Share { id, stop, place } => show::share(app, id, !stop, &place).await,
        MemoryCommand::Relate { from, kind, to, place } => show::relate(app, from, kind, to, &place).await,
        MemoryCommand::Forget(args) => forget::run(app, &args).await,
        MemoryCommand::Export { out, persona } => transfer::export(app, out.as_deref(), persona).await,
        MemoryCommand::Import { file, json } => transfer::import(app, &file, json).await,
        MemoryCommand::Event { message, kind, severity, node, resolved, place } => {
            let event = Event { kind, severity, message, node, resolved, at: app.now() };
            upkeep::ingest(app, &event, &place).await
        }
        MemoryCommand::Reembed { json } => upkeep::reembed(app, json).await,
    }
}

/// The viewer of a command: the persona, in the channel, with the user of a chat. The store shows the user's private
/// memories if the channel is no group (MP1).
fn viewer(app: &App, place: &MemoryPlace) -> anyhow::Result<Viewer> {
    app.require_valid_settings()?;
    let name = place.persona.as_ref().unwrap_or(&app.settings().persona);
    let persona = app.names().find(name.as_str()).map_err(usage)?;
    Ok(Viewer::new(persona, place.channel.clone(), Some(app.user(place.user.as_ref())?)).one_to_one())
}

/// The time zone of the viewer's persona, in which its days begin.
fn zone(app: &App, viewer: &Viewer) -> TimeZone {
    app.cast.get(viewer.persona()).map_or_else(TimeZone::system, |persona| persona.memory.zone())
}

/// The scopes that the flags select; empty for all.
fn scopes(place: &MemoryPlace) -> Vec<&'static str> {
    if place.global { vec!["global"] } else { Vec::new() }
}

/// The scope of a memory written with these flags.
fn scope(place: &MemoryPlace) -> Scope {
    match (&place.user, place.global) {
        (_, true) => Scope::Global,
        (Some(user), false) => Scope::User(UserRef::new(&place.channel, user)),
        (None, false) => Scope::Channel(place.channel.clone()),
    }
}

async fn add(
    app: &App,
    text: String,
    kind: &str,
    expires_in: Option<String>,
    place: &MemoryPlace,
) -> anyhow::Result<Outcome> {
    if text.trim().is_empty() {
        return Err(usage("the statement is empty; write: greenroom memory add \"what is so\""));
    }
    let lifetime = |text: &str| span(text).map_err(|how| usage(format!("--expires-in {text}: {how}")));
    let expires_in = expires_in.as_deref().map(lifetime).transpose()?;
    let viewer = viewer(app, place)?;
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
    let added = app
        .with_store(async |store| Ok(app.memory(store).await?.remember(&viewer, statement).await?))
        .await?;
    print_added(&added, place.json)?;
    Ok(Outcome::Done)
}

/// Prints the result of adding a statement.
fn print_added(added: &Remembered, json: bool) -> anyhow::Result<()> {
    if json {
        let Remembered { memory, decision } = added;
        print_json(&json!({ "memory": memory, "decision": decision, "known": added.known() }))
    } else {
        writeln!(std::io::stdout(), "{}", described(added))?;
        Ok(())
    }
}

/// `ada remembers m4 (terminal:default), in place of m1`
fn described(added: &Remembered) -> String {
    let memory = &added.memory;
    let (verb, rest) = match &added.decision {
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
    let filter = MemoryFilter { now: app.now(), scopes: scopes(place), ids: Vec::new(), about, limit };
    let memories = app.with_store(async |store| Ok(store.memories(&viewer, &filter).await?)).await?;
    if place.json {
        print_json(&memories)?;
    } else if memories.is_empty() {
        match &filter.about {
            Some(about) => stderr_line!(
                "{} remembers nothing {} that comes from {about} or holds with {about}; leave out --about to see \
                 all memories there",
                viewer.persona(),
                place_of_flags(place)
            ),
            None => stderr_line!("{}", no_memories(&viewer, &place_of_flags(place))),
        }
    } else {
        write!(std::io::stdout(), "{}", memory_table(&memories, &zone(app, &viewer)))?;
    }
    Ok(Outcome::Done)
}

async fn search(app: &App, query: &str, limit: usize, place: &MemoryPlace) -> anyhow::Result<Outcome> {
    let viewer = viewer(app, place)?;
    // hits that the filter below removes must not displace others
    let enough = if place.global { limit.max(ALL_HITS) } else { limit };
    let options = SearchOptions { zone: zone(app, &viewer), ..SearchOptions::default() };
    let found = app
        .with_store(async |store| {
            Ok(app.memory(store).await?.search_from(&viewer, query, enough, &options).await?)
        })
        .await?;
    for note in &found.notes {
        stderr_line!("{note}");
    }
    // without hits the nearest items are shown, marked as such (MP8)
    let is_below = found.hits.is_empty();
    let found = if is_below { found.near } else { found.hits };
    let hits = found.into_iter().filter(|hit| !place.global || is_global(hit));
    let hits: Vec<Hit> = hits.take(limit).collect();
    if place.json {
        let row = |hit: &Hit| {
            let mut row = match &hit.item {
                Item::Memory(memory) => json!({ "score": hit.score, "memory": memory }),
                Item::Message(message) => json!({ "score": hit.score, "message": message }),
            };
            if is_below {
                row["below_threshold"] = json!(true);
            }
            row
        };
        print_json(&hits.iter().map(row).collect::<Vec<_>>())?;
        return Ok(Outcome::Done);
    }
    if is_below {
        let nearest = if hits.is_empty() { "" } else { "; the nearest are below the threshold:" };
        stderr_line!(
            "nothing that {} remembers {} is like it{nearest}",
            viewer.persona(),
            place_of_flags(place)
        );
    }
    if !hits.is_empty() {
        write!(std::io::stdout(), "{}", hit_table(&hits, &options.zone))?;
    }
    Ok(Outcome::Done)
}

fn is_global(hit: &Hit) -> bool {
    matches!(&hit.item, Item::Memory(memory) if memory.scope == Scope::Global)
}

/// The text shown if a channel has no memories.
pub fn no_memories_there(viewer: &Viewer) -> String {
    no_memories(viewer, &format!("in {}", viewer.channel()))
}

fn no_memories(viewer: &Viewer, place: &str) -> String {
    let persona = viewer.persona();
    format!(
        "{persona} remembers nothing {place} yet; add something with: greenroom memory add \"…\" \
         --persona {persona}"
    )
}

/// The place that the flags select, in words.
fn place_of_flags(place: &MemoryPlace) -> String {
    match (place.global, &place.user) {
        (true, _) => "that holds everywhere".to_owned(),
        (false, Some(user)) => format!("in {} or with {user}", place.channel),
        (false, None) => format!("in {}", place.channel),
    }
}
