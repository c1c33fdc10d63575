//! Reads the messages missed during an absence, if a session cannot be resumed (AD7).
//!
//! Message ids contain their time, so one cursor serves all channels: the greatest stored id.

use std::time::Duration;

use greenroom_core::{SystemClock, Time};
use reqwest::Method;
use serde_json::Value;

use super::{
    Discord, Me,
    event::{first_id, moment},
    rest::Refusal,
};
use crate::{Ended, Event, Inlet, LookedBack, http::patience};

/// The name of the cursor with the channels of direct messages, newest last.
pub(super) const DIRECT: &str = "direct";
/// The most channels of direct messages that are kept and read.
const DIRECTS: usize = 100;
/// Messages of two channels arrive in the order of their ids, with at most this deviation.
const OVERLAP: Duration = Duration::from_secs(60);
/// How far back messages are read.
const FARTHEST: Duration = Duration::from_hours(24);
/// The most channels that are read.
const CHANNELS: usize = 500;
/// The most pages per channel.
const PAGES: usize = 10;
const PAGE: usize = 100;

impl Discord {
    /// Stores the channel of a direct message, because Discord does not list these channels.
    pub(super) async fn keep_direct(&self, inlet: &dyn Inlet, channel: &str) -> Result<(), Ended> {
        let mut known = directs(inlet).await?;
        if known.iter().any(|known| known == channel) {
            return Ok(());
        }
        known.push(channel.to_owned());
        let kept = known.len().saturating_sub(DIRECTS);
        inlet.keep_cursor(DIRECT, &known[kept..].join(" ")).await.map_err(broken)
    }

    /// Loads the stored channels of direct messages.
    pub(super) async fn recall_direct(&self, inlet: &dyn Inlet) -> Result<(), Ended> {
        for channel in directs(inlet).await? {
            self.channels.note_direct(&channel);
        }
        Ok(())
    }

    /// Passes on the messages in channels since `latest`: channel by channel, oldest first.
    pub(super) async fn catch_up(
        &self,
        inlet: &dyn Inlet,
        me: &Me,
        latest: u64,
        channels: &[String],
    ) -> Result<(), Ended> {
        let farthest = SystemClock.now().before(FARTHEST);
        let since = moment(latest).before(OVERLAP).max(farthest);
        let first = first_id(since);
        let newer = channels.iter().filter(|channel| self.channels.may_be_newer(channel, first));
        let ours: Vec<_> =
            newer.filter(|channel| self.takes_part(&self.channels.place(channel).chat)).collect();
        let mut complete = since > farthest && ours.len() <= CHANNELS;
        for channel in ours.into_iter().take(CHANNELS) {
            complete &= self.read_channel(inlet, me, channel, first).await?;
        }
        inlet.looked_back(LookedBack { since: Some(since), complete });
        Ok(())
    }

    /// Reads back from the newest message, so that the page limit cuts off the oldest messages. Returns whether
    /// everything was read.
    async fn read_channel(
        &self,
        inlet: &dyn Inlet,
        me: &Me,
        channel: &str,
        since: u64,
    ) -> Result<bool, Ended> {
        let (mut missed, mut before, mut complete) = (Vec::new(), None, false);
        for _ in 0..PAGES {
            let before_it = before.map(|id: u64| format!("&before={id}")).unwrap_or_default();
            let path = format!("/channels/{channel}/messages?limit={PAGE}{before_it}");
            let Some(page) = self.page(inlet, &path).await? else { return Ok(true) };
            let page = page.as_array().cloned().unwrap_or_default();
            before = page.last().map(id);
            complete = page.len() < PAGE || before.is_some_and(|oldest| oldest <= since);
            missed.extend(page.into_iter().filter(|message| id(message) > since));
            if complete {
                break;
            }
        }
        missed.sort_by_key(id);
        for data in &missed {
            if let Some(message) = self.message(data, me) {
                inlet.take(Event::Message(message)).await.map_err(broken)?;
            }
        }
        Ok(complete)
    }

    /// A page of messages. `None` if the channel cannot be read: the account is no longer in it.
    async fn page(&self, inlet: &dyn Inlet, path: &str) -> Result<Option<Value>, Ended> {
        loop {
            match self.rest.call(Method::GET, path, &Value::Null).await {
                Ok(page) => return Ok(Some(page)),
                Err(Refusal::TooMany(wait)) if patience(wait, inlet).await => {}
                Err(Refusal::Bad(..)) => return Ok(None),
                Err(refusal) => return Err(refusal.ended()),
            }
        }
    }
}

/// The cursor at the first start. All earlier messages count as seen.
pub(super) fn beginning() -> u64 {
    first_id(SystemClock.now().after(OVERLAP))
}

fn id(message: &Value) -> u64 {
    message["id"].as_str().and_then(|id| id.parse().ok()).unwrap_or_default()
}

async fn directs(inlet: &dyn Inlet) -> Result<Vec<String>, Ended> {
    let kept = inlet.cursor(DIRECT).await.map_err(broken)?.unwrap_or_default();
    Ok(kept.split_whitespace().map(str::to_owned).collect())
}

pub(super) fn broken(error: impl std::fmt::Display) -> Ended {
    Ended::Broken(error.to_string())
}
