//! How a turn begins: in the store, in front of its audience, and within the limit of its cost.

use std::time::Instant;

use greenroom_core::{ActorState, ErrorCode, NoticeCode, Standing};
use greenroom_store::StoreError;

use super::{Budget, EventSink, Failure, Turn, TurnStart, ending, instead, progress::Progress};
use crate::ResolvedModel;

impl Turn {
    /// Marks the turn as running where it was not planned so, and the others of the burst as answered by it. The
    /// moment before that was written: the turn sees what was there then.
    pub(super) async fn begin(&self) -> Result<Instant, StoreError> {
        self.state(ActorState::Thinking);
        for earlier in self.burst.iter().filter(|cue| cue.turn != self.trigger.turn) {
            self.services
                .store
                .coalesce_turn(earlier.turn, self.trigger.message.id, self.services.now())
                .await?;
        }
        // a message that wants it for itself was stored so
        if self.is_aside() && !self.trigger.disable_memory {
            self.services.store.set_aside(self.trigger.message.id).await?;
        }
        if let Some(begun) = self.trigger.begun {
            return Ok(begun);
        }
        let begun = Instant::now();
        self.services.store.begin_turn(self.trigger.turn, self.services.now()).await?;
        Ok(begun)
    }

    /// Says that the turn has begun, and with which model. That, and when it began.
    pub(super) async fn open(
        &self,
        begun: Result<TurnStart, StoreError>,
        sink: &EventSink,
        progress: &mut Progress,
        budget: &Budget<'_>,
    ) -> Result<(ResolvedModel, TurnStart), Failure> {
        let Self { services, persona, trigger, .. } = self;
        let standing = budget.standing().await;
        let instead = standing.as_ref().ok().and_then(|(standing, _)| instead(persona, *standing));
        let model = services.models.resolve(persona, instead);
        let name = match &model {
            Ok(model) => model.name.clone(),
            Err(_) => persona.model.name.clone().unwrap_or_else(|| ending::NOBODY.into()),
        };
        sink.tell(ending::started(trigger, &name)).await;
        progress.started = true;
        let begun = begun?;
        let model = model?;
        progress.price = services.models.price(&model.name);
        self.hold_to_cost(sink, standing?, &model, progress.price.is_some()).await?;
        Ok((model, begun))
    }

    /// What the limit of cost has to say to a turn: a notice, or its end.
    pub(super) async fn hold_to_cost(
        &self,
        sink: &EventSink,
        (standing, cost_micros): (Standing, u64),
        model: &ResolvedModel,
        priced: bool,
    ) -> Result<(), Failure> {
        let (who, limits) = (&self.persona.name, &self.persona.limits);
        if limits.cost_per_day > 0.0 && !priced {
            let name = &model.name;
            return Err(Failure::new(
                ErrorCode::BudgetExceeded,
                format!(
                    "{who} has a limit of cost and nobody knows what {name} costs; set price in [models.\"{name}\"] \
                     of greenroom.toml, or limits.cost_per_day to 0"
                ),
            ));
        }
        let (cost, limit) = (cost_micros as f64 / 1e6, limits.cost_per_day);
        let reached = format!("{who} has cost {cost} within the last 24 hours; its limit is {limit}");
        match standing {
            Standing::Within => {}
            Standing::Warned => sink.notice(NoticeCode::BudgetWarning, reached).await,
            Standing::Downgraded => {
                let message = format!("{reached}; {} answers instead", model.name);
                sink.notice(NoticeCode::BudgetWarning, message).await;
            }
            Standing::Blocked => {
                let message = format!("{reached}; wait, or raise limits.cost_per_day");
                return Err(Failure::new(ErrorCode::BudgetExceeded, message));
            }
        }
        Ok(())
    }
}
