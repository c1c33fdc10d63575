//! The witness rule: a persona finds what it was present for (GR2).

use greenroom_core::{Message, MessageId};

use super::given::*;
use crate::{
    AskedPast, Departure, Erase, ItemId, JoinReason, MembershipChange, Plan, Presence, Quotes, Store,
    TurnCommit,
};

/// Parts of presence open and close in turn; a repeated call changes nothing.
pub async fn gr2_presence_is_a_row_of_stretches(store: &dyn Store) {
    let (ada, here) = (persona("ada"), channel("terminal:default"));
    let id = MessageId;
    assert_eq!(store.presence(&ada, &here).await.unwrap(), []);
    store.leave(&ada, &here, id(3)).await.unwrap();
    store.enter(&ada, &here, id(5)).await.unwrap();
    store.enter(&ada, &here, id(7)).await.unwrap();
    let open = Presence { from: id(5), until: None };
    assert_eq!(store.presence(&ada, &here).await.unwrap(), [open]);
    assert_eq!(store.present(&here).await.unwrap(), std::slice::from_ref(&ada));

    store.leave(&ada, &here, id(9)).await.unwrap();
    store.leave(&ada, &here, id(12)).await.unwrap();
    assert_eq!(store.present(&here).await.unwrap(), []);
    let first = Presence { from: id(5), until: Some(id(9)) };
    assert_eq!(store.presence(&ada, &here).await.unwrap(), [first]);
    store.enter(&ada, &here, id(20)).await.unwrap();
    let second = Presence { from: id(20), until: None };
    assert_eq!(store.presence(&ada, &here).await.unwrap(), [first, second]);
    store.leave(&ada, &here, id(20)).await.unwrap();
    assert_eq!(store.presence(&ada, &here).await.unwrap(), [first], "nothing was heard in the second");
    store.enter(&ada, &here, id(3)).await.unwrap();
    let third = Presence { from: id(9), until: None };
    assert_eq!(store.presence(&ada, &here).await.unwrap(), [first, third], "not before the last one ended");
    assert_eq!(store.presence(&persona("kit"), &here).await.unwrap(), []);
    assert_eq!(store.presence(&ada, &channel("terminal:other")).await.unwrap(), []);
}

/// The change happens between two messages: personas that came hear the later message, those that left do not.
pub async fn gr2_who_comes_or_goes_between_two_messages_does_so_at_that_moment(store: &dyn Store) {
    let (ada, kit, here) = (persona("ada"), persona("kit"), channel("terminal:default"));
    attend(store, &["ada"], &["kit"]).await;
    assert_eq!(store.channels(None, None, 9).await.unwrap(), [], "nobody ever spoke there");
    assert_eq!(
        store.present(&here).await.unwrap(),
        std::slice::from_ref(&ada),
        "and somebody may be invited"
    );
    let first = say(store, "first").await;
    // said elsewhere: ids increase over all channels
    store.accept(said("terminal:other", "x", "elsewhere", NOW)).await.unwrap();
    attend(store, &["kit"], &["ada"]).await;
    let second = say(store, "second").await;
    attend(store, &["ada", "kit"], &[]).await;
    attend(store, &[], &["kit", "wick"]).await;
    let third = say(store, "third").await;
    for (who, heard) in [(ada, [first.id, third.id].as_slice()), (kit, &[second.id])] {
        let stretches = store.presence(&who, &here).await.unwrap();
        let hears =
            |id: &MessageId| stretches.iter().any(|s| s.from <= *id && s.until.is_none_or(|u| *id < u));
        let ids: Vec<_> = [first.id, second.id, third.id].into_iter().filter(hears).collect();
        assert_eq!(ids, heard, "{who}: {stretches:?}");
    }
}

async fn attend(store: &dyn Store, joins: &[&str], leaves: &[&str]) {
    let joins = joins.iter().map(|who| (persona(who), JoinReason::Invited)).collect();
    let leaves = leaves.iter().map(|who| (persona(who), Departure::Left)).collect();
    store.attend(&channel("terminal:default"), &MembershipChange { joins, leaves }).await.unwrap();
}

/// The members of a channel, how each joined, and why it left.
async fn members(store: &dyn Store, key: &str) -> Vec<(String, Option<JoinReason>, Option<Departure>, bool)> {
    let room = store.room(&channel(key)).await.unwrap();
    room.members.into_iter().map(|m| (m.persona.to_string(), m.via, m.ended, m.is_member)).collect()
}

/// A persona that was stopped comes back when it is started; one that was dismissed does not.
pub async fn rm1_a_membership_says_how_it_came_and_why_it_ended(store: &dyn Store) {
    let here = channel("terminal:default");
    assert_eq!(store.room(&here).await.unwrap(), Default::default());
    attend(store, &["ada", "kit"], &[]).await;
    let row = |who: &str, ended, is| (who.to_owned(), Some(JoinReason::Invited), ended, is);
    let all = members(store, "terminal:default").await;
    assert_eq!(all, [row("ada", None, true), row("kit", None, true)]);
    assert!(store.room(&here).await.unwrap().members.iter().all(|member| member.since.is_none()));
    let first = say(store, "first").await;
    let heard = store.room(&here).await.unwrap().members;
    assert!(heard.iter().all(|member| member.since == Some(first.at)));

    attend(store, &[], &["kit"]).await;
    for who in ["ada", "kit"] {
        store.leave_everywhere(&persona(who), Departure::Stopped).await.unwrap();
    }
    let leaves = [row("ada", Some(Departure::Stopped), false), row("kit", Some(Departure::Left), false)];
    assert_eq!(members(store, "terminal:default").await, leaves);
    say(store, "nobody hears this").await;
    for who in ["ada", "kit", "wick"] {
        store.return_everywhere(&persona(who)).await.unwrap();
    }
    let back = [row("ada", None, true), row("kit", Some(Departure::Left), false)];
    assert_eq!(members(store, "terminal:default").await, back);
    assert_eq!(store.presence(&persona("ada"), &here).await.unwrap().len(), 2, "it was away for a while");
    store.leave_everywhere(&persona("ada"), Departure::Stopped).await.unwrap();
    attend(store, &[], &["ada"]).await;
    store.return_everywhere(&persona("ada")).await.unwrap();
    assert_eq!(members(store, "terminal:default").await[0], row("ada", Some(Departure::Left), false));
    attend(store, &["ada"], &[]).await;
    assert_eq!(members(store, "terminal:default").await[0], row("ada", None, true), "invited again");
}

/// A turn makes no member. A persona that was stopped and then addressed has its former membership when it is started.
pub async fn rm1_a_persona_that_had_no_cause_to_be_a_member_does_not_come_back(store: &dyn Store) {
    attend(store, &["ada"], &[]).await;
    store.leave_everywhere(&persona("ada"), Departure::Stopped).await.unwrap();
    let said = say(store, "@ada @wick are you there?").await;
    let leaves = ["ada", "wick"].map(|who| (persona(who), Departure::Stopped)).to_vec();
    let plan = Plan { turns: vec![planned("ada"), planned("wick")], leaves, ..Plan::default() };
    store.plan_turns(said.id, plan).await.unwrap();
    for who in ["ada", "wick"] {
        store.return_everywhere(&persona(who)).await.unwrap();
    }
    let here = members(store, "terminal:default").await;
    let here: Vec<_> = here.iter().map(|(who, via, _, is)| (who.as_str(), *via, *is)).collect();
    assert_eq!(here, [("ada", Some(JoinReason::Invited), true), ("wick", None, false)]);
}

/// Only members have rows, however many personas and channels there are.
pub async fn rm1_only_members_have_rows(store: &dyn Store) {
    for n in 0..20 {
        let key = channel(&format!("api:{n}"));
        let joins = vec![
            (persona(&format!("p{n}")), JoinReason::File),
            (persona(&format!("p{}", n + 1)), JoinReason::Settings),
        ];
        store.attend(&key, &MembershipChange { joins, leaves: Vec::new() }).await.unwrap();
    }
    let mut rows = 0;
    for n in 0..20 {
        rows += members(store, &format!("api:{n}")).await.len();
    }
    assert_eq!(rows, 40);
}

/// The state of a room and the decisions about a message are returned, and are deleted with the channel and the
/// message.
pub async fn rm2_a_decision_is_kept_with_its_message(store: &dyn Store) {
    let here = channel("discord:42");
    let plan = Plan {
        turns: vec![planned("ada")],
        room: Some("one".into()),
        decision: Some("ada answers".into()),
        ..Plan::default()
    };
    let first = store.accept_planned(said("discord:42", "e1", "hello", NOW), plan).await.unwrap().message;
    let told = async |message| -> Vec<(MessageId, String)> {
        let decisions = store.decisions(message).await.unwrap();
        decisions.into_iter().map(|stored| (stored.after, stored.decision)).collect()
    };
    assert_eq!(told(first.id).await, [(first.id, "ada answers".to_owned())]);
    assert_eq!(store.room(&here).await.unwrap().state.as_deref(), Some("one"));
    let later = MessageId(first.id.0 + 5);
    store.note_decision(first.id, later, "kit is silent").await.unwrap();
    store.note_decision(first.id, later, "ada has answered").await.unwrap();
    store.note_decision(MessageId(999), later, "about nothing").await.unwrap();
    assert_eq!(told(first.id).await[1..], [(later, "ada has answered".to_owned())]);
    store.put_room(&here, "two").await.unwrap();
    assert_eq!(store.room(&here).await.unwrap().state.as_deref(), Some("two"));
    store.erase(&Erase::Channel(here.clone()), Quotes::Stay).await.unwrap();
    assert_eq!(told(first.id).await, []);
    assert_eq!(store.room(&here).await.unwrap(), Default::default());
}

/// A reply that another persona may answer is found after a crash, until it is decided who answers (RM4).
pub async fn rm4_a_reply_that_may_be_answered_is_unhandled_until_that_is_settled(store: &dyn Store) {
    let message = say(store, "hello").await;
    let turn = running(store, &message).await;
    let commit = TurnCommit { unhandled: true, ..reply("good evening, Kit") };
    let reply = store.commit_turn(turn, commit).await.unwrap();
    let here = channel("terminal:default");
    for _ in 0..2 {
        let left = store.close_unfinished(&here, NOW).await.unwrap();
        assert_eq!(left.iter().map(|left| left.message.id).collect::<Vec<_>>(), [reply]);
    }
    store.plan_turns(reply, vec![planned("kit")].into()).await.unwrap();
    let left = store.unfinished(None).await.unwrap();
    assert_eq!(left.len(), 1);
    assert!(left[0].turn.is_some(), "its turn");
}

/// A persona that answers is present from the answered message on.
pub async fn gr2_who_answers_is_present(store: &dyn Store) {
    say(store, "before").await;
    let heard = say(store, "hello").await;
    running(store, &heard).await;
    let later = say(store, "more").await;
    store.plan_turns(later.id, vec![planned("ada"), planned("kit")].into()).await.unwrap();
    let here = channel("terminal:default");
    for (name, from) in [("ada", heard.id), ("kit", later.id)] {
        let stretch = Presence { from, until: None };
        assert_eq!(store.presence(&persona(name), &here).await.unwrap(), [stretch]);
    }
}

/// The positions of the messages that Ada is shown.
async fn shown(store: &dyn Store, messages: &[Message], witnessed: bool) -> Vec<usize> {
    let ids: Vec<_> = messages.iter().map(|message| ItemId::Message(message.id)).collect();
    let items = store.items(&ada(), &ids, NOW, witnessed).await.unwrap().items;
    items.iter().map(|item| ids.iter().position(|id| *id == item.id()).unwrap()).collect()
}

/// Six messages, a second apart.
async fn six(store: &dyn Store) -> Vec<Message> {
    let mut messages = Vec::new();
    for n in 0..6 {
        let message = said("terminal:default", &n.to_string(), "a cup of tea", later(n));
        messages.push(store.accept(message).await.unwrap().message);
    }
    messages
}

/// Finds nothing from before the persona came, while it was absent, or from a channel in which it never was.
pub async fn gr2_what_was_not_witnessed_is_not_found(store: &dyn Store) {
    let messages = six(store).await;
    assert_eq!(shown(store, &messages, true).await, [0; 0]);
    let (ada, here) = (persona("ada"), channel("terminal:default"));
    store.enter(&ada, &here, messages[1].id).await.unwrap();
    store.leave(&ada, &here, messages[3].id).await.unwrap();
    store.enter(&ada, &here, messages[5].id).await.unwrap();
    store.enter(&persona("kit"), &here, messages[0].id).await.unwrap();
    assert_eq!(shown(store, &messages, true).await, [1, 2, 5]);
    assert_eq!(shown(store, &messages, false).await, [0, 1, 2, 3, 4, 5]);
}

/// The limit counts only messages that were heard: a long absence does not use it up.
pub async fn gr2_a_persona_knows_its_own_words_and_what_it_was_present_for(store: &dyn Store) {
    let (ada, here) = (persona("ada"), channel("terminal:default"));
    let first = say(store, "one").await;
    let turn = running(store, &first).await;
    store.leave(&ada, &here, MessageId(first.id.0 + 1)).await.unwrap();
    store.commit_turn(turn, reply("a late answer")).await.unwrap();
    for n in 0..9 {
        say(store, &format!("missed {n}")).await;
    }
    let texts = async |limit| -> Vec<String> {
        let heard = store.past(&AskedPast { limit, ..past_of("ada") }).await.unwrap();
        heard.messages.iter().map(|message| message.text.clone()).collect()
    };
    assert_eq!(texts(5).await, ["one", "a late answer"]);
    assert_eq!(texts(1).await, ["a late answer"], "the newest");
    let oldest = store.unsummarised(&ada, &here, None, true, 1).await.unwrap();
    assert_eq!(oldest[0].text, "one");
    assert_eq!(store.unsummarised(&ada, &here, None, false, 99).await.unwrap().len(), 11);
    assert!(store.past(&past_of("kit")).await.unwrap().messages.is_empty());
    let everything = store.past(&AskedPast { heard: false, ..past_of("kit") }).await.unwrap();
    assert_eq!(everything.messages.len(), 11);
}
