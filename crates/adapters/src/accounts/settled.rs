//! What has no effect when a platform delivers it again: commands that were run, messages that were deleted, and what
//! people said before they were forgotten. A catch-up reads some minutes twice, and the store knows nothing of these any
//! more.

use std::{collections::VecDeque, time::Duration};

use greenroom_core::{ChannelKey, Timestamp, UserId, UserRef};
use greenroom_store::{Erase, Store, StoreError};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;

/// The value is kept for all accounts together: a person may have several.
const ALL_ACCOUNTS: &str = "";
/// The name of the value.
const NAME: &str = "settled";
/// Events that are known; with one more, the oldest is dropped.
const EVENTS: usize = 256;
/// Erasures that are known, and for how long: no platform looks back farther.
const ERASURES: usize = 256;
const KEPT: Duration = Duration::from_hours(48);

/// One reader and writer at a time: each changes the whole value.
static CHANGING: Mutex<()> = Mutex::const_new(());

/// The value as it is stored. Hashes, because what they name was erased.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Settled {
    events: VecDeque<String>,
    /// A person or a channel, with the moment of the erasure.
    erasures: VecDeque<(String, Timestamp)>,
}

impl Settled {
    pub(super) async fn read(store: &dyn Store) -> Result<Self, StoreError> {
        let kept = store.cursor(ALL_ACCOUNTS, NAME).await?;
        Ok(kept.and_then(|kept| serde_json::from_str(&kept).ok()).unwrap_or_default())
    }

    async fn change(store: &dyn Store, change: impl FnOnce(&mut Self)) -> Result<(), StoreError> {
        let _one = CHANGING.lock().await;
        let mut settled = Self::read(store).await?;
        change(&mut settled);
        settled.events.drain(..settled.events.len().saturating_sub(EVENTS));
        settled.erasures.drain(..settled.erasures.len().saturating_sub(ERASURES));
        let kept = serde_json::to_string(&settled).map_err(|error| StoreError::Other(error.to_string()))?;
        store.keep_cursor(ALL_ACCOUNTS, NAME, &kept).await
    }

    /// Notes that a command was run, or that a message was deleted.
    pub(super) async fn note(
        store: &dyn Store,
        channel: &ChannelKey,
        event_id: &str,
    ) -> Result<(), StoreError> {
        let event = hash(&[channel.as_str(), event_id]);
        Self::change(store, |settled| {
            if !settled.events.contains(&event) {
                settled.events.push_back(event);
            }
        })
        .await
    }

    /// Whether an event was run or deleted.
    pub(super) fn has(&self, channel: &ChannelKey, event_id: &str) -> bool {
        !self.events.is_empty() && self.events.contains(&hash(&[channel.as_str(), event_id]))
    }

    /// Whether something that a person said at a moment was erased since.
    pub(super) fn is_erased(&self, channel: &ChannelKey, person: &str, at: Timestamp) -> bool {
        if self.erasures.is_empty() {
            return false;
        }
        let person = person.parse::<UserId>().map(|user| hash(&[UserRef::new(channel, &user).as_str()]));
        let subjects = [person.ok(), Some(hash(&[channel.as_str()]))];
        self.erasures
            .iter()
            .any(|(subject, erased)| at <= *erased && subjects.iter().flatten().any(|one| one == subject))
    }
}

/// Has what was said before an erasure ignored when a platform delivers it again. To be called before the erasure: it
/// removes the links of the person.
///
/// # Errors
/// Where the store fails.
pub async fn note_erasure(store: &dyn Store, what: &Erase, at: Timestamp) -> Result<(), StoreError> {
    let (subjects, at) = match what {
        Erase::Person(person) => {
            let mut people = store.linked(person).await?;
            people.push(person.clone());
            (people.iter().map(|person| hash(&[person.as_str()])).collect(), at)
        }
        Erase::Channel(channel) => (vec![hash(&[channel.as_str()])], at),
        Erase::Older { channel, before, .. } => (vec![hash(&[channel.as_str()])], *before),
        // no person of a platform has an own chat; a message is noted where the platform deletes it
        Erase::Own { .. } | Erase::Message(_) => return Ok(()),
    };
    Settled::change(store, |settled| {
        settled.erasures.retain(|(subject, erased)| !subjects.contains(subject) && at.since(*erased) < KEPT);
        settled.erasures.extend(subjects.into_iter().map(|subject| (subject, at)));
    })
    .await
}

fn hash(parts: &[&str]) -> String {
    let digest = Sha256::digest(parts.join("\n"));
    digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}
