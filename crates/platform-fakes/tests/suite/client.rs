//! A client of the fakes: HTTP calls with JSON, and a WebSocket with JSON frames.

use futures::{SinkExt, StreamExt};
use reqwest::{Method, Response};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async, tungstenite::Message};

/// An HTTP client with its authorization.
pub struct Http {
    client: reqwest::Client,
    base: String,
    authorization: String,
}

impl Http {
    pub fn new(base: String, authorization: String) -> Self {
        // fails when another test has installed it
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self { client: reqwest::Client::new(), base, authorization }
    }

    pub async fn try_call(&self, method: Method, path: &str, body: &Value) -> reqwest::Result<Response> {
        let request = self.client.request(method, format!("{}{path}", self.base));
        let request = if body.is_null() { request } else { request.json(body) };
        request.header("authorization", &self.authorization).send().await
    }

    /// The status and the body of the answer; null where it is empty.
    pub async fn call(&self, method: Method, path: &str, body: Value) -> (u16, Value) {
        let response = self.try_call(method, path, &body).await.unwrap();
        let status = response.status().as_u16();
        (status, serde_json::from_str(&response.text().await.unwrap()).unwrap_or_default())
    }

    pub async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.call(Method::POST, path, body).await
    }

    pub async fn get(&self, path: &str) -> (u16, Value) {
        self.call(Method::GET, path, Value::Null).await
    }
}

/// A WebSocket.
pub struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

/// What a WebSocket brings.
#[derive(Debug, PartialEq)]
pub enum Frame {
    Json(Value),
    /// The close code, or nothing when the connection broke.
    End(Option<u16>),
}

impl Socket {
    pub async fn connect(url: &str) -> Self {
        Self(connect_async(url).await.unwrap().0)
    }

    pub async fn send(&mut self, frame: Value) {
        // the fake may have closed already
        let _ = self.0.send(Message::text(frame.to_string())).await;
    }

    pub async fn next(&mut self) -> Frame {
        loop {
            match self.0.next().await {
                Some(Ok(Message::Text(text))) => return Frame::Json(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(frame))) => return Frame::End(frame.map(|frame| frame.code.into())),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Frame::End(None),
            }
        }
    }

    pub async fn json(&mut self) -> Value {
        match self.next().await {
            Frame::Json(value) => value,
            end => panic!("the connection ended: {end:?}"),
        }
    }

    /// The code with which the fake closes; other frames are passed over.
    pub async fn close_code(&mut self) -> Option<u16> {
        loop {
            if let Frame::End(code) = self.next().await {
                return code;
            }
        }
    }

    pub async fn close(mut self, code: u16) {
        let frame =
            tokio_tungstenite::tungstenite::protocol::CloseFrame { code: code.into(), reason: "".into() };
        self.0.close(Some(frame)).await.unwrap();
        while self.next().await != Frame::End(None) {}
    }
}
