//! Token use, cost and limits of the cast (WB12).

use axum::{Json, extract::State};
use greenroom_core::{PersonaName, Standing, Usage};
use greenroom_runtime::PersonaUsage;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{ApiError, Services, access::Operator, reference::Failures};

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(usage))
}

/// The use and the limits of one persona.
#[derive(Debug, Serialize, ToSchema)]
struct UsageRow {
    /// The persona.
    persona: PersonaName,
    /// In the last hour.
    hour: Usage,
    /// In the last 24 hours.
    day: Usage,
    /// The limit of tokens in an hour; 0 is unlimited.
    tokens_per_hour: u64,
    /// The limit of cost in 24 hours, in the currency of the prices; 0 is unlimited.
    cost_per_day: f32,
    /// Whether a limit is reached, and the consequence.
    standing: Standing,
}

impl From<PersonaUsage> for UsageRow {
    fn from(row: PersonaUsage) -> Self {
        let PersonaUsage { persona, hour, day, tokens_per_hour, cost_per_day, standing } = row;
        Self { persona, hour, day, tokens_per_hour, cost_per_day, standing }
    }
}

/// Token use and cost
///
/// Of every persona, with its limits. For operators.
#[utoipa::path(
    get, path = "/api/usage", tag = "operations",
    responses((status = 200, body = Vec<UsageRow>), Failures)
)]
async fn usage(State(services): State<Services>, _: Operator) -> Result<Json<Vec<UsageRow>>, ApiError> {
    Ok(Json(services.runtime.usage().await?.into_iter().map(UsageRow::from).collect()))
}
