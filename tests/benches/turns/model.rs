//! A model that answers at once, in twenty pieces.

use std::{sync::mpsc, thread};

use tokio::{io::AsyncWriteExt, net::TcpListener, runtime::Builder};

use crate::client::message;

/// Starts one; its port.
pub fn model() -> u16 {
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
                    while let Some(asked) = message(&mut stream).await {
                        // the program asks what there is with a GET: this one does not say
                        let answer = if asked.is_empty() { UNKNOWN } else { answer.as_str() };
                        stream.write_all(answer.as_bytes()).await.unwrap();
                    }
                });
            }
        });
    });
    port.recv().unwrap()
}

const UNKNOWN: &str = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";

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
