//! Rooms: who belongs to a channel, and why a persona answered (RM1 to RM3).

use greenroom_core::{Envelope, PersonaName, Unanswered};
use greenroom_persona::{Answer, ChannelSettings, Persona, RoomPolicy};
use greenroom_runtime::{DecisionView, MemberKind, RoomsSettings};
use greenroom_store::{JoinReason, Plan, prelude::*};

use super::house::*;

/// A persona that answers if it is mentioned, and belongs to the channels that it is invited to or addressed in.
fn guest(name: &str) -> Persona {
    let mut persona = shy(name);
    persona.room.channels.clear();
    persona
}

/// The personas that belong to a channel, with how they came.
async fn members_of(house: &House, key: &str) -> Vec<(String, Option<JoinReason>)> {
    let room = house.runtime.room(&channel(key)).await.unwrap();
    let personas = room.members.into_iter().filter(|member| member.kind == MemberKind::Persona);
    personas.map(|member| (member.id, member.via)).collect()
}

async fn members(house: &House) -> Vec<(String, Option<JoinReason>)> {
    members_of(house, "terminal:default").await
}

fn came(of: &[(&str, JoinReason)]) -> Vec<(String, Option<JoinReason>)> {
    of.iter().map(|(name, via)| ((*name).to_owned(), Some(*via))).collect()
}

pub(super) fn settings(of: ChannelSettings) -> Wishes {
    Wishes { rooms: RoomsSettings { channels: vec![of], ..Default::default() }, ..Wishes::default() }
}

pub(super) fn answering(sent: &greenroom_runtime::Sent) -> Vec<&str> {
    sent.answering.iter().map(|(name, _)| name.as_str()).collect()
}

/// The verdicts of the last round, one line each.
fn texts(decision: &DecisionView) -> Vec<&str> {
    decision.rounds.last().unwrap().verdicts.iter().map(|verdict| verdict.text.as_str()).collect()
}

#[tokio::test]
async fn rm1_being_in_the_cast_is_not_being_in_the_room() {
    let names: Vec<String> = (0..40).map(|n| format!("p{n}")).collect();
    let mut house = House::with(names.iter().map(|name| guest(name)).collect()).await;
    let sent = house.say("is anybody there?").await;
    assert!(sent.answering.is_empty());
    assert_eq!(members(&house).await, []);
    house.exchange("p7", "hello", "hi").await;
    assert_eq!(members(&house).await, came(&[("p7", JoinReason::Addressed)]));
}

#[tokio::test]
async fn rm1_file_settings_invitations_and_mentions_make_members() {
    let mut kit = guest("kit");
    kit.room.channels = vec!["terminal:*".into()];
    let mut elsewhere = guest("elsewhere");
    elsewhere.room.channels = vec!["api:*".into()];
    let tea = ChannelSettings {
        pattern: "terminal:default".into(),
        members: vec![name("wick")],
        ..Default::default()
    };
    let personas = vec![guest("ada"), guest("bob"), kit, guest("wick"), elsewhere];
    let mut house = House::as_wished(personas, settings(tea)).await;
    house.runtime.invite(&channel("terminal:default"), &name("ada")).await.unwrap();
    let unasked = [("ada", JoinReason::Invited), ("kit", JoinReason::File), ("wick", JoinReason::Settings)];
    assert_eq!(members(&house).await, came(&unasked), "before anybody spoke");
    let sent = house.say("@bob, are you there?").await;
    assert_eq!(answering(&sent), ["bob"]);
    house.talk(|_| "I am.".into()).await;
    let all = [unasked[0], ("bob", JoinReason::Addressed), unasked[1], unasked[2]];
    assert_eq!(members(&house).await, came(&all));
    assert!(house.runtime.invite(&channel("terminal:default"), &name("nobody")).await.is_err());
}

#[tokio::test]
async fn rm1_who_left_comes_back_when_it_is_invited_or_addressed_and_not_before() {
    let here = channel("terminal:default");
    let mut house = House::with(vec![persona("ada"), guest("bob")]).await;
    house.exchange("bob", "hello", "hi").await;
    assert_eq!(members(&house).await, came(&[("ada", JoinReason::File), ("bob", JoinReason::Addressed)]));
    house.runtime.leave(&here, &name("ada")).await.unwrap();
    assert_eq!(members(&house).await, came(&[("bob", JoinReason::Addressed)]), "at that moment");
    house.runtime.set_personas(vec![persona("ada"), guest("bob")]).await;
    house.exchange("bob", "the code is 4711", "I keep it").await;
    let mut house = house.again(vec![persona("ada"), guest("bob")], Wishes::default()).await;
    house.exchange("bob", "and you?", "well").await;
    assert_eq!(
        members(&house).await,
        came(&[("bob", JoinReason::Addressed)]),
        "though its file says everywhere"
    );
    let sent = house.say("@ada, what is the code?").await;
    assert_eq!(answering(&sent), ["ada"]);
    let call = house.call().await;
    assert!(!call.text().contains("4711"), "it did not hear that: {}", call.text());
    call.answer("How should I know?");
    house.talk(|_| "Well, well.".into()).await;
    assert_eq!(
        members(&house).await,
        came(&[("ada", JoinReason::Addressed), ("bob", JoinReason::Addressed)])
    );
    house.runtime.leave(&here, &name("bob")).await.unwrap();
    house.runtime.invite(&here, &name("bob")).await.unwrap();
    assert_eq!(members(&house).await[1], came(&[("bob", JoinReason::Invited)])[0]);
}

#[tokio::test]
async fn rm1_who_is_let_go_before_the_first_message_stays_away() {
    let here = channel("terminal:default");
    let mut house = House::with(vec![persona("ada"), guest("bob")]).await;
    assert_eq!(members(&house).await, came(&[("ada", JoinReason::File)]));
    house.runtime.leave(&here, &name("ada")).await.unwrap();
    assert_eq!(members(&house).await, []);
    house.exchange("bob", "hello", "hi").await;
    assert_eq!(
        members(&house).await,
        came(&[("bob", JoinReason::Addressed)]),
        "though its file says everywhere"
    );
}

#[tokio::test]
async fn rm1_presence_ends_with_a_stop_and_with_the_file_where_no_room_is_live_too() {
    let personas = || vec![guest("ada"), guest("bob")];
    let mut house = House::with(personas()).await;
    for who in ["ada", "bob"] {
        house.exchange(who, "hello", "hi").await;
    }
    // there was no message since the restart, so no room is live
    let house = house.again(personas(), Wishes::default()).await;
    assert!(house.runtime.rooms().is_empty());
    house.runtime.stop_persona(&name("ada")).await.unwrap();
    assert_eq!(members(&house).await, came(&[("bob", JoinReason::Addressed)]));
    house.runtime.set_personas(vec![guest("ada")]).await;
    assert_eq!(members(&house).await, []);
    house.runtime.start_persona(&name("ada")).await.unwrap();
    house.runtime.set_personas(personas()).await;
    assert_eq!(
        members(&house).await,
        came(&[("ada", JoinReason::Addressed), ("bob", JoinReason::Addressed)])
    );
}

#[tokio::test]
async fn rm1_a_small_house_stays_easy() {
    let mut house = House::with(vec![guest("ada")]).await;
    for text in ["hello", "and how are you?"] {
        let sent = house.say(text).await;
        assert_eq!(answering(&sent), ["ada"], "{text}");
        house.call().await.answer("Well, thank you.");
        all(sent.events).await;
    }
    assert_eq!(members(&house).await, came(&[("ada", JoinReason::Alone)]));
    let other = house.send(house.envelope_from("zoe", "terminal:default", "hello everybody")).await.unwrap();
    assert!(other.answering.is_empty(), "with another person it is a group");
    assert!(house.say("hello Zoe").await.answering.is_empty());
    assert_eq!(answering(&house.say("@ada, who is that?").await), ["ada"]);
}

/// In a large cast, a channel costs only its members.
#[tokio::test]
async fn rm1_a_large_cast_has_rows_for_members_alone() {
    let names: Vec<String> = (0..300).map(|n| format!("p{n}")).collect();
    let house = House::with(names.iter().map(|name| guest(name)).collect()).await;
    let invited = (0..200).map(|n| {
        let (house, names) = (&house, &names);
        async move {
            let key = channel(&format!("api:room{n}"));
            for who in [&names[n], &names[n + 100]] {
                house.runtime.invite(&key, &name(who)).await.unwrap();
            }
        }
    });
    futures::future::join_all(invited).await;
    let mut rows = 0;
    for n in 0..200 {
        rows += house.store.room(&channel(&format!("api:room{n}"))).await.unwrap().members.len();
    }
    assert_eq!(rows, 400);
    until(async || house.runtime.rooms().is_empty()).await;
}

#[tokio::test]
async fn rm2_a_decision_is_stored_and_explained_for_every_member() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    let sent = house.say("bob: what do you think of the boat?").await;
    assert_eq!(answering(&sent), ["bob"]);
    house.talk(|_| "It is fast.".into()).await;
    let decision = house.runtime.decision(sent.message).await.unwrap();
    assert_eq!(decision.rounds.len(), 1);
    assert_eq!(texts(&decision)[1], "Bob answers first: named at the beginning");
    assert_eq!(decision.rounds[0].verdicts[1].why, "named-first");
    assert!(decision.rounds[0].verdicts[1].evidence.is_some(), "the conversation was looked at");
    let nobody = house.say("what a day").await;
    assert!(nobody.answering.is_empty());
    let decision = house.runtime.decision(nobody.message).await.unwrap();
    assert_eq!(texts(&decision), ["Ada stays silent: not mentioned", "Bob stays silent: not mentioned"]);
}

#[tokio::test]
async fn rm2_one_persona_alone_costs_no_decision_and_an_envelope_wins_over_everything() {
    let mut house = House::with(vec![persona("ada")]).await;
    let sent = house.say("hello").await;
    house.talk(|_| "hi".into()).await;
    assert!(house.runtime.decision(sent.message).await.unwrap().rounds.is_empty());
    assert_eq!(house.store.room(&channel("terminal:default")).await.unwrap().state, None);

    let mut house = House::with(vec![persona("ada"), persona("bob"), shy("kit")]).await;
    let sent = house.say_to("kit", "hello").await;
    assert_eq!(answering(&sent), ["kit"], "the others answer everything, and this is for Kit");
    assert_eq!(house.talk(|_| "Good evening to you.".into()).await, 1, "and so is what Kit answers");
    let decision = house.runtime.decision(sent.message).await.unwrap();
    assert_eq!(texts(&decision)[0], "Ada stays silent: the message is addressed to somebody else");
}

#[tokio::test]
async fn rm2_a_cue_that_is_settled_meanwhile_is_withdrawn_with_its_reason() {
    let talkative = |name: &str| {
        let mut persona = shy(name);
        persona.room.answer = Answer::Talkative;
        persona.room.talkativeness = 1.0;
        persona
    };
    let mut house = House::with(vec![talkative("ada"), talkative("bob")]).await;
    let sent = house.say("does anybody know when the harbour opens?").await;
    assert_eq!(sent.answering.len(), 2);
    let turns = sent.turns.clone();
    house.call().await.answer("The harbour opens at nine, Mo.");
    house.talk(|_| "Quite so, nine it is.".into()).await;
    let second = house.store.turn(turns[1]).await.unwrap().unwrap();
    assert_eq!(second.message.as_deref(), Some("Ada has answered meanwhile"));
    let decision = house.runtime.decision(sent.message).await.unwrap();
    assert_eq!(decision.rounds.len(), 2);
    assert_eq!(texts(&decision)[1], "Bob stays silent: Ada has answered meanwhile");
}

/// An erased person leaves no name in the reasons (GR10).
#[tokio::test]
async fn gr10_a_decision_holds_no_names_of_people() {
    let house = House::with(vec![shy("ada"), shy("bob")]).await;
    for (who, text) in
        [("zoe", "I am off to the harbour now"), ("mo", "Zoe: take an umbrella"), ("zoe", "I will")]
    {
        let mut envelope = house.envelope_from(who, "terminal:default", text);
        envelope.message.author = greenroom_core::Author::User {
            id: who.parse().unwrap(),
            name: if who == "zoe" { "Zoe" } else { "Mo" }.into(),
        };
        let sent = house.send(envelope).await.unwrap();
        for stored in house.store.decisions(sent.message).await.unwrap() {
            let text = stored.decision.to_lowercase();
            assert!(!text.contains("zoe") && !text.contains(":mo"), "{text}");
        }
        assert_eq!(house.runtime.decision(sent.message).await.unwrap().rounds.len(), 1);
    }
}

#[tokio::test]
async fn rm3_a_room_may_go_round_be_quiet_or_have_a_moderator() {
    let with = |policy| settings(ChannelSettings { policy, ..Default::default() });
    let personas = || vec![shy("ada"), shy("bob"), shy("kit")];
    let mut house = House::as_wished(personas(), with(RoomPolicy::RoundRobin)).await;
    let mut order = Vec::new();
    for n in 0..3 {
        let sent = house.say(&format!("a word, please, number {n}")).await;
        order.extend(answering(&sent).into_iter().map(str::to_owned));
        house.call().await.answer(&format!("word {n}"));
        all(sent.events).await;
        house.runtime.quiet(&channel("terminal:default"), None).await.unwrap();
        house.talk(|_| "never".into()).await;
        house.runtime.lift_quiet(&channel("terminal:default")).await.unwrap();
    }
    order.sort();
    assert_eq!(order, ["ada", "bob", "kit"], "each once");

    let quiet =
        || personas().into_iter().map(|persona| Persona { room: always(&persona), ..persona }).collect();
    let house = House::as_wished(quiet(), with(RoomPolicy::Quiet)).await;
    assert!(house.say("a lovely day").await.answering.is_empty());
    assert_eq!(answering(&house.say("@kit, is it not?").await), ["kit"]);

    let wishes = Wishes { small: true, ..with(RoomPolicy::Moderator) };
    let mut house = House::as_wished(personas(), wishes).await;
    let say = tokio::spawn({
        let (runtime, envelope) = (house.runtime.clone(), house.envelope("whose turn is it?"));
        async move { runtime.send(envelope).await.map_err(|error| error.to_string()) }
    });
    let call = house.small_call().await;
    assert!(call.text().contains("whose turn is it?"));
    call.answer("Kit");
    let sent = say.await.unwrap().unwrap();
    assert_eq!(answering(&sent), ["kit"]);
}

fn always(persona: &Persona) -> greenroom_persona::RoomSettings {
    greenroom_persona::RoomSettings { answer: Answer::Always, ..persona.room.clone() }
}

#[tokio::test]
async fn rm3_a_relevant_message_is_answered_and_another_is_not() {
    let mut cook = shy("cook");
    cook.room.answer = Answer::Relevant;
    cook.room.relevance = 0.3;
    cook.prompt = "soup bread kitchen".into();
    let house = House::with(vec![cook, shy("bob")]).await;
    let sent = house.say("soup bread kitchen").await;
    assert_eq!(answering(&sent), ["cook"]);
    let other = house.say("the boat sails tomorrow").await;
    assert!(other.answering.is_empty());
}

#[tokio::test]
async fn rm1_the_usual_persona_answers_where_the_channel_is_no_room() {
    let usual = |text: &str, house: &House| Envelope {
        default_persona: Some(name("ada")),
        ..house.envelope_from("mo", "api:mo", text)
    };
    let mut house = House::with(vec![guest("ada"), guest("bob"), guest("kit")]).await;
    let sent = house.send(usual("hello", &house)).await.unwrap();
    assert_eq!(answering(&sent), ["ada"]);
    house.call().await.answer("hi");
    all(sent.events).await;
    let invited: Vec<PersonaName> = vec![name("bob"), name("kit")];
    for persona in &invited {
        house.runtime.invite(&channel("api:mo"), persona).await.unwrap();
    }
    let sent = house.send(usual("what a day", &house)).await.unwrap();
    assert!(sent.answering.is_empty(), "now it is a room, and the room decides");
}

#[tokio::test]
async fn rm2_a_message_to_an_account_of_several_personas_is_answered_by_one() {
    let mut mute = guest("ada");
    mute.room.answer = Answer::Never;
    let mut house = House::with(vec![mute, guest("bob"), guest("kit")]).await;
    for key in ["discord:1", "discord:2"] {
        for persona in ["ada", "bob", "kit"] {
            house.runtime.invite(&channel(key), &name(persona)).await.unwrap();
        }
    }
    let to_account = |house: &House, key: &str, text: &str| Envelope {
        one_of: vec![name("ada"), name("gone"), name("kit"), name("bob")],
        group: key == "discord:1",
        ..house.envelope_from("mo", key, text)
    };
    let silent = Envelope { one_of: Vec::new(), ..to_account(&house, "discord:1", "what a day") };
    assert!(house.send(silent).await.unwrap().answering.is_empty(), "it addresses no account");
    for (key, text, who, why) in [
        (
            "discord:1",
            "what a day",
            "kit",
            "Kit answers first: the message is for the bot and names no persona",
        ),
        ("discord:1", "Bob, what a day", "bob", "Bob answers first: named at the beginning"),
        ("discord:1", "and so on", "kit", "and it is the first that may answer"),
        ("discord:2", "hello there", "kit", "and it is the first that may answer"),
        ("discord:2", "@bob hello", "bob", "Bob answers first: named at the beginning"),
        ("discord:2", "how are you?", "bob", "names no persona, and it spoke last here"),
    ] {
        let sent = house.send(to_account(&house, key, text)).await.unwrap();
        assert_eq!(answering(&sent), [who], "{text}");
        house.call().await.answer("Here I am.");
        all(sent.events).await;
        // the others have received the reply, and none answers it
        house.runtime.settled().await;
        let decision = house.runtime.decision(sent.message).await.unwrap();
        let said = texts(&decision).join("\n");
        assert!(said.contains(why), "{text}: {said}");
        assert!(house.store.unfinished(Some(&channel(key))).await.unwrap().is_empty(), "one answers");
    }
}

#[tokio::test]
async fn rm1_one_person_and_one_persona_talk_until_another_person_speaks() {
    let mut house = House::with(vec![guest("ada"), guest("bob")]).await;
    house.runtime.invite(&channel("terminal:default"), &name("ada")).await.unwrap();
    for text in ["hello", "and now?"] {
        let sent = house.say(text).await;
        assert_eq!(answering(&sent), ["ada"], "nobody else is there to be meant");
        house.talk(|_| "Here I am.".into()).await;
    }
    house.runtime.invite(&channel("terminal:default"), &name("bob")).await.unwrap();
    let sent = house.say("and who is meant now?").await;
    assert!(sent.answering.is_empty(), "with two personas there it has to be said");
}

#[tokio::test]
async fn rm2_a_quiet_room_says_so_whatever_else_keeps_a_persona_silent() {
    let house = House::with(vec![guest("ada"), guest("bob")]).await;
    for who in ["ada", "bob"] {
        house.runtime.invite(&channel("terminal:default"), &name(who)).await.unwrap();
    }
    house.runtime.quiet(&channel("terminal:default"), None).await.unwrap();
    let sent = house.say("is anybody there?").await;
    assert!(sent.answering.is_empty());
    let decision = house.runtime.decision(sent.message).await.unwrap();
    assert_eq!(decision.stopped.as_deref(), Some("somebody told the room to be quiet"));
}

#[tokio::test]
async fn rm2_an_answer_that_was_withdrawn_is_explained() {
    let here = channel("terminal:default");
    let mut house = House::with(vec![persona("ada"), persona("bob")]).await;
    let sent = house.say("hello").await;
    assert_eq!(answering(&sent), ["ada", "bob"]);
    let first = house.call().await;
    house.runtime.quiet(&here, None).await.unwrap();
    first.answer("Hello!");
    until(async || house.store.unfinished(None).await.unwrap().is_empty()).await;
    let decision = house.runtime.decision(sent.message).await.unwrap();
    let texts: Vec<_> = decision.rounds[0].verdicts.iter().map(|verdict| verdict.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "Ada answers first: it answers everything",
            "Bob answers as number 2: it answers everything; it said nothing: somebody told the room to be quiet"
        ]
    );
}

/// If the program died before it was decided who answers, a message has neither a turn nor a decision. Sent again, it
/// is answered. A message that was stored as unanswered is not.
#[tokio::test]
async fn s1_a_message_that_a_crash_left_undecided_is_answered_when_it_is_sent_again() {
    let mut house = House::with(vec![persona("ada")]).await;
    let said = house.envelope("whose turn is it?");
    let plan = Plan { undecided: true, ..Plan::default() };
    let stored = house.store.accept_planned(said.message.clone(), plan).await.unwrap();
    let left = house.runtime.recover(&channel("terminal:default")).await.unwrap();
    assert_eq!(left[0].message.id, stored.message.id);
    let sent = house.runtime.send(said.clone()).await.unwrap();
    assert_eq!((sent.message, answering(&sent)), (stored.message.id, vec!["ada"]));
    house.call().await.answer("mine");
    all(sent.events).await;
    assert!(house.runtime.send(said).await.unwrap().duplicate);

    let late = Envelope { unanswered: Some(Unanswered::Late), ..house.envelope("said long ago") };
    house.runtime.send(late.clone()).await.unwrap();
    let again = house.runtime.send(Envelope { unanswered: None, ..late }).await.unwrap();
    assert!(again.duplicate && again.turns.is_empty());
}
