//! The guarantees of the hub: order, bounds, which listeners wake, what a late listener receives.

use greenroom_core::{Finish, MessageId, Usage};

use super::*;

fn here() -> ChannelKey {
    "api:ann".parse().unwrap()
}

fn turn(n: u128) -> TurnId {
    TurnId(uuid::Uuid::from_u128(n))
}

fn of(n: u128) -> Arc<[TurnId]> {
    Arc::new([turn(n)])
}

fn event(channel: &ChannelKey, persona: &str, event: ChatEvent) -> TurnEvent {
    let persona = persona.parse().unwrap();
    TurnEvent { id: EventId::default(), turn_id: turn(1), persona, channel: channel.clone(), event }
}

fn delta(text: &str) -> ChatEvent {
    ChatEvent::TokenDelta { text: text.into() }
}

fn started() -> ChatEvent {
    ChatEvent::TurnStarted { trigger: MessageId(1), model: "mock".into(), why: "asked".into() }
}

fn done() -> ChatEvent {
    let (usage, finish) = (Usage::default(), Finish::Stop);
    ChatEvent::Done { text: "hello".into(), message_id: MessageId(2), finish, usage }
}

fn publish(hub: &Hub, what: ChatEvent) -> EventId {
    hub.publish(event(&here(), "ada", what), &of(1), None);
    hub.newest()
}

fn hub() -> Arc<Hub> {
    let hub = Arc::new(Hub::default());
    hub.opened(&here());
    hub
}

/// The events that are available without waiting.
async fn heard(listener: &mut Subscription) -> Vec<String> {
    let mut all = Vec::new();
    while let std::task::Poll::Ready(Some(heard)) = futures::poll!(Box::pin(listener.next())) {
        all.push(match heard {
            NextEvent::Event(event) => match &event.event {
                ChatEvent::TokenDelta { text } => text.clone(),
                other => other.kind().to_owned(),
            },
            NextEvent::Missed => "missed".into(),
            NextEvent::Lagged => "lagged".into(),
        });
    }
    all
}

#[tokio::test]
async fn a_listener_hears_its_topic_from_now_on() {
    let (hub, other) = (hub(), "api:bo".parse().unwrap());
    publish(&hub, delta("before"));
    let topics = [Topic::Channel(here()), Topic::Persona("ada".parse().unwrap())];
    let mut listeners = topics.map(|topic| hub.subscribe(topic, None));
    publish(&hub, delta("one"));
    hub.publish(event(&other, "ada", delta("elsewhere")), &of(2), None);
    hub.publish(event(&other, "bo", delta("by bo")), &of(3), None);
    let [channel, persona] = &mut listeners;
    assert_eq!(heard(channel).await, ["one"]);
    assert_eq!(heard(persona).await, ["one", "elsewhere"]);
}

#[tokio::test]
async fn a_listener_goes_on_where_it_was_cut() {
    let hub = hub();
    publish(&hub, delta("one"));
    let seen = publish(&hub, delta("two"));
    publish(&hub, delta("three"));
    let mut listener = hub.subscribe(Topic::Channel(here()), Some(seen));
    assert_eq!(heard(&mut listener).await, ["three"]);
    let mut ahead = hub.subscribe(Topic::Channel(here()), Some(EventId(99)));
    assert_eq!(heard(&mut ahead).await, ["missed"], "a place that is not there yet");
}

#[tokio::test]
async fn a_turn_is_heard_from_its_beginning_to_its_end() {
    let hub = hub();
    for what in [started(), delta("hello"), done()] {
        publish(&hub, what);
    }
    let mut listener = hub.subscribe(Topic::Turn(here(), turn(1)), None);
    publish(&hub, delta("of the next turn"));
    assert_eq!(heard(&mut listener).await, ["turn_started", "hello", "done"]);
    assert_eq!(listener.next().await, None);
    assert!(hub.has_whole(&here(), turn(1)) && !hub.has_whole(&here(), turn(9)));
}

#[tokio::test]
async fn gr10_a_turn_that_was_not_checked_against_the_newest_erasure_publishes_nothing() {
    let hub = hub();
    let tell = |what, checked| hub.publish(event(&here(), "ada", what), &of(1), checked);
    assert!(tell(started(), Some(0)));
    let mut early = hub.subscribe(Topic::Channel(here()), None);
    hub.forget(|channel| *channel == here(), 7);
    assert!(!tell(delta("erased"), Some(6)));
    assert!(tell(delta("checked"), Some(7)));
    hub.forget(|_| true, 3);
    assert!(!tell(delta("an older one changes nothing"), Some(6)));
    assert!(tell(done(), None), "an end holds nothing");
    assert_eq!(heard(&mut early).await, ["checked", "done"]);
}

#[tokio::test]
async fn gr10_what_a_persona_has_forgotten_stays_forgotten_when_something_older_is() {
    let (hub, other) = (hub(), "api:bo".parse().unwrap());
    hub.publish(event(&other, "ada", started()), &of(2), None);
    let first = publish(&hub, started());
    publish(&hub, delta("erased"));
    hub.forget(|channel| *channel == here(), 1);
    hub.forget(|channel| *channel == other, 2);
    let mut late = hub.subscribe(Topic::Persona("ada".parse().unwrap()), Some(first));
    assert_eq!(heard(&mut late).await, ["missed"]);
}

#[tokio::test]
async fn who_waits_is_woken_by_its_own_channel_alone() {
    let (hub, other) = (hub(), "api:bo".parse().unwrap());
    let mut listener = hub.subscribe(Topic::Channel(here()), None);
    let (waker, wakes) = counting();
    let mut next = Box::pin(listener.next());
    let mut context = std::task::Context::from_waker(&waker);
    assert!(next.as_mut().poll(&mut context).is_pending());
    hub.publish(event(&other, "ada", delta("elsewhere")), &of(2), None);
    assert_eq!(wakes.count(), 0);
    publish(&hub, delta("here"));
    assert_eq!(wakes.count(), 1);
}

#[tokio::test]
async fn a_slow_listener_is_told_and_that_is_its_end() {
    let hub = hub();
    let mut slow = hub.subscribe(Topic::Channel(here()), None);
    let first = publish(&hub, delta("first"));
    for _ in 0..TOPIC.events {
        publish(&hub, delta("more"));
    }
    assert_eq!(heard(&mut slow).await, ["lagged"]);
    assert_eq!(slow.next().await, None);
    let mut late = hub.subscribe(Topic::Channel(here()), Some(EventId(first.0 - 1)));
    assert_eq!(heard(&mut late).await, ["missed"]);
}

#[tokio::test]
async fn a_log_is_bounded_by_what_its_events_take() {
    let hub = hub();
    let large = "x".repeat(TOPIC.bytes / 4);
    for _ in 0..40 {
        publish(&hub, delta(&large));
    }
    let state = hub.state();
    let log = &state.topics[&LogKey::Channel(here())].log;
    assert!(log.bytes <= TOPIC.bytes && log.entries.len() == 3, "{}", log.entries.len());
}

#[tokio::test]
async fn the_log_of_all_bounds_every_other() {
    let hub = hub();
    let large = "x".repeat(TOPIC.bytes / 2);
    publish(&hub, delta("of the first channel"));
    for n in 0..2 * ALL.bytes / TOPIC.bytes {
        let channel = format!("api:n{n}").parse().unwrap();
        hub.opened(&channel);
        hub.publish(event(&channel, "ada", delta(&large)), &of(2), None);
    }
    let state = hub.state();
    assert!(state.all.bytes <= ALL.bytes);
    assert!(state.topics[&LogKey::Channel(here())].log.entries.is_empty(), "the oldest of all went first");
}

#[tokio::test]
async fn a_log_goes_with_its_room_and_its_last_listener() {
    let hub = hub();
    let seen = publish(&hub, delta("one"));
    let mut listener = hub.subscribe(Topic::Channel(here()), None);
    hub.closed(&here());
    publish(&hub, delta("two"));
    assert_eq!(heard(&mut listener).await, ["two"]);
    drop(listener);
    assert!(hub.state().topics.is_empty());
    // a listener whose events were dropped is told so
    let mut late = hub.subscribe(Topic::Channel(here()), Some(seen));
    assert_eq!(heard(&mut late).await, ["missed"]);
}

#[tokio::test]
async fn gr10_what_is_forgotten_is_not_told_again_and_nobody_who_listens_is_cut() {
    let (hub, other) = (hub(), "api:bo".parse().unwrap());
    hub.opened(&other);
    let seen = publish(&hub, started());
    publish(&hub, delta("a secret"));
    hub.publish(event(&other, "bo", delta("elsewhere")), &of(2), None);
    let topics = [
        (Topic::Channel(here()), vec!["missed", "later"]),
        (Topic::Turn(here(), turn(1)), vec!["missed", "later"]),
        (Topic::Persona("ada".parse().unwrap()), vec!["missed", "later"]),
        (Topic::Channel(other.clone()), vec!["elsewhere"]),
        (Topic::Persona("bo".parse().unwrap()), vec!["elsewhere"]),
    ];
    let mut before = hub.subscribe(Topic::Channel(here()), Some(seen));
    hub.forget(|channel| *channel == here(), 1);
    let mut late = topics.map(|(topic, expected)| (hub.subscribe(topic, Some(seen)), expected));
    assert!(!hub.has_whole(&here(), turn(1)));
    publish(&hub, delta("later"));
    assert_eq!(heard(&mut before).await, ["a secret", "later"]);
    for (listener, expected) in &mut late {
        assert_eq!(heard(listener).await, *expected);
    }
}

#[tokio::test]
async fn a_persona_that_is_quiet_for_long_is_still_heard() {
    let (hub, other) = (hub(), "api:bo".parse().unwrap());
    hub.opened(&other);
    publish(&hub, delta("of ada"));
    let mut quiet = hub.subscribe(Topic::Persona("bo".parse().unwrap()), None);
    let mut slow = hub.subscribe(Topic::Persona("ada".parse().unwrap()), None);
    let large = "x".repeat(TOPIC.bytes);
    for _ in 0..=ALL.bytes / TOPIC.bytes {
        publish(&hub, delta(&large));
    }
    hub.publish(event(&other, "bo", delta("of bo")), &of(2), None);
    assert_eq!(heard(&mut quiet).await, ["of bo"]);
    assert_eq!(heard(&mut slow).await, ["lagged"]);
}

/// A waker that counts its wakes.
fn counting() -> (std::task::Waker, Arc<Wakes>) {
    let wakes = Arc::new(Wakes::default());
    (wakes.clone().into(), wakes)
}

#[derive(Default)]
struct Wakes(std::sync::atomic::AtomicUsize);

impl Wakes {
    fn count(&self) -> usize {
        self.0.load(std::sync::atomic::Ordering::SeqCst)
    }
}

impl std::task::Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    }
}

#[tokio::test]
async fn whoever_hears_no_deltas_is_woken_for_what_tells_and_misses_nothing_by_them() {
    let hub = hub();
    let mut listener = hub.subscribe(Topic::Turn(here(), turn(1)), None).without_deltas();
    let (waker, wakes) = counting();
    let mut next = Box::pin(listener.next());
    assert!(next.as_mut().poll(&mut std::task::Context::from_waker(&waker)).is_pending());
    for event in [started(), delta("hel"), delta("lo")] {
        publish(&hub, event);
    }
    assert_eq!(wakes.count(), 0, "more follows at once");
    publish(&hub, ChatEvent::Notice { code: greenroom_core::NoticeCode::Retrying, message: "again".into() });
    assert_eq!(wakes.count(), 1);
    drop(next);
    assert_eq!(heard(&mut listener).await, ["turn_started", "notice"]);
    for n in 0..2 * TOPIC.events {
        publish(&hub, delta(&n.to_string()));
    }
    publish(&hub, done());
    assert_eq!(heard(&mut listener).await, ["done"]);
}

/// GR9: when a room has ended and has no listener, its events take no memory any more. A late listener is told to read
/// the history. A listener that has received everything misses nothing.
#[tokio::test]
async fn gr9_the_events_of_channels_at_rest_are_released() {
    let (hub, other) = (hub(), "api:bo".parse().unwrap());
    let first = publish(&hub, delta("one"));
    let mut live = hub.subscribe(Topic::Persona("ada".parse().unwrap()), None);
    publish(&hub, delta("two"));
    assert_eq!(heard(&mut live).await, ["two"]);
    hub.opened(&other);
    hub.publish(event(&other, "bo", delta("by bo")), &of(2), None);
    let held = hub.bytes();
    hub.release();
    assert_eq!(hub.bytes(), held, "both rooms are live");
    hub.closed(&here());
    hub.release();
    assert!(hub.bytes() < held && hub.bytes() > 0, "{} of {held}", hub.bytes());
    let mut late = hub.subscribe(Topic::Persona("ada".parse().unwrap()), Some(first));
    assert_eq!(heard(&mut late).await, ["missed"]);
    publish(&hub, delta("three"));
    assert_eq!(
        (heard(&mut live).await, heard(&mut late).await),
        (vec!["three".into()], vec!["three".into()])
    );
}

/// S9: all events together stay within their bytes, in however many channels they are.
#[test]
fn s9_events_of_many_channels_stay_within_their_bytes() {
    let hub = Hub::new(10_000, None);
    for n in 0..1_000 {
        let channel = format!("api:c{n}").parse().unwrap();
        hub.opened(&channel);
        hub.publish(event(&channel, "ada", delta("hello")), &of(n), None);
    }
    assert!(hub.bytes() <= 10_000, "{}", hub.bytes());
}

/// S9: an observer depends on no bound, while a listener lags.
#[tokio::test]
async fn s9_an_observer_gets_every_event_also_those_that_the_log_drops() {
    let seen: Arc<Mutex<Vec<EventId>>> = Arc::default();
    let observed = seen.clone();
    let observer: EventObserver = Arc::new(move |event| observed.lock().unwrap().push(event.id));
    let hub = Arc::new(Hub::new(1_000, Some(observer)));
    hub.opened(&here());
    let mut listener = hub.subscribe(Topic::Channel(here()), None);
    let published: Vec<_> = (0..100).map(|_| publish(&hub, delta("hello"))).collect();
    assert_eq!(*seen.lock().unwrap(), published);
    assert_eq!(heard(&mut listener).await, ["lagged"]);
}

#[tokio::test]
async fn gr10_a_turn_that_has_ended_and_was_forgotten_is_not_waited_for() {
    let hub = hub();
    for event in [started(), delta("a"), done()] {
        publish(&hub, event);
    }
    hub.forget(|_| true, 1);
    let mut listener = hub.subscribe(Topic::Turn(here(), turn(1)), None).of_ended_turn();
    assert_eq!(listener.next().await, Some(NextEvent::Missed));
    assert_eq!(listener.next().await, None);
}

#[tokio::test]
async fn a_turn_that_has_ended_is_told_to_its_end_and_no_further() {
    let hub = hub();
    let first = publish(&hub, started());
    let last = publish(&hub, done());
    let from = |after| hub.subscribe(Topic::Turn(here(), turn(1)), Some(after)).of_ended_turn();
    assert_eq!(heard(&mut from(first)).await, ["done"]);
    assert_eq!(from(last).next().await, None);
}

#[tokio::test]
async fn gr9_a_listener_that_leaves_takes_its_place_along_and_no_other_one() {
    let hub = hub();
    let mut stays = hub.subscribe(Topic::Channel(here()), None);
    let leaves = hub.subscribe(Topic::Channel(here()), None).without_deltas();
    drop(leaves);
    publish(&hub, delta("hello"));
    assert_eq!(heard(&mut stays).await, ["hello"]);
    drop(stays);
    let key = LogKey::Channel(here());
    assert!(hub.state().topics[&key].listeners.is_empty(), "nothing is kept for nobody");
    let mut later = hub.subscribe(Topic::Channel(here()), None);
    publish(&hub, delta("again"));
    assert_eq!(heard(&mut later).await, ["again"]);
}
