//! Who is present in a room (GR2): what a persona does not hear it never witnessed.
//!
//! The roll is called with every message of a person: whoever plays here and was not present yet
//! enters with it, whoever left the cast or was stopped no longer hears it. Between two messages
//! nothing can be missed, so nothing has to be written when a persona goes: the next message says
//! it, in this run or in a later one.

use std::collections::BTreeSet;

use greenroom_core::{ChannelKey, PersonaName};
use greenroom_store::{Store, StoreError};

/// Who is present, as the store knows it.
pub(crate) struct Attendance(BTreeSet<PersonaName>);

/// Who comes and who goes with a message. Who answers it has heard it in any case, and the store notes that with
/// the turn; who is not here and was meant was told it, and hears nothing after it.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Roll {
    pub(crate) come: Vec<PersonaName>,
    pub(crate) gone: Vec<PersonaName>,
}

impl Attendance {
    /// Who was present when the room woke.
    pub(crate) async fn of(store: &dyn Store, channel: &ChannelKey) -> Result<Self, StoreError> {
        Ok(Self(store.present(channel).await?.into_iter().collect()))
    }

    /// What a message changes that is heard by those who are `here`.
    pub(crate) fn call<'a>(
        &self,
        here: impl Iterator<Item = &'a PersonaName>,
        answering: impl Iterator<Item = &'a PersonaName>,
    ) -> Roll {
        let here: BTreeSet<_> = here.collect();
        let answering: BTreeSet<_> = answering.collect();
        let come = here.iter().filter(|who| !self.0.contains(**who) && !answering.contains(*who));
        let gone: BTreeSet<_> = self.0.iter().chain(answering.iter().copied()).collect();
        let gone = gone.into_iter().filter(|who| !here.contains(who));
        Roll { come: come.map(|who| (*who).clone()).collect(), gone: gone.cloned().collect() }
    }

    /// The store has noted it.
    pub(crate) fn heard(&mut self, roll: Roll, answering: impl Iterator<Item = PersonaName>) {
        self.0.extend(answering.chain(roll.come));
        self.0.retain(|who| !roll.gone.contains(who));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<PersonaName> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    #[test]
    fn gr2_who_is_here_is_present_and_who_is_not_is_not_even_if_they_were_meant() {
        let mut attendance = Attendance(names(&["ada", "bo", "kit"]).into_iter().collect());
        let (here, answering) = (names(&["ada", "vesper", "wick"]), names(&["kit", "marlow", "wick"]));
        let roll = attendance.call(here.iter(), answering.iter());
        assert_eq!(roll, Roll { come: names(&["vesper"]), gone: names(&["bo", "kit", "marlow"]) });
        attendance.heard(roll, answering.into_iter());
        assert!(attendance.0.into_iter().eq(names(&["ada", "vesper", "wick"])));
    }

    #[test]
    fn who_is_there_already_costs_the_store_nothing() {
        let attendance = Attendance(names(&["ada", "bo"]).into_iter().collect());
        let (here, answering) = (names(&["ada", "bo"]), names(&["ada"]));
        assert_eq!(attendance.call(here.iter(), answering.iter()), Roll::default());
    }
}
