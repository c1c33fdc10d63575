//! Personas answer one another, and it ends (RM4, RM5).

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use greenroom_core::{Author, ChatEvent, Envelope, ErrorCode, NoticeCode};
use greenroom_models::ModelError;
use greenroom_persona::{ChannelSettings, GlobalRoom, RoomPolicy};
use greenroom_runtime::{NextEvent, RoomsSettings, RuntimeError, Sent, Topic};
use greenroom_store::{NewTurn, TurnCommit, TurnState, prelude::*};

use tokio::task::JoinHandle;

use super::house::*;

const HERE: &str = "terminal:default";

pub(super) fn limited(room: GlobalRoom) -> Wishes {
    Wishes { rooms: RoomsSettings { room, ..Default::default() }, ..Wishes::default() }
}

/// A generator of texts that never repeat.
pub(super) fn novel() -> impl FnMut(&Call) -> String {
    static SEED: AtomicU64 = AtomicU64::new(7);
    let mut n: u64 = SEED.fetch_add(0x9e37_79b9, Ordering::Relaxed);
    move |_| {
        let words = (0..6).map(|_| {
            n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            format!("{:x}", n >> 20)
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

async fn chain(house: &House) -> u32 {
    house.runtime.room(&channel(HERE)).await.unwrap().chain
}

#[tokio::test]
async fn rm4_personas_hear_and_answer_one_another_until_the_chain_ends() {
    let mut house = House::with(vec![persona("ada"), persona("bob")]).await;
    house.say("good evening").await;
    assert_eq!(house.talk(novel()).await, 4, "the default of room.chain");
    assert_eq!(chain(&house).await, 4);
    let history = house.store.history(&channel(HERE), None, 9).await.unwrap();
    let who: Vec<_> = history.iter().map(|said| said.author.name().to_owned()).collect();
    assert_eq!(who[..3], ["Mo", "ada", "bob"]);
    let last = history.last().unwrap().id;
    let decision = house.runtime.decision(last).await.unwrap();
    assert_eq!(decision.stopped.as_deref(), Some("enough was said since the last message of a person"));
    house.say("and again").await;
    assert_eq!(house.talk(novel()).await, 4, "a person begins a new chain");
}

#[tokio::test]
async fn rm4_a_failed_answer_to_a_persona_is_tried_again_and_no_other() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    let sent = house.say("ada: ask him what he thinks").await;
    house.call().await.answer("@bob, what do you think of the boat?");
    all(sent.events).await;
    house.call().await.fails(ModelError::Broken { endpoint: "puppet".into(), reason: "out".into() });
    let asked = house.store.history(&channel(HERE), None, 9).await.unwrap()[1].id;
    until(async || {
        house.store.answers(asked).await.unwrap().iter().any(|turn| turn.state == TurnState::Failed)
    })
    .await;
    let refused = house.retry(asked, "ada").await.err().unwrap();
    assert!(matches!(refused, RuntimeError::NotRetried { .. }), "{refused}");

    let again = house.retry(asked, "bob").await.unwrap();
    house.call().await.answer("It is fast, @ada.");
    all(again.events).await;
    house.runtime.room(&channel(HERE)).await.unwrap();
    assert!(house.try_call().is_none(), "the answer begins no chain");
    assert_eq!(house.said().await.last().unwrap(), "It is fast, @ada.");
    let refused = house.retry(asked, "bob").await.err().unwrap();
    assert!(matches!(refused, RuntimeError::Store(_)), "{refused}");
}

#[tokio::test]
async fn rm4_the_answer_to_a_persona_is_an_ordinary_turn() {
    let mut house = House::with(vec![shy("ada"), shy("bob")]).await;
    let sent = house.say("ada: ask him what he thinks").await;
    house.call().await.answer("@bob, what do you think of the boat?");
    all(sent.events).await;
    let call = house.call().await;
    assert_eq!(call.request.messages.last().unwrap().content, "Ada: @bob, what do you think of the boat?");
    call.answer("It is fast.");
    house.talk(novel()).await;
    let said = house.said().await;
    assert_eq!(said, ["ada: ask him what he thinks", "@bob, what do you think of the boat?", "It is fast."]);
    let asked = house.store.history(&channel(HERE), None, 9).await.unwrap()[1].id;
    let turns = house.store.answers(asked).await.unwrap();
    assert_eq!(turns.len(), 1);
    assert!(turns[0].reply.is_some() && turns[0].persona == name("bob"));
    let owed = house.store.outbox(&channel(HERE)).await.unwrap();
    assert_eq!(owed.iter().filter(|entry| entry.trigger == asked).count(), 1, "and is delivered like one");
}

#[tokio::test]
async fn rm4_limits_survive_a_restart_and_bots_count() {
    let personas = || vec![persona("ada"), persona("bob")];
    let mut house = House::with(personas()).await;
    house.say("good evening").await;
    assert_eq!(house.talk(novel()).await, 4);
    let mut house = house.again(personas(), Wishes::default()).await;
    let bot = |house: &House, text: &str| Envelope { bot: true, ..house.envelope_from("beep", HERE, text) };
    let sent = house.send(bot(&house, "@ada @bob beep")).await.unwrap();
    assert!(sent.answering.is_empty(), "a bot begins no chain");
    assert_eq!(house.talk(novel()).await, 0);
    assert_eq!(chain(&house).await, 5, "and counts as one more");
    let room = house.runtime.room(&channel(HERE)).await.unwrap();
    assert!(room.members.iter().any(|member| member.kind == greenroom_runtime::MemberKind::Bot));
    // the room remembers that it is a bot
    let sent = house.send(house.envelope_from("beep", HERE, "beep beep")).await.unwrap();
    assert!(sent.answering.is_empty());
    house.say("I am a person").await;
    assert_eq!(house.talk(novel()).await, 4);
}

#[tokio::test]
async fn rm4_pairs_and_hours_are_limited() {
    let room = GlobalRoom { chain: 50, pair: 2, ..GlobalRoom::default() };
    let mut house = House::as_wished(vec![persona("ada"), persona("bob")], limited(room)).await;
    house.say("good evening").await;
    assert_eq!(house.talk(novel()).await, 4, "two answers to the person, two to each other");
    let room = GlobalRoom { chain: 50, pair: 50, per_hour: 3, ..GlobalRoom::default() };
    let mut house = House::as_wished(vec![persona("ada"), persona("bob")], limited(room)).await;
    house.say("good evening").await;
    assert_eq!(house.talk(novel()).await, 5, "two answers to the person, three to each other");
    house.say("and now?").await;
    assert_eq!(house.talk(novel()).await, 2, "what a person asks is answered");
    house.clock.advance(Duration::from_secs(3601));
    house.say("and an hour later?").await;
    assert_eq!(house.talk(novel()).await, 5);
}

#[tokio::test]
async fn rm4_an_answer_to_which_its_persona_has_too_few_tokens_left_says_so() {
    let mut ada = persona("ada");
    ada.limits.tokens_per_hour = 40;
    let mut house = House::with(vec![ada, persona("bob")]).await;
    let mut listener = house.runtime.subscribe(Topic::Channel(channel(HERE)), None).await;
    house.say("good evening").await;
    house.talk(novel()).await;
    let told = async {
        while let Some(NextEvent::Event(event)) = listener.next().await {
            if let ChatEvent::Failed { message, .. } = &event.event
                && message.contains("left for an answer to others")
            {
                return message.contains("limits.tokens_per_hour") && !message.contains("tokens_per_answer");
            }
        }
        false
    };
    assert!(tokio::time::timeout(TOO_LONG, told).await.unwrap());
}

#[tokio::test]
async fn rm4_people_stop_it_with_a_word_that_a_restart_does_not_lift() {
    let personas = || vec![persona("ada"), persona("bob")];
    let mut house = House::with(personas()).await;
    house.say("good evening").await;
    let call = house.call().await;
    house.runtime.quiet(&channel(HERE), Some(Duration::from_secs(3600))).await.unwrap();
    call.answer("Good evening, and what a fine one it is.");
    assert_eq!(house.talk(novel()).await, 0, "what was under way is said, and nobody goes on");
    let mut house = house.again(personas(), Wishes::default()).await;
    let sent = house.say_to("ada", "are you there?").await;
    assert!(sent.answering.is_empty());
    assert!(house.runtime.room(&channel(HERE)).await.unwrap().quiet_until.is_some());
    house.clock.advance(Duration::from_secs(3601));
    house.say("and now?").await;
    assert!(house.talk(novel()).await > 0);
    house.runtime.quiet(&channel(HERE), None).await.unwrap();
    assert!(house.say("hello?").await.answering.is_empty());
    house.runtime.lift_quiet(&channel(HERE)).await.unwrap();
    house.say("hello!").await;
    assert!(house.talk(novel()).await > 0);
}

/// The process dies after the reply is stored and before it is decided who answers it, and after that is decided.
#[tokio::test]
async fn rm4_a_reply_is_followed_once_whatever_moment_the_process_dies_at() {
    let personas = || vec![shy("ada"), shy("bob")];
    let mut house = House::with(personas()).await;
    house.exchange("ada", "hello", "hi").await;
    let said = house.envelope("ada, ask Bob").message;
    let leave_a_reply = async |store: &greenroom_store_sqlite::SqliteStore| {
        let turn = NewTurn {
            id: "00000000-0000-7000-8000-000000000001".parse().unwrap(),
            persona: name("ada"),
            at: said.at,
            begins: true,
        };
        let id = turn.id;
        store.accept_planned(said.clone(), vec![turn].into()).await.unwrap();
        let commit = TurnCommit {
            text: "@bob, what do you think?".into(),
            at: said.at,
            usage: Default::default(),
            receipt: None,
            vector: None,
            sources: Default::default(),
            unhandled: true,
        };
        store.commit_turn(id, commit).await.unwrap();
    };
    let mut house = house.again_after(leave_a_reply, personas(), Wishes::default()).await;
    let left = house.runtime.recover(&channel(HERE)).await.unwrap();
    assert_eq!(left, [], "there is nothing for a person to do about it");
    let call = house.call().await;
    assert_eq!(call.request.messages.last().unwrap().content, "Ada: @bob, what do you think?");
    call.answer("Nothing at all.");
    assert_eq!(house.talk(novel()).await, 0);
    let mut house = house.again(personas(), Wishes::default()).await;
    assert_eq!(house.runtime.recover(&channel(HERE)).await.unwrap(), []);
    assert_eq!(house.talk(novel()).await, 0, "it was followed");
    let replies = house.said().await.iter().filter(|text| *text == "Nothing at all.").count();
    assert_eq!(replies, 1);
}

#[tokio::test]
async fn rm4_an_answer_takes_no_more_tokens_than_its_room_grants() {
    let room = GlobalRoom { tokens_per_answer: 1_500, ..GlobalRoom::default() };
    let mut house = House::as_wished(vec![shy("ada"), shy("bob")], limited(room)).await;
    let long = "the harbour is full of boats and every one of them has a name ".repeat(10);
    for _ in 0..14 {
        house.say(&long).await;
    }
    house.say("@ada, and now?").await;
    let call = house.call().await;
    let most = call.request.prompt_tokens + u64::from(call.request.max_output_tokens);
    assert!(most <= 1_500, "{most}");
    call.answer("Boats, boats, boats.");
    house.talk(novel()).await;
}

fn moderated(room: GlobalRoom) -> Wishes {
    let entry = ChannelSettings { policy: RoomPolicy::Moderator, ..Default::default() };
    let rooms = RoomsSettings { room, channels: vec![entry] };
    Wishes { small: true, rooms, ..Wishes::default() }
}

/// Says something in a room with a moderator, whose answer the test controls.
fn say_to_moderator(house: &House, text: &str) -> JoinHandle<Sent> {
    let (runtime, envelope) = (house.runtime.clone(), house.envelope(text));
    tokio::spawn(async move { runtime.send(envelope).await.unwrap() })
}

#[tokio::test]
async fn rm4_the_moderator_takes_from_what_the_answer_may_take() {
    let room = GlobalRoom { tokens_per_answer: 1_500, chain: 2, ..GlobalRoom::default() };
    let mut house = House::as_wished(vec![shy("ada"), shy("bob")], moderated(room)).await;
    let sent = say_to_moderator(&house, "who wants tea?");
    house.small_call().await.answer("Ada");
    sent.await.unwrap();
    let call = house.call().await;
    let most = call.request.prompt_tokens + u64::from(call.request.max_output_tokens);
    assert!(most <= 1_500 - 110, "the moderator took 110, so {most} is too much");
    call.answer("I do.");
    // the moderator decides about the reply too, and its cost takes the second place of the chain
    house.small_call().await.answer("nobody");
    until(async || chain(&house).await == 2).await;
    let sent = say_to_moderator(&house, "and cake?");
    house.small_call().await.answer("nobody");
    assert!(sent.await.unwrap().answering.is_empty());
    assert_eq!(chain(&house).await, 1);
}

#[tokio::test]
async fn rm4_what_is_left_for_a_small_model_is_a_limit_for_it() {
    let room = GlobalRoom { tokens_per_answer: 100, ..GlobalRoom::default() };
    let mut house = House::as_wished(vec![shy("ada"), shy("bob")], moderated(room)).await;
    let sent = say_to_moderator(&house, "what a day").await.unwrap();
    assert!(sent.answering.is_empty(), "as in a free room");
    assert!(!house.small_was_called(), "its question alone is longer");
}

#[tokio::test]
async fn rm4_a_small_grant_leaves_tools_out_and_answers() {
    let room = GlobalRoom { tokens_per_answer: 400, ..GlobalRoom::default() };
    let mut ada = shy("ada");
    ada.tools = vec!["recall".into(), "remember".into()];
    let mut house = House::as_wished(vec![ada, shy("bob")], limited(room)).await;
    let sent = house.say("@ada, hello").await;
    let call = house.call().await;
    assert!(call.request.tools.is_empty());
    call.answer("Hello.");
    let events = all(sent.events).await;
    let told = notices(&events, NoticeCode::ToolsCutOff);
    assert!(told.iter().any(|text| text.contains("room.tokens_per_answer")), "{told:?}");

    let room = GlobalRoom { tokens_per_answer: 20, ..GlobalRoom::default() };
    let house = House::as_wished(vec![shy("ada"), shy("bob")], limited(room)).await;
    let events = all(house.say("@ada, hello").await.events).await;
    let (code, message) = failure(&events);
    assert_eq!(code, ErrorCode::BudgetExceeded, "{message}");
}

#[tokio::test]
async fn rm4_what_may_still_be_spent_is_passed_on() {
    let mut ada = persona("ada");
    ada.limits.tokens_per_hour = 100_000;
    let mut bob = persona("bob");
    bob.limits.tokens_per_hour = 150;
    let mut house = House::with(vec![ada, bob]).await;
    // one call of the model takes 110 tokens, so that none remain for a second answer of Bob
    house.say("good evening").await;
    house.talk(novel()).await;
    let history = house.store.history(&channel(HERE), None, 20).await.unwrap();
    let of = |who: &str| {
        history
            .iter()
            .filter(|m| matches!(&m.author, Author::Persona { name } if name.as_str() == who))
            .count()
    };
    assert!(of("bob") <= 1, "{}", of("bob"));
}

#[tokio::test]
async fn rm4_an_answer_to_a_persona_takes_no_more_than_its_author_may_still_spend() {
    let long = "the harbour is full of boats and every one of them has a name ".repeat(10);
    let most = |limit: fn(&mut greenroom_persona::Persona)| {
        let long = long.clone();
        async move {
            let mut bob = shy("bob");
            limit(&mut bob);
            let mut house = House::with(vec![shy("ada"), bob]).await;
            for _ in 0..14 {
                house.say(&long).await;
            }
            house.say("@ada, and now?").await;
            house.call().await.answer("@bob, tell us.");
            let call = house.call().await;
            let most = call.request.prompt_tokens + u64::from(call.request.max_output_tokens);
            call.answer("Boats, boats, boats.");
            most
        }
    };
    assert!(most(|_| ()).await > 1_500);
    let by_tokens = most(|bob| bob.limits.tokens_per_hour = 1_500).await;
    assert!(by_tokens <= 1_500, "{by_tokens}");
    // a token costs at most 0.05
    let by_cost = most(|bob| bob.limits.cost_per_day = 75.0).await;
    assert!(by_cost <= 1_500, "{by_cost}");
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Live rooms that try to talk for ever: personas that answer everything and name each other, bots that answer back,
/// restarts in the middle. The floor crate does the same for a million rooms without actors.
#[tokio::test]
async fn rm5_rooms_become_silent_within_the_printed_bound() {
    for seed in 0..6 {
        let mut random = Random(seed * 977 + 5);
        let names: Vec<String> = (0..2 + random.below(7)).map(|n| format!("p{n}")).collect();
        let personas = || names.iter().map(|name| persona(name)).collect::<Vec<_>>();
        let room = GlobalRoom {
            chain: random.below(9) as u32,
            pair: 1 + random.below(4) as u32,
            per_hour: 5 + random.below(60) as u32,
            ..GlobalRoom::default()
        };
        let mut house = House::as_wished(personas(), limited(room.clone())).await;
        let mut texts = novel();
        for _ in 0..3 {
            house.say(&format!("{}: and what do you all think?", names[random.below(2) as usize])).await;
            let bound = house.runtime.room(&channel(HERE)).await.unwrap().bound;
            assert_eq!(bound.replies, room.chain);
            let mut answers = 0;
            for _ in 0..1 + random.below(3) {
                let whom = names[random.below(names.len() as u64) as usize].clone();
                answers += house.talk(|call| format!("{whom}: {}", texts(call))).await;
                match random.below(3) {
                    0 => house = house.again(personas(), limited(room.clone())).await,
                    1 => {
                        let text = format!("{whom}: beep {answers}");
                        let bot = Envelope { bot: true, ..house.envelope_from("beep", HERE, &text) };
                        house.send(bot).await.unwrap();
                    }
                    _ => {}
                }
                house.runtime.recover(&channel(HERE)).await.unwrap();
            }
            answers += house.talk(&mut texts).await;
            assert!(answers <= bound.replies as usize, "seed {seed}: {answers} of {bound:?}");
        }
    }
}

#[tokio::test]
async fn rm5_people_who_speak_while_answers_wait_add_none_to_the_bound() {
    let names = ["ada", "bob", "cy", "dan", "eve", "flo"];
    let mut house = House::with(names.map(persona).to_vec()).await;
    let mut texts = novel();
    let first = house.say("good evening").await;
    let running = house.call().await;
    for text in ["how are you all?", "is anybody here?", "hello?"] {
        house.say(text).await;
    }
    let bound = house.runtime.room(&channel(HERE)).await.unwrap().bound;
    let text = texts(&running);
    running.answer(&text);
    let answers = 1 + house.talk(texts).await;
    assert_eq!(
        answers, bound.replies as usize,
        "the one that was under way counts, and those that waited are over"
    );
    let cancelled = house.store.answers(first.message).await.unwrap();
    let overtaken = cancelled.iter().filter(|turn| turn.state == TurnState::Cancelled);
    assert!(overtaken.clone().count() > 0);
    assert!(
        overtaken.clone().all(|turn| turn.message.as_deref() == Some("a person has spoken meanwhile")),
        "{cancelled:?}"
    );
}

#[tokio::test]
async fn rm5_what_people_ask_is_answered_although_others_speak_meanwhile() {
    let room = GlobalRoom { chain: 1, ..GlobalRoom::default() };
    let mut house = House::as_wished(vec![shy("ada"), persona("bob")], limited(room)).await;
    let mut texts = novel();
    house.say("good evening").await;
    let bob = house.call().await;
    let asked = house.say("ada: one?").await;
    assert_eq!(asked.answering[0].0, name("ada"), "a place is left for what is asked");
    let again = house.say("ada: two?").await;
    house.say("what a day").await;
    let text = texts(&bob);
    bob.answer(&text);
    house.talk(texts).await;
    for sent in [asked, again] {
        let turns = house.store.answers(sent.message).await.unwrap();
        assert!(turns.iter().any(|turn| turn.reply.is_some()), "{turns:?}");
    }
}
