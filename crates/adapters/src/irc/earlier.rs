//! Which connection of an account reads a channel.
//!
//! Each persona may have a connection of its own, and each of them receives every message of a channel. The first
//! connection that is in the channel passes the message on. A connection decides this from its own stream alone: the server
//! sends joins, leaves and messages of a channel to all in the same order, so that exactly one connection reads each
//! message, also while one is kicked.

use std::collections::{HashMap, HashSet};

use super::line::folded;

/// The earlier connections of the account that are in a channel, by their numbers.
#[derive(Default)]
pub(super) struct EarlierConnections(HashMap<String, HashSet<usize>>);

impl EarlierConnections {
    pub(super) fn joined(&mut self, channel: &str, connection: usize) {
        self.0.entry(folded(channel)).or_default().insert(connection);
    }

    pub(super) fn left(&mut self, channel: &str, connection: usize) {
        if let Some(there) = self.0.get_mut(&folded(channel)) {
            there.remove(&connection);
        }
    }

    pub(super) fn quit(&mut self, connection: usize) {
        self.0.values_mut().for_each(|there| {
            there.remove(&connection);
        });
    }

    /// This connection joins the channel, or is out of it: it does not know who is there.
    pub(super) fn forget(&mut self, channel: &str) {
        self.0.remove(&folded(channel));
    }

    /// Whether any earlier connection is in the channel.
    pub(super) fn is_in(&self, channel: &str) -> bool {
        self.0.get(&folded(channel)).is_some_and(|there| !there.is_empty())
    }
}
