//! The turns that answer a message. Each is collected from its events, or read from the store when its events are no
//! longer in memory.

use std::sync::Arc;

use futures::{StreamExt, stream, stream::BoxStream};
use greenroom_core::{
    ChatEvent, ErrorCode, EventId, Finish, MemorySnippet, MessageId, NoticeCode, PersonaName, Receipt,
    SharedReceipt, TurnEvent, TurnId, Usage, reply_event,
};
use greenroom_runtime::{NextEvent, Subscription, Topic, last_event};
use greenroom_store::{Turn, TurnState};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    receipt::mark_edited,
    stream::{Frame, Listener, StreamItem},
};
use crate::{ApiError, Caller, Services};

/// The answer to a message.
#[derive(Debug, Serialize, ToSchema)]
pub struct Answer {
    /// The stored message.
    pub message_id: MessageId,
    /// The id of the message in its channel, for `reply_to` of another message.
    pub event_id: String,
    /// Whether the message had been sent before; the turns are then those of the first time.
    pub duplicate: bool,
    /// The turns that answer it, in order; empty if no persona does.
    pub turns: Vec<TurnAnswer>,
}

/// The turn of one persona.
#[derive(Debug, Serialize, ToSchema)]
pub struct TurnAnswer {
    /// The turn. If it answers several messages, it is the turn of the last of them.
    pub turn_id: TurnId,
    /// The persona.
    pub persona: PersonaName,
    /// Why this persona answers; not known of a turn read from the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The state.
    pub state: TurnState,
    /// The reply; of a cancelled turn, its part until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The stored reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// The id of the reply in its channel, for `reply_to` of another message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// How the reply ended; not known of a turn read from the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
    /// Tokens and cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The error, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    /// The error and its remedy, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The recalled memories, best first; not known of a turn read from the store.
    #[schema(value_type = Vec<MemorySnippet>)]
    pub memories: Arc<[MemorySnippet]>,
    /// The receipt of the context.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Receipt>)]
    pub receipt: Option<SharedReceipt>,
    /// Notices for the person.
    pub notices: Vec<Notice>,
}

/// A notice for the person.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct Notice {
    /// For programs.
    pub code: NoticeCode,
    /// For people.
    pub message: String,
}

impl TurnAnswer {
    fn new(turn_id: TurnId, persona: PersonaName, state: TurnState) -> Self {
        Self {
            turn_id,
            persona,
            why: None,
            state,
            text: None,
            message_id: None,
            event_id: None,
            finish: None,
            usage: None,
            code: None,
            message: None,
            memories: Arc::default(),
            receipt: None,
            notices: Vec::new(),
        }
    }

    /// A turn whose end is not waited for.
    pub fn waiting(turn: &Turn) -> Self {
        Self::new(turn.id, turn.persona.clone(), turn.state)
    }

    /// The answer, reduced to what a caller may see.
    pub fn visible_to(mut self, caller: &Caller) -> Self {
        self.receipt = self.receipt.map(|receipt| caller.visible_receipt(receipt));
        for notice in &mut self.notices {
            notice.message = caller.visible_notice(notice.code, std::mem::take(&mut notice.message));
        }
        if let Some(code) = self.code {
            self.message = self.message.map(|message| caller.visible_failure(code, message));
        }
        self
    }

    /// Adds an event.
    fn add(&mut self, event: &ChatEvent) {
        match event {
            ChatEvent::TurnStarted { why, .. } => self.why = Some(why.clone()),
            ChatEvent::MemoryContext { memories } => self.memories = memories.clone(),
            ChatEvent::ContextAssembled { receipt } => self.receipt = Some(receipt.clone()),
            ChatEvent::Notice { code, message } => {
                self.notices.push(Notice { code: *code, message: message.clone() });
            }
            ChatEvent::Done { text, message_id, finish, usage } => {
                self.state = TurnState::Done;
                (self.text, self.message_id) = (Some(text.clone()), Some(*message_id));
                self.event_id = Some(reply_event(self.turn_id));
                (self.finish, self.usage) = (Some(*finish), Some(*usage));
            }
            ChatEvent::Failed { code, message } => {
                self.state = TurnState::Failed;
                (self.code, self.message) = (Some(*code), Some(message.clone()));
                if *code == ErrorCode::ForgottenMeanwhile {
                    // they contain forgotten items (GR10)
                    (self.memories, self.receipt) = (Arc::default(), None);
                    self.notices.clear();
                }
            }
            ChatEvent::Cancelled { text } => {
                (self.state, self.text) = (TurnState::Cancelled, Some(text.clone()));
            }
            // the subscription has no deltas: the last event contains the text
            ChatEvent::TokenDelta { .. }
            | ChatEvent::ReplyDiscarded { .. }
            | ChatEvent::ToolCall { .. }
            | ChatEvent::ToolResult { .. } => {}
        }
    }
}

/// A turn that is followed to its end.
pub enum FollowedTurn {
    /// Its events are in memory, or still to come.
    Live(Subscription),
    /// It ended, and only the store has it.
    Stored(Box<StoredTurn>),
}

/// A turn that ended, as it is stored.
pub struct StoredTurn {
    turn: Turn,
    text: Option<String>,
}

/// Follows a turn that may have ended long ago, from its beginning or from after an event.
///
/// # Errors
/// 404 if there is none, 503 if the store fails.
pub async fn follow(
    services: &Services,
    turn: &Turn,
    after: Option<EventId>,
) -> Result<FollowedTurn, ApiError> {
    // subscribed before the store is read, so that no event in between is missed
    let topic = Topic::Turn(turn.channel.clone(), turn.id);
    let subscription = services.runtime.subscribe(topic, after).await;
    let turn = read(services, turn.id).await?;
    if !has_ended(turn.state) {
        return Ok(FollowedTurn::Live(subscription));
    }
    if services.runtime.replays(&turn.channel, turn.id).await {
        return Ok(FollowedTurn::Live(subscription.of_ended_turn()));
    }
    Ok(FollowedTurn::Stored(Box::new(StoredTurn::of(services, turn).await?)))
}

/// A stored turn. For a coalesced turn, returns the turn that answers its message.
async fn read(services: &Services, id: TurnId) -> Result<Turn, ApiError> {
    let turn = services.store.turn(id).await?.ok_or_else(|| unknown(id))?;
    if turn.state != TurnState::Coalesced {
        return Ok(turn);
    }
    let answers = services.store.answers(turn.trigger).await?;
    Ok(answers.into_iter().find(|answer| answer.persona == turn.persona).unwrap_or(turn))
}

/// The error for a turn that does not exist, or that the caller may not see.
pub fn unknown(id: TurnId) -> ApiError {
    ApiError::not_found("unknown_turn", format!("there is no turn {id} that you may see"))
}

/// The stored reply of a turn.
///
/// # Errors
/// 503 if the store fails.
pub async fn text_of(services: &Services, turn: &Turn) -> Result<Option<String>, ApiError> {
    Ok(match turn.reply {
        Some(reply) => services.store.message(reply).await?.map(|message| message.text),
        None => None,
    })
}

fn has_ended(state: TurnState) -> bool {
    !matches!(state, TurnState::Waiting | TurnState::Running)
}

impl StoredTurn {
    async fn of(services: &Services, mut turn: Turn) -> Result<Self, ApiError> {
        mark_edited(services, &mut turn).await?;
        Ok(Self { text: text_of(services, &turn).await?, turn })
    }

    /// The events that can be reconstructed from the store: begin, context, end.
    fn frames(self, run: &str, caller: &Caller) -> Vec<Frame> {
        let Self { turn, text } = self;
        let model = turn.receipt.as_ref().map_or_else(|| "none".to_owned(), |receipt| receipt.model.clone());
        let started =
            ChatEvent::TurnStarted { trigger: turn.trigger, model, why: "read from the store".into() };
        let context = turn.receipt.clone().map(|receipt| caller.visible_receipt(receipt));
        let last = last_event(&turn, text);
        let events =
            [Some(started), context.map(|receipt| ChatEvent::ContextAssembled { receipt }), Some(last)];
        let frame = |event| {
            let event = TurnEvent {
                id: EventId::default(),
                turn_id: turn.id,
                persona: turn.persona.clone(),
                channel: turn.channel.clone(),
                event,
            };
            let mut frame = Frame::event(run, &event);
            // the store does not record how the reply ended
            if let (ChatEvent::Done { .. }, Ok(serde_json::Value::Object(mut done))) =
                (&event.event, serde_json::to_value(&event))
            {
                done.remove("finish");
                frame.data = serde_json::Value::Object(done).to_string();
            }
            frame
        };
        events.into_iter().flatten().map(frame).collect()
    }

    fn answer(self) -> TurnAnswer {
        let Self { turn, text } = self;
        TurnAnswer {
            text,
            message_id: turn.reply,
            event_id: turn.reply.map(|_| reply_event(turn.id)),
            usage: Some(turn.usage),
            code: turn.code,
            message: turn.message.filter(|_| turn.code.is_some()),
            receipt: turn.receipt,
            ..TurnAnswer::new(turn.id, turn.persona, turn.state)
        }
    }
}

/// The events of a followed turn.
pub fn events_of(services: &Services, caller: &Caller, turn: FollowedTurn) -> BoxStream<'static, StreamItem> {
    match turn {
        FollowedTurn::Live(subscription) => {
            Listener::of(services, caller, subscription, true).stream().boxed()
        }
        FollowedTurn::Stored(stored) => {
            stream::iter(stored.frames(services.runtime.run(), caller)).map(StreamItem::Frame).boxed()
        }
    }
}

/// Waits for the end of a turn.
///
/// # Errors
/// 503 if the store fails.
pub async fn await_end(services: &Services, id: TurnId, turn: FollowedTurn) -> Result<TurnAnswer, ApiError> {
    let mut subscription = match turn {
        FollowedTurn::Stored(stored) => return Ok(stored.answer()),
        FollowedTurn::Live(subscription) => subscription.without_deltas(),
    };
    let mut answer: Option<TurnAnswer> = None;
    let mut complete = true;
    while let Some(heard) = subscription.next().await {
        let event = match heard {
            NextEvent::Event(event) => event,
            // events were dropped: after the end, the answer is read from the store
            missed @ (NextEvent::Missed | NextEvent::Lagged) => {
                complete = false;
                if missed == NextEvent::Lagged {
                    let turn = read(services, id).await?;
                    let topic = Topic::Turn(turn.channel, id);
                    subscription = services.runtime.subscribe(topic, None).await.without_deltas();
                }
                // the turn may have ended before the subscription
                if has_ended(read(services, id).await?.state) {
                    break;
                }
                continue;
            }
        };
        let TurnEvent { turn_id, persona, event, .. } = &*event;
        let begin = || TurnAnswer::new(*turn_id, persona.clone(), TurnState::Running);
        answer.get_or_insert_with(begin).add(event);
        if event.is_last() {
            break;
        }
    }
    match answer.filter(|answer| complete && has_ended(answer.state)) {
        Some(answer) => Ok(answer),
        None => {
            let turn = read(services, id).await?;
            Ok(StoredTurn::of(services, turn).await?.answer())
        }
    }
}

/// How the reply of an ended turn finished, while its events are in memory.
///
/// # Errors
/// 503 if the store fails.
pub(crate) async fn finish_of(services: &Services, turn: &Turn) -> Result<Option<Finish>, ApiError> {
    let followed = follow(services, turn, None).await?;
    Ok(await_end(services, turn.id, followed).await?.finish)
}
