//! The limits of a persona's usage, checked before every model call: tokens per hour (WB12, L14, L17) and cost per day.
//!
//! The store knows what ended turns and small models used. What the persona's running turns use is reserved in the
//! ledger until the store knows it.

use std::sync::Arc;

use greenroom_core::{ErrorCode, Standing, Usage};
use greenroom_persona::{AtCostLimit, LimitSettings, Persona};
use greenroom_store::StoreError;

use super::failure::Failure;
use crate::{
    grant::Grant,
    ledger::{DAY, HOUR},
    services::Services,
};

/// The budget of one turn. Dropped when the cost of the turn is stored, which ends its reservation.
pub(crate) struct Budget<'a> {
    services: &'a Services,
    persona: &'a Persona,
    reserved: u64,
    /// The tokens used within the hour, this and other running turns included.
    used: u64,
    /// The tokens of the call that was asked for last.
    asked: u64,
    /// The tokens that this answer may take in its room (RM4).
    grant: Option<Arc<Grant>>,
    /// The tokens that any answer may take in this room.
    tokens_per_answer: u64,
    /// Whether the last call was refused because of the grant.
    is_beyond_grant: bool,
}

impl<'a> Budget<'a> {
    pub(crate) fn of(services: &'a Services, persona: &'a Persona) -> Self {
        Self {
            services,
            persona,
            reserved: 0,
            used: 0,
            asked: 0,
            grant: None,
            tokens_per_answer: u64::MAX,
            is_beyond_grant: false,
        }
    }

    /// The same budget with the grant of an answer, in a room with this limit per answer.
    pub(crate) fn with_grant(mut self, grant: Option<&Arc<Grant>>, tokens_per_answer: u64) -> Self {
        (self.grant, self.tokens_per_answer) = (grant.cloned(), tokens_per_answer);
        self
    }

    /// Whether the turn, which has used `spent` tokens, may make a call of `prompt` tokens. If so, reserves them.
    pub(crate) async fn allows(&mut self, spent: u64, prompt: u64) -> Result<bool, StoreError> {
        self.is_beyond_grant = self.grant.as_ref().is_some_and(|grant| prompt > grant.left(spent));
        if self.is_beyond_grant {
            return Ok(false);
        }
        if let Some(grant) = &self.grant {
            grant.set_own(spent.saturating_add(prompt));
        }
        let limit = self.persona.limits.tokens_per_hour;
        if limit == 0 {
            return Ok(true);
        }
        self.asked = prompt;
        // reserved before the check, so that of two concurrent turns one sees the other
        let running = self.reserve(spent.saturating_add(prompt));
        let wanted = self.used_within_the_hour().await?.saturating_add(running);
        self.used = wanted.saturating_sub(prompt);
        let allowed = wanted <= limit;
        if !allowed {
            self.reserve(spent);
        }
        self.services.ledger.judged(&self.persona.name, prompt, allowed);
        Ok(allowed)
    }

    /// Whether a background call of this many tokens fits. Reserves nothing, so that this check never makes a running
    /// turn fail.
    pub(crate) async fn has_room(&self, prompt: u64) -> Result<bool, StoreError> {
        if self.standing().await?.0 == Standing::Blocked {
            return Ok(false);
        }
        let limit = self.persona.limits.tokens_per_hour;
        if limit == 0 {
            return Ok(true);
        }
        let running = self.services.ledger.reserve(&self.persona.name, 0, 0).saturating_add(prompt);
        Ok(self.used_within_the_hour().await?.saturating_add(running) <= limit)
    }

    /// Why the last call is refused.
    pub(crate) fn exceeded(&self) -> Failure {
        let Self { persona, used, .. } = self;
        if self.is_beyond_grant {
            return self.beyond_grant();
        }
        let (limit, asked) = (persona.limits.tokens_per_hour, self.asked);
        if asked > limit {
            // no wait would help
            let why = format!(
                "this request alone has {asked} tokens, and {} may use {limit} in an hour; shorten it, or raise \
                 limits.tokens_per_hour",
                persona.name
            );
            return Failure::new(ErrorCode::BudgetExceeded, why);
        }
        Failure::new(
            ErrorCode::BudgetExceeded,
            format!(
                "{} used {used} of {limit} tokens within the last hour, and what is left is too little for \
                 this; wait, or raise limits.tokens_per_hour",
                persona.name
            ),
        )
    }

    /// The failure of an answer that needs more tokens than it may take in its room.
    pub(crate) fn beyond_grant(&self) -> Failure {
        let limit = self.grant.as_ref().map_or(0, |grant| grant.limit());
        let why = match limit < self.tokens_per_answer {
            // the limits of the persona left less than the room grants
            true => format!(
                "{} has {limit} tokens left for an answer to others, by its limits of an hour and a day, which is too \
                 few; wait, or raise limits.tokens_per_hour or limits.cost_per_day",
                self.persona.name
            ),
            false => format!(
                "an answer may take {limit} tokens in this room, with what small models use for it; raise \
                 room.tokens_per_answer"
            ),
        };
        Failure::new(ErrorCode::BudgetExceeded, why)
    }

    /// How the persona's cost of the last 24 hours compares with its limit, and that cost in millionths. Without a
    /// limit the cost is not added up.
    pub(crate) async fn standing(&self) -> Result<(Standing, u64), StoreError> {
        if self.persona.limits.cost_limit().is_none() {
            return Ok((Standing::Within, 0));
        }
        let now = self.services.now();
        let day = self.services.store.used(&self.persona.name, now.before(DAY), now).await?;
        Ok((by_cost(&self.persona.limits, day), day.cost_micros))
    }

    async fn used_within_the_hour(&self) -> Result<u64, StoreError> {
        let now = self.services.now();
        Ok(self.services.store.used(&self.persona.name, now.before(HOUR), now).await?.total())
    }

    fn reserve(&mut self, tokens: u64) -> u64 {
        let before = std::mem::replace(&mut self.reserved, tokens);
        self.services.ledger.reserve(&self.persona.name, before, tokens)
    }
}

impl Drop for Budget<'_> {
    fn drop(&mut self) {
        self.reserve(0);
    }
}

/// How a persona's usage of an hour and a day compares with its limits (WB12). A request of `refused` tokens did not
/// fit: the persona stays blocked until it would fit.
pub(crate) fn standing(limits: &LimitSettings, hour: Usage, day: Usage, refused: u64) -> Standing {
    let wanted = hour.total().saturating_add(refused.max(1));
    if limits.tokens_per_hour > 0 && wanted > limits.tokens_per_hour {
        return Standing::Blocked;
    }
    by_cost(limits, day)
}

/// The model that answers instead of the persona's own, when its cost has reached the limit.
pub(crate) fn instead(persona: &Persona, standing: Standing) -> Option<&str> {
    persona.limits.downgrade_to.as_deref().filter(|_| standing == Standing::Downgraded)
}

/// How a persona's cost of a day compares with its limit.
fn by_cost(limits: &LimitSettings, day: Usage) -> Standing {
    if limits.cost_limit().is_none_or(|limit| day.cost_micros < limit) {
        return Standing::Within;
    }
    match (limits.at_cost_limit, &limits.downgrade_to) {
        (AtCostLimit::Warn, _) => Standing::Warned,
        (AtCostLimit::Downgrade, Some(_)) => Standing::Downgraded,
        (AtCostLimit::Downgrade | AtCostLimit::Block, _) => Standing::Blocked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_at_the_limit_of_cost_is_what_the_persona_says() {
        let standing = |at_cost_limit, downgrade_to: Option<&str>, cost_micros| {
            let downgrade_to = downgrade_to.map(str::to_owned);
            let limits =
                LimitSettings { cost_per_day: 2.5, at_cost_limit, downgrade_to, ..Default::default() };
            by_cost(&limits, Usage { cost_micros, ..Usage::default() })
        };
        assert_eq!(standing(AtCostLimit::Block, None, 2_499_999), Standing::Within);
        assert_eq!(standing(AtCostLimit::Block, None, 2_500_000), Standing::Blocked);
        assert_eq!(standing(AtCostLimit::Warn, None, 2_500_000), Standing::Warned);
        assert_eq!(standing(AtCostLimit::Downgrade, Some("small"), 2_500_000), Standing::Downgraded);
        assert_eq!(
            standing(AtCostLimit::Downgrade, None, 2_500_000),
            Standing::Blocked,
            "nobody to hand over to"
        );
        let third = LimitSettings { cost_per_day: 0.3, ..Default::default() };
        let at_the_limit = by_cost(&third, Usage { cost_micros: 300_000, ..Usage::default() });
        assert_eq!(at_the_limit, Standing::Blocked, "0.3 is a little more in binary");
        let free = LimitSettings::default();
        assert_eq!(by_cost(&free, Usage { cost_micros: u64::MAX, ..Usage::default() }), Standing::Within);
    }

    #[test]
    fn wb12_a_persona_whose_tokens_of_the_hour_are_used_up_is_blocked_whatever_it_cost() {
        let standing = |tokens_per_hour, prompt_tokens, refused| {
            let limits = LimitSettings { tokens_per_hour, ..Default::default() };
            super::standing(&limits, Usage { prompt_tokens, ..Usage::default() }, Usage::default(), refused)
        };
        assert_eq!(standing(100, 99, 0), Standing::Within);
        assert_eq!(standing(100, 100, 0), Standing::Blocked);
        assert_eq!(standing(100, 60, 41), Standing::Blocked, "what it was asked would not fit");
        assert_eq!(standing(100, 59, 41), Standing::Within, "it would fit by now");
        assert_eq!(standing(0, 1_000_000, 41), Standing::Within, "no limit");
    }
}
