//! The server: listens on an address and serves the router until it is stopped.
//!
//! ```text
//! router.rs       every route behind the layers that every request passes
//! response.rs     common parts of all responses: security headers, CORS, fallbacks
//! connections.rs  accepts connections up to a limit, each in a task
//! ```

mod connections;
mod response;
mod router;

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::Router;
use greenroom_runtime::{Recovered, RuntimeError};
use greenroom_store::StoreError;
use tokio::{
    net::TcpListener,
    time::{MissedTickBehavior, interval, sleep, timeout},
};

use self::connections::Connections;
use crate::{
    Services,
    access::{Access, AllowedHosts, Keys},
    limits::Limits,
    operations::Operations,
};

/// The time for responses that have begun when the server stops.
const SHUTDOWN_TIME: Duration = Duration::from_secs(2);
/// The pause when the system has no file descriptors left.
const OUT_OF_SOCKETS: Duration = Duration::from_millis(100);
/// The interval at which limits and channels free what they no longer need.
const CLEANUP: Duration = Duration::from_secs(60);

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is in use, or is none of this machine's.
    #[error("cannot listen on {address}: {source}; choose another with --listen HOST:PORT")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// Other machines reach the address, and there is no key (X1).
    #[error(
        "{address} can be reached from other machines and there is no key; make one with `greenroom key create \
         --role operator`, or listen on 127.0.0.1"
    )]
    NoKey {
        /// The address.
        address: SocketAddr,
    },
    /// A proxy is in front of the server, and every client behind it would be the operator.
    #[error(
        "server.hosts names {host}, so clients come through a proxy, and there is no key: each of them would be the \
         operator; make a key with `greenroom key create --role operator`, or remove the name"
    )]
    NoKeyBehindProxy {
        /// A name that is not this machine's own.
        host: String,
    },
    /// The keys cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system does not tell the address of the socket.
    #[error("the server broke: {0}")]
    Broken(#[from] io::Error),
}

/// A server that listens. It answers once it runs.
pub struct Server {
    listener: TcpListener,
    router: Router,
    services: Services,
    keys: Keys,
    limits: Arc<Limits>,
    operations: Arc<Operations>,
}

impl Server {
    /// Listens at an address.
    ///
    /// # Errors
    /// [`ServeError::Listen`] if the address is not free, [`ServeError::NoKey`] and
    /// [`ServeError::NoKeyBehindProxy`] if every client would be the operator.
    pub async fn bind(address: SocketAddr, services: Services) -> Result<Self, ServeError> {
        let keys = Keys::read(services.store.clone(), services.closing.clone()).await?;
        let settings = &services.settings.server;
        if keys.live().unwrap_or(0) == 0 {
            if !address.ip().is_loopback() {
                return Err(ServeError::NoKey { address });
            }
            if let Some(host) = settings.hosts.iter().find(|host| !is_this_machine(host)) {
                return Err(ServeError::NoKeyBehindProxy { host: host.clone() });
            }
        }
        let listener =
            TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })?;
        let hosts = Arc::new(AllowedHosts::new(listener.local_addr()?, settings));
        let access = Access { keys: keys.clone(), hosts, sessions: Arc::default() };
        let operations = Arc::new(Operations::new(&services.runtime));
        let limits = Arc::new(Limits::new(settings, services.closing.clone()));
        let router = router::new(&services, access, &limits, &operations);
        Ok(Self { listener, router, services, keys, limits, operations })
    }

    /// The address it listens at.
    ///
    /// # Errors
    /// The system's.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The number of keys that are not revoked; `None` if no key was ever made, so that none is needed.
    pub fn keys(&self) -> Option<usize> {
        self.keys.live()
    }

    /// Ends the turns that a crash left unfinished, so that none is shown as running (S1). Returns the messages on chat
    /// platforms that people sent `within` this time and that crashes left unanswered. Call this before
    /// [`Server::run`].
    ///
    /// # Errors
    /// The store's.
    pub async fn recover(&self, within: Duration) -> Result<Recovered, RuntimeError> {
        self.services.chats.owned.recover(&self.services.runtime, within).await
    }

    /// Serves until `stopped`, then waits a short time for responses that have begun. After [`Services::closing`] is
    /// cancelled it refuses new requests (S10).
    pub async fn run(self, stopped: impl Future<Output = ()>) {
        let Self { listener, router, services, keys, limits, operations } = self;
        tokio::spawn(keys.follow());
        let connections = Arc::new(Connections::new(&services.settings.server, router, operations));
        let mut cleanup = interval(CLEANUP);
        cleanup.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut stopped = std::pin::pin!(stopped);
        loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, address)) => connections.accept(stream, address),
                    Err(error) => {
                        tracing::warn!(%error, "a connection could not be accepted");
                        sleep(OUT_OF_SOCKETS).await;
                    }
                },
                () = &mut stopped => break,
                _ = cleanup.tick() => {
                    limits.forget();
                    services.chats.release_idle(&services.runtime);
                }
            }
        }
        drop(listener);
        if timeout(SHUTDOWN_TIME, connections.stop()).await.is_err() {
            tracing::info!("connections that did not end in time are cut off");
        }
    }
}

/// Whether a name in the settings refers to this machine only.
fn is_this_machine(host: &str) -> bool {
    let url = format!("http://{}", host.to_ascii_lowercase());
    let Ok(authority) = url.parse::<http::Uri>() else { return false };
    let name = authority.host().unwrap_or_default();
    let ip = name.trim_matches(['[', ']']).parse::<IpAddr>();
    name == "localhost" || name.ends_with(".localhost") || ip.is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b7_only_names_of_this_machine_need_no_key() {
        for own in ["localhost", "localhost:8080", "127.0.0.1:7420", "[::1]:7420", "Room.localhost"] {
            assert!(is_this_machine(own), "{own}");
        }
        for other in ["greenroom.example", "localhost.example", "192.0.2.7:80", "0.0.0.0", "a b"] {
            assert!(!is_this_machine(other), "{other}");
        }
    }
}
