//! The account of an assembled context: what was kept, cut or dropped, how many tokens, why (GR3).

use std::{
    borrow::Cow,
    fmt,
    ops::Deref,
    sync::{Arc, OnceLock},
};

use memchr::{memchr2, memmem};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use utoipa::ToSchema;

/// The parts of a request, in the order the budget is given out (WB1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// The persona's prompt.
    System,
    /// Tool schemas.
    Tools,
    /// AGENTS.md.
    Project,
    /// Recalled memories.
    Memories,
    /// The conversation.
    History,
}

/// What became of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It stands in the request whole.
    Kept,
    /// It stands there in part.
    Cut,
    /// It does not stand there.
    Dropped,
}

/// One item that was considered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptItem {
    /// Which part it belongs to.
    pub section: Section,
    /// `m12`, `msg:34`, a file's path relative to its project, `system`, a tool's name.
    pub id: String,
    /// Its beginning, one line, for people.
    pub preview: String,
    /// Tokens it takes in the request; for a dropped one, what it would have taken.
    pub tokens: usize,
    /// Its relevance, for a memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    /// What became of it.
    pub outcome: Outcome,
    /// Why.
    #[schema(value_type = String)]
    pub reason: Cow<'static, str>,
}

/// Tokens by section (WB5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContextBudget {
    /// The whole request: the sum of the sections below, which hold their messages' overhead.
    pub total_tokens: usize,
    /// The persona's prompt and the reply's priming.
    pub system_tokens: usize,
    /// The memory block, its header included.
    pub memory_tokens: usize,
    /// The project block, its header included.
    pub project_tokens: usize,
    /// The history messages and this turn's tool rounds.
    pub history_tokens: usize,
    /// How many history messages.
    pub history_messages: usize,
    /// The tool schemas.
    pub tool_tokens: usize,
    /// True when something was cut or dropped for want of room.
    pub exhausted: bool,
}

/// The account of one assembled context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Receipt {
    /// The model it was assembled for.
    pub model: String,
    /// The model's window in tokens.
    pub window: usize,
    /// Kept free for the reply.
    pub reserve: usize,
    /// How tokens were counted, as `o200k` or `len/4`.
    pub counter: String,
    /// True when the counter is the model's own tokenizer.
    pub exact: bool,
    /// Tokens by section.
    pub budget: ContextBudget,
    /// Every item considered, in the order of the request, then the dropped ones.
    pub items: Vec<ReceiptItem>,
    /// What else there is to say, as "the embedder did not answer".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The share of the request, 0 to 1, that begins like the one before it in the same channel, so
    /// that a server may reuse its work on it (GR5); absent where there was none before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reusable_prefix: Option<f32>,
}

/// A receipt as it is handed on: told, stored and answered with, it is the same one, and its JSON is written
/// once.
#[derive(Clone)]
pub struct SharedReceipt(Arc<Written>);

struct Written {
    receipt: Receipt,
    json: OnceLock<Box<RawValue>>,
}

impl SharedReceipt {
    /// The receipt as JSON.
    pub fn json(&self) -> &str {
        self.raw().get()
    }

    /// The same without what its history items show.
    pub fn json_without_history(&self) -> String {
        /// Stands before what an item shows; never within a text, where each `"` has a `\` before it.
        const PREVIEW: &str = r#","preview":""#;
        let finder = memmem::Finder::new(PREVIEW);
        let mut rest = self.json();
        let mut json = String::with_capacity(rest.len());
        for item in &self.items {
            let Some(at) = finder.find(rest.as_bytes()) else { break };
            let (before, preview) = rest.split_at(at + PREVIEW.len());
            json.push_str(before);
            rest = preview;
            if item.section == Section::History {
                rest = &preview[end_of_text(preview)..];
            }
        }
        json.push_str(rest);
        json
    }

    /// For a change to it.
    pub fn into_receipt(self) -> Receipt {
        match Arc::try_unwrap(self.0) {
            Ok(written) => written.receipt,
            Err(shared) => shared.receipt.clone(),
        }
    }

    fn raw(&self) -> &RawValue {
        // texts and numbers under text keys always have a JSON form
        self.0.json.get_or_init(|| to_raw_value(&self.0.receipt).unwrap_or_default())
    }
}

/// Where a JSON text ends of which the beginning was read.
fn end_of_text(json: &str) -> usize {
    let mut from = 0;
    while let Some(at) = memchr2(b'"', b'\\', &json.as_bytes()[from..]).map(|at| from + at) {
        if json.as_bytes()[at] == b'"' {
            return at;
        }
        // what stands behind it is no end
        from = json.len().min(at + 2);
    }
    json.len()
}

impl From<Receipt> for SharedReceipt {
    fn from(receipt: Receipt) -> Self {
        Self(Arc::new(Written { receipt, json: OnceLock::new() }))
    }
}

impl Deref for SharedReceipt {
    type Target = Receipt;

    fn deref(&self) -> &Receipt {
        &self.0.receipt
    }
}

impl PartialEq for SharedReceipt {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for SharedReceipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.receipt.fmt(f)
    }
}

impl Serialize for SharedReceipt {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.raw().serialize(s)
    }
}

impl<'de> Deserialize<'de> for SharedReceipt {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Receipt::deserialize(d).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        fn item()(
            history: bool, id in "[a-z:\"\\\\]{0,6}", preview in "(\\PC|[\"\\\\,:]|\"preview\":){0,12}", scored: bool,
        ) -> ReceiptItem {
            ReceiptItem {
                section: if history { Section::History } else { Section::Memories },
                id,
                preview,
                tokens: 7,
                score: scored.then_some(0.25),
                outcome: Outcome::Kept,
                reason: "fits".into(),
            }
        }
    }

    proptest! {
        #[test]
        fn s9_a_receipt_is_kept_without_what_its_history_shows(items in prop::collection::vec(item(), 0..6)) {
            let mut receipt = Receipt {
                model: r#"m","preview":"x"#.into(),
                window: 8,
                reserve: 1,
                counter: "len/4".into(),
                exact: false,
                budget: ContextBudget::default(),
                items,
                notes: vec![r#"n","preview":"x"#.into()],
                reusable_prefix: None,
            };
            let shared = SharedReceipt::from(receipt.clone());
            prop_assert_eq!(shared.json(), serde_json::to_string(&receipt).unwrap());
            prop_assert_eq!(&serde_json::from_str::<SharedReceipt>(shared.json()).unwrap(), &shared);
            for item in receipt.items.iter_mut().filter(|item| item.section == Section::History) {
                item.preview.clear();
            }
            prop_assert_eq!(shared.json_without_history(), serde_json::to_string(&receipt).unwrap());
        }
    }
}
