//! What of a channel's past a context is made of: since the last reset or the last summary, and
//! only what the persona was present for.

use greenroom_core::{Author, ChannelKey, Message, MessageId, PersonaName};
use greenroom_persona::Persona;
use greenroom_store::{HistorySummary, Presence, Store, StoreError};

/// Messages of a channel that are considered at all; the budget decides how many are kept.
const HISTORY: usize = 200;

/// The past as one persona has it.
pub(crate) struct Past {
    /// What was said since, oldest first.
    pub(crate) said: Vec<Message>,
    /// What was said before that, in short (FG12).
    pub(crate) summary: Option<HistorySummary>,
}

impl Past {
    /// Reads it. A summary made before the last reset is void: it tells what was to be left behind
    /// (WB14).
    pub(crate) async fn of(
        store: &dyn Store,
        persona: &Persona,
        channel: &ChannelKey,
    ) -> Result<Self, StoreError> {
        let memory = &persona.memory;
        let reset = store.context_start(&persona.name, channel).await?;
        let summary = match memory.enabled && memory.summarise_history {
            true => store.summary(&persona.name, channel).await?,
            false => None,
        };
        let summary = summary.filter(|summary| reset.is_none_or(|reset| summary.until > reset));
        let start = summary.as_ref().map(|summary| summary.until).or(reset);
        let mut said = store.history(channel, start, HISTORY).await?;
        if memory.witness {
            let stretches = store.presence(&persona.name, channel).await?;
            said.retain(|message| witnessed(&persona.name, &stretches, message));
        }
        Ok(Self { said, summary })
    }
}

/// Whether a persona was there when a message was said (GR2). What it said itself it knows.
fn witnessed(persona: &PersonaName, stretches: &[Presence], message: &Message) -> bool {
    let own = matches!(&message.author, Author::Persona { name } if name == persona);
    own || stretches.iter().any(|stretch| heard(stretch, message.id))
}

fn heard(stretch: &Presence, message: MessageId) -> bool {
    stretch.from <= message && stretch.until.is_none_or(|until| message < until)
}

#[cfg(test)]
mod tests {
    use greenroom_core::Timestamp;

    use super::*;

    fn by(author: Author, id: i64) -> Message {
        let channel = "terminal:default".parse().unwrap();
        let (event_id, text) = (id.to_string(), "hm".to_owned());
        Message { id: MessageId(id), channel, event_id, author, text, at: Timestamp(id), turn_id: None }
    }

    #[test]
    fn gr2_a_persona_witnessed_what_was_said_while_it_was_there() {
        let ada: PersonaName = "ada".parse().unwrap();
        let stretches = [
            Presence { from: MessageId(3), until: Some(MessageId(5)) },
            Presence { from: MessageId(8), until: None },
        ];
        let user = Author::User { id: "mo".parse().unwrap(), name: "Mo".into() };
        let heard = (1..11).filter(|id| witnessed(&ada, &stretches, &by(user.clone(), *id)));
        assert_eq!(heard.collect::<Vec<_>>(), [3, 4, 8, 9, 10]);
        assert!(!witnessed(&ada, &[], &by(user, 1)), "without a stretch it witnessed nothing");
        assert!(witnessed(&ada, &[], &by(Author::Persona { name: ada.clone() }, 1)), "its own words");
    }
}
