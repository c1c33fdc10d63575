//! The state machine of a delivery (AD1).

use crate::{DeliveryState, DeliveryStep};

/// The state of a delivery after a step; `None` if the step changes nothing. `uncertain`: whether any part of it is
/// uncertain, including this step.
pub fn after(state: DeliveryState, step: &DeliveryStep, uncertain: bool) -> Option<DeliveryState> {
    use DeliveryState::{Dead, Delivered, Dropped, Sending, Uncertain, Waiting};
    let is_open = matches!(state, Waiting | Sending);
    match step {
        DeliveryStep::Begun => is_open.then_some(Sending),
        DeliveryStep::Part { last: false, .. } => is_open.then_some(Waiting),
        DeliveryStep::Part { .. } if uncertain => is_open.then_some(Uncertain),
        DeliveryStep::Part { .. } => is_open.then_some(Delivered),
        DeliveryStep::NotSent => (state == Sending).then_some(Waiting),
        DeliveryStep::Dead(_) => is_open.then_some(Dead),
        DeliveryStep::Resend => matches!(state, Dead | Uncertain).then_some(Waiting),
        DeliveryStep::Drop => matches!(state, Dead | Uncertain).then_some(Dropped),
    }
}

/// Whether a delivery in this state needs no more work.
pub fn is_over(state: DeliveryState) -> bool {
    matches!(state, DeliveryState::Delivered | DeliveryState::Uncertain | DeliveryState::Dropped)
}
