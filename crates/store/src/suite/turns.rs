//! A turn ends once, and everything that a crash leaves unfinished is found.

use greenroom_core::{
    Author, ContextBudget, ErrorCode, MessageId, Outcome, Receipt, ReceiptItem, Section, Usage,
};

use super::given::*;
use crate::{
    Departure, ENDED_BEFORE_TURN, ENDED_DURING_TURN, Embedded, Erase, JoinReason, NewTurn, Plan, Presence,
    Quotes, RECEIPTS_KEPT, Store, StoreError, TRIES, TurnCommit, TurnEnd, TurnState,
};

/// The end of a failed turn.
pub(super) fn failed(tokens: u64) -> TurnEnd {
    TurnEnd {
        state: TurnState::Failed,
        code: Some(ErrorCode::ModelTimeout),
        message: "the model did not answer".into(),
        at: later(2),
        usage: Usage { prompt_tokens: tokens, completion_tokens: 0, estimated: false, cost_micros: 0 },
    }
}

/// A receipt that mentions one item.
pub(super) fn receipt(id: &str, preview: &str) -> Receipt {
    let item = ReceiptItem {
        section: Section::Memories,
        id: id.into(),
        preview: preview.into(),
        tokens: 7,
        score: Some(0.5),
        outcome: Outcome::Kept,
        reason: "recalled".into(),
    };
    Receipt {
        model: "scripted".into(),
        window: 1000,
        reserve: 100,
        counter: "len/4".into(),
        exact: false,
        budget: ContextBudget::default(),
        items: vec![item],
        notes: Vec::new(),
        reusable_prefix: None,
    }
}

/// Accepting and planning in one call.
pub async fn gr6_a_message_is_accepted_with_its_turns(store: &dyn Store) {
    let (ada, kit) = (NewTurn { begins: true, ..planned("ada") }, planned("kit"));
    let ids = [ada.id, kit.id];
    let new = said("discord:42", "e1", "hello", NOW);
    let joins = vec![(persona("vesper"), JoinReason::File), (persona("wick"), JoinReason::Invited)];
    let vector = Embedded { space: space("m@1", 4), vector: vec![1.0, 0.0, 0.0, 0.0] };
    let (turns, vector) = (vec![ada, kit], Some(vector));
    let plan = Plan { turns, vector, joins, without_memory: true, ..Plan::default() };
    let accepted = store.accept_planned(new, plan).await.unwrap();
    let message = &accepted.message;
    assert!(!accepted.duplicate);
    assert_eq!(store.history(&message.channel, None, 10).await.unwrap(), std::slice::from_ref(message));
    assert_eq!(store.sessions(&message.channel).await.unwrap().len(), 1, "the sitting has begun");

    let turns = store.answers(message.id).await.unwrap();
    assert_eq!(turns.iter().map(|turn| turn.id).collect::<Vec<_>>(), ids);
    assert_eq!([turns[0].state, turns[1].state], [TurnState::Running, TurnState::Waiting]);
    assert!(turns.iter().all(|turn| turn.channel == message.channel && turn.trigger == message.id));
    let present = store.present(&message.channel).await.unwrap();
    assert_eq!(present, ["ada", "kit", "vesper", "wick"].map(persona));
    let since = |from, until| [Presence { from, until }];
    for who in present {
        assert_eq!(store.presence(&who, &message.channel).await.unwrap(), since(message.id, None));
    }
    assert_eq!(store.unembedded(&space("m@1", 4), None, 10).await.unwrap(), [], "it has its vector");

    store.leave(&persona("wick"), &message.channel, MessageId(message.id.0 + 1)).await.unwrap();
    let joins = ["vesper", "wick", "marlow"].map(|who| (persona(who), JoinReason::File)).to_vec();
    let nobody = Plan {
        joins,
        leaves: ["ada", "nobody"].map(|who| (persona(who), Departure::Removed)).to_vec(),
        ..Plan::default()
    };
    let nobody = store.accept_planned(said("discord:42", "e2", "well", NOW), nobody).await.unwrap();
    let mut presence = Vec::new();
    for who in ["vesper", "wick", "marlow"] {
        presence.push(store.presence(&persona(who), &message.channel).await.unwrap());
    }
    assert_eq!(presence[0], since(message.id, None), "was there already");
    assert_eq!(presence[1].len(), 2, "has come back");
    assert_eq!(presence[2], since(nobody.message.id, None));
    let ada = store.presence(&persona("ada"), &message.channel).await.unwrap();
    assert_eq!(ada, since(message.id, Some(nobody.message.id)), "has gone");
    assert_eq!(store.unfinished(None).await.unwrap().len(), 2, "two turns, and no message");
    let stopped = Plan { leaves: vec![(persona("kit"), Departure::Stopped)], ..vec![planned("kit")].into() };
    let stopped = store.accept_planned(said("discord:42", "e3", "kit?", NOW), stopped).await.unwrap().message;
    let kit = store.presence(&persona("kit"), &message.channel).await.unwrap();
    let told = greenroom_core::MessageId(stopped.id.0 + 1);
    assert_eq!(kit, since(message.id, Some(told)), "is meant and hears it, and nothing after it");
    assert!(nobody.message.id > message.id);
    assert!(store.answers(nobody.message.id).await.unwrap().is_empty());
}

/// A repeat adds no turn, no session and no vector.
pub async fn gr6_a_message_that_is_known_is_planned_no_second_time(store: &dyn Store) {
    let plan = || Plan {
        turns: vec![planned("ada"), planned("kit")],
        vector: Some(Embedded { space: space("m@1", 4), vector: vec![1.0, 0.0, 0.0, 0.0] }),
        joins: vec![(persona("vesper"), JoinReason::File)],
        without_memory: true,
        ..Plan::default()
    };
    let first = store.accept(said("discord:42", "e1", "hello", NOW)).await.unwrap().message;
    let last = store.accept(said("discord:42", "e2", "and more", NOW)).await.unwrap().message;
    let sessions = store.sessions(&first.channel).await.unwrap();
    let told = || async {
        store.unembedded_since(&space("m@1", 4), None, 0, None, 10).await.unwrap().map(|news| news.end)
    };
    let before = told().await;
    for known in [first, last] {
        let again = said("discord:42", &known.event_id, "another text", later(9));
        let again = store.accept_planned(again, plan()).await.unwrap();
        assert!(again.duplicate);
        assert_eq!(again.message, known);
        assert!(store.answers(known.id).await.unwrap().is_empty());
    }
    assert_eq!(told().await, before, "the journal tells of nothing");
    assert_eq!(store.sessions(&channel("discord:42")).await.unwrap(), sessions);
    assert_eq!(store.present(&channel("discord:42")).await.unwrap(), []);
    assert_eq!(store.unembedded(&space("m@1", 4), None, 10).await.unwrap().len(), 2);
    assert_eq!(store.unfinished(None).await.unwrap().len(), 2, "it is still to be settled who answers");
}

/// The reply, its outbox row and the end of its turn are one transaction; a second end of any kind is refused.
pub async fn gr6_a_reply_is_committed_once(store: &dyn Store) {
    let message = say(store, "hello").await;
    let turn = running(store, &message).await;
    let id = store.commit_turn(turn, reply("hello Bo")).await.unwrap();

    let again = store.commit_turn(turn, reply("hello again")).await;
    assert!(matches!(again, Err(StoreError::TurnMoved { .. })), "{again:?}");
    assert!(matches!(store.end_turn(turn, failed(1)).await, Err(StoreError::TurnMoved { .. })));
    assert!(matches!(store.begin_turn(turn, NOW).await, Err(StoreError::TurnMoved { .. })));
    // a turn is deleted only with the message it answers
    assert!(matches!(store.commit_turn(turn_id(), reply("?")).await, Err(StoreError::Erased(_))));

    let history = store.history(&message.channel, None, 10).await.unwrap();
    assert_eq!(history.iter().map(|m| m.text.as_str()).collect::<Vec<_>>(), ["hello", "hello Bo"]);
    assert_eq!((history[1].id, history[1].turn_id), (id, Some(turn)));
    assert_eq!(history[1].author, Author::Persona { name: persona("ada") });
    assert_eq!(store.outbox(&message.channel).await.unwrap().len(), 1);
    assert_eq!(store.unfinished(None).await.unwrap(), []);
}

/// Another turn is allowed only after one that failed or was cancelled.
pub async fn gr6_a_persona_answers_a_message_once(store: &dyn Store) {
    let message = say(store, "hello").await;
    let (ada, kit) = (planned("ada"), planned("kit"));
    let first = ada.id;
    store.plan_turns(message.id, vec![ada, kit].into()).await.unwrap();
    let twice = store.plan_turns(message.id, vec![planned("ada")].into()).await;
    assert!(matches!(twice, Err(StoreError::AlreadyAnswered { .. })), "{twice:?}");

    store.end_turn(first, failed(1)).await.unwrap();
    let retry = planned("ada");
    let second = retry.id;
    store.plan_turns(message.id, vec![retry].into()).await.unwrap();
    store.begin_turn(second, NOW).await.unwrap();
    let replied = store.commit_turn(second, reply("hello Bo")).await.unwrap();
    assert!(store.plan_turns(message.id, vec![planned("ada")].into()).await.is_err());
    let triggers = store.triggers(&[replied, message.id, replied]).await.unwrap();
    assert_eq!(triggers, [(replied, message.id)], "the message of a person answers nothing");

    let other = say(store, "and?").await;
    let cancelled = running(store, &other).await;
    let end = TurnEnd { state: TurnState::Cancelled, code: None, ..failed(0) };
    store.end_turn(cancelled, end).await.unwrap();
    let without = store.without_reply(&[other.id, message.id]).await.unwrap();
    let seen: Vec<_> =
        without.iter().map(|turn| (turn.id, turn.trigger, turn.state, turn.ended_at)).collect();
    let expected = [
        (first, message.id, TurnState::Failed, Some(failed(1).at)),
        (cancelled, other.id, TurnState::Cancelled, Some(failed(0).at)),
    ];
    assert_eq!(seen, expected, "neither kit's, which waits, nor the one that replied");
    assert!(store.without_reply(&[]).await.unwrap().is_empty());

    let unknown = greenroom_core::MessageId(message.id.0 + 1000);
    assert!(matches!(store.plan_turns(unknown, Plan::default()).await, Err(StoreError::Invalid(_))));
}

/// All data of a turn can be read again.
pub async fn as4_a_turn_is_stored_with_its_receipt(store: &dyn Store) {
    let message = say(store, "hello").await;
    let turn = running(store, &message).await;
    assert_eq!(store.turn(turn).await.unwrap().unwrap().state, TurnState::Running);
    let commit = TurnCommit { receipt: Some(receipt("m1", "Bo likes tea").into()), ..reply("hello Bo") };
    let id = store.commit_turn(turn, commit.clone()).await.unwrap();

    let stored = store.turn(turn).await.unwrap().unwrap();
    assert_eq!((stored.state, stored.reply, stored.trigger), (TurnState::Done, Some(id), message.id));
    assert_eq!((stored.persona, stored.channel), (persona("ada"), message.channel));
    assert_eq!((stored.usage, stored.receipt), (commit.usage, commit.receipt));
    assert!(store.turn(turn_id()).await.unwrap().is_none());

    let begun = NewTurn { begins: true, ..planned("kit") };
    let turn = begun.id;
    store.plan_turns(message.id, vec![begun].into()).await.unwrap();
    assert_eq!(store.turn(turn).await.unwrap().unwrap().state, TurnState::Running);
    assert!(
        matches!(store.begin_turn(turn, NOW).await, Err(StoreError::TurnMoved { .. })),
        "it has begun already"
    );
    store.commit_turn(turn, reply("hello Bo")).await.unwrap();
}

/// The texts of history items are already in the messages, and only the newest receipts are stored.
pub async fn s9_receipts_do_not_grow_without_bound(store: &dyn Store) {
    let mut account = receipt("m1", "Bo likes tea");
    account.items.push(ReceiptItem {
        section: Section::History,
        id: "msg:1".into(),
        ..account.items[0].clone()
    });
    let mut turns = Vec::new();
    for n in 0..RECEIPTS_KEPT + 2 {
        let turn = running(store, &say(store, &n.to_string()).await).await;
        let commit = TurnCommit { receipt: Some(account.clone().into()), ..reply("yes") };
        store.commit_turn(turn, commit).await.unwrap();
        turns.push(turn);
    }
    let elsewhere = store.accept(said("terminal:other", "e", "hello", NOW)).await.unwrap().message;
    let turn = running(store, &elsewhere).await;
    store
        .commit_turn(turn, TurnCommit { receipt: Some(account.clone().into()), ..reply("yes") })
        .await
        .unwrap();
    turns.push(turn);

    account.items[1].preview.clear();
    for (n, turn) in turns.into_iter().enumerate() {
        let stored = store.turn(turn).await.unwrap().unwrap();
        assert_eq!(stored.state, TurnState::Done);
        assert_eq!(stored.receipt, (n > 1).then(|| account.clone().into()), "turn {n}");
    }
}

/// Unhandled messages, waiting turns and running turns, of one chat or of all; closed one channel at a time.
pub async fn s1_what_a_crash_left_is_found_and_closed(store: &dyn Store) {
    let unsettled = say(store, "nobody looked").await;
    let settled = say(store, "nobody is meant").await;
    store.plan_turns(settled.id, Plan::default()).await.unwrap();
    let begun = say(store, "hello").await;
    let turn = running(store, &begun).await;
    let waiting = planned("kit");
    let (waiting_id, answered) = (waiting.id, say(store, "and you").await);
    store.plan_turns(answered.id, vec![waiting].into()).await.unwrap();
    let elsewhere = store.accept(said("terminal:other", "e", "hello", NOW)).await.unwrap().message;
    let here = unsettled.channel.clone();
    let thread = store.accept(said(&format!("{here}:7"), "t", "in a thread", NOW)).await.unwrap().message;

    let found = store.unfinished(Some(&here)).await.unwrap();
    let seen: Vec<_> = found.iter().map(|u| (u.message.id, u.turn.clone())).collect();
    let expected = [
        (unsettled.id, None),
        (begun.id, Some((turn, persona("ada")))),
        (answered.id, Some((waiting_id, persona("kit")))),
        (thread.id, None),
    ];
    assert_eq!(seen, expected);
    assert_eq!(store.unfinished(Some(&thread.channel)).await.unwrap(), found);
    assert_eq!(store.unfinished(None).await.unwrap().len(), 5);

    assert_eq!(store.close_unfinished(&here, later(60)).await.unwrap(), found[..3]);
    assert_eq!(store.close_unfinished(&here, later(60)).await.unwrap(), []);
    let rest = store.unfinished(None).await.unwrap();
    assert_eq!(rest.iter().map(|u| u.message.id).collect::<Vec<_>>(), [elsewhere.id, thread.id]);
    let closed = store.turn(turn).await.unwrap().unwrap();
    assert_eq!((closed.state, closed.code), (TurnState::Failed, Some(ErrorCode::Interrupted)));
    assert_eq!(closed.message.as_deref(), Some(ENDED_DURING_TURN));
    let never_begun = store.turn(waiting_id).await.unwrap().unwrap();
    assert_eq!(never_begun.message.as_deref(), Some(ENDED_BEFORE_TURN));
}

/// This also holds after a second crash, because stored rows are read. On other channels people ask again themselves.
pub async fn ad1_what_a_crash_left_unanswered_is_owed_until_an_answer_begins(store: &dyn Store) {
    let there =
        async |event: &str| store.accept(said("irc:net/tea", event, "hello", NOW)).await.unwrap().message;
    let (asked, undecided, here) = (there("1").await, there("2").await, say(store, "hello").await);
    let turn = running(store, &asked).await;
    running(store, &here).await;
    let owed = async |since| {
        let owed = store.unanswered_since(since).await.unwrap();
        owed.into_iter().map(|left| (left.message.id, left.turn.map(|(turn, _)| turn))).collect::<Vec<_>>()
    };
    assert_eq!(owed(NOW).await, [(undecided.id, None)], "a turn that runs is owed by nobody else");
    for _ in 0..2 {
        store.close_unfinished(&asked.channel, later(60)).await.unwrap();
        store.close_unfinished(&here.channel, later(60)).await.unwrap();
        assert_eq!(owed(NOW).await, [(asked.id, Some(turn)), (undecided.id, None)]);
    }
    assert_eq!(owed(later(1)).await, [], "too old meanwhile");
    let again = running(store, &asked).await;
    store.plan_turns(undecided.id, Plan::default()).await.unwrap();
    assert_eq!(owed(NOW).await, []);
    store.end_turn(again, failed(1)).await.unwrap();
    assert_eq!(owed(NOW).await, [], "a failure was told");
}

/// A reply that comes after its turn was given up is refused; a retry is a new turn.
pub async fn s1_an_interrupted_turn_cannot_be_committed(store: &dyn Store) {
    let message = say(store, "hello").await;
    let turn = running(store, &message).await;
    store.close_unfinished(&message.channel, later(60)).await.unwrap();
    assert!(matches!(store.commit_turn(turn, reply("too late")).await, Err(StoreError::TurnMoved { .. })));
    assert_eq!(store.history(&message.channel, None, 10).await.unwrap().len(), 1);
    assert_eq!(store.outbox(&message.channel).await.unwrap(), []);
    let again = running(store, &message).await;
    store.commit_turn(again, reply("here I am")).await.unwrap();
}

/// The usage of small models and of turns without a channel counts beside stored turns, and has a price.
pub async fn wb12_what_was_used_aside_counts(store: &dyn Store) {
    let (ada, message) = (persona("ada"), say(store, "one").await);
    let turn = running(store, &message).await;
    let priced = Usage { cost_micros: 7, ..reply("1").usage };
    store.commit_turn(turn, TurnCommit { usage: priced, ..reply("1") }).await.unwrap();
    let aside = Usage { prompt_tokens: 5, completion_tokens: 2, estimated: false, cost_micros: 30 };
    store.record_side_usage(&ada, later(3), aside).await.unwrap();
    let used = store.used(&ada, NOW, later(9)).await.unwrap();
    assert_eq!((used.total(), used.cost_micros), (priced.total() + 7, 37));
    assert_eq!(store.turn(turn).await.unwrap().unwrap().usage, priced);
    assert_eq!(store.used(&ada, later(4), later(9)).await.unwrap(), Usage::default());
    assert_eq!(store.used(&persona("kit"), NOW, later(9)).await.unwrap(), Usage::default());
}

/// The hourly budget counts every turn that ended in that time, however it ended.
pub async fn wb12_tokens_of_failed_turns_count(store: &dyn Store) {
    let (one, two) = (say(store, "one").await, say(store, "two").await);
    let turn = running(store, &one).await;
    store.commit_turn(turn, reply("1")).await.unwrap(); // ends 1 s later with 120 tokens
    let turn = running(store, &two).await;
    store.end_turn(turn, failed(30)).await.unwrap(); // ends 2 s later
    let ada = persona("ada");
    for (since, now, used) in [(0, 2, 150), (2, 2, 30), (3, 9, 0), (0, 1, 120), (0, 0, 0)] {
        let counted = store.used(&ada, later(since), later(now)).await.unwrap();
        assert_eq!(counted.total(), used, "what ends after now was written by a clock that ran ahead (S5)");
    }
    assert_eq!(store.used(&persona("kit"), NOW, later(9)).await.unwrap(), Usage::default());
    let undone = TurnEnd { state: TurnState::Running, ..failed(1) };
    assert!(matches!(store.end_turn(turn, undone).await, Err(StoreError::Invalid(_))));
}

/// Each reply is in the outbox with its message, in order, until it is delivered.
pub async fn gr6_a_reply_waits_in_the_outbox_until_it_is_delivered(store: &dyn Store) {
    let (one, two) = (say(store, "one").await, say(store, "two").await);
    for (message, text) in [(&one, "1"), (&two, "2")] {
        let turn = running(store, message).await;
        store.commit_turn(turn, reply(text)).await.unwrap();
    }
    let waiting = store.outbox(&one.channel).await.unwrap();
    assert_eq!(
        waiting.iter().map(|e| (e.trigger, e.reply.text.as_str())).collect::<Vec<_>>(),
        [(one.id, "1"), (two.id, "2")]
    );
    store.delivered(waiting[0].id, later(3)).await.unwrap();
    store.delivered(waiting[0].id, later(4)).await.unwrap();
    assert_eq!(store.outbox(&one.channel).await.unwrap(), waiting[1..]);
    assert_eq!(store.outbox(&channel("terminal:other")).await.unwrap(), []);
}

/// A channel of the API is only read: the person gets the reply there, and the history stores it.
pub async fn gr6_nothing_is_owed_to_a_channel_that_is_read(store: &dyn Store) {
    let message = store.accept(said("api:bo", "e1", "hello", NOW)).await.unwrap().message;
    let turn = running(store, &message).await;
    let id = store.commit_turn(turn, reply("hello Bo")).await.unwrap();
    assert_eq!(store.outbox(&message.channel).await.unwrap(), []);
    assert_eq!(store.message(id).await.unwrap().unwrap().text, "hello Bo");
}

/// A message whose turns break is given up after a few; others are not. An operator can dismiss it (S8).
pub async fn s8_a_message_that_breaks_every_turn_is_a_dead_letter(store: &dyn Store) {
    let (bad, good) = (say(store, "bad").await, say(store, "good").await);
    let ada = persona("ada");
    for n in 0..TRIES {
        assert_eq!(store.dead_letters(9).await.unwrap(), [], "after {n} tries");
        for message in [&bad, &good] {
            let turn = running(store, message).await;
            match (message.id == bad.id, n % 2) {
                (true, 0) => {
                    let end =
                        TurnEnd { code: Some(ErrorCode::Internal), message: "it broke".into(), ..failed(1) };
                    store.end_turn(turn, end).await.unwrap();
                }
                (true, _) => drop(store.close_unfinished(&bad.channel, later(9)).await.unwrap()),
                (false, _) => store.end_turn(turn, failed(1)).await.unwrap(),
            }
        }
    }
    let letters = store.dead_letters(9).await.unwrap();
    assert_eq!(letters.len(), 1, "a model that failed is no defect: {letters:?}");
    let letter = &letters[0];
    assert_eq!((&letter.message, &letter.persona, letter.tries), (&bad, &ada, TRIES));
    assert_eq!((letter.why.as_str(), letter.at), ("it broke", later(2)));
    assert_eq!(store.dead_letter(bad.id, &ada).await.unwrap().as_ref(), Some(letter));
    assert_eq!(store.dead_letter(bad.id, &persona("kit")).await.unwrap(), None);
    assert_eq!(store.dead_letter(good.id, &ada).await.unwrap(), None);

    assert!(!store.dismiss(good.id, &ada, later(9)).await.unwrap());
    for _ in 0..2 {
        assert!(store.dismiss(bad.id, &ada, later(9)).await.unwrap());
    }
    assert_eq!(store.dead_letters(9).await.unwrap(), []);
    assert!(store.dead_letter(bad.id, &ada).await.unwrap().is_some(), "it is not answered by itself");
    let again = running(store, &bad).await;
    assert_eq!(store.dead_letter(bad.id, &ada).await.unwrap(), None, "it is under way");
    store.commit_turn(again, reply("after all")).await.unwrap();
    assert_eq!(store.dead_letter(bad.id, &ada).await.unwrap(), None);
}

/// D: a postponed exchange is found again with all its messages, until it is captured or erased.
pub async fn s9_postponed_captures_are_kept_until_they_are_settled(store: &dyn Store) {
    let early = say(store, "one thing").await;
    let coalesced = running(store, &early).await;
    let late = say(store, "and another").await;
    store.coalesce_turn(coalesced, late.id, later(0)).await.unwrap();
    let first = running(store, &late).await;
    let reply = store.commit_turn(first, reply("I see")).await.unwrap();
    let other = say(store, "bye").await;
    let second = running(store, &other).await;
    store.postpone_capture(first).await.unwrap();
    store.postpone_capture(first).await.unwrap();
    store.postpone_capture(second).await.unwrap();
    store.postpone_capture(turn_id()).await.unwrap();
    assert_eq!(store.count_postponed().await.unwrap(), 2);
    let found = store.postponed_captures(1).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].turn.id, found[0].reply.as_ref().map(|reply| reply.id)), (first, Some(reply)));
    let burst: Vec<_> = found[0].burst.iter().map(|message| message.id).collect();
    assert_eq!(burst, [early.id, late.id]);
    store.capture_settled(first).await.unwrap();
    assert_eq!(store.postponed_captures(9).await.unwrap()[0].turn.id, second);
    assert_eq!(store.health().await.unwrap().postponed, 1);
    store.erase(&Erase::Channel(other.channel.clone()), Quotes::Stay).await.unwrap();
    assert_eq!(store.count_postponed().await.unwrap(), 0);
}
