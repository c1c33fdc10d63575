//! What a stranger can cause in an hour: new chats of an account, answers to a person. Counts are kept in memory.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use greenroom_persona::AccountSettings;
use tokio::time::Instant;

use crate::{Rate, rate::Bucket};

const HOUR: Duration = Duration::from_secs(3600);
/// How long a person is told of no further failure in a chat.
const FAILURES: Duration = Duration::from_secs(600);
/// From so many buckets on, those that are full are let go.
const MANY: usize = 1024;

/// The counts of an account.
pub(crate) struct Quota {
    chats: Mutex<Bucket>,
    people: Mutex<HashMap<String, Bucket>>,
    failures: Mutex<HashMap<String, Bucket>>,
    per_person: Rate,
}

impl Quota {
    /// Nothing is counted yet.
    pub(crate) fn new(settings: &AccountSettings) -> Self {
        let per_hour = |number: u32| Rate { burst: number.max(1), every: HOUR / number.max(1) };
        let chats = Bucket::new(per_hour(settings.new_chats_per_hour), Instant::now());
        Self {
            chats: Mutex::new(chats),
            people: Mutex::default(),
            failures: Mutex::default(),
            per_person: per_hour(settings.answers_per_person),
        }
    }

    /// Whether a chat that is new may begin; it is counted then.
    pub(crate) fn permits_chat(&self, now: Instant) -> bool {
        take(&mut self.chats.lock().unwrap_or_else(PoisonError::into_inner), now)
    }

    /// Whether another message of a person may be answered; it is counted then.
    pub(crate) fn permits_answer(&self, person: &str, now: Instant) -> bool {
        take_of(&self.people, person, self.per_person, now)
    }

    /// Whether a person may be told in a chat that a turn failed; it is counted then. While a model is unreachable each
    /// person is told once in a while, and not with every message.
    pub(crate) fn permits_failure(&self, whom: &str, now: Instant) -> bool {
        take_of(&self.failures, whom, Rate { burst: 1, every: FAILURES }, now)
    }
}

fn take_of(buckets: &Mutex<HashMap<String, Bucket>>, key: &str, rate: Rate, now: Instant) -> bool {
    let mut buckets = buckets.lock().unwrap_or_else(PoisonError::into_inner);
    if buckets.len() >= MANY {
        buckets.retain(|_, bucket| !bucket.is_full(now));
    }
    take(buckets.entry(key.to_owned()).or_insert_with(|| Bucket::new(rate, now)), now)
}

fn take(bucket: &mut Bucket, now: Instant) -> bool {
    let permitted = bucket.wait(now).is_zero();
    if permitted {
        bucket.take(now);
    }
    permitted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s9_a_stranger_is_answered_so_often_in_an_hour() {
        let quota = Quota::new(&AccountSettings {
            answers_per_person: 2,
            new_chats_per_hour: 1,
            ..Default::default()
        });
        let now = Instant::now();
        assert_eq!([0; 3].map(|_| quota.permits_answer("ann", now)), [true, true, false]);
        assert!(quota.permits_answer("bo", now), "others are not affected");
        assert!(quota.permits_answer("ann", now + HOUR / 2));
        assert_eq!([0; 2].map(|_| quota.permits_chat(now)), [true, false]);
    }
}
