//! What the newest contexts were made of, so that each can be looked at whole: the exact text of every
//! item, not only its beginning. A context is not kept but made again when somebody asks: the same
//! ingredients give the same bytes (WB9), and a turn nobody looks at pays for a few handles.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use greenroom_core::{ChannelKey, ChatMessage, TurnId};
use greenroom_persona::Persona;

use super::context_builder::{ContextInputs, Request};
use crate::{ResolvedModel, TurnContext};

/// Of so many turns.
const KEPT: usize = 64;

/// The newest contexts of this process.
#[derive(Default)]
pub(crate) struct Contexts(Mutex<ContextLog>);

#[derive(Default)]
struct ContextLog {
    newest: VecDeque<(TurnId, Ingredients)>,
    /// The newest erasure that was followed.
    erased: i64,
}

/// What the last request of a turn was made of.
#[derive(Clone)]
pub(crate) struct Ingredients {
    pub(crate) channel: ChannelKey,
    pub(crate) persona: Arc<Persona>,
    pub(crate) model: ResolvedModel,
    pub(crate) inputs: Arc<ContextInputs>,
    pub(crate) window: usize,
    pub(crate) rounds: Vec<ChatMessage>,
    pub(crate) with_tools: bool,
    pub(crate) reusable_prefix: Option<f32>,
}

impl Contexts {
    /// A turn sends its request; the one it sent before counts no more. False, and nothing is kept, where a newer
    /// erasure was followed than the one the turn was checked against (GR10).
    pub(crate) fn keep(&self, turn: TurnId, ingredients: &Ingredients, checked: i64) -> bool {
        let ContextLog { newest, erased } = &mut *self.kept();
        if checked < *erased {
            return false;
        }
        newest.retain(|(known, _)| *known != turn);
        newest.push_back((turn, ingredients.clone()));
        if newest.len() > KEPT {
            newest.pop_front();
        }
        true
    }

    /// The context of a turn, if it is among the newest.
    pub(crate) fn of(&self, turn: TurnId, project_budget: usize) -> Option<TurnContext> {
        let known = self.kept().newest.iter().find(|(known, _)| *known == turn).map(|(_, made)| made.clone());
        let Ingredients { persona, model, inputs, window, rounds, with_tools, reusable_prefix, .. } = known?;
        let request = Request { persona: &persona, model: &model, window, rounds: &rounds, with_tools };
        // it was sent, so it fitted
        let mut assembled = request.assemble(&inputs, project_budget).ok()?;
        let texts = request.texts(&inputs, project_budget, &assembled);
        assembled.receipt.reusable_prefix = reusable_prefix;
        let tools = if with_tools { inputs.schemas() } else { Vec::new() };
        Some(TurnContext { receipt: assembled.receipt, texts, messages: assembled.messages, tools })
    }

    /// Forgets those of some channels: this erasure is followed.
    pub(crate) fn forget(&self, concerned: impl Fn(&ChannelKey) -> bool, followed: i64) {
        let ContextLog { newest, erased } = &mut *self.kept();
        newest.retain(|(_, made)| !concerned(&made.channel));
        *erased = followed.max(*erased);
    }

    fn kept(&self) -> MutexGuard<'_, ContextLog> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
