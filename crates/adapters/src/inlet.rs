//! The interface that an adapter gets: it stores events and cursors and reports its state. `accounts/intake.rs` is the
//! implementation, `testing.rs` the one for tests.

use std::time::Duration;

use async_trait::async_trait;
use greenroom_core::{PersonaName, Timestamp};
use greenroom_store::StoreError;
use tokio_util::sync::CancellationToken;

use crate::{Event, Face};

/// The interface for one account.
#[async_trait]
pub trait Inlet: Send + Sync {
    /// Stores an event and starts its turns. When this returns, the event is in the store: the adapter may acknowledge
    /// it to the platform and keep a cursor behind it. The adapter passes the events of one chat one after another, in
    /// their order.
    ///
    /// # Errors
    /// The event is not stored. The adapter does not acknowledge it and ends its connection, so that the platform
    /// delivers the event again.
    async fn take(&self, event: Event) -> Result<Taken, NotTaken>;

    /// A cursor that the adapter kept, as Matrix's `next_batch`. Cursors survive a restart.
    ///
    /// # Errors
    /// Where the store fails.
    async fn cursor(&self, name: &str) -> Result<Option<String>, StoreError>;

    /// Stores a cursor. The adapter calls this after [`take`](Inlet::take) has returned for all events before the
    /// cursor.
    ///
    /// # Errors
    /// Where the store fails.
    async fn keep_cursor(&self, name: &str, value: &str) -> Result<(), StoreError>;

    /// Reports the state of the connection, for operators.
    fn report(&self, connection: ConnectionState);

    /// Reports how far back the adapter read after an absence (AD7).
    fn looked_back(&self, looked: LookedBack);

    /// Reports that a channel refuses the account with the platform's reason, or with `None` that it no longer refuses.
    /// `persona`: the refused persona, on platforms where each persona has its own connection.
    fn refused(&self, channel: &str, persona: Option<&PersonaName>, why: Option<&str>);

    /// Reports that the platform asks the account to wait before its next request.
    fn asked_to_wait(&self, wait: Duration);

    /// The personas of the account, each with its face. The cast may change.
    fn faces(&self) -> Vec<Face>;

    /// Cancelled when the program stops. The adapter then ends its connection properly and returns from `run` within
    /// two seconds.
    fn closing(&self) -> CancellationToken;
}

/// The result of [`Inlet::take`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// The event is stored.
    Stored,
    /// The event was stored before. It has no further effect.
    Duplicate,
    /// The event is not needed: an echo of this account's own message, or an edit of an unknown message.
    Ignored,
}

/// Why an event was not stored.
#[derive(Debug, thiserror::Error)]
pub enum NotTaken {
    /// The store failed.
    #[error("the event could not be stored: {0}")]
    Store(#[from] StoreError),
    /// Another process answers in the chat.
    #[error("another process answers in this chat: {0}")]
    Elsewhere(String),
    /// The program stops.
    #[error("the program stops")]
    Stopped,
}

/// The state of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionState {
    /// The connection is being made.
    Connecting,
    /// The connection works and events arrive.
    Online {
        /// The account's name, as the platform reports it.
        as_user: String,
    },
}

/// How far back an adapter read after an absence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedBack {
    /// The adapter has seen all events from this moment on. `None` if the platform keeps no past events.
    pub since: Option<Timestamp>,
    /// Whether the adapter has seen all events since its last one.
    pub complete: bool,
}
