//! Who hears the events of a turn: everybody whose message it answers.

use std::sync::Arc;

use greenroom_core::{ChannelKey, ChatEvent, NoticeCode, PersonaName, TurnEvent, TurnId};
use tokio::sync::mpsc;

use crate::cue::Cue;

/// The listeners of one turn.
pub(crate) struct Audience {
    turn_id: TurnId,
    persona: PersonaName,
    channel: ChannelKey,
    listeners: Vec<mpsc::Sender<TurnEvent>>,
}

impl Audience {
    /// Those who sent the messages of one burst, under the turn that answers the last of them.
    pub(crate) fn of(trigger: &Cue, burst: &[Arc<Cue>]) -> Self {
        Self { listeners: burst.iter().map(|cue| cue.events.clone()).collect(), ..Self::alone(trigger) }
    }

    /// The one who sent the message of a turn.
    pub(crate) fn alone(trigger: &Cue) -> Self {
        Self {
            turn_id: trigger.turn,
            persona: trigger.persona.clone(),
            channel: trigger.message.channel.clone(),
            listeners: vec![trigger.events.clone()],
        }
    }

    /// Tells everybody. A listener that does not keep up is waited for, one that left is not
    /// missed.
    pub(crate) async fn tell(&self, event: ChatEvent) {
        let event = TurnEvent {
            turn_id: self.turn_id,
            persona: self.persona.clone(),
            channel: self.channel.clone(),
            event,
        };
        for listener in &self.listeners {
            let _ = listener.send(event.clone()).await;
        }
    }

    /// Tells what a person should know.
    pub(crate) async fn notice(&self, code: NoticeCode, message: impl Into<String>) {
        self.tell(ChatEvent::Notice { code, message: message.into() }).await;
    }
}
