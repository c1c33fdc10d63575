//! What an adapter implements.

use async_trait::async_trait;
use greenroom_core::Platform;

use crate::{Inlet, Limits, NotTaken, Outcome, Place, Request, Taken};

/// One account on one platform.
///
/// `run` and `perform` are called at the same time, and `perform` for several chats at once. Never two requests of one
/// chat are under way at a time.
#[async_trait]
pub trait Adapter: Send + Sync + 'static {
    /// The platform.
    fn platform(&self) -> Platform;

    /// Whether a chat of the platform is one of this account. On a platform with globally unique chat ids, every account
    /// returns true.
    fn serves(&self, _place: &Place) -> bool {
        true
    }

    /// What the platform permits there.
    fn limits(&self, place: &Place) -> Limits;

    /// Connects, catches up and hands events in until the connection ends. The caller calls it again after a pause that
    /// grows while connections fail.
    async fn run(&self, inlet: &dyn Inlet) -> Ended;

    /// Handles a webhook request. Checks the signature before it reads the body (X3).
    ///
    /// # Errors
    /// Why the request is refused. On a platform without webhooks each request is unsigned.
    async fn webhook(
        &self,
        _inlet: &dyn Inlet,
        _request: &WebhookRequest,
    ) -> Result<WebhookResponse, WebhookError> {
        Err(WebhookError::Unsigned)
    }

    /// Does one thing on the platform. Returns within 30 s.
    async fn perform(&self, request: Request) -> Outcome;

    /// Fetches a file of a message, by [`Attachment::source`](crate::Attachment::source). Reads no more than `most` bytes.
    ///
    /// # Errors
    /// Why it is not fetched, for people; without the secret of the account.
    async fn fetch(&self, _source: &str, _most: usize) -> Result<Vec<u8>, String> {
        Err("files of this platform cannot be fetched".to_owned())
    }

    /// Tries the account without taking part: whether the secret is right, and what rights are missing. For `connect`
    /// and `doctor`. Channels that the settings name are looked at where the platform tells of them from outside.
    async fn check(&self) -> Vec<Finding>;

    /// Enters the channels that the settings name and leaves them again without a word, for `connect`: whether there are
    /// such, and whether they let the account in. Nothing where [`check`](Adapter::check) has found that out.
    async fn enter(&self) -> Vec<Finding> {
        Vec::new()
    }
}

/// An HTTP request of a platform to Greenroom.
#[derive(Debug, Clone, Default)]
pub struct WebhookRequest {
    /// The time of the signature, by its header.
    pub timestamp: Option<String>,
    /// The signature, by its header.
    pub signature: Option<String>,
    /// The body, as it came.
    pub body: Vec<u8>,
}

/// The answer to a webhook request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookResponse {
    /// An event was taken.
    Taken(Taken),
    /// The platform checks the address, and expects this text.
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
    /// There is no such account, no signature, or a wrong one.
    #[error("the signature is missing or wrong; the manual of the platform says how requests are signed")]
    Unsigned,
    /// It was signed long ago, in the future, or before this process began.
    #[error("the request was signed too long ago, or the clocks differ; sign it again with the present time")]
    Stale,
    /// The same request was taken before.
    #[error("this request was taken before; nothing is to be done")]
    Replayed,
    /// More requests came in the last minutes than are kept.
    #[error("too many requests came in the last minutes; send this one again later")]
    Busy,
    /// The body is wrong.
    #[error("{0}")]
    Invalid(String),
    /// It could not be stored.
    #[error(transparent)]
    NotTaken(#[from] NotTaken),
}

/// Why a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The program stops.
    Stopped,
    /// It broke; another may be made after a pause. After [`ConnectionState::Online`](crate::ConnectionState) the pause
    /// begins at its shortest again.
    Broken(String),
    /// The platform asks to connect again at once, as after a request to reconnect.
    Reconnect,
    /// The platform refuses the account: no further attempt before the settings change. With the remedy.
    Refused(String),
}

/// A result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether nothing is to be mended.
    pub passed: bool,
    /// What was checked, with the result, in a line.
    pub text: String,
    /// What to do about it, with the page of the platform's console.
    pub remedy: Option<String>,
    /// The platform's user id of the account; two accounts may not share one.
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

    /// The setting `user`, where the platform says that the secret is of another account.
    #[cfg(feature = "http")]
    pub(crate) fn of_user(wished: Option<&str>, known: &str) -> Option<Self> {
        let plain = |name: &str| name.trim_start_matches('@').to_lowercase();
        let (wish, is) = (plain(wished?), plain(known));
        // of `@ada:matrix.org` also `ada`
        let is_same = is == wish || is.split(':').next() == Some(&wish);
        (!is_same).then(|| {
            Self::fail(
                format!("the token is of {known}, and `user` says {}", wished.unwrap_or_default()),
                format!("set `user` (--user) to {known}, or take the token of the other account"),
            )
        })
    }
}
