//! The stream of events that SSE and WebSockets send. An event's id is `RUN-NUMBER`. The number rises over all events
//! of one run of the program. A client with an id of another run gets `resync`, since events are kept in memory.

use std::{convert::Infallible, pin::Pin, time::Duration};

use axum::{
    extract::FromRequestParts,
    response::{IntoResponse, Response, sse},
};
use futures::{Stream, StreamExt, stream};
use greenroom_core::{EventId, Sleep, TurnEvent, real_time};
use greenroom_runtime::{NextEvent, Runtime, Subscription, Topic};
use http::{HeaderValue, header::HeaderName, request::Parts};
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use utoipa::IntoParams;

use crate::{ApiError, Caller, Services, extract::Query};

/// The interval of signs of life to a client.
pub const HEARTBEAT: Duration = Duration::from_secs(15);

/// The time for the last events of a turn after the last turn has ended (S10). Connections last longer than that.
const LAST_EVENTS: Duration = Duration::from_secs(1);

/// An event as it is sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// The position after it, for resuming; `None` for a frame that is no event of this run.
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

    /// Events in between are no longer in memory.
    pub fn resync() -> Self {
        let message = "events since then are no longer in memory: read the messages";
        Self::notice("resync", message)
    }

    /// The client was too slow.
    fn lagged() -> Self {
        let message = "you read too slowly and events were dropped: read the messages and subscribe again";
        Self::notice("lagged", message)
    }

    /// The server stops.
    fn closing() -> Self {
        Self::notice("closing", "the server stops: subscribe again in a moment, from behind the last event")
    }

    fn notice(kind: &'static str, message: &str) -> Self {
        Self { id: None, kind, data: json!({ "type": kind, "message": message }).to_string() }
    }

    /// The event with its id as one JSON object, for a WebSocket.
    pub fn text(&self) -> String {
        match (&self.id, self.data.strip_prefix('{')) {
            (Some(id), Some(rest)) => format!("{{\"id\":\"{id}\",{rest}"),
            _ => self.data.clone(),
        }
    }
}

/// The position at which a client resumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumeFrom {
    /// From now on.
    Now,
    /// After an event of this run.
    After(EventId),
    /// After an event of another run, or an invalid id.
    OtherRun,
}

impl ResumeFrom {
    /// Reads an id as it was sent.
    pub fn read(run: &str, id: &str) -> Self {
        let number = id.trim().rsplit_once('-').filter(|(of, _)| *of == run);
        match number.map(|(_, number)| number.parse()) {
            Some(Ok(number)) => Self::After(EventId(number)),
            _ => Self::OtherRun,
        }
    }

    /// The event after which the client resumes, of this run.
    pub fn after(self) -> Option<EventId> {
        if let Self::After(id) = self { Some(id) } else { None }
    }
}

/// Where to resume, in a request.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ResumeQuery {
    /// The last event the client received, for clients that cannot send the header `Last-Event-ID`.
    pub last_event_id: Option<String>,
}

/// The header that browsers send when they reconnect.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[allow(dead_code, reason = "describes the header alone")]
pub struct ResumeHeader {
    /// The last event the client received
    #[param(rename = "Last-Event-ID")]
    last_event_id: Option<String>,
}

impl FromRequestParts<Services> for ResumeFrom {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, ApiError> {
        let Query(query) = Query::<ResumeQuery>::from_request_parts(parts, services).await?;
        let header = parts.headers.get("last-event-id").map(|id| id.to_str().unwrap_or_default());
        let id = header.or(query.last_event_id.as_deref()).filter(|id| !id.is_empty());
        Ok(id.map_or(Self::Now, |id| Self::read(services.runtime.run(), id)))
    }
}

/// Resolves when the server has stopped and no reply can arrive any more (S10). The runtime gives turns time to end
/// before.
pub async fn stopped(ended: &CancellationToken) {
    ended.cancelled().await;
    real_time().sleep(LAST_EVENTS).await;
}

/// A subscription of a caller, until the key is revoked or the server stops.
pub struct Listener {
    runtime: Runtime,
    caller: Caller,
    resync: bool,
    subscription: Subscription,
    heartbeat: Sleep,
    /// Resolves at the end, with true if the server stops; `None` afterwards.
    over: Option<Pin<Box<dyn Future<Output = bool> + Send>>>,
}

/// An item of the stream.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamItem {
    /// An event.
    Frame(Frame),
    /// No event for a while.
    Idle,
    /// The server stops; the last item.
    Closing,
}

impl Listener {
    /// Subscribes to a channel or a persona.
    pub async fn new(services: &Services, caller: &Caller, topic: Topic, from: ResumeFrom) -> Self {
        let subscription = services.runtime.subscribe(topic, from.after()).await;
        Self { resync: from == ResumeFrom::OtherRun, ..Self::of(services, caller, subscription, false) }
    }

    /// Listens to a subscription; `of_turn` means that it is a subscription to one turn.
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
        Self {
            runtime: services.runtime.clone(),
            caller: caller.clone(),
            resync: false,
            subscription,
            heartbeat: real_time().sleep(HEARTBEAT),
            over: Some(Box::pin(over)),
        }
    }

    /// Resumes elsewhere.
    pub async fn resume(&mut self, topic: Topic, from: ResumeFrom) {
        self.resync = from == ResumeFrom::OtherRun;
        self.subscription = self.runtime.subscribe(topic, from.after()).await;
    }

    /// The next item; `None` at the end. The future may be dropped without losing an item.
    pub async fn next(&mut self) -> Option<StreamItem> {
        if std::mem::take(&mut self.resync) {
            return Some(StreamItem::Frame(Frame::resync()));
        }
        let over = self.over.as_mut()?;
        let heard = tokio::select! {
            biased;
            stops = over => {
                self.over = None;
                return stops.then_some(StreamItem::Closing);
            }
            heard = self.subscription.next() => heard?,
            () = &mut self.heartbeat => {
                self.heartbeat = real_time().sleep(HEARTBEAT);
                return Some(StreamItem::Idle);
            }
        };
        Some(StreamItem::Frame(match heard {
            NextEvent::Event(event) => Frame::event(self.runtime.run(), &self.caller.visible_event(&event)),
            NextEvent::Missed => Frame::resync(),
            NextEvent::Lagged => Frame::lagged(),
        }))
    }

    /// The items as a stream.
    pub fn stream(self) -> impl Stream<Item = StreamItem> + Send + 'static {
        stream::unfold(self, async |mut listener| listener.next().await.map(|item| (item, listener)))
    }
}

/// A response with server-sent events.
pub fn sse(items: impl Stream<Item = StreamItem> + Send + 'static) -> Response {
    let event = |item| {
        let Frame { id, kind, data } = match item {
            StreamItem::Idle => return Ok::<_, Infallible>(sse::Event::default().comment("")),
            StreamItem::Frame(frame) => frame,
            StreamItem::Closing => Frame::closing(),
        };
        let event = sse::Event::default().event(kind).data(data);
        Ok(match id {
            Some(id) => event.id(id),
            None => event,
        })
    };
    // tells nginx not to collect events before it passes them on
    let unbuffered = (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    ([unbuffered], sse::Sse::new(items.map(event))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn s10_a_reply_is_waited_for_until_the_last_turn_has_ended() {
        let ended = CancellationToken::new();
        let hour = Duration::from_secs(3600);
        assert!(tokio::time::timeout(hour, stopped(&ended)).await.is_err());
        ended.cancel();
        assert!(tokio::time::timeout(2 * LAST_EVENTS, stopped(&ended)).await.is_ok());
    }

    #[test]
    fn an_id_of_another_run_is_recognised() {
        assert_eq!(ResumeFrom::read("a1b2", "a1b2-17"), ResumeFrom::After(EventId(17)));
        for other in ["c3d4-17", "17", "a1b2-", "a1b2-x", "", "a1b2-17-3", "💥"] {
            assert_eq!(ResumeFrom::read("a1b2", other), ResumeFrom::OtherRun, "{other}");
        }
    }

    #[test]
    fn a_text_frame_is_the_event_with_its_id() {
        let frame = Frame { id: Some("a1-7".into()), kind: "done", data: r#"{"type":"done"}"#.into() };
        assert_eq!(frame.text(), r#"{"id":"a1-7","type":"done"}"#);
        assert!(Frame::resync().text().starts_with(r#"{"message":"#));
    }
}
