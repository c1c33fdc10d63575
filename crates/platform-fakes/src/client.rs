//! HTTP calls of a platform to the bot: webhooks and the Events API.

use http_body_util::Full;
use hyper::{Request, body::Bytes, client::conn::http1, header};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// POSTs JSON to an `http://` address. Returns the status, or `None` without an answer.
pub(crate) async fn post(url: &str, headers: &[(&str, String)], body: String) -> Option<u16> {
    let rest = url.strip_prefix("http://")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let stream = TcpStream::connect(host).await.ok()?;
    let (mut client, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
    let driving = tokio::spawn(connection);
    let mut request = Request::post(format!("/{path}"))
        .header(header::HOST, host)
        .header(header::CONTENT_TYPE, "application/json");
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    let request = request.body(Full::new(Bytes::from(body))).ok()?;
    let status = client.send_request(request).await.ok().map(|response| response.status().as_u16());
    driving.abort();
    status
}
