//! What a turn recalls, and what it must not see.

use std::sync::atomic::Ordering;

use greenroom_core::Envelope;
use greenroom_core::{ChatEvent, Kind, NoticeCode, Scope, Source, Tier, Trust, Viewer};
use greenroom_memory::Remember;
use greenroom_persona::Follow;

use super::house::*;

#[tokio::test]
async fn bd10_one_recall_serves_every_tool_round_of_a_turn() {
    let mut house = House::with(vec![persona("ada")]).await;
    house.exchange("ada", "Remember that the harbour opens at nine", "Noted.").await;
    let sent = house.say("When does the harbour open?").await;
    let first = house.call().await;
    assert!(first.text().contains("the harbour opens at nine"));
    // without the embedder, a second recall would find nothing
    house.embedder_down.store(true, Ordering::SeqCst);
    first.wants(&[("recall", r#"{"query":"harbour"}"#)]);
    let second = house.call().await;
    assert!(second.text().contains("the harbour opens at nine"));
    second.answer("At nine.");
    let kinds = kinds(&all(sent.events).await);
    assert_eq!(kinds.iter().filter(|kind| *kind == "memory_context").count(), 1);
}

#[tokio::test]
async fn as13_what_somebody_asks_to_remember_is_remembered_before_the_reply() {
    let mut house = House::with(vec![persona("ada")]).await;
    let events = house.exchange("ada", "Remember that I prefer concise responses", "I will.").await;
    let notice = events.iter().find_map(|e| match e {
        ChatEvent::Notice { code: NoticeCode::Remembered, message } => Some(message.as_str()),
        _ => None,
    });
    assert_eq!(notice, Some("remembered as m1: I prefer concise responses"));
    let sent = house.say("What communication style do I prefer?").await;
    let call = house.call().await;
    assert!(call.text().contains("I prefer concise responses"));
    call.answer("Concise.");
    all(sent.events).await;
}

#[tokio::test]
async fn bd6_a_message_can_switch_memory_off_for_itself() {
    let mut house = House::with(vec![persona("ada")]).await;
    house.exchange("ada", "Remember that the harbour opens at nine", "Noted.").await;
    let envelope = Envelope { disable_memory: true, ..house.envelope("When does the harbour open?") };
    let sent = house.send(envelope).await.unwrap();
    let call = house.call().await;
    assert!(!call.text().contains("Relevant Memories"));
    assert!(call.request.tools.is_empty(), "nor may it look for itself");
    call.answer("I do not know.");
    assert!(!kinds(&all(sent.events).await).contains(&"memory_context".to_owned()));
}

#[tokio::test]
async fn bd6_each_message_of_a_burst_speaks_for_itself() {
    let mut house = House::with(vec![persona("ada")]).await;
    let first = house.say("hello").await;
    let call = house.call().await;
    let text = "Remember that the harbour opens at nine";
    let off = house.send(Envelope { disable_memory: true, ..house.envelope(text) }).await.unwrap();
    let on = house.say("Remember that I prefer concise responses").await;
    call.answer("hi");
    all(first.events).await;
    house.call().await.answer("Noted.");
    let noticed = all(on.events).await.into_iter().filter_map(|event| match event {
        ChatEvent::Notice { code: NoticeCode::Remembered, message } => Some(message),
        _ => None,
    });
    let noticed: Vec<_> = noticed.collect();
    assert!(matches!(&noticed[..], [one] if one.ends_with(": I prefer concise responses")), "{noticed:?}");
    all(off.events).await;
}

#[tokio::test]
async fn fg17_a_persona_without_memory_recalls_nothing_and_has_no_memory_tools() {
    let mut ada = persona("ada");
    ada.memory.enabled = false;
    let mut house = House::with(vec![ada]).await;
    house.exchange("ada", "Remember that the harbour opens at nine", "I cannot.").await;
    let sent = house.say("When does the harbour open?").await;
    let call = house.call().await;
    assert!(call.request.tools.is_empty());
    assert!(!call.text().contains("Relevant Memories"));
    call.answer("I do not know.");
    all(sent.events).await;
}

#[tokio::test]
async fn l20_without_its_embedder_a_turn_goes_on_and_says_so() {
    let mut house = House::with(vec![persona("ada")]).await;
    house.embedder_down.store(true, Ordering::SeqCst);
    let events = house.exchange("ada", "hello", "hi").await;
    assert!(events.iter().any(|e| matches!(e, ChatEvent::Notice { code: NoticeCode::MemoryDegraded, .. })));
    assert_eq!(reply(&events), "hi");
    let Some(ChatEvent::ContextAssembled { receipt }) =
        events.iter().find(|e| matches!(e, ChatEvent::ContextAssembled { .. }))
    else {
        panic!("{events:?}")
    };
    assert!(receipt.notes.iter().any(|note| note.contains("it is down")), "{:?}", receipt.notes);
}

/// In whatever words; a group and another person learn nothing of it.
#[tokio::test]
async fn mp1_what_a_person_tells_one_to_one_reaches_the_request_of_their_other_chat() {
    let mut house = House::with(vec![persona("ada")]).await;
    let mut ask = async |user: &str, place: &str, text: &str| {
        let sent = house.send(house.envelope_from(user, place, text)).await.unwrap();
        let call = house.call().await;
        let request = call.text();
        call.answer("Fine.");
        all(sent.events).await;
        request
    };
    let told = "the spare key hangs behind the fern";
    ask("mo", "terminal:one", told).await;
    let where_is_it = "where is the spare key?";
    assert!(ask("mo", "terminal:two", where_is_it).await.contains(told));
    assert!(!ask("kim", "terminal:four", where_is_it).await.contains(told), "not told by kim");
    ask("kim", "terminal:five", "hello").await;
    assert!(!ask("mo", "terminal:five", where_is_it).await.contains(told), "kim listens");
    assert!(ask("mo", "terminal:six", where_is_it).await.contains(told));
}

/// Every memory and message contains its own word. A request contains the words of its own scope alone.
#[tokio::test]
async fn x6_wb10_memories_of_another_channel_or_persona_never_reach_a_request() {
    let personas = ["ada", "bob", "eve"];
    let channels = ["terminal:one", "terminal:two", "terminal:three"];
    let kept_in_its_channel = |who| {
        let mut persona = shy(who);
        persona.memory.follow = Follow::Channel;
        persona
    };
    let mut house = House::with(personas.map(kept_in_its_channel).to_vec()).await;
    for who in personas {
        for place in channels {
            let viewer = Viewer::new(name(who), channel(place), Some("mo".parse().unwrap()));
            let here = format!("the secret word is {who}{}channel", &place[9..]);
            remember(&house, &viewer, &here, Scope::Channel(channel(place))).await;
        }
        let viewer = Viewer::new(name(who), channel("terminal:one"), None);
        remember(&house, &viewer, &format!("the secret word is {who}global"), Scope::Global).await;
        let other = format!("the secret word is {who}stranger");
        let viewer = Viewer::new(name(who), channel("terminal:one"), Some("stranger".parse().unwrap()));
        remember(&house, &viewer, &other, Scope::User("terminal:stranger".parse().unwrap())).await;
    }
    for who in personas {
        for place in channels {
            let to = Some(name(who));
            let asked = format!("what is the secret word? asked{who}{}", &place[9..]);
            let envelope = Envelope { to, ..house.envelope_from("mo", place, &asked) };
            let sent = house.send(envelope).await.unwrap();
            let call = house.call().await;
            let text = call.text();
            assert!(text.contains(&format!("{who}{}channel", &place[9..])), "{text}");
            assert!(text.contains(&format!("{who}global")), "{text}");
            assert!(!text.contains("stranger"), "another user's: {text}");
            for other in personas.iter().filter(|p| **p != who) {
                for scope in ["onechannel", "twochannel", "threechannel", "global"] {
                    assert!(!text.contains(&format!("{other}{scope}")), "{other}'s: {text}");
                }
            }
            for elsewhere in channels.iter().filter(|c| **c != place) {
                assert!(!text.contains(&format!("{who}{}channel", &elsewhere[9..])), "{elsewhere}: {text}");
                for anybody in personas {
                    assert!(
                        !text.contains(&format!("asked{anybody}{}", &elsewhere[9..])),
                        "{elsewhere}: {text}"
                    );
                }
            }
            call.answer("I will not say.");
            all(sent.events).await;
        }
    }
}

async fn remember(house: &House, viewer: &Viewer, text: &str, scope: Scope) {
    let statement = Remember {
        text: text.into(),
        kind: Kind::default(),
        tier: Tier::Semantic,
        scope,
        source: Source { via: "cli".into(), message: None, user: None },
        trust: Trust::Operator,
        key: None,
        expires_in: None,
    };
    house.memory.remember(viewer, statement).await.unwrap();
}

#[tokio::test]
async fn fg17_what_is_said_to_a_persona_without_memory_is_never_embedded() {
    let (mut ada, bob) = (persona("ada"), shy("bob"));
    ada.memory.enabled = false;
    let mut house = House::with(vec![ada.clone(), bob.clone()]).await;
    house.exchange("ada", "the harbour opens at nine", "I see.").await;
    let house = house.again(vec![ada.clone()], Wishes::default()).await;
    assert_eq!(house.unembedded().await, 2, "nobody here has a memory");
    let mut house = house.again(vec![ada, bob], Wishes::default()).await;
    house.runtime.set_personas(vec![shy("bob")]).await;
    assert_eq!(house.unembedded().await, 2, "bob has one, and did not answer here");
    house.exchange("bob", "hello", "hi").await;
    until(async || house.unembedded().await == 0).await;
}
