//! Who hears the events of a turn: everybody whose message it answers, and whoever listens at the hub.
//!
//! A turn that was shown something which has been erased meanwhile tells nothing more of it (GR10). The hub refuses
//! an event of a turn that was not checked against the newest erasure it has followed; the turn is checked then, and
//! goes on or is broken off.

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
use tokio::sync::mpsc;

use super::{Interrupt, InterruptReason};
use crate::{cue::Cue, hub::Hub, services::Services};

/// How often a turn looks for erasures while it is under way: its model may be silent for long.
const LOOKS: Duration = Duration::from_millis(100);

/// The listeners of one turn.
pub(crate) struct EventSink {
    hub: Arc<Hub>,
    store: Arc<dyn Store>,
    turn_id: TurnId,
    persona: PersonaName,
    channel: ChannelKey,
    /// The turns of the messages that are answered; this one is the last of them.
    turns: Arc<[TurnId]>,
    listeners: Vec<mpsc::Sender<Arc<TurnEvent>>>,
    /// What the turn was shown.
    shown: Shown,
    /// The newest erasure that is known to have removed nothing of that.
    checked: AtomicI64,
    /// Breaks the turn off.
    interrupt: Interrupt,
}

impl EventSink {
    /// Those who sent the messages of one burst, under the turn that answers the last of them. It has seen the
    /// messages.
    pub(crate) fn of(
        services: &Services,
        trigger: &Cue,
        burst: &[Arc<Cue>],
        seen: Sources,
        interrupt: &Interrupt,
    ) -> Self {
        Self {
            turns: burst.iter().map(|cue| cue.turn).collect(),
            listeners: burst.iter().map(|cue| cue.events.clone()).collect(),
            checked: AtomicI64::new(seen.erased),
            shown: Shown::new(seen),
            interrupt: interrupt.clone(),
            ..Self::alone(services, trigger)
        }
    }

    /// The one who sent the message of a turn that never begins.
    pub(crate) fn alone(services: &Services, trigger: &Cue) -> Self {
        Self {
            hub: services.hub.clone(),
            store: services.store.clone(),
            turn_id: trigger.turn,
            persona: trigger.persona.clone(),
            channel: trigger.message.channel.clone(),
            turns: Arc::new([trigger.turn]),
            listeners: vec![trigger.events.clone()],
            shown: Shown::default(),
            checked: AtomicI64::new(0),
            interrupt: Interrupt::default(),
        }
    }

    /// Breaks the turn off when something it was shown is erased, by whatever process. Never resolves.
    pub(crate) async fn watch_erasures(&self, services: &Services) -> Infallible {
        loop {
            tokio::time::sleep(LOOKS).await;
            if services.follow_erasures().await > self.checked() {
                self.check_or_break_off().await;
            }
        }
    }

    /// What the turn was shown. Clones share it.
    pub(crate) fn shown(&self) -> &Shown {
        &self.shown
    }

    /// The turn is shown all this as well.
    ///
    /// # Errors
    /// [`StoreError::Erased`] where something that it had been shown before has been erased.
    pub(crate) async fn show(&self, sources: Sources) -> Result<(), StoreError> {
        let before = self.shown.get();
        if sources.erased > before.erased {
            self.store.unerased(&before).await?;
        }
        self.checked.store(sources.erased, Ordering::SeqCst);
        self.shown.set(sources);
        Ok(())
    }

    /// Tells everybody. A sender that does not keep up is waited for, one that left is not missed; a listener at
    /// the hub is never waited for. Where something the turn was shown has been erased, nothing is told, the turn is
    /// broken off, and this never resolves.
    pub(crate) async fn tell(&self, event: ChatEvent) {
        let event = self.event(event);
        let told = loop {
            match self.hub.publish(event.clone(), &self.turns, Some(self.checked())) {
                Some(told) => break told,
                None => self.check_or_break_off().await,
            }
        };
        self.hand_out(told).await;
    }

    /// Tells how the turn ended. `holding` is what the event tells of; `otherwise` is told where that was erased.
    pub(crate) async fn tell_end(&self, event: ChatEvent, holding: Sources, otherwise: ChatEvent) {
        let event = self.event(event);
        let mut checked = holding.erased;
        loop {
            if let Some(told) = self.hub.publish(event.clone(), &self.turns, Some(checked)) {
                return self.hand_out(told).await;
            }
            match self.check(&holding).await {
                Ok(newest) => checked = newest,
                Err(_) => return self.tell_bare(otherwise).await,
            }
        }
    }

    /// Tells what holds nothing that may be erased.
    pub(crate) async fn tell_bare(&self, event: ChatEvent) {
        if let Some(told) = self.hub.publish(self.event(event), &self.turns, None) {
            self.hand_out(told).await;
        }
    }

    /// Does something that is refused, by `false`, where a newer erasure was followed than the one the turn was checked
    /// against. Checks the turn then, and tries again.
    pub(crate) async fn checked_against(&self, attempt: impl Fn(i64) -> bool) {
        while !attempt(self.checked()) {
            self.check_or_break_off().await;
        }
    }

    /// Tells what a person should know.
    pub(crate) async fn notice(&self, code: NoticeCode, message: impl Into<String>) {
        self.tell(ChatEvent::Notice { code, message: message.into() }).await;
    }

    /// The same of what the turn was not shown, while no newer erasure was followed than this one.
    pub(crate) async fn notice_as_of(&self, followed: i64, code: NoticeCode, message: String) {
        let event = self.event(ChatEvent::Notice { code, message });
        if let Some(told) = self.hub.publish(event, &self.turns, Some(followed)) {
            self.hand_out(told).await;
        }
    }

    fn checked(&self) -> i64 {
        self.checked.load(Ordering::SeqCst)
    }

    /// Checks the turn against all that has been erased. Where that is not known it is broken off as well.
    async fn check_or_break_off(&self) {
        match self.check(&self.shown.get()).await {
            Ok(newest) => self.checked.store(newest, Ordering::SeqCst),
            Err(error) => {
                if !matches!(error, StoreError::Erased(_)) {
                    tracing::warn!(%error, "what was erased is not known; the turn is broken off");
                }
                self.interrupt.because(InterruptReason::Forgotten);
                // the turn is dropped here
                pending::<()>().await;
            }
        }
    }

    /// The newest erasure that removed nothing of these; no older one than the hub has followed.
    async fn check(&self, sources: &Sources) -> Result<i64, StoreError> {
        let followed = self.hub.erased();
        // less than that where the file is another one than it was, as after a backup came back
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

    async fn hand_out(&self, event: Arc<TurnEvent>) {
        for listener in self.listeners.iter().filter(|listener| !listener.is_closed()) {
            let _ = listener.send(event.clone()).await;
        }
    }
}
