//! Tells a room once that its messages are encrypted and cannot be read. Only once, because people cannot switch
//! encryption off.

use greenroom_store::StoreError;
use serde_json::json;

use super::{Matrix, Refusal};
use crate::Inlet;

/// The prefix of the cursor that notes a notified room.
const TOLD: &str = "told-encrypted:";

impl Matrix {
    /// Notifies a room in which an encrypted message was seen, if this has not happened before. If the notice fails, it
    /// is sent again with the next event of the room.
    pub(super) async fn tell_that_it_is_encrypted(&self, inlet: &dyn Inlet, room: &str) {
        if !self.rooms().get(room).is_some_and(|known| known.encrypted) {
            return;
        }
        let told = self.tell_once(inlet, room).await;
        if let Err(why) = &told {
            tracing::error!(room, %why, "a room is not told that encrypted messages cannot be read");
        }
        // stop trying in a room in which the account may not speak
        if matches!(told, Ok(()) | Err(NotTold::Homeserver(Refusal::Bad(_))))
            && let Some(known) = self.rooms().get_mut(room)
        {
            (known.encrypted, known.told_encrypted) = (false, true);
        }
    }

    async fn tell_once(&self, inlet: &dyn Inlet, room: &str) -> Result<(), NotTold> {
        let cursor = format!("{TOLD}{room}");
        if inlet.cursor(&cursor).await?.is_some() {
            return Ok(());
        }
        tracing::warn!(room, "messages of this room are encrypted and cannot be read");
        let text = "I cannot read encrypted messages. Please make a room without encryption.";
        let body = json!({ "msgtype": "m.notice", "body": text });
        // if the answer was lost or the cursor was not stored, the homeserver recognises the transaction id
        self.put(room, "m.room.message", "greenroom-encrypted", &body).await?;
        Ok(inlet.keep_cursor(&cursor, "yes").await?)
    }
}

/// Why a room was not notified.
#[derive(Debug, thiserror::Error)]
enum NotTold {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Homeserver(#[from] Refusal),
}
