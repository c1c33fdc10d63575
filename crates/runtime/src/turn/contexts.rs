//! The inputs of the newest contexts, so that each can be shown with the exact text of every item. A context is not
//! kept but assembled again on request: the same inputs give the same bytes (WB9). So a turn that is never looked at
//! costs only a few shared pointers.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use greenroom_core::{ChannelKey, ChatMessage, TurnId};
use greenroom_persona::Persona;

use super::request::{ContextInputs, Request};
use crate::{ResolvedModel, TurnContext};

/// How many turns are kept.
const KEPT: usize = 64;

/// The newest contexts of this process.
#[derive(Default)]
pub(crate) struct RecentContexts(Mutex<ContextLog>);

#[derive(Default)]
struct ContextLog {
    newest: VecDeque<(TurnId, SentRequest)>,
    /// The newest erasure that was followed.
    erased: i64,
}

/// The inputs of a turn's last request.
#[derive(Clone)]
pub(crate) struct SentRequest {
    pub(crate) channel: ChannelKey,
    pub(crate) persona: Arc<Persona>,
    pub(crate) model: ResolvedModel,
    pub(crate) inputs: Arc<ContextInputs>,
    pub(crate) window: usize,
    pub(crate) rounds: Vec<ChatMessage>,
    pub(crate) with_tools: bool,
    pub(crate) reusable_prefix: Option<f32>,
}

impl RecentContexts {
    /// Keeps a turn's request in place of its earlier one. Returns false, and keeps nothing, if a newer erasure was
    /// followed than `checked`, the one that the turn was checked against (GR10).
    pub(crate) fn keep(&self, turn: TurnId, sent: &SentRequest, checked: i64) -> bool {
        let ContextLog { newest, erased } = &mut *self.kept();
        if checked < *erased {
            return false;
        }
        newest.retain(|(known, _)| *known != turn);
        newest.push_back((turn, sent.clone()));
        if newest.len() > KEPT {
            newest.pop_front();
        }
        true
    }

    /// The context of a turn, if it is among the newest.
    pub(crate) fn get(&self, turn: TurnId, project_budget: usize) -> Option<TurnContext> {
        let known = self.kept().newest.iter().find(|(known, _)| *known == turn).map(|(_, sent)| sent.clone());
        let SentRequest { persona, model, inputs, window, rounds, with_tools, reusable_prefix, .. } = known?;
        let request = Request { persona: &persona, model: &model, window, rounds: &rounds, with_tools };
        // it was sent, so it fits
        let mut assembled = request.assemble(&inputs, project_budget).ok()?;
        let texts = request.texts(&inputs, project_budget, &assembled);
        assembled.receipt.reusable_prefix = reusable_prefix;
        let tools = if with_tools { inputs.schemas() } else { Vec::new() };
        Some(TurnContext { receipt: assembled.receipt, texts, messages: assembled.messages, tools })
    }

    /// Forgets the contexts of the channels that an erasure concerns. `followed` is its number.
    pub(crate) fn forget(&self, concerned: impl Fn(&ChannelKey) -> bool, followed: i64) {
        let ContextLog { newest, erased } = &mut *self.kept();
        newest.retain(|(_, sent)| !concerned(&sent.channel));
        *erased = followed.max(*erased);
    }

    fn kept(&self) -> MutexGuard<'_, ContextLog> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
