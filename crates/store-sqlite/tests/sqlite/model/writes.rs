//! One random write of any role. Its numbers choose among names and ids, also deleted ones and ones that never existed.

use greenroom_core::{
    Author, ChannelKey, ContextBudget, ErrorCode, Kind, MemoryId, Message, MessageId, Outcome, PersonaName,
    Receipt, ReceiptItem, Relation, RelationKind, Scope, Section, Source, Tier, Timestamp, Trust, TurnId,
    Usage, UserRef, Viewer,
};
use greenroom_store::{
    DeliveryStep, Departure, Embedded, Erase, HistorySummary, ItemId, JoinReason, MembershipChange,
    MemoryEdit, NewKey, NewMemory, NewTurn, NewVector, Plan, Quotes, Role, Sources, Store, TurnCommit,
    TurnEnd, TurnState, VectorSpace,
};
use proptest::prelude::*;

use crate::given::NOW;

pub(super) const CHANNELS: [&str; 5] =
    ["api:one", "api:one:7", "discord:two", "discord:two:7", "terminal:default"];
pub(super) const PERSONAS: [&str; 3] = ["ada", "kit", "vesper"];
pub(super) const USERS: [&str; 3] = ["bo", "den", "two"];
const WORDS: [&str; 8] = ["petrel", "boat", "the code is", "4711", "harbour", "it sails at", "nine", "tea"];
const KINDS: [RelationKind; 4] =
    [RelationKind::Supersedes, RelationKind::Supersedes, RelationKind::Contradicts, RelationKind::RelatesTo];

/// The kind of write, and the numbers that choose its arguments.
#[derive(Debug, Clone)]
pub(super) struct Step {
    what: WriteKind,
    n: [usize; 8],
}

#[derive(Debug, Clone, Copy)]
enum WriteKind {
    Accept,
    AcceptPlanned,
    Plan,
    SetAside,
    CloseUnfinished,
    Begin,
    Commit,
    End,
    Coalesce,
    SideUsage,
    Delivered,
    Deliver,
    KeepCursor,
    Retract,
    SettleMarks,
    Dismiss,
    Reset,
    Summarise,
    Enter,
    Leave,
    Attend,
    Everywhere,
    PutRoom,
    NoteDecision,
    Postpone,
    Settle,
    Remember,
    Edit,
    Forget,
    Relate,
    Embed,
    PassOver,
    Sweep,
    Erase,
    Import,
    AddKey,
    RevokeKey,
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    use WriteKind::*;
    let what = prop_oneof![
        6 => Just(Accept), 12 => Just(AcceptPlanned), 4 => Just(Plan), 1 => Just(SetAside),
        1 => Just(CloseUnfinished), 4 => Just(Begin), 12 => Just(Commit), 5 => Just(End), 3 => Just(Coalesce), 1 => Just(SideUsage), 2 => Just(Delivered), 6 => Just(Deliver), 1 => Just(KeepCursor),
        1 => Just(Retract), 1 => Just(SettleMarks), 1 => Just(Dismiss), 1 => Just(Reset), 2 => Just(Summarise),
        2 => Just(Enter), 2 => Just(Leave), 2 => Just(Attend), 1 => Just(Everywhere), 1 => Just(PutRoom), 1 => Just(NoteDecision), 2 => Just(Postpone), 1 => Just(Settle),
        14 => Just(Remember), 4 => Just(Edit), 3 => Just(Forget), 5 => Just(Relate), 5 => Just(Embed),
        2 => Just(PassOver), 1 => Just(Sweep), 3 => Just(Erase), 2 => Just(Import), 1 => Just(AddKey), 1 => Just(RevokeKey),
    ];
    (what, proptest::array::uniform8(0..1_000usize)).prop_map(|(what, n)| Step { what, n })
}

fn pick<T: Copy>(of: &[T], n: usize) -> T {
    of[n % of.len()]
}

fn channel(n: usize) -> ChannelKey {
    pick(&CHANNELS, n).parse().unwrap()
}

fn persona(n: usize) -> PersonaName {
    pick(&PERSONAS, n).parse().unwrap()
}

fn message(n: usize) -> MessageId {
    MessageId(n as i64 % 70 + 1)
}

fn memory(n: usize) -> MemoryId {
    MemoryId(n as i64 % 20 + 1)
}

/// The id of the turn that step `n` plans for a persona.
pub(super) fn turn(n: usize, persona: usize) -> TurnId {
    format!("00000000-0000-7000-8000-{:012}", n * 10 + persona).parse().unwrap()
}

/// A turn that may exist at step `at`.
fn known_turn(at: usize, n: usize) -> TurnId {
    turn(at.saturating_sub(n % 24), n % 2)
}

/// The clock of a step: it advances, sometimes by more than the session gap, and sometimes goes back.
fn at(step: usize, n: usize) -> Timestamp {
    Timestamp(NOW.0 + (step * 60 + n % 7 * 500) as i64 * 1_000_000)
}

fn text(n: usize) -> String {
    [n, n / 8, n / 64, n / 3].map(|n| pick(&WORDS, n)).join(" ")
}

fn scope(n: usize) -> Scope {
    match n % 4 {
        0 => Scope::Global,
        1 => {
            let person =
                format!("{}:{}", pick(&["api", "discord"], n / 4), pick(&USERS, n / 8)).parse().unwrap();
            if n.is_multiple_of(5) { Scope::User(person) } else { Scope::Private(person) }
        }
        _ => Scope::Channel(channel(n / 4)),
    }
}

pub(super) fn space(n: usize) -> VectorSpace {
    VectorSpace { model: format!("m@{}", n % 2), dimension: 2 }
}

fn delivery_step(n: &[usize; 8]) -> DeliveryStep {
    match n[1] % 9 {
        0 => DeliveryStep::Dead(text(n[2])),
        1 => DeliveryStep::Resend,
        2 => DeliveryStep::Drop,
        3 => DeliveryStep::NotSent,
        4 | 5 => DeliveryStep::Begun,
        _ => DeliveryStep::Part {
            number: n[3] as u32 % 3,
            event_id: (!n[4].is_multiple_of(3)).then(|| format!("p{}", n[4] % 9)),
            uncertain: n[5].is_multiple_of(3).then(|| text(n[5])),
            last: n[6].is_multiple_of(2),
        },
    }
}

fn embedded(n: usize) -> Option<Embedded> {
    (!n.is_multiple_of(3)).then(|| Embedded { space: space(n / 3), vector: vec![1.0, (n % 5) as f32] })
}

fn item(n: usize) -> ItemId {
    if n.is_multiple_of(2) { ItemId::Message(message(n / 2)) } else { ItemId::Memory(memory(n / 2)) }
}

pub(super) fn viewer(n: usize) -> Viewer {
    let user = (!n.is_multiple_of(4)).then(|| pick(&USERS, n).parse().unwrap());
    let viewer = Viewer::new(persona(n), channel(n / 3), user);
    if n.is_multiple_of(5) { viewer } else { viewer.one_to_one() }
}

/// The items that an author read after one of the last steps, with the newest erasure at that time.
fn sources(ends: &[i64], n: usize, m: usize) -> Sources {
    if n.is_multiple_of(2) {
        return Sources::default();
    }
    let erased = ends.iter().rev().nth(n % 40).copied().unwrap_or(0);
    let items = (0..n % 3).map(|k| item(m + k)).collect();
    Sources { erased, items, summary_of: m.is_multiple_of(5).then(|| channel(m)) }
}

fn usage(n: usize) -> Usage {
    Usage {
        prompt_tokens: n as u64,
        completion_tokens: 3,
        estimated: n.is_multiple_of(2),
        cost_micros: n as u64 % 9,
    }
}

fn said(step: &Step, at_step: usize) -> Message {
    let n = step.n;
    let author = match n[2] % 6 {
        0 => Author::Persona { name: persona(n[3]) },
        1 => Author::User { id: pick(&USERS, n[3]).parse().unwrap(), name: "the same name".into() },
        _ => Author::User { id: pick(&USERS, n[3]).parse().unwrap(), name: pick(&USERS, n[3]).into() },
    };
    let reply_to = n[4].is_multiple_of(3).then(|| format!("e{}", n[4] % 12));
    let event = format!("e{}", n[1] % 12 + at_step / 30 * 12);
    Message { at: at(at_step, n[4]), reply_to, ..Message::new(channel(n[0]), event, author, text(n[5])) }
}

fn via(n: usize) -> JoinReason {
    use JoinReason::{Addressed, Alone, File, Invited, Settings};
    pick(&[File, Settings, Invited, Addressed, Alone], n)
}

fn departure(n: usize) -> Departure {
    pick(&[Departure::Left, Departure::Stopped, Departure::Removed], n)
}

fn plan(step: &Step, at_step: usize) -> Plan {
    let n = step.n;
    let new = |k| NewTurn {
        id: turn(at_step, k),
        persona: persona(n[6] + k),
        at: at(at_step, 0),
        begins: n[7].is_multiple_of(3),
    };
    Plan {
        turns: (0..n[6] % 3).map(new).collect(),
        vector: embedded(n[7]),
        joins: n[7].is_multiple_of(5).then(|| (persona(n[5]), via(n[4]))).into_iter().collect(),
        leaves: n[7].is_multiple_of(7).then(|| (persona(n[5] + 1), departure(n[4]))).into_iter().collect(),
        without_memory: n[7].is_multiple_of(11),
        room: n[5].is_multiple_of(3).then(|| format!("room {}", n[6])),
        decision: n[5].is_multiple_of(2).then(|| format!("decided {}", n[6])),
        group: n[7].is_multiple_of(13),
        undecided: n[4].is_multiple_of(3),
    }
}

fn receipt(n: usize, m: usize) -> Option<Receipt> {
    let line = |section, id: String, preview: String| ReceiptItem {
        section,
        id,
        preview,
        tokens: 0,
        score: (section == Section::Memories).then_some(0.5),
        outcome: Outcome::Kept,
        reason: "recalled".into(),
    };
    let items = vec![
        line(Section::Memories, item(n).to_string(), "a preview".into()),
        line(Section::Memories, item(m).to_string(), "another preview".into()),
        line(Section::History, message(m).to_string(), "what was said".into()),
    ];
    (!n.is_multiple_of(3)).then(|| Receipt {
        model: "scripted".into(),
        window: 1_000,
        reserve: 100,
        counter: "len/4".into(),
        exact: false,
        budget: ContextBudget::default(),
        items,
        notes: Vec::new(),
        reusable_prefix: None,
    })
}

pub(super) fn erasure(n: usize, m: usize) -> Erase {
    let person = |provider: &str| format!("{provider}:{}", pick(&USERS, m)).parse::<UserRef>().unwrap();
    match n % 6 {
        0 => Erase::Person(person(pick(&["api", "discord"], m / 3))),
        1 => Erase::Own { person: person("api"), chat: channel(m / 3 % 2) },
        2 => Erase::Own { person: person("discord"), chat: channel(2 + m / 3 % 2) },
        3 => Erase::Channel(channel(m)),
        4 => Erase::Message(message(m)),
        _ => Erase::Older { persona: persona(m), channel: channel(m / 3), before: at(m % 150, 0) },
    }
}

/// Runs step `k`; returns its answer, the end of the journal and the new erasures. Appends their end to `ends`.
pub(super) async fn take(store: &dyn Store, step: &Step, k: usize, ends: &mut Vec<i64>) -> String {
    let before = ends.last().copied().unwrap_or(0);
    let sources = sources(ends, step.n[7], step.n[5]);
    let answer = take_step(store, step, k, sources).await;
    let mut erased = store.erased_since(before).await.unwrap();
    erased.channels.sort();
    ends.push(erased.end);
    format!("{answer} {:?} {erased:?}", store.journal_end().await)
}

async fn take_step(store: &dyn Store, step: &Step, k: usize, sources: Sources) -> String {
    let n = step.n;
    match step.what {
        WriteKind::Accept => shown(store.accept(said(step, k)).await),
        WriteKind::AcceptPlanned => shown(store.accept_planned(said(step, k), plan(step, k)).await),
        WriteKind::Plan => shown(store.plan_turns(message(n[0]), plan(step, k)).await),
        WriteKind::SetAside => shown(store.set_aside(message(n[0])).await),
        WriteKind::CloseUnfinished => shown(store.close_unfinished(&channel(n[0]), at(k, 0)).await),
        WriteKind::Begin => shown(store.begin_turn(known_turn(k, n[0]), at(k, 0)).await),
        WriteKind::Commit => {
            let commit = TurnCommit {
                text: text(n[1]),
                at: at(k, n[2]),
                usage: usage(n[3]),
                receipt: receipt(n[4], n[5]).map(Into::into),
                vector: embedded(n[6]),
                sources,
                unhandled: n[3].is_multiple_of(4),
            };
            shown(store.commit_turn(known_turn(k, n[0]), commit).await)
        }
        WriteKind::End => {
            let states = [TurnState::Failed, TurnState::Failed, TurnState::Cancelled, TurnState::Done];
            let code = pick(&[Some(ErrorCode::Internal), Some(ErrorCode::Internal), None], n[2]);
            let (at, usage) = (at(k, n[3]), usage(n[4]));
            let end = TurnEnd { state: pick(&states, n[1]), code, message: text(n[5]), at, usage };
            shown(store.end_turn(known_turn(k, n[0]), end).await)
        }
        WriteKind::Coalesce => shown(store.coalesce_turn(known_turn(k, n[0]), message(n[1]), at(k, 0)).await),
        WriteKind::SideUsage => {
            shown(store.record_side_usage(&persona(n[0]), at(k, n[1]), usage(n[2])).await)
        }
        WriteKind::Deliver => {
            shown(store.step_delivery(n[0] as i64 % 20 + 1, delivery_step(&n), at(k, 0)).await)
        }
        WriteKind::KeepCursor => {
            let (account, name) = (pick(&["one", "two"], n[0]), pick(&["offset", "seq"], n[1]));
            shown(store.keep_cursor(account, name, &text(n[2])).await)
        }
        WriteKind::Retract if n[3].is_multiple_of(2) => shown(store.retracted(n[0] as i64 % 9 + 1).await),
        WriteKind::Retract => shown(store.retract(&channel(n[0]), &persona(n[1]), "p2").await),
        WriteKind::SettleMarks => {
            let mark = pick(&["a", "b", "c"], n[0]).to_owned();
            shown(store.settle(vec![mark], at(k, n[1]), at(k.saturating_sub(20), 0)).await)
        }
        WriteKind::Delivered => shown(store.delivered(n[0] as i64 % 20 + 1, at(k, 0)).await),
        WriteKind::Dismiss => shown(store.dismiss(message(n[0]), &persona(n[1]), at(k, 0)).await),
        WriteKind::Postpone => shown(store.postpone_capture(known_turn(k, n[0])).await),
        WriteKind::Settle => shown(store.capture_settled(known_turn(k, n[0])).await),
        WriteKind::AddKey => {
            let (label, hash) = (text(n[0]), [n[1] as u8 % 4; 32]);
            let user = pick(&USERS, n[2]).parse().unwrap();
            shown(store.add_key(NewKey { label, role: Role::User, user, hash, at: at(k, 0) }).await)
        }
        WriteKind::RevokeKey => shown(store.revoke_key(n[0] as i64 % 4 + 1, at(k, 0)).await),
        _ => take_of_channels(store, step, k, sources).await,
    }
}

async fn take_of_channels(store: &dyn Store, step: &Step, k: usize, sources: Sources) -> String {
    let n = step.n;
    match step.what {
        WriteKind::Reset => shown(store.reset_context(&persona(n[0]), &channel(n[1]), message(n[2])).await),
        WriteKind::Summarise => {
            let summary = HistorySummary { until: message(n[2]), text: text(n[3]), at: at(k, 0) };
            shown(store.put_summary(&persona(n[0]), &channel(n[1]), summary, sources).await)
        }
        WriteKind::Enter => shown(store.enter(&persona(n[0]), &channel(n[1]), message(n[2])).await),
        WriteKind::Leave => shown(store.leave(&persona(n[0]), &channel(n[1]), message(n[2])).await),
        WriteKind::Attend => {
            let leaves = (persona(n[0] + 1), departure(n[3]));
            let leaves = if n[2].is_multiple_of(2) { vec![leaves] } else { Vec::new() };
            let attendance = MembershipChange { joins: vec![(persona(n[0]), via(n[4]))], leaves };
            shown(store.attend(&channel(n[1]), &attendance).await)
        }
        WriteKind::Everywhere if n[1].is_multiple_of(2) => {
            shown(store.return_everywhere(&persona(n[0])).await)
        }
        WriteKind::Everywhere => shown(store.leave_everywhere(&persona(n[0]), departure(n[2])).await),
        WriteKind::PutRoom => shown(store.put_room(&channel(n[0]), &format!("room {}", n[1])).await),
        WriteKind::NoteDecision => {
            shown(store.note_decision(message(n[0]), message(n[1]), &format!("decided {}", n[2])).await)
        }
        WriteKind::Embed => {
            let vector = |n: usize| match n % 12 {
                0 => vec![0.0, 0.0],
                1 => vec![1.0],
                n => vec![n as f32, 3.0],
            };
            let new =
                |n: usize| NewVector { item: item(n), version: n as u32 / 7 % 2 + 1, vector: vector(n) };
            shown(store.put_vectors(&space(n[0]), [n[1], n[2], n[3]].map(new).to_vec()).await)
        }
        WriteKind::PassOver => {
            let items = [n[1], n[2]].map(|n| (item(n), n as u32 / 7 % 2 + 1));
            shown(store.pass_over(&space(n[0]), items.to_vec()).await)
        }
        _ => take_of_memories(store, step, k, sources).await,
    }
}

async fn take_of_memories(store: &dyn Store, step: &Step, k: usize, sources: Sources) -> String {
    let n = step.n;
    match step.what {
        WriteKind::Remember => {
            let key = match n[2] % 6 {
                0 | 1 => Some(format!("key_{}", n[2] / 6 % 3)),
                2 => Some(format!("session_{}_summary", n[2] / 6 % 6 + 1)),
                _ => None,
            };
            let user = n[3].is_multiple_of(2).then(|| pick(&USERS, n[3] / 2).parse().unwrap());
            let message = n[3].is_multiple_of(3).then(|| message(n[3]));
            let source = Source { via: "tool".into(), message, user };
            let new = NewMemory {
                persona: persona(n[0]),
                scope: scope(n[1]),
                text: text(n[5]),
                kind: Kind::new(pick(&["fact", "preference"], n[4])),
                tier: pick(&[Tier::Semantic, Tier::Episodic, Tier::Conversation], n[4]),
                source,
                trust: pick(&[Trust::Stranger, Trust::Persona, Trust::Operator], n[4] / 3),
                key,
                expires_at: n[6].is_multiple_of(4).then(|| at(k + n[6] % 40, 0)),
                at: at(k, n[6]),
                sources,
            };
            shown(store.remember(new).await)
        }
        WriteKind::Edit => {
            let edit = MemoryEdit {
                text: (!n[2].is_multiple_of(3)).then(|| text(n[2])),
                kind: n[3].is_multiple_of(2).then(|| Kind::new("habit")),
                expires_at: n[4].is_multiple_of(3).then(|| n[4].is_multiple_of(2).then(|| at(k + 20, 0))),
                private: n[5].is_multiple_of(2).then(|| n[4].is_multiple_of(3)),
                trust: Trust::Operator,
                at: at(k, n[5]),
            };
            shown(store.edit(&viewer(n[0]), memory(n[1]), edit).await)
        }
        WriteKind::Forget => shown(store.forget(&viewer(n[0]), memory(n[1])).await),
        WriteKind::Relate => {
            let relation = Relation { from: memory(n[1]), to: memory(n[2]), kind: pick(&KINDS, n[3]) };
            shown(store.relate(&viewer(n[0]), relation).await)
        }
        WriteKind::Sweep => shown(store.sweep(at(k, 0)).await),
        WriteKind::Erase => {
            shown(store.erase(&erasure(n[0], n[1]), Quotes::go_if(n[2].is_multiple_of(2))).await)
        }
        WriteKind::Import => {
            let mut lines = store.export(None, Some(memory(n[0])), 4).await.unwrap();
            for (m, line) in lines.iter_mut().enumerate() {
                match (n[1] + m) % 5 {
                    0 => line.memory.id = MemoryId(line.memory.id.0 + n[2] as i64 % 5),
                    1 => line.memory.text += ", of another store",
                    2 => line.memory.key = Some(format!("session_{}_summary", n[3] % 9)),
                    3 => line.memory.source.message = Some(message(n[3])),
                    _ => {}
                }
            }
            shown(store.import(lines).await)
        }
        _ => String::new(),
    }
}

fn shown(answer: impl std::fmt::Debug) -> String {
    format!("{answer:?}")
}
