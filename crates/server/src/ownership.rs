//! Ownership of chats: one process answers in a chat, which is a channel with all its threads (so a client that
//! invents threads takes no further locks). The server locks a chat before the first message there, and releases idle
//! chats once it holds many.

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
use greenroom_persona::ServerSettings;
use greenroom_runtime::RuntimeError;
use http::StatusCode;
use tokio::sync::OnceCell;

use crate::{ApiError, Caller, Services, limits::RoomLimits};

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

/// Why a chat could not be locked, with a message for the client.
#[derive(Debug)]
pub enum NotLocked {
    /// Another process answers in the chat.
    Elsewhere(String),
    /// The process has as many open files as the system allows.
    NoFiles(String),
    /// The lock file cannot be made.
    Broken(String),
}

impl From<NotLocked> for ApiError {
    fn from(why: NotLocked) -> Self {
        let broken = |code, message| {
            Self::new(StatusCode::SERVICE_UNAVAILABLE, code, message).after(Duration::from_secs(5))
        };
        match why {
            NotLocked::Elsewhere(message) => Self::new(StatusCode::CONFLICT, "channel_elsewhere", message),
            NotLocked::NoFiles(message) => broken("no_files", message),
            NotLocked::Broken(message) => broken("store_failed", message),
        }
    }
}

/// The chats this process holds.
pub struct OwnedChats {
    locks: Box<dyn ChatLocks>,
    chats: DashMap<String, Chat>,
    /// The number of held chats from which idle ones are released next. It rises with the chats that stay, so
    /// that not every new chat walks through all of them.
    release_at: AtomicUsize,
    rooms: RoomLimits,
}

/// A chat that is held, or being locked.
#[derive(Default)]
struct Chat {
    lock: Arc<OnceCell<HeldLock>>,
    /// The number of messages that entered.
    entered: u64,
}

/// The unfinished turns of a crash that were ended.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Recovered {
    /// Turns that are marked as failed with `interrupted`.
    pub turns: usize,
    /// Their channels.
    pub channels: usize,
}

/// Keeps a chat from being released while a message is accepted.
#[must_use = "the chat may be released before the message is handed in"]
pub struct ChannelUse(#[expect(dead_code, reason = "it is counted")] Arc<OnceCell<HeldLock>>);

impl OwnedChats {
    /// Holds no chat yet.
    pub fn new(locks: impl ChatLocks, settings: &ServerSettings) -> Self {
        Self {
            locks: Box::new(locks),
            chats: DashMap::new(),
            release_at: AtomicUsize::new(MANY),
            rooms: RoomLimits::new(settings),
        }
    }

    /// Locks the chat of a channel if it is not held. The first caller ends the unfinished turns of a crash there;
    /// concurrent callers wait until then, because that would end their turns too (S1).
    pub(crate) async fn enter(
        &self,
        services: &Services,
        caller: &Caller,
        channel: &ChannelKey,
    ) -> Result<ChannelUse, ApiError> {
        self.rooms.check(&services.runtime, caller, channel)?;
        let name = chat(channel);
        if self.has_many() && !self.chats.contains_key(&name) {
            self.release(|| services.runtime.rooms());
        }
        let lock = self.entry(name);
        lock.get_or_try_init(|| self.lock(services, channel)).await?;
        Ok(ChannelUse(lock))
    }

    fn entry(&self, name: String) -> Arc<OnceCell<HeldLock>> {
        let mut chat = self.chats.entry(name).or_default();
        chat.entered += 1;
        chat.lock.clone()
    }

    async fn lock(&self, services: &Services, channel: &ChannelKey) -> Result<HeldLock, ApiError> {
        let lock = self.locks.lock(channel)?;
        end_unfinished(services, channel).await?;
        Ok(lock)
    }

    /// Ends the turns that a crash left unfinished in chats that no process answers in, so that none is shown as
    /// running (S1). No chat is held afterwards. The next terminal chat recovers its own channel.
    pub(crate) async fn recover(&self, services: &Services) -> Result<Recovered, RuntimeError> {
        let unfinished = services.store.unfinished(None).await?.into_iter();
        let channels = unfinished.map(|unfinished| unfinished.message.channel);
        let channels = channels.filter(|channel| channel.platform() != Some(Platform::Terminal));
        let chats: BTreeMap<_, _> = channels.map(|channel| (chat(&channel), channel)).collect();
        let ended = stream::iter(chats.into_values()).map(|channel| async move {
            match self.locks.lock(&channel) {
                Ok(_lock) => end_unfinished(services, &channel).await,
                Err(NotLocked::Elsewhere(_)) => Ok(Recovered::default()),
                Err(NotLocked::NoFiles(why) | NotLocked::Broken(why)) => {
                    tracing::warn!(%channel, why, "unfinished turns are ended with the next message there");
                    Ok(Recovered::default())
                }
            }
        });
        let sum = |sum: Recovered, one: Recovered| async move {
            Ok(Recovered { turns: sum.turns + one.turns, channels: sum.channels + one.channels })
        };
        ended.buffer_unordered(CONCURRENCY).try_fold(Recovered::default(), sum).await
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

    /// Releases idle chats if many are held. The server calls it from time to time.
    pub(crate) fn release_idle(&self, services: &Services) {
        self.rooms.forget();
        if self.chats.len() >= MANY {
            self.release(|| services.runtime.rooms());
        }
    }

    fn has_many(&self) -> bool {
        self.chats.len() >= self.release_at.load(Ordering::Relaxed)
    }
}

/// Ends the unfinished turns of a chat that is locked.
async fn end_unfinished(services: &Services, chat: &ChannelKey) -> Result<Recovered, RuntimeError> {
    let unfinished = services.store.unfinished(Some(chat)).await?;
    let channels: BTreeSet<_> = unfinished.into_iter().map(|turn| turn.message.channel).collect();
    let mut recovered = Recovered { channels: channels.len(), turns: 0 };
    for channel in channels {
        let ended = services.runtime.recover(&channel).await?;
        recovered.turns += ended.iter().filter(|ended| ended.turn.is_some()).count();
    }
    Ok(recovered)
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
        OwnedChats::new(Free, &ServerSettings::default())
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

    #[test]
    fn only_another_process_is_a_conflict() {
        let status = |why: NotLocked| ApiError::from(why).status.as_u16();
        assert_eq!(status(NotLocked::Elsewhere(String::new())), 409);
        assert_eq!(status(NotLocked::NoFiles(String::new())), 503);
        assert_eq!(status(NotLocked::Broken(String::new())), 503);
    }
}
