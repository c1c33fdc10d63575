//! X5: a key never reaches an error or a log, whatever the endpoint does with it.

use std::{
    io::Write,
    sync::{Arc, Mutex},
};

use greenroom_models::{Embedder, OpenAiEmbedder, list_models};
use serde_json::json;

use super::*;

const KEY: &str = "sk-canary-0123456789";

/// A log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn x5_a_key_the_endpoint_echoes_reaches_no_error_and_no_log() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let _logging = tracing::subscriber::set_default(subscriber);

    let mock = MockEndpoint::start();
    let endpoint = Endpoint::new(&mock.base_url(), Some(KEY), Timeouts::default()).unwrap();
    let echo = format!("Incorrect API key provided: {KEY}, {KEY}.");
    let mut errors = vec![format!("{endpoint:?}")];

    let model = OpenAiModel::new(endpoint.clone());
    let long = format!("{}{echo}", "x".repeat(295));
    for answer in [
        Answer::error(401, &echo),
        Answer::error(400, &long),
        Answer::status(500).body(echo.clone(), "text/plain"),
        Answer::status(400).body(echo.clone(), "application/json"),
        Answer::text("so far").chunk_after(1, json!({ "error": { "message": echo } })),
        Answer::text("so far").raw_after(1, format!("data: {{\"key\": {KEY}\n\n")),
        Answer::status(200).body(format!("{{\"key\": {KEY}"), "application/json"),
    ] {
        mock.push(answer);
        let error = run(&model, ask("hi")).await.unwrap_err();
        errors.push(format!("{error} {error:?}"));
    }
    let embedder = OpenAiEmbedder::new(endpoint.clone(), "m", 2);
    for answer in [Answer::error(401, &echo), Answer::status(200).body(echo.clone(), "application/json")] {
        mock.push_embeddings(answer);
        let error = embedder.embed(&["x".into()]).await.unwrap_err();
        errors.push(format!("{error} {error:?}"));
    }
    mock.push_models(Answer::error(403, &echo));
    errors.push(list_models(&endpoint, ms(5000)).await.unwrap_err().to_string());

    let said = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(said.contains("127.0.0.1"), "the log is not heard");
    for text in errors.iter().map(String::as_str).chain([said.as_str()]) {
        assert!(!text.contains("canary"), "{text}");
    }
}
