//! `POST /api/events`: something happened to a machine or a service, and a persona should know (JV3).

use axum::{Json, extract::State};
use greenroom_core::{Clock, Memory, PersonaName, Scope, SystemClock, Timestamp, UserRef};
use greenroom_memory::{Decision, Event, Severity, TimeZone};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Caller, Services,
    api::memories::Place,
    error::ErrorBody,
    extract::{self, Query},
};

/// Events in one request, at most.
const MOST: usize = 1_000;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(ingest))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Whom {
    /// Who is told; the persona of the settings where none is named.
    persona: Option<PersonaName>,
}

/// Something that happened.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewEvent {
    /// What sort, as `disk_full`.
    #[serde(rename = "type")]
    kind: String,
    /// How bad: `info`, `warning`, `error`, `critical`.
    #[schema(value_type = String, example = "warning")]
    severity: Severity,
    /// In a sentence.
    message: String,
    /// Which machine or service.
    #[serde(default)]
    node: Option<String>,
    /// Whether it is over.
    #[serde(default)]
    resolved: bool,
    /// When it happened, in microseconds since 1970; now where nothing is said, or where it lies ahead.
    #[serde(default)]
    #[schema(value_type = Option<i64>)]
    at: Option<Timestamp>,
}

/// One event or several.
#[derive(ToSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "it describes the body; what is read says more exactly what is wrong with one")]
enum NewEvents {
    One(NewEvent),
    Many(Vec<NewEvent>),
}

/// What became of each event, in their order.
#[derive(Debug, Serialize, ToSchema)]
struct Ingested {
    events: Vec<Ingest>,
}

/// What became of an event.
#[derive(Debug, Serialize, ToSchema)]
struct Ingest {
    /// False for one that does not matter: only warnings and worse do, and whatever is over. False as well
    /// for one of more than 30 days ago.
    remembered: bool,
    /// The memory, for 30 days from when it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<Memory>,
    /// How it stands to what was known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    decision: Option<Decision>,
}

/// Tells a persona of an event, or of several: in a channel where one is named, with a person where
/// one is, and otherwise everywhere. The same type on the same node on the same day is one memory,
/// whose text is that of the latest to happen.
#[utoipa::path(
    post, path = "/api/events", tag = "events", request_body = NewEvents,
    params(Whom, Place),
    responses(
        (status = 200, description = "What became of each", body = Ingested),
        (status = "4XX", description = "Refused", body = ErrorBody),
    )
)]
async fn ingest(
    State(services): State<Services>,
    caller: Caller,
    Query(Whom { persona }): Query<Whom>,
    Query(place): Query<Place>,
    extract::Json(body): extract::Json<Value>,
) -> Result<Json<Ingested>, ApiError> {
    caller.operate()?;
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
    let mut told = Vec::with_capacity(events.len());
    for event in &events {
        let remembered = services.memory.ingest_event(&viewer, scope.clone(), event, &zone).await?;
        let (memory, decision) = remembered.map(|new| (new.memory, new.decision)).unzip();
        told.push(Ingest { remembered: memory.is_some(), memory, decision });
    }
    Ok(Json(Ingested { events: told }))
}

/// The events of a body, all of them sound.
fn read(body: Value, now: Timestamp) -> Result<Vec<Event>, ApiError> {
    let bodies = match body {
        Value::Array(bodies) => bodies,
        one => vec![one],
    };
    if bodies.len() > MOST {
        let message = format!("one request holds at most {MOST} events; send the rest in another");
        return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message));
    }
    bodies
        .into_iter()
        .enumerate()
        .map(|(n, body)| event(body, now).map_err(|error| wrong(n, &error)))
        .collect()
}

fn event(body: Value, now: Timestamp) -> Result<Event, String> {
    let NewEvent { kind, severity, message, node, resolved, at } =
        serde_json::from_value(body).map_err(|error| error.to_string())?;
    if message.trim().is_empty() || kind.trim().is_empty() {
        return Err("an event has a type and a message".into());
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
            (json!({ "type": " ", "severity": "info", "message": "y" }), "an event has a type and a message"),
            (json!("disk full"), "invalid type"),
        ] {
            let error = read(json!([good, bad]), NOW).unwrap_err();
            assert!(
                error.message.starts_with("event 2: ") && error.message.contains(why),
                "{}",
                error.message
            );
        }
        let many = Value::Array(vec![good; MOST + 1]);
        assert_eq!(read(many, NOW).unwrap_err().status, StatusCode::PAYLOAD_TOO_LARGE);
    }
}
