//! Which replies of an account are delivered next: of each channel the oldest, several channels at a time.

use std::{collections::HashMap, sync::Arc, time::Duration};

use greenroom_core::{Author, ChannelKey};
use greenroom_store::Delivery;
use tokio::{task::JoinSet, time::Instant};

use super::{
    RunningAccount,
    delivery::{Next, Sending},
};

/// Channels that are delivered to at a time.
const CONCURRENCY: usize = 16;
/// Channels that are looked at: those beyond wait until some of these are done.
const CHANNELS: usize = 1024;
/// The pause after the store failed, and the longest time without a look.
const STORE_PAUSE: Duration = Duration::from_secs(5);
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// Delivers the replies of an account until the program stops. `accounts`: all of them, because a persona may be on
/// several of one platform, and the first of these delivers.
pub(super) async fn deliver(account: Arc<RunningAccount>, accounts: Vec<Arc<RunningAccount>>) {
    let mut replies = account.runtime.replies();
    let sending = Arc::new(Sending::new(account.clone(), accounts.clone()));
    let mut waiting: HashMap<ChannelKey, Instant> = HashMap::new();
    let mut busy: Vec<ChannelKey> = Vec::new();
    let mut under_way: JoinSet<(ChannelKey, Next)> = JoinSet::new();
    loop {
        replies.borrow_and_update();
        let mut look_again = LOOK_AGAIN;
        if account.progress.is_online() {
            match account.store.next_deliveries(account.adapter.platform(), CHANNELS).await {
                Ok(next) => {
                    let now = Instant::now();
                    waiting.retain(|_, until| *until > now);
                    let ours = next.into_iter().filter(|delivery| is_ours(&account, &accounts, delivery));
                    for delivery in ours {
                        let channel = delivery.reply.channel.clone();
                        if under_way.len() >= CONCURRENCY {
                            break;
                        }
                        if !busy.contains(&channel) && !waiting.contains_key(&channel) {
                            busy.push(channel.clone());
                            let sending = sending.clone();
                            under_way.spawn(async move { (channel, sending.deliver(delivery).await) });
                        }
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
            () = account.wake.notified() => waiting.clear(),
            () = tokio::time::sleep(look_again) => {}
            Some(ended) = under_way.join_next() => {
                // a delivery that panicked has left its channel among those that are busy: it is not tried for ever
                if let Ok((channel, next)) = ended {
                    busy.retain(|busy| *busy != channel);
                    if let Next::After(wait) = next {
                        waiting.insert(channel, Instant::now() + wait);
                    }
                }
            }
        }
    }
    // what is under way ends, so that its end is stored
    while under_way.join_next().await.is_some() {}
}

/// Whether this account is the first that delivers it.
fn is_ours(account: &Arc<RunningAccount>, accounts: &[Arc<RunningAccount>], delivery: &Delivery) -> bool {
    let Author::Persona { name } = &delivery.reply.author else { return false };
    account.is_first(accounts, &delivery.reply.channel, name)
}
