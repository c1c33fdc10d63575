//! `greenroom memory forget`: by id, by what a search finds, by person, by channel, by age (GR10,
//! X15). Whatever may be more than one thing is shown and asked about first, and every way ends
//! with a receipt.

use std::io::{self, Write};

use anyhow::Context;
use greenroom_core::{MemoryId, UserRef, Viewer};
use greenroom_memory::{Meant, Memory, PROMPT_HISTORY, existing, forget_prompt, span, wrote_at_the_prompt};
use greenroom_store::{Erase, Erased, Forgotten, ItemId, Quote, Quotes, Store};
use serde_json::json;

use super::{hit_table, memory_table, place_asked, show::unknown, viewer};
use crate::{
    cli::{ForgetArgs, MemoryPlace},
    failure::{Outcome, usage},
    term::{agreed, count, one_line},
    wiring::App,
};

/// What is so when the store could not finish.
const UNFINISHED: &str = "words of what was forgotten may still stand in the file; run this again";

/// What is so without a yes.
const NOTHING: &str = "nothing was forgotten";

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
    let before = app.now().before(span(age).map_err(|how| usage(format!("--older-than {age}: {how}")))?);
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
    let Meant { hits, ids } = memory.meant(viewer, query, place.global, args.yes).await?;
    if hits.is_empty() {
        let what = if args.yes { "holds all the words of it" } else { "is like it" };
        eprintln!("nothing that {} remembers {} {what}", viewer.persona(), place_asked(place));
        return Ok(Outcome::Failed);
    }
    eprint!("{}", hit_table(&hits));
    let shown: Vec<ItemId> = hits.iter().map(|hit| hit.item.id()).collect();
    let older: Vec<MemoryId> =
        ids.iter().copied().filter(|id| !shown.contains(&ItemId::Memory(*id))).collect();
    if !older.is_empty() {
        eprint!("older versions:\n{}", memory_table(&existing(store, viewer, &older, app.now()).await?));
    }
    if !agreed(args.yes, &format!("forget {}?", count(ids.len() as u64, "memory", "memories")), NOTHING)? {
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

/// Shows how much would go and removes it after a yes. When there is nothing, one that broke off
/// before may still owe the file its words; what is not there is forgotten already, which is success.
async fn many(app: &App, store: &dyn Store, what: &Erase, args: &ForgetArgs) -> anyhow::Result<Outcome> {
    let name = name(what);
    let preview = store.would_erase(what).await?;
    let prompt = wrote_at_the_prompt(what) && app.data.join(PROMPT_HISTORY).exists();
    if preview == Erased::default() && !prompt {
        store.sweep(app.now()).await.context(UNFINISHED)?;
        eprintln!("there is nothing of {name} to forget");
        return Ok(Outcome::Done);
    }
    eprintln!("{name}: {}", in_words(&preview, prompt));
    let quoting = store.quoting(what).await?;
    let quotes = wants_quotes(&quoting, args)?;
    let quoting = if quotes { quoting } else { Vec::new() };
    if !agreed(args.yes, "forget all of it?", NOTHING)? {
        return Ok(Outcome::Failed);
    }
    let prompt = prompt
        && forget_prompt(&app.data).map_err(|error| {
            let file = app.data.join(PROMPT_HISTORY);
            anyhow::anyhow!(
                "nothing was forgotten: {} cannot be removed: {error}; remove it by hand and try again",
                file.display()
            )
        })?;
    let erased = store.erase(what, Quotes::go_if(quotes)).await.context(UNFINISHED)?;
    let mut out = io::stdout();
    if args.place.json {
        let quotes: Vec<_> = quoting
            .iter()
            .map(|quote| {
                json!({ "id": quote.item.to_string(), "persona": quote.persona, "channel": quote.channel })
            })
            .collect();
        let line = json!({ "forgot": name, "erased": erased, "quotes": quotes, "prompt_history": prompt });
        writeln!(out, "{}", serde_json::to_string_pretty(&line)?)?;
    } else {
        writeln!(out, "forgot {name}: {}", in_words(&erased, prompt))?;
        for quote in &quoting {
            writeln!(out, "  with a quotation: {}", place_of(quote))?;
        }
    }
    Ok(Outcome::Done)
}

/// Shows what quotes what is to go and would stay; whether it is to go as well.
fn wants_quotes(quoting: &[Quote], args: &ForgetArgs) -> anyhow::Result<bool> {
    if quoting.is_empty() {
        return Ok(args.quotes);
    }
    eprintln!(
        "{} of it and would stay:",
        count(quoting.len() as u64, "text quotes some", "texts quote some")
    );
    for quote in quoting {
        eprintln!("  {}: “{}”", place_of(quote), one_line(&quote.text, 80));
    }
    if args.quotes || args.yes {
        return Ok(args.quotes);
    }
    agreed(false, "forget these as well?", "they stay")
}

/// Which it is, whose, and where.
fn place_of(quote: &Quote) -> String {
    let place = quote.channel.as_ref().map(|channel| format!(" in {channel}")).unwrap_or_default();
    format!("{} of {}{place}", quote.item, quote.persona)
}

/// What is to go, in words.
fn name(what: &Erase) -> String {
    match what {
        Erase::Person(person) | Erase::Own { person, .. } => one_line(person.as_str(), 80),
        Erase::Channel(channel) => format!("the channel {channel}"),
        Erase::Older { persona, channel, before } => {
            format!("{channel} and {persona}'s memories of it before {}", super::day(*before))
        }
    }
}

/// Everything there is any of; `prompt`: also what the prompt keeps.
fn in_words(erased: &Erased, prompt: bool) -> String {
    let parts = [
        (erased.messages, "message", "messages"),
        (erased.memories, "memory", "memories"),
        (erased.summaries, "summary of history", "summaries of history"),
        (erased.vectors, "vector", "vectors"),
        (erased.relations, "relation", "relations"),
        (erased.outbox, "reply waiting for delivery", "replies waiting for delivery"),
        (erased.turns, "turn", "turns"),
        (erased.sessions, "session", "sessions"),
    ];
    let parts = parts.into_iter().filter(|(number, ..)| *number > 0);
    let mut parts: Vec<_> = parts.map(|(number, one, more)| count(number, one, more)).collect();
    parts.extend(prompt.then(|| "the lines the prompt kept".to_owned()));
    parts.join(", ")
}

fn receipt(viewer: &Viewer, gone: &Forgotten) -> String {
    let log = if gone.in_log {
        "; another program was reading meanwhile: the text stays in the log until the next removal or start"
    } else {
        ""
    };
    format!(
        "{} forgot {}: “{}” (with {} and {}){log}",
        viewer.persona(),
        gone.memory.id,
        one_line(&gone.memory.text, 60),
        count(gone.vectors, "vector", "vectors"),
        count(gone.relations, "relation", "relations")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x15_the_receipt_lists_what_went_and_nothing_else() {
        let erased = Erased { messages: 12, memories: 1, outbox: 1, ..Erased::default() };
        assert_eq!(in_words(&erased, false), "12 messages, 1 memory, 1 reply waiting for delivery");
    }
}
