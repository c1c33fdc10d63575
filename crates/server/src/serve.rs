//! Listening: from an address to a router that answers, until somebody stops it.

use std::{io, net::SocketAddr};

use axum::{Router, middleware};
use tokio::net::TcpListener;

use crate::{Services, api, guard::guard, inspector, mcp, openai, operations, reference};

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
    /// The listener broke.
    #[error("the server broke: {0}")]
    Broken(#[from] io::Error),
}

/// A server that listens already and answers as soon as it runs.
pub struct Server {
    listener: TcpListener,
    router: Router,
    services: Services,
}

impl Server {
    /// Listens at an address.
    ///
    /// # Errors
    /// [`ServeError::Listen`] where that cannot be had.
    pub async fn bind(address: SocketAddr, services: Services) -> Result<Self, ServeError> {
        let listener =
            TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })?;
        let routes = api::routes()
            .merge(openai::routes())
            .merge(mcp::routes())
            .merge(inspector::routes())
            .merge(operations::routes());
        let router = reference::described(routes)
            .layer(middleware::from_fn_with_state(services.clone(), guard))
            .with_state(services.clone());
        Ok(Self { listener, router, services })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// What the system says.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until [`Services::closing`] is cancelled and every request is answered.
    ///
    /// # Errors
    /// [`ServeError::Broken`] where the listener breaks.
    pub async fn run(self) -> Result<(), ServeError> {
        let closing = self.services.closing.clone();
        let stopped = async move { closing.cancelled().await };
        Ok(axum::serve(self.listener, self.router).with_graceful_shutdown(stopped).await?)
    }
}
