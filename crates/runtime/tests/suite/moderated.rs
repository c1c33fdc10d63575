//! A room with a moderator: what it is asked, and what happens to messages while it thinks (RM3).

use greenroom_core::Envelope;
use greenroom_persona::{ChannelSettings, RoomPolicy};
use greenroom_store::{Erase, Quotes, prelude::*};

use super::{
    house::*,
    rooms::{answering, settings},
};

/// A moderator may think for seconds. Meanwhile the room carries out people's commands, and messages keep their order.
#[tokio::test]
async fn rm3_a_moderator_that_thinks_holds_nobody_up() {
    let entry = ChannelSettings { policy: RoomPolicy::Moderator, ..Default::default() };
    let wishes = Wishes { small: true, ..settings(entry) };
    let mut house = House::as_wished(vec![shy("ada"), shy("bob"), shy("kit")], wishes).await;
    let here = channel("terminal:default");
    let say = |house: &House, text: &str| {
        let (runtime, envelope) = (house.runtime.clone(), house.envelope(text));
        tokio::spawn(async move { runtime.send(envelope).await.unwrap() })
    };
    let first = say(&house, "whose turn is it?");
    let about_first = house.small_call().await;
    house.runtime.quiet(&here, None).await.unwrap();
    house.runtime.lift_quiet(&here).await.unwrap();
    let second = say(&house, "and then?");
    house.runtime.leave(&here, &name("bob")).await.unwrap();
    about_first.answer("Kit, Bob");
    assert_eq!(answering(&first.await.unwrap()), ["kit"], "Bob has gone meanwhile");
    let about_second = house.small_call().await;
    assert!(about_second.text().contains("and then?"));
    about_second.answer("ada");
    assert_eq!(answering(&second.await.unwrap()), ["ada"]);
    assert_eq!(house.said().await[..2], ["whose turn is it?", "and then?"]);
}

/// A message that the moderator is asked about is stored, and so are those behind it. No crash loses them, a repeat
/// counts as the same message, and the moderator is paid once.
#[tokio::test]
async fn s1_a_message_is_stored_before_the_moderator_answers() {
    let entry = ChannelSettings { policy: RoomPolicy::Moderator, ..Default::default() };
    let wishes = Wishes { small: true, ..settings(entry) };
    let mut house = House::as_wished(vec![shy("ada"), shy("bob")], wishes).await;
    let send = |envelope: &Envelope| {
        let (runtime, envelope) = (house.runtime.clone(), envelope.clone());
        tokio::spawn(async move { runtime.send(envelope).await })
    };
    let first = house.envelope("whose turn is it?");
    let behind = Envelope { disable_memory: true, ..house.envelope("and then?") };
    let (one, two, repeat) = (send(&first), send(&behind), send(&first));
    let call = house.small_call().await;
    until(async || house.said().await.len() == 2).await;
    assert_eq!(house.said().await, ["whose turn is it?", "and then?"]);
    let undecided = house.store.unfinished(None).await.unwrap();
    assert_eq!(undecided.iter().filter(|left| left.turn.is_none()).count(), 2, "a restart finds both");
    call.answer("nobody");
    let call = house.small_call().await;
    assert!(call.text().contains("and then?"), "the repeat is not asked about");
    call.answer("nobody");
    let (one, two, repeat) =
        (one.await.unwrap().unwrap(), two.await.unwrap().unwrap(), repeat.await.unwrap());
    let repeat = repeat.unwrap();
    assert!(repeat.duplicate && repeat.message == one.message && one.message < two.message);
    assert!(house.store.unfinished(None).await.unwrap().is_empty());
}

/// A message that was erased while the moderator thought does not come back with its choice.
#[tokio::test]
async fn gr10_a_message_erased_while_the_moderator_thinks_stays_erased() {
    let entry = ChannelSettings { policy: RoomPolicy::Moderator, ..Default::default() };
    let wishes = Wishes { small: true, ..settings(entry) };
    let mut house = House::as_wished(vec![shy("ada"), shy("bob")], wishes).await;
    let said = house.envelope("my secret is a red door");
    let sent = tokio::spawn({
        let runtime = house.runtime.clone();
        async move { runtime.send(said).await.map(|_| ()).map_err(|error| error.to_string()) }
    });
    let call = house.small_call().await;
    house.store.erase(&Erase::Channel(channel("terminal:default")), Quotes::Stay).await.unwrap();
    call.answer("ada");
    assert!(sent.await.unwrap().is_err());
    assert!(house.said().await.is_empty());
}

#[tokio::test]
async fn rm3_a_room_without_a_moderator_says_so() {
    let entry = || ChannelSettings { policy: RoomPolicy::Moderator, ..Default::default() };
    let here = channel("terminal:default");
    let house = House::as_wished(vec![shy("ada"), shy("bob")], settings(entry())).await;
    house.say("hello").await;
    let problem = house.runtime.room(&here).await.unwrap().problem;
    assert!(problem.unwrap().contains("set `memory.hyde.model`"));

    let mut bob = shy("bob");
    bob.memory.hyde.model = Some("small".into());
    let house = House::as_wished(vec![shy("ada"), bob], settings(entry())).await;
    house.say("hello").await;
    assert_eq!(house.runtime.room(&here).await.unwrap().problem, None);
}

#[tokio::test]
async fn rm3_a_persona_in_its_turn_is_not_asked_by_a_moderated_room_to_answer_the_reply_before_it() {
    let here = ChannelSettings {
        pattern: "terminal:default".into(),
        policy: RoomPolicy::Moderator,
        ..Default::default()
    };
    let cooled = |name: &str| {
        let mut persona = persona(name);
        persona.room.cooldown = std::time::Duration::from_secs(30);
        persona
    };
    let mut house = House::as_wished(vec![cooled("ada"), cooled("bob")], settings(here)).await;
    let sent = house.say("anything about roses?").await;
    assert_eq!(answering(&sent), ["ada", "bob"], "there is no moderator: as in a free room");
    house.call().await.answer("I have one.");
    let second = house.call().await;
    // its turn runs, so the room decides now who answers the reply to the first message
    until(async || house.store.unfinished(None).await.unwrap().len() == 1).await;
    second.answer("So have I.");
    house.talk(|_| "And another one.".into()).await;
    assert_eq!(house.said().await, ["anything about roses?", "I have one.", "So have I."]);
}
