//! What somebody costs who listens and hears nothing: the memory of the server for each of 10,000
//! event streams, each of a channel of its own, and its CPU while two heartbeats go out on each.
//! For `cargo bench --workspace --bench idle`; the target is below 50 KiB each and no CPU to speak of.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::{
    process::{Child, Stdio},
    thread::sleep,
    time::Duration,
};

use greenroom_tests::{Home, MockEndpoint, Stderr, cpu_seconds, greenroom, resident_kib};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    runtime::Builder,
};

const LISTENERS: usize = 10_000;
/// So many connect at a time.
const AT_ONCE: usize = 50;
/// Files that are open beside the connections.
const OTHER_FILES: u64 = 100;
/// Two heartbeats of each.
const MEASURED: Duration = Duration::from_secs(30);

fn main() {
    let listeners = allowed();
    let (home, endpoint) = (Home::new(), MockEndpoint::start());
    let mut server = serve(&home, &endpoint);
    let address = Stderr::of(&mut server).listening();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    // what the first turn and the first listeners load counts for nobody
    runtime.block_on(said(&address));
    let _first = runtime.block_on(listen(&address, 0..AT_ONCE));
    sleep(Duration::from_secs(2));
    let before = resident_kib(server.id());
    let _all = runtime.block_on(listen(&address, AT_ONCE..AT_ONCE + listeners));
    let after = resident_kib(server.id());
    let cpu = cpu_seconds(server.id());
    sleep(MEASURED);
    let cpu = cpu_seconds(server.id()) - cpu;
    println!("listeners        {listeners}");
    println!("memory           {:.1} KiB each", (after - before) as f64 / listeners as f64);
    println!("server memory    {} MB before, {} MB with them", before / 1024, after / 1024);
    println!("server CPU       {cpu:.2} s in {MEASURED:?}, two heartbeats each");
    server.kill().unwrap();
    server.wait().unwrap();
}

/// How many listeners the limit of open files allows, after it was raised as far as it goes.
fn allowed() -> usize {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard).unwrap();
    let listeners = LISTENERS.min(hard.saturating_sub(OTHER_FILES) as usize);
    if listeners < LISTENERS {
        println!(
            "this system opens {hard} files for a process; raise its limit (ulimit -Hn) for 10,000 listeners"
        );
    }
    listeners
}

fn serve(home: &Home, endpoint: &MockEndpoint) -> Child {
    home.write("personas/ada.md", "---\nname: ada\n---\nYou are Ada.");
    home.command(greenroom())
        .args(["serve", "--listen", "127.0.0.1:0", "--base-url", &endpoint.base_url(), "--model", "mock"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// One turn.
async fn said(address: &str) {
    let body = r#"{"text":"Hello","persona":"ada"}"#;
    let request = format!(
        "POST /api/channels/api:first/messages HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.contains("\"state\":\"done\""), "{answer}");
}

/// Somebody listens to each of these channels.
async fn listen(address: &str, channels: std::ops::Range<usize>) -> Vec<TcpStream> {
    let mut listeners = Vec::with_capacity(channels.len());
    let channels: Vec<usize> = channels.collect();
    for some in channels.chunks(AT_ONCE) {
        listeners.extend(futures::future::join_all(some.iter().map(|n| listener(address, *n))).await);
    }
    listeners
}

/// A listener whose stream has begun.
async fn listener(address: &str, channel: usize) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "GET /api/channels/api:n{channel}/events HTTP/1.1\r\nhost: {address}\r\naccept: text/event-stream\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
        assert!(stream.read_buf(&mut head).await.unwrap() > 0, "the server hangs up");
    }
    assert!(head.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&head));
    stream
}
