//! The stream to a server, encrypted or not.

use std::{path::Path, sync::Arc, time::Duration};

use rustls::{
    ClientConfig,
    crypto::CryptoProvider,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use rustls_platform_verifier::Verifier;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, ReadHalf, WriteHalf},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;

/// The time for a connection to be made.
const DIAL_TIME: Duration = Duration::from_secs(20);
/// The longest line with its tags, in bytes: what is longer is cut.
const LONGEST_LINE: usize = 16 * 1024;

trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// Lines from and to a server.
pub(super) struct Stream {
    reader: BufReader<ReadHalf<Box<dyn Duplex>>>,
    writer: WriteHalf<Box<dyn Duplex>>,
    /// What was read of the next line.
    partial: Vec<u8>,
}

impl Stream {
    /// Connects to `host:port`.
    ///
    /// # Errors
    /// What failed, with the server's name.
    pub(super) async fn dial(server: &str, tls: bool, ca_file: Option<&Path>) -> Result<Self, String> {
        let (host, port) = address(server, tls)?;
        let dialled = timeout(DIAL_TIME, async {
            let tcp = TcpStream::connect((host.as_str(), port)).await.map_err(|error| error.to_string())?;
            // lines are short, and each one is to be seen at once
            let _ = tcp.set_nodelay(true);
            let stream: Box<dyn Duplex> = if tls {
                let name = ServerName::try_from(host.clone()).map_err(|error| error.to_string())?;
                let connector = TlsConnector::from(Arc::new(client(ca_file)?));
                Box::new(connector.connect(name, tcp).await.map_err(|error| error.to_string())?)
            } else {
                Box::new(tcp)
            };
            Ok::<_, String>(stream)
        });
        let stream = dialled
            .await
            .unwrap_or_else(|_| Err("it does not answer".into()))
            .map_err(|error| format!("cannot connect to {host}:{port}: {error}"))?;
        let (reader, writer) = tokio::io::split(stream);
        Ok(Self { reader: BufReader::new(reader), writer, partial: Vec::new() })
    }

    /// The next line, without its end; `None` when the server has closed the connection. May be cancelled.
    ///
    /// # Errors
    /// The system's.
    pub(super) async fn line(&mut self) -> Result<Option<String>, String> {
        loop {
            let ended = {
                let read = self.reader.fill_buf().await.map_err(|error| error.to_string())?;
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

    /// Sends a line. What could begin another line is left out.
    ///
    /// # Errors
    /// The system's.
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

/// `irc.example:6697`, `[::1]:6667`, `irc.example`.
fn address(server: &str, tls: bool) -> Result<(String, u16), String> {
    let usual = if tls { 6697 } else { 6667 };
    let (host, port) = match server.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest.split_once(']').ok_or_else(|| format!("`{server}` is no address"))?;
            (host, port.strip_prefix(':'))
        }
        None => server.split_once(':').map_or((server, None), |(host, port)| (host, Some(port))),
    };
    let port = port.map_or(Ok(usual), |port| port.parse().map_err(|_| format!("`{port}` is no port")))?;
    Ok((host.to_owned(), port))
}

fn client(ca_file: Option<&Path>) -> Result<ClientConfig, String> {
    let provider: Arc<CryptoProvider> = Arc::new(rustls::crypto::ring::default_provider());
    let roots: Vec<CertificateDer<'static>> = match ca_file {
        Some(path) => {
            let wrong = |error| format!("cannot read {}: {error}", path.display());
            CertificateDer::pem_file_iter(path).map_err(wrong)?.collect::<Result<_, _>>().map_err(wrong)?
        }
        None => Vec::new(),
    };
    let verifier =
        Verifier::new_with_extra_roots(roots, provider.clone()).map_err(|error| error.to_string())?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(config.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ad2_a_server_is_a_host_with_a_port() {
        assert_eq!(address("irc.example", true), Ok(("irc.example".into(), 6697)));
        assert_eq!(address("irc.example:7000", true), Ok(("irc.example".into(), 7000)));
        assert_eq!(address("[::1]:6667", false), Ok(("::1".into(), 6667)));
        assert_eq!(address("localhost", false), Ok(("localhost".into(), 6667)));
        assert!(address("a:b", true).is_err());
    }
}
