//! Defines the storage traits, their argument and result types, and the test suite that every backend passes.
//!
//! [`Store`] combines role traits of a few calls each, one file per trait in `roles/`. A backend implements the role
//! traits and thereby implements `Store`. A caller with a `dyn Store` can call all of them. A caller with a concrete
//! store imports [`prelude`].
//!
//! Every call that reads memories or recalls messages takes a [`Viewer`](greenroom_core::Viewer). The scope predicate
//! is part of the query, and no call without one exists (GR1, X6). A write is durable when its future resolves. Times
//! are microseconds. Texts are stored unchanged.
//!
#![doc = include_str!("../README.md")]

mod roles;
pub mod rules;
mod types;

#[cfg(feature = "suite")]
#[allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the suite is test code, compiled for the tests of backends alone"
)]
pub mod suite;

pub use roles::*;
pub use types::*;

/// The number of receipts that are kept in each channel; older turns lose theirs.
pub const RECEIPTS_KEPT: usize = 100;

/// The number of failed turns for one message after which the message is given up (S8).
pub const TRIES: u32 = 5;

/// The result of a call to a store.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// All role traits, to call a concrete store.
pub mod prelude {
    pub use crate::{
        AccountStore as _, CaptureStore as _, ContextStore as _, EraseStore as _, HealthStore as _,
        HistoryStore as _, InboxStore as _, JournalStore as _, KeyStore as _, LinkStore as _,
        MemoryStore as _, OutboxStore as _, PresenceStore as _, TransferStore as _, TurnStore as _,
        VectorStore as _,
    };
}
