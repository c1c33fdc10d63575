//! `greenroom room`: members of a channel, who answers there and why, and how long bots may talk.

use std::io::Write;

use anyhow::anyhow;
use greenroom_core::{ChannelKey, PersonaName, Timestamp};
use greenroom_floor::Evidence;
use greenroom_runtime::{
    DecisionView, MemberKind, MemberView, RoomView, RoomViews, RoomsSettings, RoundView, put_quiet,
    quiet_until,
};
use greenroom_store::{JoinReason, MembershipChange, Store};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    cli::RoomCommand,
    failure::{Outcome, usage},
    lock::{ChannelLock, LockError},
    term::{count, one_line, print_json, table, word},
    wiring::App,
};

/// The number of listed channels, and of messages whose decisions are shown.
const LISTED: usize = 200;
const EXPLAINED: usize = 5;
/// A quiet longer than a hundred years, in seconds, counts as one without an end.
const FAR: i64 = 100 * 365 * 24 * 3600;

/// Runs the command.
pub async fn run(app: &App, command: RoomCommand) -> anyhow::Result<Outcome> {
    app.require_valid_settings()?;
    app.with_store(async |store| match command {
        RoomCommand::List { json } => list(app, &**store, json).await,
        RoomCommand::Explain { channel, json } => explain(app, &**store, &channel, json).await,
        RoomCommand::Invite { channel, persona } => {
            let persona = app.names().find(&persona).map_err(usage)?;
            let attendance =
                MembershipChange { joins: vec![(persona.clone(), JoinReason::Invited)], leaves: Vec::new() };
            change(app, &channel, async || store.attend(&channel, &attendance).await).await?;
            done(app, &format!("{persona} belongs to {channel} now"))
        }
        RoomCommand::Leave { channel, persona } => {
            let persona = member(app, &**store, &channel, &persona).await?;
            let settings = app.rooms();
            let views = views(app, &**store, &settings);
            change(app, &channel, async || views.leave(&channel, &persona).await).await?;
            done(app, &format!("{persona} does not belong to {channel} any more"))
        }
        RoomCommand::Quiet { channel, wait, off } => {
            let until = (!off).then(|| quiet_until(app.now(), wait));
            change(app, &channel, async || put_quiet(&**store, &channel, until).await).await?;
            let text = if off { "personas may answer again" } else { "nobody answers there now" };
            done(app, &format!("{channel}: {text}"))
        }
    })
    .await
}

/// Writes to a channel in which no process answers. A live room would not see the change; the server has calls for
/// that.
async fn change(
    app: &App,
    channel: &ChannelKey,
    write: impl AsyncFnOnce() -> greenroom_store::Result<()>,
) -> anyhow::Result<()> {
    let _lock = ChannelLock::take(&app.data, channel).map_err(|error| match error {
        LockError::Owned { channel, owner } => {
            let owner = owner.map_or("another process".to_owned(), |pid| format!("process {pid}"));
            let calls = format!("POST /api/channels/{channel}/members or …/quiet, DELETE to undo");
            anyhow!(
                "{owner} answers in {channel}; there write /invite, /leave or /quiet, or call its API ({calls}), \
                 or end it and try again"
            )
        }
        error => error.into(),
    })?;
    Ok(write().await?)
}

/// The persona of a name. A persona whose file was deleted may still be a member.
async fn member(
    app: &App,
    store: &dyn Store,
    channel: &ChannelKey,
    name: &str,
) -> anyhow::Result<PersonaName> {
    let unknown = match app.names().find(name) {
        Ok(persona) => return Ok(persona),
        Err(error) => usage(error),
    };
    let room = views(app, store, &app.rooms()).room(channel).await?;
    let is_here = room.members.iter().any(|member| member.kind == MemberKind::Persona && member.id == name);
    if is_here { Ok(name.parse()?) } else { Err(unknown) }
}

fn done(app: &App, text: &str) -> anyhow::Result<Outcome> {
    stderr_line!("{}", app.err.dim(text));
    Ok(Outcome::Done)
}

/// Rooms, with the cast of this program.
fn views<'a>(app: &'a App, store: &'a dyn Store, rooms: &'a RoomsSettings) -> RoomViews<'a> {
    RoomViews { store, rooms, cast: app.cast.personas.iter().collect() }
}

async fn list(app: &App, store: &dyn Store, as_json: bool) -> anyhow::Result<Outcome> {
    let settings = app.rooms();
    let views = views(app, store, &settings);
    let mut rooms = Vec::new();
    for entry in store.channels(None, None, LISTED).await? {
        let room = views.room(&entry.channel).await?;
        rooms.push((entry.channel, room));
    }
    if as_json {
        let shown: Vec<_> =
            rooms.iter().map(|(channel, room)| RoomJson { channel, room, decisions: None }).collect();
        print_json(&shown)?;
        return Ok(Outcome::Done);
    }
    let row = |(channel, room): &(ChannelKey, RoomView)| {
        let of = |kinds: &[MemberKind]| room.members.iter().filter(|m| kinds.contains(&m.kind)).count();
        let personas = room.members.iter().filter(|member| member.kind == MemberKind::Persona);
        let names: Vec<_> = personas.map(|member| member.id.as_str()).collect();
        vec![
            channel.to_string(),
            word(room.policy),
            of(&[MemberKind::Person, MemberKind::Bot]).to_string(),
            names.join(", "),
        ]
    };
    let rows: Vec<_> = rooms.iter().map(row).collect();
    writeln!(std::io::stdout(), "{}", table(&["channel", "policy", "people", "personas"], &rows).trim_end())?;
    Ok(Outcome::Done)
}

async fn explain(
    app: &App,
    store: &dyn Store,
    channel: &ChannelKey,
    as_json: bool,
) -> anyhow::Result<Outcome> {
    let settings = app.rooms();
    let views = views(app, store, &settings);
    let room = views.room(channel).await?;
    let labels = views.labels(&store.participants(channel).await?);
    let mut decisions = Vec::new();
    for message in store.history(channel, None, EXPLAINED).await? {
        let decision = views.decision(message.id).await?;
        decisions.push((labels.line(&message.author, &message.text), decision));
    }
    if as_json {
        let decisions = decisions.iter().map(|(said, decision)| decided(said, decision)).collect();
        print_json(&RoomJson { channel, room: &room, decisions: Some(decisions) })?;
        return Ok(Outcome::Done);
    }
    let mut out = std::io::stdout();
    for line in lines(&room, app.now()) {
        writeln!(out, "{line}")?;
    }
    for (said, decision) in &decisions {
        if !decision.rounds.is_empty() || !decision.tries.is_empty() {
            writeln!(out, "\n“{}”", one_line(said, 100))?;
            for line in why(decision, true) {
                writeln!(out, "  {line}")?;
            }
        }
    }
    Ok(Outcome::Done)
}

/// A room in lines: its members, who answers, its limits.
pub fn lines(room: &RoomView, now: Timestamp) -> Vec<String> {
    let rows: Vec<_> = room.members.iter().map(member_row).collect();
    let members = match rows.is_empty() {
        true => "nobody belongs to it yet".to_owned(),
        false => table(&["member", "kind", "came", "answers"], &rows).trim_end().to_owned(),
    };
    let mut lines: Vec<String> = members.lines().map(str::to_owned).collect();
    lines.push(String::new());
    lines.push(format!("policy: {}", word(room.policy)));
    lines.extend(room.problem.as_ref().map(|problem| format!("        {problem}")));
    let said = count(room.chain, "message", "messages");
    lines.push(format!("bound:  {}; {said} of personas and bots so far", room.bound.text));
    if let Some(until) = room.quiet_until.filter(|until| now < *until) {
        lines.push(format!("quiet:  {}", quiet_line(until.0 / 1_000_000, now)));
    }
    lines
}

/// A line that tells until when a room is quiet. `until` is in seconds.
pub fn quiet_line(until: i64, now: Timestamp) -> String {
    if until - now.0 / 1_000_000 > FAR {
        return "nobody answers until it is lifted".to_owned();
    }
    match jiff::Timestamp::from_second(until) {
        Ok(end) => {
            let end = end.to_zoned(jiff::tz::TimeZone::system());
            format!("nobody answers until {}", end.strftime("%Y-%m-%d %H:%M"))
        }
        Err(_) => "nobody answers until it is lifted".to_owned(),
    }
}

fn member_row(member: &MemberView) -> Vec<String> {
    let came = match member.via {
        Some(JoinReason::File) => "by its file",
        Some(JoinReason::Settings) => "by the settings",
        Some(JoinReason::Invited) => "invited",
        Some(JoinReason::Addressed) => "addressed",
        Some(JoinReason::Alone) => "the only persona",
        None => "",
    };
    let answers = member.policy.map(word).unwrap_or_default();
    vec![one_line(&member.name, 40), word(member.kind), came.to_owned(), answers]
}

/// The reasons why each persona answered or not, one per line, on request with the decisive numbers.
pub fn why(decision: &DecisionView, with_numbers: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for (round, RoundView { after, problem, verdicts }) in decision.rounds.iter().enumerate() {
        if round > 0 {
            lines.push(format!("asked again after message {}:", after.0));
        }
        lines.extend(problem.clone());
        for verdict in verdicts {
            let numbers = verdict.evidence.filter(|_| with_numbers).map(numbers).unwrap_or_default();
            lines.push(one_line(&verdict.text, 200) + &numbers);
        }
    }
    if !decision.rounds.is_empty() && decision.rounds.iter().all(|round| round.verdicts.is_empty()) {
        lines.push("no persona belongs to the channel; one that is invited or addressed comes".to_owned());
    }
    lines.extend(decision.stopped.iter().map(|why| format!("nobody more: {why}")));
    lines.extend(decision.tries.iter().map(|tries| one_line(tries, 400)));
    lines
}

fn numbers(evidence: Evidence) -> String {
    let Evidence { meant, speaks, rival, opens, silent_for } = evidence;
    let silent = silent_for.map(|messages| format!(", silent for {messages}")).unwrap_or_default();
    format!("  [meant {meant:.2}, speaks {speaks:.2}, rival {rival:.2}, opens {opens:.2}{silent}]")
}

/// A room in JSON: the server's view of it, and its channel.
#[derive(Serialize)]
struct RoomJson<'a> {
    channel: &'a ChannelKey,
    #[serde(flatten)]
    room: &'a RoomView,
    #[serde(skip_serializing_if = "Option::is_none")]
    decisions: Option<Vec<Value>>,
}

fn decided(said: &str, decision: &DecisionView) -> Value {
    json!({ "message": decision.message, "said": said, "why": why(decision, true) })
}
