//! The beginning of a turn: it chooses the model and applies the limit of cost.

use greenroom_core::{ErrorCode, NoticeCode, Standing};
use greenroom_store::StoreError;

use super::{
    Turn,
    budget::{Budget, instead},
    ending::{NO_MODEL, started},
    event_sink::EventSink,
    failure::Failure,
    progress::Progress,
};
use crate::ResolvedModel;

impl Turn {
    /// Chooses the model and publishes that the turn has begun. Returns the model, and the newest erasure that was
    /// followed before the turn began.
    pub(super) async fn open(
        &self,
        begun: Result<i64, StoreError>,
        sink: &EventSink,
        progress: &mut Progress,
        budget: &Budget<'_>,
    ) -> Result<(ResolvedModel, i64), Failure> {
        let Self { services, persona, trigger, .. } = self;
        let standing = budget.standing().await;
        let instead = standing.as_ref().ok().and_then(|(standing, _)| instead(persona, *standing));
        let model = services.models.resolve(persona, instead);
        let name = match &model {
            Ok(model) => model.name.clone(),
            Err(_) => persona.model.name.clone().unwrap_or_else(|| NO_MODEL.into()),
        };
        // a turn that starts over has begun
        if !progress.started {
            sink.tell(started(trigger, &name)).await;
            progress.started = true;
        }
        let begun = begun?;
        let model = model?;
        progress.price = services.models.price(&model.name);
        self.apply_cost_limit(sink, standing?, &model, progress.price.is_some()).await?;
        Ok((model, begun))
    }

    /// Applies the limit of cost: publishes a notice, or ends the turn.
    async fn apply_cost_limit(
        &self,
        sink: &EventSink,
        (standing, cost_micros): (Standing, u64),
        model: &ResolvedModel,
        priced: bool,
    ) -> Result<(), Failure> {
        let (who, limits) = (&self.persona.name, &self.persona.limits);
        if limits.cost_limit().is_some() && !priced {
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
