//! What a turn over HTTP costs: 64 conversations of one persona with 1,000 memories and about 20 messages
//! of history each, against a model that answers at once.
//!
//! ```text
//! cargo bench --workspace --bench turns
//! ```
//! Prints turns a second, latencies, and the CPU time of the server alone for a turn. The client, the model
//! and the server share the machine, so the turns a second are those of all three together.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::{
    process::{Child, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use greenroom_tests::{Home, cpu_seconds, greenroom, listening, resident_kib};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::Builder,
};

const CONVERSATIONS: usize = 64;
/// Turns of a conversation before it is measured, and those that are: two messages each, so that there
/// are 20 messages of history on average. Then others begin.
const BEFORE: usize = 7;
const MEASURED: usize = 6;
const ROUNDS: usize = 8;
const MEMORIES: usize = 1_000;

fn main() {
    let model = model();
    let home = Home::new();
    let mut server = serve(&home, model);
    let address = listening(&mut server);
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let (mut took, mut elapsed, mut cpu) = (Vec::new(), 0.0, 0.0);
    for round in 0..ROUNDS {
        runtime.block_on(talk(&address, round, BEFORE));
        let (before, begun) = (cpu_seconds(server.id()), Instant::now());
        took.extend(runtime.block_on(talk(&address, round, MEASURED)));
        elapsed += begun.elapsed().as_secs_f64();
        cpu += cpu_seconds(server.id()) - before;
    }
    took.sort();
    let turns = took.len() as f64;
    let at = |share: f64| took[((turns - 1.0) * share) as usize].as_secs_f64() * 1e3;
    println!("turns            {}", took.len());
    println!("turns a second   {:.0}", turns / elapsed);
    println!("server CPU       {:.3} ms a turn", cpu / turns * 1e3);
    println!(
        "latency          p50 {:.1} ms, p99 {:.1} ms, ratio {:.1}",
        at(0.5),
        at(0.99),
        at(0.99) / at(0.5)
    );
    println!("server memory    {} MB", resident_kib(server.id()) / 1024);
    server.kill().unwrap();
    server.wait().unwrap();
}

/// A server in `home` whose persona knows [`MEMORIES`] statements.
fn serve(home: &Home, model: u16) -> Child {
    home.write(
        "greenroom.toml",
        &format!("[model]\nbase_url = \"http://127.0.0.1:{model}/v1\"\nname = \"gpt-4o-mini\"\n[limits]\ntokens_per_hour = 0\n"),
    );
    home.write("personas/ada.md", "---\nname: ada\n---\nYou are Ada, a patient systems engineer.");
    let lines: String = (1..=MEMORIES).map(memory).collect();
    let file = home.write("memories.jsonl", &lines);
    let imported = home.command(greenroom()).args(["memory", "import"]).arg(file).output().unwrap();
    assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
    home.command(greenroom())
        .args(["serve", "--listen", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// One line of an export: a statement about a thing nobody asks for.
fn memory(n: usize) -> String {
    let text =
        format!("the {} of rack {n} was replaced in {}", ["fan", "disk", "board"][n % 3], 1990 + n % 35);
    format!(
        "{{\"id\":\"m{n}\",\"persona\":\"ada\",\"scope\":\"global\",\"text\":\"{text}\",\"kind\":\"fact\",\"tier\":\"semantic\",\
         \"source\":{{\"via\":\"cli\"}},\"trust\":\"operator\",\"version\":1,\"created_at\":1790000000000000,\
         \"updated_at\":1790000000000000}}\n"
    )
}

/// Every conversation says so many things, one after the other; how long each answer took.
async fn talk(address: &str, round: usize, turns: usize) -> Vec<Duration> {
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

/// A model on a port of its own: every request is answered at once with twenty pieces.
fn model() -> u16 {
    let (port_in, port) = mpsc::channel();
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            port_in.send(listener.local_addr().unwrap().port()).unwrap();
            let answer = answer();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                stream.set_nodelay(true).unwrap();
                let answer = answer.clone();
                tokio::spawn(async move {
                    while message(&mut stream).await.is_some() {
                        stream.write_all(answer.as_bytes()).await.unwrap();
                    }
                });
            }
        });
    });
    port.recv().unwrap()
}

fn answer() -> String {
    let delta = |text: &str| {
        format!(
            "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{{\"index\":0,\
             \"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":null}}]}}\n\n"
        )
    };
    let mut body: String = (0..20).map(|n| delta(&format!("word{n} "))).collect();
    body += "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\
             \"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":900,\"completion_tokens\":40,\"total_tokens\":940}}\n\n\
             data: [DONE]\n\n";
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {length}\r\n\r\n{body}")
}

/// The body of the next message of a connection, by its length; nothing when the other end is done.
async fn message(stream: &mut TcpStream) -> Option<Vec<u8>> {
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
