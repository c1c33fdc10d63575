//! The part of HTTP/1.1 that an endpoint needs, written by hand, so that every fault can be sent.

use std::io;

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader},
    net::{TcpStream, tcp::OwnedReadHalf},
    sync::Notify,
};

use crate::answer::{Answer, Part};

/// A request as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// `GET`, `POST`.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// In the order of arrival, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; null without one, a string where it is no JSON.
    pub body: Value,
}

impl Request {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// Reads a request; `None` when the client is done.
pub(crate) async fn read(from: &mut BufReader<OwnedReadHalf>) -> io::Result<Option<Request>> {
    let mut line = String::new();
    if from.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = Vec::new();
    loop {
        line.clear();
        from.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut request = Request { method, path, headers, body: Value::Null };
    let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    from.read_exact(&mut body).await?;
    if !body.is_empty() {
        let text = || Value::String(String::from_utf8_lossy(&body).into_owned());
        request.body = serde_json::from_slice(&body).unwrap_or_else(|_| text());
    }
    Ok(Some(request))
}

/// How sending ended.
#[derive(Debug, PartialEq)]
pub(crate) enum Sent {
    /// Whole; the connection can be used again.
    Whole,
    /// The connection has to break. If nothing was sent so far (`silent`), with a reset; otherwise by closing it in
    /// the middle, because a reset may overtake data sent before it.
    Broken { silent: bool },
    /// The client hung up during a stall.
    HungUp,
}

/// Sends an answer; `released` ends a stall.
pub(crate) async fn send<W: AsyncWrite + Unpin, R: AsyncRead + Unpin>(
    to: &mut W,
    from: &mut BufReader<R>,
    answer: &Answer,
    released: &Notify,
) -> io::Result<Sent> {
    let mut head_is_out = answer.status == 0;
    for part in &answer.parts {
        match part {
            Part::Reset => return Ok(Sent::Broken { silent: !head_is_out || answer.status == 0 }),
            Part::Stall => {
                tokio::select! {
                    () = released.notified() => {}
                    // a client sends nothing while it waits: the end of its stream is a hang-up
                    _ = from.fill_buf() => return Ok(Sent::HungUp),
                }
            }
            part => {
                if !std::mem::replace(&mut head_is_out, true) {
                    to.write_all(head(answer).as_bytes()).await?;
                    to.flush().await?;
                }
                let bytes = part.bytes();
                if answer.whole {
                    to.write_all(&bytes).await?;
                } else if !bytes.is_empty() {
                    // one HTTP chunk per write, so that the client reads it separately
                    let chunk = [format!("{:x}\r\n", bytes.len()).as_bytes(), &bytes, b"\r\n"].concat();
                    to.write_all(&chunk).await?;
                    to.flush().await?;
                }
            }
        }
    }
    if answer.status == 0 {
        return Ok(Sent::Broken { silent: true });
    }
    if !head_is_out {
        to.write_all(head(answer).as_bytes()).await?;
    }
    if !answer.whole {
        to.write_all(b"0\r\n\r\n").await?;
    }
    to.flush().await?;
    Ok(Sent::Whole)
}

fn head(answer: &Answer) -> String {
    let mut head = format!("HTTP/1.1 {} Mock\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if answer.whole {
        let length: usize = answer.parts.iter().map(|part| part.bytes().len()).sum();
        head.push_str(&format!("content-length: {length}\r\n\r\n"));
    } else {
        head.push_str("transfer-encoding: chunked\r\n\r\n");
    }
    head
}

/// Splits a connection so that it can be read and written at the same time.
pub(crate) fn split(stream: TcpStream) -> (BufReader<OwnedReadHalf>, tokio::net::tcp::OwnedWriteHalf) {
    let (read, write) = stream.into_split();
    (BufReader::new(read), write)
}
