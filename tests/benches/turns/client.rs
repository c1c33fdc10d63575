//! Those who talk: many conversations side by side, over HTTP as bare as it can be.

use std::time::{Duration, Instant};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const CONVERSATIONS: usize = 64;

/// Every conversation says so many things, one after the other; how long each answer took.
pub async fn talk(address: &str, round: usize, turns: usize) -> Vec<Duration> {
    let first = round * CONVERSATIONS;
    let conversations = (first..first + CONVERSATIONS).map(|n| converse(address.to_owned(), n, turns));
    futures::future::join_all(conversations).await.into_iter().flatten().collect()
}

async fn converse(address: String, conversation: usize, turns: usize) -> Vec<Duration> {
    let mut stream = TcpStream::connect(&address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let mut took = Vec::with_capacity(turns);
    for n in 0..turns {
        let body = format!(
            "{{\"text\":\"What do we know about rack {} and its disk?\",\"persona\":\"ada\"}}",
            conversation + n
        );
        let request = format!(
            "POST /api/channels/api:c{conversation}/messages HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        let begun = Instant::now();
        stream.write_all(request.as_bytes()).await.unwrap();
        let answer = message(&mut stream).await.expect("an answer");
        took.push(begun.elapsed());
        let text = String::from_utf8_lossy(&answer);
        assert!(text.contains("\"state\":\"done\""), "{text}");
    }
    took
}

/// The body of the next message of a connection, by its length; nothing when the other end is done.
pub async fn message(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut read = Vec::with_capacity(16 * 1024);
    loop {
        if let Some(head) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            let text = String::from_utf8_lossy(&read[..head]).to_lowercase();
            let length = text.split("content-length:").nth(1).expect("a length");
            let length: usize = length.lines().next().unwrap().trim().parse().unwrap();
            if read.len() >= head + 4 + length {
                return Some(read.split_off(head + 4));
            }
        }
        if stream.read_buf(&mut read).await.ok()? == 0 {
            return None;
        }
    }
}
