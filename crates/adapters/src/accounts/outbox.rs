//! Selects the replies of an account to deliver next: the oldest of each channel, several channels concurrently.

use std::{collections::HashMap, sync::Arc, time::Duration};

use greenroom_core::{Author, ChannelKey, Timestamp};
use greenroom_store::{Delivery, DeliveryState, DeliveryStep, StoreError};
use tokio::{
    task::{self, JoinSet},
    time::Instant,
};

use super::{
    RunningAccount,
    delivery::{Next, Sending},
    status::COUNTED,
};

/// Channels with a delivery in progress at the same time.
const CONCURRENCY: usize = 16;
/// Deliveries per page that is read from the store.
const PAGE: usize = 256;
/// The pause after an error of the store, and the longest time between two reads.
const STORE_PAUSE: Duration = Duration::from_secs(5);
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// Delivers the replies of an account until the program stops.
pub(super) async fn deliver(account: Arc<RunningAccount>) {
    let begun_at = account.runtime.now();
    let mut has_stale = true;
    let mut replies = account.runtime.replies();
    let mut delivered = account.delivered.subscribe();
    let sending = Arc::new(Sending::new(account.clone()));
    let mut waiting: HashMap<ChannelKey, Instant> = HashMap::new();
    let mut under_way: JoinSet<Next> = JoinSet::new();
    // the channel and the delivery of each task
    let mut busy: HashMap<task::Id, (ChannelKey, i64)> = HashMap::new();
    loop {
        replies.borrow_and_update();
        delivered.borrow_and_update();
        let mut look_again = LOOK_AGAIN;
        if account.progress.is_online() && has_stale {
            match give_up_stale(&account, begun_at).await {
                Ok(()) => has_stale = false,
                Err(error) => {
                    tracing::warn!(account = account.settings.name, %error, "stale replies cannot be read");
                    look_again = STORE_PAUSE;
                }
            }
        }
        if account.progress.is_online() && !has_stale {
            let now = Instant::now();
            waiting.retain(|_, until| *until > now);
            let is_free = |channel: &ChannelKey| {
                !waiting.contains_key(channel) && busy.values().all(|(busy, _)| busy != channel)
            };
            match next(&account, CONCURRENCY - busy.len(), is_free).await {
                Ok(next) => {
                    for delivery in next {
                        let of = (delivery.reply.channel.clone(), delivery.id);
                        let sending = sending.clone();
                        let task = under_way.spawn(async move { sending.deliver(delivery).await });
                        busy.insert(task.id(), of);
                    }
                    if let Some(first) = waiting.values().min() {
                        look_again = look_again.min(first.saturating_duration_since(now));
                    }
                }
                Err(error) => {
                    tracing::warn!(account = account.settings.name, %error, "what is to be delivered cannot be read");
                    look_again = STORE_PAUSE;
                }
            }
        }
        tokio::select! {
            () = account.closing.cancelled() => break,
            _ = replies.changed() => {}
            _ = delivered.changed() => {}
            () = account.wake.notified() => waiting.clear(),
            () = tokio::time::sleep(look_again) => {}
            Some(ended) = under_way.join_next_with_id() => {
                let task = ended.as_ref().map_or_else(task::JoinError::id, |(task, _)| *task);
                let Some((channel, delivery)) = busy.remove(&task) else { continue };
                let next = match ended {
                    Ok((_, next)) => next,
                    Err(_) => sending.panicked(&channel, delivery).await,
                };
                match next {
                    Next::After(wait) => _ = waiting.insert(channel, Instant::now() + wait),
                    // the next reply in the channel may be of another account
                    Next::GoOn => account.delivered.send_replace(()),
                }
            }
        }
    }
    // deliveries in progress end normally, so that their outcomes are stored
    while under_way.join_next().await.is_some() {}
}

/// The oldest deliveries of this account in free channels, at most `most`. Older deliveries may belong to other
/// accounts of the platform, also to accounts that do not run, so this reads page by page.
async fn next(
    account: &Arc<RunningAccount>,
    most: usize,
    is_free: impl Fn(&ChannelKey) -> bool,
) -> Result<Vec<Delivery>, StoreError> {
    let (mut next, mut after) = (Vec::new(), 0);
    while next.len() < most {
        let page = account.store.next_deliveries(account.adapter.platform(), after, PAGE).await?;
        let is_last = page.len() < PAGE;
        after = page.last().map_or(after, |last| last.id);
        let ours = page.into_iter().filter(|one| is_ours(account, one) && is_free(&one.reply.channel));
        for delivery in ours {
            // an operator may have changed the next delivery of a channel after the previous page was read
            let is_new = next.iter().all(|one: &Delivery| one.reply.channel != delivery.reply.channel);
            if is_new && next.len() < most {
                next.push(delivery);
            }
        }
        if is_last {
            break;
        }
    }
    Ok(next)
}

/// Whether this account is the first one that delivers this reply.
fn is_ours(account: &Arc<RunningAccount>, delivery: &Delivery) -> bool {
    let Author::Persona { name } = &delivery.reply.author else { return false };
    account.is_first(&delivery.reply.channel, name)
}

/// Gives up the replies that waited for this process and were stale when it began (AD7). A reply that was resent, or of
/// which a part is uncertain, has a note: the operator knows of it, and it is sent.
async fn give_up_stale(account: &RunningAccount, begun_at: Timestamp) -> Result<(), StoreError> {
    let stale_after = account.settings.stale_after;
    for one in account.store.open_deliveries(COUNTED).await? {
        let is_stale = one.at <= begun_at && begun_at.since(one.at) > stale_after;
        if !is_stale
            || one.state != DeliveryState::Waiting
            || one.why.is_some()
            || !account.is_first(&one.channel, &one.persona)
        {
            continue;
        }
        let dead =
            DeliveryStep::Dead("it waited longer than `stale_after` while Greenroom did not run".into());
        account.store.step_delivery(one.id, dead, account.runtime.now()).await?;
    }
    Ok(())
}
