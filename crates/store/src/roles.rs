//! The role traits that together form a store.

mod accounts;
mod captures;
mod contexts;
mod erase;
mod health;
mod history;
mod inbox;
mod journal;
mod keys;
mod links;
mod memories;
mod outbox;
mod presence;
mod transfer;
mod turns;
mod vectors;

pub use accounts::AccountStore;
pub use captures::CaptureStore;
pub use contexts::ContextStore;
pub use erase::EraseStore;
pub use health::HealthStore;
pub use history::HistoryStore;
pub use inbox::InboxStore;
pub use journal::{JournalStore, WantedPlaces};
pub use keys::KeyStore;
pub use links::LinkStore;
pub use memories::MemoryStore;
pub use outbox::OutboxStore;
pub use presence::PresenceStore;
pub use transfer::TransferStore;
pub use turns::TurnStore;
pub use vectors::VectorStore;

/// All data that Greenroom stores. The trait is object-safe, and many actors share one value. Each type that implements
/// the role traits implements it.
pub trait Store:
    InboxStore
    + TurnStore
    + OutboxStore
    + AccountStore
    + LinkStore
    + HistoryStore
    + ContextStore
    + PresenceStore
    + CaptureStore
    + MemoryStore
    + VectorStore
    + JournalStore
    + EraseStore
    + TransferStore
    + KeyStore
    + HealthStore
    + 'static
{
}

impl<T> Store for T where
    T: InboxStore
        + TurnStore
        + OutboxStore
        + AccountStore
        + LinkStore
        + HistoryStore
        + ContextStore
        + PresenceStore
        + CaptureStore
        + MemoryStore
        + VectorStore
        + JournalStore
        + EraseStore
        + TransferStore
        + KeyStore
        + HealthStore
        + 'static
{
}
