//! A receipt as it is kept: short, since one comes with every reply. The history can be read where it stands, so
//! nothing of its text is kept, and of messages that share their fate no more than their numbers and tokens.

use std::borrow::Cow;

use greenroom_core::{ContextBudget, Outcome, Receipt, ReceiptItem, Section};
use serde::{Deserialize, Serialize};

/// Begins the id of a message in a receipt.
const MESSAGE: &str = "msg:";

#[derive(Serialize, Deserialize)]
struct Short<'a> {
    model: Cow<'a, str>,
    window: usize,
    reserve: usize,
    counter: Cow<'a, str>,
    exact: bool,
    budget: ContextBudget,
    items: Vec<Entry<'a>>,
    #[serde(default, skip_serializing_if = "is_empty")]
    notes: Cow<'a, [String]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reusable_prefix: Option<f32>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Entry<'a> {
    /// Messages of the history that follow each other: the number and the tokens of each.
    History { messages: Vec<(i64, usize)>, outcome: Outcome, reason: Cow<'a, str> },
    /// Anything else, and everything in receipts of older versions.
    Item(Cow<'a, ReceiptItem>),
}

fn is_empty(notes: &[String]) -> bool {
    notes.is_empty()
}

/// A receipt as it is kept.
pub(crate) fn write(receipt: &Receipt) -> Result<String, serde_json::Error> {
    let Receipt { model, window, reserve, counter, exact, budget, items, notes, reusable_prefix } = receipt;
    let mut entries = Vec::new();
    for item in items {
        let last = entries.last_mut();
        match number(item) {
            Some(number) => match last {
                Some(Entry::History { messages, outcome, reason })
                    if (*outcome, &**reason) == (item.outcome, &*item.reason) =>
                {
                    messages.push((number, item.tokens));
                }
                _ => entries.push(Entry::History {
                    messages: vec![(number, item.tokens)],
                    outcome: item.outcome,
                    reason: Cow::Borrowed(&item.reason),
                }),
            },
            None if item.section == Section::History => {
                let without = ReceiptItem { preview: String::new(), ..item.clone() };
                entries.push(Entry::Item(Cow::Owned(without)));
            }
            None => entries.push(Entry::Item(Cow::Borrowed(item))),
        }
    }
    serde_json::to_string(&Short {
        model: model.into(),
        window: *window,
        reserve: *reserve,
        counter: counter.into(),
        exact: *exact,
        budget: *budget,
        items: entries,
        notes: notes.into(),
        reusable_prefix: *reusable_prefix,
    })
}

/// The number of a message of the history of which there is nothing else to keep.
fn number(item: &ReceiptItem) -> Option<i64> {
    let plain = item.section == Section::History && item.score.is_none();
    item.id.strip_prefix(MESSAGE).filter(|_| plain)?.parse().ok()
}

/// The same with every item by itself.
pub(crate) fn read(kept: &str) -> Result<Receipt, serde_json::Error> {
    let Short { model, window, reserve, counter, exact, budget, items: entries, notes, reusable_prefix } =
        serde_json::from_str(kept)?;
    let mut items = Vec::with_capacity(entries.len());
    for entry in entries {
        match entry {
            Entry::Item(item) => items.push(item.into_owned()),
            Entry::History { messages, outcome, reason } => {
                items.extend(messages.into_iter().map(|(number, tokens)| ReceiptItem {
                    section: Section::History,
                    id: format!("{MESSAGE}{number}"),
                    preview: String::new(),
                    tokens,
                    score: None,
                    outcome,
                    reason: Cow::Owned(reason.clone().into_owned()),
                }));
            }
        }
    }
    Ok(Receipt {
        model: model.into_owned(),
        window,
        reserve,
        counter: counter.into_owned(),
        exact,
        budget,
        items,
        notes: notes.into_owned(),
        reusable_prefix,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        fn item()(
            history: bool, message: bool, number in 1..9_999i64, preview in "\\PC{0,6}", scored in 0..6u8,
            dropped: bool, tokens in 0..99usize,
        ) -> ReceiptItem {
            ReceiptItem {
                section: if history { Section::History } else { Section::Memories },
                id: if message { format!("msg:{number}") } else { format!("round:{number}") },
                preview,
                tokens,
                score: (scored == 0).then_some(0.25),
                outcome: if dropped { Outcome::Dropped } else { Outcome::Kept },
                reason: if dropped { "too old" } else { "fits" }.into(),
            }
        }
    }

    fn receipt(items: Vec<ReceiptItem>) -> Receipt {
        Receipt {
            model: "m".into(),
            window: 8,
            reserve: 1,
            counter: "len/4".into(),
            exact: false,
            budget: ContextBudget::default(),
            items,
            notes: vec!["the embedder did not answer".into()],
            reusable_prefix: Some(0.5),
        }
    }

    proptest! {
        #[test]
        fn s9_a_receipt_is_kept_without_what_its_history_shows(items in prop::collection::vec(item(), 0..12)) {
            let mut receipt = receipt(items);
            let kept = write(&receipt).unwrap();
            let older = serde_json::to_string(&receipt).unwrap();
            prop_assert_eq!(read(&older).unwrap(), receipt.clone());
            for item in receipt.items.iter_mut().filter(|item| item.section == Section::History) {
                item.preview.clear();
            }
            prop_assert_eq!(read(&kept).unwrap(), receipt);
        }
    }

    #[test]
    fn messages_that_share_their_fate_are_one_entry() {
        let message = |number: i64, outcome| ReceiptItem {
            section: Section::History,
            id: format!("msg:{number}"),
            preview: "hello".into(),
            tokens: 17,
            score: None,
            outcome,
            reason: "because".into(),
        };
        let mut items: Vec<_> = (1..=3).map(|number| message(number, Outcome::Kept)).collect();
        items.push(message(4, Outcome::Dropped));
        let kept = write(&receipt(items)).unwrap();
        let entries = r#""items":[{"messages":[[1,17],[2,17],[3,17]],"outcome":"kept","reason":"because"},{"messages":[[4,17]],"outcome":"dropped","reason":"because"}]"#;
        assert!(kept.contains(entries), "{kept}");
    }
}
