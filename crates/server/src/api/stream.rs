//! How events are told to whoever listens: as frames of an event stream or of a WebSocket, in the same
//! words. An id is `RUN-NUMBER`: the number rises over all events of one run of the program, and an id of
//! another run is answered by `resync`, since what happened there is in the history alone.

use std::{convert::Infallible, pin::Pin, time::Duration};

use axum::response::{IntoResponse, Response, sse};
use futures::{Stream, StreamExt, stream};
use greenroom_core::{EventId, TurnEvent};
use greenroom_runtime::{Heard, Runtime, Subscription, Topic};
use http::{HeaderMap, HeaderValue, header::HeaderName};
use serde_json::json;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

use crate::{Caller, Services};

/// How often somebody who listens hears at least something.
pub const HEARTBEAT: Duration = Duration::from_secs(15);

/// How long a reply may go on to be told when no turn runs any more (S10); less than a connection lasts then.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// One thing that is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Where to go on after it; none for what was not an event of this run.
    pub id: Option<String>,
    /// The event's name.
    pub kind: &'static str,
    /// A JSON object.
    pub data: String,
}

impl Frame {
    /// An event as it was published.
    pub fn event(run: &str, event: &TurnEvent) -> Self {
        let id = (event.id != EventId::default()).then(|| format!("{run}-{}", event.id.0));
        // an event is plain data and always has a JSON form
        let data = serde_json::to_string(event).unwrap_or_default();
        Self { id, kind: event.event.kind(), data }
    }

    /// What happened in between is no longer known.
    pub fn resync() -> Self {
        let message = "what happened since then is no longer known as events: read the history";
        Self::told("resync", message)
    }

    /// The listener was too slow.
    fn lagged() -> Self {
        let message = "you read too slowly and events were dropped: read the history and listen again";
        Self::told("lagged", message)
    }

    /// The server stops.
    fn closing() -> Self {
        Self::told("closing", "the server stops: listen again in a moment, from behind the last event")
    }

    fn told(kind: &'static str, message: &str) -> Self {
        Self { id: None, kind, data: json!({ "type": kind, "message": message }).to_string() }
    }

    /// The same as one JSON object with its id, for a WebSocket.
    pub fn text(&self) -> String {
        match (&self.id, self.data.strip_prefix('{')) {
            (Some(id), Some(rest)) => format!("{{\"id\":\"{id}\",{rest}"),
            _ => self.data.clone(),
        }
    }
}

/// Where somebody wants to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// Since now on.
    Now,
    /// After an event of this run.
    After(EventId),
    /// After one of another run, or one that is none of ours.
    Elsewhere,
}

impl Since {
    /// Reads an id as it was told.
    pub fn read(run: &str, id: &str) -> Self {
        let number = id.trim().rsplit_once('-').filter(|(of, _)| *of == run);
        match number.map(|(_, number)| number.parse()) {
            Some(Ok(number)) => Self::After(EventId(number)),
            _ => Self::Elsewhere,
        }
    }

    /// What a request says: the header that browsers send when they connect again, or the parameter.
    pub fn of(runtime: &Runtime, headers: &HeaderMap, parameter: Option<&str>) -> Self {
        let header = headers.get("last-event-id").map(|id| id.to_str().unwrap_or_default());
        let id = header.or(parameter).filter(|id| !id.is_empty());
        id.map_or(Self::Now, |id| Self::read(runtime.run(), id))
    }
}

/// Resolves when the server has stopped and no reply is waited for any more (S10): a turn has as long as it is
/// given to end.
pub async fn stopped(ended: &CancellationToken) {
    ended.cancelled().await;
    tokio::time::sleep(LAST_WORDS).await;
}

/// Somebody who listens, until their key is revoked or the server stops.
pub struct Listener {
    runtime: Runtime,
    caller: Caller,
    resync: bool,
    subscription: Subscription,
    heartbeat: Interval,
    /// Says whether the server stops; `None` when it has said so.
    over: Option<Pin<Box<dyn Future<Output = bool> + Send>>>,
}

/// What a listener gets.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// Something to tell.
    Frame(Frame),
    /// Nothing happened for a while.
    Nothing,
    /// The server stops, and this is the end.
    Closing,
}

impl Listener {
    /// Listens to a topic.
    pub async fn new(services: &Services, caller: &Caller, topic: Topic, from: Since) -> Self {
        let of_turn = matches!(topic, Topic::Turn(..));
        let after = if let Since::After(id) = from { Some(id) } else { None };
        let subscription = services.runtime.subscribe(topic, after).await;
        Self { resync: from == Since::Elsewhere, ..Self::of(services, caller, subscription, of_turn) }
    }

    /// Hears what somebody has begun to listen to, of a turn or of more than that.
    pub fn of(services: &Services, caller: &Caller, subscription: Subscription, of_turn: bool) -> Self {
        let revoked = caller.revoked.clone();
        let (closing, ended) = (services.closing.clone(), services.ended.clone());
        let over = async move {
            revoked.cancelled_owned().await;
            let stops = closing.is_cancelled();
            if stops && of_turn {
                stopped(&ended).await;
            }
            stops
        };
        let mut heartbeat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            runtime: services.runtime.clone(),
            caller: caller.clone(),
            resync: false,
            subscription,
            heartbeat,
            over: Some(Box::pin(over)),
        }
    }

    /// Goes on from somewhere else.
    pub async fn go_on(&mut self, topic: Topic, from: Since) {
        let after = if let Since::After(id) = from { Some(id) } else { None };
        self.resync = from == Since::Elsewhere;
        self.subscription = self.runtime.subscribe(topic, after).await;
    }

    /// What is next; `None` at the end. May be dropped and asked again without a loss.
    pub async fn next(&mut self) -> Option<Told> {
        if std::mem::take(&mut self.resync) {
            return Some(Told::Frame(Frame::resync()));
        }
        let over = self.over.as_mut()?;
        let heard = tokio::select! {
            biased;
            stops = over => {
                self.over = None;
                return stops.then_some(Told::Closing);
            }
            heard = self.subscription.next() => heard?,
            _ = self.heartbeat.tick() => return Some(Told::Nothing),
        };
        Some(Told::Frame(match heard {
            Heard::Event(event) => Frame::event(self.runtime.run(), &self.caller.shown_event(&event)),
            Heard::Missed => Frame::resync(),
            Heard::Lagged => Frame::lagged(),
        }))
    }

    /// Everything, one after the other.
    pub fn stream(self) -> impl Stream<Item = Told> + Send + 'static {
        stream::unfold(self, async |mut listener| listener.next().await.map(|told| (told, listener)))
    }
}

/// An event stream.
pub fn sse(told: impl Stream<Item = Told> + Send + 'static) -> Response {
    let event = |told| {
        let Frame { id, kind, data } = match told {
            Told::Nothing => return Ok::<_, Infallible>(sse::Event::default().comment("")),
            Told::Frame(frame) => frame,
            Told::Closing => Frame::closing(),
        };
        let event = sse::Event::default().event(kind).data(data);
        Ok(match id {
            Some(id) => event.id(id),
            None => event,
        })
    };
    // a proxy that collects what it passes on would hold every event back
    let unbuffered = (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    ([unbuffered], sse::Sse::new(told.map(event))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn s10_a_reply_is_waited_for_as_long_as_a_turn_may_run() {
        let ended = CancellationToken::new();
        let hour = Duration::from_secs(3600);
        assert!(tokio::time::timeout(hour, stopped(&ended)).await.is_err());
        ended.cancel();
        assert!(tokio::time::timeout(2 * LAST_WORDS, stopped(&ended)).await.is_ok());
    }

    #[test]
    fn an_id_of_another_run_is_told_from_one_of_this() {
        assert_eq!(Since::read("a1b2", "a1b2-17"), Since::After(EventId(17)));
        for other in ["c3d4-17", "17", "a1b2-", "a1b2-x", "", "a1b2-17-3", "💥"] {
            assert_eq!(Since::read("a1b2", other), Since::Elsewhere, "{other}");
        }
    }

    #[test]
    fn a_text_frame_is_the_event_with_its_id() {
        let frame = Frame { id: Some("a1-7".into()), kind: "done", data: r#"{"type":"done"}"#.into() };
        assert_eq!(frame.text(), r#"{"id":"a1-7","type":"done"}"#);
        assert!(Frame::resync().text().starts_with(r#"{"message":"#));
    }
}
