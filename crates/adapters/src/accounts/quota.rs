//! Hourly limits on what strangers can cause: new chats per account, and stored messages and answers per person. The
//! counts are in memory. At the start they are computed from the messages of the last hour.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use greenroom_core::{ChannelKey, Unanswered};
use greenroom_persona::AccountSettings;
use greenroom_store::PersonActivity;
use tokio::time::Instant;

use super::RunningAccount;
use crate::{Rate, Taken, rate::Bucket};

/// The period of all limits.
pub(super) const HOUR: Duration = Duration::from_secs(3600);
/// A person gets at most one failure notice per chat in this time.
const FAILURES: Duration = Duration::from_secs(600);
/// From this number of buckets on, full buckets are removed.
const MANY: usize = 1024;

/// The counts of an account.
pub(crate) struct Quota {
    chats: Counts,
    messages: Counts,
    answers: Counts,
    failures: Counts,
}

impl Quota {
    /// A quota without counts.
    pub(crate) fn new(settings: &AccountSettings) -> Self {
        let per_hour = |number: u32| Counts::new(Rate { burst: number.max(1), every: HOUR / number.max(1) });
        Self {
            chats: per_hour(settings.new_chats_per_hour),
            messages: per_hour(settings.messages_per_person),
            answers: per_hour(settings.answers_per_person),
            failures: Counts::new(Rate { burst: 1, every: FAILURES }),
        }
    }

    /// Counts the messages of the last hour.
    pub(crate) fn restore(&self, heard: &[PersonActivity], now: Instant) {
        let new = heard.iter().filter(|one| one.is_new);
        let chats: BTreeSet<_> = new.map(|one| (one.channel.provider(), one.channel.chat_id())).collect();
        self.chats.count(ALL, chats.len() as u64, now);
        for PersonActivity { user, messages, answered, .. } in heard {
            self.messages.count(user.as_str(), *messages, now);
            self.answers.count(user.as_str(), *answered, now);
        }
    }

    /// Whether a new chat may begin.
    pub(crate) fn permits_chat(&self, now: Instant) -> bool {
        self.chats.permits(ALL, now)
    }

    /// Whether another message of a person may be stored.
    pub(crate) fn permits_message(&self, person: &str, now: Instant) -> bool {
        self.messages.permits(person, now)
    }

    /// Whether another message of a person may be answered.
    pub(crate) fn permits_answer(&self, person: &str, now: Instant) -> bool {
        self.answers.permits(person, now)
    }

    /// Counts a stored message. Do not call this for a repeated delivery. `is_new`: the message began a chat.
    pub(crate) fn count(&self, person: &str, is_new: bool, is_answered: bool, now: Instant) {
        self.messages.count(person, 1, now);
        self.chats.count(ALL, u64::from(is_new), now);
        self.answers.count(person, u64::from(is_answered), now);
    }

    /// Whether a person may get a failure notice in a chat; counts it if so. While a model is unreachable, each person
    /// gets a notice once per period and not for every message.
    pub(crate) fn permits_failure(&self, whom: &str, now: Instant) -> bool {
        let permits = self.failures.permits(whom, now);
        self.failures.count(whom, u64::from(permits), now);
        permits
    }
}

/// Why a message is ignored, in texts for people.
pub(super) const TOO_MUCH: &str =
    "The last message here was left out: its author has said all that is kept of one person in an hour.";
pub(super) const TOO_MANY_CHATS: &str =
    "What is said here is left out for now: as many chats have begun as may begin in an hour.";

/// The chats whose last message was ignored because of a limit.
#[derive(Default)]
pub(crate) struct LeftOut(Mutex<HashMap<ChannelKey, &'static str>>);

impl LeftOut {
    fn known(&self) -> MutexGuard<'_, HashMap<ChannelKey, &'static str>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note(&self, channel: ChannelKey, why: &'static str) {
        let mut known = self.known();
        if known.len() >= MANY {
            known.clear();
        }
        known.insert(channel, why);
    }

    pub(super) fn forget(&self, channel: &ChannelKey) {
        self.known().remove(channel);
    }

    /// Why the last message of a chat was ignored. `None` if it was not.
    pub(super) fn why(&self, channel: &ChannelKey) -> Option<&'static str> {
        self.known().get(channel).copied()
    }
}

impl RunningAccount {
    /// Ignores a message above the limits for strangers.
    pub(super) fn leave_out(&self, channel: ChannelKey, limit: &'static str) -> Taken {
        self.progress.not_answered(Unanswered::Limit);
        self.left_out.note(channel, limit);
        Taken::Ignored
    }
}

/// The key for counts of all people together.
const ALL: &str = "";

/// Token buckets by person.
struct Counts {
    rate: Rate,
    buckets: Mutex<HashMap<String, Bucket>>,
}

impl Counts {
    fn new(rate: Rate) -> Self {
        Self { rate, buckets: Mutex::default() }
    }

    fn buckets(&self) -> MutexGuard<'_, HashMap<String, Bucket>> {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn permits(&self, whom: &str, now: Instant) -> bool {
        self.buckets().get(whom).is_none_or(|bucket| bucket.wait(now).is_zero())
    }

    /// Counts `number`, but at most what one hour permits.
    fn count(&self, whom: &str, number: u64, now: Instant) {
        if number == 0 {
            return;
        }
        let mut buckets = self.buckets();
        if buckets.len() >= MANY {
            buckets.retain(|_, bucket| !bucket.is_full(now));
        }
        let bucket = buckets.entry(whom.to_owned()).or_insert_with(|| Bucket::new(self.rate, now));
        (0..number.min(self.rate.burst.into())).for_each(|_| bucket.take(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quota() -> Quota {
        Quota::new(&AccountSettings {
            messages_per_person: 3,
            answers_per_person: 2,
            new_chats_per_hour: 1,
            ..Default::default()
        })
    }

    #[test]
    fn s9_a_stranger_is_stored_and_answered_so_often_in_an_hour() {
        let (quota, now) = (quota(), Instant::now());
        let says = |person: &str, now| {
            let permitted = (quota.permits_message(person, now), quota.permits_answer(person, now));
            if permitted.0 {
                quota.count(person, false, permitted.1, now);
            }
            permitted
        };
        assert_eq!(
            [0; 4].map(|_| says("ann", now)),
            [(true, true), (true, true), (true, false), (false, false)]
        );
        assert_eq!(says("bo", now), (true, true), "others are not affected");
        assert_eq!(says("ann", now + HOUR / 2), (true, true));
        assert!(quota.permits_chat(now));
        quota.count("ann", true, false, now);
        assert!(!quota.permits_chat(now));
    }

    #[test]
    fn s9_a_restart_resets_no_count() {
        let (quota, now) = (quota(), Instant::now());
        let heard = |user: &str, messages, answered| PersonActivity {
            channel: "irc:net/#tea".parse().unwrap(),
            user: user.parse().unwrap(),
            messages,
            answered,
            is_new: true,
        };
        assert!(quota.permits_chat(now));
        quota.restore(&[heard("ann", 1_000_000, 1), heard("bo", 1, 2)], now);
        let permits = |person| (quota.permits_message(person, now), quota.permits_answer(person, now));
        assert_eq!(
            (permits("ann"), permits("bo"), permits("cy")),
            ((false, true), (true, false), (true, true))
        );
        assert!(!quota.permits_chat(now));
    }
}
