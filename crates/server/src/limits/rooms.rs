//! Limits of the live channels of a user key (S9). A user chooses the names of threads, so that a key could
//! keep any number of rooms in memory.

use greenroom_core::{ChannelKey, UserId};
use greenroom_persona::ServerSettings;
use greenroom_runtime::Runtime;
use greenroom_store::Role;

use super::{
    keyed::KeyedRate,
    refusal::{refuse, too_many},
};
use crate::{ApiError, Caller};

/// The share of its limit, in per cent, from which a key's idle rooms are released early. Only busy rooms can
/// therefore reach the limit.
const RELEASE_FROM: usize = 75;

/// The limits of one server.
pub(crate) struct RoomLimits {
    live: usize,
    woken: KeyedRate<UserId>,
}

impl RoomLimits {
    pub(crate) fn new(settings: &ServerSettings) -> Self {
        Self {
            live: if settings.rooms_per_user == 0 { usize::MAX } else { settings.rooms_per_user },
            woken: KeyedRate::per_minute(settings.new_rooms_per_minute),
        }
    }

    /// Whether a caller may have the room of a channel live.
    ///
    /// # Errors
    /// 429 if the key has too many live rooms, or wakes them too fast.
    pub(crate) fn check(
        &self,
        runtime: &Runtime,
        caller: &Caller,
        channel: &ChannelKey,
    ) -> Result<(), ApiError> {
        if caller.role == Role::Operator || runtime.is_live(channel) {
            return Ok(());
        }
        let live = runtime.rooms_of_chat(channel);
        let count = live.len();
        if count >= self.live.saturating_mul(RELEASE_FROM) / 100 {
            live.into_iter().for_each(|room| runtime.rest(room));
        }
        if count >= self.live {
            return Err(too_many("too_many_rooms", "live channels of this key", self.live, "rooms_per_user"));
        }
        self.woken.check(&caller.user).map_err(|wait| {
            let message = "this key wakes channels too fast; wait as long as Retry-After says, talk in channels \
                           that are live, or raise server.new_rooms_per_minute";
            refuse(http::StatusCode::TOO_MANY_REQUESTS, "new_rooms_limited", message).after(wait)
        })
    }

    /// Frees the memory of keys that have woken no channel lately.
    pub(crate) fn forget(&self) {
        self.woken.forget();
    }
}
