//! Commands to rooms: invite a persona, let it leave, quiet a room. `crate::view` makes the views of rooms and
//! decisions.

use std::time::Duration;

use greenroom_core::{ChannelKey, MessageId, PersonaName, Timestamp, UserId};
use greenroom_store::{Departure, JoinReason, MembershipChange, Store, StoreError};
use tokio::sync::oneshot;

use super::Runtime;
use crate::{
    DecisionView, RoomView, RoomViews, RuntimeError,
    cast::Cast,
    mailbox::{RoomCommand, SupervisorMsg},
    rooms::RoomLedger,
    services::Services,
};

impl Runtime {
    /// The members of a channel, which of them answer there, and the bound of its room.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn room(&self, channel: &ChannelKey) -> Result<RoomView, RuntimeError> {
        let cast = self.services.cast.get();
        Ok(self.views(&cast).room(channel).await?)
    }

    /// The bots that spoke in a channel, as far as the entry point marked them as bots.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn bots(&self, channel: &ChannelKey) -> Result<Vec<UserId>, RuntimeError> {
        Ok(RoomLedger::read(self.services.store.room(channel).await?.state.as_deref()).bots)
    }

    /// Invites a persona to a channel: it hears what is said there from now on (RM1).
    ///
    /// # Errors
    /// If there is no such persona, or if the store fails.
    pub async fn invite(&self, channel: &ChannelKey, persona: &PersonaName) -> Result<(), RuntimeError> {
        self.check_persona(Some(persona))?;
        let joins = vec![(persona.clone(), JoinReason::Invited)];
        self.command(channel, RoomCommand::Attend(MembershipChange { joins, leaves: Vec::new() })).await
    }

    /// Lets a persona leave a channel. It comes back when it is invited or addressed there.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn leave(&self, channel: &ChannelKey, persona: &PersonaName) -> Result<(), RuntimeError> {
        let leaves = vec![(persona.clone(), Departure::Left)];
        self.command(channel, RoomCommand::Attend(MembershipChange { joins: Vec::new(), leaves })).await
    }

    /// Silences every persona in a channel for `wait`; without `wait`, until [`Runtime::lift_quiet`] (RM4).
    ///
    /// # Errors
    /// If the store fails.
    pub async fn quiet(&self, channel: &ChannelKey, wait: Option<Duration>) -> Result<(), RuntimeError> {
        let until = quiet_until(self.services.now(), wait);
        self.command(channel, RoomCommand::Quiet(Some(until))).await
    }

    /// Lifts the quiet of a channel.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn lift_quiet(&self, channel: &ChannelKey) -> Result<(), RuntimeError> {
        self.command(channel, RoomCommand::Quiet(None)).await
    }

    /// Why personas answered a message or did not (RM2). The view has no rounds if there was nothing to decide.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn decision(&self, message: MessageId) -> Result<DecisionView, RuntimeError> {
        let cast = self.services.cast.get();
        Ok(self.views(&cast).decision(message).await?)
    }

    fn views<'a>(&'a self, cast: &'a Cast) -> RoomViews<'a> {
        let Services { store, rooms, .. } = &*self.services;
        RoomViews { store: &**store, rooms, cast: cast.iter().map(|persona| &**persona).collect() }
    }

    async fn command(&self, channel: &ChannelKey, command: RoomCommand) -> Result<(), RuntimeError> {
        let (done, answer) = oneshot::channel();
        self.tell(SupervisorMsg::Command { channel: channel.clone(), command, done })?;
        Ok(answer.await.map_err(|_| RuntimeError::Crashed { channel: channel.clone() })??)
    }
}

/// The end of the year 9999 in seconds since 1970. It stands for "without end"; calendars can still write it.
const FOR_EVER: i64 = 253_402_300_799;

/// Quiets a channel without a live room until a moment in seconds since 1970, or lifts its quiet. Only the owner of the
/// channel may call this.
///
/// # Errors
/// If the store fails.
pub async fn put_quiet(
    store: &dyn Store,
    channel: &ChannelKey,
    until: Option<i64>,
) -> Result<(), StoreError> {
    let mut ledger = RoomLedger::read(store.room(channel).await?.state.as_deref());
    ledger.counters.quiet_until(until);
    store.put_room(channel, &ledger.to_json()).await
}

/// When a quiet ends that begins now, in seconds since 1970.
pub fn quiet_until(now: Timestamp, wait: Option<Duration>) -> i64 {
    let end = |wait: Duration| {
        let wait = i64::try_from(wait.as_secs()).unwrap_or(FOR_EVER);
        (now.0 / 1_000_000).saturating_add(wait).min(FOR_EVER)
    };
    wait.map_or(FOR_EVER, end)
}
