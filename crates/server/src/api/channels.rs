//! Channels: list them, read their messages and sessions, cancel turns, reset a context.

use std::collections::HashMap;

use axum::extract::State;
use greenroom_core::{Author, ChannelKey, Message, MessageId, PersonaName, Platform};
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

/// The largest page, and the default one.
const PAGE: usize = 200;
const DEFAULT_PAGE: usize = 50;
/// The bytes of text on a page of messages. A longer message has a separate page.
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

/// A page.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Page {
    /// Only older than this message; the newest page if not given.
    #[param(minimum = 1)]
    before: Option<i64>,
    /// The size of the page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<usize>,
}

impl Page {
    fn read(&self) -> Result<(Option<MessageId>, usize), ApiError> {
        let limit = self.limit.unwrap_or(DEFAULT_PAGE);
        if !(1..=PAGE).contains(&limit) {
            return Err(ApiError::invalid(format!("limit must be 1 to {PAGE}, not {limit}")).about("limit"));
        }
        match self.before {
            Some(before) if before < 1 => {
                Err(ApiError::invalid("before must be the id of a message, 1 or more").about("before"))
            }
            before => Ok((before.map(MessageId), limit)),
        }
    }
}

/// A page of the list of channels.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ChannelsPage {
    /// Only older than this message; the newest page if not given.
    #[param(minimum = 1)]
    before: Option<i64>,
    /// The size of the page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<usize>,
    /// `erased.newest` of an earlier answer: then `erased` tells what was erased since.
    erased_after: Option<i64>,
}

/// Channels.
#[derive(Debug, Serialize, ToSchema)]
struct Channels {
    /// Those with messages; the channel with the newest message first.
    channels: Vec<ChannelEntry>,
    /// Those without messages to which a persona is invited, at most 200; on the newest page only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    empty: Vec<ChannelKey>,
    /// What was erased.
    erased: ErasedView,
    /// The `before` of the next page; missing on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<MessageId>,
}

/// Where something was erased, so that a client that shows messages reads them again.
#[derive(Debug, Serialize, ToSchema)]
struct ErasedView {
    /// The number of the newest erasure.
    newest: i64,
    /// The channels where something was erased since `erased_after`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    channels: Vec<ChannelKey>,
    /// Whether something was erased that may have been shown in any channel. Omitted unless true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    anywhere: bool,
}

/// A message, and whether a bot that is not of this cast wrote it.
#[derive(Debug, Serialize, ToSchema)]
struct ListedMessage {
    #[serde(flatten)]
    message: Message,
    /// The author's label wherever names precede texts, if it differs from the author's name. No other author has it
    /// (RM7).
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Omitted unless true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    bot: bool,
    /// For a reply: the message that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<MessageId>,
}

/// A page of messages.
#[derive(Debug, Serialize, ToSchema)]
struct Messages {
    /// Oldest first.
    messages: Vec<ListedMessage>,
    /// The turns for these messages that failed or were cancelled, and were not retried since.
    turns: Vec<Turn>,
    /// The `before` of the page before this one; missing on the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<MessageId>,
}

/// The sessions of a channel.
#[derive(Debug, Serialize, ToSchema)]
struct Sessions {
    /// Newest first.
    sessions: Vec<Session>,
}

/// List channels
///
/// An operator sees all of them, a user their own.
#[utoipa::path(
    get, path = "/api/channels", tag = "channels",
    params(ChannelsPage),
    responses((status = 200, description = "The channels", body = Channels), Failures),
)]
async fn channels(
    State(services): State<Services>,
    caller: Caller,
    Query(ChannelsPage { before, limit, erased_after }): Query<ChannelsPage>,
) -> Result<axum::Json<Channels>, ApiError> {
    let (before, limit) = Page { before, limit }.read()?;
    let own = (caller.role == Role::User).then(|| (Platform::Api.as_str(), caller.user.as_str()));
    // read first: a message of the list that is erased meanwhile is told with the next list
    let mut erased = services.store.erased_since(erased_after.unwrap_or(i64::MAX)).await?;
    erased.channels.retain(|channel| erased_after.is_some() && caller.check_channel(channel).is_ok());
    let erased = ErasedView {
        newest: erased.end,
        channels: erased.channels,
        anywhere: erased.anywhere && erased_after.is_some(),
    };
    let empty = match before {
        None => services.store.invited(own, PAGE).await?,
        Some(_) => Vec::new(),
    };
    let mut channels = services.store.channels(own, before, limit + 1).await?;
    let more = channels.len() > limit;
    channels.truncate(limit);
    let before = channels.last().filter(|_| more).map(|channel| channel.newest);
    Ok(axum::Json(Channels { channels, empty, erased, before }))
}

/// Read a channel's messages
///
/// The newest page first. A page also ends after 1 MiB of text.
#[utoipa::path(
    get, path = "/api/channels/{channel}/messages", tag = "channels",
    params(("channel" = ChannelKey, Path, description = "The channel"), Page),
    responses((status = 200, description = "A page of messages", body = Messages), Failures),
)]
async fn messages(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
    Query(page): Query<Page>,
) -> Result<axum::Json<Messages>, ApiError> {
    caller.check_channel(&channel)?;
    let (before, limit) = page.read()?;
    let mut messages = services.store.page(&channel, before, limit + 1).await?;
    let left = messages.len() - fitting(&messages, limit);
    messages.drain(..left);
    let before = messages.first().filter(|_| left > 0).map(|message| message.id);
    let ids: Vec<_> = messages.iter().map(|message| message.id).collect();
    let mut turns = services.store.without_reply(&ids).await?;
    let mut tried: Vec<_> = turns.iter().map(|turn| turn.trigger).collect();
    tried.dedup();
    let mut newest = Vec::new();
    for message in tried {
        newest.extend(services.store.answers(message).await?);
    }
    // of several attempts only the newest counts
    turns.retain(|turn| newest.iter().any(|known| known.id == turn.id));
    let answers: HashMap<_, _> = services.store.triggers(&ids).await?.into_iter().collect();
    let bots = services.runtime.bots(&channel).await?;
    let labels = services.memory.labels(&channel, messages.iter().map(|message| &message.author)).await?;
    let listed = |message: Message| {
        let label = labels.labelled(&message.author).map(|author| author.name().to_owned());
        let bot = matches!(&message.author, Author::User { id, .. } if bots.contains(id));
        let answers = answers.get(&message.id).copied();
        ListedMessage { message, label, bot, answers }
    };
    let messages = messages.into_iter().map(listed).collect();
    Ok(axum::Json(Messages { messages, turns, before }))
}

/// List a channel's sessions
///
/// A session is what a person says without a pause of half an hour. The newest 200.
#[utoipa::path(
    get, path = "/api/channels/{channel}/sessions", tag = "channels",
    params(("channel" = ChannelKey, Path, description = "The channel, with its threads")),
    responses((status = 200, description = "The sessions", body = Sessions), Failures),
)]
async fn sessions(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
) -> Result<axum::Json<Sessions>, ApiError> {
    caller.check_channel(&channel)?;
    let mut sessions = services.store.sessions(&channel).await?;
    sessions.truncate(PAGE);
    Ok(axum::Json(Sessions { sessions }))
}

/// Cancel a channel's turns
///
/// Running and waiting turns end with `cancelled`. Without any, nothing happens.
#[utoipa::path(
    post, path = "/api/channels/{channel}/cancel", tag = "channels",
    params(("channel" = ChannelKey, Path, description = "The channel")),
    responses((status = 204, description = "Cancelled"), Failures),
)]
async fn cancel(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
) -> Result<StatusCode, ApiError> {
    caller.check_channel(&channel)?;
    services.runtime.cancel(&channel).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Reset a persona's context in a channel
///
/// Earlier messages are stored and can be recalled, but the model no longer gets them as history.
#[utoipa::path(
    post, path = "/api/channels/{channel}/personas/{name}/reset", tag = "channels",
    params(
        ("channel" = ChannelKey, Path, description = "The channel"),
        ("name" = PersonaName, Path, description = "The persona"),
    ),
    responses((status = 204, description = "Reset"), Failures),
)]
async fn reset(
    State(services): State<Services>,
    caller: Caller,
    Path((channel, name)): Path<(ChannelKey, PersonaName)>,
) -> Result<StatusCode, ApiError> {
    caller.check_channel(&channel)?;
    services.runtime.reset(&name, &channel).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The number of the newest messages that fit on a page.
fn fitting(messages: &[Message], limit: usize) -> usize {
    let mut bytes = 0;
    let fits = |message: &&Message| {
        bytes += message.text.len();
        bytes <= PAGE_BYTES
    };
    let fitting = messages.iter().rev().take(limit).take_while(fits).count();
    fitting.max(1).min(messages.len())
}
