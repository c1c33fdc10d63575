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
    anybody: UserId,
    known: RwLock<Arc<Known>>,
    /// One reads at a time: strangers with made-up keys cannot take the store's readers from others.
    reading: Mutex<()>,
}

/// The keys as they were read last.
#[derive(Default)]
struct Known {
    /// Whether there ever was a key: from then on nobody is let in without.
    needed: bool,
    live: HashMap<KeyHash, Live>,
    /// Cancelled when the first key is made: who came in without one goes.
    without: CancellationToken,
}

#[derive(Clone)]
struct Live {
    role: Role,
    user: UserId,
    revoked: CancellationToken,
}

impl Keys {
    /// Reads the keys of a store.
    ///
    /// # Errors
    /// The store's.
    pub async fn read(store: Arc<dyn Store>) -> Result<Self, StoreError> {
        let anybody = ANYBODY.parse().map_err(|error| StoreError::Other(format!("{error}")))?;
        let shared = Shared { store, anybody, known: RwLock::default(), reading: Mutex::new(()) };
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
    pub async fn caller(&self, key: Option<&Key>) -> Result<Caller, ApiError> {
        let known = self.known();
        if !known.needed {
            let revoked = known.without.clone();
            return Ok(Caller { role: Role::Operator, user: self.0.anybody.clone(), revoked });
        }
        let key = key.ok_or_else(no_key)?;
        let hash = key.hash();
        if let Some(live) = known.live.get(&hash) {
            return Ok(live.caller());
        }
        // one that was made a moment ago
        if key.is_plausible() {
            self.refresh().await?;
        }
        self.known().live.get(&hash).map(Live::caller).ok_or_else(wrong_key)
    }

    /// Reads the keys again and again until `closing` is cancelled. Whose key is revoked is told.
    pub async fn follow(self, closing: CancellationToken) {
        let mut ticks = tokio::time::interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut failing = false;
        loop {
            tokio::select! {
                () = closing.cancelled() => return,
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
        let next = Arc::new(self.known().with(keys));
        *self.0.known.write().unwrap_or_else(PoisonError::into_inner) = next;
        Ok(())
    }

    fn known(&self) -> Arc<Known> {
        self.0.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Known {
    /// The same keys as the store has them now. Those that went are cancelled.
    fn with(&self, keys: Vec<AccessKey>) -> Self {
        let needed = self.needed || !keys.is_empty();
        if needed {
            self.without.cancel();
        }
        let alive = keys.into_iter().filter(|key| key.revoked_at.is_none());
        let kept = |key: AccessKey| {
            let known = self.live.get(&key.hash).cloned();
            let new = || Live { role: key.role, user: key.user, revoked: CancellationToken::new() };
            (key.hash, known.unwrap_or_else(new))
        };
        let live: HashMap<KeyHash, Live> = alive.map(kept).collect();
        for (_, gone) in self.live.iter().filter(|(hash, _)| !live.contains_key(*hash)) {
            gone.revoked.cancel();
        }
        Self { needed, live, without: self.without.clone() }
    }
}

impl Live {
    fn caller(&self) -> Caller {
        Caller { role: self.role, user: self.user.clone(), revoked: self.revoked.clone() }
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

    #[test]
    fn x1_a_revoked_key_is_told_and_the_others_stay() {
        let before = Known::default().with(vec![key(1, false), key(2, false)]);
        let token = |n: u8| before.live[&[n; 32]].revoked.clone();
        let after = before.with(vec![key(1, true), key(2, false), key(3, false)]);
        assert!(token(1).is_cancelled() && !token(2).is_cancelled());
        let mut live: Vec<u8> = after.live.keys().map(|hash| hash[0]).collect();
        live.sort_unstable();
        assert_eq!(live, [2, 3]);
        after.with(vec![key(1, true), key(2, true), key(3, false)]);
        assert!(token(2).is_cancelled(), "it is the same token all the time");
    }

    #[test]
    fn x1_with_the_first_key_who_came_without_one_goes_and_no_revocation_opens_the_door_again() {
        let open = Known::default().with(Vec::new());
        assert!(!open.needed && !open.without.is_cancelled());
        let closed = open.with(vec![key(1, false)]);
        assert!(closed.needed && open.without.is_cancelled());
        assert!(closed.with(vec![key(1, true)]).needed);
        assert!(Known::default().with(vec![key(1, true)]).needed, "nor does another start");
    }
}
