//! Rooms: members of a channel, invitations, quiet, and the reasons why a persona answered a message.

use std::time::Duration;

use axum::extract::State;
use greenroom_core::{ChannelKey, MessageId, PersonaName};
use greenroom_runtime::{DecisionView, RoomView};
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Caller, Services,
    extract::{Json, Path},
    reference::Failures,
};

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new()
        .routes(routes!(members, invite))
        .routes(routes!(leave))
        .routes(routes!(quiet, lift_quiet))
        .routes(routes!(decision))
}

/// A persona to invite.
#[derive(Debug, Deserialize, ToSchema)]
struct Invitation {
    /// Its name.
    persona: PersonaName,
}

/// How long no persona answers.
#[derive(Debug, Default, Deserialize, ToSchema)]
struct Quiet {
    /// Seconds; until it is lifted if not given.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 4_294_967_295_i64)]
    for_secs: Option<u32>,
}

/// List the members of a channel
///
/// Personas that belong to it, then people and bots that spoke there; for each persona, how it joined and when it
/// answers.
#[utoipa::path(
    get, path = "/api/channels/{channel}/members", tag = "channels",
    params(("channel" = ChannelKey, Path, description = "The channel")),
    responses((status = 200, description = "The members", body = RoomView), Failures),
)]
async fn members(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
) -> Result<Json<RoomView>, ApiError> {
    caller.check_channel(&channel)?;
    Ok(Json(services.runtime.room(&channel).await?))
}

/// Invite a persona to a channel
///
/// It hears messages there from now on. Nothing changes for a member.
#[utoipa::path(
    post, path = "/api/channels/{channel}/members", tag = "channels",
    params(("channel" = ChannelKey, Path, description = "The channel")),
    request_body = Invitation,
    responses((status = 200, description = "The members", body = RoomView), Failures),
)]
async fn invite(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
    Json(Invitation { persona }): Json<Invitation>,
) -> Result<Json<RoomView>, ApiError> {
    caller.check_channel(&channel)?;
    let _in_use = services.enter(&caller, &channel).await?;
    services.runtime.invite(&channel, &persona).await?;
    Ok(Json(services.runtime.room(&channel).await?))
}

/// Let a persona leave a channel
///
/// The persona comes back when it is invited or addressed there. Its waiting answers are withdrawn, and a reply in
/// progress is aborted. A persona that is no member stays away, even if its file names the channel.
#[utoipa::path(
    delete, path = "/api/channels/{channel}/members/{persona}", tag = "channels",
    params(
        ("channel" = ChannelKey, Path, description = "The channel"),
        ("persona" = PersonaName, Path, description = "The persona"),
    ),
    responses((status = 200, description = "The members", body = RoomView), Failures),
)]
async fn leave(
    State(services): State<Services>,
    caller: Caller,
    Path((channel, persona)): Path<(ChannelKey, PersonaName)>,
) -> Result<Json<RoomView>, ApiError> {
    caller.check_channel(&channel)?;
    let _in_use = services.enter(&caller, &channel).await?;
    services.runtime.leave(&channel, &persona).await?;
    Ok(Json(services.runtime.room(&channel).await?))
}

/// Quiet a channel
///
/// No persona answers there for this time, or until the quiet is lifted. Waiting answers are withdrawn. The quiet
/// survives a restart.
#[utoipa::path(
    post, path = "/api/channels/{channel}/quiet", tag = "channels",
    params(("channel" = ChannelKey, Path, description = "The channel")),
    request_body = Quiet,
    responses((status = 204, description = "Quiet"), Failures),
)]
async fn quiet(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
    Json(Quiet { for_secs }): Json<Quiet>,
) -> Result<StatusCode, ApiError> {
    caller.check_channel(&channel)?;
    let _in_use = services.enter(&caller, &channel).await?;
    let wait = for_secs.map(|seconds| Duration::from_secs(seconds.into()));
    services.runtime.quiet(&channel, wait).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lift the quiet of a channel
#[utoipa::path(
    delete, path = "/api/channels/{channel}/quiet", tag = "channels",
    params(("channel" = ChannelKey, Path, description = "The channel")),
    responses((status = 204, description = "Lifted"), Failures),
)]
async fn lift_quiet(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
) -> Result<StatusCode, ApiError> {
    caller.check_channel(&channel)?;
    let _in_use = services.enter(&caller, &channel).await?;
    services.runtime.lift_quiet(&channel).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Explain who answered a message
///
/// Every persona that belonged to the channel: whether it answered, in which place, and why.
#[utoipa::path(
    get, path = "/api/channels/{channel}/messages/{id}/decision", tag = "channels",
    params(
        ("channel" = ChannelKey, Path, description = "The channel"),
        ("id" = MessageId, Path, description = "The message"),
    ),
    responses((status = 200, description = "The decision", body = DecisionView), Failures),
)]
async fn decision(
    State(services): State<Services>,
    caller: Caller,
    Path((channel, id)): Path<(ChannelKey, MessageId)>,
) -> Result<Json<DecisionView>, ApiError> {
    caller.check_channel(&channel)?;
    let here = services.store.message(id).await?.filter(|message| message.channel == channel);
    if here.is_none() {
        return Err(ApiError::not_found("unknown_message", format!("{channel} has no message {}", id.0)));
    }
    Ok(Json(services.runtime.decision(id).await?))
}
