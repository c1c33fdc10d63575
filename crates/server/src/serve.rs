//! Listening: from an address to a router that answers, until somebody stops it.
//!
//! ```text
//! observe > secure > (panics) > (cors) > admit > guard > measure > handler
//! '----- around ---'                     '------- let_in -------'
//! ```
//! A connection is held to a pace on both sides: heads and bodies must come in time, and what we
//! send must be taken. Where there is no room for another, the one that waits longest for a request goes.

mod answer;
mod line;
mod waiting;

use std::{
    io,
    net::{IpAddr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request, State},
    middleware::{self, Next},
    response::Response,
};
use futures::future;
use greenroom_runtime::RuntimeError;
use greenroom_store::StoreError;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{AcquireError, OwnedSemaphorePermit, Semaphore},
    time::{MissedTickBehavior, interval, sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt;
use tower_http::catch_panic::CatchPanicLayer;

use crate::{
    Recovered, Services,
    access::{Access, Keys, Names, session},
    api, dialect,
    guard::guard,
    inspector,
    limits::{Limits, Share, Shares, admit, measure},
    mcp,
    operations::{self, Operations, Upgraded, observe},
    reference,
};
use line::{Connection, Open};
use waiting::{Ends, Sending, Waiting};

/// A request's head must have come by then, and a connection may rest so long between two requests.
const HEAD: Duration = Duration::from_secs(30);
/// A request's head may have so many bytes.
const HEAD_BYTES: usize = 64 * 1024;
/// So long answers that have begun may take when the server has stopped.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How long to wait when the system has no more sockets for us.
const OUT_OF_SOCKETS: Duration = Duration::from_millis(100);
/// How often the limits forget who has not been here for a while, and chats are given back.
const TIDY: Duration = Duration::from_secs(60);

/// So long a connection waits for another to make room.
const MAKING_ROOM: Duration = Duration::from_secs(1);

/// Told to a connection there is no room for.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n\
content-type: application/json\r\ncontent-length: 132\r\n\r\n\
{\"error\":{\"message\":\"too many connections; try again in a moment\",\
\"type\":\"server_error\",\"param\":null,\"code\":\"too_many_connections\"}}";

/// Told to an address that has as many connections as it may have.
const FULL_FOR_ADDRESS: &[u8] = b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 1\r\nconnection: close\r\n\
content-type: application/json\r\ncontent-length: 195\r\n\r\n\
{\"error\":{\"message\":\"too many connections from this address; close some, or have \
server.connections_per_address raised\",\
\"type\":\"rate_limit_error\",\"param\":null,\"code\":\"too_many_connections_here\"}}";

/// Why the server does not serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be had.
    #[error("cannot listen on {address}: {source}; choose another with --listen HOST:PORT")]
    Listen {
        /// Which address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// Others could come in, and there is nothing to ask them for (X1).
    #[error(
        "{address} can be reached from other machines and there is no key; make one with `greenroom key create \
         --role operator`, or listen on 127.0.0.1"
    )]
    NoKey {
        /// Which address.
        address: SocketAddr,
    },
    /// A proxy stands in front, and whoever comes through it would be the operator.
    #[error(
        "server.hosts names {host}, so others come in through a proxy, and there is no key: everybody would be the \
         operator; make a key with `greenroom key create --role operator`, or take the name out"
    )]
    NoKeyBehindProxy {
        /// A name that is not this machine's own.
        host: String,
    },
    /// The store does not say who may come in.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system does not say where we listen.
    #[error("the server broke: {0}")]
    Broken(#[from] io::Error),
}

/// A server that listens already and answers as soon as it runs.
pub struct Server {
    listener: TcpListener,
    router: Router,
    services: Services,
    keys: Keys,
    seats: Arc<Semaphore>,
    addresses: Shares<IpAddr>,
    limits: Arc<Limits>,
    operations: Arc<Operations>,
}

/// A place for a connection, which waits for its first request; none where the server has ended.
type Seat = Result<(OwnedSemaphorePermit, Ends), AcquireError>;

/// The connections there are.
#[derive(Default)]
struct Connections {
    tasks: TaskTracker,
    waiting: Arc<Waiting>,
    /// Cancelled when each is to end with the answer it is giving.
    leaving: CancellationToken,
}

impl Server {
    /// Listens at an address.
    ///
    /// # Errors
    /// [`ServeError::Listen`] where that cannot be had, [`ServeError::NoKey`] and
    /// [`ServeError::NoKeyBehindProxy`] where everybody could come in.
    pub async fn bind(address: SocketAddr, services: Services) -> Result<Self, ServeError> {
        let keys = Keys::read(services.store.clone(), services.closing.clone()).await?;
        if !address.ip().is_loopback() && keys.live().unwrap_or(0) == 0 {
            return Err(ServeError::NoKey { address });
        }
        let foreign = services.settings.server.hosts.iter().find(|host| !is_this_machine(host));
        if let Some(host) = foreign.filter(|_| keys.live().unwrap_or(0) == 0) {
            return Err(ServeError::NoKeyBehindProxy { host: host.clone() });
        }
        let listener =
            TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })?;
        let names = Arc::new(Names::new(listener.local_addr()?, &services.settings.server));
        let access = Access { keys: keys.clone(), names, sessions: Arc::default() };
        let settings = &services.settings.server;
        let operations = Arc::new(Operations::new(&services.runtime));
        let limits = Arc::new(Limits::new(settings, services.closing.clone()));
        let seats = Arc::new(Semaphore::new(settings.connections.min(Semaphore::MAX_PERMITS)));
        let addresses = Shares::new(settings.connections_per_address);
        let router = router(&services, access, &limits, &operations);
        Ok(Self { listener, router, services, keys, seats, addresses, limits, operations })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// What the system says.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// How many keys let somebody in; `None` where nobody needs one.
    pub fn keys(&self) -> Option<usize> {
        self.keys.live()
    }

    /// Ends what a crash left unfinished, so that nothing is shown as running which does not (S1). To be called
    /// before [`Server::run`].
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn recover(&self) -> Result<Recovered, RuntimeError> {
        self.services.gate.recover(&self.services).await
    }

    /// Answers until `stopped`, then lets answers that have begun end. From the moment
    /// [`Services::closing`] is cancelled it lets nothing new in and says so (S10).
    pub async fn run(self, stopped: impl Future<Output = ()>) {
        tokio::spawn(self.keys.clone().follow());
        let connections = Connections::default();
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(HEAD_BYTES);
        let mut tidy = interval(TIDY);
        tidy.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut stopped = std::pin::pin!(stopped);
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                () = &mut stopped => break,
                _ = tidy.tick() => {
                    self.limits.forget();
                    self.services.gate.tidy(&self.services);
                    continue;
                }
            };
            match accepted {
                Ok((stream, address)) => self.seat(&http, &connections, stream, address),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    sleep(OUT_OF_SOCKETS).await;
                }
            }
        }
        drop(self.listener);
        connections.leaving.cancel();
        connections.tasks.close();
        if timeout(LAST_WORDS, connections.tasks.wait()).await.is_err() {
            tracing::info!("connections that did not end in time are cut off");
        }
    }

    /// Finds room for a connection, or says that there is none.
    fn seat(&self, http: &http1::Builder, connections: &Connections, stream: TcpStream, address: SocketAddr) {
        let share = match counted(address.ip()).map(|ip| self.addresses.take(&ip)) {
            Some(None) => return turn_away(&self.operations, &stream, FULL_FOR_ADDRESS),
            share => share.flatten(),
        };
        let (seats, waiting) = (self.seats.clone(), connections.waiting.clone());
        match seats.clone().try_acquire_owned() {
            Ok(seat) => {
                // from now on, and not when its task begins: the next one may need the room at once
                let seat = future::ready(Ok((seat, Ends(waiting.come()))));
                self.serve(http, connections, stream, address, (seat, share));
            }
            Err(_) if waiting.evict() => {
                // the connection that was closed leaves its seat in a moment
                let seat = async move { Ok((seats.acquire_owned().await?, Ends(waiting.come()))) };
                self.serve(http, connections, stream, address, (seat, share));
            }
            Err(_) => turn_away(&self.operations, &stream, FULL),
        }
    }

    /// Serves a connection in a task of its own.
    fn serve(
        &self,
        http: &http1::Builder,
        connections: &Connections,
        stream: TcpStream,
        address: SocketAddr,
        (seat, share): (impl Future<Output = Seat> + Send + 'static, Option<Share<IpAddr>>),
    ) {
        // events are small and must not wait for each other
        let _ = stream.set_nodelay(true);
        let (http, router, operations) = (http.clone(), self.router.clone(), self.operations.clone());
        let leaving = connections.leaving.clone();
        connections.tasks.spawn(async move {
            let Ok(Ok((seat, ends))) = timeout(MAKING_ROOM, seat).await else {
                return turn_away(&operations, &stream, FULL);
            };
            let open = Open(operations.http.connections.clone());
            open.0.inc();
            let upgraded = Upgraded::default();
            let line = Connection::new(stream, (seat, share), open, upgraded.clone());
            let turns = ends.0.clone();
            let evicted = turns.evicted.clone();
            let service = service_fn(move |request: Request<Incoming>| {
                let under_way = turns.begin();
                let mut request = request.map(Body::new);
                request.extensions_mut().insert(ConnectInfo(address));
                request.extensions_mut().insert(upgraded.clone());
                let answering = router.clone().oneshot(request);
                async move { answering.await.map(|response| response.map(|body| Sending::new(body, under_way))) }
            });
            let connection = http.serve_connection(TokioIo::new(line), service).with_upgrades();
            let mut connection = std::pin::pin!(connection);
            let ended = tokio::select! {
                ended = connection.as_mut() => ended,
                () = evicted.cancelled() => return operations.http.refuse("made_room"),
                () = leaving.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            };
            if let Err(error) = ended {
                tracing::debug!(%error, "a connection broke");
            }
        });
    }
}

/// Whether a name of the settings is one of this machine alone.
fn is_this_machine(host: &str) -> bool {
    let url = format!("http://{}", host.to_ascii_lowercase());
    let Ok(authority) = url.parse::<http::Uri>() else { return false };
    let name = authority.host().unwrap_or_default();
    let ip = name.trim_matches(['[', ']']).parse::<IpAddr>();
    name == "localhost" || name.ends_with(".localhost") || ip.is_ok_and(|ip| ip.is_loopback())
}

/// Says that there is no room, if that goes without waiting.
fn turn_away(operations: &Operations, stream: &TcpStream, why: &[u8]) {
    let code = if why == FULL { "too_many_connections" } else { "too_many_connections_here" };
    operations.http.refuse(code);
    let _ = stream.try_write(why);
}

/// As what an address is counted: this machine's own is not, since a proxy may stand there, and of IPv6 a
/// household has a whole network.
fn counted(ip: IpAddr) -> Option<IpAddr> {
    match ip.to_canonical() {
        ip if ip.is_loopback() => None,
        IpAddr::V6(ip) => Some(Ipv6Addr::from_bits(ip.to_bits() & !u128::from(u64::MAX)).into()),
        ip => Some(ip),
    }
}

/// Every route behind what every request passes.
fn router(services: &Services, access: Access, limits: &Arc<Limits>, operations: &Arc<Operations>) -> Router {
    let routes = api::routes()
        .merge(session::routes())
        .merge(dialect::routes())
        .merge(mcp::routes())
        .merge(inspector::routes())
        .merge(operations::routes());
    let behind = dialect::keeping(reference::described(routes).merge(dialect::in_channels()))
        .fallback(answer::no_route)
        .method_not_allowed_fallback(answer::no_method)
        .layer(middleware::from_fn_with_state((limits.clone(), access), let_in));
    let open = match answer::cors(&services.settings.server.origins) {
        Some(cors) => behind.layer(cors),
        None => behind,
    };
    let counting = operations.clone();
    open.layer(CatchPanicLayer::custom(move |_| answer::broken(&counting)))
        .layer(middleware::from_fn_with_state(operations.clone(), around))
        .with_state(services.clone())
}

/// Counts a request, and puts on its answer what every answer has.
async fn around(State(operations): State<Arc<Operations>>, mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(operations.clone());
    let answered = |request: Request| async {
        let path = request.uri().path().to_owned();
        let mut response = dialect::reshaped(&path, next.run(request).await);
        answer::secure(response.headers_mut());
        response
    };
    observe(&operations, request, answered).await
}

/// Lets a request in, or says why not.
async fn let_in(
    State((limits, access)): State<(Arc<Limits>, Access)>,
    mut request: Request,
    next: Next,
) -> Response {
    request.extensions_mut().insert(access.clone());
    let (limits, access) = (&*limits, &access);
    let known = |request| measure(limits, request, next);
    admit(limits, request, |request| guard(access, request, known)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_to_a_connection_too_many_is_as_long_as_it_says() {
        for said in [FULL, FULL_FOR_ADDRESS] {
            let text = std::str::from_utf8(said).unwrap();
            let (head, body) = text.split_once("\r\n\r\n").unwrap();
            assert!(head.contains(&format!("content-length: {}", body.len())), "{}", body.len());
            assert!(body.starts_with("{\"error\":{\"message\"") && body.ends_with("}}"));
        }
    }

    #[test]
    fn b7_only_names_of_this_machine_need_no_key() {
        for own in ["localhost", "localhost:8080", "127.0.0.1:7420", "[::1]:7420", "Room.localhost"] {
            assert!(is_this_machine(own), "{own}");
        }
        for other in ["greenroom.example", "localhost.example", "192.0.2.7:80", "0.0.0.0", "a b"] {
            assert!(!is_this_machine(other), "{other}");
        }
    }

    #[test]
    fn b2_a_network_is_one_address_and_this_machine_is_none() {
        let counted = |ip: &str| counted(ip.parse().unwrap()).map(|ip| ip.to_string());
        for own in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(counted(own), None, "{own}");
        }
        assert_eq!(counted("192.0.2.7").as_deref(), Some("192.0.2.7"));
        assert_eq!(counted("::ffff:192.0.2.7").as_deref(), Some("192.0.2.7"));
        assert_eq!(counted("2001:db8:1:2:3:4:5:6").as_deref(), Some("2001:db8:1:2::"));
    }
}
