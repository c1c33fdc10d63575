//! Ownership of chats: one process answers in a chat. A chat is a channel with all its threads, so that a client that
//! invents threads takes no further locks. The server and the accounts lock a chat before its first message. Idle chats
//! are released once the process holds many.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use dashmap::DashMap;
use futures::{StreamExt, TryStreamExt, stream};
use greenroom_core::{ChannelKey, Platform};
use greenroom_store::Unfinished;
use tokio::sync::OnceCell;

use crate::{Runtime, RuntimeError};

/// The number of held chats from which idle ones are released.
const MANY: usize = 512;

/// The number of chats that recovery looks at concurrently.
const CONCURRENCY: usize = 64;

/// Locks chats for this process.
pub trait ChatLocks: Send + Sync + 'static {
    /// Locks the chat of a channel until the returned value is dropped.
    ///
    /// # Errors
    /// Why it cannot be locked.
    fn lock(&self, channel: &ChannelKey) -> Result<HeldLock, NotLocked>;
}

/// The lock of a chat; dropping it releases the chat.
pub type HeldLock = Box<dyn Send + Sync>;

/// Why a chat could not be locked, with a message for people.
#[derive(Debug, thiserror::Error)]
pub enum NotLocked {
    /// Another process answers in the chat.
    #[error("{0}")]
    Elsewhere(String),
    /// The process has as many open files as the system allows.
    #[error("{0}")]
    NoFiles(String),
    /// The lock file cannot be made.
    #[error("{0}")]
    Broken(String),
}

/// Why no message can enter a chat.
#[derive(Debug, thiserror::Error)]
pub enum NotEntered {
    /// It cannot be locked.
    #[error(transparent)]
    NotLocked(#[from] NotLocked),
    /// The turns that a crash left unfinished there could not be ended.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
}

/// The chats that this process holds.
pub struct OwnedChats {
    locks: Box<dyn ChatLocks>,
    chats: DashMap<String, Chat>,
    /// The number of held chats from which idle ones are released next. It rises with the chats that stay, so
    /// that not every new chat walks through all of them.
    release_at: AtomicUsize,
}

/// A chat that is held, or being locked.
#[derive(Default)]
struct Chat {
    lock: Arc<OnceCell<HeldLock>>,
    /// The number of messages that entered.
    entered: u64,
}

/// What was recovered after a crash.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Recovered {
    /// How many turns were marked as failed with `interrupted`.
    pub turns: usize,
    /// How many channels they were in.
    pub channels: usize,
    /// The messages of chat platforms that this crash or an earlier one left unanswered.
    pub unanswered: Vec<Unfinished>,
}

/// Keeps a chat from being released while a message is accepted.
#[must_use = "the chat may be released before the message is handed in"]
pub struct ChannelUse(#[expect(dead_code, reason = "it is counted")] Arc<OnceCell<HeldLock>>);

impl OwnedChats {
    /// Holds no chat yet.
    pub fn new(locks: impl ChatLocks) -> Self {
        Self { locks: Box::new(locks), chats: DashMap::new(), release_at: AtomicUsize::new(MANY) }
    }

    /// Locks the chat of a channel if it is not held. The first caller ends the turns that a crash left unfinished
    /// there. Concurrent callers wait until then, because otherwise their own turns would be ended too (S1).
    ///
    /// # Errors
    /// Where the chat cannot be locked, or the store fails.
    pub async fn enter(&self, runtime: &Runtime, channel: &ChannelKey) -> Result<ChannelUse, NotEntered> {
        let name = chat(channel);
        if self.has_many() && !self.chats.contains_key(&name) {
            self.release(|| runtime.rooms());
        }
        let lock = self.entry(name);
        lock.get_or_try_init(|| self.lock(runtime, channel)).await?;
        Ok(ChannelUse(lock))
    }

    fn entry(&self, name: String) -> Arc<OnceCell<HeldLock>> {
        let mut chat = self.chats.entry(name).or_default();
        chat.entered += 1;
        chat.lock.clone()
    }

    async fn lock(&self, runtime: &Runtime, channel: &ChannelKey) -> Result<HeldLock, NotEntered> {
        let lock = self.locks.lock(channel)?;
        runtime.end_unfinished(channel).await?;
        Ok(lock)
    }

    /// Locks a key that is no chat, such as an account, which one process connects.
    ///
    /// # Errors
    /// If another process holds the lock.
    pub fn lock_alone(&self, key: &ChannelKey) -> Result<HeldLock, NotLocked> {
        self.locks.lock(key)
    }

    /// Ends the turns that a crash left unfinished in chats where no process answers, so that none is shown as running
    /// (S1). No chat is held afterwards. Terminal chats recover their own channel at their next start. Unanswered
    /// messages are returned if they are not older than `within`.
    ///
    /// # Errors
    /// The store's.
    pub async fn recover(&self, runtime: &Runtime, within: Duration) -> Result<Recovered, RuntimeError> {
        let unfinished = runtime.unfinished(None).await?.into_iter();
        let channels = unfinished.map(|unfinished| unfinished.message.channel);
        let channels = channels.filter(|channel| channel.platform() != Some(Platform::Terminal));
        let chats: BTreeMap<_, _> = channels.map(|channel| (chat(&channel), channel)).collect();
        let ended = stream::iter(chats.into_values()).map(|channel| async move {
            match self.locks.lock(&channel) {
                Ok(_lock) => {
                    runtime.settle_stale(&channel, within).await?;
                    runtime.end_unfinished(&channel).await
                }
                Err(NotLocked::Elsewhere(_)) => Ok(Recovered::default()),
                Err(NotLocked::NoFiles(why) | NotLocked::Broken(why)) => {
                    tracing::warn!(%channel, why, "unfinished turns are ended with the next message there");
                    Ok(Recovered::default())
                }
            }
        });
        let sum = |mut sum: Recovered, one: Recovered| async move {
            sum.turns += one.turns;
            sum.channels += one.channels;
            Ok(sum)
        };
        let mut recovered = ended.buffer_unordered(CONCURRENCY).try_fold(Recovered::default(), sum).await?;
        recovered.unanswered = runtime.unanswered_within(within).await?;
        Ok(recovered)
    }

    /// Releases the chats without a live room that no message is entering.
    fn release(&self, rooms: impl FnOnce() -> Vec<ChannelKey>) {
        let idle = self.chats.iter().filter(|chat| Arc::strong_count(&chat.lock) == 1);
        let idle: HashMap<_, _> = idle.map(|chat| (chat.key().clone(), chat.entered)).collect();
        let live: HashSet<_> = rooms().iter().map(chat).collect();
        // a chat entered since then may have a room that `rooms` did not see
        self.chats.retain(|name, chat| {
            live.contains(name) || idle.get(name).is_none_or(|&entered| entered != chat.entered)
        });
        self.release_at.store(MANY + self.chats.len(), Ordering::Relaxed);
    }

    /// Releases idle chats if many are held. Call it from time to time.
    pub fn release_idle(&self, runtime: &Runtime) {
        if self.chats.len() >= MANY {
            self.release(|| runtime.rooms());
        }
    }

    fn has_many(&self) -> bool {
        self.chats.len() >= self.release_at.load(Ordering::Relaxed)
    }
}

impl Runtime {
    /// Ends the unfinished turns of a chat that is locked.
    async fn end_unfinished(&self, chat: &ChannelKey) -> Result<Recovered, RuntimeError> {
        let unfinished = self.unfinished(Some(chat)).await?;
        let channels: BTreeSet<_> = unfinished.into_iter().map(|turn| turn.message.channel).collect();
        let mut recovered = Recovered { channels: channels.len(), ..Recovered::default() };
        for channel in channels {
            let ended = self.recover(&channel).await?;
            recovered.turns += ended.iter().filter(|ended| ended.turn.is_some()).count();
        }
        Ok(recovered)
    }
}

/// A channel without its thread.
fn chat(channel: &ChannelKey) -> String {
    format!("{}:{}", channel.provider(), channel.chat_id())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Free;

    impl ChatLocks for Free {
        fn lock(&self, _: &ChannelKey) -> Result<HeldLock, NotLocked> {
            Ok(Box::new(()))
        }
    }

    fn owned() -> OwnedChats {
        OwnedChats::new(Free)
    }

    fn names(owned: &OwnedChats) -> Vec<String> {
        let mut names: Vec<_> = owned.chats.iter().map(|chat| chat.key().clone()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_chat_is_released_when_no_message_enters_and_no_room_is_live() {
        let owned = owned();
        let channel = |key: &str| key.parse::<ChannelKey>().unwrap();
        for key in ["api:ann:1", "api:ann:2", "api:bo", "api:cy", "api:dan"] {
            drop(owned.entry(chat(&channel(key))));
        }
        assert_eq!(names(&owned), ["api:ann", "api:bo", "api:cy", "api:dan"], "threads are one chat");
        let entering = owned.entry("api:cy".into());
        owned.release(|| {
            // a message that arrives and ends while the rooms are listed
            drop(owned.entry("api:dan".into()));
            vec![channel("api:ann:2")]
        });
        assert_eq!(names(&owned), ["api:ann", "api:cy", "api:dan"]);
        drop(entering);
        owned.release(Vec::new);
        assert!(names(&owned).is_empty());
    }

    #[test]
    fn a_new_chat_rarely_walks_through_all_that_are_held() {
        let owned = owned();
        let (mut releases, mut held) = (0, Vec::new());
        for n in 0..8 * MANY {
            if owned.has_many() {
                releases += 1;
                owned.release(Vec::new);
            }
            held.push(owned.entry(format!("api:{n}")));
        }
        assert_eq!((releases, owned.chats.len()), (7, 8 * MANY), "with every 512th");
        held.clear();
        owned.release(Vec::new);
        assert!(owned.chats.is_empty() && owned.release_at.load(Ordering::Relaxed) == MANY);
    }
}
