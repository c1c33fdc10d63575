//! The keys of the store, in memory. They are read again while the server runs, so that a key that another process
//! revokes (`greenroom key revoke`) is refused here a moment later.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use greenroom_core::{UserId, real_time};
use greenroom_store::{AccessKey, KeyHash, Role, Store, StoreError};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::{
    ApiError, Caller,
    access::{Key, no_key},
};

/// The interval of reading. A revoked key must be refused within a second (X1).
const REFRESH: Duration = Duration::from_millis(250);

/// The person of an operator who gives no name: of a key without a person, and of a caller without a key while none is
/// needed. The name is no role, so that a conversation shows it without a mark (RM7).
pub const HOST_USER: &str = "host";

/// The keys. Clones are handles to the same keys.
#[derive(Clone)]
pub struct Keys(Arc<Shared>);

struct Shared {
    store: Arc<dyn Store>,
    closing: CancellationToken,
    table: RwLock<Arc<KeyTable>>,
    /// One refresh at a time, so that requests with made-up keys cannot occupy all readers of the store.
    refreshing: Mutex<()>,
}

/// The keys as of the last refresh.
struct KeyTable {
    /// Whether a key was ever made: since then every request needs one.
    needed: bool,
    live: HashMap<KeyHash, Grant>,
    /// The grant of callers without a key, while none is needed.
    keyless: Grant,
}

/// The rights of a key.
#[derive(Debug, Clone)]
pub struct Grant {
    /// The caller.
    pub caller: Caller,
    /// Cancelled when the key is revoked, or when a caller without a key needs one. Not cancelled when the server
    /// stops, so that responses can end.
    pub revoked: CancellationToken,
}

impl Grant {
    fn new(role: Role, user: UserId, keyless: bool, closing: &CancellationToken) -> Self {
        let caller = Caller { role, user, keyless, revoked: closing.child_token() };
        Self { caller, revoked: CancellationToken::new() }
    }

    fn revoke(&self) {
        self.revoked.cancel();
        self.caller.revoked.cancel();
    }
}

impl Keys {
    /// Reads the keys of a store, for a server that stops when `closing` is cancelled.
    ///
    /// # Errors
    /// The store's.
    pub async fn read(store: Arc<dyn Store>, closing: CancellationToken) -> Result<Self, StoreError> {
        let keyless = HOST_USER.parse().map_err(|error| StoreError::Other(format!("{error}")))?;
        let table = RwLock::new(Arc::new(KeyTable::none(keyless, &closing)));
        let shared = Shared { store, closing, table, refreshing: Mutex::new(()) };
        let keys = Self(Arc::new(shared));
        keys.refresh().await?;
        Ok(keys)
    }

    /// The number of keys that are not revoked; `None` if no key was ever made, so that none is needed.
    pub fn live(&self) -> Option<usize> {
        let table = self.table();
        table.needed.then(|| table.live.len())
    }

    /// The grant of a key, or of a request without one (X1).
    ///
    /// # Errors
    /// 401 for a missing or wrong key; 503 if the store fails.
    pub async fn authenticate(&self, key: Option<&Key>) -> Result<Grant, ApiError> {
        let table = self.table();
        if !table.needed {
            return Ok(table.keyless.clone());
        }
        let key = key.ok_or_else(no_key)?;
        let hash = key.hash();
        if let Some(grant) = table.live.get(&hash) {
            return Ok(grant.clone());
        }
        // it may have been made since the last refresh
        if key.is_plausible() {
            self.refresh().await?;
        }
        self.grant(&hash)
    }

    /// The grant of a key by its hash; a session stores only the hash.
    ///
    /// # Errors
    /// 401 for a revoked key.
    pub fn grant(&self, hash: &KeyHash) -> Result<Grant, ApiError> {
        self.table().live.get(hash).cloned().ok_or_else(wrong_key)
    }

    /// Reads the keys periodically until the server stops, and cancels the grants of revoked keys.
    pub async fn follow(self) {
        let mut failing = false;
        loop {
            let read = self.refresh().await;
            if let (Err(error), false) = (&read, failing) {
                tracing::warn!("keys cannot be read, so a revoked key is still accepted: {error}");
            }
            failing = read.is_err();
            tokio::select! {
                () = self.0.closing.cancelled() => return,
                () = real_time().sleep(REFRESH) => {}
            }
        }
    }

    async fn refresh(&self) -> Result<(), StoreError> {
        let _refreshing = self.0.refreshing.lock().await;
        let keys = self.0.store.keys().await?;
        let next = Arc::new(self.table().with(keys, &self.0.closing));
        *self.0.table.write().unwrap_or_else(PoisonError::into_inner) = next;
        Ok(())
    }

    fn table(&self) -> Arc<KeyTable> {
        self.0.table.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl KeyTable {
    /// No keys.
    fn none(user: UserId, closing: &CancellationToken) -> Self {
        let keyless = Grant::new(Role::Operator, user, true, closing);
        Self { needed: false, live: HashMap::new(), keyless }
    }

    /// The table of the store's present keys. It keeps the grants of known keys and cancels those of revoked ones;
    /// the first key cancels the grant of callers without one.
    fn with(&self, keys: Vec<AccessKey>, closing: &CancellationToken) -> Self {
        let needed = self.needed || !keys.is_empty();
        if needed {
            self.keyless.revoke();
        }
        let alive = keys.into_iter().filter(|key| key.revoked_at.is_none());
        let grant = |key: AccessKey| {
            let known = self.live.get(&key.hash).cloned();
            let new = || Grant::new(key.role, key.user, false, closing);
            (key.hash, known.unwrap_or_else(new))
        };
        let live: HashMap<KeyHash, Grant> = alive.map(grant).collect();
        for (_, gone) in self.live.iter().filter(|(hash, _)| !live.contains_key(*hash)) {
            gone.revoke();
        }
        Self { needed, live, keyless: self.keyless.clone() }
    }
}

fn wrong_key() -> ApiError {
    ApiError::new(
        http::StatusCode::UNAUTHORIZED,
        "wrong_key",
        "this key is unknown or was revoked; `greenroom key list` shows the keys",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use greenroom_core::Timestamp;

    fn key(n: u8, revoked: bool) -> AccessKey {
        AccessKey {
            id: i64::from(n),
            label: String::new(),
            role: Role::User,
            user: "ann".parse().unwrap(),
            hash: [n; 32],
            created_at: Timestamp(0),
            revoked_at: revoked.then_some(Timestamp(1)),
        }
    }

    /// The table of these keys, built from the earlier table `before`.
    fn with(before: &KeyTable, keys: Vec<AccessKey>) -> KeyTable {
        before.with(keys, &CancellationToken::new())
    }

    fn none() -> KeyTable {
        KeyTable::none(HOST_USER.parse().unwrap(), &CancellationToken::new())
    }

    #[test]
    fn s10_a_server_that_stops_tells_its_callers_and_revokes_no_key() {
        let closing = CancellationToken::new();
        let known = KeyTable::none(HOST_USER.parse().unwrap(), &closing).with(vec![key(1, false)], &closing);
        closing.cancel();
        let admitted = &known.live[&[1; 32]];
        assert!(admitted.caller.revoked.is_cancelled() && !admitted.revoked.is_cancelled());
    }

    #[test]
    fn x1_a_revoked_key_is_told_and_the_others_stay() {
        let before = with(&none(), vec![key(1, false), key(2, false)]);
        let token = |n: u8| before.live[&[n; 32]].revoked.clone();
        let after = with(&before, vec![key(1, true), key(2, false), key(3, false)]);
        assert!(token(1).is_cancelled() && !token(2).is_cancelled());
        let mut live: Vec<u8> = after.live.keys().map(|hash| hash[0]).collect();
        live.sort_unstable();
        assert_eq!(live, [2, 3]);
        with(&after, vec![key(1, true), key(2, true), key(3, false)]);
        assert!(token(2).is_cancelled(), "it is the same token all the time");
    }

    #[test]
    fn x1_with_the_first_key_who_came_without_one_goes_and_no_revocation_opens_the_door_again() {
        let open = with(&none(), Vec::new());
        assert!(!open.needed && !open.keyless.revoked.is_cancelled());
        let closed = with(&open, vec![key(1, false)]);
        assert!(closed.needed && open.keyless.revoked.is_cancelled());
        // a caller without a key gets the reason that one is needed now
        let (keyless, keyed) = (open.keyless.caller.ended(), closed.live[&[1; 32]].caller.ended());
        assert_eq!((keyless.status.as_u16(), keyless.code, keyed.code), (401, "no_key", "revoked"));
        assert!(keyless.message.starts_with("since a key was made, this server asks for one"), "{keyless:?}");
        assert!(with(&closed, vec![key(1, true)]).needed);
        assert!(with(&none(), vec![key(1, true)]).needed, "nor does another start");
    }
}
