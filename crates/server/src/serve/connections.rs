//! Accepts connections up to a limit, in total and for one address, each in a separate task.

use std::{
    net::{IpAddr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request},
};
use greenroom_core::real_time;
use greenroom_persona::ServerSettings;
use http::StatusCode;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpStream, sync::Semaphore};
use tokio_io_timeout::TimeoutStream;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt;

use crate::{
    ApiError,
    body::GuardedBody,
    connection::{Connection, IdleQueue},
    limits::KeyedSemaphore,
    operations::{GaugeGuard, Operations},
};

/// The time for the head of a request, and the idle time between two requests.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// The bytes of a request's head.
const HEAD_BYTES: usize = 64 * 1024;
/// A client that reads nothing of the response for this time counts as disconnected.
const WRITE_TIME: Duration = Duration::from_secs(30);
/// The time a new connection waits for the slot of an evicted one.
const EVICTION_TIME: Duration = Duration::from_secs(1);

/// The shared state of a server's connections.
pub(super) struct Connections {
    slots: Arc<Semaphore>,
    addresses: KeyedSemaphore<IpAddr>,
    idle: Arc<IdleQueue>,
    http: http1::Builder,
    router: Router,
    operations: Arc<Operations>,
    tasks: TaskTracker,
    /// Cancelled when each connection is to end with its present response.
    stopping: CancellationToken,
}

impl Connections {
    pub(super) fn new(settings: &ServerSettings, router: Router, operations: Arc<Operations>) -> Self {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(HEAD_BYTES);
        Self {
            slots: Arc::new(Semaphore::new(settings.connections.min(Semaphore::MAX_PERMITS))),
            addresses: KeyedSemaphore::new(settings.connections_per_address),
            idle: Arc::default(),
            http,
            router,
            operations,
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
        }
    }

    /// Serves a connection in a task, or refuses it.
    pub(super) fn accept(self: &Arc<Self>, stream: TcpStream, address: SocketAddr) {
        let of_address = match counted(address.ip()).map(|ip| self.addresses.try_acquire(&ip)) {
            Some(None) => return self.refuse(&stream, &full_for_address()),
            permit => permit.flatten(),
        };
        let this = self.clone();
        let connection = move |this: &Self, slot| {
            let open = GaugeGuard::new(&this.operations.http.connections);
            Connection::new(this.idle.clone(), slot, of_address, open)
        };
        match self.slots.clone().try_acquire_owned() {
            Ok(slot) => {
                // into the idle queue before its task begins, because the next connection may need the slot
                let connection = connection(self, slot);
                self.tasks.spawn(async move { this.serve(stream, address, connection).await });
            }
            Err(_) if self.idle.evict() => {
                self.tasks.spawn(async move {
                    match real_time().timeout(EVICTION_TIME, this.slots.clone().acquire_owned()).await {
                        Ok(Ok(slot)) => {
                            let connection = connection(&this, slot);
                            this.serve(stream, address, connection).await;
                        }
                        _ => this.refuse(&stream, &full()),
                    }
                });
            }
            Err(_) => self.refuse(&stream, &full()),
        }
    }

    /// Serves a connection until it ends, is evicted, or the server stops.
    async fn serve(&self, stream: TcpStream, address: SocketAddr, connection: Arc<Connection>) {
        // events are small and must not be delayed by Nagle's algorithm
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(WRITE_TIME));
        let eviction = connection.eviction.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let in_flight = connection.begin();
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(address));
            request.extensions_mut().insert(connection.clone());
            let response = self.router.clone().oneshot(request);
            async move { response.await.map(|response| response.map(|body| GuardedBody::new(body, in_flight))) }
        });
        let serving = self.http.serve_connection(TokioIo::new(Box::pin(stream)), service).with_upgrades();
        let mut serving = std::pin::pin!(serving);
        let ended = tokio::select! {
            ended = serving.as_mut() => ended,
            () = eviction.cancelled() => return self.operations.http.refuse("made_room"),
            () = self.stopping.cancelled() => {
                serving.as_mut().graceful_shutdown();
                serving.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection broke");
        }
    }

    /// Lets connections finish their current response.
    pub(super) async fn stop(&self) {
        self.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Sends a refusal without reading the request, if that is possible without waiting.
    fn refuse(&self, stream: &TcpStream, error: &ApiError) {
        self.operations.http.refuse(error.code);
        let _ = stream.try_write(raw_response(error).as_bytes());
    }
}

fn full() -> ApiError {
    let message = "too many connections; try again in a moment";
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_connections", message)
}

fn full_for_address() -> ApiError {
    let message =
        "too many connections from this address; close some, or raise server.connections_per_address";
    ApiError::new(StatusCode::TOO_MANY_REQUESTS, "too_many_connections_here", message)
}

/// A refusal as HTTP/1.1.
fn raw_response(error: &ApiError) -> String {
    let body = serde_json::json!(error.body()).to_string();
    format!(
        "HTTP/1.1 {}\r\nretry-after: 1\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        error.status,
        body.len()
    )
}

/// The address that a connection counts for. Loopback does not count, because a proxy may run there. All addresses of
/// an IPv6 network of 64 bits count as one, because one household has all of them.
fn counted(ip: IpAddr) -> Option<IpAddr> {
    match ip.to_canonical() {
        ip if ip.is_loopback() => None,
        IpAddr::V6(ip) => Some(Ipv6Addr::from_bits(ip.to_bits() & !u128::from(u64::MAX)).into()),
        ip => Some(ip),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b2_a_refused_connection_reads_a_whole_response() {
        let text = raw_response(&full());
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{head}");
        assert!(head.ends_with(&format!("content-length: {}", body.len())), "{head}");
        assert!(body.starts_with("{\"error\":{") && body.ends_with("}}"), "{body}");
    }

    #[test]
    fn b2_a_network_is_one_address_and_loopback_is_none() {
        let counted = |ip: &str| counted(ip.parse().unwrap()).map(|ip| ip.to_string());
        for own in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(counted(own), None, "{own}");
        }
        assert_eq!(counted("192.0.2.7").as_deref(), Some("192.0.2.7"));
        assert_eq!(counted("::ffff:192.0.2.7").as_deref(), Some("192.0.2.7"));
        assert_eq!(counted("2001:db8:1:2:3:4:5:6").as_deref(), Some("2001:db8:1:2::"));
    }
}
