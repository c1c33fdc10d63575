//! WebSocket connections to platforms: over TLS, or without TLS on this machine.

use std::{sync::Arc, time::Duration};

use rustls::{ClientConfig, pki_types::ServerName};
use rustls_platform_verifier::ConfigVerifierExt;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{client::IntoClientRequest, protocol::WebSocketConfig},
};

/// The time limit for connecting.
const CONNECT: Duration = Duration::from_secs(15);
/// The longest message in bytes: a Discord guild with many members.
const LONGEST: usize = 64 << 20;

/// A stream of bytes.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Sync + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Sync + Unpin> Stream for S {}

/// A connection.
pub(crate) type Socket = WebSocketStream<Box<dyn Stream>>;

/// Connects to a `ws:` or `wss:` address.
///
/// # Errors
/// The reason in one line. It contains no address, because an address may contain a ticket.
pub(crate) async fn connect(url: &str) -> Result<Socket, String> {
    match timeout(CONNECT, open(url)).await {
        Ok(opened) => opened,
        Err(_) => Err("the platform did not answer in time".to_owned()),
    }
}

async fn open(url: &str) -> Result<Socket, String> {
    let request = url.into_client_request().map_err(|error| error.to_string())?;
    let secure = request.uri().scheme_str() == Some("wss");
    let host = request.uri().host().ok_or("the platform gave an address without a host")?.to_owned();
    let port = request.uri().port_u16().unwrap_or(if secure { 443 } else { 80 });
    let stream = TcpStream::connect((host.as_str(), port)).await.map_err(|error| error.to_string())?;
    // frames are small and must be sent without delay
    let _ = stream.set_nodelay(true);
    let stream: Box<dyn Stream> = if secure {
        let name = ServerName::try_from(host).map_err(|error| error.to_string())?;
        let tls = connector()?.connect(name, stream).await.map_err(|error| error.to_string())?;
        Box::new(tls)
    } else {
        Box::new(stream)
    };
    let config = WebSocketConfig::default().max_message_size(Some(LONGEST)).max_frame_size(Some(LONGEST));
    let connected = client_async_with_config(request, stream, Some(config)).await;
    connected.map(|(socket, _)| socket).map_err(|error| error.to_string())
}

fn connector() -> Result<TlsConnector, String> {
    // an error means that a provider is already installed
    let _ = rustls::crypto::ring::default_provider().install_default();
    let config = ClientConfig::with_platform_verifier().map_err(|error| error.to_string())?;
    Ok(TlsConnector::from(Arc::new(config)))
}
