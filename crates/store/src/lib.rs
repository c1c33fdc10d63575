//! The storage traits, their types and the test suite every backend passes.
//!
//! [`Store`] is everything that Greenroom keeps. It is made of role traits of a few calls each, in a file of their own
//! under `roles/`; a backend implements these, and is a `Store` by that. Who holds a `dyn Store` calls all of them; with
//! a concrete store, import [`prelude`].
//!
//! Every call that reads memories or recalls messages takes a [`Viewer`](greenroom_core::Viewer): the scope predicate is
//! part of the query and no call without one exists (GR1, X6). Writes are durable when the future
//! resolves. Times are microseconds, texts are kept as they came.
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

/// The number of turns for one message that may break before the message is given up (S8).
pub const TRIES: u32 = 5;

/// What a store answers.
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
