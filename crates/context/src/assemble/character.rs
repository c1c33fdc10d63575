//! Fits the texts of a character. Instructions and lorebook entries get their tokens before project, memories and older
//! history; examples and the opening get what is left at the end, so they leave first (PF4, PF5).

use greenroom_core::{ChatMessage, Outcome, Role, Section};

use super::{Assembly, account::Account, head::Head, settle::Shown};
use crate::{CharacterKind, CharacterPlace, CharacterText, TokenCounter};

/// The texts that fit.
pub(super) struct Fitted {
    /// The system message with prompt and texts around it.
    pub head: Head,
    /// Tokens of the texts, beside those of the prompt.
    pub tokens: usize,
    /// The fate of each text.
    fates: Vec<Fate>,
}

/// The fate of a text.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Kept,
    /// It did not fit beside the required parts.
    Full,
    /// Over the budget of the lorebooks.
    OverBudget,
    /// It gets only tokens that the history leaves, if any.
    Spare,
}

/// Puts instructions and lorebook entries around the prompt, if they fit into `free` tokens beside it.
pub(super) fn fit(assembly: &Assembly<'_>, head: &Head, free: usize) -> Fitted {
    let counter = &*assembly.profile.counter;
    let texts = &assembly.character.texts;
    let mut fates: Vec<Fate> = texts.iter().map(|_| Fate::Spare).collect();
    let mut order: Vec<usize> = (0..texts.len()).filter(|n| texts[*n].kind != CharacterKind::Spare).collect();
    order.sort_by_key(|n| texts[*n].kind);
    let (mut left, mut budget, mut ended) = (free, assembly.character.lore_budget, false);
    for n in &order {
        let cost = cost(counter, &texts[*n]);
        let is_lore = matches!(texts[*n].kind, CharacterKind::Lore(_));
        ended |= is_lore && cost > budget;
        fates[*n] = match () {
            () if is_lore && ended => Fate::OverBudget,
            () if cost > left => Fate::Full,
            () => Fate::Kept,
        };
        if fates[*n] == Fate::Kept {
            left -= cost;
            budget -= if is_lore { cost } else { 0 };
        }
    }
    // the parts may count less than the whole
    loop {
        let fitted = written(assembly, head, &fates);
        let last = order.iter().rev().find(|n| fates[**n] == Fate::Kept);
        match last {
            Some(last) if fitted.tokens > free => fates[*last] = Fate::Full,
            _ => return fitted,
        }
    }
}

/// Tokens of a text alone.
fn cost(counter: &dyn TokenCounter, text: &CharacterText) -> usize {
    match text.place {
        CharacterPlace::Depth { .. } | CharacterPlace::Opening => {
            counter.per_message() + counter.count(&text.text)
        }
        _ => counter.count(&text.text) + 2,
    }
}

fn written(assembly: &Assembly<'_>, head: &Head, fates: &[Fate]) -> Fitted {
    let counter = &*assembly.profile.counter;
    let kept = |place: CharacterPlace| {
        let texts = assembly.character.texts.iter().zip(fates);
        texts
            .filter(move |(text, fate)| **fate == Fate::Kept && text.place == place)
            .map(|(text, _)| text.text.as_str())
    };
    let (before, after) = (kept(CharacterPlace::BeforePrompt), kept(CharacterPlace::AfterPrompt));
    let prompt = Some(head.text.as_str()).filter(|text| !text.is_empty());
    let around: Vec<&str> = before.chain(prompt).chain(after).collect();
    let is_alone = around.len() == usize::from(prompt.is_some());
    let grown = if is_alone { head.clone() } else { Head::new(counter, &around.join("\n\n")) };
    let messages = assembly.character.texts.iter().zip(fates);
    let messages: usize = messages
        .filter(|(text, fate)| **fate == Fate::Kept && matches!(text.place, CharacterPlace::Depth { .. }))
        .map(|(text, _)| cost(counter, text))
        .sum();
    let tokens = grown.tokens.saturating_sub(head.tokens) + messages;
    Fitted { head: grown, tokens, fates: fates.to_vec() }
}

/// Gives the remaining tokens to the opening, then to examples, in order. Returns the system message with them, and
/// their tokens.
pub(super) fn fill(
    assembly: &Assembly<'_>,
    fitted: &mut Fitted,
    head: Head,
    shown: Shown,
    left: usize,
) -> (Head, usize) {
    let counter = &*assembly.profile.counter;
    let (mut head, mut used) = (head, 0);
    for (n, text) in assembly.character.texts.iter().enumerate() {
        let is_wanted = match text.place {
            CharacterPlace::Opening => {
                shown.first == 0 && !assembly.history.is_empty() && assembly.summary().is_none()
            }
            _ => true,
        };
        if text.kind != CharacterKind::Spare || !is_wanted {
            continue;
        }
        let grown = match text.place {
            CharacterPlace::Opening => head.clone(),
            _ => head.with(counter, &text.text),
        };
        let cost = match text.place {
            CharacterPlace::Opening => cost(counter, text),
            _ => grown.tokens.saturating_sub(head.tokens),
        };
        if used + cost > left {
            break;
        }
        used += cost;
        head = grown;
        fitted.fates[n] = Fate::Kept;
    }
    (head, used)
}

impl Fitted {
    /// The kept texts among the messages: how many messages of the conversation come after each.
    pub fn messages<'a>(&self, assembly: &'a Assembly<'_>) -> Vec<(usize, ChatMessage)> {
        let texts = assembly.character.texts.iter().zip(&self.fates);
        let message = |(text, fate): (&'a CharacterText, &Fate)| match text.place {
            CharacterPlace::Depth { depth, role } if *fate == Fate::Kept => {
                Some((depth, ChatMessage::new(role, text.text.as_str())))
            }
            _ => None,
        };
        texts.filter_map(message).collect()
    }

    /// The messages before all others.
    pub fn opening<'a>(&'a self, assembly: &'a Assembly<'_>) -> impl Iterator<Item = ChatMessage> + 'a {
        let texts = assembly.character.texts.iter().zip(&self.fates);
        let shown =
            texts.filter(|(text, fate)| text.place == CharacterPlace::Opening && **fate == Fate::Kept);
        shown.map(|(text, _)| ChatMessage::new(Role::Assistant, text.text.as_str()))
    }

    /// Adds the texts to the receipt; `spare` are the tokens of opening and examples.
    pub fn account(&self, account: &mut Account, assembly: &Assembly<'_>, spare: usize) {
        let counter = &*assembly.profile.counter;
        for (text, fate) in assembly.character.texts.iter().zip(&self.fates) {
            let budget = assembly.character.lore_budget;
            let (outcome, reason) = match fate {
                Fate::Kept => (Outcome::Kept, text.reason.clone()),
                Fate::Full => {
                    (Outcome::Dropped, format!("no room beside the required parts; {}", text.reason))
                }
                Fate::OverBudget => (
                    Outcome::Dropped,
                    format!("over the lorebook's budget of {budget} tokens; {}", text.reason),
                ),
                Fate::Spare => {
                    (Outcome::Dropped, format!("the conversation needs the room; {}", text.reason))
                }
            };
            account.add(Section::System, &text.id, &text.text, cost(counter, text), outcome, reason);
        }
        account.budget.system_tokens += self.tokens + spare;
    }
}

/// Adds the texts to a receipt of a context without them.
pub(super) fn drop_all(account: &mut Account, assembly: &Assembly<'_>, reason: &'static str) {
    for text in &assembly.character.texts {
        let tokens = cost(&*assembly.profile.counter, text);
        account.add(Section::System, &text.id, &text.text, tokens, Outcome::Dropped, reason);
    }
}
