//! Listing the models of an endpoint, as the search for a server on loopback does.

use greenroom_models::list_models;
use serde_json::json;

use super::*;

#[tokio::test]
async fn the_models_of_an_endpoint_are_listed_in_its_order() {
    let mock = MockEndpoint::start();
    mock.push_models(Answer::json(&json!({ "data": [{ "id": "b" }, { "id": "a" }] })));
    let listed = async || {
        let models = list_models(&endpoint(&mock), ms(5000)).await.unwrap();
        models.into_iter().map(|model| model.id).collect::<Vec<_>>()
    };
    assert_eq!(listed().await, ["b", "a"]);
    assert_eq!(listed().await, ["mock"]);
}

#[tokio::test]
async fn another_program_at_the_port_is_no_endpoint() {
    let mock = MockEndpoint::start();
    mock.push_models(Answer::status(200).body("<html>hello</html>", "text/html"));
    let error = list_models(&endpoint(&mock), ms(5000)).await.unwrap_err();
    assert!(matches!(error, ModelError::Broken { .. }), "{error:?}");
    mock.push_models(Answer::status(404));
    let error = list_models(&endpoint(&mock), ms(5000)).await.unwrap_err();
    assert!(matches!(error, ModelError::Rejected { status: 404, .. }), "{error:?}");
}

#[tokio::test]
async fn l4_a_probe_ends_with_its_limit() {
    let mock = MockEndpoint::start();
    mock.push_models(Answer::stall());
    let error = list_models(&endpoint(&mock), ms(50)).await.unwrap_err();
    assert!(matches!(error, ModelError::Timeout { .. }), "{error:?}");
}
