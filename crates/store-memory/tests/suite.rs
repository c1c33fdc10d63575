//! The cases every store passes.

use greenroom_store_memory::InMemoryStore;

async fn fresh() -> (InMemoryStore, ()) {
    (InMemoryStore::new(), ())
}

greenroom_store::store_suite!(fresh);
