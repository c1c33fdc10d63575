//! The accounts that `greenroom serve` runs. Each account has a task that keeps it connected, a task that delivers
//! replies, and a task that deletes erased replies on the platform.
//!
//! ```text
//! connecting.rs   keeps an account connected; a lock allows one process per account
//! failures.rs     tells people about failed turns
//! telling.rs      sends a notice to one person
//! intake.rs       stores the events of adapters: the `Inlet` of an account
//! addressing.rs   decides for which personas a message is, and recognises the other accounts in a chat
//! content.rs      the author and the text of a message
//! changes.rs      edits and deletions
//! early.rs        edits and deletions that arrive before their message
//! settled.rs      finds messages and changes that the platform delivers again
//! images.rs       images of messages, for models that accept them
//! in_flight.rs    posts whose platform ids are not stored yet
//! command.rs      reads a line as a command
//! commands.rs     runs the commands of people in a chat: who, why, quiet, leave, forget me
//! links.rs        codes by which people link their accounts
//! quota.rs        hourly limits on what strangers can cause
//! outbox.rs       selects the replies to deliver next
//! delivery.rs     delivers one reply: its parts, attempts and outcomes
//! parts.rs        splits a reply into messages of the platform and cuts long ones
//! retracting.rs   deletes erased replies on the platform
//! status.rs       the status of accounts, for operators
//! ```

mod addressing;
mod changes;
mod command;
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

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

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
    settled::RunningCommands,
    status::{COUNTED, Progress},
};
pub use self::{
    settled::note_erasure,
    status::{AccountState, AccountStatus, RefusedChannel, stored_status},
};
use crate::{
    Account, AccountError, Adapter, Face, NotTaken, Place, WebhookError, WebhookRequest, WebhookResponse,
};

/// The time for adapters to end their connections at shutdown.
const GOODBYE: Duration = Duration::from_secs(3);

/// The parts that [`Accounts`] is made of.
pub struct AccountsOptions {
    /// The actor runtime.
    pub runtime: Runtime,
    /// The store.
    pub store: Arc<dyn Store>,
    /// The chats that this process answers in.
    pub chats: Arc<OwnedChats>,
    /// The persona that answers if an account names none.
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
    /// All accounts of this process, including this one.
    all: Arc<[(AccountSettings, Arc<dyn Adapter>)]>,
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
    commands: Arc<RunningCommands>,
    in_flight: Arc<InFlight>,
    fetches: Fetches,
    /// People who joined a chat, as the platform reported it: id to name. `/who` lists them.
    present: DashMap<ChannelKey, BTreeMap<String, String>>,
    /// Wakes the delivery task when the account is online or a delivery is to be sent again.
    wake: Notify,
    /// Wakes the delivery tasks of the platform's accounts: in a shared chat, each waits for the replies of the others.
    delivered: Arc<watch::Sender<()>>,
    /// Wakes the tasks that delete replies on platforms, when a message was erased or an account is online.
    retractions: Arc<watch::Sender<()>>,
    closing: CancellationToken,
}

impl Accounts {
    /// Starts every enabled account. An account with wrong settings does not run; its status says why.
    pub fn start(options: AccountsOptions, settings: &[AccountSettings]) -> Self {
        let mut made = Vec::new();
        let mut broken = Vec::new();
        let mut known = Vec::new();
        let cast: Vec<_> = options.runtime.cast().iter().map(|persona| persona.name.clone()).collect();
        let enabled: Vec<_> = settings.iter().filter(|settings| settings.enabled).cloned().collect();
        for (n, settings) in enabled.iter().enumerate() {
            match may_run(settings, &enabled[..n], &cast)
                .and_then(|()| Account::read(settings))
                .and_then(|account| unless_duplicate(account, &mut known, &cast)?.adapter())
            {
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

    /// Runs accounts whose adapters already exist.
    pub fn run(options: AccountsOptions, adapters: Vec<(AccountSettings, Arc<dyn Adapter>)>) -> Self {
        let closing = CancellationToken::new();
        let AccountsOptions { runtime, store, chats, default_persona } = options;
        let codes = Arc::new(Codes::default());
        let (in_flight, early) = (Arc::new(InFlight::default()), Arc::new(EarlyChanges::default()));
        let (commands, retractions) =
            (Arc::new(RunningCommands::default()), Arc::new(watch::Sender::new(())));
        let all: Arc<[_]> = adapters.into();
        let mut delivered: HashMap<_, Arc<watch::Sender<()>>> = HashMap::new();
        let running = all.iter().cloned().map(|(settings, adapter)| {
            Arc::new(RunningAccount {
                quota: Quota::new(&settings),
                left_out: LeftOut::default(),
                codes: codes.clone(),
                failures: Failures::default(),
                progress: Progress::default(),
                early: early.clone(),
                commands: commands.clone(),
                all: all.clone(),
                in_flight: in_flight.clone(),
                fetches: Fetches::default(),
                present: DashMap::new(),
                wake: Notify::new(),
                delivered: delivered.entry(adapter.platform()).or_default().clone(),
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
            tasks.spawn(outbox::deliver(account.clone()));
            tasks.spawn(retracting::retract(account.clone()));
        }
        tasks.spawn(status::keep(store.clone(), running.clone(), closing.clone()));
        let tasks = tokio::sync::Mutex::new(tasks);
        Self { shared: Arc::new(Shared { runtime, store, running, broken: Vec::new(), closing, tasks }) }
    }

    /// Answers messages whose turns a crash ended (AD1). Messages that are too old by now get no answer.
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

    /// The status of each account, for operators (AD8).
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn status(&self) -> Result<Vec<AccountStatus>, StoreError> {
        let open = self.shared.store.open_deliveries(COUNTED).await?;
        let running = self.shared.running.iter().map(|account| account.status(&open));
        Ok(running.chain(self.shared.broken.iter().cloned()).collect())
    }

    /// Sends a dead or uncertain delivery again. Returns false if the delivery is neither.
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
    /// Why the request is refused. If the account does not run in this process, each request counts as unsigned.
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

    /// Gives up a dead or uncertain delivery. Returns false if the delivery is neither.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn give_up(&self, delivery: i64) -> Result<bool, StoreError> {
        self.shared.store.step_delivery(delivery, DeliveryStep::Drop, self.shared.runtime.now()).await
    }

    /// Ends everything at once, as a killed process does. For tests.
    #[cfg(feature = "testing")]
    pub async fn kill(&self) {
        self.shared.tasks.lock().await.shutdown().await;
    }

    /// Ends the connections. Pending replies are delivered after the next start.
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

    /// The face of any persona. People may call one that is not of the account: then it belongs to the channel, too.
    fn face(&self, persona: &PersonaName) -> Face {
        let known = self.runtime.persona(persona).ok();
        let name = known.map_or_else(|| persona.to_string(), |known| known.display_name.clone());
        Face { persona: persona.clone(), name }
    }

    /// Whether this account delivers a persona's replies in a chat.
    fn is_first(&self, channel: &ChannelKey, persona: &PersonaName) -> bool {
        let place = Place::of(channel);
        let there = self
            .all
            .iter()
            .filter(|(_, adapter)| channel.platform() == Some(adapter.platform()) && adapter.serves(&place));
        let first = first_with(persona, there.map(|(settings, adapter)| (settings, adapter)));
        first.is_some_and(|adapter| Arc::ptr_eq(adapter, &self.adapter))
    }

    fn stopped(error: &RuntimeError) -> bool {
        matches!(error, RuntimeError::Stopped)
    }
}

/// The channels of accounts and the personas that belong to them. The caller adds them to the channels of the settings
/// (RM1).
pub fn memberships(accounts: &[AccountSettings]) -> Vec<ChannelSettings> {
    let of = |account: &AccountSettings| {
        let members = account.personas.clone();
        let channel = |pattern| ChannelSettings {
            pattern,
            members: members.clone(),
            is_of_account: true,
            ..ChannelSettings::default()
        };
        Account::channels(account).into_iter().map(channel).collect::<Vec<_>>()
    };
    accounts.iter().filter(|account| account.enabled && !account.personas.is_empty()).flat_map(of).collect()
}

/// The errors of accounts that cannot run, for `doctor`. `cast`: all personas.
pub fn problems(accounts: &[AccountSettings], cast: &[PersonaName]) -> Vec<AccountError> {
    let (mut problems, mut known) = (Vec::new(), Vec::new());
    for (n, account) in accounts.iter().enumerate() {
        problems.extend(taken_name(account, &accounts[..n]));
        problems.extend(unknown_personas(account, cast));
        let made = Account::read(account).and_then(|account| match account.settings.enabled {
            true => unless_duplicate(account, &mut known, cast)?.adapter(),
            false => account.adapter(),
        });
        problems.extend(made.err());
    }
    problems
}

/// Of the accounts in a chat, given in the order of the settings, the one that delivers a persona's replies: the first
/// one that has the persona, else the first one.
fn first_with<'a, T>(
    persona: &PersonaName,
    there: impl IntoIterator<Item = (&'a AccountSettings, T)>,
) -> Option<T> {
    let mut first = None;
    for (settings, account) in there {
        if settings.personas.is_empty() || settings.personas.contains(persona) {
            return Some(account);
        }
        first = first.or(Some(account));
    }
    first
}

/// Refuses an account whose name is taken, or all of whose personas are unknown. If some are known, it runs with these.
fn may_run(
    account: &AccountSettings,
    earlier: &[AccountSettings],
    cast: &[PersonaName],
) -> Result<(), AccountError> {
    if let Some(error) = taken_name(account, earlier) {
        return Err(error);
    }
    match unknown_personas(account, cast) {
        Some(error) if account.personas.iter().any(|name| cast.contains(name)) => {
            tracing::error!(account = account.name, %error, "an account runs without some of its personas");
            Ok(())
        }
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// The error of an account whose name an earlier one has. Names tell apart the channels, locks and cursors of accounts.
fn taken_name(account: &AccountSettings, earlier: &[AccountSettings]) -> Option<AccountError> {
    let why = || "another account has this name; give each a name of its own".to_owned();
    let is_taken = earlier.iter().any(|other| other.name == account.name);
    is_taken.then(|| AccountError::Setting { account: account.name.clone(), why: why() })
}

/// The error of an account that names personas that do not exist.
fn unknown_personas(account: &AccountSettings, cast: &[PersonaName]) -> Option<AccountError> {
    let unknown: Vec<_> = account.personas.iter().filter(|name| !cast.contains(name)).collect();
    let names = unknown.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let why = format!("`personas`: there is no persona {names}; `greenroom persona list` shows the personas");
    (!unknown.is_empty()).then(|| AccountError::Setting { account: account.name.clone(), why })
}

/// Returns the account if none of `known` is the same account on the platform. With two connections of one account the
/// platform would send each event to only one of them.
fn unless_duplicate(
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
