//! The description of the API, generated from the code: `/openapi.json`, and a page to try it at `/docs`.

mod page;

use std::collections::BTreeMap;

use axum::{Json, Router, routing::get};
use utoipa::{
    IntoResponses, Modify, OpenApi,
    openapi::{
        ContentBuilder, Ref, RefOr, Response, ResponseBuilder,
        security::{Http, HttpAuthScheme, SecurityScheme},
    },
};
use utoipa_axum::router::OpenApiRouter;

use crate::{Services, error::ErrorBody};

/// The head of the description.
#[derive(OpenApi)]
#[openapi(
    info(title = "Greenroom", description = "A cast of AI personas that remember."),
    components(schemas(ErrorBody)),
    security((), ("key" = [])),
    modifiers(&KeyScheme),
    tags(
        (name = "channels", description = "Talk, and read conversations"),
        (name = "turns", description = "A persona's answer to a message"),
        (name = "personas", description = "The cast, and what each persona does"),
        (name = "events", description = "Listen to events"),
        (name = "openai", description = "OpenAI's API. Below `/v1/c/{channel}` in place of `/v1` the same routes are bound \
            to a channel"),
        (name = "anthropic", description = "Anthropic's API; also below `/v1/c/{channel}`"),
        (name = "ollama", description = "Ollama's API; also below `/v1/c/{channel}/api`"),
    ),
)]
struct Description;

/// How a client authenticates.
struct KeyScheme;

impl Modify for KeyScheme {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let mut key = Http::new(HttpAuthScheme::Bearer);
        key.description = Some("A key of `greenroom key create`; none on loopback without keys.".into());
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("key", SecurityScheme::Http(key));
    }
}

/// The error responses of every route.
pub struct Failures;

impl IntoResponses for Failures {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let failure = |description: &str| {
            let body = ContentBuilder::new().schema(Some(Ref::from_schema_name("ErrorBody"))).build();
            ResponseBuilder::new().description(description).content("application/json", body).build().into()
        };
        BTreeMap::from([
            ("4XX".to_owned(), failure("The request is wrong, not allowed, or has to wait")),
            ("5XX".to_owned(), failure("The server, the store or the model failed")),
        ])
    }
}

/// All routes in one router, together with their description.
pub fn described(routes: OpenApiRouter<Services>) -> Router<Services> {
    let (router, description) =
        OpenApiRouter::with_openapi(Description::openapi()).merge(routes).split_for_parts();
    let description = get(async move || Json(description.clone()));
    router.route("/openapi.json", description).merge(page::routes())
}
