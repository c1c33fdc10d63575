//! The status of accounts, for operators (AD8). The process that runs an account keeps its status in the store, where
//! other processes read it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use greenroom_core::{PersonaName, Platform, Timestamp, Unanswered};
use greenroom_persona::{AccountSettings, matches_channel};
use greenroom_store::{DeliveryState, OpenDelivery, Store, StoreError};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;

use super::{RunningAccount, first_with, taken_name};
use crate::{Account, AccountError, LookedBack};

/// The most failed deliveries that the status lists; it counts all.
const LISTED: usize = 20;
/// The most refused channels that the status lists.
const REFUSED: usize = 100;
/// The most deliveries that are read for the status.
pub(super) const COUNTED: usize = 10_000;

/// The state of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccountState {
    /// The connection is being made.
    #[default]
    Connecting,
    /// Events arrive.
    Online,
    /// The connection broke; it is made again after a pause.
    Waiting,
    /// The platform refuses the account.
    Refused,
    /// Another process has the account.
    Elsewhere,
    /// The settings are wrong.
    Invalid,
    /// No process runs the account.
    Off,
}

/// What operators see of an account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AccountStatus {
    /// The account.
    pub name: String,
    /// Its platform.
    pub platform: Platform,
    /// Its state.
    pub state: AccountState,
    /// Why it is not online.
    pub why: Option<String>,
    /// Who the account is on the platform.
    pub as_user: Option<String>,
    /// When the last event arrived, in microseconds.
    pub last_event_at: Option<Timestamp>,
    /// How long the last event that the platform dated was on its way, in milliseconds.
    pub lag_ms: Option<u64>,
    /// Events that were taken in since the start.
    pub events: u64,
    /// Messages that a persona answers, since the start.
    pub answered: u64,
    /// Messages that came too late to be answered, since the start.
    pub stale: u64,
    /// Messages that were ignored, or stored and not answered, because of the limits for strangers, since the start.
    pub limited: u64,
    /// From when on everything was seen after the last absence; null if the platform keeps nothing, or nothing is known.
    pub looked_back_to: Option<Timestamp>,
    /// Whether everything since the absence was seen; null while nothing is known.
    pub caught_up: Option<bool>,
    /// The channels of the settings that let the account not in, at most 100.
    #[serde(default)]
    pub refused: Vec<RefusedChannel>,
    /// Until when the platform asked the account to wait; null where it need not.
    #[serde(default)]
    pub waits_until: Option<Timestamp>,
    /// Replies that wait.
    pub waiting: usize,
    /// Replies of which it is not known whether they arrived.
    pub uncertain: usize,
    /// Replies that were given up.
    pub dead: usize,
    /// The replies that are uncertain or dead, the oldest 20.
    pub failed: Vec<OpenDelivery>,
}

/// A channel that lets the account not in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefusedChannel {
    /// The channel, as the platform has it.
    pub channel: String,
    /// The persona that is not let in; null where it is all of them.
    pub persona: Option<PersonaName>,
    /// The platform's reason.
    pub why: String,
}

/// The connection status of an account.
#[derive(Default)]
pub(super) struct Progress(Mutex<ConnectionState>);

#[derive(Default)]
struct ConnectionState {
    /// Whether this process holds the account's lock.
    is_held: bool,
    state: AccountState,
    why: Option<String>,
    /// Why the platform refuses to send, although events may arrive.
    denied: Option<String>,
    as_user: Option<String>,
    last_event_at: Option<Timestamp>,
    lag_ms: Option<u64>,
    events: u64,
    answered: u64,
    stale: u64,
    limited: u64,
    looked_back: Option<LookedBack>,
    /// By channel and persona: the platform's reason for the refusal.
    refused: BTreeMap<(String, Option<PersonaName>), String>,
    waits_until: Option<Timestamp>,
}

impl Progress {
    fn state(&self) -> MutexGuard<'_, ConnectionState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the state. Returns whether it differs from the previous state.
    pub(super) fn set(&self, state: AccountState, why: Option<String>) -> bool {
        let mut current = self.state();
        let is_new = current.state != state;
        (current.state, current.why) = (state, why);
        is_new
    }

    /// This process has taken the account's lock.
    pub(super) fn hold(&self) {
        let mut state = self.state();
        state.is_held = true;
        (state.state, state.why) = (AccountState::Connecting, None);
    }

    fn is_held(&self) -> bool {
        self.state().is_held
    }

    /// A connection is being made. The reason for the end of the last one stays until it is.
    pub(super) fn connecting(&self) {
        self.state().state = AccountState::Connecting;
    }

    pub(super) fn online(&self, as_user: String) {
        self.set(AccountState::Online, None);
        let mut state = self.state();
        (state.as_user, state.denied) = (Some(as_user), None);
    }

    /// The platform refuses to send for the account, or no longer does. Returns whether it refuses since now.
    pub(super) fn denied(&self, why: Option<String>) -> bool {
        let mut state = self.state();
        let is_new = why.is_some() && state.denied.is_none();
        state.denied = why;
        is_new
    }

    pub(super) fn is_online(&self) -> bool {
        self.state().state == AccountState::Online
    }

    /// The connection ended. Returns whether the account was online.
    pub(super) fn went_offline(&self) -> bool {
        let was = self.is_online();
        self.connecting();
        was
    }

    pub(super) fn looked_back(&self, looked: LookedBack) {
        self.state().looked_back = Some(looked);
    }

    /// A channel refuses the account or a persona, or no longer does.
    pub(super) fn refused(&self, channel: &str, persona: Option<&PersonaName>, why: Option<&str>) {
        let key = (channel.to_owned(), persona.cloned());
        let refused = &mut self.state().refused;
        match why {
            Some(why) if refused.len() < REFUSED || refused.contains_key(&key) => {
                refused.insert(key, why.to_owned());
            }
            Some(_) => {}
            None => _ = refused.remove(&key),
        }
    }

    /// The platform asks to wait.
    pub(super) fn waits_until(&self, at: Timestamp) {
        let mut state = self.state();
        state.waits_until = state.waits_until.max(Some(at));
    }

    /// An event arrived. `said_at`: the platform's time of the event.
    pub(super) fn event(&self, now: Timestamp, said_at: Option<Timestamp>) {
        let mut state = self.state();
        state.events += 1;
        state.last_event_at = Some(now);
        let lag = said_at.map(|at| u64::try_from(now.since(at).as_millis()).unwrap_or(u64::MAX));
        state.lag_ms = lag.or(state.lag_ms);
    }

    pub(super) fn answered(&self) {
        self.state().answered += 1;
    }

    pub(super) fn not_answered(&self, why: Unanswered) {
        let mut state = self.state();
        match why {
            Unanswered::Late => state.stale += 1,
            Unanswered::Limit | Unanswered::Full => state.limited += 1,
            Unanswered::Older => {}
        }
    }
}

/// The name of the cursor that contains the status in the store, without the replies.
const KEPT: &str = "status";
/// How often a changed status is stored. A changed connection state is stored within `LOOK_EVERY`.
const KEEP_EVERY: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Stores the status of each account of this process until the program stops. Also drops texts in memory that another
/// process has erased.
pub(super) async fn keep(
    store: Arc<dyn Store>,
    accounts: Vec<Arc<RunningAccount>>,
    closing: CancellationToken,
) {
    let mut kept: Vec<Option<AccountStatus>> = vec![None; accounts.len()];
    let mut kept_at = Instant::now();
    loop {
        let is_due = kept_at.elapsed() >= KEEP_EVERY;
        if is_due {
            kept_at = Instant::now();
            if let Some(account) = accounts.first()
                && let Err(error) = account.early.sweep(&*store, account.runtime.now()).await
            {
                tracing::warn!(%error, "it is not known what was erased meanwhile");
            }
        }
        // the process that holds an account's lock stores its status
        for (account, kept) in
            accounts.iter().zip(&mut kept).filter(|(account, _)| account.progress.is_held())
        {
            let status = account.status(&[]);
            let is_new = kept.as_ref().is_none_or(|kept| {
                let shown = |one: &AccountStatus| (one.state, one.why.clone(), one.refused.clone());
                shown(kept) != shown(&status) || is_due && *kept != status
            });
            if !is_new {
                continue;
            }
            let Ok(text) = serde_json::to_string(&status) else { continue };
            if store.keep_cursor(&account.settings.name, KEPT, &text).await.is_ok() {
                *kept = Some(status);
            }
        }
        if closing.run_until_cancelled(tokio::time::sleep(LOOK_EVERY)).await.is_none() {
            return;
        }
    }
}

/// The stored status of each account, with the present deliveries. An account that never ran is off.
///
/// # Errors
/// The store fails.
pub async fn stored_status(
    store: &dyn Store,
    accounts: &[AccountSettings],
) -> Result<Vec<AccountStatus>, StoreError> {
    let open = store.open_deliveries(COUNTED).await?;
    let enabled: Vec<_> = accounts.iter().filter(|account| account.enabled).cloned().collect();
    let patterns: Vec<_> = enabled.iter().map(Account::channels).collect();
    let mut all = Vec::new();
    for (n, settings) in enabled.iter().enumerate() {
        if let Some(error) = taken_name(settings, &enabled[..n]) {
            all.push(AccountStatus::invalid(settings, &error));
            continue;
        }
        let mut status = match store.cursor(&settings.name, KEPT).await? {
            Some(kept) => serde_json::from_str(&kept).unwrap_or_else(|_| AccountStatus::off(settings)),
            None => AccountStatus::off(settings),
        };
        let is_ours = |one: &&OpenDelivery| {
            let there = enabled.iter().zip(&patterns).enumerate().filter(|(_, (_, patterns))| {
                patterns.iter().any(|pattern| matches_channel(pattern, &one.channel))
            });
            first_with(&one.persona, there.map(|(n, (settings, _))| (settings, n))) == Some(n)
        };
        status.count(&open.iter().filter(is_ours).collect::<Vec<_>>());
        all.push(status);
    }
    Ok(all)
}

fn refused_channel(((channel, persona), why): (&(String, Option<PersonaName>), &String)) -> RefusedChannel {
    RefusedChannel { channel: channel.clone(), persona: persona.clone(), why: why.clone() }
}

impl RunningAccount {
    pub(super) fn status(&self, open: &[OpenDelivery]) -> AccountStatus {
        let ours: Vec<_> =
            open.iter().filter(|delivery| self.is_first(&delivery.channel, &delivery.persona)).collect();
        let state = self.progress.state();
        let denied = state.denied.clone().filter(|_| state.state == AccountState::Online);
        let mut status = AccountStatus {
            state: if denied.is_some() { AccountState::Refused } else { state.state },
            why: denied.or_else(|| state.why.clone()),
            as_user: state.as_user.clone(),
            last_event_at: state.last_event_at,
            lag_ms: state.lag_ms,
            events: state.events,
            answered: state.answered,
            stale: state.stale,
            limited: state.limited,
            looked_back_to: state.looked_back.as_ref().and_then(|looked| looked.since),
            caught_up: state.looked_back.as_ref().map(|looked| looked.complete),
            refused: state.refused.iter().map(refused_channel).collect(),
            waits_until: state.waits_until.filter(|at| *at > self.runtime.now()),
            ..AccountStatus::off(&self.settings)
        };
        status.count(&ours);
        status
    }
}

impl AccountStatus {
    /// The status of an account whose settings are wrong.
    pub(super) fn invalid(settings: &AccountSettings, error: &AccountError) -> Self {
        Self { state: AccountState::Invalid, why: Some(error.to_string()), ..Self::off(settings) }
    }

    /// Counts the deliveries of the account.
    fn count(&mut self, ours: &[&OpenDelivery]) {
        let count = |states: &[DeliveryState]| ours.iter().filter(|one| states.contains(&one.state)).count();
        self.waiting = count(&[DeliveryState::Waiting, DeliveryState::Sending]);
        self.uncertain = count(&[DeliveryState::Uncertain]);
        self.dead = count(&[DeliveryState::Dead]);
        let failed =
            ours.iter().filter(|one| matches!(one.state, DeliveryState::Uncertain | DeliveryState::Dead));
        self.failed = failed.take(LISTED).map(|one| OpenDelivery::clone(one)).collect();
    }

    /// The status of an account that no process runs.
    fn off(settings: &AccountSettings) -> Self {
        Self {
            name: settings.name.clone(),
            platform: settings.platform,
            state: AccountState::Off,
            why: None,
            as_user: None,
            last_event_at: None,
            lag_ms: None,
            events: 0,
            answered: 0,
            stale: 0,
            limited: 0,
            looked_back_to: None,
            caught_up: None,
            refused: Vec::new(),
            waits_until: None,
            waiting: 0,
            uncertain: 0,
            dead: 0,
            failed: Vec::new(),
        }
    }
}
