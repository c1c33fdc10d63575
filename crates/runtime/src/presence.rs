//! Who is present in a room (GR2): a persona never witnessed what was said while it was away.
//!
//! Presence is brought up to date with every message of a person: a persona that may answer here and was not present
//! enters with the message; one that left the cast or was stopped no longer hears it. A live room also does this when a
//! persona is stopped or started and when the cast changes, so that a reply under way is heard by the personas that are
//! there when it is said. Without a live room nothing is said between two messages.

use std::collections::BTreeSet;

use greenroom_core::{ChannelKey, PersonaName};
use greenroom_store::{Store, StoreError};

/// The present personas, as the store knows them.
pub(crate) struct PresenceTracker {
    present: BTreeSet<PersonaName>,
    /// The newest erasure when they were read: an erased channel loses its presence, too.
    pub(crate) erased: i64,
}

/// Who comes and who goes with a message. The store notes the personas that answer with their turns. One that is not
/// here and was addressed has heard the message, and nothing after it.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct PresenceChange {
    pub(crate) come: Vec<PersonaName>,
    pub(crate) gone: Vec<PersonaName>,
}

impl PresenceChange {
    pub(crate) fn is_empty(&self) -> bool {
        self.come.is_empty() && self.gone.is_empty()
    }
}

impl PresenceTracker {
    /// Reads presence after this erasure.
    pub(crate) async fn read(
        store: &dyn Store,
        channel: &ChannelKey,
        erased: i64,
    ) -> Result<Self, StoreError> {
        Ok(Self { present: store.present(channel).await?.into_iter().collect(), erased })
    }

    /// What changes while the personas that are `here` hear a message that `answering` answer.
    pub(crate) fn change<'a>(
        &self,
        here: &BTreeSet<PersonaName>,
        answering: impl Iterator<Item = &'a PersonaName>,
    ) -> PresenceChange {
        let answering: BTreeSet<_> = answering.collect();
        let comes =
            |persona: &&PersonaName| !self.present.contains(*persona) && !answering.contains(*persona);
        let gone: BTreeSet<_> = self.present.iter().chain(answering.iter().copied()).collect();
        PresenceChange {
            come: here.iter().filter(comes).cloned().collect(),
            gone: gone.into_iter().filter(|persona| !here.contains(*persona)).cloned().collect(),
        }
    }

    /// Takes in a change that is stored.
    pub(crate) fn apply(&mut self, change: PresenceChange, answering: impl Iterator<Item = PersonaName>) {
        self.present.extend(answering.chain(change.come));
        self.present.retain(|persona| !change.gone.contains(persona));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names<T: FromIterator<PersonaName>>(names: &[&str]) -> T {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    fn present(who: &[&str]) -> PresenceTracker {
        PresenceTracker { present: names(who), erased: 0 }
    }

    #[test]
    fn gr2_who_is_here_is_present_and_who_is_not_is_not_even_if_they_were_meant() {
        let mut presence = present(&["ada", "bo", "kit"]);
        let here = names(&["ada", "vesper", "wick"]);
        let answering: Vec<_> = names(&["kit", "marlow", "wick"]);
        let change = presence.change(&here, answering.iter());
        assert_eq!(
            change,
            PresenceChange { come: names(&["vesper"]), gone: names(&["bo", "kit", "marlow"]) }
        );
        presence.apply(change, answering.into_iter());
        assert!(presence.present == here);
    }

    #[test]
    fn who_is_there_already_costs_the_store_nothing() {
        let presence = present(&["ada", "bo"]);
        let (here, answering): (_, Vec<_>) = (names(&["ada", "bo"]), names(&["ada"]));
        assert_eq!(presence.change(&here, answering.iter()), PresenceChange::default());
    }
}
