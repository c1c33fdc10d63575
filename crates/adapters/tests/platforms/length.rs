//! Long runs: a fifth of the events comes twice and a tenth out of order, while platform and adapter are killed (AD3).
//!
//! `scripts/platforms-at-length` runs more events than the suite. Every hundred events contain one kill. Only fakes can
//! repeat and swap events, so real servers are absent. Slack's Events API is absent because it repeats a request only
//! after a minute, so each kill would take a minute.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard},
};

use async_trait::async_trait;
use greenroom_adapters::{
    Adapter, AuthorKind, ConnectionState, Ended, Event, Face, Inlet, LookedBack, NotTaken, Taken,
};
use greenroom_core::PersonaName;
use greenroom_platform_fakes::EventFault;
use greenroom_store::StoreError;
use tokio::{sync::watch, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::{
    calling::OnBridge,
    ingress::Listening,
    stage::{OnDiscord, OnSlack, OnTelegram, Stage, within},
};

/// Events between two kills.
const ROUND: usize = 100;

/// A store in memory that counts its events.
struct Ledger {
    state: Mutex<State>,
    changed: watch::Sender<(usize, usize)>,
}

#[derive(Default)]
struct State {
    known: HashSet<String>,
    texts: HashSet<String>,
    cursors: HashMap<String, String>,
    repeated: usize,
    online: usize,
    is_online: bool,
}

impl Ledger {
    fn new() -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), changed: watch::channel((0, 0)).0 })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    async fn wait(&self, done: impl Fn(usize, usize) -> bool) {
        let mut changes = self.changed.subscribe();
        within(changes.wait_for(|(messages, online)| done(*messages, *online))).await.unwrap();
    }
}

#[async_trait]
impl Inlet for Ledger {
    async fn take(&self, event: Event) -> Result<Taken, NotTaken> {
        let Event::Message(message) = event else { return Ok(Taken::Ignored) };
        assert_eq!(message.author.kind, AuthorKind::Person);
        let (new, counts) = {
            let mut state = self.state();
            let new = state.known.insert(message.event_id);
            if new {
                assert!(state.texts.insert(message.text), "a text came under two ids");
            } else {
                state.repeated += 1;
            }
            (new, (state.texts.len(), state.online))
        };
        self.changed.send_replace(counts);
        Ok(if new { Taken::Stored } else { Taken::Duplicate })
    }
    async fn cursor(&self, name: &str) -> Result<Option<String>, StoreError> {
        Ok(self.state().cursors.get(name).cloned())
    }
    async fn keep_cursor(&self, name: &str, value: &str) -> Result<(), StoreError> {
        self.state().cursors.insert(name.to_owned(), value.to_owned());
        Ok(())
    }
    fn report(&self, connection: ConnectionState) {
        let is_online = matches!(connection, ConnectionState::Online { .. });
        self.state().is_online = is_online;
        if is_online {
            let counts = {
                let mut state = self.state();
                state.online += 1;
                (state.texts.len(), state.online)
            };
            self.changed.send_replace(counts);
        }
    }
    fn looked_back(&self, _looked: LookedBack) {}
    fn refused(&self, _channel: &str, _persona: Option<&PersonaName>, _why: Option<&str>) {}
    fn asked_to_wait(&self, _wait: std::time::Duration) {}
    fn faces(&self) -> Vec<Face> {
        Vec::new()
    }
    fn closing(&self) -> CancellationToken {
        CancellationToken::new()
    }
}

impl Listening for Ledger {
    fn is_online(&self) -> bool {
        self.state().is_online
    }
}

fn connect(stage: &impl Stage, ledger: &Arc<Ledger>) -> JoinHandle<()> {
    let (adapter, ledger): (Arc<dyn Adapter>, _) = (stage.account().adapter().unwrap(), ledger.clone());
    stage.attach(&adapter, ledger.clone());
    tokio::spawn(async move {
        loop {
            match adapter.run(ledger.as_ref()).await {
                Ended::Broken(_) => tokio::time::sleep(std::time::Duration::from_millis(5)).await,
                Ended::Reconnect => {}
                ended => panic!("{ended:?}"),
            }
        }
    })
}

async fn at_length<S: Stage>() {
    let events =
        std::env::var("GREENROOM_EVENTS").ok().and_then(|events| events.parse().ok()).unwrap_or(2000);
    let (stage, ledger) = (S::open().await, Ledger::new());
    let faults = stage.orders().expect("a fake");
    stage.limit_rates(false);
    let mut connected = connect(&stage, &ledger);
    ledger.wait(|_, online| online == 1).await;
    // a linear congruential generator makes the faults the same in every run
    let mut random = 42_u64;
    let mut said = 0;
    while said < events {
        for n in 0..ROUND {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            match (random >> 33) % 10 {
                0 | 1 => faults.next_event(EventFault::Twice),
                // the last event of a round cannot be swapped, because it would wait for the next round
                2 if n + 1 < ROUND => faults.next_event(EventFault::AfterNext),
                _ => faults.pass_event(),
            }
            stage.say(&format!("event {said}"));
            said += 1;
            if n == ROUND / 2 {
                if (random >> 50).is_multiple_of(2) {
                    stage.kill().await;
                    stage.restart().await;
                } else {
                    connected.abort();
                    let _ = connected.await;
                    connected = connect(&stage, &ledger);
                }
            }
        }
        ledger.wait(|messages, _| messages == said).await;
    }
    connected.abort();
    let state = ledger.state();
    // a request that a bridge repeats within a second has the signature of the first request, so the adapter refuses it
    // as replayed
    let repeated = state.repeated + stage.replayed();
    println!("{said} events, {} kills, {repeated} repeated, 0 lost", said / ROUND);
    assert_eq!(state.texts.len(), said);
    assert!(repeated > 0);
}

#[tokio::test]
async fn ad3_a_bridge_loses_nothing_at_length() {
    at_length::<OnBridge>().await;
}

#[tokio::test]
async fn ad3_discord_loses_nothing_at_length() {
    at_length::<OnDiscord>().await;
}

#[tokio::test]
async fn ad3_telegram_loses_nothing_at_length() {
    at_length::<OnTelegram>().await;
}

#[tokio::test]
async fn ad3_slack_loses_nothing_at_length() {
    at_length::<OnSlack>().await;
}
