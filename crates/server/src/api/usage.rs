//! What the cast used and may use: tokens and cost (WB12).

use axum::{Json, extract::State};
use greenroom_core::{PersonaName, Standing, Usage};
use greenroom_runtime::PersonaUsage;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{ApiError, Caller, Services, error::ErrorBody};

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(usage))
}

/// What one persona used and may use.
#[derive(Debug, Serialize, ToSchema)]
struct UsageRow {
    /// Who.
    persona: PersonaName,
    /// Within the last hour.
    hour: Usage,
    /// Within the last 24 hours.
    day: Usage,
    /// Tokens it may use in any hour; 0 is unlimited.
    tokens_per_hour: u64,
    /// What it may cost in any 24 hours, in the currency of the prices; 0 is unlimited.
    cost_per_day: f32,
    /// Where it stands with that.
    standing: Standing,
}

impl From<PersonaUsage> for UsageRow {
    fn from(row: PersonaUsage) -> Self {
        let PersonaUsage { persona, hour, day, tokens_per_hour, cost_per_day, standing } = row;
        Self { persona, hour, day, tokens_per_hour, cost_per_day, standing }
    }
}

/// Token use and cost of every persona, and where it stands with its limits.
#[utoipa::path(
    get,
    path = "/api/usage",
    tag = "operations",
    responses(
        (status = 200, body = Vec<UsageRow>),
        (status = 401, body = ErrorBody),
        (status = 403, body = ErrorBody),
        (status = 503, body = ErrorBody),
    )
)]
async fn usage(State(services): State<Services>, caller: Caller) -> Result<Json<Vec<UsageRow>>, ApiError> {
    caller.operate()?;
    Ok(Json(services.runtime.usage().await?.into_iter().map(UsageRow::from).collect()))
}
