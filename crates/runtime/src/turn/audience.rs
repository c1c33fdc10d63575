//! Who hears the events of a turn: everybody whose message it answers, and whoever listens at the hub.

use std::sync::Arc;

use greenroom_core::{ChannelKey, ChatEvent, EventId, NoticeCode, PersonaName, TurnEvent, TurnId};
use tokio::sync::mpsc;

use crate::{cue::Cue, hub::Hub};

/// The listeners of one turn.
pub(crate) struct Audience {
    hub: Arc<Hub>,
    turn_id: TurnId,
    persona: PersonaName,
    channel: ChannelKey,
    /// The turns of the messages that are answered; this one is the last of them.
    turns: Arc<[TurnId]>,
    listeners: Vec<mpsc::Sender<Arc<TurnEvent>>>,
}

impl Audience {
    /// Those who sent the messages of one burst, under the turn that answers the last of them.
    pub(crate) fn of(hub: &Arc<Hub>, trigger: &Cue, burst: &[Arc<Cue>]) -> Self {
        Self {
            turns: burst.iter().map(|cue| cue.turn).collect(),
            listeners: burst.iter().map(|cue| cue.events.clone()).collect(),
            ..Self::alone(hub, trigger)
        }
    }

    /// The one who sent the message of a turn.
    pub(crate) fn alone(hub: &Arc<Hub>, trigger: &Cue) -> Self {
        Self {
            hub: hub.clone(),
            turn_id: trigger.turn,
            persona: trigger.persona.clone(),
            channel: trigger.message.channel.clone(),
            turns: Arc::new([trigger.turn]),
            listeners: vec![trigger.events.clone()],
        }
    }

    /// Tells everybody. A sender that does not keep up is waited for, one that left is not missed; a
    /// listener at the hub is never waited for.
    pub(crate) async fn tell(&self, event: ChatEvent) {
        let event = TurnEvent {
            id: EventId::default(),
            turn_id: self.turn_id,
            persona: self.persona.clone(),
            channel: self.channel.clone(),
            event,
        };
        let event = self.hub.publish(event, &self.turns);
        for listener in self.listeners.iter().filter(|listener| !listener.is_closed()) {
            let _ = listener.send(event.clone()).await;
        }
    }

    /// Tells what a person should know.
    pub(crate) async fn notice(&self, code: NoticeCode, message: impl Into<String>) {
        self.tell(ChatEvent::Notice { code, message: message.into() }).await;
    }
}
