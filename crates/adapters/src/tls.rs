//! TCP and TLS connections (rustls) for platforms with a stream protocol: IRC and XMPP.

use std::{path::Path, sync::Arc};

use rustls::{
    ClientConfig, DigitallySignedStruct, Error, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::CryptoProvider,
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};
use rustls_platform_verifier::Verifier;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

use crate::certificate;

/// A byte stream, encrypted or not.
pub(crate) trait Duplex: AsyncRead + AsyncWrite + Send + Sync + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Duplex for T {}

/// Connects to a server without encryption.
///
/// # Errors
/// The error of the system.
pub(crate) async fn plain(host: &str, port: u16) -> Result<Box<dyn Duplex>, String> {
    let tcp = TcpStream::connect((host, port)).await.map_err(|error| error.to_string())?;
    // texts are short and must be sent without delay
    let _ = tcp.set_nodelay(true);
    Ok(Box::new(tcp))
}

/// Encrypts a stream and verifies that the server is `host`. `ca_file`: certificates that are trusted in addition to
/// those of the system.
///
/// # Errors
/// The certificate is not trusted, or the file cannot be read.
pub(crate) async fn encrypted(
    stream: Box<dyn Duplex>,
    host: &str,
    ca_file: Option<&Path>,
) -> Result<Box<dyn Duplex>, String> {
    let name = ServerName::try_from(host.to_owned()).map_err(|error| error.to_string())?;
    let connector = TlsConnector::from(Arc::new(client(ca_file)?));
    let stream = connector.connect(name, stream).await;
    let stream = stream.map_err(|error| certificate::problem(&error).unwrap_or_else(|| error.to_string()))?;
    Ok(Box::new(stream))
}

/// The TLS configuration. `ca_file`: certificates that are trusted in addition to those of the system.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn client(ca_file: Option<&Path>) -> Result<ClientConfig, String> {
    let provider: Arc<CryptoProvider> = Arc::new(rustls::crypto::ring::default_provider());
    let roots: Vec<CertificateDer<'static>> = match ca_file {
        Some(path) => {
            let wrong = |error| format!("cannot read {}: {error}", path.display());
            CertificateDer::pem_file_iter(path).map_err(wrong)?.collect::<Result<_, _>>().map_err(wrong)?
        }
        None => Vec::new(),
    };
    let usual = Verifier::new_with_extra_roots(roots.clone(), provider.clone());
    let verifier = Trusted { known: roots, usual: usual.map_err(|error| error.to_string())? };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(config.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

/// Accepts the certificates of a file also as server certificates. A self-signed certificate is most often marked as
/// the certificate of an authority, and the usual verifier accepts no such certificate from a server.
#[derive(Debug)]
struct Trusted {
    known: Vec<CertificateDer<'static>>,
    usual: Verifier,
}

impl ServerCertVerifier for Trusted {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.known.iter().any(|known| known == end_entity) {
            return Ok(ServerCertVerified::assertion());
        }
        self.usual.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls12_signature(message, cert, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls13_signature(message, cert, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.usual.supported_verify_schemes()
    }
}

/// Why a connection broke. For an early end of the stream, the library's text describes its own API, so it is replaced.
pub(crate) fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => "the server broke the connection off".to_owned(),
        _ => error.to_string(),
    }
}

/// The remedy for a server that cannot be reached, with or without TLS.
pub(crate) fn unreached(tls: bool) -> &'static str {
    match tls {
        true => {
            "check `server` of the account, and the network; for a server on this machine without encryption --no-tls"
        }
        false => "check `server` of the account, and the network",
    }
}

/// Parses `irc.example:6697`, `[::1]:6667` or `irc.example` into host and port.
///
/// # Errors
/// The port is not a number.
pub(crate) fn address(server: &str, usual_port: u16) -> Result<(String, u16), String> {
    let (host, port) = match server.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest.split_once(']').ok_or_else(|| format!("`{server}` is no address"))?;
            (host, port.strip_prefix(':'))
        }
        None => server.split_once(':').map_or((server, None), |(host, port)| (host, Some(port))),
    };
    let port =
        port.map_or(Ok(usual_port), |port| port.parse().map_err(|_| format!("`{port}` is no port")))?;
    Ok((host.to_owned(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ad2_a_server_is_a_host_with_a_port() {
        assert_eq!(address("irc.example", 6697), Ok(("irc.example".into(), 6697)));
        assert_eq!(address("irc.example:7000", 6697), Ok(("irc.example".into(), 7000)));
        assert_eq!(address("[::1]:6667", 6697), Ok(("::1".into(), 6667)));
        assert_eq!(address("localhost", 6667), Ok(("localhost".into(), 6667)));
        assert!(address("a:b", 6697).is_err());
    }
}
