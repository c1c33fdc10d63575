//! Channels: which there are, what was said in them, and what to do about what runs there.

use axum::extract::State;
use greenroom_core::{ChannelKey, Message, MessageId, PersonaName};
use greenroom_store::{ChannelEntry, Session, Turn};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Caller, Role, Services,
    extract::{Path, Query},
    reference::Failures,
};

/// The most a page holds, and what it holds where nobody says.
const PAGE: usize = 200;
const USUAL: usize = 50;
/// Bytes of text on a page of messages; one that is longer is a page by itself.
const PAGE_BYTES: usize = 1 << 20;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new()
        .routes(routes!(channels))
        .routes(routes!(messages))
        .routes(routes!(sessions))
        .routes(routes!(cancel))
        .routes(routes!(reset))
}

/// Which page.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Page {
    /// What is older than this message; the newest where it is missing.
    #[param(minimum = 1)]
    before: Option<i64>,
    /// At most so many.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<usize>,
}

impl Page {
    fn read(&self) -> Result<(Option<MessageId>, usize), ApiError> {
        let limit = self.limit.unwrap_or(USUAL);
        if !(1..=PAGE).contains(&limit) {
            return Err(ApiError::invalid(format!("limit is 1 to {PAGE}, not {limit}")).about("limit"));
        }
        match self.before {
            Some(before) if before < 1 => {
                Err(ApiError::invalid("before is the id of a message, from 1 on").about("before"))
            }
            before => Ok((before.map(MessageId), limit)),
        }
    }
}

/// Channels where something was said.
#[derive(Debug, Serialize, ToSchema)]
struct Channels {
    /// The one with the newest message first.
    channels: Vec<ChannelEntry>,
    /// What to give as `before` for the next page; missing on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<MessageId>,
}

/// What was said in a channel.
#[derive(Debug, Serialize, ToSchema)]
struct Messages {
    /// Oldest first.
    messages: Vec<Message>,
    /// Turns that answer them and ended without a reply: failed or cancelled.
    turns: Vec<Turn>,
    /// What to give as `before` for the page before this one; missing on the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<MessageId>,
}

/// The sittings of a channel.
#[derive(Debug, Serialize, ToSchema)]
struct Sessions {
    /// Newest first.
    sessions: Vec<Session>,
}

/// Which channels there are
///
/// An operator sees all of them, a person their own.
#[utoipa::path(
    get,
    path = "/api/channels",
    tag = "channels",
    params(Page),
    responses((status = 200, description = "Where something was said", body = Channels), Failures),
)]
async fn channels(
    State(services): State<Services>,
    caller: Caller,
    Query(page): Query<Page>,
) -> Result<axum::Json<Channels>, ApiError> {
    let (before, limit) = page.read()?;
    let own = (caller.role == Role::User).then(|| ("api", caller.user.as_str()));
    let mut channels = services.store.channels(own, before, limit + 1).await?;
    let more = channels.len() > limit;
    channels.truncate(limit);
    let before = channels.last().filter(|_| more).map(|channel| channel.newest);
    Ok(axum::Json(Channels { channels, before }))
}

/// What was said in a channel
///
/// Page by page, from the end backwards. A page ends after 1 MiB of text, too.
#[utoipa::path(
    get,
    path = "/api/channels/{channel}/messages",
    tag = "channels",
    params(("channel" = ChannelKey, Path, description = "Which channel"), Page),
    responses((status = 200, description = "A page of it", body = Messages), Failures),
)]
async fn messages(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
    Query(page): Query<Page>,
) -> Result<axum::Json<Messages>, ApiError> {
    caller.enter(&channel)?;
    let (before, limit) = page.read()?;
    let mut messages = services.store.page(&channel, before, limit + 1).await?;
    let left = messages.len() - fitting(&messages, limit);
    messages.drain(..left);
    let before = messages.first().filter(|_| left > 0).map(|message| message.id);
    let ids: Vec<_> = messages.iter().map(|message| message.id).collect();
    let turns = services.store.without_reply(&ids).await?;
    Ok(axum::Json(Messages { messages, turns, before }))
}

/// The sittings of a channel
///
/// What each person said without half an hour's pause, the newest 200.
#[utoipa::path(
    get,
    path = "/api/channels/{channel}/sessions",
    tag = "channels",
    params(("channel" = ChannelKey, Path, description = "Which channel; its threads count as one")),
    responses((status = 200, description = "The sittings", body = Sessions), Failures),
)]
async fn sessions(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
) -> Result<axum::Json<Sessions>, ApiError> {
    caller.enter(&channel)?;
    let mut sessions = services.store.sessions(&channel).await?;
    sessions.truncate(PAGE);
    Ok(axum::Json(Sessions { sessions }))
}

/// Stop what is being said in a channel
///
/// Running replies and what waits behind them end with `cancelled`; nothing happens where nothing runs.
#[utoipa::path(
    post,
    path = "/api/channels/{channel}/cancel",
    tag = "channels",
    params(("channel" = ChannelKey, Path, description = "Which channel")),
    responses((status = 204, description = "They end"), Failures),
)]
async fn cancel(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
) -> Result<StatusCode, ApiError> {
    caller.enter(&channel)?;
    services.runtime.cancel(&channel).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Start a persona's context in a channel afresh
///
/// What was said stays stored and can be recalled; it is no longer shown to the model as history.
#[utoipa::path(
    post,
    path = "/api/channels/{channel}/personas/{name}/reset",
    tag = "channels",
    params(
        ("channel" = ChannelKey, Path, description = "Which channel"),
        ("name" = PersonaName, Path, description = "Whose context"),
    ),
    responses((status = 204, description = "It is afresh"), Failures),
)]
async fn reset(
    State(services): State<Services>,
    caller: Caller,
    Path((channel, name)): Path<(ChannelKey, PersonaName)>,
) -> Result<StatusCode, ApiError> {
    caller.enter(&channel)?;
    services.runtime.reset(&name, &channel).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// How many of the newest messages a page holds.
fn fitting(messages: &[Message], limit: usize) -> usize {
    let mut bytes = 0;
    let fits = |message: &&Message| {
        bytes += message.text.len();
        bytes <= PAGE_BYTES
    };
    let fitting = messages.iter().rev().take(limit).take_while(fits).count();
    fitting.max(1).min(messages.len())
}
