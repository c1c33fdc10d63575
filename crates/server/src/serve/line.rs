//! One connection as the server holds it: counted, and given up when its other end stops reading.

use std::{
    io,
    net::IpAddr,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    sync::OwnedSemaphorePermit,
    time::{Sleep, sleep},
};

use crate::{limits::Share, operations::Upgraded};

/// So long nothing may be taken of what we send.
const STALLED: Duration = Duration::from_secs(30);

/// A connection. What it holds is given back when it ends, as a WebSocket too.
pub(super) struct Connection {
    stream: TcpStream,
    /// Only while the other end does not read.
    stalled: Option<Pin<Box<Sleep>>>,
    _seat: (OwnedSemaphorePermit, Option<Share<IpAddr>>),
    _open: Open,
    _upgraded: Upgraded,
}

/// Counts a connection as long as it lives.
pub(super) struct Open(pub(super) prometheus_client::metrics::gauge::Gauge);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Connection {
    pub(super) fn new(
        stream: TcpStream,
        seat: (OwnedSemaphorePermit, Option<Share<IpAddr>>),
        open: Open,
        upgraded: Upgraded,
    ) -> Self {
        Self { stream, stalled: None, _seat: seat, _open: open, _upgraded: upgraded }
    }

    /// Passes on how a write went, unless it has been going nowhere for too long.
    fn written<T>(
        &mut self,
        cx: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let done = write(Pin::new(&mut self.stream), cx);
        if done.is_ready() {
            self.stalled = None;
            return done;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(STALLED)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "nobody reads at the other end")))
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.written(cx, |stream, cx| stream.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.written(cx, |stream, cx| stream.poll_write_vectored(cx, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
