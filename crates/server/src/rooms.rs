//! How many channels a user key may keep live and how fast it may wake them: it invents their names (S9).
//!
//! A key that comes near its number has its idle rooms given back first, so only rooms that are busy count in
//! the end.

use std::num::NonZeroU32;

use governor::{
    DefaultKeyedRateLimiter, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};
use greenroom_core::{ChannelKey, UserId};
use greenroom_persona::ServerSettings;
use greenroom_runtime::Runtime;
use greenroom_store::Role;
use http::StatusCode;

use crate::{ApiError, Caller, limits::too_many};

/// From this share of its number on, in per cent, a key's idle rooms are given back.
const CROWDED: usize = 75;

/// The limits of one server.
pub(crate) struct RoomLimits {
    most: usize,
    woken: Option<DefaultKeyedRateLimiter<UserId>>,
}

impl RoomLimits {
    pub(crate) fn new(settings: &ServerSettings) -> Self {
        let a_minute = NonZeroU32::new(settings.new_rooms_per_minute);
        Self {
            most: if settings.rooms_per_user == 0 { usize::MAX } else { settings.rooms_per_user },
            woken: a_minute.map(|a_minute| RateLimiter::dashmap(Quota::per_minute(a_minute))),
        }
    }

    /// Whether a caller may have the room of a channel live.
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
        if count >= self.most.saturating_mul(CROWDED) / 100 {
            live.into_iter().for_each(|room| runtime.rest(room));
        }
        if count >= self.most {
            return Err(too_many("too_many_rooms", "live channels of this key", self.most, "rooms_per_user"));
        }
        let Some(woken) = &self.woken else { return Ok(()) };
        woken.check_key(&caller.user).map_err(|until| {
            let wait = until.wait_time_from(DefaultClock::default().now());
            let message = "this key wakes more channels than it may; wait as long as Retry-After says, talk in \
                           channels that are live, or have server.new_rooms_per_minute raised";
            ApiError::new(StatusCode::TOO_MANY_REQUESTS, "new_rooms_limited", message).after(wait).refused()
        })
    }

    /// Forgets who has not been here for a while.
    pub(crate) fn forget(&self) {
        if let Some(woken) = &self.woken {
            woken.retain_recent();
            woken.shrink_to_fit();
        }
    }
}
