//! The tokens that running turns have reserved, and the requests that did not fit (WB12). It covers this run alone; the
//! store knows what ended turns used.

use std::time::Duration;

use dashmap::DashMap;
use greenroom_core::PersonaName;

/// The window in which tokens count.
pub(crate) const HOUR: Duration = Duration::from_secs(3600);

/// The window in which costs count.
pub(crate) const DAY: Duration = Duration::from_secs(24 * 3600);

/// The reservations of every persona.
#[derive(Default)]
pub(crate) struct Ledger(DashMap<PersonaName, Reservations>);

#[derive(Default)]
struct Reservations {
    /// Tokens that running turns have reserved.
    reserved: u64,
    /// The tokens of a request that did not fit, until one as large was allowed.
    refused: u64,
}

impl Ledger {
    /// Takes `less` tokens off a persona's reservation and adds `more`. Returns the new reservation.
    pub(crate) fn reserve(&self, persona: &PersonaName, less: u64, more: u64) -> u64 {
        let mut entry = self.0.entry(persona.clone()).or_default();
        entry.reserved = entry.reserved.saturating_sub(less).saturating_add(more);
        entry.reserved
    }

    /// Records whether a request of this many tokens was allowed.
    pub(crate) fn judged(&self, persona: &PersonaName, tokens: u64, allowed: bool) {
        let mut entry = self.0.entry(persona.clone()).or_default();
        match allowed {
            true if tokens >= entry.refused => entry.refused = 0,
            true => {}
            false => entry.refused = tokens,
        }
    }

    /// The tokens of the refused request; 0 if none was refused.
    pub(crate) fn refused(&self, persona: &PersonaName) -> u64 {
        self.0.get(persona).map_or(0, |entry| entry.refused)
    }
}
