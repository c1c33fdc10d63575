//! The delivery of one reply: its parts, attempts and outcomes.
//!
//! A part is stored as begun before it is sent, and as over when the platform has answered. If the process ends in
//! between, the part stays begun. The next process sends it again under the same key if the platform still recognises
//! the key. Otherwise the part is uncertain and is not sent again, unless the setting `resend_uncertain` permits it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use greenroom_core::{Author, ChannelKey, PersonaName};
use greenroom_store::{Delivery, DeliveryStep, StoreError};
use tokio::time::{Instant, timeout};

use super::{RunningAccount, rates::Rates};
use crate::{Limits, Outcome, Place, Post, Request, text};

/// Attempts at a part that certainly had no effect, before the reply is given up. With the pauses below, about two
/// hours.
const TRIES: u32 = 30;
/// The pause after such an attempt; it doubles.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
/// The pause after an error of the store.
const STORE_PAUSE: Duration = Duration::from_secs(5);
/// The time limit for one request. After it, the outcome is uncertain.
const REQUEST_TIME: Duration = Duration::from_secs(45);
/// If the wait for a chat's rate is longer than this, another chat goes first.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// What the outbox does next with the channel.
pub(super) enum Next {
    /// The next reply of the channel may be delivered.
    GoOn,
    /// Nothing is delivered to the channel for this time.
    After(Duration),
}

/// Delivers the replies of an account, with its rates and attempts.
pub(super) struct Sending {
    account: Arc<RunningAccount>,
    rates: Mutex<Rates>,
    /// By delivery: the number of failed attempts, and the time of the first.
    tries: Mutex<HashMap<i64, (u32, Instant)>>,
}

impl Sending {
    pub(super) fn new(account: Arc<RunningAccount>) -> Self {
        Self { account, rates: Mutex::default(), tries: Mutex::default() }
    }

    /// Delivers as many parts of a reply as possible now.
    pub(super) async fn deliver(&self, delivery: Delivery) -> Next {
        let id = delivery.id;
        let next = match self.parts(delivery).await {
            Ok(next) => next,
            Err(error) => {
                tracing::warn!(account = self.account.settings.name, %error, "a delivery could not be noted");
                Next::After(STORE_PAUSE)
            }
        };
        if matches!(next, Next::GoOn) {
            lock(&self.tries).remove(&id);
        }
        next
    }

    /// Handles a panic in a delivery as a failed attempt. A part that was being sent is stored as begun. If the
    /// platform no longer recognises its key, the next attempt marks it as uncertain, so that nothing is sent twice.
    pub(super) async fn panicked(&self, channel: &ChannelKey, delivery: i64) -> Next {
        let (account, tries) = (&self.account, self.count_failure(delivery));
        tracing::error!(account = account.settings.name, %channel, delivery, tries, "the delivery of a reply panicked");
        if tries < TRIES {
            return Next::After(pause_after(tries));
        }
        let dead = DeliveryStep::Dead(format!(
            "{tries} attempts failed, the last one by a panic; the log says more"
        ));
        match account.store.step_delivery(delivery, dead, account.runtime.now()).await {
            Ok(_) => Next::GoOn,
            Err(error) => {
                tracing::warn!(account = account.settings.name, %error, "a delivery could not be noted");
                Next::After(STORE_PAUSE)
            }
        }
    }

    /// Counts a failed attempt at a delivery. Returns the number of its failed attempts.
    fn count_failure(&self, delivery: i64) -> u32 {
        let mut tries = lock(&self.tries);
        let (count, _) = tries.entry(delivery).or_insert_with(|| (0, Instant::now()));
        *count += 1;
        *count
    }

    async fn parts(&self, delivery: Delivery) -> Result<Next, StoreError> {
        let Author::Persona { name } = &delivery.reply.author else { return Ok(Next::GoOn) };
        let channel = &delivery.reply.channel;
        let (place, face) = (Place::of(channel), self.account.face(name));
        let limits = self.account.adapter.limits(&place);
        let mut parts = self.account.parts(&delivery.reply.text, &limits, &face);
        if parts.is_empty() {
            // the reply has no text that the platform can show
            return self.over(&delivery, 0, None, None, true).await;
        }
        let count = parts.len() as u32;
        let open: Vec<u32> = (0..count).filter(|number| !delivery.over.contains(number)).collect();
        let mut begun = delivery.begun_at;
        for (n, number) in open.iter().enumerate() {
            let last = n + 1 == open.len();
            if let Some(at) = begun.take()
                && !self.may_repeat(&limits, at)
            {
                let why = "the program ended while it was sent".to_owned();
                self.over(&delivery, *number, None, Some(why), last).await?;
                continue;
            }
            if let Some(wait) = self.wait_for_rate(&limits, &place, name).await {
                return Ok(Next::After(wait));
            }
            let post = Post {
                place: place.clone(),
                reply_to: self.reply_to(&delivery).filter(|_| *number == 0),
                text: std::mem::take(&mut parts[*number as usize]),
                face: face.clone(),
                key: key(&delivery, *number),
            };
            let now = self.account.runtime.now();
            if !self.account.store.step_delivery(delivery.id, DeliveryStep::Begun, now).await? {
                // the reply was erased meanwhile
                return Ok(Next::GoOn);
            }
            // held until the outcome is stored
            let _flight = self.account.in_flight.begin(channel);
            if let Some(next) = self.send(&delivery, post, *number, last, &limits).await? {
                return Ok(next);
            }
        }
        if open.is_empty() {
            // the limits have changed, so that no part is left to send
            let last = count.saturating_sub(1);
            return self.over(&delivery, last, None, None, true).await;
        }
        Ok(Next::GoOn)
    }

    /// The platform's id of the answered message. `None` if another account sent that message: its id may not be valid
    /// here.
    fn reply_to(&self, delivery: &Delivery) -> Option<String> {
        let answers = delivery.answers.as_ref()?;
        let is_ours = |persona| self.account.is_first(&delivery.reply.channel, persona);
        let is_known = answers.persona.as_ref().is_none_or(is_ours);
        is_known.then(|| answers.event_id.clone())
    }

    /// Sends a part and stores its outcome. `None` if the next part may follow.
    async fn send(
        &self,
        delivery: &Delivery,
        post: Post,
        number: u32,
        last: bool,
        limits: &Limits,
    ) -> Result<Option<Next>, StoreError> {
        let (place, persona) = (post.place.clone(), post.face.persona.clone());
        let sent = timeout(REQUEST_TIME, self.account.adapter.perform(Request::Post(post))).await;
        let outcome =
            sent.unwrap_or_else(|_| Outcome::Uncertain("the platform did not answer in time".into()));
        let account = &self.account;
        let step = |step| account.store.step_delivery(delivery.id, step, account.runtime.now());
        match outcome {
            Outcome::Done { event_id } => {
                account.progress.denied(None);
                let part = DeliveryStep::Part { number, event_id: event_id.clone(), uncertain: None, last };
                if step(part).await? {
                    return Ok(None);
                }
                // the reply was erased while it was sent: delete it on the platform
                if let Some(event_id) = event_id {
                    account.store.retract(&delivery.reply.channel, &persona, &event_id).await?;
                    account.retractions.send_replace(());
                }
                Ok(Some(Next::GoOn))
            }
            Outcome::Uncertain(why)
                if !account.settings.resend_uncertain && !self.knows_key(limits, delivery.id) =>
            {
                tracing::warn!(
                    account = account.settings.name,
                    delivery = delivery.id,
                    why,
                    "a send is uncertain"
                );
                self.over(delivery, number, None, Some(why), last).await?;
                Ok(None)
            }
            Outcome::Offline => {
                step(DeliveryStep::NotSent).await?;
                // the account wakes the outbox when it is online again
                Ok(Some(Next::After(LONGEST_PAUSE)))
            }
            Outcome::Denied(why) => {
                step(DeliveryStep::NotSent).await?;
                if account.progress.denied(Some(why.clone())) {
                    tracing::error!(account = account.settings.name, why, "the platform refuses an account");
                }
                Ok(Some(Next::After(LONGEST_PAUSE)))
            }
            Outcome::RetryAfter(wait) => {
                step(DeliveryStep::NotSent).await?;
                account.progress.waits_until(account.runtime.now().after(wait));
                lock(&self.rates).hold(limits, &place, &persona, Instant::now(), wait);
                Ok(Some(Next::After(wait)))
            }
            Outcome::Failed(why) | Outcome::Uncertain(why) => {
                let tries = self.count_failure(delivery.id);
                if tries >= TRIES {
                    step(DeliveryStep::Dead(format!("{tries} attempts failed: {why}"))).await?;
                    return Ok(Some(Next::GoOn));
                }
                step(DeliveryStep::NotSent).await?;
                tracing::info!(
                    account = account.settings.name,
                    delivery = delivery.id,
                    why,
                    tries,
                    "a send failed"
                );
                Ok(Some(Next::After(pause_after(tries))))
            }
            Outcome::Refused(why) => {
                tracing::warn!(
                    account = account.settings.name,
                    delivery = delivery.id,
                    why,
                    "a reply is refused"
                );
                step(DeliveryStep::Dead(why)).await?;
                Ok(Some(Next::GoOn))
            }
        }
    }

    async fn over(
        &self,
        delivery: &Delivery,
        number: u32,
        event_id: Option<String>,
        uncertain: Option<String>,
        last: bool,
    ) -> Result<Next, StoreError> {
        let step = DeliveryStep::Part { number, event_id, uncertain, last };
        self.account.store.step_delivery(delivery.id, step, self.account.runtime.now()).await?;
        Ok(Next::GoOn)
    }

    /// Whether a part that was begun at a time may be sent again: the platform knows its key, or the settings permit
    /// it.
    fn may_repeat(&self, limits: &Limits, begun_at: greenroom_core::Timestamp) -> bool {
        let ago = self.account.runtime.now().since(begun_at);
        self.account.settings.resend_uncertain || limits.key_lives.is_some_and(|lives| ago < lives)
    }

    /// Whether the platform still recognises the key of the first attempt and would suppress a duplicate.
    fn knows_key(&self, limits: &Limits, delivery: i64) -> bool {
        let first = lock(&self.tries).get(&delivery).map(|(_, first)| *first);
        let ago = first.map_or(Duration::ZERO, |first| first.elapsed());
        limits.key_lives.is_some_and(|lives| ago < lives)
    }

    /// Waits for the rates of the chat and the account. If the chat's wait is long, returns it at once and reserves
    /// nothing.
    async fn wait_for_rate(&self, limits: &Limits, place: &Place, persona: &PersonaName) -> Option<Duration> {
        let taken = lock(&self.rates).take(limits, place, persona, Instant::now(), LONGEST_WAIT);
        let wait = match taken {
            Ok(wait) => wait,
            Err(wait) => return Some(wait),
        };
        let waited = self.account.closing.run_until_cancelled(tokio::time::sleep(wait)).await;
        waited.is_none().then_some(wait)
    }
}

/// The pause after `tries` failed attempts.
fn pause_after(tries: u32) -> Duration {
    let pause = FIRST_PAUSE * 2_u32.saturating_pow(tries.saturating_sub(1).min(16));
    pause.min(LONGEST_PAUSE)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The idempotency key of a part: equal for each attempt, in any process.
fn key(delivery: &Delivery, number: u32) -> String {
    text::short_hash(&format!("{} {} {number}", delivery.reply.channel, delivery.reply.event_id))
}
