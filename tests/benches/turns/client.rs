//! Those who talk: many conversations side by side, over HTTP as bare as it can be.

use std::{
    cell::{Cell, RefCell},
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::sleep,
};

const CONVERSATIONS: usize = 64;
/// Turns of a conversation, two messages each, so that there are 19 messages of history on average.
/// Then another begins in its place.
const TURNS: usize = 20;

/// Talks to one server, whenever it is its turn.
#[derive(Default)]
pub struct Client {
    conversations: Cell<usize>,
    phase: Cell<Phase>,
    took: RefCell<Vec<Duration>>,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Phase {
    #[default]
    WarmingUp,
    Counting,
    Over,
}

impl Client {
    /// Keeps [`CONVERSATIONS`] going, and counts the turns that end within `window` after a while of
    /// `warm_up`: how long each took. `edge` is called at both ends of the window.
    pub async fn talk(
        &self,
        address: &str,
        warm_up: Duration,
        window: Duration,
        mut edge: impl FnMut(),
    ) -> Vec<Duration> {
        self.phase.set(Phase::WarmingUp);
        let clock = async {
            sleep(warm_up).await;
            edge();
            self.phase.set(Phase::Counting);
            sleep(window).await;
            self.phase.set(Phase::Over);
            edge();
        };
        // of all lengths at first, so that they do not end and begin anew all at once
        let places = (0..CONVERSATIONS).map(|place| self.place(address, 1 + place % TURNS));
        futures::future::join(clock, futures::future::join_all(places)).await;
        self.took.take()
    }

    /// One conversation after the other.
    async fn place(&self, address: &str, first: usize) {
        let mut turns = first;
        while self.phase.get() != Phase::Over {
            let conversation = self.conversations.replace(self.conversations.get() + 1);
            self.converse(address, conversation, turns).await;
            turns = TURNS;
        }
    }

    /// Says so many things, one after the other.
    async fn converse(&self, address: &str, conversation: usize, turns: usize) {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        for n in 0..turns {
            if self.phase.get() == Phase::Over {
                return;
            }
            let body = format!(
                "{{\"text\":\"What do we know about rack {} and its disk?\",\"persona\":\"ada\"}}",
                conversation + n
            );
            let request = format!(
                "POST /api/channels/api:c{conversation}/messages HTTP/1.1\r\nhost: {address}\r\n\
                 content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            let begun = Instant::now();
            stream.write_all(request.as_bytes()).await.unwrap();
            let answer = message(&mut stream).await.expect("an answer");
            if self.phase.get() == Phase::Counting {
                self.took.borrow_mut().push(begun.elapsed());
            }
            let text = String::from_utf8_lossy(&answer);
            assert!(text.contains("\"state\":\"done\""), "{text}");
        }
    }
}

/// The body of the next message of a connection, by its length; nothing when the other end is done.
pub async fn message(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut read = Vec::with_capacity(16 * 1024);
    loop {
        if let Some(head) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            let text = String::from_utf8_lossy(&read[..head]).to_lowercase();
            // a GET has none
            let length =
                text.split("content-length:").nth(1).and_then(|rest| rest.lines().next()).unwrap_or("0");
            let length: usize = length.trim().parse().unwrap();
            if read.len() >= head + 4 + length {
                return Some(read.split_off(head + 4));
            }
        }
        if stream.read_buf(&mut read).await.ok()? == 0 {
            return None;
        }
    }
}
