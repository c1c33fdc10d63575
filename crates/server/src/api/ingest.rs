//! `POST /api/events`: events of machines and services that a persona remembers (JV3).

use axum::{Json, extract::State};
use greenroom_core::{Memory, PersonaName, Scope, SystemClock, Time, Timestamp, UserRef};
use greenroom_memory::{Decision, Event, Severity, TimeZone};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Services,
    access::Operator,
    api::memories::ViewerQuery,
    extract::{self, Query},
    reference::Failures,
};

/// The number of events in one request.
const MAX_EVENTS: usize = 1_000;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(ingest))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct PersonaQuery {
    /// The persona; that of the settings if not given.
    persona: Option<PersonaName>,
}

/// An event.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewEvent {
    /// The kind of event, as `disk_full`.
    #[serde(rename = "type")]
    kind: String,
    /// The severity: `info`, `warning`, `error`, `critical`.
    #[schema(value_type = String, example = "warning")]
    severity: Severity,
    /// What happened, in a sentence.
    message: String,
    /// The machine or service.
    #[serde(default)]
    node: Option<String>,
    /// Whether the problem is over.
    #[serde(default)]
    resolved: bool,
    /// When it happened, in microseconds since 1970; now if not given, or if it lies in the future.
    #[serde(default)]
    #[schema(value_type = Option<i64>)]
    at: Option<Timestamp>,
}

/// One event or several.
#[derive(ToSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "describes the body alone; `read` names the place of an error")]
enum NewEvents {
    One(NewEvent),
    Many(Vec<NewEvent>),
}

/// The result of each event, in their order.
#[derive(Debug, Serialize, ToSchema)]
struct IngestResults {
    events: Vec<IngestResult>,
}

/// The result of an event.
#[derive(Debug, Serialize, ToSchema)]
struct IngestResult {
    /// Whether it is remembered: warnings and worse are, and resolved events, of the last 30 days.
    remembered: bool,
    /// The memory, which lasts 30 days from the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<Memory>,
    /// Its relation to earlier memories.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    decision: Option<Decision>,
}

/// Tell a persona of events
///
/// The memory holds in the given channel, with the given person, or else everywhere. Events of the same type on the
/// same node on the same day are one memory with the text of the latest. For operators.
#[utoipa::path(
    post, path = "/api/events", tag = "events", request_body = NewEvents,
    params(PersonaQuery, ViewerQuery),
    responses((status = 200, description = "The result of each event", body = IngestResults), Failures)
)]
async fn ingest(
    State(services): State<Services>,
    Operator(caller): Operator,
    Query(PersonaQuery { persona }): Query<PersonaQuery>,
    Query(place): Query<ViewerQuery>,
    extract::Json(body): extract::Json<Value>,
) -> Result<Json<IngestResults>, ApiError> {
    let events = read(body, SystemClock.now())?;
    let persona = services.runtime.persona(persona.as_ref().unwrap_or(&services.settings.persona))?;
    let zone = persona.memory.time_zone.as_deref().map(TimeZone::get).transpose();
    let zone = zone.map_err(|error| ApiError::invalid(error.to_string()))?.unwrap_or_else(TimeZone::system);
    let scope = match (&place.channel, &place.user) {
        (None, None) => Scope::Global,
        (Some(channel), Some(user)) => Scope::User(UserRef::new(channel, user)),
        (Some(channel), None) => Scope::Channel(channel.clone()),
        (None, Some(user)) => {
            let message = format!("name the channel whose {user} is meant");
            return Err(ApiError::invalid(message).about("channel"));
        }
    };
    let viewer = place.viewer(&services, &caller, persona.name.clone())?;
    let mut results = Vec::with_capacity(events.len());
    for event in &events {
        let remembered = services.memory.ingest_event(&viewer, scope.clone(), event, &zone).await?;
        let (memory, decision) = remembered.map(|new| (new.memory, new.decision)).unzip();
        results.push(IngestResult { remembered: memory.is_some(), memory, decision });
    }
    Ok(Json(IngestResults { events: results }))
}

/// The events of a body; an error if any of them is wrong.
fn read(body: Value, now: Timestamp) -> Result<Vec<Event>, ApiError> {
    let bodies = match body {
        Value::Array(bodies) => bodies,
        one => vec![one],
    };
    if bodies.len() > MAX_EVENTS {
        let message = format!("a request may have {MAX_EVENTS} events; send the rest in another");
        return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message));
    }
    bodies
        .into_iter()
        .enumerate()
        .map(|(n, body)| event(body, now).map_err(|error| wrong(n, &error)))
        .collect()
}

fn event(body: Value, now: Timestamp) -> Result<Event, String> {
    let NewEvent { kind, severity, message, node, resolved, at } = extract::from_value(body)?;
    if message.trim().is_empty() || kind.trim().is_empty() {
        return Err("an event needs a type and a message".into());
    }
    Ok(Event { kind, severity, message, node, resolved, at: at.unwrap_or(now) })
}

fn wrong(n: usize, error: &str) -> ApiError {
    ApiError::invalid(format!("event {}: {error}", n + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NOW: Timestamp = Timestamp(1_795_303_800_000_000);

    #[test]
    fn jv3_one_event_or_a_list_of_them_is_read() {
        let one = json!({ "type": "disk_full", "severity": "critical", "message": "/var is at 97 %" });
        let read_one = read(one.clone(), NOW).unwrap();
        assert_eq!((read_one.len(), read_one[0].at, read_one[0].resolved), (1, NOW, false));
        assert_eq!(read(json!([one, one]), NOW).unwrap(), [read_one.clone(), read_one].concat());
        assert_eq!(read(json!([]), NOW).unwrap(), []);
    }

    #[test]
    fn jv3_what_is_no_event_is_named_by_its_place() {
        let good = json!({ "type": "x", "severity": "info", "message": "y" });
        for (bad, why) in [
            (json!({ "type": "x", "severity": "bad", "message": "y" }), "unknown variant `bad`"),
            (json!({ "severity": "info", "message": "y" }), "missing field `type`"),
            (
                json!({ "type": " ", "severity": "info", "message": "y" }),
                "an event needs a type and a message",
            ),
            (json!("disk full"), "invalid type: string \"disk full\", expected an object"),
            (json!(["x", "info", "y"]), "invalid type: list, expected an object"),
        ] {
            let error = read(json!([good, bad]), NOW).unwrap_err();
            assert!(
                error.message.starts_with("event 2: ") && error.message.contains(why),
                "{}",
                error.message
            );
        }
        let many = Value::Array(vec![good; MAX_EVENTS + 1]);
        assert_eq!(read(many, NOW).unwrap_err().status, StatusCode::PAYLOAD_TOO_LARGE);
    }
}
