//! Codes that link two accounts of a person (MP1). The person asks for a code under one account and sends it under the
//! other, both in private chats.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use greenroom_core::UserRef;
use tokio::time::Instant;

use crate::{Rate, rate::Bucket};

/// How long a code is valid.
const GOOD: Duration = Duration::from_secs(600);
/// The most valid codes at a time. Each account has at most one.
const MANY: usize = 1000;
/// The rate at which a person may try codes.
const TRIES: Rate = Rate { burst: 5, every: Duration::from_secs(120) };
/// The alphabet of codes, without characters that look alike.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// The codes of this process.
#[derive(Default)]
pub(super) struct Codes(Mutex<State>);

#[derive(Default)]
struct State {
    codes: HashMap<String, (UserRef, Instant)>,
    tries: HashMap<UserRef, Bucket>,
}

impl Codes {
    /// Makes a new code for an account and voids its previous code. `None` if there are too many codes or the system
    /// has no randomness.
    pub(super) fn make(&self, account: &UserRef, now: Instant) -> Option<String> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).ok()?;
        let code: String = random.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
        let codes = &mut self.state().codes;
        codes.retain(|_, (of, until)| of != account && *until > now);
        if codes.len() >= MANY {
            return None;
        }
        codes.insert(code.clone(), (account.clone(), now + GOOD));
        Some(code)
    }

    /// The account of a code. `None` if the code is wrong or expired, or if the person has tried too many codes.
    pub(super) fn account(&self, code: &str, by: &UserRef, now: Instant) -> Option<UserRef> {
        let mut state = self.state();
        if state.tries.len() >= MANY {
            state.tries.retain(|_, bucket| !bucket.is_full(now));
        }
        let bucket = state.tries.entry(by.clone()).or_insert_with(|| Bucket::new(TRIES, now));
        if !bucket.wait(now).is_zero() {
            return None;
        }
        bucket.take(now);
        let (account, until) = state.codes.get(&code.to_ascii_uppercase())?;
        (*until > now).then(|| account.clone())
    }

    /// Voids a code, because it was used or other people have read it.
    pub(super) fn void(&self, code: &str) {
        self.state().codes.remove(&code.to_ascii_uppercase());
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(id: &str) -> UserRef {
        id.parse().unwrap()
    }

    #[test]
    fn mp1_a_code_is_of_one_account_for_a_while() {
        let (codes, now) = (Codes::default(), Instant::now());
        let (ann, bo) = (account("xmpp:ann@test"), account("telegram:7"));
        let first = codes.make(&ann, now).unwrap();
        let code = codes.make(&ann, now).unwrap();
        assert_eq!(code.len(), 8);
        assert_eq!(codes.account(&first, &bo, now), None, "the newest alone is good");
        assert_eq!(codes.account(&code.to_lowercase(), &bo, now), Some(ann.clone()));
        assert_eq!(codes.account(&code, &bo, now + GOOD), None);
        codes.void(&code);
        assert_eq!(codes.account(&code, &bo, now), None);
    }

    #[test]
    fn s9_codes_are_not_guessed() {
        let (codes, now) = (Codes::default(), Instant::now());
        let code = codes.make(&account("xmpp:ann@test"), now).unwrap();
        let eve = account("irc:net/eve");
        for n in 0..5 {
            assert_eq!(codes.account(&format!("WRONG{n}"), &eve, now), None);
        }
        assert_eq!(codes.account(&code, &eve, now), None, "she has tried too often");
        assert!(codes.account(&code, &account("irc:net/bo"), now).is_some());
    }
}
