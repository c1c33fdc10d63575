//! Receipts of stored turns. They contain the beginnings of memories as they were at that time.

use std::collections::HashSet;

use greenroom_core::{Author, Message, Section, SystemClock, Time, Viewer};
use greenroom_memory::existing;
use greenroom_store::Turn;

use crate::{ApiError, Services};

/// Appended to the reason of an item.
const EDITED: &str = "the memory was edited since";

/// Marks the memories in the receipt of a turn that were edited after it.
///
/// # Errors
/// 503 if the store fails.
pub async fn mark_edited(services: &Services, turn: &mut Turn) -> Result<(), ApiError> {
    let Some(receipt) = &mut turn.receipt else { return Ok(()) };
    let shown = || receipt.items.iter().filter(|item| item.section == Section::Memories);
    let ids: Vec<_> = shown().filter_map(|item| item.id.parse().ok()).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let Some(Message { at, author, .. }) = services.store.message(turn.trigger).await? else { return Ok(()) };
    // an edit before the reply was stored would have failed the turn
    let end = match turn.reply {
        Some(reply) => services.store.message(reply).await?.map_or(at, |reply| reply.at),
        None => at,
    };
    let user = match author {
        Author::User { id, .. } => Some(id),
        Author::Persona { .. } => None,
    };
    let viewer = Viewer::new(turn.persona.clone(), turn.channel.clone(), user).one_to_one();
    let memories = existing(&*services.store, &viewer, &ids, SystemClock.now()).await?;
    let edited = memories.into_iter().filter(|memory| memory.version > 1 && memory.updated_at > end);
    let edited: HashSet<String> = edited.map(|memory| memory.id.to_string()).collect();
    if edited.is_empty() {
        return Ok(());
    }
    for item in receipt.make_mut().items.iter_mut().filter(|item| edited.contains(&item.id)) {
        item.reason = format!("{}; {EDITED}", item.reason).into();
    }
    Ok(())
}
