//! The trait that each platform implements, with the types of webhooks, ended connections and checks. `accounts.rs`
//! calls it; `registry.rs` makes the implementations.

use async_trait::async_trait;
use greenroom_core::Platform;

use crate::{Inlet, Limits, NotTaken, Outcome, Place, Request, Taken};

/// One account on one platform.
///
/// The caller runs `run` and `perform` concurrently, and `perform` concurrently for several chats. It never has two
/// requests of the same chat in flight.
#[async_trait]
pub trait Adapter: Send + Sync + 'static {
    /// The platform.
    fn platform(&self) -> Platform;

    /// Whether a chat belongs to this account. On a platform with globally unique chat ids, every account returns true.
    fn serves(&self, _place: &Place) -> bool {
        true
    }

    /// The ids under which the account speaks in a chat, as authors and mentions have them. Several accounts of one
    /// process recognise each other by them. Empty where two accounts share no chat.
    fn own_ids(&self, _place: &Place) -> Vec<String> {
        Vec::new()
    }

    /// The platform's limits in a chat.
    fn limits(&self, place: &Place) -> Limits;

    /// Connects, fetches the events missed while offline, and passes events to `inlet` until the connection ends. The
    /// caller calls `run` again after a pause. The pause grows while connections fail.
    async fn run(&self, inlet: &dyn Inlet) -> Ended;

    /// Handles a webhook request. Checks the signature before it reads the body (X3).
    ///
    /// # Errors
    /// Why the request is refused. The default, for platforms without webhooks, refuses each request as unsigned.
    async fn webhook(
        &self,
        _inlet: &dyn Inlet,
        _request: &WebhookRequest,
    ) -> Result<WebhookResponse, WebhookError> {
        Err(WebhookError::Unsigned)
    }

    /// Performs one request on the platform. Returns within 30 s.
    async fn perform(&self, request: Request) -> Outcome;

    /// Fetches a file of a message, by [`Attachment::source`](crate::Attachment::source). Reads no more than `most` bytes.
    ///
    /// # Errors
    /// Why the file is not fetched, in a text for people. The text does not contain the account's secret.
    async fn fetch(&self, _source: &str, _most: usize) -> Result<Vec<u8>, String> {
        Err("files of this platform cannot be fetched".to_owned())
    }

    /// Checks the account for `connect` and `doctor` without joining any channel: whether the platform accepts the
    /// secret, and which rights are missing. It checks the channels of the settings where the platform describes
    /// channels to accounts outside them.
    async fn check(&self) -> Vec<Finding>;

    /// For `connect`: joins the channels of the settings and leaves them again without sending a message. The findings
    /// say which channels do not exist or refuse the account. Empty where [`check`](Adapter::check) already tells this.
    async fn enter(&self) -> Vec<Finding> {
        Vec::new()
    }
}

/// An HTTP request of a platform to Greenroom.
#[derive(Debug, Clone, Default)]
pub struct WebhookRequest {
    /// The time of the signature, from the request's header.
    pub timestamp: Option<String>,
    /// The signature, from the request's header.
    pub signature: Option<String>,
    /// The body, byte for byte: the signature covers it.
    pub body: Vec<u8>,
}

/// The answer to a webhook request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookResponse {
    /// An event was taken.
    Taken(Taken),
    /// The platform verifies the webhook's address and expects this text as the answer.
    Challenge(String),
}

impl From<Taken> for WebhookResponse {
    fn from(taken: Taken) -> Self {
        Self::Taken(taken)
    }
}

/// Why a webhook request is refused.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// No account has this name, or the signature is missing or wrong.
    #[error("the signature is missing or wrong; the manual of the platform says how requests are signed")]
    Unsigned,
    /// The time of the signature is too old, in the future, or before this process began.
    #[error("the request was signed too long ago, or the clocks differ; sign it again with the present time")]
    Stale,
    /// The account has already taken the same request.
    #[error("this request was taken before; nothing is to be done")]
    Replayed,
    /// The replay cache is full: too many requests came in the last minutes.
    #[error("too many requests came in the last minutes; send this one again later")]
    Busy,
    /// The body cannot be read, with the reason.
    #[error("{0}")]
    Invalid(String),
    /// The event could not be stored.
    #[error(transparent)]
    NotTaken(#[from] NotTaken),
}

/// Why a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The program stops.
    Stopped,
    /// The connection failed; the caller connects again after a pause. If the connection had reached
    /// [`ConnectionState::Online`](crate::ConnectionState), the caller starts again with the shortest pause.
    Broken(String),
    /// The platform asks for a new connection at once.
    Reconnect,
    /// The platform refuses the account. The caller makes no further attempt before the settings change. The text
    /// contains the remedy.
    Refused(String),
}

/// One result of [`Adapter::check`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// False if the operator has to act.
    pub passed: bool,
    /// The check and its result, in one line.
    pub text: String,
    /// The remedy, with the page of the platform's console.
    pub remedy: Option<String>,
    /// The platform's user id of the account. Two accounts may not have the same user.
    pub as_user: Option<String>,
}

impl Finding {
    /// A check that passed.
    pub fn pass(text: impl Into<String>) -> Self {
        Self { passed: true, text: text.into(), remedy: None, as_user: None }
    }

    /// A check that failed, with the remedy.
    pub fn fail(text: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { passed: false, text: text.into(), remedy: Some(remedy.into()), as_user: None }
    }

    /// A failed check if the platform's user is not the `user` of the settings. `None` if they match or `user` is not
    /// set.
    #[cfg(feature = "http")]
    pub(crate) fn of_user(wished: Option<&str>, known: &str) -> Option<Self> {
        let plain = |name: &str| name.trim_start_matches('@').to_lowercase();
        let (wish, is) = (plain(wished?), plain(known));
        // `@ada:matrix.org` also matches `ada`
        let is_same = is == wish || is.split(':').next() == Some(&wish);
        (!is_same).then(|| {
            Self::fail(
                format!("the token is of {known}, and `user` says {}", wished.unwrap_or_default()),
                format!("set `user` (--user) to {known}, or take the token of the other account"),
            )
        })
    }
}
