//! Listening: from an address to a router that answers, until somebody stops it.

use std::{io, net::SocketAddr, sync::Arc};

use axum::{Extension, Router, middleware};
use greenroom_store::StoreError;
use tokio::net::TcpListener;

use crate::{
    Services,
    access::{Access, Keys, Names, session},
    api,
    guard::guard,
    inspector, mcp, openai, operations, reference,
};

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
    /// The store does not say who may come in.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The listener broke.
    #[error("the server broke: {0}")]
    Broken(#[from] io::Error),
}

/// A server that listens already and answers as soon as it runs.
pub struct Server {
    listener: TcpListener,
    router: Router,
    services: Services,
    keys: Keys,
}

impl Server {
    /// Listens at an address.
    ///
    /// # Errors
    /// [`ServeError::Listen`] where that cannot be had, [`ServeError::NoKey`] where everybody could come in.
    pub async fn bind(address: SocketAddr, services: Services) -> Result<Self, ServeError> {
        let keys = Keys::read(services.store.clone()).await?;
        if !address.ip().is_loopback() && keys.live().unwrap_or(0) == 0 {
            return Err(ServeError::NoKey { address });
        }
        let listener =
            TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })?;
        let bound = listener.local_addr()?;
        let names = Arc::new(Names::new(bound, &services.settings.server));
        let access = Access { keys: keys.clone(), names };
        let routes = api::routes()
            .merge(session::routes())
            .merge(openai::routes())
            .merge(mcp::routes())
            .merge(inspector::routes())
            .merge(operations::routes());
        let router = reference::described(routes)
            .layer(Extension(access.clone()))
            .layer(middleware::from_fn_with_state(access, guard))
            .with_state(services.clone());
        Ok(Self { listener, router, services, keys })
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

    /// Answers until [`Services::closing`] is cancelled and every request is answered.
    ///
    /// # Errors
    /// [`ServeError::Broken`] where the listener breaks.
    pub async fn run(self) -> Result<(), ServeError> {
        let closing = self.services.closing.clone();
        tokio::spawn(self.keys.follow(closing.clone()));
        let stopped = async move { closing.cancelled().await };
        Ok(axum::serve(self.listener, self.router).with_graceful_shutdown(stopped).await?)
    }
}
