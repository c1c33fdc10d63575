//! What an adapter is given: the way into the store, its cursors, and the place where it reports.

use std::time::Duration;

use async_trait::async_trait;
use greenroom_core::{PersonaName, Timestamp};
use greenroom_store::StoreError;
use tokio_util::sync::CancellationToken;

use crate::{Event, Face};

/// The way in, for one account.
#[async_trait]
pub trait Inlet: Send + Sync {
    /// Takes an event in. When this returns, the event is in the store: the adapter may acknowledge it to the platform,
    /// and keep a cursor that lies behind it. Events of one chat are to be handed in one after another, in their order.
    ///
    /// # Errors
    /// The event is not stored. The adapter acknowledges nothing, and ends its connection, so that the platform
    /// delivers the event again.
    async fn take(&self, event: Event) -> Result<Taken, NotTaken>;

    /// A value that the adapter kept, as `next_batch`; it outlives the process.
    ///
    /// # Errors
    /// Where the store fails.
    async fn cursor(&self, name: &str) -> Result<Option<String>, StoreError>;

    /// Keeps a value. To be called after the events before it were taken.
    ///
    /// # Errors
    /// Where the store fails.
    async fn keep_cursor(&self, name: &str, value: &str) -> Result<(), StoreError>;

    /// The state of the connection, for operators.
    fn report(&self, connection: ConnectionState);

    /// How far back the adapter looked after an absence (AD7).
    fn looked_back(&self, looked: LookedBack);

    /// A channel lets nobody of the account in, or `persona` alone where each has a connection: the platform's reason. `None`:
    /// it has let them in.
    fn refused(&self, channel: &str, persona: Option<&PersonaName>, why: Option<&str>);

    /// The platform asks the account to wait before it is asked again.
    fn asked_to_wait(&self, wait: Duration);

    /// The personas of the account, each with its face. The cast may change.
    fn faces(&self) -> Vec<Face>;

    /// Cancelled when the program stops: the adapter says goodbye to the platform and returns from `run`, within two
    /// seconds.
    fn closing(&self) -> CancellationToken;
}

/// An event that was taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is stored.
    Stored,
    /// It was stored before, and nothing happens again.
    Duplicate,
    /// It is of no use here: our own echo, an edit of an unknown message.
    Ignored,
}

/// Why an event was not taken in.
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
    /// It is being made.
    Connecting,
    /// It is there, and events arrive. Who the account is, as the platform says.
    Online {
        /// The account's name on the platform.
        as_user: String,
    },
}

/// How far back an adapter looked after an absence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedBack {
    /// The moment from which on everything was seen; `None` where the platform keeps nothing.
    pub since: Option<Timestamp>,
    /// Whether everything since the last event was seen.
    pub complete: bool,
}
