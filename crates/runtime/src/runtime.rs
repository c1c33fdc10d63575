//! The handle that the rest of the program holds. `sending.rs` takes messages in.

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

/// How long a shutdown may go on after its grace: to end broken-off turns and embed what waits.
const LAST_WORK: Duration = Duration::from_secs(5);
/// Idle channels are looked for no more often than this.
const RELEASE_EVERY: Duration = Duration::from_secs(1);

/// Lets idle rooms go and releases the memory of idle channels again and again, until the runtime stops. What has been
/// idle for `idle_after` is found half of that time later at the latest.
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

/// A running cast. A value, not a global: several live side by side. Clones are handles to the
/// same runtime; one that is dropped without [`Runtime::shutdown`] ends with the tokio runtime.
#[derive(Clone)]
pub struct Runtime {
    services: Arc<Services>,
    supervisor: ActorRef<SupervisorMsg>,
    /// Tells this run of the program from others.
    run: Arc<str>,
}

impl Runtime {
    /// Starts the supervisor and the memory actor; rooms wake with their first message.
    pub async fn start(options: RuntimeOptions) -> Result<Self, RuntimeError> {
        let services = Arc::new(Services::new(options));
        let run = services.run_id().into();
        // nothing of what was erased before was told here
        services.erasures.follow().await;
        let started = Supervisor::spawn(None, Supervisor, services.clone()).await;
        let (supervisor, _) = started.map_err(|_| RuntimeError::Stopped)?;
        tokio::spawn(release_idle(services.clone(), supervisor.clone()));
        Ok(Self { services, supervisor, run })
    }

    /// Answers a conversation that comes with the request; nothing is stored (see [`Completion`]). The turn is cancelled
    /// when the events are dropped.
    ///
    /// # Errors
    /// Where there is no such persona, or it answers nobody now.
    pub fn complete(&self, completion: Completion) -> Result<TurnEvents, RuntimeError> {
        self.check_persona(Some(&completion.persona))?;
        // nothing waits there: the place in the queue is given back at once
        let (_, token) = self.services.directory.admit(&ChannelKey::nowhere())?;
        complete(&self.services, completion, token)
    }

    /// Notes that a reply was shown, so that it is not shown again at the next start (GR6).
    pub async fn delivered(&self, channel: &ChannelKey, reply: MessageId) -> Result<(), RuntimeError> {
        let undelivered = self.services.store.outbox(channel).await?;
        if let Some(entry) = undelivered.iter().find(|entry| entry.reply.id == reply) {
            self.services.store.delivered(entry.id, self.services.now()).await?;
        }
        Ok(())
    }

    /// Changes with each reply that is to be delivered to a chat platform (AD1).
    pub fn replies(&self) -> watch::Receiver<u64> {
        self.services.replies.subscribe()
    }

    /// The present moment by the clock of the runtime.
    pub fn now(&self) -> Timestamp {
        self.services.now()
    }

    /// Assembles the context that a message would be answered from, as a turn does. Stores nothing and calls no model.
    pub async fn preview(&self, envelope: Envelope) -> Result<Preview, RuntimeError> {
        self.check_persona(envelope.to.as_ref())?;
        let persona = self.would_answer(&envelope)?;
        preview(&self.services, envelope, persona).await
    }

    /// Stops the running replies of a channel and what waits there; each ends with `cancelled`.
    pub async fn cancel(&self, channel: &ChannelKey) {
        // a runtime that is stopped has nothing to cancel
        let _ = self.tell(SupervisorMsg::Cancel(channel.clone()));
    }

    /// Starts a persona's context in a channel afresh (WB14).
    pub async fn reset(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<(), RuntimeError> {
        self.check_persona(Some(persona))?;
        let newest = self.services.store.history(channel, None, 1).await?;
        if let Some(message) = newest.last() {
            self.services.store.reset_context(persona, channel, message.id).await?;
        }
        self.services.directory.context_reset(persona, channel);
        Ok(())
    }

    /// Takes in a changed cast (hot reload): turns that run keep the persona they began with. A
    /// persona that is gone finishes its turn and stops; by the time this resolves it hears nothing of
    /// what others say (GR2).
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

    /// Lets every persona answer again; does nothing to those that can already (WB15).
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

    /// Stops every channel actor and waits until all have (WB15). Running replies end with
    /// `cancelled`; messages that come now are stored and fail with `persona_stopped`.
    pub async fn stop_all(&self) {
        self.stop(self.services.cast.get().iter().map(|p| p.name.clone()).collect()).await;
    }

    /// Stops and starts one persona in every channel (WB15).
    pub async fn restart(&self, persona: &PersonaName) -> Result<(), RuntimeError> {
        self.stop_persona(persona).await?;
        self.start_persona(persona).await
    }

    /// Stops one persona in every channel and waits until it has, as [`Runtime::stop_all`] does.
    pub async fn stop_persona(&self, persona: &PersonaName) -> Result<(), RuntimeError> {
        self.check_persona(Some(persona))?;
        self.stop(Arc::new([persona.clone()])).await;
        Ok(())
    }

    /// Lets one persona answer again; does nothing to one that can already. It hears what is said from now on,
    /// and not what was said while it was stopped (GR2).
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

    /// The cast as it is now, in the order of the names.
    pub fn cast(&self) -> Arc<[Arc<Persona>]> {
        self.services.cast.get()
    }

    /// One of the cast as it is now.
    ///
    /// # Errors
    /// [`RuntimeError::UnknownPersona`].
    pub fn persona(&self, name: &PersonaName) -> Result<Arc<Persona>, RuntimeError> {
        let unknown =
            || RuntimeError::UnknownPersona { name: name.clone(), known: names(&self.services.cast.get()) };
        self.services.cast.persona(name).ok_or_else(unknown)
    }

    /// Which model answers a persona, where that is known.
    pub fn answering(&self, persona: &Persona) -> Option<Answering> {
        self.services.models.answering(persona)
    }

    /// Listens to events from now on, or from the event after `after` on, as far as the events are still there. A
    /// [`Topic::Turn`] without `after` is heard from its beginning. Turns never wait for a listener: see
    /// [`NextEvent::Lagged`](crate::NextEvent::Lagged). What was erased before, by any process, is not told (GR10).
    pub async fn subscribe(&self, topic: Topic, after: Option<EventId>) -> Subscription {
        self.services.erasures.follow().await;
        self.services.hub.subscribe(topic, after)
    }

    /// The newest event: a listener that subscribes after it hears everything from now on.
    pub fn newest_event(&self) -> EventId {
        self.services.hub.newest()
    }

    /// Whether a listener would hear a turn that has ended from its beginning.
    pub async fn replays(&self, channel: &ChannelKey, turn: TurnId) -> bool {
        self.services.erasures.follow().await;
        self.services.hub.has_whole(channel, turn)
    }

    /// The id of this run of the program: events of another run have other numbers.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// The context of a turn as it went to the model, while it is among the newest of this process.
    pub async fn context(&self, turn: TurnId) -> Option<TurnContext> {
        self.services.erasures.follow().await;
        self.services.contexts.get(turn, self.services.settings.project_budget)
    }

    /// Forgets at once what this process still knows of turns where something was erased: their contexts and the events
    /// for late listeners (GR10). Calls that tell of them do this by themselves first. Present listeners hear the rest.
    pub async fn follow_erasures(&self) {
        self.services.erasures.follow().await;
    }

    /// How often something was erased that a turn without a channel may have been shown. What was kept of the replies of
    /// such turns is not to be used any more when the number has changed (GR10).
    pub fn forgotten(&self) -> u64 {
        self.services.erasures.unstored()
    }

    /// Every live or stopped channel actor and what it does (WB13).
    pub fn status(&self) -> Vec<ActorStatus> {
        self.services.directory.status()
    }

    /// What every persona used within the last hour and the last day, and where it stands (WB12).
    ///
    /// # Errors
    /// Where the store fails.
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

    /// The channels whose rooms are live; the others wake with their next message (GR9).
    pub fn rooms(&self) -> Vec<ChannelKey> {
        self.services.directory.rooms()
    }

    /// The live rooms of a chat: of a channel and its threads.
    pub fn rooms_of_chat(&self, channel: &ChannelKey) -> Vec<ChannelKey> {
        self.services.directory.rooms_of_chat(channel)
    }

    /// Whether the room of a channel is live.
    pub fn is_live(&self, channel: &ChannelKey) -> bool {
        self.services.directory.rooms.contains(channel)
    }

    /// Lets a room go that has nothing to do, before it has been idle for long. The next message wakes it (GR9).
    pub fn rest(&self, channel: ChannelKey) {
        // a runtime that is stopped has no rooms
        let _ = self.tell(SupervisorMsg::Rest(channel));
    }

    /// Registers the counters and gauges of this runtime.
    pub fn register_metrics(&self, registry: &mut Registry) {
        self.services.metrics.register(registry);
        registry.register_collector(Box::new(Gauges(self.services.clone())));
    }

    /// Whether it takes no more messages (S10).
    pub fn is_stopping(&self) -> bool {
        self.services.directory.is_closed()
    }

    /// Resolves when no message waits, no turn runs and nobody is about to answer a reply, in any channel (SM3).
    pub async fn settled(&self) {
        self.services.directory.drained().await;
    }

    /// Captures at once what waits, and resolves when nothing is left. To be awaited before [`Runtime::shutdown`], which
    /// asks no model any more (AS12).
    pub async fn captured(&self) {
        self.services.capture_queue.flush();
        // a runtime that is stopped has captured what waited
        let _ = self.tell(SupervisorMsg::TurnOver);
        self.services.capture_queue.settled().await;
    }

    /// Refuses new messages, lets running turns end within `grace` and cancels the rest, captures and embeds what waits
    /// as far as no model is needed, and stops every actor (S10).
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

    /// Presence ends at this moment, also in channels without a live room (RM1).
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
        // closed when the last room has dropped its end
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

    /// The persona that would answer first: whom it addresses, else one that answers everything. A cooldown is over by
    /// the time the message is sent.
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

/// What of presence could not be stored is stored with the next message of its channel.
fn noted(written: Vec<Result<(), StoreError>>) {
    for error in written.into_iter().filter_map(Result::err) {
        tracing::warn!(%error, "who came and who went is stored with the next message");
    }
}

fn names(cast: &Cast) -> String {
    cast.iter().map(|persona| persona.name.as_str()).collect::<Vec<_>>().join(", ")
}
