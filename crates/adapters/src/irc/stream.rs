//! A line-based stream to a server, with or without TLS.

use std::{path::Path, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, ReadHalf, WriteHalf},
    time::timeout,
};

use crate::tls::{self, Duplex};

/// The time limit for connecting and for sending a line.
const DIAL_TIME: Duration = Duration::from_secs(20);
/// The longest line with its tags in bytes; a longer line is cut.
const LONGEST_LINE: usize = 16 * 1024;

/// Reads lines from a server and sends lines to it.
pub(super) struct Stream {
    reader: BufReader<ReadHalf<Box<dyn Duplex>>>,
    writer: WriteHalf<Box<dyn Duplex>>,
    /// The part of the next line that was already read.
    partial: Vec<u8>,
}

impl Stream {
    /// Connects to `host:port`.
    ///
    /// # Errors
    /// What failed, with the server's name.
    pub(super) async fn dial(server: &str, tls: bool, ca_file: Option<&Path>) -> Result<Self, String> {
        let (host, port) = tls::address(server, if tls { super::TLS_PORT } else { super::PLAIN_PORT })?;
        let connecting = timeout(DIAL_TIME, async {
            let stream = tls::plain(&host, port).await?;
            if tls { tls::encrypted(stream, &host, ca_file).await } else { Ok(stream) }
        });
        let stream = connecting
            .await
            .unwrap_or_else(|_| Err("it does not answer".into()))
            .map_err(|error| format!("cannot connect to {host}:{port}: {error}"))?;
        let (reader, writer) = tokio::io::split(stream);
        Ok(Self { reader: BufReader::new(reader), writer, partial: Vec::new() })
    }

    /// The next line without its line end. `None` when the server has closed the connection. Cancel-safe.
    ///
    /// # Errors
    /// The error of the system.
    pub(super) async fn line(&mut self) -> Result<Option<String>, String> {
        loop {
            let ended = {
                let read = self.reader.fill_buf().await.map_err(|error| tls::reason(&error))?;
                if read.is_empty() {
                    return Ok(None);
                }
                let (taken, ended) = match read.iter().position(|byte| *byte == b'\n') {
                    Some(at) => (at + 1, true),
                    None => (read.len(), false),
                };
                let room = LONGEST_LINE.saturating_sub(self.partial.len());
                self.partial.extend_from_slice(&read[..taken.min(room)]);
                self.reader.consume(taken);
                ended
            };
            if ended {
                let line = String::from_utf8_lossy(&self.partial).trim_end_matches(['\r', '\n']).to_owned();
                self.partial.clear();
                return Ok(Some(line));
            }
        }
    }

    /// Sends a line. Removes characters that would begin another line.
    ///
    /// # Errors
    /// The error of the system.
    pub(super) async fn send(&mut self, line: &str) -> Result<(), String> {
        let mut clean: String = line.chars().filter(|c| !matches!(c, '\r' | '\n' | '\0')).collect();
        clean.push_str("\r\n");
        let sent = async {
            self.writer.write_all(clean.as_bytes()).await?;
            self.writer.flush().await
        };
        match timeout(DIAL_TIME, sent).await {
            Ok(sent) => sent.map_err(|error| error.to_string()),
            Err(_) => Err("the server takes nothing any more".into()),
        }
    }
}
