//! `greenroom memory forget`: by id, by what a search finds, by person, by channel, by age (GR10,
//! X15). Whatever may be more than one thing is shown and asked about first, and every way ends
//! with a receipt.

use std::io::{self, IsTerminal, Write};

use greenroom_core::{MemoryId, UserRef, Viewer};
use greenroom_memory::Memory;
use greenroom_store::{Erase, Erased, Forgotten, Hit, Item, Store};
use serde_json::json;

use super::{
    EVERYTHING, global, memory_table, place_asked,
    show::{existing, unknown, versions},
    span, viewer,
};
use crate::{
    cli::{ForgetArgs, MemoryPlace},
    failure::{Outcome, usage},
    term::{count, one_line},
    wiring::{App, PROMPT_HISTORY},
};

/// Memories a search may forget at once.
const FOUND: usize = 20;

/// The platform whose lines the prompt keeps a history of.
const TERMINAL: &str = "terminal";

/// Runs the command.
pub async fn run(app: &App, args: &ForgetArgs) -> anyhow::Result<Outcome> {
    let viewer = viewer(app, &args.place)?;
    let erase = erase(app, args, &viewer)?;
    let store = app.store().await?;
    let outcome = match (args.what.id, &args.what.query, erase) {
        (Some(id), _, _) => one(&*store, &viewer, id, &args.place).await,
        (_, Some(query), _) => match app.memory(&store).await {
            Ok(memory) => found(app, &*store, &memory, &viewer, query, args).await,
            Err(error) => Err(error),
        },
        (_, _, Some(what)) => many(app, &*store, &what, args).await,
        (None, None, None) => Err(usage("say what to forget; `greenroom memory forget --help` shows how")),
    };
    store.close().await;
    outcome
}

/// What the flags mean to remove at once, if they do.
fn erase(app: &App, args: &ForgetArgs, viewer: &Viewer) -> anyhow::Result<Option<Erase>> {
    let place = &args.place;
    let wide = match (&args.what.person, args.what.whole_channel) {
        (Some(person), _) => Some(("--person", Erase::Person(UserRef::new(&place.channel, person)))),
        (None, true) => Some(("--whole-channel", Erase::Channel(place.channel.clone()))),
        (None, false) => None,
    };
    if let Some((flag, what)) = wide {
        if place.persona.is_some() || place.global || place.user.is_some() {
            return Err(usage(format!(
                "{flag} reaches every persona; leave --persona, --global and --user out"
            )));
        }
        return Ok(Some(what));
    }
    let Some(age) = &args.what.older_than else { return Ok(None) };
    if place.global || place.user.is_some() {
        return Err(usage("--older-than looks at a channel; leave --global and --user out"));
    }
    let before = app.now().before(span("--older-than", age).map_err(usage)?);
    Ok(Some(Erase::Older { persona: viewer.persona().clone(), channel: place.channel.clone(), before }))
}

async fn one(
    store: &dyn Store,
    viewer: &Viewer,
    id: MemoryId,
    place: &MemoryPlace,
) -> anyhow::Result<Outcome> {
    let Some(gone) = store.forget(viewer, id).await? else {
        eprintln!("{}", unknown(viewer, id, place));
        return Ok(Outcome::Failed);
    };
    let mut out = io::stdout();
    if place.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&gone)?)?;
    } else {
        writeln!(out, "{}", receipt(viewer, &gone))?;
    }
    Ok(Outcome::Done)
}

/// Shows what a search finds, with every version of it, and forgets it after a yes.
async fn found(
    app: &App,
    store: &dyn Store,
    memory: &Memory,
    viewer: &Viewer,
    query: &str,
    args: &ForgetArgs,
) -> anyhow::Result<Outcome> {
    let place = &args.place;
    // messages are found too and do not count
    let hits = memory.search(viewer, query, EVERYTHING).await?.hits.into_iter();
    let memories = hits.filter(|hit| matches!(hit.item, Item::Memory(_)) && (!place.global || global(hit)));
    let hits: Vec<Hit> = memories.take(FOUND).collect();
    if hits.is_empty() {
        eprintln!("nothing that {} remembers {} is like it", viewer.persona(), place_asked(place));
        return Ok(Outcome::Failed);
    }
    // a search shows the newest version alone; the older ones say as much
    let mut ids = Vec::new();
    for hit in &hits {
        if let Item::Memory(memory) = &hit.item {
            let versions = versions(store, viewer, memory.id).await?;
            ids.extend(versions.into_iter().filter(|id| !ids.contains(id)).collect::<Vec<_>>());
        }
    }
    let memories = existing(app, store, viewer, &ids).await?;
    eprint!("{}", memory_table(&memories));
    if !agreed(args.yes, &format!("forget {}?", count(memories.len() as u64, "memory", "memories")))? {
        return Ok(Outcome::Failed);
    }
    let mut receipts = Vec::new();
    for id in ids {
        receipts.extend(store.forget(viewer, id).await?);
    }
    let mut out = io::stdout();
    if place.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&receipts)?)?;
    } else {
        receipts.iter().try_for_each(|gone| writeln!(out, "{}", receipt(viewer, gone)))?;
    }
    Ok(Outcome::Done)
}

/// Shows how much would go and removes it after a yes.
async fn many(app: &App, store: &dyn Store, what: &Erase, args: &ForgetArgs) -> anyhow::Result<Outcome> {
    let name = name(what);
    let preview = store.would_erase(what).await?;
    if preview == Erased::default() {
        eprintln!("there is nothing of {name}");
        return Ok(Outcome::Failed);
    }
    eprintln!("{name}: {}", in_words(&preview));
    if !agreed(args.yes, "forget all of it?")? {
        return Ok(Outcome::Failed);
    }
    let erased = store.erase(what).await?;
    let prompt = wrote_at_the_prompt(what) && forget_prompt(app)?;
    let mut out = io::stdout();
    if args.place.json {
        let line = json!({ "forgot": name, "erased": erased, "prompt_history": prompt });
        writeln!(out, "{}", serde_json::to_string_pretty(&line)?)?;
    } else {
        let lines = if prompt { ", and the lines the prompt kept" } else { "" };
        writeln!(out, "forgot {name}: {}{lines}", in_words(&erased))?;
    }
    Ok(Outcome::Done)
}

/// Whether the history of the prompt may hold what is to go; it does not say who typed where.
fn wrote_at_the_prompt(what: &Erase) -> bool {
    match what {
        Erase::Person(person) => person.as_str().split(':').next() == Some(TERMINAL),
        Erase::Channel(channel) => channel.provider() == TERMINAL,
        Erase::Older { .. } => false,
    }
}

/// Removes the history of the prompt; false when there was none.
fn forget_prompt(app: &App) -> anyhow::Result<bool> {
    let file = app.data.join(PROMPT_HISTORY);
    match std::fs::remove_file(&file) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(anyhow::anyhow!(
            "the store has forgotten it, but {} cannot be removed: {error}; remove it by hand",
            file.display()
        )),
    }
}

/// What is to go, in words.
fn name(what: &Erase) -> String {
    match what {
        Erase::Person(person) => one_line(person.as_str(), 80),
        Erase::Channel(channel) => format!("the channel {channel}"),
        Erase::Older { persona, channel, before } => {
            format!("{channel} and {persona}'s memories of it before {}", super::day(*before))
        }
    }
}

/// Everything there is any of.
fn in_words(erased: &Erased) -> String {
    let parts = [
        (erased.messages, "message", "messages"),
        (erased.memories, "memory", "memories"),
        (erased.summaries, "summary of history", "summaries of history"),
        (erased.vectors, "vector", "vectors"),
        (erased.words, "full-text row", "full-text rows"),
        (erased.relations, "relation", "relations"),
        (erased.outbox, "reply waiting for delivery", "replies waiting for delivery"),
        (erased.turns, "turn", "turns"),
        (erased.sessions, "session", "sessions"),
    ];
    let parts = parts.into_iter().filter(|(number, ..)| *number > 0);
    parts.map(|(number, one, more)| count(number, one, more)).collect::<Vec<_>>().join(", ")
}

fn receipt(viewer: &Viewer, gone: &Forgotten) -> String {
    format!(
        "{} forgot {}: “{}” (with {} and {})",
        viewer.persona(),
        gone.memory.id,
        one_line(&gone.memory.text, 60),
        count(gone.vectors, "vector", "vectors"),
        count(gone.relations, "relation", "relations")
    )
}

/// Whether whoever runs this wants it; anything but a yes is a no. Without a terminal there is
/// nobody to ask.
fn agreed(yes: bool, question: &str) -> anyhow::Result<bool> {
    if yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(usage("nothing was forgotten: there is no terminal to ask at; add --yes to forget it"));
    }
    eprint!("{question} [y/N] ");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    let agreed = matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
    if !agreed {
        eprintln!("nothing was forgotten");
    }
    Ok(agreed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x15_the_receipt_lists_what_went_and_nothing_else() {
        let erased = Erased { messages: 12, memories: 1, words: 13, outbox: 1, ..Erased::default() };
        assert_eq!(
            in_words(&erased),
            "12 messages, 1 memory, 13 full-text rows, 1 reply waiting for delivery"
        );
    }

    #[test]
    fn x15_the_history_of_the_prompt_goes_with_people_and_channels_of_the_terminal() {
        let person = |name: &str| Erase::Person(name.parse().unwrap());
        assert!(wrote_at_the_prompt(&person("terminal:ann")));
        assert!(!wrote_at_the_prompt(&person("discord:terminal")));
        assert!(wrote_at_the_prompt(&Erase::Channel("terminal:default".parse().unwrap())));
    }
}
