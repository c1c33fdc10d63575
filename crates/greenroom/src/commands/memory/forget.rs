//! `greenroom memory forget`: by id, search, person, channel or age (GR10, X15). Except for a single id, the items are
//! shown and confirmed first. Every form prints a receipt.

use std::{
    io::{self, Write},
    pin::pin,
    time::Duration,
};

use anyhow::Context;
use greenroom_adapters::note_erasure;
use greenroom_core::{MemoryId, UserRef, Viewer, real_time};
use greenroom_memory::{ForgetTargets, PromptLines, SearchOptions, TimeZone, existing, span};
use greenroom_store::{Erase, Erased, Forgotten, ItemId, Quote, Quotes, Store};
use serde_json::json;

use super::{hit_table, memory_table, place_of_flags, show::unknown, viewer, zone};
use crate::{
    cli::{ForgetArgs, MemoryPlace},
    failure::{Outcome, usage},
    term::{confirm, count, one_line, print_json},
    wiring::App,
};

/// The context of an error of the store.
const UNFINISHED: &str = "parts of the forgotten texts may still be in the file; run this again";

/// How long an erasure may take before it prints the reason for the wait.
const PATIENCE: Duration = Duration::from_secs(2);

/// The result without a confirmation.
const NOTHING: &str = "nothing was forgotten";

/// Runs the command.
pub async fn run(app: &App, args: &ForgetArgs) -> anyhow::Result<Outcome> {
    let viewer = viewer(app, &args.place)?;
    let erase = erase(app, args, &viewer)?;
    app.with_store(async |store| match (args.target.id, &args.target.query, erase) {
        (Some(ItemId::Memory(id)), ..) => forget_one(&**store, &viewer, id, &args.place).await,
        (_, Some(query), _) => {
            let close = SearchOptions { zone: zone(app, &viewer), ..SearchOptions::default() };
            let close = (!args.yes).then_some(&close);
            let meant =
                app.memory(store).await?.find_to_forget(&viewer, query, args.place.global, close).await?;
            forget_hits(app, &**store, meant, &viewer, args).await
        }
        (_, _, Some(what)) => erase_all(app, &**store, &what, args).await,
        (_, None, None) => Err(usage("say what to forget; `greenroom memory forget --help` shows how")),
    })
    .await
}

/// The erasure that the arguments describe: a message, a person, a channel or an age.
fn erase(app: &App, args: &ForgetArgs, viewer: &Viewer) -> anyhow::Result<Option<Erase>> {
    let place = &args.place;
    if let Some(ItemId::Message(message)) = args.target.id {
        return Ok(Some(Erase::Message(message)));
    }
    let wide = match (&args.target.person, args.target.whole_channel) {
        (Some(person), _) => Some(("--person", Erase::Person(UserRef::new(&place.channel, person)))),
        (None, true) => Some(("--whole-channel", Erase::Channel(place.channel.clone()))),
        (None, false) => None,
    };
    if let Some((flag, what)) = wide {
        if place.persona.is_some() || place.global || place.user.is_some() {
            return Err(usage(format!(
                "{flag} is about every persona; leave --persona, --global and --user out"
            )));
        }
        return Ok(Some(what));
    }
    let Some(age) = &args.target.older_than else { return Ok(None) };
    if place.global || place.user.is_some() {
        return Err(usage("--older-than is about a channel; leave --global and --user out"));
    }
    let before = app.now().before(span(age).map_err(|how| usage(format!("--older-than {age}: {how}")))?);
    Ok(Some(Erase::Older { persona: viewer.persona().clone(), channel: place.channel.clone(), before }))
}

async fn forget_one(
    store: &dyn Store,
    viewer: &Viewer,
    id: MemoryId,
    place: &MemoryPlace,
) -> anyhow::Result<Outcome> {
    let Some(forgotten) = store.forget(viewer, id).await? else {
        stderr_line!("{}", unknown(viewer, id, place));
        return Ok(Outcome::Failed);
    };
    if place.json {
        print_json(&forgotten)?;
    } else {
        writeln!(io::stdout(), "{}", receipt(viewer, &forgotten))?;
    }
    Ok(Outcome::Done)
}

/// Shows the hits of a search with their versions, and forgets them after a yes.
async fn forget_hits(
    app: &App,
    store: &dyn Store,
    ForgetTargets { hits, ids }: ForgetTargets,
    viewer: &Viewer,
    args: &ForgetArgs,
) -> anyhow::Result<Outcome> {
    let (place, zone) = (&args.place, zone(app, viewer));
    if hits.is_empty() {
        let how = if args.yes { "holds all the words of it" } else { "is like it" };
        stderr_line!("nothing that {} remembers {} {how}", viewer.persona(), place_of_flags(place));
        if place.json {
            print_json(&Vec::<Forgotten>::new())?;
        }
        return Ok(Outcome::Done);
    }
    stderr_text!("{}", hit_table(&hits, &zone));
    let shown: Vec<ItemId> = hits.iter().map(|hit| hit.item.id()).collect();
    let older: Vec<MemoryId> =
        ids.iter().copied().filter(|id| !shown.contains(&ItemId::Memory(*id))).collect();
    if !older.is_empty() {
        let older = existing(store, viewer, &older, app.now()).await?;
        stderr_text!("older versions:\n{}", memory_table(&older, &zone));
    }
    if !confirm(args.yes, &format!("forget {}?", count(ids.len() as u64, "memory", "memories")), NOTHING)? {
        return Ok(Outcome::Failed);
    }
    let mut forgotten = Vec::new();
    for id in ids {
        forgotten.extend(store.forget(viewer, id).await?);
    }
    if place.json {
        print_json(&forgotten)?;
    } else {
        forgotten.iter().try_for_each(|one| writeln!(io::stdout(), "{}", receipt(viewer, one)))?;
    }
    Ok(Outcome::Done)
}

/// Shows the number of items, and erases them after a yes. If there are none, an earlier run may have been interrupted
/// before the file was cleaned, so it is cleaned again. Nothing to forget counts as success.
async fn erase_all(app: &App, store: &dyn Store, what: &Erase, args: &ForgetArgs) -> anyhow::Result<Outcome> {
    let name = name(what);
    let preview = store.would_erase(what).await?;
    let lines = PromptLines::of(store, what, &preview, &app.data).await?;
    if preview == Erased::default() && lines.is_none() {
        store.sweep(app.now()).await.context(UNFINISHED)?;
        stderr_line!("there is nothing of {name} to forget");
        if args.place.json {
            print_json(&report(&name, &preview, &[], false))?;
        }
        return Ok(Outcome::Done);
    }
    stderr_line!("{name}: {}", in_words(&preview, lines.is_some()));
    let mut quoting = store.quoting(what).await?;
    let with_quotes = wants_quotes(&quoting, args)?;
    if !confirm(args.yes, "forget all of it?", NOTHING)? {
        return Ok(Outcome::Failed);
    }
    if !with_quotes {
        quoting.clear();
    }
    let history = lines.map(|lines| {
        lines.forget().map_err(|error| {
            anyhow::anyhow!(
                "nothing was forgotten: {} cannot be changed: {error}; remove it by hand and try again",
                lines.file().display()
            )
        })
    });
    let history = history.transpose()?.unwrap_or(false);
    note_erasure(store, what, None, app.now()).await?;
    let erasing = store.erase(what, Quotes::go_if(with_quotes));
    let erased = patiently(erasing).await.context(UNFINISHED)?;
    if args.place.json {
        print_json(&report(&name, &erased, &quoting, history))?;
    } else {
        let mut out = io::stdout();
        writeln!(out, "forgot {name}: {}", in_words(&erased, history))?;
        for quote in &quoting {
            writeln!(out, "  with a quotation: {}", place_of(quote))?;
        }
    }
    Ok(Outcome::Done)
}

/// The receipt of an erasure as JSON.
fn report(name: &str, erased: &Erased, quoting: &[Quote], history: bool) -> serde_json::Value {
    let row = |quote: &Quote| json!({ "id": quote.item.to_string(), "persona": quote.persona, "channel": quote.channel });
    let quotes: Vec<_> = quoting.iter().map(row).collect();
    json!({ "forgot": name, "erased": erased, "quotes": quotes, "prompt_history": history })
}

/// Waits for `erasing`, and after a while prints the reason for the wait.
async fn patiently<T>(erasing: impl Future<Output = T>) -> T {
    let mut erasing = pin!(erasing);
    match real_time().timeout(PATIENCE, &mut erasing).await {
        Ok(done) => done,
        Err(_) => {
            stderr_line!(
                "still erasing: the whole file is written anew, and other processes that use it are waited for"
            );
            erasing.await
        }
    }
}

/// Shows the items that quote the forgotten texts, and asks whether to forget them as well.
fn wants_quotes(quoting: &[Quote], args: &ForgetArgs) -> anyhow::Result<bool> {
    if quoting.is_empty() {
        return Ok(args.quotes);
    }
    stderr_line!(
        "{} of it and would stay:",
        count(quoting.len() as u64, "text quotes some", "texts quote some")
    );
    for quote in quoting {
        stderr_line!("  {}: “{}”", place_of(quote), one_line(&quote.text, 80));
    }
    if args.quotes {
        return Ok(true);
    }
    if args.yes {
        stderr_line!("they stay; `greenroom memory forget ID` removes one of them");
        return Ok(false);
    }
    confirm(false, "forget these as well?", "they stay")
}

/// `m12 of ada in api:den`
fn place_of(quote: &Quote) -> String {
    let place = quote
        .channel
        .as_ref()
        .map(|channel| format!(" in {}", one_line(&channel.to_string(), 200)))
        .unwrap_or_default();
    format!("{} of {}{place}", quote.item, quote.persona)
}

/// The name of the erased person, channel or age.
fn name(what: &Erase) -> String {
    match what {
        Erase::Person(person) | Erase::Own { person, .. } => one_line(person.as_str(), 80),
        Erase::Channel(channel) => format!("the channel {}", one_line(&channel.to_string(), 200)),
        Erase::Message(message) => message.to_string(),
        Erase::Older { persona, channel, before } => {
            format!(
                "{channel} and {persona}'s memories of it before {}",
                super::day(*before, &TimeZone::system())
            )
        }
    }
}

/// The numbers of erased items in words; `history` adds the line history of the chat.
fn in_words(erased: &Erased, history: bool) -> String {
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
    parts.extend(history.then(|| "the lines the prompt kept".to_owned()));
    parts.join(", ")
}

fn receipt(viewer: &Viewer, forgotten: &Forgotten) -> String {
    let log = if forgotten.in_log {
        "; another program was reading: the text stays in the database's log until the next removal or start"
    } else {
        ""
    };
    let summaries = match forgotten.summaries.len() as u64 {
        0 => String::new(),
        number => format!("{}, ", count(number, "summary of a session", "summaries of sessions")),
    };
    format!(
        "{} forgot {}: “{}” (with {summaries}{} and {}){log}",
        viewer.persona(),
        forgotten.memory.id,
        one_line(&forgotten.memory.text, 60),
        count(forgotten.vectors, "vector", "vectors"),
        count(forgotten.relations, "relation", "relations")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x15_the_receipt_lists_the_erased_items_and_no_others() {
        let erased = Erased { messages: 12, memories: 1, outbox: 1, ..Erased::default() };
        assert_eq!(in_words(&erased, false), "12 messages, 1 memory, 1 reply waiting for delivery");
    }
}
