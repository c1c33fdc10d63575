//! Embeddings over HTTP: unit vectors in order, or a typed error (L18).

use greenroom_models::{EmbedError, Embedder, OpenAiEmbedder};
use greenroom_tests::embedding;
use serde_json::{Value, json};

use super::*;

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("text number {n}")).collect()
}

#[tokio::test]
async fn l18_texts_become_unit_vectors_in_order_in_batches() {
    let mock = MockEndpoint::start();
    let embedder = OpenAiEmbedder::connect(endpoint(&mock), "mock-embed").await.unwrap();
    assert_eq!((embedder.model(), embedder.dimension()), ("mock-embed", embedding("x").len()));
    let texts = texts(130);
    let vectors = embedder.embed(&texts).await.unwrap();
    for (text, vector) in texts.iter().zip(&vectors) {
        let same: f32 = vector.iter().zip(embedding(text)).map(|(a, b)| a * b).sum();
        assert!((same - 1.0).abs() < 1e-5, "{text}");
    }
    let sizes: Vec<_> =
        mock.embeddings().iter().map(|body| body["input"].as_array().map_or(0, Vec::len)).collect();
    assert_eq!(sizes, [1, 64, 64, 2]);
}

#[tokio::test]
async fn l18_a_blank_text_is_not_sent_and_has_a_zero_vector() {
    let mock = MockEndpoint::start();
    let embedder = OpenAiEmbedder::new(endpoint(&mock), "mock-embed", embedding("x").len());
    let vectors = embedder.embed(&[" ".into(), "tea".into(), String::new()]).await.unwrap();
    let blank: Vec<_> = vectors.iter().map(|vector| vector.iter().all(|x| *x == 0.0)).collect();
    assert_eq!(blank, [true, false, true]);
    assert_eq!(mock.embeddings()[0]["input"], json!(["tea"]));
}

/// The error of a two-dimensional embedder for one answer to two texts.
async fn answered(answer: Answer) -> EmbedError {
    let mock = MockEndpoint::start();
    mock.push_embeddings(answer);
    let embedder = OpenAiEmbedder::new(endpoint(&mock), "mock-embed", 2);
    let error = embedder.embed(&texts(2)).await.unwrap_err();
    assert_eq!(mock.requests().len(), 1, "one call is one request");
    error
}

fn list(vectors: &[Value]) -> Answer {
    let items: Vec<_> = vectors.iter().map(|vector| json!({ "embedding": vector })).collect();
    Answer::json(&json!({ "data": items }))
}

#[tokio::test]
async fn l18_nothing_unusable_passes() {
    let good = json!([0.6, 0.8]);
    let nan = r#"{"data": [{"embedding": [NaN, 1]}, {"embedding": [1, 0]}]}"#;
    for (answer, says) in [
        (list(std::slice::from_ref(&good)), "1 vectors for 2 texts"),
        (list(&[good.clone(), good.clone(), good.clone()]), "3 vectors for 2 texts"),
        (list(&[good.clone(), json!([1.0, 0.0, 0.0])]), "3 numbers, not 2"),
        (list(&[good.clone(), json!([])]), "0 numbers, not 2"),
        (list(&[good.clone(), json!([null, 1.0])]), "no finite number"),
        (Answer::status(200).body(nan, "application/json"), "no JSON"),
        (Answer::json(&json!({ "ok": true })), "no `data`"),
    ] {
        match answered(answer).await {
            EmbedError::BadAnswer { reason, .. } => assert!(reason.contains(says), "{reason}"),
            other => panic!("{says}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn l18_a_failing_endpoint_is_named_with_its_reason() {
    let error = answered(Answer::error(500, "out of memory")).await;
    assert!(matches!(error, EmbedError::Endpoint { .. }), "{error:?}");
    assert!(error.to_string().contains("out of memory"), "{error}");
}

#[tokio::test]
async fn l18_a_list_that_is_empty_from_the_start_is_no_dimension() {
    let mock = MockEndpoint::start();
    mock.push_embeddings(list(&[json!([])]));
    let error = OpenAiEmbedder::connect(endpoint(&mock), "mock-embed").await.unwrap_err();
    assert!(matches!(error, EmbedError::BadAnswer { .. }), "{error:?}");
}
