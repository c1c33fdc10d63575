//! A message is answered again: by which persona, within which limits, and what the decision says (RM1, RM2, RM5).

use greenroom_core::{Entropy, ErrorCode, MessageId, SystemEntropy, Time, TurnId};
use greenroom_models::ModelError;
use greenroom_persona::{Answer, ChannelSettings, Persona, RoomPolicy};
use greenroom_runtime::{RetryRefusal, RuntimeError};
use greenroom_store::{NewTurn, TurnState, prelude::*};

use super::{
    house::*,
    rooms::{answering, settings},
};

const HERE: &str = "terminal:default";

fn outage() -> ModelError {
    ModelError::Broken { endpoint: "puppet".into(), reason: "out".into() }
}

/// A message to ada whose turn failed.
async fn failed(house: &mut House) -> MessageId {
    let sent = house.say("ada: what is the tide?").await;
    house.call().await.fails(outage());
    all(sent.events).await;
    sent.message
}

async fn refusal(house: &House, message: MessageId, who: &str) -> RetryRefusal {
    match house.retry(message, who).await.err() {
        Some(RuntimeError::NotRetried { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

async fn members(house: &House) -> Vec<String> {
    let room = house.store.room(&channel(HERE)).await.unwrap();
    let members = room.members.into_iter().filter(|member| member.is_member);
    members.map(|member| format!("{} {:?}", member.persona, member.via)).collect()
}

fn limited(chain: u32) -> Wishes {
    settings(ChannelSettings {
        pattern: HERE.into(),
        chain: Some(chain),
        tokens_per_answer: Some(1_000),
        ..Default::default()
    })
}

#[tokio::test]
async fn rm5_only_a_persona_whose_turn_failed_or_was_stopped_answers_again() {
    let mut guest = shy("kit");
    guest.room.channels.clear();
    let mut mute = shy("nell");
    mute.room.answer = Answer::Never;
    let personas = || vec![shy("ada"), shy("bob"), guest.clone(), mute.clone()];
    let mut house = House::with(personas()).await;
    let message = failed(&mut house).await;
    let before = members(&house).await;
    for who in ["bob", "kit", "nell"] {
        assert_eq!(refusal(&house, message, who).await, RetryRefusal::NeverAsked, "{who}");
    }
    assert!(!house.was_called());
    let again = house.retry(message, "ada").await.unwrap();
    assert_eq!(answering(&again), ["ada"]);
    house.call().await.answer("It is low.");
    all(again.events).await;
    assert!(matches!(house.retry(message, "ada").await, Err(RuntimeError::Store(_))), "it has answered");
    assert_eq!(members(&house).await, before, "a retry changes no membership");
    let house = house.again(personas(), Wishes::default()).await;
    assert_eq!(members(&house).await, before, "after a restart neither");
}

#[tokio::test]
async fn rm5_an_answer_that_is_tried_again_counts_and_has_the_grant_of_any_other() {
    let mut house = House::as_wished(vec![shy("ada"), shy("bob")], limited(2)).await;
    let sent = house.say("ada: what is the tide?").await;
    let call = house.call().await;
    let limit = call.request.max_output_tokens;
    call.fails(outage());
    all(sent.events).await;
    let again = house.retry(sent.message, "ada").await.unwrap();
    let call = house.call().await;
    assert_eq!(call.request.max_output_tokens, limit);
    assert!(limit <= 500, "half of the grant: {limit}");
    call.fails(outage());
    all(again.events).await;
    assert_eq!(house.runtime.room(&channel(HERE)).await.unwrap().chain, 2);
    let why = refusal(&house, sent.message, "ada").await;
    assert_eq!(
        why.to_string(),
        "enough was said since the last message of a person; say something and try again"
    );
    house.say("well?").await;
    let again = house.retry(sent.message, "ada").await.unwrap();
    house.call().await.answer("It is low.");
    all(again.events).await;
    assert_eq!(house.said().await.last().unwrap(), "It is low.");
}

#[tokio::test]
async fn rm1_a_persona_that_is_let_go_stops_speaking_and_does_not_answer_again() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    let sent = house.say("ada: what is the tide?").await;
    let call = house.call().await;
    call.says("It is");
    house.runtime.leave(&channel(HERE), &name("ada")).await.unwrap();
    call.dropped().await;
    assert_eq!(kinds(&all(sent.events).await).last().unwrap(), "cancelled");
    let turns = house.store.answers(sent.message).await.unwrap();
    assert_eq!(
        (turns[0].state, turns[0].message.as_deref()),
        (TurnState::Cancelled, Some("it left the channel"))
    );
    assert_eq!(refusal(&house, sent.message, "ada").await, RetryRefusal::NoMember);
    house.runtime.invite(&channel(HERE), &name("ada")).await.unwrap();
    assert_eq!(answering(&house.retry(sent.message, "ada").await.unwrap()), ["ada"]);
}

#[tokio::test]
async fn rm5_quiet_and_a_stop_hold_for_what_is_tried_again() {
    let here = channel(HERE);
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    let message = failed(&mut house).await;
    house.runtime.quiet(&here, None).await.unwrap();
    let quiet = refusal(&house, message, "ada").await;
    assert_eq!(quiet.to_string(), "somebody told the room to be quiet; lift the quiet and try again");
    house.runtime.lift_quiet(&here).await.unwrap();
    house.runtime.stop_persona(&name("ada")).await.unwrap();
    assert_eq!(refusal(&house, message, "ada").await, RetryRefusal::Stopped);
    house.runtime.start_persona(&name("ada")).await.unwrap();
    let again = house.retry(message, "ada").await.unwrap();
    house.call().await.answer("It is low.");
    assert_eq!(reply(&all(again.events).await), "It is low.");
}

/// If its sender repeats a message that no persona answered, it is answered like a new one.
#[tokio::test]
async fn gr6_a_repeated_message_that_had_no_turn_is_answered_once() {
    let mut guest = shy("kit");
    guest.room.channels.clear();
    let mut house = House::with(vec![shy("ada"), guest]).await;
    house.runtime.quiet(&channel(HERE), None).await.unwrap();
    let sent = house.say_to("kit", "what is the tide?").await;
    assert!(sent.answering.is_empty());
    let quiet = house.repeat(sent.message, "kit").await.err().unwrap();
    assert!(matches!(quiet, RuntimeError::NotRetried { why: RetryRefusal::Limit(_), .. }), "{quiet}");
    house.runtime.lift_quiet(&channel(HERE)).await.unwrap();
    assert_eq!(
        refusal(&house, sent.message, "kit").await,
        RetryRefusal::NeverAsked,
        "a retry repeats nothing"
    );
    let again = house.repeat(sent.message, "kit").await.unwrap();
    assert_eq!(answering(&again), ["kit"]);
    house.call().await.answer("It is low.");
    all(again.events).await;
    assert!(
        matches!(house.repeat(sent.message, "kit").await, Err(RuntimeError::Store(_))),
        "it has answered"
    );
    assert_eq!(house.said().await, ["what is the tide?", "It is low."]);
}

/// A persona that was stopped when it was addressed is no member; it comes when the message is repeated.
#[tokio::test]
async fn gr6_a_repeated_message_brings_a_persona_that_was_stopped() {
    let mut guest = shy("kit");
    guest.room.channels.clear();
    let mut house = House::with(vec![shy("ada"), shy("bob"), guest]).await;
    house.runtime.stop_persona(&name("kit")).await.unwrap();
    let sent = house.say_to("kit", "what is the tide?").await;
    let message = sent.message;
    assert_eq!(kinds(&all(sent.events).await).last().unwrap(), "failed");
    house.say("a word among those who are here").await;
    let stopped = house.repeat(message, "kit").await.err().unwrap();
    assert!(matches!(stopped, RuntimeError::NotRetried { why: RetryRefusal::Stopped, .. }), "{stopped}");
    house.runtime.start_persona(&name("kit")).await.unwrap();
    assert_eq!(refusal(&house, message, "kit").await, RetryRefusal::NoMember);
    let again = house.repeat(message, "kit").await.unwrap();
    let call = house.call().await;
    let shown: Vec<_> = call.request.messages.iter().skip(1).map(|message| &*message.content).collect();
    assert_eq!(shown, ["what is the tide?"], "it was away for the rest");
    call.answer("It is low.");
    all(again.events).await;
    assert!(members(&house).await.contains(&"kit Some(Addressed)".to_owned()));
    house.exchange("kit", "and now?", "Lower.").await;
    assert_eq!(house.said().await.len(), 5);
}

#[tokio::test]
async fn rm2_a_decision_tells_what_became_of_each_try() {
    for personas in [vec![shy("ada"), shy("bob")], vec![persona("ada")]] {
        let mut house = House::with(personas).await;
        let message = failed(&mut house).await;
        let first = house.store.answers(message).await.unwrap()[0].message.clone().unwrap();
        let again = house.retry(message, "ada").await.unwrap();
        let call = house.call().await;
        house.runtime.cancel(&channel(HERE)).await;
        call.dropped().await;
        all(again.events).await;
        let again = house.retry(message, "ada").await.unwrap();
        house.call().await.answer("It is low.");
        all(again.events).await;
        let decision = house.runtime.decision(message).await.unwrap();
        let told = format!(
            "Ada said nothing: {first}; asked to answer again, it said nothing: stopped; asked to answer again, it \
             answered"
        );
        assert_eq!(decision.tries, [told]);
        assert_eq!(decision.answers[0].problem, None);
    }
}

/// More messages than the chain has places: each took its own place when the person spoke.
#[tokio::test]
async fn s1_every_message_that_a_crash_left_unanswered_is_answered_in_a_room_of_several() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    house.exchange("ada", "ada: hello", "hi").await;
    let here = channel(HERE);
    let mut owed = Vec::new();
    for n in 0..9 {
        let envelope = house.envelope(&format!("ada: question {n}"));
        let message = house.store.accept(envelope.message).await.unwrap().message.id;
        let id = TurnId(SystemEntropy.uuid());
        let turn = NewTurn { id, persona: name("ada"), at: house.clock.now(), begins: false };
        house.store.plan_turns(message, vec![turn].into()).await.unwrap();
        owed.push(message);
    }
    assert_eq!(house.runtime.recover(&here).await.unwrap().len(), owed.len());
    for message in owed {
        let again = house.retry(message, "ada").await.unwrap();
        house.call().await.answer("It is low.");
        assert_eq!(reply(&all(again.events).await), "It is low.");
    }
}

/// Before a fix, the persona saw its reply to the later message without that message, and that message after the one to
/// be answered.
#[tokio::test]
async fn s1_a_message_that_is_answered_late_is_the_last_one_and_what_came_meanwhile_stands_whole_before_it() {
    let mut house = House::with(vec![shy("ada")]).await;
    let interrupted =
        house.store.accept(house.envelope("What is the tide?").message).await.unwrap().message.id;
    let id = TurnId(SystemEntropy.uuid());
    let turn = NewTurn { id, persona: name("ada"), at: house.clock.now(), begins: false };
    house.store.plan_turns(interrupted, vec![turn].into()).await.unwrap();
    house.runtime.recover(&channel(HERE)).await.unwrap();
    let meanwhile = house.say("Who keeps the harbour?").await;
    house.call().await.answer("Mo does.");
    all(meanwhile.events).await;
    let again = house.retry(interrupted, "ada").await.unwrap();
    let call = house.call().await;
    let told = ["Who keeps the harbour?", "Mo does.", "What is the tide?"];
    let text = call.text();
    let places: Vec<_> = told.iter().map(|told| text.rfind(told)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{text}");
    assert!(call.request.messages.last().unwrap().content.ends_with("What is the tide?"), "{text}");
    call.answer("It is low.");
    all(again.events).await;
}

/// A message is tried again while a newer one waits for its turn: one turn answers both.
#[tokio::test]
async fn s1_a_message_that_is_answered_again_beside_a_newer_one_is_answered_with_it() {
    let mut house = House::with(vec![shy("ada")]).await;
    let failed = failed(&mut house).await;
    let running = house.say("ada: who keeps the harbour?").await;
    let call = house.call().await;
    let waiting = house.say("ada: and the light?").await;
    let again = house.retry(failed, "ada").await.unwrap();
    call.answer("Mo does.");
    all(running.events).await;
    let call = house.call().await;
    assert!(call.request.messages.last().unwrap().content.ends_with("and the light?"), "{}", call.text());
    call.answer("It is low, and Mo does.");
    for events in [waiting.events, again.events] {
        assert_eq!(reply(&all(events).await), "It is low, and Mo does.");
    }
    assert!(!house.was_called());
}

/// A persona that belongs to no channel.
fn elsewhere(who: &str) -> Persona {
    let mut persona = shy(who);
    persona.room.channels.clear();
    persona
}

/// A persona that belonged here and was let go comes back when a person calls it, and answers.
#[tokio::test]
async fn rm1_who_was_let_go_comes_back_when_it_is_called() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    house.exchange("ada", "hello", "hi").await;
    house.runtime.leave(&channel(HERE), &name("bob")).await.unwrap();
    assert_eq!(answering(&house.say("I saw Bob, hello").await), ["ada"], "it is named and not called");
    house.talk(|_| "Where?".into()).await;
    let sent = house.say("bob: are you there?").await;
    assert_eq!(answering(&sent), ["bob"]);
    house.talk(|_| "I am.".into()).await;
}

/// A person talks to a persona that is present, and calls one that is not.
#[tokio::test]
async fn rm2_a_decision_says_who_is_called_and_is_not_here() {
    let mut house = House::with(vec![shy("ada"), elsewhere("bob")]).await;
    let sent = house.say("Bob, hello").await;
    assert_eq!(answering(&sent), ["ada"]);
    assert_eq!(sent.answering[0].1, "nobody else is here");
    house.talk(|_| "Bob is not here.".into()).await;
    let round = &house.runtime.decision(sent.message).await.unwrap().rounds[0];
    assert_eq!(round.problem.as_deref(), Some("Bob is called and is not here; invite it, or write @bob"));
    assert_eq!(round.verdicts[0].text, "Ada answers first: nobody else is here");
}

#[tokio::test]
async fn rm2_who_is_mentioned_beside_one_that_is_not_here_answers_for_that_reason() {
    let mut house = House::with(vec![shy("ada"), elsewhere("bob")]).await;
    let sent = house.say("Bob, have you met @ada?").await;
    assert_eq!(answering(&sent), ["ada"]);
    let why = &sent.answering[0].1;
    assert_ne!(why, "nobody else is here");
    house.talk(|_| "We met.".into()).await;
    let round = &house.runtime.decision(sent.message).await.unwrap().rounds[0];
    assert_eq!(round.problem.as_deref(), Some("Bob is called and is not here; invite it, or write @bob"));
    assert_eq!(round.verdicts[0].text, format!("Ada answers first: {why}"));
}

#[tokio::test]
async fn rm2_a_stopped_persona_that_is_called_by_its_name_says_so() {
    let mut house = House::with(vec![shy("ada"), shy("bob"), shy("kit")]).await;
    house.exchange("bob", "hello", "hi").await;
    house.runtime.stop_persona(&name("bob")).await.unwrap();
    for text in ["@bob, are you there?", "Bob, are you there?"] {
        let sent = house.say(text).await;
        assert_eq!(answering(&sent), ["bob"], "{text}");
        let (code, why) = failure(&all(sent.events).await);
        assert_eq!(code, ErrorCode::PersonaStopped);
        assert!(why.contains("bob is stopped"), "{why}");
    }
    house.runtime.start_persona(&name("bob")).await.unwrap();
    let back = members(&house).await;
    assert!(back.contains(&"bob Some(File)".to_owned()), "{back:?}");
}

/// A stopped persona that never belonged to the channel is no member when it is started.
#[tokio::test]
async fn rm1_what_is_addressed_while_it_is_stopped_is_no_member_afterwards() {
    let guest = || -> Persona {
        let mut kit = shy("kit");
        kit.room.channels.clear();
        kit
    };
    let house = House::with(vec![shy("ada"), shy("bob"), guest()]).await;
    house.runtime.stop_persona(&name("kit")).await.unwrap();
    let sent = house.say("@kit, are you there?").await;
    all(sent.events).await;
    let house = house.again(vec![shy("ada"), shy("bob"), guest()], Wishes::default()).await;
    house.runtime.start_persona(&name("kit")).await.unwrap();
    let members = members(&house).await;
    assert!(members.iter().all(|member| !member.starts_with("kit")), "{members:?}");
}

#[tokio::test]
async fn rm3_a_decision_says_whether_there_is_no_moderator_or_it_failed() {
    let moderated = |small: bool| {
        let mut ada = shy("ada");
        ada.memory.hyde.model = small.then(|| "small".into());
        (
            vec![ada, shy("bob")],
            settings(ChannelSettings { policy: RoomPolicy::Moderator, ..Default::default() }),
        )
    };
    let (personas, wishes) = moderated(false);
    let house = House::as_wished(personas, wishes).await;
    let sent = house.say("anything about roses?").await;
    let problem = house.runtime.decision(sent.message).await.unwrap().rounds[0].problem.clone().unwrap();
    assert!(problem.starts_with("there is no moderator"), "{problem}");

    let (personas, wishes) = moderated(true);
    let mut house = House::as_wished(personas, Wishes { small: true, ..wishes }).await;
    let (runtime, envelope) = (house.runtime.clone(), house.envelope("anything about roses?"));
    let sent = tokio::spawn(async move { runtime.send(envelope).await.unwrap() });
    house.small_call().await.fails(outage());
    let message = sent.await.unwrap().message;
    let problem = house.runtime.decision(message).await.unwrap().rounds[0].problem.clone().unwrap();
    assert!(problem.starts_with("the moderator failed"), "{problem}");
}
