//! Links between accounts of one person on several platforms (MP1).

use async_trait::async_trait;
use greenroom_core::UserRef;
use greenroom_store::{LinkStore, Result};

use crate::{InMemoryStore, state::State};

#[async_trait]
impl LinkStore for InMemoryStore {
    async fn link(&self, one: &UserRef, other: &UserRef) -> Result<()> {
        let mut state = self.state()?;
        if one == other {
            return Ok(());
        }
        let mut person = state.linked(one);
        person.extend(state.linked(other));
        person.extend([one.clone(), other.clone()]);
        state.links.retain(|accounts| !accounts.iter().any(|account| person.contains(account)));
        person.sort();
        person.dedup();
        state.links.push(person);
        Ok(())
    }

    async fn unlink(&self, account: &UserRef) -> Result<bool> {
        Ok(self.state()?.unlink(account))
    }

    async fn linked(&self, account: &UserRef) -> Result<Vec<UserRef>> {
        Ok(self.state()?.linked(account))
    }
}

impl State {
    /// The other accounts of the person, sorted.
    pub(crate) fn linked(&self, account: &UserRef) -> Vec<UserRef> {
        let person = self.links.iter().find(|accounts| accounts.contains(account));
        person.into_iter().flatten().filter(|other| *other != account).cloned().collect()
    }

    pub(crate) fn unlink(&mut self, account: &UserRef) -> bool {
        let was = self.links.iter().any(|accounts| accounts.contains(account));
        self.links.iter_mut().for_each(|accounts| accounts.retain(|other| other != account));
        self.links.retain(|accounts| accounts.len() > 1);
        was
    }
}
