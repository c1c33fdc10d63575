//! The parts that the dialects share in the description of the API: headers, replies, errors.

use std::collections::BTreeMap;

use utoipa::{
    IntoParams, IntoResponses, PartialSchema,
    openapi::{ContentBuilder, HeaderBuilder, Object, RefOr, Response, ResponseBuilder, Type},
};

use super::error_shape::{AnthropicError, OllamaError};

/// The headers of a request for a reply.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[allow(dead_code, reason = "describes the headers alone")]
pub(crate) struct ReplyHeaders {
    /// The channel to send the message to
    #[param(rename = "X-Greenroom-Channel")]
    channel: Option<String>,
    /// `1`: recall no memories for this message
    #[param(rename = "X-Greenroom-No-Memory")]
    no_memory: Option<String>,
    /// In a channel: a request with a known key is a repeat, and gets the stored reply
    #[param(rename = "Idempotency-Key")]
    key: Option<String>,
}

type Responses = BTreeMap<String, RefOr<Response>>;

/// A reply in one document or as server-sent events.
pub(crate) struct EventReply;

impl IntoResponses for EventReply {
    fn responses() -> Responses {
        reply("text/event-stream")
    }
}

/// A reply in one document or as lines of JSON.
pub(crate) struct LineReply;

impl IntoResponses for LineReply {
    fn responses() -> Responses {
        reply("application/x-ndjson")
    }
}

fn reply(stream: &str) -> Responses {
    let response = ResponseBuilder::new()
        .description("The reply in one document, or as a stream, in the format of the API")
        .content("application/json", ContentBuilder::new().schema(Some(Object::new())).build())
        .content(stream, ContentBuilder::new().schema(Some(Object::with_type(Type::String))).build())
        .header("X-Greenroom-Turn", HeaderBuilder::new().description(Some("The turn of the reply")).build());
    BTreeMap::from([("200".to_owned(), response.build().into())])
}

/// The error responses of Anthropic's API.
pub(crate) struct AnthropicFailures;

impl IntoResponses for AnthropicFailures {
    fn responses() -> Responses {
        failures::<AnthropicError>()
    }
}

/// The error responses of Ollama's API.
pub(crate) struct OllamaFailures;

impl IntoResponses for OllamaFailures {
    fn responses() -> Responses {
        failures::<OllamaError>()
    }
}

fn failures<E: PartialSchema>() -> Responses {
    let failure = |status: &str| {
        let body = ContentBuilder::new().schema(Some(E::schema())).build();
        let response = ResponseBuilder::new().description("The error").content("application/json", body);
        (status.to_owned(), response.build().into())
    };
    BTreeMap::from(["4XX", "5XX"].map(failure))
}
