//! Which keys there are: read from the store, and read again while the server runs, so that what
//! `greenroom key revoke` says in another process holds here a moment later.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use greenroom_core::UserId;
use greenroom_store::{AccessKey, KeyHash, Role, Store, StoreError};
use tokio::{sync::Mutex, time::MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use crate::{
    ApiError, Caller,
    access::{Key, no_key},
};

/// How often the keys are read again: a revoked one is out within a second.
const EVERY: Duration = Duration::from_millis(250);

/// The person a caller is where no key is needed.
const ANYBODY: &str = "operator";

/// The keys there are. Clones are handles to the same.
#[derive(Clone)]
pub struct Keys(Arc<Shared>);

struct Shared {
    store: Arc<dyn Store>,
    closing: CancellationToken,
    known: RwLock<Arc<KeyTable>>,
    /// One reads at a time: strangers with made-up keys cannot take the store's readers from others.
    reading: Mutex<()>,
}

/// The keys as they were read last.
struct KeyTable {
    /// Whether there ever was a key: from then on nobody is let in without.
    needed: bool,
    live: HashMap<KeyHash, Admitted>,
    /// Who comes without a key as long as there is none.
    anybody: Admitted,
}

/// Somebody who may come in.
#[derive(Debug, Clone)]
pub struct Admitted {
    /// Who.
    pub caller: Caller,
    /// Cancelled when their key is revoked, and only then: a server that stops finishes its answers.
    pub revoked: CancellationToken,
}

impl Admitted {
    fn new(role: Role, user: UserId, closing: &CancellationToken) -> Self {
        let caller = Caller { role, user, revoked: closing.child_token() };
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
        let anybody = ANYBODY.parse().map_err(|error| StoreError::Other(format!("{error}")))?;
        let known = RwLock::new(Arc::new(KeyTable::none(anybody, &closing)));
        let shared = Shared { store, closing, known, reading: Mutex::new(()) };
        let keys = Self(Arc::new(shared));
        keys.refresh().await?;
        Ok(keys)
    }

    /// How many let somebody in; `None` where there never was one and nobody needs any.
    pub fn live(&self) -> Option<usize> {
        let known = self.known();
        known.needed.then(|| known.live.len())
    }

    /// Who comes with a key, or without one (X1).
    ///
    /// # Errors
    /// 401 where a key is needed and this is none; 503 where the store cannot say.
    pub async fn caller(&self, key: Option<&Key>) -> Result<Admitted, ApiError> {
        let known = self.known();
        if !known.needed {
            return Ok(known.anybody.clone());
        }
        let key = key.ok_or_else(no_key)?;
        let hash = key.hash();
        if let Some(live) = known.live.get(&hash) {
            return Ok(live.clone());
        }
        // one that was made a moment ago
        if key.is_plausible() {
            self.refresh().await?;
        }
        self.known().live.get(&hash).cloned().ok_or_else(wrong_key)
    }

    /// Who a key is for, by what is kept of it: a session knows no more of a key.
    ///
    /// # Errors
    /// 401 where there is no such key any more.
    pub fn admitted(&self, hash: &KeyHash) -> Result<Admitted, ApiError> {
        self.known().live.get(hash).cloned().ok_or_else(wrong_key)
    }

    /// Reads the keys again and again until the server stops. Whose key is revoked is told.
    pub async fn follow(self) {
        let mut ticks = tokio::time::interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut failing = false;
        loop {
            tokio::select! {
                () = self.0.closing.cancelled() => return,
                _ = ticks.tick() => {}
            }
            let read = self.refresh().await;
            if let (Err(error), false) = (&read, failing) {
                tracing::warn!("keys cannot be read, so one that is revoked still lets in: {error}");
            }
            failing = read.is_err();
        }
    }

    async fn refresh(&self) -> Result<(), StoreError> {
        let _alone = self.0.reading.lock().await;
        let keys = self.0.store.keys().await?;
        let next = Arc::new(self.known().with(keys, &self.0.closing));
        *self.0.known.write().unwrap_or_else(PoisonError::into_inner) = next;
        Ok(())
    }

    fn known(&self) -> Arc<KeyTable> {
        self.0.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl KeyTable {
    /// No keys at all.
    fn none(anybody: UserId, closing: &CancellationToken) -> Self {
        let anybody = Admitted::new(Role::Operator, anybody, closing);
        Self { needed: false, live: HashMap::new(), anybody }
    }

    /// The same keys as the store has them now. Whose key went is told, and with the first key whoever
    /// came without one.
    fn with(&self, keys: Vec<AccessKey>, closing: &CancellationToken) -> Self {
        let needed = self.needed || !keys.is_empty();
        if needed {
            self.anybody.revoke();
        }
        let alive = keys.into_iter().filter(|key| key.revoked_at.is_none());
        let kept = |key: AccessKey| {
            let known = self.live.get(&key.hash).cloned();
            let new = || Admitted::new(key.role, key.user, closing);
            (key.hash, known.unwrap_or_else(new))
        };
        let live: HashMap<KeyHash, Admitted> = alive.map(kept).collect();
        for (_, gone) in self.live.iter().filter(|(hash, _)| !live.contains_key(*hash)) {
            gone.revoke();
        }
        Self { needed, live, anybody: self.anybody.clone() }
    }
}

fn wrong_key() -> ApiError {
    ApiError::new(
        http::StatusCode::UNAUTHORIZED,
        "wrong_key",
        "this key is unknown or was revoked; `greenroom key list` shows which there are",
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

    /// What is known of these keys by somebody who knew `before`.
    fn with(before: &KeyTable, keys: Vec<AccessKey>) -> KeyTable {
        before.with(keys, &CancellationToken::new())
    }

    fn none() -> KeyTable {
        KeyTable::none("operator".parse().unwrap(), &CancellationToken::new())
    }

    #[test]
    fn s10_a_server_that_stops_tells_its_callers_and_revokes_no_key() {
        let closing = CancellationToken::new();
        let known = KeyTable::none("operator".parse().unwrap(), &closing).with(vec![key(1, false)], &closing);
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
        assert!(!open.needed && !open.anybody.revoked.is_cancelled());
        let closed = with(&open, vec![key(1, false)]);
        assert!(closed.needed && open.anybody.revoked.is_cancelled());
        assert!(with(&closed, vec![key(1, true)]).needed);
        assert!(with(&none(), vec![key(1, true)]).needed, "nor does another start");
    }
}
