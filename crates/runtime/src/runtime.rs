//! The handle the rest of the program holds: start, stop, look. How a message is handed in stands in `sending.rs`.

mod sending;

use std::{
    convert::Infallible,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use greenroom_core::{Author, ChannelKey, EventId, MessageId, PersonaName, TurnId};
use greenroom_memory::IndexReport;
use greenroom_persona::{LimitSettings, Persona};
use greenroom_store::Unfinished;
use prometheus_client::registry::Registry;
use ractor::{Actor, ActorRef};
use tokio::sync::mpsc;

use crate::{
    ActorStatus, Answering, Completion, Inbound, PersonaUsage, Preview, RuntimeError, RuntimeOptions,
    Subscription, Topic, TurnContext, TurnEvents,
    capture_actor::capture_the_rest,
    floor::{Floor, decide, mentions_somebody},
    ledger::{DAY, HOUR},
    metrics::Present,
    services::{Cast, Services},
    supervisor::{Supervisor, SupervisorMsg},
    turn,
};

/// Events a reader may be behind before the reply waits for it.
const EVENTS: usize = 64;
/// What of a shutdown lies beyond the grace: ending broken-off turns, embedding what waits.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// Idle memory is let go no more often than this.
const SELDOM: Duration = Duration::from_secs(1);

/// Lets go of idle channels' memory again and again, until the runtime stops.
async fn release_idle(services: Arc<Services>) {
    let releasing = async {
        loop {
            tokio::time::sleep(services.idle_after.max(SELDOM)).await;
            services.release_idle();
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
}

impl Runtime {
    /// Starts the supervisor and the memory actor; rooms wake with their first message.
    pub async fn start(options: RuntimeOptions) -> Result<Self, RuntimeError> {
        let services = Arc::new(Services::new(options));
        // what was erased before was told to nobody here
        services.follow_erasures().await;
        let started = Supervisor::spawn(None, Supervisor, services.clone()).await;
        let (supervisor, _) = started.map_err(|_| RuntimeError::Stopped)?;
        tokio::spawn(release_idle(services.clone()));
        Ok(Self { services, supervisor })
    }

    /// Ends what a crash left unfinished in a channel and says what that was (S1). To be called
    /// by the owner of the channel before its first message.
    pub async fn recover(&self, channel: &ChannelKey) -> Result<Vec<Unfinished>, RuntimeError> {
        Ok(self.services.store.close_unfinished(channel, self.services.now()).await?)
    }

    /// Plays a turn of given messages, which stores nothing (see [`Completion`]). Ends with `cancelled`
    /// when the events are no longer listened to.
    ///
    /// # Errors
    /// Where there is no such persona, or it answers nobody now.
    pub fn complete(&self, completion: Completion) -> Result<TurnEvents, RuntimeError> {
        self.known(Some(&completion.persona))?;
        // nothing waits there: the place in the queue is given back at once
        let (_, open) = self.services.directory.admit(&ChannelKey::nowhere())?;
        let (events_in, events) = mpsc::channel(EVENTS);
        turn::complete(&self.services, completion, events_in, open)?;
        Ok(events)
    }

    /// A reply was shown, so it need not be shown again at the next start (GR6). To be called by
    /// whoever showed it.
    pub async fn delivered(&self, channel: &ChannelKey, reply: MessageId) -> Result<(), RuntimeError> {
        let undelivered = self.services.store.outbox(channel).await?;
        if let Some(entry) = undelivered.iter().find(|entry| entry.reply.id == reply) {
            self.services.store.delivered(entry.id, self.services.now()).await?;
        }
        Ok(())
    }

    /// Whether a text mentions one of the cast.
    pub fn mentions_somebody(&self, text: &str) -> bool {
        mentions_somebody(&self.services.cast(), text)
    }

    /// Assembles the context a message would be answered from, and stores and calls nothing. Takes
    /// the same way as a turn.
    pub async fn preview(&self, inbound: Inbound) -> Result<Preview, RuntimeError> {
        self.known(inbound.to.as_ref())?;
        let persona = self.would_answer(&inbound)?;
        turn::preview(&self.services, &inbound, &persona).await
    }

    /// Stops the running replies of a channel and what waits there; each ends with `cancelled`.
    pub async fn cancel(&self, channel: &ChannelKey) {
        // a runtime that is stopped has nothing to cancel
        let _ = self.tell(SupervisorMsg::Cancel(channel.clone()));
    }

    /// Starts a persona's context in a channel afresh (WB14).
    pub async fn reset(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<(), RuntimeError> {
        self.known(Some(persona))?;
        let newest = self.services.store.history(channel, None, 1).await?;
        if let Some(message) = newest.last() {
            self.services.store.reset_context(persona, channel, message.id).await?;
        }
        self.services.directory.refresh(persona, channel);
        Ok(())
    }

    /// Takes in a changed cast (hot reload): turns that run keep the persona they began with. A
    /// persona that is gone finishes its turn and stops; by the time this resolves it hears nothing of
    /// what others say (GR2).
    pub async fn set_personas(&self, personas: Vec<Persona>) {
        self.services.recast(personas);
        self.tell_rooms(|done| SupervisorMsg::Recast { done }).await;
    }

    /// Lets every persona answer again; does nothing to those that can already (WB15).
    pub async fn start_all(&self) -> Result<(), RuntimeError> {
        if self.services.directory.is_closed() {
            return Err(RuntimeError::Stopped);
        }
        self.services.directory.start_all();
        self.tell_rooms(|done| SupervisorMsg::Recast { done }).await;
        Ok(())
    }

    /// Stops every channel actor and waits until all have (WB15). Running replies end with
    /// `cancelled`; messages that come now are stored and fail with `persona_stopped`.
    pub async fn stop_all(&self) {
        self.stop(self.services.cast().iter().map(|p| p.name.clone()).collect()).await;
    }

    /// Stops and starts one persona in every channel (WB15).
    pub async fn restart(&self, persona: &PersonaName) -> Result<(), RuntimeError> {
        self.stop_persona(persona).await?;
        self.start_persona(persona).await
    }

    /// Stops one persona in every channel and waits until it has, as [`Runtime::stop_all`] does.
    pub async fn stop_persona(&self, persona: &PersonaName) -> Result<(), RuntimeError> {
        self.known(Some(persona))?;
        self.stop(Arc::new([persona.clone()])).await;
        Ok(())
    }

    /// Lets one persona answer again; does nothing to one that can already. It hears what is said from now on,
    /// and not what was said while it was stopped (GR2).
    pub async fn start_persona(&self, persona: &PersonaName) -> Result<(), RuntimeError> {
        self.known(Some(persona))?;
        if self.services.directory.is_closed() {
            return Err(RuntimeError::Stopped);
        }
        self.services.directory.start(persona);
        self.tell_rooms(|done| SupervisorMsg::Recast { done }).await;
        Ok(())
    }

    /// Everybody in the cast as it is now, in the order of their names.
    pub fn cast(&self) -> Arc<[Arc<Persona>]> {
        self.services.cast()
    }

    /// One of the cast as it is now.
    ///
    /// # Errors
    /// [`RuntimeError::UnknownPersona`].
    pub fn persona(&self, name: &PersonaName) -> Result<Arc<Persona>, RuntimeError> {
        let unknown =
            || RuntimeError::UnknownPersona { name: name.clone(), known: names(&self.services.cast()) };
        self.services.persona(name).ok_or_else(unknown)
    }

    /// Which model answers somebody, where that can be said.
    pub fn answering(&self, persona: &Persona) -> Option<Answering> {
        self.services.models.answering(persona)
    }

    /// Listens to what happens from now on, or from the event after `after` on as far as that is still
    /// known. A [`Topic::Turn`] without `after` is heard from its beginning. A listener is never waited
    /// for: see [`Heard::Lagged`](crate::Heard::Lagged). What was erased before, by whatever process, is not
    /// told (GR10).
    pub async fn subscribe(&self, topic: Topic, after: Option<EventId>) -> Subscription {
        self.services.follow_erasures().await;
        self.services.hub.subscribe(topic, after)
    }

    /// The same of a turn that was planned just now, or from a place that was the newest just now: nothing that
    /// was told before is told again.
    pub fn subscribe_at_once(&self, topic: Topic, after: Option<EventId>) -> Subscription {
        self.services.hub.subscribe(topic, after)
    }

    /// The newest event there is: whoever subscribes after it hears all that happens from now on.
    pub fn newest_event(&self) -> EventId {
        self.services.hub.newest()
    }

    /// Whether a subscription would hear a turn that has ended from its beginning.
    pub async fn replays(&self, channel: &ChannelKey, turn: TurnId) -> bool {
        self.services.follow_erasures().await;
        self.services.hub.knows(channel, turn)
    }

    /// What tells the events of this run of the program from those of another, whose numbers begin anew.
    pub fn run(&self) -> &str {
        &self.services.run
    }

    /// The context of a turn as it went to the model, while it is among the newest of this process.
    pub async fn context(&self, turn: TurnId) -> Option<TurnContext> {
        self.services.follow_erasures().await;
        self.services.contexts.of(turn, self.services.project_budget)
    }

    /// Lets go at once of what this process still knows of turns where something was erased: their contexts
    /// and what late listeners would be told (GR10). Whatever tells of them does that by itself before it
    /// answers. Nobody who listens is cut.
    pub async fn follow_erasures(&self) {
        self.services.follow_erasures().await;
    }

    /// How often something was forgotten that a turn of given messages may have been shown: what was kept of
    /// such a reply before the number changed is not to be used any more (GR10).
    pub fn forgotten(&self) -> u64 {
        self.services.forgotten.load(Ordering::Acquire)
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
        for persona in self.services.cast().iter() {
            let since = |window| self.services.store.used(&persona.name, now.before(window), now);
            let (hour, day) = (since(HOUR).await?, since(DAY).await?);
            let standing =
                turn::standing(&persona.limits, hour, day, self.services.ledger.refused(&persona.name));
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
        self.services.directory.rooms.contains_key(channel)
    }

    /// Gives a room back in which nothing is to be done, before it has been idle for long. The next message wakes
    /// it (GR9).
    pub fn rest(&self, channel: ChannelKey) {
        // a runtime that is stopped has no rooms
        let _ = self.tell(SupervisorMsg::Rest(channel));
    }

    /// Puts what this runtime counts, and what waits in it, into a registry.
    pub fn register_metrics(&self, registry: &mut Registry) {
        self.services.metrics.register(registry);
        registry.register_collector(Box::new(Present(self.services.clone())));
    }

    /// Whether it takes no more messages (S10).
    pub fn is_stopping(&self) -> bool {
        self.services.directory.is_closed()
    }

    /// Captures at once what waits for its time, and resolves when nothing is left: whoever ends the
    /// program and can wait a moment waits for this first, for [`Runtime::shutdown`] asks no model any
    /// more (AS12).
    pub async fn captured(&self) {
        self.services.capture_queue.hasten();
        // without a supervisor it is captured by whoever stopped it
        let _ = self.tell(SupervisorMsg::TurnOver);
        self.services.capture_queue.settled().await;
    }

    /// Stops taking messages, finishes or cancels what runs within `grace`, captures and
    /// embeds what waits as far as no model is needed, stops every actor (S10).
    pub async fn shutdown(self, grace: Duration) {
        self.services.directory.close();
        let _ = tokio::time::timeout(grace, self.services.directory.quiet()).await;
        self.services.closing.cancel();
        let last_words = async {
            let _ = self.supervisor.stop_and_wait(None, None).await;
            capture_the_rest(&self.services).await;
            match self.services.remembering() {
                nobody if nobody.is_empty() => Ok(IndexReport::default()),
                somebody => self.services.memory.index_pending_of(&somebody).await,
            }
        };
        let (ended, ()) =
            tokio::join!(tokio::time::timeout(LAST_WORDS, last_words), self.services.mcp.close());
        match ended {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(%error, "what waits to be embedded waits for the next start"),
            Err(_) => {
                tracing::warn!("ending took too long; what waits to be embedded waits for the next start")
            }
        }
    }

    async fn stop(&self, who: Arc<[PersonaName]>) {
        for persona in who.iter() {
            self.services.directory.stop(persona);
        }
        self.tell_rooms(|done| SupervisorMsg::Stop { who, done }).await;
    }

    /// Tells every room something, and waits until all of them have done it.
    async fn tell_rooms(&self, message: impl FnOnce(mpsc::Sender<Infallible>) -> SupervisorMsg) {
        // closed when the last room has dropped its end
        let (done, mut all_done) = mpsc::channel::<Infallible>(1);
        if self.tell(message(done)).is_ok() {
            let _ = all_done.recv().await;
        }
    }

    fn tell(&self, message: SupervisorMsg) -> Result<(), RuntimeError> {
        self.supervisor.send_message(message).map_err(|_| RuntimeError::Stopped)
    }

    fn known(&self, name: Option<&PersonaName>) -> Result<(), RuntimeError> {
        name.map_or(Ok(()), |name| self.persona(name).map(drop))
    }

    /// Who would answer first. A cooldown is over by the time the message is sent.
    fn would_answer(&self, inbound: &Inbound) -> Result<Arc<Persona>, RuntimeError> {
        let cast = self.services.cast();
        let floor = Floor { personas: &cast, spoke: &Default::default(), now: self.services.now() };
        let answering = decide(&floor, &author(inbound), &inbound.text, inbound.to.as_ref());
        let first = answering.first().and_then(|(name, _)| self.services.persona(name));
        first.ok_or_else(|| RuntimeError::NobodyAnswers {
            channel: inbound.channel.clone(),
            known: names(&cast),
        })
    }
}

fn author(inbound: &Inbound) -> Author {
    Author::User { id: inbound.user.clone(), name: inbound.user_name.clone() }
}

fn names(cast: &Cast) -> String {
    cast.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ")
}
