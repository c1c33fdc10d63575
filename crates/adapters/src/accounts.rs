//! The accounts that `greenroom serve` runs. Each has a task that keeps it connected and a task that delivers.
//!
//! ```text
//! connecting.rs   connects again and again, one process for each account
//! failures.rs     tells people of turns that failed
//! telling.rs      what one person is told
//! intake.rs       takes events in: the inlet that adapters are given
//! content.rs      the author and the text of a message
//! changes.rs      edits and deletions
//! early.rs        edits and deletions that come before their message
//! settled.rs      what has no effect when a platform delivers it again
//! images.rs       images of messages, for models that accept them
//! in_flight.rs    posts whose ids are not stored yet
//! commands.rs     what people may ask of the program in a chat: who, why, quiet, leave, forget me
//! links.rs        codes by which people link their accounts
//! quota.rs        what a stranger can cause in an hour
//! outbox.rs       which replies are delivered next
//! delivery.rs     one reply: its parts, attempts and outcomes
//! parts.rs        the messages that a reply becomes, and the lines of long ones that are not said
//! retracting.rs   replies that are deleted on the platform
//! status.rs       what operators see
//! ```

mod changes;
mod commands;
mod connecting;
mod content;
mod delivery;
mod early;
mod failures;
mod images;
mod in_flight;
mod intake;
mod links;
mod outbox;
mod parts;
mod quota;
mod rates;
mod retracting;
mod settled;
mod status;
mod telling;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use dashmap::DashMap;
use greenroom_core::{ChannelKey, PersonaName};
use greenroom_persona::{AccountSettings, ChannelSettings};
use greenroom_runtime::{OwnedChats, Runtime, RuntimeError};
use greenroom_store::{DeliveryStep, Store, StoreError, Unfinished};
use tokio::{
    sync::{Notify, watch},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use self::{
    early::EarlyChanges,
    failures::Failures,
    images::Fetches,
    in_flight::InFlight,
    intake::Intake,
    links::Codes,
    quota::{LeftOut, Quota},
    status::{COUNTED, Progress},
};
pub use self::{
    settled::note_erasure,
    status::{AccountState, AccountStatus, RefusedChannel, stored_status},
};
use crate::{
    Account, AccountError, Adapter, Face, NotTaken, Place, WebhookError, WebhookRequest, WebhookResponse,
};

/// The time for adapters to say goodbye.
const GOODBYE: Duration = Duration::from_secs(3);

/// What accounts are made of.
pub struct AccountsOptions {
    /// The actors.
    pub runtime: Runtime,
    /// The store.
    pub store: Arc<dyn Store>,
    /// The chats of this process.
    pub chats: Arc<OwnedChats>,
    /// The persona that answers where an account names none.
    pub default_persona: PersonaName,
}

/// The running accounts. Clones are handles to the same accounts.
#[derive(Clone)]
pub struct Accounts {
    shared: Arc<Shared>,
}

struct Shared {
    runtime: Runtime,
    store: Arc<dyn Store>,
    running: Vec<Arc<RunningAccount>>,
    broken: Vec<AccountStatus>,
    closing: CancellationToken,
    tasks: tokio::sync::Mutex<JoinSet<()>>,
}

/// An account that runs.
pub(crate) struct RunningAccount {
    settings: AccountSettings,
    adapter: Arc<dyn Adapter>,
    runtime: Runtime,
    store: Arc<dyn Store>,
    chats: Arc<OwnedChats>,
    default_persona: PersonaName,
    quota: Quota,
    left_out: LeftOut,
    codes: Arc<Codes>,
    failures: Failures,
    progress: Progress,
    early: Arc<EarlyChanges>,
    in_flight: Arc<InFlight>,
    fetches: Fetches,
    /// The people of a chat of whom the platform said that they came.
    present: DashMap<ChannelKey, BTreeMap<String, String>>,
    /// Wakes the task that delivers: the account is online, or a delivery is to be sent again.
    wake: Notify,
    /// Wakes the tasks that delete replies on platforms: a message was erased, or an account is online.
    retractions: Arc<watch::Sender<()>>,
    closing: CancellationToken,
}

impl Accounts {
    /// Starts every account that is enabled. One whose settings are wrong does not run, and its status says why.
    pub fn start(options: AccountsOptions, settings: &[AccountSettings]) -> Self {
        let mut made = Vec::new();
        let mut broken = Vec::new();
        let mut known = Vec::new();
        let cast: Vec<_> = options.runtime.cast().iter().map(|persona| persona.name.clone()).collect();
        for settings in settings.iter().filter(|settings| settings.enabled) {
            match Account::read(settings).and_then(|account| another(account, &mut known, &cast)?.adapter()) {
                Ok(adapter) => made.push((settings.clone(), adapter)),
                Err(error) => {
                    tracing::error!(account = settings.name, %error, "an account does not run");
                    broken.push(AccountStatus::invalid(settings, &error));
                }
            }
        }
        let mut accounts = Self::run(options, made);
        if let Some(shared) = Arc::get_mut(&mut accounts.shared) {
            shared.broken = broken;
        }
        accounts
    }

    /// Runs accounts with adapters that are made already.
    pub fn run(options: AccountsOptions, adapters: Vec<(AccountSettings, Arc<dyn Adapter>)>) -> Self {
        let closing = CancellationToken::new();
        let AccountsOptions { runtime, store, chats, default_persona } = options;
        let codes = Arc::new(Codes::default());
        let (in_flight, early) = (Arc::new(InFlight::default()), Arc::new(EarlyChanges::default()));
        let retractions = Arc::new(watch::Sender::new(()));
        let running = adapters.into_iter().map(|(settings, adapter)| {
            Arc::new(RunningAccount {
                quota: Quota::new(&settings),
                left_out: LeftOut::default(),
                codes: codes.clone(),
                failures: Failures::default(),
                progress: Progress::default(),
                early: early.clone(),
                in_flight: in_flight.clone(),
                fetches: Fetches::default(),
                present: DashMap::new(),
                wake: Notify::new(),
                retractions: retractions.clone(),
                settings,
                adapter,
                runtime: runtime.clone(),
                store: store.clone(),
                chats: chats.clone(),
                default_persona: default_persona.clone(),
                closing: closing.clone(),
            })
        });
        let running: Vec<_> = running.collect();
        let mut tasks = JoinSet::new();
        for account in &running {
            tasks.spawn(connecting::keep_connected(account.clone()));
            tasks.spawn(outbox::deliver(account.clone(), running.clone()));
            tasks.spawn(retracting::retract(account.clone(), running.clone()));
        }
        tasks.spawn(status::keep(store.clone(), running.clone(), closing.clone()));
        let tasks = tokio::sync::Mutex::new(tasks);
        Self { shared: Arc::new(Shared { runtime, store, running, broken: Vec::new(), closing, tasks }) }
    }

    /// Has messages answered whose turns a crash ended (AD1). Those that are too old meanwhile are not.
    pub async fn answer_owed(&self, owed: Vec<Unfinished>) {
        for left in owed {
            let place = Place::of(&left.message.channel);
            let platform = left.message.channel.platform();
            let account = self.shared.running.iter().find(|account| {
                Some(account.adapter.platform()) == platform && account.adapter.serves(&place)
            });
            let Some(account) = account else { continue };
            if let Err(error) = Intake::new(account.clone()).answer_again(left).await {
                tracing::warn!(account = account.settings.name, %error, "a message of before the crash stays unanswered");
            }
        }
    }

    /// What operators see of each account (AD8).
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn status(&self) -> Result<Vec<AccountStatus>, StoreError> {
        let open = self.shared.store.open_deliveries(COUNTED).await?;
        let running = self.shared.running.iter().map(|account| account.status(&open));
        Ok(running.chain(self.shared.broken.iter().cloned()).collect())
    }

    /// Has a delivery sent again that is dead or uncertain. False where it is neither.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn resend(&self, delivery: i64) -> Result<bool, StoreError> {
        let again = self
            .shared
            .store
            .step_delivery(delivery, DeliveryStep::Resend, self.shared.runtime.now())
            .await?;
        self.shared.running.iter().for_each(|account| account.wake.notify_one());
        Ok(again)
    }

    /// Handles a webhook request to an account.
    ///
    /// # Errors
    /// Why the request is refused. For an account that does not run here, each request is unsigned.
    pub async fn webhook(
        &self,
        account: &str,
        request: &WebhookRequest,
    ) -> Result<WebhookResponse, WebhookError> {
        let running = self.shared.running.iter().find(|running| running.settings.name == account);
        let running = running.ok_or(WebhookError::Unsigned)?;
        if !running.progress.is_online() {
            return Err(NotTaken::Stopped.into());
        }
        running.adapter.webhook(&Intake::new(running.clone()), request).await
    }

    /// Gives a delivery up that is dead or uncertain. False where it is neither.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn give_up(&self, delivery: i64) -> Result<bool, StoreError> {
        self.shared.store.step_delivery(delivery, DeliveryStep::Drop, self.shared.runtime.now()).await
    }

    /// Ends everything at once, as a kill does: for tests.
    #[cfg(feature = "testing")]
    pub async fn kill(&self) {
        self.shared.tasks.lock().await.shutdown().await;
    }

    /// Ends the connections. What is not delivered is delivered after the next start.
    pub async fn shutdown(&self) {
        self.shared.closing.cancel();
        let mut tasks = self.shared.tasks.lock().await;
        let ended = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(GOODBYE, ended).await.is_err() {
            tasks.shutdown().await;
        }
    }
}

impl RunningAccount {
    /// The personas of the account, each with its face.
    fn faces(&self) -> Vec<Face> {
        let cast = self.runtime.cast();
        let named = &self.settings.personas;
        let ours = cast.iter().filter(|persona| named.is_empty() || named.contains(&persona.name));
        ours.map(|persona| Face { persona: persona.name.clone(), name: persona.display_name.clone() })
            .collect()
    }

    fn face(&self, persona: &PersonaName) -> Face {
        let known = self.faces().into_iter().find(|face| face.persona == *persona);
        known.unwrap_or_else(|| Face { persona: persona.clone(), name: persona.to_string() })
    }

    /// Whether a reply of a persona in a chat goes through this account.
    fn delivers(&self, channel: &ChannelKey, persona: &PersonaName) -> bool {
        let named = &self.settings.personas;
        channel.platform() == Some(self.adapter.platform())
            && self.adapter.serves(&Place::of(channel))
            && (named.is_empty() || named.contains(persona))
    }

    /// Whether this account is the first that delivers a persona's replies in a chat.
    fn is_first(&self, accounts: &[Arc<Self>], channel: &ChannelKey, persona: &PersonaName) -> bool {
        let first = accounts.iter().find(|account| account.delivers(channel, persona));
        first.is_some_and(|first| std::ptr::eq(&**first, self))
    }

    fn stopped(error: &RuntimeError) -> bool {
        matches!(error, RuntimeError::Stopped)
    }
}

/// The channels of accounts with the personas that belong to them, to be added to the channels of the settings (RM1).
pub fn memberships(accounts: &[AccountSettings]) -> Vec<ChannelSettings> {
    let of = |account: &AccountSettings| {
        let members = account.personas.clone();
        let channel =
            |pattern| ChannelSettings { pattern, members: members.clone(), ..ChannelSettings::default() };
        Account::channels(account).into_iter().map(channel).collect::<Vec<_>>()
    };
    accounts.iter().filter(|account| account.enabled && !account.personas.is_empty()).flat_map(of).collect()
}

/// The errors of accounts that cannot run, for `doctor`. `cast`: every persona.
pub fn problems(accounts: &[AccountSettings], cast: &[PersonaName]) -> Vec<AccountError> {
    let (mut problems, mut known) = (Vec::new(), Vec::new());
    for (n, account) in accounts.iter().enumerate() {
        if accounts[..n].iter().any(|other| other.name == account.name) {
            let why = "another account has this name; give each a name of its own".to_owned();
            problems.push(AccountError::Setting { account: account.name.clone(), why });
        }
        let made = Account::read(account).and_then(|account| match account.settings.enabled {
            true => another(account, &mut known, cast)?.adapter(),
            false => account.adapter(),
        });
        problems.extend(made.err());
    }
    problems
}

/// The account, where none of `known` is the same one on its platform: the platform would give each event to one of them.
fn another(
    account: Account,
    known: &mut Vec<Account>,
    cast: &[PersonaName],
) -> Result<Account, AccountError> {
    if let Some(same) = known.iter().find(|known| known.is_same(&account, cast)) {
        let why = format!(
            "it is the same account as {}, by its token, user or nick; remove one of them, and put its channels and personas into \
             the other",
            same.settings.name
        );
        return Err(AccountError::Setting { account: account.settings.name, why });
    }
    known.push(account.clone());
    Ok(account)
}
