//! A request in any dialect: its caller, its headers, and how it is answered.

use std::sync::Arc;

use axum::{
    Extension, Router,
    extract::FromRequestParts,
    response::{IntoResponse, Response},
};
use greenroom_core::{ChannelKey, ErrorCode, PersonaName, SystemClock, Time, Timestamp, TurnId};
use greenroom_runtime::{Completion, TurnEvents};
use http::{HeaderName, HeaderValue, request::Parts};
use tracing::Instrument;

use super::{
    channel::{Addressee, ChannelReply, SentRequest},
    conversation::Conversation,
    delivery::{self, Acknowledgement},
    format::{ReplyEnd, ReplyFormat, ReplyInfo},
    headers::RequestHeaders,
    items::Items,
    reply_events::ReplyEvents,
    request::ReplyRequest,
    speaker::Speaker,
    target::Target,
    unanswered::{PendingMessage, Unanswered},
};
use crate::{ApiError, Caller, Services};

/// The turn of a reply.
const TURN: HeaderName = HeaderName::from_static("x-greenroom-turn");
/// Tells the SDKs of OpenAI and Anthropic whether they may repeat a request.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// What the process keeps in memory between requests, within fixed limits.
#[derive(Debug)]
struct DialectState {
    unanswered: Arc<Unanswered>,
    items: Arc<Items>,
    /// The start of this run of the server.
    started: Timestamp,
}

/// Adds the state of the dialects to the requests of a router.
pub(crate) fn with_state<S: Clone + Send + Sync + 'static>(router: Router<S>) -> Router<S> {
    let (unanswered, items) = (Arc::default(), Arc::default());
    router.layer(Extension(Arc::new(DialectState { unanswered, items, started: SystemClock.now() })))
}

/// The parts that a handler needs to answer a request.
pub(crate) struct ReplyContext {
    pub(crate) services: Services,
    pub(crate) caller: Caller,
    headers: RequestHeaders,
    state: Arc<DialectState>,
}

impl FromRequestParts<Services> for ReplyContext {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, services).await?;
        let headers = RequestHeaders::from_request_parts(parts, services).await?;
        let state = parts.extensions.get::<Arc<DialectState>>().cloned().ok_or_else(ApiError::internal)?;
        Ok(Self { services: services.clone(), caller, headers, state })
    }
}

impl ReplyContext {
    /// The items of earlier replies.
    pub(crate) fn items(&self) -> Arc<Items> {
        self.state.items.clone()
    }

    /// A persona's answer, in the format of the dialect.
    pub(crate) async fn answer<F: ReplyFormat>(
        self,
        mut request: ReplyRequest,
        format: impl FnOnce(ReplyInfo) -> F,
    ) -> Result<Response, ApiError> {
        let Self { services, caller, headers, state } = self;
        request.disable_memory |= headers.disable_memory;
        let Target { persona, channel } = Target::of(&services, &request, &headers)?;
        let speaker = Speaker::of(&caller, &request)?;
        let reply = PendingReply {
            services: services.clone(),
            caller: caller.clone(),
            persona: persona.clone(),
            channel: channel.clone(),
            model: request.model.clone(),
            stream: request.stream,
            tools: request.tools.names(),
        };
        let Some(channel) = channel else {
            if let Some(field) = request.only_in_channel {
                return Err(without_channel(field));
            }
            let events = services.runtime.complete(completion(persona, speaker, request)?)?;
            let response = reply.live(events, None, format).await;
            return Ok(response.unwrap_or_else(|error| repeatable(error, |error| !is_final(error))));
        };
        check_in_channel(&services, &caller, &channel, &request).await?;
        let keyed = headers.key.is_some();
        // a separate task, because axum drops the handler when the client hangs up: the message is then either stored
        // and answered, or neither
        let sending = async move {
            let addressee = Addressee { services: &services, persona: &persona, channel: &channel };
            let sent = SentRequest { caller: &caller, speaker, request, headers: &headers };
            addressee.send(sent, &state.unanswered, state.started).await
        };
        let sent = tokio::spawn(sending.in_current_span()).await.map_err(|_| ApiError::internal())??;
        let response = match sent {
            ChannelReply::Live(events, pending) => reply.live(events, pending, format).await,
            ChannelReply::Stored(turn, end) => Ok(reply.stored(turn, end, format)),
        };
        // The message is stored. An SDK must not repeat it without a key, nor with one after a person has stopped the
        // reply.
        Ok(response.unwrap_or_else(|error| repeatable(error, |error| keyed && error.code != "cancelled")))
    }
}

/// The response of an error. It tells the SDKs whether they may repeat the request.
fn repeatable(error: ApiError, may_repeat: impl FnOnce(&ApiError) -> bool) -> Response {
    let may_repeat = may_repeat(&error);
    let mut response = error.into_response();
    if !may_repeat {
        response.headers_mut().insert(SHOULD_RETRY, HeaderValue::from_static("false"));
    }
    response
}

/// Whether an immediate repetition is useless: the endpoint refused the request, or the call was retried already (L5).
fn is_final(error: &ApiError) -> bool {
    let codes = [
        ErrorCode::Unauthorized,
        ErrorCode::ModelUnknown,
        ErrorCode::ModelRejected,
        ErrorCode::ModelUnreachable,
        ErrorCode::ModelTimeout,
        ErrorCode::ModelBroken,
        ErrorCode::RateLimited,
    ];
    codes.iter().any(|code| error.code == code.as_str())
}

/// Checks a request's options for a channel.
async fn check_in_channel(
    services: &Services,
    caller: &Caller,
    channel: &ChannelKey,
    request: &ReplyRequest,
) -> Result<(), ApiError> {
    caller.check_channel(channel)?;
    if let Some(previous) = request.previous {
        let turn = services.store.turn(previous).await?;
        turn.filter(|turn| turn.channel == *channel).ok_or_else(|| unknown_response(previous, channel))?;
    }
    if request.tools.schemas.is_empty() {
        return Ok(());
    }
    let message = "a channel keeps no tool calls: leave `tools` out, or leave the channel out and send the \
                   conversation";
    Err(ApiError::invalid(message).about("tools"))
}

/// The refusal of a field that has a meaning only in a channel.
fn without_channel(field: &'static str) -> ApiError {
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

/// A reply that is to be sent.
struct PendingReply {
    services: Services,
    caller: Caller,
    persona: PersonaName,
    channel: Option<ChannelKey>,
    /// The model's name as the client wrote it.
    model: String,
    stream: bool,
    /// The names of the client's tools.
    tools: Vec<String>,
}

impl PendingReply {
    /// The response of a turn that runs.
    async fn live<F: ReplyFormat>(
        self,
        events: TurnEvents,
        pending: Option<PendingMessage>,
        format: impl FnOnce(ReplyInfo) -> F,
    ) -> Result<Response, ApiError> {
        let Self { services, caller, persona, channel, model, stream, tools } = self;
        let mut events = ReplyEvents::new(events, persona, tools, &caller, &services);
        let turn = events.turn().await?;
        let format = format(ReplyInfo { turn, model, created: SystemClock.now(), stored: channel.is_some() });
        let acknowledgement = Acknowledgement { services, channel, pending };
        let response = match stream {
            true => delivery::stream(events, format, acknowledgement).await?,
            false => delivery::document(events, format, acknowledgement).await?,
        };
        Ok(with_turn(response, turn))
    }

    /// The response of a stored reply.
    fn stored<F: ReplyFormat>(
        self,
        turn: TurnId,
        end: ReplyEnd,
        format: impl FnOnce(ReplyInfo) -> F,
    ) -> Response {
        let info = ReplyInfo { turn, model: self.model, created: SystemClock.now(), stored: true };
        with_turn(delivery::stored(format(info), self.stream, end), turn)
    }
}

/// The turn of a request without a channel.
fn completion(persona: PersonaName, speaker: Speaker, request: ReplyRequest) -> Result<Completion, ApiError> {
    let ReplyRequest { messages, reply_options, tools, disable_memory, .. } = request;
    let Conversation { system, history, asked, since } = Conversation::of(speaker.own_names(messages))?;
    Ok(Completion {
        persona,
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

/// Adds the turn to a response.
fn with_turn(mut response: Response, turn: TurnId) -> Response {
    if let Ok(turn) = HeaderValue::try_from(turn.to_string()) {
        response.headers_mut().insert(TURN, turn);
    }
    response
}
