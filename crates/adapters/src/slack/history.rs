//! Reads the messages of every channel that were missed during an absence (AD7).
//!
//! A `ts` contains the time, so one cursor serves all channels. A thread is read if its first message is at most a day
//! old.

use std::time::Duration;

use greenroom_core::{SystemClock, Time, Timestamp};
use greenroom_store::StoreError;
use serde_json::Value;

use super::{Me, Slack, api::Refusal, event::moment};
use crate::{Ended, Event, Inlet, LookedBack, http::patience};

/// The name of the cursor with the greatest stored `ts`.
const LATEST: &str = "latest";
/// Messages of two channels arrive in the order of their times, with at most this deviation.
const OVERLAP: Duration = Duration::from_mins(1);
/// The same for the Events API. Slack repeats a failed request for five minutes, while later messages arrive.
const OVERLAP_OF_REQUESTS: Duration = Duration::from_mins(6);
/// The greatest age of messages that are read.
const FARTHEST: Duration = Duration::from_hours(24);
/// The most channels that are read.
const CHANNELS: usize = 200;
/// The most pages of 200 entries of a list: messages of a channel or a thread, channels of the account.
const PAGES: usize = 5;

/// The time range to read, and whether all of it was read.
struct CatchUp {
    oldest: String,
    /// Messages before this time were seen, except in threads.
    seen: String,
    complete: bool,
}

/// Passes on the messages since the last seen one. Does nothing at the first start.
pub(super) async fn catch_up(slack: &Slack, inlet: &dyn Inlet, me: &Me) -> Result<(), Ended> {
    let overlap = if slack.requests.is_some() { OVERLAP_OF_REQUESTS } else { OVERLAP };
    let latest = inlet.cursor(LATEST).await.map_err(broken)?;
    let Some(latest) = latest.as_deref().and_then(moment) else {
        // at the first start, stores a cursor, so that a later absence has a start
        return slack.keep_latest(inlet, &ts(SystemClock.now().after(overlap))).await.map_err(broken);
    };
    let farthest = SystemClock.now().before(FARTHEST);
    let since = latest.before(overlap).max(farthest);
    // reads from `farthest`, because threads that began earlier may have new answers
    let mut range = CatchUp { oldest: ts(farthest), seen: ts(since), complete: since > farthest };
    let begun = ts(SystemClock.now());
    for channel in slack.channels(inlet, &mut range).await? {
        slack.read_channel(inlet, me, &channel, &mut range).await?;
    }
    slack.keep_latest(inlet, &begun).await.map_err(broken)?;
    inlet.looked_back(LookedBack { since: Some(since), complete: range.complete });
    Ok(())
}

fn broken(error: impl std::fmt::Display) -> Ended {
    Ended::Broken(error.to_string())
}

fn ts(moment: Timestamp) -> String {
    format!("{}.{:06}", moment.0.max(0) / 1_000_000, moment.0.max(0) % 1_000_000)
}

impl Slack {
    /// Stores a `ts` as the cursor, if it is greater than the stored one.
    pub(super) async fn keep_latest(&self, inlet: &dyn Inlet, ts: &str) -> Result<(), StoreError> {
        let kept = inlet.cursor(LATEST).await?;
        if kept.as_deref().and_then(moment) < moment(ts) {
            inlet.keep_cursor(LATEST, ts).await?;
        }
        Ok(())
    }

    /// Makes a call. Waits and repeats it while Slack asks to wait.
    async fn patient(
        &self,
        inlet: &dyn Inlet,
        method: &str,
        form: &[(&str, &str)],
    ) -> Result<Value, Refusal> {
        loop {
            match self.api.call(method, form).await {
                Err(Refusal::TooMany(wait)) if patience(wait, inlet).await => {}
                answer => return answer,
            }
        }
    }

    /// Reads a list of Slack page by page. Notes in `complete` if it stops before the end.
    async fn pages(
        &self,
        inlet: &dyn Inlet,
        (method, list): (&str, &str),
        form: &[(&str, &str)],
        complete: &mut bool,
    ) -> Result<Vec<Value>, Refusal> {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        for _ in 0..PAGES {
            let page = [form, &[("limit", "200"), ("cursor", cursor.as_str())]].concat();
            let answer = self.patient(inlet, method, &page).await?;
            all.extend(answer[list].as_array().cloned().unwrap_or_default());
            cursor = answer["response_metadata"]["next_cursor"].as_str().unwrap_or_default().to_owned();
            if cursor.is_empty() {
                return Ok(all);
            }
        }
        *complete = false;
        Ok(all)
    }

    async fn channels(&self, inlet: &dyn Inlet, range: &mut CatchUp) -> Result<Vec<String>, Ended> {
        let form = [("types", "public_channel,private_channel,mpim,im"), ("exclude_archived", "true")];
        let list = ("users.conversations", "channels");
        let channels = self.pages(inlet, list, &form, &mut range.complete).await.map_err(Refusal::ended)?;
        let ids = channels.iter().filter_map(|channel| channel["id"].as_str());
        let mut ids: Vec<String> = ids.filter(|id| self.takes_part(id)).map(str::to_owned).collect();
        range.complete &= ids.len() <= CHANNELS;
        ids.truncate(CHANNELS);
        Ok(ids)
    }

    /// The messages of a channel or a thread; none of one that cannot be read, as the account is no longer in it.
    async fn messages(
        &self,
        inlet: &dyn Inlet,
        method: &str,
        form: &[(&str, &str)],
        range: &mut CatchUp,
    ) -> Result<Vec<Value>, Ended> {
        match self.pages(inlet, (method, "messages"), form, &mut range.complete).await {
            Err(Refusal::Error(error)) => {
                tracing::warn!("cannot look back in a channel of Slack: {error}");
                range.complete = false;
                Ok(Vec::new())
            }
            read => read.map_err(Refusal::ended),
        }
    }

    async fn read_channel(
        &self,
        inlet: &dyn Inlet,
        me: &Me,
        channel: &str,
        range: &mut CatchUp,
    ) -> Result<(), Ended> {
        let (oldest, seen) = (range.oldest.clone(), range.seen.clone());
        let form = [("channel", channel), ("oldest", oldest.as_str())];
        let mut messages = self.messages(inlet, "conversations.history", &form, range).await?;
        let answered =
            |message: &&Value| message["latest_reply"].as_str().is_some_and(|ts| ts > seen.as_str());
        let threads: Vec<Value> =
            messages.iter().filter(answered).map(|message| message["ts"].clone()).collect();
        for thread in threads.iter().filter_map(Value::as_str) {
            let form = [("channel", channel), ("ts", thread), ("oldest", seen.as_str())];
            messages.extend(self.messages(inlet, "conversations.replies", &form, range).await?);
        }
        messages.retain(|message| message["ts"].as_str().is_some_and(|ts| ts > seen.as_str()));
        messages.sort_by(|a, b| a["ts"].as_str().cmp(&b["ts"].as_str()));
        messages.dedup_by(|a, b| a["ts"] == b["ts"]);
        for message in &messages {
            if let Some(message) = self.message(channel, message, me).await {
                let taken = inlet.take(Event::Message(message)).await;
                taken.map_err(broken)?;
            }
        }
        Ok(())
    }
}
