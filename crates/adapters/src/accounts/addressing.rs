//! Decides for which personas a message is, and recognises the other accounts of this process in the same chat. The
//! platform delivers a message to each of these accounts; the first delivery counts, so it must be for all of them.

use std::sync::Arc;

use greenroom_core::{Author, ChannelKey, PersonaName};
use greenroom_persona::AccountSettings;
use greenroom_store::StoreError;

use super::RunningAccount;
use crate::{Adapter, Message, Person, Place};

/// The personas that a message addresses.
#[derive(Default)]
pub(super) struct Addressed {
    /// The only one: the only persona mentioned, or the only persona of the only account addressed.
    pub(super) only: Option<PersonaName>,
    /// The candidates, of whom one answers, with the usual persona first.
    pub(super) one_of: Vec<PersonaName>,
    /// The persona that answers if the room chooses none.
    pub(super) default: Option<PersonaName>,
}

impl RunningAccount {
    /// The personas that a message addresses, by mentions of them or of accounts. A name that no persona has counts as
    /// none.
    pub(super) fn addressed(&self, message: &Message) -> Addressed {
        let is_known = |name: &PersonaName| self.runtime.persona(name).is_ok();
        let known = |names: &[PersonaName]| -> Vec<_> {
            names.iter().filter(|name| is_known(name)).cloned().collect()
        };
        let accounts: Vec<_> = self.addressed_accounts(message).collect();
        let default = accounts.iter().find_map(|account| self.usual_persona(account));
        let mentioned = known(&message.mentions);
        match (&mentioned[..], &accounts[..]) {
            ([one], _) => Addressed { only: Some(one.clone()), default, ..Addressed::default() },
            ([_, ..], _) => Addressed { one_of: mentioned, default, ..Addressed::default() },
            ([], [only]) if let [one] = &known(&only.personas)[..] => {
                Addressed { only: Some(one.clone()), one_of: vec![one.clone()], default }
            }
            ([], _) => {
                let all = || self.runtime.cast().iter().map(|persona| persona.name.clone()).collect();
                let of = |account: &&AccountSettings| match account.personas.is_empty() {
                    true => self.usual_persona(account).into_iter().chain::<Vec<_>>(all()).collect(),
                    false => known(&account.personas),
                };
                Addressed { one_of: accounts.iter().flat_map(of).collect(), default, ..Addressed::default() }
            }
        }
    }

    /// The accounts that a message addresses: this one, and others that it mentions.
    fn addressed_accounts<'a>(
        &'a self,
        message: &'a Message,
    ) -> impl Iterator<Item = &'a AccountSettings> + 'a {
        let others = self.others(&message.place).filter(|(_, adapter)| {
            let ids = adapter.own_ids(&message.place);
            message.mentioned.iter().any(|id| ids.contains(id))
        });
        let this = message.addressed.then_some(&self.settings);
        this.into_iter().chain(others.map(|(settings, _)| settings))
    }

    /// The persona that answers if a message addresses an account but no persona.
    pub(super) fn usual_persona(&self, account: &AccountSettings) -> Option<PersonaName> {
        let is_known = |name: &&PersonaName| self.runtime.persona(name).is_ok();
        match account.personas.is_empty() {
            true => Some(&self.default_persona).filter(is_known).cloned(),
            false => account.personas.iter().find(is_known).cloned(),
        }
    }

    /// The other accounts of this process in a chat.
    fn others<'a>(
        &'a self,
        place: &'a Place,
    ) -> impl Iterator<Item = &'a (AccountSettings, Arc<dyn Adapter>)> + 'a {
        self.all.iter().filter(|(_, adapter)| {
            !Arc::ptr_eq(adapter, &self.adapter)
                && adapter.platform() == self.adapter.platform()
                && adapter.serves(place)
        })
    }

    /// Whether a person is another account of this process. What it says is stored already.
    pub(super) fn is_another_account(&self, place: &Place, person: &Person) -> bool {
        self.others(place).any(|(_, adapter)| adapter.own_ids(place).contains(&person.id))
    }

    /// Whether an event is a reply that another account sent. An account whose connection has just begun does not know
    /// yet under which ids it spoke before.
    pub(super) async fn is_sent(
        &self,
        place: &Place,
        channel: &ChannelKey,
        event_id: &str,
    ) -> Result<bool, StoreError> {
        if self.others(place).next().is_none() {
            return Ok(false);
        }
        let known = self.store.message_of_event(channel, event_id).await?;
        Ok(known.is_some_and(|known| matches!(known.author, Author::Persona { .. })))
    }
}
