//! The stored form of a receipt: shortened and deflated, because every reply has one. The history stores its own
//! text, so a receipt omits it; of history messages with the same outcome it keeps only ids and tokens.

use std::{
    borrow::Cow,
    cell::RefCell,
    io::{self, Read, Write},
};

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use greenroom_core::{ContextBudget, FRAME, Outcome, Receipt, ReceiptItem, Section, add_frames};
use serde::{Deserialize, Serialize};

thread_local! {
    /// Reused for the next receipt, because clearing its tables costs more than deflating a receipt. The fastest level
    /// is sufficient: most of the repetition is in field names and reasons.
    static ENCODER: RefCell<DeflateEncoder<Vec<u8>>> =
        DeflateEncoder::new(Vec::new(), Compression::fast()).into();
}

/// The prefix of a message's id in a receipt.
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
    /// Consecutive messages of the history: the id and the tokens of each.
    History { messages: Vec<(i64, usize)>, outcome: Outcome, reason: Cow<'a, str> },
    /// Any other item.
    Item(Cow<'a, ReceiptItem>),
}

fn is_empty(notes: &[String]) -> bool {
    notes.is_empty()
}

/// The stored form of a receipt.
pub(crate) fn write(receipt: &Receipt) -> io::Result<Vec<u8>> {
    let Receipt { model, window, reserve, counter, exact, budget, items, notes, reusable_prefix } = receipt;
    let mut entries = Vec::new();
    // frames follow from the rest
    for item in items.iter().filter(|item| item.id != FRAME) {
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
    let json = serde_json::to_vec(&Short {
        model: model.into(),
        window: *window,
        reserve: *reserve,
        counter: counter.into(),
        exact: *exact,
        budget: *budget,
        items: entries,
        notes: notes.into(),
        reusable_prefix: *reusable_prefix,
    })?;
    ENCODER.with_borrow_mut(|encoder| {
        let written = encoder.write_all(&json);
        // on errors too: the next receipt begins with an empty encoder
        let deflated = encoder.reset(Vec::new());
        written.and(deflated)
    })
}

/// The id of a history message, if the receipt needs to keep only its id and tokens.
fn number(item: &ReceiptItem) -> Option<i64> {
    let plain = item.section == Section::History && item.score.is_none();
    item.id.strip_prefix(MESSAGE).filter(|_| plain)?.parse().ok()
}

/// The receipt with every item listed separately again.
pub(crate) fn read(kept: &[u8]) -> io::Result<Receipt> {
    let mut json = Vec::new();
    DeflateDecoder::new(kept).read_to_end(&mut json)?;
    let Short { model, window, reserve, counter, exact, budget, items: entries, notes, reusable_prefix } =
        serde_json::from_slice(&json)?;
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
    add_frames(&budget, &mut items);
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
            for item in receipt.items.iter_mut().filter(|item| item.section == Section::History) {
                item.preview.clear();
            }
            prop_assert_eq!(read(&kept).unwrap(), receipt);
        }
    }

    #[test]
    fn a12_frames_are_not_kept_and_read_all_the_same() {
        let memory = |id: &str, tokens, outcome| ReceiptItem {
            section: Section::Memories,
            id: id.into(),
            preview: "tea".into(),
            tokens,
            score: Some(0.5),
            outcome,
            reason: "because".into(),
        };
        let mut receipt = receipt(vec![memory("m1", 10, Outcome::Kept), memory("m2", 10, Outcome::Dropped)]);
        receipt.budget.memory_tokens = 17;
        add_frames(&receipt.budget, &mut receipt.items);
        assert_eq!((receipt.items[1].id.as_str(), receipt.items[1].tokens), (FRAME, 7));
        let kept = write(&receipt).unwrap();
        let mut json = String::new();
        DeflateDecoder::new(&kept[..]).read_to_string(&mut json).unwrap();
        assert!(!json.contains(FRAME), "{json}");
        assert_eq!(read(&kept).unwrap(), receipt);
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
        let mut json = String::new();
        DeflateDecoder::new(&*kept).read_to_string(&mut json).unwrap();
        assert!(json.contains(entries), "{json}");
    }
}
