//! Who is present in a room (GR2): what a persona does not hear it never witnessed.
//!
//! The roll is called with every message of a person: a persona that plays here and was not present yet
//! enters with it; one that left the cast or was stopped no longer hears it. A live room calls it as well
//! when somebody is stopped or started and when the cast changes: a reply that is under way then is heard
//! by those who are there when it is said. Where no room is live nothing is said between two messages.

use std::collections::BTreeSet;

use greenroom_core::{ChannelKey, PersonaName};
use greenroom_store::{Store, StoreError};

/// Who is present, as the store knows it.
pub(crate) struct PresenceTracker {
    present: BTreeSet<PersonaName>,
    /// The newest erasure when that was read: one of the channel takes presence along.
    pub(crate) erased: i64,
}

/// Who comes and who goes with a message. Who answers it has heard it in any case, and the store notes that with
/// the turn; who is not here and was meant was told it, and hears nothing after it.
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
    /// Who is present, read anew after this erasure.
    pub(crate) async fn of(store: &dyn Store, channel: &ChannelKey, erased: i64) -> Result<Self, StoreError> {
        Ok(Self { present: store.present(channel).await?.into_iter().collect(), erased })
    }

    /// What a message changes that is heard by those who are `here`.
    pub(crate) fn call<'a>(
        &self,
        here: impl Iterator<Item = &'a PersonaName>,
        answering: impl Iterator<Item = &'a PersonaName>,
    ) -> PresenceChange {
        let here: BTreeSet<_> = here.collect();
        let answering: BTreeSet<_> = answering.collect();
        let come = here.iter().filter(|who| !self.present.contains(**who) && !answering.contains(*who));
        let gone: BTreeSet<_> = self.present.iter().chain(answering.iter().copied()).collect();
        let gone = gone.into_iter().filter(|who| !here.contains(who));
        PresenceChange { come: come.map(|who| (*who).clone()).collect(), gone: gone.cloned().collect() }
    }

    /// What has changed since the last message.
    pub(crate) fn now<'a>(&self, here: impl Iterator<Item = &'a PersonaName>) -> PresenceChange {
        self.call(here, std::iter::empty())
    }

    /// The store has noted it.
    pub(crate) fn heard(&mut self, change: PresenceChange, answering: impl Iterator<Item = PersonaName>) {
        self.present.extend(answering.chain(change.come));
        self.present.retain(|who| !change.gone.contains(who));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<PersonaName> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    fn present(who: &[&str]) -> PresenceTracker {
        PresenceTracker { present: names(who).into_iter().collect(), erased: 0 }
    }

    #[test]
    fn gr2_who_is_here_is_present_and_who_is_not_is_not_even_if_they_were_meant() {
        let mut presence = present(&["ada", "bo", "kit"]);
        let (here, answering) = (names(&["ada", "vesper", "wick"]), names(&["kit", "marlow", "wick"]));
        let change = presence.call(here.iter(), answering.iter());
        assert_eq!(
            change,
            PresenceChange { come: names(&["vesper"]), gone: names(&["bo", "kit", "marlow"]) }
        );
        presence.heard(change, answering.into_iter());
        assert!(presence.present.into_iter().eq(names(&["ada", "vesper", "wick"])));
    }

    #[test]
    fn who_is_there_already_costs_the_store_nothing() {
        let presence = present(&["ada", "bo"]);
        let (here, answering) = (names(&["ada", "bo"]), names(&["ada"]));
        assert_eq!(presence.call(here.iter(), answering.iter()), PresenceChange::default());
    }
}
