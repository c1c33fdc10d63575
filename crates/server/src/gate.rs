//! The chats this process answers in: each is taken before something is said there, and given back when
//! many are held and nobody is there any more. A chat is a channel together with its threads, so that
//! whoever invents threads takes nothing more.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use dashmap::DashMap;
use futures::{StreamExt, TryStreamExt, stream};
use greenroom_core::ChannelKey;
use greenroom_runtime::RuntimeError;
use http::StatusCode;
use tokio::sync::OnceCell;

use crate::{ApiError, Caller, Services, rooms::RoomLimits};

/// So many chats are held before it is looked whether there are some with nobody in them.
const HELD: usize = 512;

/// So many chats are looked after at once when the server starts.
const AT_ONCE: usize = 64;

/// Lets this process answer in a chat, or says why not: one process answers in a chat.
pub trait ChannelGate: Send + Sync + 'static {
    /// Takes the chat of a channel for this process, until what comes back is dropped.
    ///
    /// # Errors
    /// Why it cannot be had.
    fn take(&self, channel: &ChannelKey) -> Result<Taken, NotTaken>;
}

/// A chat that is held; dropping it gives it back.
pub type Taken = Box<dyn Send + Sync>;

/// Why a chat was not taken, with what to tell whoever wanted to talk there.
#[derive(Debug)]
pub enum NotTaken {
    /// Another process answers there.
    Elsewhere(String),
    /// The system opens no more files for us.
    NoFiles(String),
    /// The lock cannot be made.
    Broken(String),
}

impl From<NotTaken> for ApiError {
    fn from(why: NotTaken) -> Self {
        let broken = |code, message| {
            Self::new(StatusCode::SERVICE_UNAVAILABLE, code, message).after(Duration::from_secs(5))
        };
        match why {
            NotTaken::Elsewhere(message) => Self::new(StatusCode::CONFLICT, "channel_elsewhere", message),
            NotTaken::NoFiles(message) => broken("no_files", message),
            NotTaken::Broken(message) => broken("store_failed", message),
        }
    }
}

/// The chats this process holds.
pub struct Gate {
    locks: Box<dyn ChannelGate>,
    chats: DashMap<String, Chat>,
    /// With so many it is looked which may be given back: so many more than were left the last time, so that it
    /// is not looked with each chat that comes.
    crowded: AtomicUsize,
    rooms: OnceLock<RoomLimits>,
}

/// A chat that is held, or being taken.
#[derive(Default)]
struct Chat {
    taken: Arc<OnceCell<Taken>>,
    /// How often somebody came in.
    entered: u64,
}

/// What a crash had left unfinished and is ended now.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Recovered {
    /// Turns that read as failed with `interrupted` now.
    pub turns: usize,
    /// Channels they were in.
    pub channels: usize,
}

/// Somebody says something in a chat: as long as this lives it is not given back.
#[must_use = "the chat may be given back before anything is said there"]
pub struct ChannelUse(#[expect(dead_code, reason = "it is counted")] Arc<OnceCell<Taken>>);

impl Gate {
    /// Holds no chat yet.
    pub fn new(locks: impl ChannelGate) -> Self {
        Self {
            locks: Box::new(locks),
            chats: DashMap::new(),
            crowded: AtomicUsize::new(HELD),
            rooms: OnceLock::new(),
        }
    }

    /// Takes the chat of a channel where it is not held. Whoever comes meanwhile waits until what a crash
    /// left there is ended, for it would end what they say, too (S1).
    pub(crate) async fn enter(
        &self,
        services: &Services,
        caller: &Caller,
        channel: &ChannelKey,
    ) -> Result<ChannelUse, ApiError> {
        self.rooms(services).check(&services.runtime, caller, channel)?;
        let name = chat(channel);
        if self.is_crowded() && !self.chats.contains_key(&name) {
            self.give_back(|| services.runtime.rooms());
        }
        let taken = self.pass(name);
        taken.get_or_try_init(|| self.take(services, channel)).await?;
        Ok(ChannelUse(taken))
    }

    fn rooms(&self, services: &Services) -> &RoomLimits {
        self.rooms.get_or_init(|| RoomLimits::new(&services.settings.server))
    }

    fn pass(&self, name: String) -> Arc<OnceCell<Taken>> {
        let mut chat = self.chats.entry(name).or_default();
        chat.entered += 1;
        chat.taken.clone()
    }

    async fn take(&self, services: &Services, channel: &ChannelKey) -> Result<Taken, ApiError> {
        let taken = self.locks.take(channel)?;
        end_what_was_left(services, channel).await?;
        Ok(taken)
    }

    /// Ends what a crash left unfinished in the chats nobody answers in, so that nothing is shown as running
    /// which does not (S1). None of them is held afterwards. A terminal's chat tells itself what was left there.
    pub(crate) async fn recover(&self, services: &Services) -> Result<Recovered, RuntimeError> {
        let left = services.store.unfinished(None).await?.into_iter().map(|left| left.message.channel);
        let left = left.filter(|channel| channel.provider() != "terminal");
        let chats: BTreeMap<_, _> = left.map(|channel| (chat(&channel), channel)).collect();
        let ended = stream::iter(chats.into_values()).map(|channel| async move {
            match self.locks.take(&channel) {
                Ok(_held) => end_what_was_left(services, &channel).await,
                Err(NotTaken::Elsewhere(_)) => Ok(Recovered::default()),
                Err(NotTaken::NoFiles(why) | NotTaken::Broken(why)) => {
                    tracing::warn!(%channel, why, "what was left unfinished there is ended when somebody speaks there");
                    Ok(Recovered::default())
                }
            }
        });
        let sum = |sum: Recovered, one: Recovered| async move {
            Ok(Recovered { turns: sum.turns + one.turns, channels: sum.channels + one.channels })
        };
        ended.buffer_unordered(AT_ONCE).try_fold(Recovered::default(), sum).await
    }

    /// Gives back the chats nobody talks in and no room is live in.
    fn give_back(&self, rooms: impl FnOnce() -> Vec<ChannelKey>) {
        let resting = |chat: &Chat| Arc::strong_count(&chat.taken) == 1;
        let resting = self.chats.iter().filter(|chat| resting(chat));
        let resting: HashMap<_, _> = resting.map(|chat| (chat.key().clone(), chat.entered)).collect();
        let live: HashSet<_> = rooms().iter().map(chat).collect();
        // who came in since may have made a room that was not seen
        self.chats.retain(|name, chat| {
            live.contains(name) || resting.get(name).is_none_or(|&then| then != chat.entered)
        });
        self.crowded.store(HELD + self.chats.len(), Ordering::Relaxed);
    }

    /// Gives back what nobody needs, where many are held: from time to time, also when nobody comes.
    pub(crate) fn tidy(&self, services: &Services) {
        self.rooms(services).forget();
        if self.chats.len() >= HELD {
            self.give_back(|| services.runtime.rooms());
        }
    }

    fn is_crowded(&self) -> bool {
        self.chats.len() >= self.crowded.load(Ordering::Relaxed)
    }
}

/// Ends what a crash left unfinished in a chat that is held.
async fn end_what_was_left(services: &Services, chat: &ChannelKey) -> Result<Recovered, RuntimeError> {
    let left = services.store.unfinished(Some(chat)).await?;
    let channels: BTreeSet<_> = left.into_iter().map(|left| left.message.channel).collect();
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

    impl ChannelGate for Free {
        fn take(&self, _: &ChannelKey) -> Result<Taken, NotTaken> {
            Ok(Box::new(()))
        }
    }

    fn names(gate: &Gate) -> Vec<String> {
        let mut names: Vec<_> = gate.chats.iter().map(|chat| chat.key().clone()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_chat_is_given_back_when_nobody_passes_and_no_room_is_live() {
        let gate = Gate::new(Free);
        let channel = |key: &str| key.parse::<ChannelKey>().unwrap();
        for key in ["api:ann:1", "api:ann:2", "api:bo", "api:cy", "api:dan"] {
            drop(gate.pass(chat(&channel(key))));
        }
        assert_eq!(names(&gate), ["api:ann", "api:bo", "api:cy", "api:dan"], "threads are one chat");
        let passing = gate.pass("api:cy".into());
        gate.give_back(|| {
            // somebody who comes and goes while the rooms are counted
            drop(gate.pass("api:dan".into()));
            vec![channel("api:ann:2")]
        });
        assert_eq!(names(&gate), ["api:ann", "api:cy", "api:dan"]);
        drop(passing);
        gate.give_back(Vec::new);
        assert!(names(&gate).is_empty());
    }

    #[test]
    fn whoever_comes_late_does_not_pay_for_all_who_are_there() {
        let gate = Gate::new(Free);
        let (mut looks, mut there) = (0, Vec::new());
        for n in 0..8 * HELD {
            if gate.is_crowded() {
                looks += 1;
                gate.give_back(Vec::new);
            }
            there.push(gate.pass(format!("api:{n}")));
        }
        assert_eq!((looks, gate.chats.len()), (7, 8 * HELD), "with every 512th");
        there.clear();
        gate.give_back(Vec::new);
        assert!(gate.chats.is_empty() && gate.crowded.load(Ordering::Relaxed) == HELD);
    }

    #[test]
    fn only_another_process_is_a_conflict() {
        let status = |why: NotTaken| ApiError::from(why).status.as_u16();
        assert_eq!(status(NotTaken::Elsewhere(String::new())), 409);
        assert_eq!(status(NotTaken::NoFiles(String::new())), 503);
        assert_eq!(status(NotTaken::Broken(String::new())), 503);
    }
}
