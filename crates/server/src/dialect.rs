//! The APIs that clients already speak. Each dialect translates its requests into one [`Ask`] and the pieces
//! of the reply back; everything between is the same code.
//!
//! ```text
//! ask.rs           the request that every dialect translates to
//! tools.rs         the function tools of a request, and the choice among them
//! headers.rs       headers and the channel of the base URL
//! target.rs        which persona answers, in which channel
//! speaker.rs       which person speaks, and what their system messages may do
//! conversation.rs  the messages sent, as a conversation that can be answered
//! channel.rs       a message of a channel: stored, answered once, told again
//! kept.rs          what the process keeps between requests: unanswered messages, items of replies
//! hearing.rs       from the turn's events to pieces of a reply
//! embedding.rs     vectors of the server's own embedder
//! deliver.rs       the pieces as one document or as a stream, in the words of a dialect
//! refusal.rs       errors in the shape of a dialect
//! ```
//! The dialects are `openai.rs`, `anthropic.rs` and `ollama.rs`. Without a channel the messages sent are the
//! conversation and nothing is stored. In a channel the stored conversation counts, and of the messages sent
//! the last one of a user.

pub(crate) mod ask;
mod channel;
mod conversation;
pub(crate) mod deliver;
pub(crate) mod embedding;
pub(crate) mod headers;
mod hearing;
mod kept;
mod refusal;
mod speaker;
pub(crate) mod target;
#[cfg(test)]
pub(crate) mod telling;
pub(crate) mod tools;

use std::sync::Arc;

use axum::{
    Extension, Router,
    response::{IntoResponse, Response},
};
use greenroom_core::{ChannelKey, Clock, SystemClock, Timestamp, TurnId};
use greenroom_runtime::{Completion, TurnEvents};
use http::{HeaderName, HeaderValue};
use tracing::Instrument;
use utoipa_axum::router::OpenApiRouter;

use crate::{ApiError, Caller, Services, anthropic, ollama, openai};

use ask::Ask;
use channel::Delivery;
use conversation::Conversation;
use deliver::{Begun, HandOver, Reply};
use headers::RequestHeaders;
use hearing::Hearing;
use kept::Open;
use speaker::Speaker;
use target::Target;

pub(crate) use hearing::{Call, End};
pub(crate) use kept::DialectState;
pub(crate) use refusal::{anthropic as anthropic_error, ollama as ollama_error, reshaped};

/// The turn a reply comes from.
const TURN: HeaderName = HeaderName::from_static("x-greenroom-turn");
/// Tells the SDKs of OpenAI and Anthropic whether a request may be made again.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// The routes of all dialects, with their description.
pub(crate) fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().nest("/v1", v1()).nest("/api", ollama::routes())
}

/// The same routes below a channel's base URL, which stands for the header and the model's suffix. Clients
/// append `/chat/completions`, `/v1/messages` or `/api/chat` to the base URL they are given.
pub(crate) fn in_channels() -> Router<Services> {
    let plain = |routes: OpenApiRouter<Services>| Router::from(routes);
    let below = plain(v1()).nest("/v1", plain(v1())).nest("/api", plain(ollama::routes()));
    Router::new().nest("/v1/c/{channel}", below)
}

/// What stands below `/v1`.
fn v1() -> OpenApiRouter<Services> {
    openai::routes().merge(anthropic::routes())
}

/// Makes what the process keeps between requests known to the handlers.
pub(crate) fn keeping<S: Clone + Send + Sync + 'static>(router: Router<S>) -> Router<S> {
    router.layer(Extension(Arc::new(DialectState::default())))
}

/// Has a persona answer, and tells the reply as `reply` says.
pub(crate) async fn answer<R: Reply>(
    services: &Services,
    caller: &Caller,
    headers: RequestHeaders,
    mut ask: Ask,
    reply: impl FnOnce(Begun) -> R,
) -> Result<Response, ApiError> {
    ask.disable_memory |= headers.disable_memory;
    let target = Target::of(services, &ask, &headers)?;
    let speaker = Speaker::of(caller, &ask)?;
    let told = Told {
        services: services.clone(),
        caller: caller.clone(),
        target,
        model: ask.model.clone(),
        stream: ask.stream,
        tools: ask.tools.names(),
    };
    let Some(channel) = told.target.channel.clone() else {
        if let Some(field) = ask.only_in_channel {
            return Err(not_kept(field));
        }
        let completion = completion(&told.target, speaker, ask)?;
        let events = services.runtime.complete(completion)?;
        return told.live(events, None, reply).await;
    };
    caller.check_channel(&channel)?;
    if let Some(previous) = ask.previous {
        let turn = services.store.turn(previous).await?;
        turn.filter(|turn| turn.channel == channel).ok_or_else(|| unknown_response(previous, &channel))?;
    }
    if !ask.tools.schemas.is_empty() {
        let message = "a channel keeps no tool calls: leave `tools` out, or leave the channel out and send the \
                       conversation";
        return Err(ApiError::invalid(message).about("tools"));
    }
    let keyed = headers.key.is_some();
    let (services, caller, persona) = (services.clone(), caller.clone(), told.target.persona.clone());
    // in a task of its own: a client that hangs up now has said it all the same, or has not at all
    let said = tokio::spawn(
        async move { channel::say(&services, &caller, &persona, &channel, speaker, ask, &headers).await }
            .in_current_span(),
    );
    let response = match said.await.map_err(|_| ApiError::internal())?? {
        Delivery::Events(events, open) => told.live(events, open, reply).await,
        Delivery::Before(turn, end) => Ok(told.again(turn, end, reply)),
    };
    // the message is stored: without a key the SDKs are not to say it again by themselves, nor with one where
    // somebody has just stopped the reply
    Ok(response.unwrap_or_else(|error| {
        let again = keyed && error.code != "cancelled";
        let mut response = error.into_response();
        if !again {
            response.headers_mut().insert(SHOULD_RETRY, HeaderValue::from_static("false"));
        }
        response
    }))
}

/// Without a channel a request stands alone.
fn not_kept(field: &'static str) -> ApiError {
    let message = format!(
        "nothing is kept without a channel, so `{field}` has nothing to refer to: send the whole conversation as \
         `input`, or name a channel, as in the model `ada@den`"
    );
    ApiError::invalid(message).about(field)
}

fn unknown_response(turn: TurnId, channel: &ChannelKey) -> ApiError {
    let message = format!("no response resp_{turn} was given in {channel}; leave `previous_response_id` out");
    ApiError::not_found("unknown_response", message).about("previous_response_id")
}

/// To whom a reply is told, and how.
struct Told {
    services: Services,
    caller: Caller,
    target: Target,
    /// The model's name as the client wrote it.
    model: String,
    stream: bool,
    /// The tools of the client.
    tools: Vec<String>,
}

impl Told {
    /// Tells what a turn says.
    async fn live<R: Reply>(
        self,
        events: TurnEvents,
        open: Option<Open>,
        reply: impl FnOnce(Begun) -> R,
    ) -> Result<Response, ApiError> {
        let Self { services, caller, target, model, stream, tools } = self;
        let Target { persona, channel } = target;
        let mut hearing = Hearing::new(events, persona, tools, &caller, &services);
        let turn = hearing.begun().await?;
        let reply = reply(Begun { turn, model, created: now(), stored: channel.is_some() });
        let handover = HandOver { services, channel, open };
        let response = if stream {
            deliver::pieces(hearing, reply, handover).await?
        } else {
            deliver::whole(hearing, reply, handover).await?
        };
        Ok(with_turn(response, turn))
    }

    /// Tells a stored reply.
    fn again<R: Reply>(self, turn: TurnId, end: End, reply: impl FnOnce(Begun) -> R) -> Response {
        let reply = reply(Begun { turn, model: self.model, created: now(), stored: true });
        with_turn(deliver::again(reply, self.stream, end), turn)
    }
}

fn now() -> Timestamp {
    SystemClock.now()
}

/// The turn of the messages that were sent.
fn completion(target: &Target, speaker: Speaker, ask: Ask) -> Result<Completion, ApiError> {
    let Ask { messages, reply_options, tools, disable_memory, .. } = ask;
    let Conversation { system, history, asked, since } = Conversation::of(speaker.own_names(messages))?;
    Ok(Completion {
        persona: target.persona.clone(),
        system: speaker.instructions(system),
        person: speaker.person.clone(),
        user: speaker.id,
        history,
        asked,
        since,
        tools: tools.schemas,
        own_tools: tools.own,
        reply_options,
        disable_memory,
    })
}

/// Names the turn a reply comes from.
fn with_turn(mut response: Response, turn: TurnId) -> Response {
    if let Ok(turn) = HeaderValue::try_from(turn.to_string()) {
        response.headers_mut().insert(TURN, turn);
    }
    response
}
