//! The event ids of edited messages. A late repeat of an edited message does not bring the old text back, and a
//! repeated edit returns the result of the first (GR6, GR10). The ids are stored as hashes, because the messages were
//! erased.

use std::time::Duration;

use greenroom_core::{Author, ChannelKey, Message, MessageId, UserId};
use http::StatusCode;
use sha2::{Digest, Sha256};

use crate::{ApiError, Services};

/// How long an edit is remembered. All settled marks are stored for this time.
const KEPT: Duration = Duration::from_hours(48);

/// An edited message is searched among this number of newest messages of its channel.
pub(crate) const RECENT: usize = 200;

/// Records that a message is replaced by one with this event id. Call this before the message is erased.
///
/// # Errors
/// 503 if the store fails.
pub(crate) async fn note_edit(services: &Services, old: &Message, event_id: &str) -> Result<(), ApiError> {
    let mut marks = vec![edit(&old.channel, old.id, event_id)];
    if event_id != old.event_id {
        marks.extend([
            replaced(&old.channel, &old.event_id),
            successor(&old.channel, &old.event_id, event_id),
        ]);
    }
    let now = services.runtime.now();
    Ok(services.store.settle(marks, now, now.before(KEPT)).await?)
}

/// The message that replaced `old` in an edit under this event id, if there was one.
///
/// # Errors
/// 503 if the store fails.
pub(crate) async fn made_by_edit(
    services: &Services,
    channel: &ChannelKey,
    old: MessageId,
    event_id: &str,
) -> Result<Option<Message>, ApiError> {
    if services.store.settled(&[edit(channel, old, event_id)]).await?.is_empty() {
        return Ok(None);
    }
    Ok(services.store.message_of_event(channel, event_id).await?)
}

/// The current event id of a person's message: its own, or that of the message that replaced it.
///
/// # Errors
/// 409 if the message was edited and its replacement is not found; 503 if the store fails.
pub(crate) async fn present_id(
    services: &Services,
    channel: &ChannelKey,
    author: &UserId,
    event_id: &str,
) -> Result<String, ApiError> {
    let store = &services.store;
    let is_replaced = !store.settled(&[replaced(channel, event_id)]).await?.is_empty();
    if !is_replaced || store.message_of_event(channel, event_id).await?.is_some() {
        return Ok(event_id.to_owned());
    }
    let said = store.page(channel, None, RECENT).await?;
    let own = said.into_iter().filter(|said| matches!(&said.author, Author::User { id, .. } if id == author));
    for later in own.map(|said| said.event_id) {
        if !store.settled(&[successor(channel, event_id, &later)]).await?.is_empty() {
            return Ok(later);
        }
    }
    let message = "the message with this key was edited since, so its old text is not stored again; send a new message \
                   with another key";
    Err(ApiError::new(StatusCode::CONFLICT, "edited", message))
}

fn replaced(channel: &ChannelKey, event_id: &str) -> String {
    mark(&["replaced", channel.as_str(), event_id])
}

fn successor(channel: &ChannelKey, old: &str, new: &str) -> String {
    mark(&["successor", channel.as_str(), old, new])
}

fn edit(channel: &ChannelKey, old: MessageId, event_id: &str) -> String {
    mark(&["edit", channel.as_str(), &old.0.to_string(), event_id])
}

fn mark(parts: &[&str]) -> String {
    let digest = Sha256::digest(parts.join("\n"));
    digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}
