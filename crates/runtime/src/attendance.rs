//! Who is present in a room (GR2): what a persona does not hear it never witnessed.
//!
//! The roll is called with every message of a person: whoever plays here and was not present yet
//! enters with it, whoever left the cast or was stopped no longer hears it. Between two messages
//! nothing can be missed, so nothing has to be written when a persona goes: the next message says
//! it, in this run or in a later one.

use std::collections::BTreeSet;

use greenroom_core::{ChannelKey, MessageId, PersonaName};
use greenroom_store::{Store, StoreError};

/// Who is present, as the store knows it.
pub(crate) struct Attendance(BTreeSet<PersonaName>);

impl Attendance {
    /// Who was present when the room woke.
    pub(crate) async fn of(store: &dyn Store, channel: &ChannelKey) -> Result<Self, StoreError> {
        Ok(Self(store.present(channel).await?.into_iter().collect()))
    }

    /// Who of those that are `here` was not present until now; nothing where somebody went as well.
    pub(crate) fn come(&self, here: &BTreeSet<PersonaName>) -> Option<Vec<PersonaName>> {
        self.0.is_subset(here).then(|| here.difference(&self.0).cloned().collect())
    }

    /// A message is heard by those who are `here`. Costs the store something only when somebody
    /// came or went.
    pub(crate) async fn call(
        &mut self,
        store: &dyn Store,
        channel: &ChannelKey,
        message: MessageId,
        here: &BTreeSet<PersonaName>,
    ) -> Result<(), StoreError> {
        let gone: Vec<_> = self.0.difference(here).cloned().collect();
        for persona in gone {
            store.leave(&persona, channel, message).await?;
            self.0.remove(&persona);
        }
        let come: Vec<_> = here.difference(&self.0).cloned().collect();
        for persona in come {
            store.enter(&persona, channel, message).await?;
            self.0.insert(persona);
        }
        Ok(())
    }

    /// Whoever is to answer a message or came with it has heard it: the store notes that with the message.
    pub(crate) fn heard(&mut self, personas: impl IntoIterator<Item = PersonaName>) {
        self.0.extend(personas);
    }
}
