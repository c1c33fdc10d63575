//! The hourly token budget, judged before every model call (WB12, L14, L17).
//!
//! What ended turns used stands in the store. What this turn and the persona's turns elsewhere use
//! at the moment is reserved in the ledger until it stands there, too; what small models used beside
//! the turns stands in the ledger alone.

use greenroom_core::ErrorCode;
use greenroom_persona::Persona;
use greenroom_store::StoreError;

use super::Failure;
use crate::{ledger::HOUR, stage::Stage};

/// What one turn may still use. Dropped when its cost is stored.
pub(crate) struct Budget<'a> {
    stage: &'a Stage,
    persona: &'a Persona,
    reserved: u64,
    /// What was used within the hour, this and other running turns included.
    used: u64,
}

impl<'a> Budget<'a> {
    pub(crate) fn of(stage: &'a Stage, persona: &'a Persona) -> Self {
        Self { stage, persona, reserved: 0, used: 0 }
    }

    /// Whether a call with so many tokens may be made by a turn that used `spent` so far.
    pub(crate) async fn allows(&mut self, spent: u64, prompt: u64) -> Result<bool, StoreError> {
        let limit = self.persona.limits.tokens_per_hour;
        if limit == 0 {
            return Ok(true);
        }
        // reserved first: of two turns that ask at once one sees the other
        let running = self.reserve(spent.saturating_add(prompt));
        let now = self.stage.now();
        let ended = self.stage.store.tokens_used(&self.persona.name, now.before(HOUR), now).await?;
        let aside = self.stage.ledger.spent(&self.persona.name, now);
        let wanted = ended.saturating_add(aside).saturating_add(running);
        self.used = wanted.saturating_sub(prompt);
        let allowed = wanted <= limit;
        if !allowed {
            self.reserve(spent);
        }
        Ok(allowed)
    }

    /// Whether there is room for a call of so many tokens now. Reserves nothing, so that asking for
    /// something that can wait never refuses a turn that runs beside it.
    pub(crate) async fn has_room(&self, prompt: u64) -> Result<bool, StoreError> {
        let limit = self.persona.limits.tokens_per_hour;
        if limit == 0 {
            return Ok(true);
        }
        let running = self.stage.ledger.reserve(&self.persona.name, 0, 0).saturating_add(prompt);
        let now = self.stage.now();
        let ended = self.stage.store.tokens_used(&self.persona.name, now.before(HOUR), now).await?;
        let aside = self.stage.ledger.spent(&self.persona.name, now);
        Ok(ended.saturating_add(aside).saturating_add(running) <= limit)
    }

    /// Why the last call that was asked for is not made.
    pub(crate) fn exceeded(&self) -> Failure {
        let Self { persona, used, .. } = self;
        let limit = persona.limits.tokens_per_hour;
        Failure::new(
            ErrorCode::BudgetExceeded,
            format!(
                "{} used {used} of {limit} tokens within the last hour, and what is left is too little for \
                 this; wait, or raise limits.tokens_per_hour",
                persona.name
            ),
        )
    }

    fn reserve(&mut self, tokens: u64) -> u64 {
        let before = std::mem::replace(&mut self.reserved, tokens);
        self.stage.ledger.reserve(&self.persona.name, before, tokens)
    }
}

impl Drop for Budget<'_> {
    fn drop(&mut self) {
        self.reserve(0);
    }
}
