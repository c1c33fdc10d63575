//! Fits the memories into their budget: whole entries, in order. The first that does not fit ends its group, and
//! without at least one entry there is no header either (WB8, FG14, JV6).

use greenroom_core::Role;

use super::head::Head;
use crate::{MemoryBlock, MemoryPlace, TokenCounter, block::Measure, tokens::QuarterCounter};

/// The limits of the block.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// In the block's own measure.
    pub budget: usize,
    /// In tokens of the request.
    pub left: usize,
}

/// The role of a memory block that is a separate message. Not a system message: some endpoints move those to the
/// front.
pub(super) const ROLE: Role = Role::User;

/// The memories that fit.
pub(super) struct Fitted {
    /// The system message; includes the memories in layouts that put them there.
    pub head: Head,
    /// The memories as a separate message, if the layout makes them one.
    pub message: Option<String>,
    /// Tokens that the memories add to the request, with headers and frames.
    pub tokens: usize,
    /// Their cost in the measure of their budget.
    pub measured: usize,
    /// Which entries, in order.
    pub kept: Vec<usize>,
    /// Why their template was not used.
    pub failed: Option<String>,
}

/// Puts as many entries of `block` under `head` as the limits allow, except those marked in `excluded`. `costs` are
/// the tokens of the single entries.
pub(super) fn fit(
    counter: &dyn TokenCounter,
    head: &Head,
    block: &MemoryBlock,
    costs: &[usize],
    excluded: &[bool],
    limits: Limits,
) -> Fitted {
    let page = Page { counter, head, block, costs, excluded, limits };
    let plain = || page.fill(&|kept| Ok(block.text(kept))).unwrap_or_else(|_| page.blank());
    let Some(template) = &block.template else { return plain() };
    match page.fill(&|kept| template.fill(kept)) {
        Ok(fitted) => fitted,
        Err(reason) => Fitted { failed: Some(reason), ..plain() },
    }
}

/// The surroundings of the entries while they are fitted.
struct Page<'a> {
    counter: &'a dyn TokenCounter,
    head: &'a Head,
    block: &'a MemoryBlock,
    costs: &'a [usize],
    excluded: &'a [bool],
    limits: Limits,
}

type Text<'a> = &'a dyn Fn(&[usize]) -> Result<String, String>;

impl Page<'_> {
    /// As many entries as fit, group by group. The sum of the parts is the first estimate; measuring the whole
    /// corrects it in both directions.
    fn fill(&self, text: Text<'_>) -> Result<Fitted, String> {
        let mut fitted = self.blank();
        for (run, _) in self.block.runs() {
            let mut wanted = run.filter(|n| !self.excluded[*n]).peekable();
            if wanted.peek().is_none() {
                continue;
            }
            let before = fitted.kept.len();
            let all: Vec<usize> = fitted.kept.iter().copied().chain(wanted).collect();
            let mut count = before + self.guess(&fitted, &all[before..]);
            let mut tried = self.write(&all[..count], text)?;
            let over = !self.holds(&tried);
            while !self.holds(&tried) && count > before {
                count -= 1;
                tried = self.write(&all[..count], text)?;
            }
            while !over && count < all.len() {
                let more = self.write(&all[..count + 1], text)?;
                if !self.holds(&more) {
                    break;
                }
                count += 1;
                tried = more;
            }
            fitted = tried;
        }
        Ok(fitted)
    }

    /// How many more entries should fit.
    fn guess(&self, fitted: &Fitted, wanted: &[usize]) -> usize {
        let mut used = match fitted.kept.is_empty() {
            true => self.counter.count(&self.block.header) + self.counter.count(&self.block.footer),
            false => fitted.tokens,
        };
        let fitting = wanted.iter().take_while(|n| {
            used += self.costs[**n];
            used <= self.limits.budget.min(self.limits.left)
        });
        fitting.count()
    }

    fn holds(&self, fitted: &Fitted) -> bool {
        fitted.measured <= self.limits.budget && fitted.tokens <= self.limits.left
    }

    fn write(&self, kept: &[usize], text: Text<'_>) -> Result<Fitted, String> {
        if kept.is_empty() {
            return Ok(self.blank());
        }
        let text = text(kept)?;
        let kept = kept.to_vec();
        if text.trim().is_empty() {
            return Ok(Fitted { kept, ..self.blank() });
        }
        let quarters = QuarterCounter.count(&text);
        let (head, message, tokens) = match self.block.place {
            MemoryPlace::System => {
                let grown = self.head.with(self.counter, &text);
                let tokens = grown.tokens.saturating_sub(self.head.tokens);
                (grown, None, tokens)
            }
            MemoryPlace::AfterHistory => {
                let tokens = self.counter.per_message() + self.counter.count(&text);
                (self.head.clone(), Some(text), tokens)
            }
        };
        let measured = match self.block.measure {
            Measure::Tokens => tokens,
            Measure::Quarters => quarters,
        };
        Ok(Fitted { head, message, tokens, measured, kept, failed: None })
    }

    fn blank(&self) -> Fitted {
        Fitted {
            head: self.head.clone(),
            message: None,
            tokens: 0,
            measured: 0,
            kept: Vec::new(),
            failed: None,
        }
    }
}
