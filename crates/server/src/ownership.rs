//! The chats in which this server's callers talk: those that the runtime owns, within the limits of user keys.

use std::{sync::Arc, time::Duration};

use greenroom_core::ChannelKey;
use greenroom_persona::ServerSettings;
use greenroom_runtime::{ChannelUse, NotEntered, NotLocked, OwnedChats, Runtime};
use http::StatusCode;

use crate::{ApiError, Caller, limits::RoomLimits};

/// The chats of this process, for callers of the server.
pub struct Chats {
    /// The chats that this process owns.
    pub owned: Arc<OwnedChats>,
    rooms: RoomLimits,
}

impl Chats {
    /// The chats of a process, within the limits of the settings.
    pub fn new(owned: Arc<OwnedChats>, settings: &ServerSettings) -> Self {
        Self { owned, rooms: RoomLimits::new(settings) }
    }

    /// Locks the chat of a channel if it is not held, unless the caller has too many live rooms.
    pub(crate) async fn enter(
        &self,
        runtime: &Runtime,
        caller: &Caller,
        channel: &ChannelKey,
    ) -> Result<ChannelUse, ApiError> {
        self.rooms.check(runtime, caller, channel)?;
        Ok(self.owned.enter(runtime, channel).await?)
    }

    /// Releases idle chats if many are held, and the memory of callers without recent requests.
    pub(crate) fn release_idle(&self, runtime: &Runtime) {
        self.rooms.forget();
        self.owned.release_idle(runtime);
    }
}

impl From<NotEntered> for ApiError {
    fn from(why: NotEntered) -> Self {
        match why {
            NotEntered::NotLocked(why) => why.into(),
            NotEntered::Runtime(error) => error.into(),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_another_process_is_a_conflict() {
        let status = |why: NotLocked| ApiError::from(why).status.as_u16();
        assert_eq!(status(NotLocked::Elsewhere(String::new())), 409);
        assert_eq!(status(NotLocked::NoFiles(String::new())), 503);
        assert_eq!(status(NotLocked::Broken(String::new())), 503);
    }
}
