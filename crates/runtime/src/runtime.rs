//! [`Runtime`] is the handle through which the rest of the program uses the actors. It starts and stops them, sends
//! them commands, and reads their state. `sending.rs` accepts messages.

mod channels;
mod learning;
mod recovering;
mod sending;

use std::{convert::Infallible, sync::Arc, time::Duration};

use futures::future::join_all;
use greenroom_core::{ChannelKey, Envelope, EventId, MessageId, PersonaName, Timestamp, TurnId};
use greenroom_memory::IndexReport;
use greenroom_persona::{Answer, LimitSettings, Persona};
use greenroom_store::{Departure, StoreError};
use prometheus_client::registry::Registry;
use ractor::{Actor, ActorRef};
use tokio::sync::{mpsc, watch};

pub use self::{
    channels::{put_quiet, quiet_until},
    sending::Retry,
};
use crate::{
    ActorStatus, Answering, Completion, PersonaUsage, Preview, RuntimeError, RuntimeOptions, Subscription,
    Topic, TurnContext, TurnEvents,
    capture_actor::capture_the_rest,
    cast::{Cast, in_cast},
    gauges::Gauges,
    ledger::{DAY, HOUR},
    mailbox::{Done, SupervisorMsg},
    services::Services,
    supervisor::Supervisor,
    turn::{budget::standing, given::complete, preview::preview},
};

/// How long a shutdown may take after its grace period, to end interrupted turns and embed the texts that wait.
const LAST_WORK: Duration = Duration::from_secs(5);
/// The shortest time between two searches for idle channels.
const RELEASE_EVERY: Duration = Duration::from_secs(1);

/// Ends idle rooms and releases the memory of idle channels, until the runtime stops. It looks every `idle_after / 2`,
/// so it finds an idle channel at most that much late.
async fn release_idle(services: Arc<Services>, supervisor: ActorRef<SupervisorMsg>) {
    let releasing = async {
        loop {
            services.clock.sleep((services.settings.idle_after / 2).max(RELEASE_EVERY)).await;
            // a supervisor that has stopped has no rooms
            let _ = supervisor.send_message(SupervisorMsg::LookForIdle);
            services.release_idle().await;
        }
    };
    services.closing.run_until_cancelled(releasing).await;
}

/// A running cast. A value, not a global: several runtimes can run side by side. Clones are handles to the same
/// runtime. A runtime that is dropped without [`Runtime::shutdown`] ends with the tokio runtime.
#[derive(Clone)]
pub struct Runtime {
    services: Arc<Services>,
    supervisor: ActorRef<SupervisorMsg>,
    /// Identifies this run of the program.
    run: Arc<str>,
}

impl Runtime {
    /// Starts the supervisor and the memory actor; rooms wake with their first message.
    pub async fn start(options: RuntimeOptions) -> Result<Self, RuntimeError> {
        let services = Arc::new(Services::new(options));
        let run = services.run_id().into();
        // marks earlier erasures as followed: this process has shown nothing that they erased
        services.erasures.follow().await;
        let started = Supervisor::spawn(None, Supervisor, services.clone()).await;
        let (supervisor, _) = started.map_err(|_| RuntimeError::Stopped)?;
        tokio::spawn(release_idle(services.clone(), supervisor.clone()));
        Ok(Self { services, supervisor, run })
    }

    /// Answers a conversation that comes with the request, and stores nothing (see [`Completion`]). Dropping the events
    /// cancels the turn.
    ///
    /// # Errors
    /// If there is no such persona, or if it cannot answer now.
    pub fn complete(&self, completion: Completion) -> Result<TurnEvents, RuntimeError> {
        self.check_persona(Some(&completion.persona))?;
        // the turn begins at once, so its place in the queue is given back
        let (_, token) = self.services.directory.admit(&ChannelKey::nowhere())?;
        complete(&self.services, completion, token)
    }

    /// Marks a reply as shown, so that the next start does not show it again (GR6).
    pub async fn delivered(&self, channel: &ChannelKey, reply: MessageId) -> Result<(), RuntimeError> {
        let undelivered = self.services.store.outbox(channel).await?;
        if let Some(entry) = undelivered.iter().find(|entry| entry.reply.id == reply) {
            self.services.store.delivered(entry.id, self.services.now()).await?;
        }
        Ok(())
    }

    /// A watch on the count of replies that accounts on chat platforms have to deliver (AD1).
    pub fn replies(&self) -> watch::Receiver<u64> {
        self.services.replies.subscribe()
    }

    /// The present moment by the clock of the runtime.
    pub fn now(&self) -> Timestamp {
        self.services.now()
    }

    /// Assembles the context from which a turn would answer the message. Stores nothing and calls no model.
    pub async fn preview(&self, envelope: Envelope) -> Result<Preview, RuntimeError> {
        self.check_persona(envelope.to.as_ref())?;
        let persona = self.would_answer(&envelope)?;
        preview(&self.services, envelope, persona).await
    }

    /// The context from which a persona would answer the message in an interview. As [`preview`](Self::preview), and
    /// also for a persona that answers nothing in its rooms.
    pub async fn preview_of(
        &self,
        persona: &PersonaName,
        envelope: Envelope,
    ) -> Result<Preview, RuntimeError> {
        preview(&self.services, envelope, self.persona(persona)?).await
    }

    /// Stops the running replies and the waiting cues of a channel. Each ends with `cancelled`.
    pub async fn cancel(&self, channel: &ChannelKey) {
        // a runtime that is stopped has nothing to cancel
        let _ = self.tell(SupervisorMsg::Cancel(channel.clone()));
    }

    /// Resets a persona's context in a channel: later contexts begin after the newest message (WB14).
    pub async fn reset(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<(), RuntimeError> {
        self.check_persona(Some(persona))?;
        let newest = self.services.store.history(channel, None, 1).await?;
        if let Some(message) = newest.last() {
            self.services.store.reset_context(persona, channel, message.id).await?;
        }
        self.services.directory.context_reset(persona, channel);
        Ok(())
    }

    /// Replaces the cast (hot reload). Running turns keep the persona they began with. A removed persona finishes its
    /// turn and stops. When this resolves, a removed persona no longer hears what others say (GR2).
    pub async fn set_personas(&self, personas: Vec<impl Into<Arc<Persona>>>) {
        let before = self.services.cast.get();
        self.services.set_cast(personas.into_iter().map(Into::into).collect());
        self.tell_rooms(|done| SupervisorMsg::CastChanged { done }).await;
        let now = self.services.cast.get();
        let missing = |from: &Cast, other: &Cast| -> Vec<PersonaName> {
            let names = from.iter().map(|persona| persona.name.clone());
            names.filter(|name| in_cast(other, name).is_none()).collect()
        };
        self.leave_everywhere(&missing(&before, &now), Departure::Removed).await;
        self.return_everywhere(&missing(&now, &before)).await;
    }

    /// Lets every persona answer again. Personas that are not stopped stay as they are (WB15).
    pub async fn start_all(&self) -> Result<(), RuntimeError> {
        if self.services.directory.is_closed() {
            return Err(RuntimeError::Stopped);
        }
        self.services.directory.start_all();
        self.tell_rooms(|done| SupervisorMsg::CastChanged { done }).await;
        let names: Vec<_> = self.services.cast.get().iter().map(|persona| persona.name.clone()).collect();
        self.return_everywhere(&names).await;
        Ok(())
    }

    /// Stops every channel actor and waits until all have stopped (WB15). Running replies end with `cancelled`. New
    /// messages are stored and fail with `persona_stopped`.
    pub async fn stop_all(&self) {
        self.stop(self.services.cast.get().iter().map(|p| p.name.clone()).collect()).await;
    }

    /// Stops and starts one persona in every channel (WB15).
    pub async fn restart(&self, persona: &PersonaName) -> Result<(), RuntimeError> {
        self.stop_persona(persona).await?;
        self.start_persona(persona).await
    }

    /// Stops one persona in every channel and waits until it has stopped, as [`Runtime::stop_all`] does.
    pub async fn stop_persona(&self, persona: &PersonaName) -> Result<(), RuntimeError> {
        self.check_persona(Some(persona))?;
        self.stop(Arc::new([persona.clone()])).await;
        Ok(())
    }

    /// Lets one persona answer again. Does nothing if it is not stopped. The persona hears what is said from now on,
    /// but nothing that was said while it was stopped (GR2).
    pub async fn start_persona(&self, persona: &PersonaName) -> Result<(), RuntimeError> {
        self.check_persona(Some(persona))?;
        if self.services.directory.is_closed() {
            return Err(RuntimeError::Stopped);
        }
        self.services.directory.start(persona);
        self.tell_rooms(|done| SupervisorMsg::CastChanged { done }).await;
        self.return_everywhere(std::slice::from_ref(persona)).await;
        Ok(())
    }

    /// Whether a persona was stopped and not started since.
    pub fn is_stopped(&self, persona: &PersonaName) -> bool {
        self.services.directory.is_stopped(persona)
    }

    /// The current cast, sorted by name.
    pub fn cast(&self) -> Arc<[Arc<Persona>]> {
        self.services.cast.get()
    }

    /// One persona of the current cast.
    ///
    /// # Errors
    /// [`RuntimeError::UnknownPersona`].
    pub fn persona(&self, name: &PersonaName) -> Result<Arc<Persona>, RuntimeError> {
        let unknown =
            || RuntimeError::UnknownPersona { name: name.clone(), known: names(&self.services.cast.get()) };
        self.services.cast.persona(name).ok_or_else(unknown)
    }

    /// The model that answers a persona, if it is known.
    pub fn answering(&self, persona: &Persona) -> Option<Answering> {
        self.services.models.answering(persona)
    }

    /// Subscribes to the events from now on, or to those after `after` that are still kept. A subscription to a
    /// [`Topic::Turn`] without `after` begins with the turn's first event. Turns never wait for a listener: see
    /// [`NextEvent::Lagged`](crate::NextEvent::Lagged). Events that an erasure by any process concerns are left out
    /// (GR10).
    pub async fn subscribe(&self, topic: Topic, after: Option<EventId>) -> Subscription {
        self.services.erasures.follow().await;
        self.services.hub.subscribe(topic, after)
    }

    /// The id of the newest event. A subscription after it receives every later event.
    pub fn newest_event(&self) -> EventId {
        self.services.hub.newest()
    }

    /// Whether a subscription to an ended turn would receive all its events.
    pub async fn replays(&self, channel: &ChannelKey, turn: TurnId) -> bool {
        self.services.erasures.follow().await;
        self.services.hub.has_whole(channel, turn)
    }

    /// The id of this run of the program. Another run numbers its events differently.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// The context of a turn as it was sent to the model, if it is among the newest that this process keeps.
    pub async fn context(&self, turn: TurnId) -> Option<TurnContext> {
        self.services.erasures.follow().await;
        self.services.contexts.get(turn, self.services.settings.project_budget)
    }

    /// Drops what this process keeps of turns that an erasure concerns: their contexts, and the events for late
    /// listeners (GR10). Calls that return such data do this first. Current listeners still receive the later events.
    pub async fn follow_erasures(&self) {
        self.services.erasures.follow().await;
    }

    /// How many erasures may concern turns without a channel. When the number has changed, replies of such turns must
    /// not be used any more (GR10).
    pub fn forgotten(&self) -> u64 {
        self.services.erasures.unstored()
    }

    /// Every live or stopped channel actor with its state (WB13).
    pub fn status(&self) -> Vec<ActorStatus> {
        self.services.directory.status()
    }

    /// What each persona used within the last hour and the last day, compared with its limits (WB12).
    ///
    /// # Errors
    /// If the store fails.
    pub async fn usage(&self) -> Result<Vec<PersonaUsage>, RuntimeError> {
        let now = self.services.now();
        let mut rows = Vec::new();
        for persona in self.services.cast.get().iter() {
            let since = |window| self.services.store.used(&persona.name, now.before(window), now);
            let (hour, day) = (since(HOUR).await?, since(DAY).await?);
            let refused = self.services.ledger.refused(&persona.name);
            let standing = standing(&persona.limits, hour, day, refused);
            let LimitSettings { tokens_per_hour, cost_per_day, .. } = persona.limits;
            let persona = persona.name.clone();
            rows.push(PersonaUsage { persona, hour, day, tokens_per_hour, cost_per_day, standing });
        }
        Ok(rows)
    }

    /// The channels with a live room. The other rooms wake with their next message (GR9).
    pub fn rooms(&self) -> Vec<ChannelKey> {
        self.services.directory.rooms()
    }

    /// The live rooms of a chat: those of a channel and of its threads.
    pub fn rooms_of_chat(&self, channel: &ChannelKey) -> Vec<ChannelKey> {
        self.services.directory.rooms_of_chat(channel)
    }

    /// Whether the room of a channel is live.
    pub fn is_live(&self, channel: &ChannelKey) -> bool {
        self.services.directory.rooms.contains(channel)
    }

    /// Ends a room that has nothing to do, before `idle_after` has passed. The next message wakes it (GR9).
    pub fn rest(&self, channel: ChannelKey) {
        // a stopped runtime has no rooms
        let _ = self.tell(SupervisorMsg::Rest(channel));
    }

    /// Registers the counters and gauges of this runtime.
    pub fn register_metrics(&self, registry: &mut Registry) {
        self.services.metrics.register(registry);
        registry.register_collector(Box::new(Gauges(self.services.clone())));
    }

    /// Whether the runtime accepts no more messages (S10).
    pub fn is_stopping(&self) -> bool {
        self.services.directory.is_closed()
    }

    /// Resolves when, in all channels, no message waits, no turn runs, and no persona is about to answer a reply (SM3).
    pub async fn settled(&self) {
        self.services.directory.drained().await;
    }

    /// Captures all waiting exchanges now, and resolves when none is left. Await this before [`Runtime::shutdown`],
    /// which captures without a model (AS12).
    pub async fn captured(&self) {
        self.services.capture_queue.flush();
        // a stopped runtime has captured all exchanges already
        let _ = self.tell(SupervisorMsg::TurnOver);
        self.services.capture_queue.settled().await;
    }

    /// Refuses new messages, lets running turns end within `grace` and cancels the rest. Then it stops every actor,
    /// captures the waiting exchanges without a model, and embeds the texts that wait (S10).
    pub async fn shutdown(self, grace: Duration) {
        self.services.directory.close();
        let clock = &self.services.clock;
        let _ = clock.timeout(grace, self.services.directory.drained()).await;
        self.services.closing.cancel();
        let last_work = async {
            let _ = self.supervisor.stop_and_wait(None, None).await;
            capture_the_rest(&self.services).await;
            match self.services.cast.remembering() {
                personas if personas.is_empty() => Ok(IndexReport::default()),
                personas => self.services.memory.index_pending_of(&personas).await,
            }
        };
        let last_work = clock.timeout(LAST_WORK, last_work);
        let (ended, ()) = tokio::join!(last_work, self.services.tools.mcp.close());
        match ended {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(%error, "what waits to be embedded waits for the next start"),
            Err(_) => {
                tracing::warn!("ending took too long; what waits to be embedded waits for the next start")
            }
        }
    }

    async fn stop(&self, personas: Arc<[PersonaName]>) {
        for persona in personas.iter() {
            self.services.directory.stop(persona);
        }
        let names = personas.clone();
        self.tell_rooms(|done| SupervisorMsg::Stop { personas, done }).await;
        self.leave_everywhere(&names, Departure::Stopped).await;
    }

    /// Ends the presence of personas now, also in channels without a live room (RM1).
    async fn leave_everywhere(&self, personas: &[PersonaName], why: Departure) {
        let store = &self.services.store;
        let left = personas.iter().map(|persona| store.leave_everywhere(persona, why));
        noted(join_all(left).await);
    }

    async fn return_everywhere(&self, personas: &[PersonaName]) {
        let store = &self.services.store;
        noted(join_all(personas.iter().map(|persona| store.return_everywhere(persona))).await);
    }

    /// Sends every room a message, and waits until all of them have handled it.
    async fn tell_rooms(&self, message: impl FnOnce(Done) -> SupervisorMsg) {
        // closes when the last room has dropped its sender
        let (done, mut all_done) = mpsc::channel::<Infallible>(1);
        if self.tell(message(done)).is_ok() {
            let _ = all_done.recv().await;
        }
    }

    fn tell(&self, message: SupervisorMsg) -> Result<(), RuntimeError> {
        self.supervisor.send_message(message).map_err(|_| RuntimeError::Stopped)
    }

    fn check_persona(&self, name: Option<&PersonaName>) -> Result<(), RuntimeError> {
        name.map_or(Ok(()), |name| self.persona(name).map(drop))
    }

    /// The persona that would answer first: the addressed one, else one that answers everything. Cooldowns are ignored,
    /// because they will be over when the message is sent.
    fn would_answer(&self, envelope: &Envelope) -> Result<Arc<Persona>, RuntimeError> {
        let cast = self.services.cast.get();
        let message = &envelope.message;
        let mut addressed: Vec<_> = envelope.to.iter().cloned().collect();
        addressed.extend(self.services.cast.mentioned(&message.text));
        let always = cast.iter().filter(|persona| persona.room.answer == Answer::Always);
        let always = always.map(|persona| persona.name.clone());
        let first = addressed.into_iter().chain(envelope.default_persona.clone()).chain(always).next();
        let first = first.and_then(|name| self.services.cast.persona(&name));
        first.filter(|persona| persona.room.answer != Answer::Never).ok_or_else(|| {
            RuntimeError::NobodyAnswers { channel: message.channel.clone(), known: names(&cast) }
        })
    }
}

/// Logs which presence could not be stored. The next message of the channel stores it.
fn noted(written: Vec<Result<(), StoreError>>) {
    for error in written.into_iter().filter_map(Result::err) {
        tracing::warn!(%error, "who came and who went is stored with the next message");
    }
}

fn names(cast: &Cast) -> String {
    cast.iter().map(|persona| persona.name.as_str()).collect::<Vec<_>>().join(", ")
}
