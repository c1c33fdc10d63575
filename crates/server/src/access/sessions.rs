//! The sessions of browsers. A browser sends a cookie to every port of a host, so the cookie must not hold the key,
//! which another program there could read. A session replaces a key at this server only. It ends when the
//! browser signs out, the key is revoked, the session is unused for a week, or the server ends.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use greenroom_core::{Instant, real_time};
use greenroom_store::KeyHash;
use sha2::{Digest, Sha256};

/// An unused session ends after this time.
const IDLE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The number of sessions. One more ends the session that was unused for longest.
const MOST: usize = 10_000;

/// The hash of a token; the token itself is not stored.
type TokenHash = [u8; 32];

/// The sessions of one server.
#[derive(Default)]
pub struct SessionStore(Mutex<HashMap<TokenHash, Session>>);

struct Session {
    key: KeyHash,
    used: Instant,
}

impl SessionStore {
    /// Begins a session for a key and returns its token.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn begin(&self, key: KeyHash) -> Result<String, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        let token = BASE64_URL_SAFE_NO_PAD.encode(bytes);
        let mut sessions = self.lock();
        let now = real_time().instant();
        sessions.retain(|_, session| session.is_fresh(now));
        if sessions.len() >= MOST
            && let Some(oldest) = sessions.iter().min_by_key(|(_, session)| session.used).map(|(id, _)| *id)
        {
            sessions.remove(&oldest);
        }
        sessions.insert(hash(&token), Session { key, used: now });
        Ok(token)
    }

    /// The key of a session.
    pub fn key(&self, token: &str) -> Option<KeyHash> {
        let now = real_time().instant();
        let mut sessions = self.lock();
        let session = sessions.get_mut(&hash(token)).filter(|session| session.is_fresh(now))?;
        session.used = now;
        Some(session.key)
    }

    /// Ends a session.
    pub fn end(&self, token: &str) {
        self.lock().remove(&hash(token));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TokenHash, Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    fn is_fresh(&self, now: Instant) -> bool {
        now.duration_since(self.used) < IDLE
    }
}

fn hash(token: &str) -> TokenHash {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn x5_a_session_ends_when_it_is_ended_or_unused() {
        let sessions = SessionStore::default();
        let (ours, other) = (sessions.begin([1; 32]).unwrap(), sessions.begin([2; 32]).unwrap());
        assert_ne!(ours, other);
        assert_eq!(sessions.key(&ours), Some([1; 32]));
        tokio::time::advance(IDLE - Duration::from_secs(1)).await;
        assert_eq!(sessions.key(&ours), Some([1; 32]), "its use keeps it");
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(sessions.key(&other), None);
        sessions.end(&ours);
        assert_eq!(sessions.key(&ours), None);
        assert_eq!(sessions.key(""), None);
    }

    #[tokio::test(start_paused = true)]
    async fn b2_one_session_too_many_ends_the_one_unused_for_longest() {
        let sessions = SessionStore::default();
        let first = sessions.begin([0; 32]).unwrap();
        tokio::time::advance(Duration::from_secs(1)).await;
        let second = sessions.begin([0; 32]).unwrap();
        for _ in 2..=MOST {
            sessions.begin([0; 32]).unwrap();
        }
        assert_eq!((sessions.key(&first), sessions.key(&second)), (None, Some([0; 32])));
    }
}
