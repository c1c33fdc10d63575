//! The WebSocket of the gateway: HELLO, frames, heartbeats.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::{
    Message,
    protocol::{CloseFrame, frame::coding::CloseCode},
};

use super::catch_up::broken;
use crate::{
    Ended,
    websocket::{self, Socket},
};

/// This close code keeps the session, so that the next process can resume it. Code 1000 would end it.
const KEEP_SESSION: u16 = 4000;
/// The time limits for HELLO and for closing the connection.
const HELLO: Duration = Duration::from_secs(20);
const GOODBYE: Duration = Duration::from_secs(1);

/// An open connection.
pub(super) struct Link {
    socket: Socket,
    interval: Duration,
    next: Instant,
    /// Whether the last heartbeat was answered.
    answered: bool,
}

/// Why no more frames come.
pub(super) enum Down {
    /// Discord closed the connection with a code.
    Closed(u16),
    /// The connection broke.
    Broken(String),
}

impl Link {
    /// Connects and waits for HELLO.
    pub(super) async fn open(url: &str) -> Result<Self, String> {
        let socket = websocket::connect(url).await?;
        let (interval, next) = (HELLO, Instant::now());
        let mut link = Self { socket, interval, next, answered: true };
        let hello = match timeout(HELLO, link.receive()).await {
            Ok(Ok(hello)) if hello["op"] == 10 => hello,
            Ok(Err(Down::Closed(code))) => {
                return Err(format!("Discord closed the connection with code {code}"));
            }
            Ok(Err(Down::Broken(why))) => return Err(why),
            Ok(Ok(_)) | Err(_) => return Err("Discord says no HELLO".to_owned()),
        };
        let interval = hello["d"]["heartbeat_interval"].as_u64().unwrap_or_default();
        link.interval = Duration::from_millis(interval.clamp(50, 600_000));
        // the first heartbeat comes at a random time, so that not all bots send it at once
        let jitter = f64::from(std::process::id() % 97) / 97.0;
        link.next = Instant::now() + link.interval.mul_f64(jitter);
        Ok(link)
    }

    /// The next frame with JSON. Cancel-safe.
    pub(super) async fn receive(&mut self) -> Result<Value, Down> {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => {
                    return serde_json::from_str(text.as_str())
                        .map_err(|error| Down::Broken(error.to_string()));
                }
                Some(Ok(Message::Close(frame))) => {
                    return Err(Down::Closed(frame.map_or(1005, |frame| frame.code.into())));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(Down::Broken(error.to_string())),
                None => return Err(Down::Broken("the connection broke".to_owned())),
            }
        }
    }

    pub(super) async fn send(&mut self, frame: &Value) -> Result<(), Ended> {
        self.socket.send(Message::text(frame.to_string())).await.map_err(broken)
    }

    /// The time of the next heartbeat.
    pub(super) fn next_beat(&self) -> Instant {
        self.next
    }

    /// Notes the answer to the last heartbeat.
    pub(super) fn is_answered(&mut self) {
        self.answered = true;
    }

    /// Sends a heartbeat. Fails if the last one has no answer: then the connection is dead.
    pub(super) async fn beat(&mut self, seq: u64) -> Result<(), Ended> {
        if !self.answered {
            return Err(Ended::Broken("Discord answers no heartbeat".to_owned()));
        }
        self.beat_while_busy(seq).await
    }

    /// Sends a heartbeat while no frames are read. An answer to the last one may have arrived unread.
    pub(super) async fn beat_while_busy(&mut self, seq: u64) -> Result<(), Ended> {
        self.answered = false;
        self.next = Instant::now() + self.interval;
        self.send(&json!({ "op": 1, "d": if seq == 0 { Value::Null } else { json!(seq) } })).await
    }

    /// Closes the connection and keeps the session.
    pub(super) async fn close(&mut self) {
        let frame = CloseFrame { code: CloseCode::from(KEEP_SESSION), reason: "".into() };
        let _ = timeout(GOODBYE, self.socket.close(Some(frame))).await;
    }
}
