//! Accounts on chat platforms, and the replies that they could not deliver (AD8). For operators.

use axum::{Json, extract::State};
use greenroom_adapters::{AccountStatus, Accounts};
use http::StatusCode;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{ApiError, Services, access::Operator, extract::Path, reference::Failures};

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(accounts)).routes(routes!(resend)).routes(routes!(give_up))
}

/// List accounts on chat platforms
///
/// For each account: its connection, the delay of events, how far back it looked after an absence, the number of
/// waiting replies, and the oldest 20 replies that were given up or may not have arrived. For operators.
#[utoipa::path(
    get, path = "/api/accounts", tag = "accounts",
    responses((status = 200, description = "The accounts", body = Vec<AccountStatus>), Failures),
)]
async fn accounts(
    State(services): State<Services>,
    _: Operator,
) -> Result<Json<Vec<AccountStatus>>, ApiError> {
    Ok(Json(match services.accounts.get() {
        Some(accounts) => accounts.status().await?,
        None => Vec::new(),
    }))
}

/// Send a reply again
///
/// Resends a reply that was given up, or the parts of a reply that may not have arrived. These parts may then appear
/// twice. For operators.
#[utoipa::path(
    post, path = "/api/accounts/deliveries/{delivery}/resend", tag = "accounts",
    params(("delivery" = i64, Path, description = "The delivery")),
    responses((status = 204, description = "It waits to be sent"), Failures),
)]
async fn resend(
    State(services): State<Services>,
    _: Operator,
    Path(delivery): Path<i64>,
) -> Result<StatusCode, ApiError> {
    changed(running(&services)?.resend(delivery).await?, delivery)
}

/// Give a reply up
///
/// The reply is no longer listed. For operators.
#[utoipa::path(
    post, path = "/api/accounts/deliveries/{delivery}/drop", tag = "accounts",
    params(("delivery" = i64, Path, description = "The delivery")),
    responses((status = 204, description = "It is given up"), Failures),
)]
async fn give_up(
    State(services): State<Services>,
    _: Operator,
    Path(delivery): Path<i64>,
) -> Result<StatusCode, ApiError> {
    changed(running(&services)?.give_up(delivery).await?, delivery)
}

fn running(services: &Services) -> Result<&Accounts, ApiError> {
    services.accounts.get().ok_or_else(|| ApiError::not_found("no_accounts", "no account runs here"))
}

fn changed(changed: bool, delivery: i64) -> Result<StatusCode, ApiError> {
    let unknown = || {
        ApiError::not_found(
            "unknown_delivery",
            format!("delivery {delivery} is neither uncertain nor given up"),
        )
    };
    if changed { Ok(StatusCode::NO_CONTENT) } else { Err(unknown()) }
}
