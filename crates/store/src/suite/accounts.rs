//! Deliveries to chat platforms, and the cursors of accounts.

use greenroom_core::{ChannelKey, Message, Platform};

use super::given::{NOW, channel, later, persona, planned, reply, running, said, said_by, turn_id, user};
use crate::{AnsweredEvent, DeliveryState, DeliveryStep, Erase, PersonActivity, Quotes, Retraction, Store};

/// Bo says something on IRC, and Ada replies.
async fn replied(store: &dyn Store, key: &str, event: &str, text: &str) -> Message {
    let message = store.accept(said(key, event, "hello", NOW)).await.unwrap().message;
    let turn = running(store, &message).await;
    store.commit_turn(turn, reply(text)).await.unwrap();
    message
}

/// Vesper answers the reply to a message.
async fn vesper_joins(store: &dyn Store, message: &Message, text: &str) {
    let told = store.history(&message.channel, None, 9).await.unwrap().pop().unwrap();
    let turn = planned("vesper");
    let id = turn.id;
    store.plan_turns(told.id, vec![turn].into()).await.unwrap();
    store.begin_turn(id, NOW).await.unwrap();
    store.commit_turn(id, reply(text)).await.unwrap();
}

fn tea() -> ChannelKey {
    channel("irc:net/#tea")
}

fn part(number: u32, event_id: Option<&str>, uncertain: Option<&str>, last: bool) -> DeliveryStep {
    let uncertain = uncertain.map(str::to_owned);
    DeliveryStep::Part { number, event_id: event_id.map(str::to_owned), uncertain, last }
}

async fn next(store: &dyn Store) -> Vec<(String, Vec<u32>)> {
    let next = store.next_deliveries(Platform::Irc, 0, 9).await.unwrap();
    next.into_iter().map(|delivery| (delivery.reply.text, delivery.over)).collect()
}

/// The oldest reply of each channel comes next; a dead reply does not block later ones.
pub async fn ad1_replies_of_a_channel_are_delivered_in_order(store: &dyn Store) {
    replied(store, "irc:net/#tea", "e1", "one").await;
    replied(store, "irc:net/#tea", "e2", "two").await;
    replied(store, "irc:net/#tea", "e3", "three").await;
    replied(store, "irc:net/#den", "e1", "den").await;
    replied(store, "terminal:default", "e1", "shown").await;
    assert_eq!(next(store).await, [("one".into(), vec![]), ("den".into(), vec![])]);
    assert_eq!(store.next_deliveries(Platform::Irc, 0, 1).await.unwrap().len(), 1);
    assert_eq!(store.next_deliveries(Platform::Slack, 0, 9).await.unwrap(), []);
    let first = &store.next_deliveries(Platform::Irc, 0, 9).await.unwrap()[0];
    let behind = store.next_deliveries(Platform::Irc, first.id, 9).await.unwrap();
    assert_eq!(
        behind.iter().map(|d| d.reply.text.as_str()).collect::<Vec<_>>(),
        ["den"],
        "not the second of #tea"
    );
    assert_eq!(store.next_deliveries(Platform::Irc, behind[0].id, 9).await.unwrap(), []);
    assert_eq!(first.answers, Some(AnsweredEvent { event_id: "e1".into(), persona: None }));
    assert!(store.step_delivery(first.id, part(0, Some("p0"), None, false), later(2)).await.unwrap());
    assert_eq!(next(store).await[0], ("one".into(), vec![0]));
    assert!(store.step_delivery(first.id, part(1, Some("p1"), None, true), later(2)).await.unwrap());
    assert!(!store.step_delivery(first.id, part(1, None, None, true), later(3)).await.unwrap(), "it is over");
    let second = store.next_deliveries(Platform::Irc, 0, 9).await.unwrap();
    assert_eq!(second.iter().map(|d| d.reply.text.as_str()).collect::<Vec<_>>(), ["two", "den"]);
    assert!(
        store.step_delivery(second[0].id, DeliveryStep::Dead("no such chat".into()), later(4)).await.unwrap()
    );
    assert_eq!(next(store).await, [("three".into(), vec![]), ("den".into(), vec![])]);
    assert!(!store.step_delivery(99, DeliveryStep::Begun, later(4)).await.unwrap());
}

/// A reply that answers another reply names it by the platform's id of its last sent part.
pub async fn ad1_a_reply_to_a_reply_names_it_by_the_platforms_id(store: &dyn Store) {
    let first = replied(store, "irc:net/#tea", "e1", "one").await;
    vesper_joins(store, &first, "two").await;
    let next = async || store.next_deliveries(Platform::Irc, 0, 9).await.unwrap().remove(0);
    let id = next().await.id;
    for step in [part(0, Some("p0"), None, false), part(1, Some("p1"), None, false)] {
        assert!(store.step_delivery(id, step, later(2)).await.unwrap());
    }
    assert!(
        store.step_delivery(id, part(2, None, Some("the connection broke"), true), later(2)).await.unwrap()
    );
    let ada = AnsweredEvent { event_id: "p1".into(), persona: Some(persona("ada")) };
    assert_eq!((next().await.reply.text.as_str(), next().await.answers), ("two", Some(ada)));
    // a reply of which the platform has no part has no id there
    let second = replied(store, "irc:net/#den", "e2", "gone").await;
    vesper_joins(store, &second, "three").await;
    let id = store.next_deliveries(Platform::Irc, 0, 9).await.unwrap()[1].id;
    assert!(store.step_delivery(id, DeliveryStep::Dead("banned".into()), later(2)).await.unwrap());
    let three = store.next_deliveries(Platform::Irc, 0, 9).await.unwrap().remove(1);
    assert_eq!((three.reply.text.as_str(), three.answers), ("three", None));
}

/// A part that was being sent is recognised by the stored moment at which it began.
pub async fn ad1_a_part_that_was_begun_is_found_after_a_crash(store: &dyn Store) {
    replied(store, "irc:net/#tea", "e1", "one").await;
    let id = store.next_deliveries(Platform::Irc, 0, 9).await.unwrap()[0].id;
    assert!(!store.step_delivery(id, DeliveryStep::NotSent, later(2)).await.unwrap(), "nothing was begun");
    assert!(store.step_delivery(id, DeliveryStep::Begun, later(2)).await.unwrap());
    let begun = store.next_deliveries(Platform::Irc, 0, 9).await.unwrap();
    assert_eq!(begun[0].begun_at, Some(later(2)));
    assert!(store.step_delivery(id, DeliveryStep::NotSent, later(3)).await.unwrap());
    assert_eq!(store.next_deliveries(Platform::Irc, 0, 9).await.unwrap()[0].begun_at, None);
}

/// An operator sees these deliveries, and resends or drops them. Only the uncertain parts are sent again.
pub async fn ad1_what_is_uncertain_or_dead_is_shown_and_sent_again_or_dropped(store: &dyn Store) {
    replied(store, "irc:net/#tea", "e1", "long").await;
    replied(store, "irc:net/#tea", "e2", "bad").await;
    replied(store, "terminal:default", "e1", "shown").await;
    let id = store.next_deliveries(Platform::Irc, 0, 9).await.unwrap()[0].id;
    for step in [
        part(0, Some("p0"), None, false),
        part(1, None, Some("the connection broke"), false),
        part(2, Some("p2"), None, true),
    ] {
        assert!(store.step_delivery(id, step, later(2)).await.unwrap());
    }
    let bad = store.next_deliveries(Platform::Irc, 0, 9).await.unwrap()[0].id;
    assert!(store.step_delivery(bad, DeliveryStep::Dead("banned".into()), later(2)).await.unwrap());
    let open = store.open_deliveries(9).await.unwrap();
    let shown: Vec<_> = open.iter().map(|d| (d.id, d.state, d.why.as_deref(), d.text.as_str())).collect();
    assert_eq!(
        shown,
        [
            (id, DeliveryState::Uncertain, Some("the connection broke"), "long"),
            (bad, DeliveryState::Dead, Some("banned"), "bad")
        ]
    );
    assert_eq!(next(store).await, []);
    assert!(store.step_delivery(id, DeliveryStep::Resend, later(3)).await.unwrap());
    assert_eq!(next(store).await, [("long".into(), vec![0, 2])]);
    assert!(store.step_delivery(id, part(1, Some("p1"), None, true), later(4)).await.unwrap());
    assert!(store.step_delivery(bad, DeliveryStep::Drop, later(4)).await.unwrap());
    assert!(!store.step_delivery(bad, DeliveryStep::Resend, later(4)).await.unwrap());
    assert_eq!(store.open_deliveries(9).await.unwrap(), []);
}

/// People reply to a message, edit it and delete it by this id.
pub async fn ad1_a_message_is_found_by_the_platforms_id(store: &dyn Store) {
    let message = replied(store, "irc:net/#tea", "e1", "one").await;
    let id = store.next_deliveries(Platform::Irc, 0, 9).await.unwrap()[0].id;
    store.step_delivery(id, part(0, Some("p0"), None, true), later(2)).await.unwrap();
    let of = async |key: &ChannelKey, event: &str| store.message_of_event(key, event).await.unwrap();
    assert_eq!(of(&tea(), "e1").await.as_ref(), Some(&message));
    assert_eq!(of(&tea(), "p0").await.unwrap().text, "one");
    assert_eq!(of(&channel("irc:net/#den"), "p0").await, None);
    assert_eq!(of(&tea(), &format!("turn:{}", turn_id())).await, None);
    let thread = channel("irc:net/#tea:7");
    assert_eq!(store.message_in_chat(&thread, "e1").await.unwrap().as_ref(), Some(&message));
    for (chat, event) in [(&thread, "p0"), (&channel("irc:net/#den"), "e1")] {
        assert_eq!(store.message_in_chat(chat, event).await.unwrap(), None);
    }
    store.erase(&Erase::Message(message.id), Quotes::Stay).await.unwrap();
    assert_eq!((of(&tea(), "e1").await, of(&tea(), "p0").await), (None, None));
}

/// The platform is asked to delete exactly the replies that are erased with a message, including replies to replies.
pub async fn ad1_the_replies_that_go_with_a_message_are_those_that_are_erased_with_it(store: &dyn Store) {
    let message = replied(store, "irc:net/#tea", "e1", "one").await;
    vesper_joins(store, &message, "two").await;
    replied(store, "irc:net/#tea", "e2", "another").await;
    for event in ["p0", "p1", "p2"] {
        let id = store.next_deliveries(Platform::Irc, 0, 9).await.unwrap()[0].id;
        assert!(store.step_delivery(id, part(0, Some(event), None, true), later(2)).await.unwrap());
    }
    let owed = async |platform| store.retractions(platform, 0, 9).await.unwrap();
    assert_eq!(owed(Platform::Irc).await, []);
    store.erase(&Erase::Message(message.id), Quotes::Stay).await.unwrap();
    let of = |id: i64, name: &str, event: &str| Retraction {
        id,
        channel: tea(),
        persona: persona(name),
        event_id: event.to_owned(),
    };
    assert_eq!(owed(Platform::Irc).await, [of(1, "ada", "p0"), of(2, "vesper", "p1")]);
    assert_eq!(
        (store.retractions(Platform::Irc, 0, 1).await.unwrap().len(), owed(Platform::Slack).await),
        (1, vec![])
    );
    assert_eq!(store.retractions(Platform::Irc, 1, 9).await.unwrap(), [of(2, "vesper", "p1")]);
    store.retract(&tea(), &persona("ada"), "p9").await.unwrap();
    store.retracted(1).await.unwrap();
    assert_eq!(owed(Platform::Irc).await, [of(2, "vesper", "p1"), of(3, "ada", "p9")]);
    let left: Vec<_> = store.history(&tea(), None, 9).await.unwrap().into_iter().map(|m| m.text).collect();
    assert_eq!(left, ["hello", "another"]);
}

/// A mark is stored with its latest moment, for the requested time.
pub async fn ad3_what_is_settled_is_known_for_a_while(store: &dyn Store) {
    let marks = ["one", "two", "three"].map(str::to_owned);
    let known = async || store.settled(&marks).await.unwrap();
    store.settle(vec!["one".into(), "other".into()], later(5), NOW).await.unwrap();
    store.settle(vec!["two".into(), "one".into()], later(3), NOW).await.unwrap();
    assert_eq!(known().await, [("one".to_owned(), later(5)), ("two".to_owned(), later(3))]);
    store.settle(Vec::new(), later(9), later(4)).await.unwrap();
    assert_eq!(known().await, [("one".to_owned(), later(5))]);
}

/// After a restart, the limits need the numbers of the last hour.
pub async fn s9_what_people_said_in_the_last_hour_is_counted(store: &dyn Store) {
    let hour = later(-3600);
    store.accept(said("irc:net/#tea", "e0", "old", later(-4000))).await.unwrap();
    replied(store, "irc:net/#tea", "e1", "one").await;
    store.accept(said("irc:net/#tea", "e2", "two", NOW)).await.unwrap();
    store.accept(said_by("den", "irc:net/#den", "e1", "three", NOW)).await.unwrap();
    store.accept(said("slack:net/#tea", "e1", "elsewhere", NOW)).await.unwrap();
    store.accept(said("irc:net/#tea:thread", "e3", "in a thread", NOW)).await.unwrap();
    let of = |key: &str, name: &str, messages, answered, is_new| PersonActivity {
        channel: channel(key),
        user: user(name),
        messages,
        answered,
        is_new,
    };
    let heard = [
        of("irc:net/#den", "den", 1, 0, true),
        of("irc:net/#tea", "bo", 2, 1, false),
        of("irc:net/#tea:thread", "bo", 1, 0, false),
    ];
    assert_eq!(store.activity_since(Platform::Irc, hour).await.unwrap(), heard);
}

/// Two accounts have separate values.
pub async fn ad7_an_account_goes_on_where_it_was(store: &dyn Store) {
    assert_eq!(store.cursor("one", "next_batch").await.unwrap(), None);
    for (account, value) in [("one", "s1"), ("two", "t1"), ("one", "s2")] {
        store.keep_cursor(account, "next_batch", value).await.unwrap();
    }
    assert_eq!(store.cursor("one", "next_batch").await.unwrap().as_deref(), Some("s2"));
    assert_eq!(store.cursor("two", "next_batch").await.unwrap().as_deref(), Some("t1"));
    assert_eq!(store.cursor("one", "offset").await.unwrap(), None);
}
