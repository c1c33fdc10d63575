//! Publishes the events of a turn at the hub.
//!
//! A turn publishes nothing more once something that it was shown was erased (GR10). So the hub refuses an event if the
//! turn was not checked against the newest erasure that the hub has followed. The turn is then checked, and goes on or
//! is interrupted.

use std::{
    convert::Infallible,
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use greenroom_core::{ChannelKey, ChatEvent, EventId, NoticeCode, PersonaName, TurnEvent, TurnId};
use greenroom_store::{Sources, Store, StoreError};
use greenroom_tools::Shown;
use tokio_util::sync::CancellationToken;

use crate::{cue::Cue, hub::Hub, services::Services};

/// How often a running turn looks for erasures. It does not wait for its next event, because its model may be silent
/// for long.
const CHECK_EVERY: Duration = Duration::from_millis(100);

/// The events of one turn.
pub(crate) struct EventSink {
    hub: Arc<Hub>,
    store: Arc<dyn Store>,
    turn_id: TurnId,
    persona: PersonaName,
    channel: ChannelKey,
    /// The turns of the burst; this turn is the last of them.
    turns: Arc<[TurnId]>,
    /// What the turn was shown.
    shown: Shown,
    /// The newest erasure that is known to concern none of the shown items.
    checked: AtomicI64,
    /// Cancelled when something that the turn was shown is erased.
    erased: CancellationToken,
}

impl EventSink {
    /// The sink of a turn that answers a burst and has `seen` its messages.
    pub(crate) fn for_burst(services: &Services, trigger: &Cue, burst: &[Arc<Cue>], seen: Sources) -> Self {
        Self {
            turns: burst.iter().map(|cue| cue.turn).collect(),
            checked: AtomicI64::new(seen.erased),
            shown: Shown::new(seen),
            ..Self::for_cue(services, trigger)
        }
    }

    /// The sink of a turn that never begins.
    pub(crate) fn for_cue(services: &Services, trigger: &Cue) -> Self {
        Self {
            hub: services.hub.clone(),
            store: services.store.clone(),
            turn_id: trigger.turn,
            persona: trigger.persona.clone(),
            channel: trigger.message().channel.clone(),
            turns: Arc::new([trigger.turn]),
            shown: Shown::default(),
            checked: AtomicI64::new(0),
            erased: CancellationToken::new(),
        }
    }

    /// Interrupts the turn when something that it was shown is erased, by any process. Never resolves.
    pub(crate) async fn watch_erasures(&self, services: &Services) -> Infallible {
        if !services.erasures.hides() {
            return std::future::pending().await;
        }
        loop {
            services.clock.sleep(CHECK_EVERY).await;
            if services.erasures.follow_within(CHECK_EVERY / 2).await > self.checked() {
                self.check_or_break_off().await;
            }
        }
    }

    /// Resolves when something that the turn was shown is found erased.
    pub(crate) async fn erased(&self) {
        self.erased.cancelled().await;
    }

    /// What the turn was shown. Clones share it.
    pub(crate) fn shown(&self) -> &Shown {
        &self.shown
    }

    /// Records that the turn is shown these items as well.
    ///
    /// # Errors
    /// [`StoreError::Erased`] if something that it was shown before has been erased.
    pub(crate) async fn show(&self, sources: Sources) -> Result<(), StoreError> {
        let before = self.shown.get();
        if sources.erased > before.erased {
            self.store.unerased(&before).await?;
        }
        self.checked.store(sources.erased, Ordering::SeqCst);
        self.shown.set(sources);
        Ok(())
    }

    /// Publishes an event. If something that the turn was shown has been erased, it publishes nothing, interrupts the
    /// turn, and never resolves.
    pub(crate) async fn tell(&self, event: ChatEvent) {
        let event = self.event(event);
        while !self.hub.publish(event.clone(), &self.turns, Some(self.checked())) {
            self.check_or_break_off().await;
        }
    }

    /// Publishes the end of the turn. `holding` names the items in the event. If one of them was erased, `otherwise` is
    /// published instead.
    pub(crate) async fn tell_end(&self, event: ChatEvent, holding: Sources, otherwise: ChatEvent) {
        let event = self.event(event);
        let mut checked = holding.erased;
        while !self.hub.publish(event.clone(), &self.turns, Some(checked)) {
            match self.check(&holding).await {
                Ok(newest) => checked = newest,
                Err(_) => return self.publish_unchecked(otherwise),
            }
        }
    }

    /// Publishes an event without anything that may be erased.
    pub(crate) fn publish_unchecked(&self, event: ChatEvent) {
        self.hub.publish(self.event(event), &self.turns, None);
    }

    /// Repeats `attempt` until it returns true. It returns false if a newer erasure was followed than the one that the
    /// turn was checked against. Then the turn is checked again.
    pub(crate) async fn checked_against(&self, attempt: impl Fn(i64) -> bool) {
        while !attempt(self.checked()) {
            self.check_or_break_off().await;
        }
    }

    /// Publishes a notice for people.
    pub(crate) async fn notice(&self, code: NoticeCode, message: impl Into<String>) {
        self.tell(ChatEvent::Notice { code, message: message.into() }).await;
    }

    /// Publishes a notice about something that the turn was not shown, unless an erasure newer than `followed` was
    /// followed.
    pub(crate) fn notice_as_of(&self, followed: i64, code: NoticeCode, message: String) {
        let event = self.event(ChatEvent::Notice { code, message });
        self.hub.publish(event, &self.turns, Some(followed));
    }

    fn checked(&self) -> i64 {
        self.checked.load(Ordering::SeqCst)
    }

    /// Checks the turn against all erasures. If they cannot be read, the turn is interrupted as well.
    async fn check_or_break_off(&self) {
        match self.check(&self.shown.get()).await {
            Ok(newest) => self.checked.store(newest, Ordering::SeqCst),
            Err(error) => {
                if !matches!(error, StoreError::Erased(_)) {
                    tracing::warn!(%error, "what was erased is not known; the turn is broken off");
                }
                self.erased.cancel();
                // the turn drops this future
                pending::<()>().await;
            }
        }
    }

    /// Checks that no erasure concerns these items. Returns the newest erasure, at least the one that the hub has
    /// followed.
    async fn check(&self, sources: &Sources) -> Result<i64, StoreError> {
        let followed = self.hub.erased();
        // the store's number is smaller if its file was replaced, for example by a backup
        Ok(self.store.unerased(sources).await?.max(followed))
    }

    fn event(&self, event: ChatEvent) -> TurnEvent {
        TurnEvent {
            id: EventId::default(),
            turn_id: self.turn_id,
            persona: self.persona.clone(),
            channel: self.channel.clone(),
            event,
        }
    }
}
