//! What an adapter implements.

use async_trait::async_trait;
use greenroom_core::Platform;

use crate::{Inlet, Limits, Outcome, Place, Request};

/// One account on one platform.
///
/// `run` and `perform` are called at the same time, and `perform` for several chats at once. Never two requests of one
/// chat are under way at a time.
#[async_trait]
pub trait Adapter: Send + Sync + 'static {
    /// The platform.
    fn platform(&self) -> Platform;

    /// Whether a chat of the platform is one of this account. Two accounts of a platform whose ids are unique
    /// everywhere both say yes.
    fn serves(&self, _place: &Place) -> bool {
        true
    }

    /// What the platform permits there.
    fn limits(&self, place: &Place) -> Limits;

    /// Connects, catches up and hands events in until the connection ends. The caller calls it again after a pause that
    /// grows while connections fail.
    async fn run(&self, inlet: &dyn Inlet) -> Ended;

    /// Does one thing on the platform. Returns within 30 s.
    async fn perform(&self, request: Request) -> Outcome;

    /// Tries the account without taking part: whether the secret is right, and what rights are missing. For `connect`
    /// and `doctor`.
    async fn check(&self) -> Vec<Finding>;
}

/// Why a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The program stops.
    Stopped,
    /// It broke; another may be made after a pause. After `Connection::Online` the pause begins at its shortest again.
    Broken(String),
    /// The platform asks to connect again at once, as after a request to reconnect.
    Again,
    /// The platform refuses the account: no further attempt before the settings change. With the remedy.
    Refused(String),
}

/// Something that a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether it is well.
    pub ok: bool,
    /// What was tried and what came of it, in a line.
    pub text: String,
    /// What to do about it, with the page of the platform's console.
    pub remedy: Option<String>,
}

impl Finding {
    /// Something that is well.
    pub fn good(text: impl Into<String>) -> Self {
        Self { ok: true, text: text.into(), remedy: None }
    }

    /// Something that is to be mended.
    pub fn bad(text: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { ok: false, text: text.into(), remedy: Some(remedy.into()) }
    }
}
