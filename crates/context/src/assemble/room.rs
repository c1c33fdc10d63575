//! The part of the window that a request may take.

use greenroom_core::Receipt;

use super::Assembly;

/// A tenth of the window stays free unless the counter is the model's own tokenizer: the estimate may be wrong by
/// about that much, and the real request must fit too.
const MARGIN_DIVISOR: usize = 10;

/// Above this percentage of the usable window the user is warned (WB14).
const WARN_ABOVE: usize = 80;

/// The remedy if the model's window is the limit.
pub const LARGER_WINDOW: &str = "a model with a larger window";

/// The window less reserve and margin.
pub(super) struct Room {
    /// Tokens kept for the reply.
    pub reserve: usize,
    /// Tokens the request may take.
    pub usable: usize,
    /// Notes about the window for the receipt.
    pub notes: Vec<String>,
}

impl Room {
    pub fn of(assembly: &Assembly<'_>) -> Self {
        let window = assembly.profile.window;
        let counter = &assembly.profile.counter;
        let mut notes = Vec::new();
        let reserve = assembly.reserve.min(window / 2);
        if reserve < assembly.reserve {
            notes.push(format!(
                "{} tokens were to be kept for the reply; that is more than half of the {window} that request and reply \
                 may take, so {reserve} are",
                assembly.reserve
            ));
        }
        let margin = margin(window, counter.exact());
        if margin > 0 {
            notes.push(format!("tokens are estimated, so {margin} of {window} stay free to be safe"));
        }
        Self { reserve, usable: window.saturating_sub(reserve + margin), notes }
    }
}

/// Tokens of a window that request and reply may take together.
pub fn usable(window: usize, exact: bool) -> usize {
    window - margin(window, exact)
}

fn margin(window: usize, exact: bool) -> usize {
    if exact { 0 } else { window.div_ceil(MARGIN_DIVISOR) }
}

/// The warning for a context that takes more than 80 % of the usable window (WB14). `larger` is the remedy it names.
pub fn nearly_full(receipt: &Receipt, larger: &str) -> Option<String> {
    let kept_free = receipt.reserve + margin(receipt.window, receipt.exact);
    let usable = receipt.window.saturating_sub(kept_free).max(1);
    let total = receipt.budget.total_tokens;
    (total * 100 > usable * WARN_ABOVE).then(|| {
        format!(
            "the context is {}% full ({total} of {usable} tokens): what is oldest is left out, or summed up, when it overflows; \
             /reset starts afresh, {larger} holds more",
            total * 100 / usable
        )
    })
}
