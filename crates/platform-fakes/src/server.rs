//! A listener on 127.0.0.1 that tests can kill, restart at the same port, and disconnect from its clients.

use std::{
    io,
    sync::{Mutex, MutexGuard, PoisonError},
};

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// A token that ends the connection of a request. Every request has it as an extension.
#[derive(Clone)]
pub(crate) struct Connection(pub CancellationToken);

/// The server's socket and connections.
pub(crate) struct Server {
    port: u16,
    running: Mutex<Option<Running>>,
}

struct Running {
    accepting: JoinHandle<()>,
    connections: CancellationToken,
}

impl Server {
    /// Listens on `port` of 127.0.0.1, or on a free port for 0.
    pub(crate) async fn bind(port: u16) -> io::Result<(Self, TcpListener)> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let port = listener.local_addr()?.port();
        Ok((Self { port, running: Mutex::new(None) }, listener))
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Serves `router` until the server is killed.
    pub(crate) fn run(&self, listener: TcpListener, router: Router) {
        let connections = CancellationToken::new();
        let accepting = tokio::spawn(accept(listener, router, connections.clone()));
        *self.running() = Some(Running { accepting, connections });
    }

    /// Closes the port and breaks every connection abruptly.
    pub(crate) async fn kill(&self) {
        let running = self.running().take();
        if let Some(running) = running {
            running.accepting.abort();
            running.connections.cancel();
            // the port is closed when the task has ended, also if the abort ended it
            let _ = running.accepting.await;
        }
    }

    /// Breaks every connection. New connections are accepted.
    pub(crate) async fn drop_connections(&self, router: Router) -> io::Result<()> {
        self.kill().await;
        self.restart(router).await
    }

    /// Listens again at the same port.
    pub(crate) async fn restart(&self, router: Router) -> io::Result<()> {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await?;
        self.run(listener, router);
        Ok(())
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(running) = self.running().take() {
            running.accepting.abort();
            running.connections.cancel();
        }
    }
}

async fn accept(listener: TcpListener, router: Router, connections: CancellationToken) {
    loop {
        // an error means that the client gave up its connection before it was accepted
        let Ok((stream, _)) = listener.accept().await else { continue };
        let _ = stream.set_nodelay(true);
        let ended = connections.child_token();
        let service = TowerToHyperService::new(router.clone().layer(Extension(Connection(ended.clone()))));
        tokio::spawn(async move {
            let serving =
                http1::Builder::new().serve_connection(TokioIo::new(stream), service).with_upgrades();
            tokio::select! {
                _ = serving => {}
                () = ended.cancelled() => {}
            }
        });
    }
}
