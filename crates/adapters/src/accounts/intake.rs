//! The [`Inlet`] of an account: stores the events of its adapter and sends messages to their rooms. A message is stored
//! before the adapter gets the confirmation (AD1). A late message, or one above a limit, is stored but not answered
//! (AD7, S9).

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use greenroom_core::{ChannelKey, Envelope, PersonaName, Timestamp, Unanswered};
use greenroom_runtime::{NotEntered, NotLocked, Retry, RuntimeError};
use greenroom_store::{StoreError, Unfinished};
use tokio::{sync::Semaphore, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    RunningAccount,
    content::{author, described},
    quota::{TOO_MANY_CHATS, TOO_MUCH},
    settled::Settled,
};
use crate::{
    AuthorKind, ConnectionState, Event, Face, Inlet, LookedBack, Message, NotTaken, Person, Place, Request,
    Taken, text,
};

/// Concurrent requests to show typing. Further ones are dropped.
const TYPING: usize = 4;
/// The most people that `present` keeps per chat. Further people are not noted.
const PRESENT: usize = 1000;

/// The inlet of an account.
#[derive(Clone)]
pub(super) struct Intake {
    pub(super) account: Arc<RunningAccount>,
    typing: Arc<Semaphore>,
}

impl Intake {
    pub(super) fn new(account: Arc<RunningAccount>) -> Self {
        Self { account, typing: Arc::new(Semaphore::new(TYPING)) }
    }

    pub(super) fn key(&self, place: &Place) -> Option<ChannelKey> {
        let key = place.key(self.account.adapter.platform());
        key.inspect_err(
            |error| tracing::warn!(account = self.account.settings.name, %error, "an event is left out"),
        )
        .ok()
    }

    async fn message(&self, message: Message) -> Result<Taken, NotTaken> {
        if message.author.kind == AuthorKind::Ourselves {
            return Ok(Taken::Ignored);
        }
        let Some(channel) = self.key(&message.place) else { return Ok(Taken::Ignored) };
        let RunningAccount { early, store, runtime, .. } = &*self.account;
        if self.account.is_sent(&message.place, &channel, &message.event_id).await? {
            return Ok(Taken::Ignored);
        }
        let settled = Settled::of(&**store, &channel, &message).await?;
        if settled.is_replayed(message.said_at.unwrap_or_else(|| runtime.now())) {
            return Ok(Taken::Ignored);
        }
        let Some(message) = early.apply(&channel, message, &settled) else { return Ok(Taken::Ignored) };
        match self.command_line(&message) {
            Some(line) => self.run_once(&channel, &message, &line).await,
            None => self.said(channel, message).await,
        }
    }

    /// Stores a message that is no command, and sends it to its room.
    pub(super) async fn said(&self, channel: ChannelKey, message: Message) -> Result<Taken, NotTaken> {
        let RunningAccount { store, runtime, quota, left_out, .. } = &*self.account;
        let (person, now) = (&message.author.person, Instant::now());
        if !quota.permits_message(&person.id, now) {
            return Ok(self.account.leave_out(channel, TOO_MUCH));
        }
        // a thread of a known chat is no new chat
        let chat = Some((channel.provider(), channel.chat_id()));
        let is_new = !runtime.is_live(&channel) && store.channels(chat, None, 1).await?.is_empty();
        if is_new && !quota.permits_chat(now) {
            return Ok(self.account.leave_out(channel, TOO_MANY_CHATS));
        }
        left_out.forget(&channel);
        let Some(mut envelope) = self.envelope(&message, channel).await? else { return Ok(Taken::Ignored) };
        let why = self.why_unanswered(&message, message.said_at);
        envelope.unanswered = why;
        let taken = self.send(envelope, Some((&message.place, person))).await?;
        if taken == Taken::Stored {
            self.count(person, is_new, why.is_none(), why);
        }
        Ok(taken)
    }

    /// Converts a message for the runtime. `None` if the message is empty.
    pub(super) async fn envelope(
        &self,
        message: &Message,
        channel: ChannelKey,
    ) -> Result<Option<Envelope>, StoreError> {
        let text = described(&message.text, &message.attachments);
        if text.trim().is_empty() {
            return Ok(None);
        }
        let author = match author(&message.author.person) {
            Ok(author) => author,
            Err(error) => {
                let account = &self.account.settings.name;
                tracing::warn!(account, %channel, %error, "the message of a person is left out");
                return Ok(None);
            }
        };
        // the platform names the answered message by its own id, which differs for a reply of ours
        let reply_to = match &message.reply_to {
            Some(event) => Some(self.answered_event(&channel, event).await?),
            None => None,
        };
        let addressed = self.account.addressed(message);
        let mut said = greenroom_core::Message::new(channel, message.event_id.as_str(), author, text);
        said.reply_to = reply_to;
        Ok(Some(Envelope {
            to: addressed.only,
            default_persona: addressed.default,
            one_of: addressed.one_of,
            bot: message.author.kind == AuthorKind::Bot,
            group: message.group,
            said_at: message.said_at,
            images: self.account.fetches.images(&self.account.adapter, &message.attachments),
            ..Envelope::new(said)
        }))
    }

    /// The event id of the message with this platform id. If the message is a post in flight, its platform id may not
    /// be stored yet, so this waits for the outcome.
    async fn answered_event(&self, channel: &ChannelKey, event: &str) -> Result<String, StoreError> {
        let RunningAccount { store, in_flight, .. } = &*self.account;
        let mut known = store.message_of_event(channel, event).await?;
        if known.is_none() {
            in_flight.landed(channel).await;
            // ask the store even if nothing is in flight: the outcome may have been stored after the first query
            known = store.message_of_event(channel, event).await?;
        }
        Ok(known.map_or_else(|| event.to_owned(), |known| known.event_id))
    }

    /// Why a message gets no answer: it is late, or above its author's hourly limit. Bots are limited by the room
    /// instead.
    pub(super) fn why_unanswered(&self, message: &Message, said_at: Option<Timestamp>) -> Option<Unanswered> {
        let RunningAccount { settings, quota, runtime, .. } = &*self.account;
        let person = &message.author.person.id;
        if said_at.is_some_and(|at| runtime.now().since(at) > settings.stale_after) {
            return Some(Unanswered::Late);
        }
        let is_bot = message.author.kind == AuthorKind::Bot;
        (!is_bot && !quota.permits_answer(person, Instant::now())).then_some(Unanswered::Limit)
    }

    /// Counts a stored message. `is_new`: the message began a chat.
    pub(super) fn count(&self, person: &Person, is_new: bool, is_answered: bool, why: Option<Unanswered>) {
        self.account.quota.count(&person.id, is_new, is_answered, Instant::now());
        why.into_iter().for_each(|why| self.account.progress.not_answered(why));
    }

    /// Sends a message to its room. If the room's queue is full, the message is stored but not answered: waiting for
    /// the queue would block the account's other chats. `asker`: the person who gets a notice if the turns that answer
    /// the message fail.
    pub(super) async fn send(
        &self,
        envelope: Envelope,
        asker: Option<(&Place, &Person)>,
    ) -> Result<Taken, NotTaken> {
        let RunningAccount { runtime, chats, settings, .. } = &*self.account;
        let channel = envelope.message.channel.clone();
        // bots get no notices, because two bots could answer each other's notices without end
        let asker = asker.filter(|_| !envelope.bot);
        let _entered = chats.enter(runtime, &channel).await.map_err(not_entered)?;
        let sent = match runtime.send(envelope.clone()).await {
            Err(RuntimeError::Busy { waiting, .. }) => {
                tracing::warn!(account = settings.name, %channel, waiting, "a message is stored and not answered");
                self.account.progress.not_answered(Unanswered::Full);
                runtime.send(Envelope { unanswered: Some(Unanswered::Full), ..envelope }).await
            }
            sent => sent,
        };
        match sent {
            Ok(sent) if sent.duplicate => Ok(Taken::Duplicate),
            Ok(sent) => {
                if let Some((persona, _)) = sent.answering.first() {
                    self.account.progress.answered();
                    self.show_typing(&channel, persona);
                    if let Some((place, person)) = asker {
                        self.account.failures.watch(
                            &self.account,
                            place.clone(),
                            person.clone(),
                            sent.message,
                            sent.events,
                        );
                    }
                }
                Ok(Taken::Stored)
            }
            // the room stores a message before its turn can crash
            Err(RuntimeError::Crashed { .. }) => Ok(Taken::Stored),
            Err(RuntimeError::Store(error)) => Err(error.into()),
            Err(error) if RunningAccount::stopped(&error) => Err(NotTaken::Stopped),
            Err(error) => Err(StoreError::Other(error.to_string()).into()),
        }
    }

    /// Answers a message whose turn a crash ended, unless the message is too old by now.
    pub(super) async fn answer_again(&self, left: Unfinished) -> Result<(), NotTaken> {
        let RunningAccount { runtime, chats, settings, .. } = &*self.account;
        let message = left.message;
        if runtime.now().since(message.at) > settings.stale_after {
            self.account.progress.not_answered(Unanswered::Late);
            return Ok(());
        }
        let usual = || self.account.usual_persona(&self.account.settings);
        let persona = left.turn.map(|(_, persona)| persona).or_else(usual);
        let Some(persona) = persona else { return Ok(()) };
        let channel = message.channel.clone();
        let _entered = chats.enter(runtime, &channel).await.map_err(not_entered)?;
        let again = Retry {
            channel,
            message: message.id,
            persona,
            project: None,
            disable_memory: false,
            force: false,
        };
        match runtime.retry(again).await {
            Ok(_) => Ok(()),
            // the persona may not answer it any more
            Err(error @ (RuntimeError::NotRetried { .. } | RuntimeError::DeadLetter { .. })) => {
                tracing::warn!(%error, "a message that a crash left unanswered stays so");
                Ok(())
            }
            Err(RuntimeError::Store(error)) => Err(error.into()),
            Err(error) => Err(StoreError::Other(error.to_string()).into()),
        }
    }

    /// Shows that a persona is typing. Errors are ignored, because this is optional.
    fn show_typing(&self, channel: &ChannelKey, persona: &PersonaName) {
        let Ok(permit) = self.typing.clone().try_acquire_owned() else { return };
        let (adapter, face) = (self.account.adapter.clone(), self.account.face(persona));
        let request = Request::Typing { place: Place::of(channel), face };
        tokio::spawn(async move {
            adapter.perform(request).await;
            drop(permit);
        });
    }

    /// Notes the author of a message as present, in chats where the platform reports who joins and leaves.
    fn note_speaker(&self, place: &Place, person: &Person) {
        let there = self.key(place).and_then(|channel| self.account.present.get_mut(&channel));
        if let Some(mut there) = there.filter(|there| there.len() < PRESENT) {
            there.entry(person.id.clone()).or_insert_with(|| text::clean_name(&person.name, &person.id));
        }
    }

    fn note_presence(&self, place: &Place, person: Person, came: bool) {
        let Some(channel) = self.key(place) else { return };
        let mut present = self.account.present.entry(channel).or_default();
        if !came || self.account.is_another_account(place, &person) {
            present.remove(&person.id);
        } else if present.len() < PRESENT {
            present.insert(person.id.clone(), text::clean_name(&person.name, &person.id));
        }
    }
}

#[async_trait]
impl Inlet for Intake {
    async fn take(&self, mut event: Event) -> Result<Taken, NotTaken> {
        if let Event::Message(Message { place, author, .. }) = &mut event
            && self.account.is_another_account(place, &author.person)
        {
            author.kind = AuthorKind::Ourselves;
        }
        let said_at: Option<Timestamp> = match &event {
            Event::Message(message) => message.said_at,
            _ => None,
        };
        match &event {
            Event::Message(said) if said.author.kind == AuthorKind::Person => {
                self.note_speaker(&said.place, &said.author.person);
            }
            Event::Command(call) => self.note_speaker(&call.place, &call.person),
            _ => {}
        }
        let taken = match event {
            Event::Message(message) => self.message(message).await,
            Event::Edited(edit) => self.edited(edit.message).await,
            Event::Deleted { place, event_id, by } => self.deleted(&place, &event_id, by.as_deref()).await,
            Event::Command(call) => {
                // a platform shows an answer that is bound to a call only to the caller
                let in_private = call.answer_to.is_some();
                self.command(&call.place, &call.person, &call.line, call.answer_to, in_private, None).await
            }
            Event::Joined { place, person } => {
                self.note_presence(&place, person, true);
                Ok(Taken::Ignored)
            }
            Event::Left { place, person } => {
                self.note_presence(&place, person, false);
                Ok(Taken::Ignored)
            }
        };
        if taken.is_ok() {
            self.account.progress.event(self.account.runtime.now(), said_at);
        }
        taken
    }

    async fn cursor(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.account.store.cursor(&self.account.settings.name, name).await
    }

    async fn keep_cursor(&self, name: &str, value: &str) -> Result<(), StoreError> {
        self.account.store.keep_cursor(&self.account.settings.name, name, value).await
    }

    fn report(&self, connection: ConnectionState) {
        let RunningAccount { progress, settings, wake, retractions, present, .. } = &*self.account;
        match connection {
            ConnectionState::Connecting => {
                progress.connecting();
                // the platform reports again who is present
                present.clear();
            }
            ConnectionState::Online { as_user } => {
                tracing::info!(account = settings.name, as_user, "an account is online");
                progress.online(as_user);
                wake.notify_one();
                retractions.send_replace(());
            }
        }
    }

    fn looked_back(&self, looked: LookedBack) {
        let account = &self.account.settings.name;
        match (&looked.since, looked.complete) {
            (_, true) => tracing::info!(account, "everything since the last event was seen"),
            (Some(since), false) => {
                tracing::warn!(account, since = since.0, "events before this moment may be missing");
            }
            (None, false) => {
                tracing::warn!(account, "the platform keeps nothing: events of the absence are missing")
            }
        }
        self.account.progress.looked_back(looked);
    }

    fn refused(&self, channel: &str, persona: Option<&PersonaName>, why: Option<&str>) {
        self.account.progress.refused(channel, persona, why);
    }

    fn asked_to_wait(&self, wait: Duration) {
        self.account.progress.waits_until(self.account.runtime.now().after(wait));
    }

    fn faces(&self) -> Vec<Face> {
        self.account.faces()
    }

    fn closing(&self) -> CancellationToken {
        self.account.closing.clone()
    }
}

fn not_entered(error: NotEntered) -> NotTaken {
    match error {
        NotEntered::NotLocked(NotLocked::Elsewhere(why)) => NotTaken::Elsewhere(why),
        NotEntered::NotLocked(error) => StoreError::Other(error.to_string()).into(),
        NotEntered::Runtime(RuntimeError::Store(error)) => error.into(),
        NotEntered::Runtime(error) if RunningAccount::stopped(&error) => NotTaken::Stopped,
        NotEntered::Runtime(error) => StoreError::Other(error.to_string()).into(),
    }
}
