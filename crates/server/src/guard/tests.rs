//! A key is revoked during an endless stream over a real socket.

use std::{
    convert::Infallible,
    io::{Read, Write},
    net::TcpStream,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    middleware::{self, Next},
    routing::get,
};
use futures::{StreamExt, future, stream};
use greenroom_core::Timestamp;
use greenroom_store::{NewKey, Role, prelude::*};
use greenroom_store_sqlite::SqliteStore;
use tokio::{net::TcpListener, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::access::{AllowedHosts, Keys};

/// A response that begins and never ends.
async fn endless() -> Body {
    let first = stream::once(future::ready(Ok::<_, Infallible>(Bytes::from_static(b"begun"))));
    Body::from_stream(first.chain(stream::pending()))
}

/// A handler that never responds.
async fn silent() -> &'static str {
    future::pending().await
}

async fn guarded(State(access): State<Access>, request: Request, next: Next) -> Response {
    guard(&access, request, |request| next.run(request)).await
}

#[tokio::test]
async fn x1_revocation_in_another_process_ends_every_answer_within_a_second() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("greenroom.db");
    let (ours, theirs) = (SqliteStore::open(&file).await.unwrap(), SqliteStore::open(&file).await.unwrap());
    let key = Key::new().unwrap();
    let label = String::new();
    let user = "ann".parse().unwrap();
    let new = NewKey { label, role: Role::User, user, hash: key.hash(), at: Timestamp(1) };
    let id = theirs.add_key(new).await.unwrap().id;

    let closing = CancellationToken::new();
    let keys = Keys::read(Arc::new(ours), closing.clone()).await.unwrap();
    tokio::spawn(keys.clone().follow());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let hosts = Arc::new(AllowedHosts::new(address, &Default::default()));
    let router = Router::new()
        .route("/endless", get(endless))
        .route("/silent", get(silent))
        .layer(middleware::from_fn_with_state(Access { keys, hosts, sessions: Arc::default() }, guarded));
    tokio::spawn(async move { axum::serve(listener, router).await });

    let ask = |path: &str| {
        let mut socket = TcpStream::connect(address).unwrap();
        let key = key.expose();
        write!(socket, "GET {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {key}\r\n\r\n")
            .unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        socket
    };
    let (mut endless, mut silent) = (ask("/endless"), ask("/silent"));
    let endless = spawn_blocking(move || {
        let mut text = Vec::new();
        while !text.ends_with(b"begun\r\n") {
            let mut byte = [0];
            endless.read_exact(&mut byte).unwrap();
            text.extend(byte);
        }
        (endless, String::from_utf8(text).unwrap())
    });
    let (mut endless, begun) = endless.await.unwrap();
    assert!(begun.starts_with("HTTP/1.1 200"), "{begun}");

    let revoked = Instant::now();
    theirs.revoke_key(id, Timestamp(2)).await.unwrap();
    let rest = spawn_blocking(move || {
        let mut rest = Vec::new();
        // the response breaks off; a connection reset is a valid end too
        let _ = endless.read_to_end(&mut rest);
        (rest, revoked.elapsed())
    });
    let (rest, after) = rest.await.unwrap();
    assert!(after < Duration::from_secs(1), "{after:?}");
    assert!(!rest.ends_with(b"0\r\n\r\n"), "a part is not taken for the whole");
    let refused = spawn_blocking(move || {
        let mut head = [0; 12];
        silent.read_exact(&mut head).unwrap();
        head
    });
    assert_eq!(&refused.await.unwrap(), b"HTTP/1.1 401");
    closing.cancel();
}
