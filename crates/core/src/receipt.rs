//! The account of an assembled context: what was kept, cut or dropped, how many tokens, why (GR3).

use std::{
    borrow::Cow,
    fmt,
    ops::Deref,
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use utoipa::ToSchema;

/// The parts of a request, in the order in which they get their share of the budget (WB1).
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

/// All sections, in order.
const SECTIONS: [Section; 5] =
    [Section::System, Section::Tools, Section::Project, Section::Memories, Section::History];

/// What happened to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The whole item is in the request.
    Kept,
    /// A part of the item is in the request.
    Cut,
    /// The item is not in the request.
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
    /// Its tokens in the request; for a dropped item, the tokens it would have taken.
    pub tokens: usize,
    /// Its relevance, for a memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    /// Whether it was kept, cut or dropped.
    pub outcome: Outcome,
    /// Why.
    #[schema(value_type = String)]
    pub reason: Cow<'static, str>,
}

/// Tokens by section (WB5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContextBudget {
    /// The whole request: the sum of the sections below. Each section includes the overhead of its messages.
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

impl ContextBudget {
    /// Tokens of a section.
    pub fn of(&self, section: Section) -> usize {
        match section {
            Section::System => self.system_tokens,
            Section::Tools => self.tool_tokens,
            Section::Project => self.project_tokens,
            Section::Memories => self.memory_tokens,
            Section::History => self.history_tokens,
        }
    }
}

/// The id of the item that accounts for the text around the other items of a section: headings, marks, and the frame
/// of a list.
pub const FRAME: &str = "frame";

/// Adds a frame item to each section: the section's tokens minus the tokens of its items in the request. With the
/// frame, the items of a section add up to the section. A frame follows the other items of its section; dropped items
/// come last.
pub fn add_frames(budget: &ContextBudget, items: &mut Vec<ReceiptItem>) {
    for section in SECTIONS {
        let stands = |item: &ReceiptItem| item.outcome != Outcome::Dropped;
        let of_it = items.iter().filter(|item| item.section == section && stands(item));
        let tokens = budget.of(section).saturating_sub(of_it.map(|item| item.tokens).sum());
        if tokens == 0 {
            continue;
        }
        let shown = items.iter().position(|item| !stands(item)).unwrap_or(items.len());
        let at = items[..shown].iter().rposition(|item| item.section <= section).map_or(0, |last| last + 1);
        items.insert(
            at,
            ReceiptItem {
                section,
                id: FRAME.to_owned(),
                preview: "headings and frames".to_owned(),
                tokens,
                score: None,
                outcome: Outcome::Kept,
                reason: "stands around the others".into(),
            },
        );
    }
}

/// The account of one assembled context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Receipt {
    /// The model it was assembled for.
    pub model: String,
    /// The model's window in tokens.
    pub window: usize,
    /// Tokens kept free for the reply.
    pub reserve: usize,
    /// How tokens were counted, as `o200k` or `len/4`.
    pub counter: String,
    /// True when the counter is the model's own tokenizer.
    pub exact: bool,
    /// Tokens by section.
    pub budget: ContextBudget,
    /// Every item considered, in the order of the request, then the dropped ones.
    pub items: Vec<ReceiptItem>,
    /// Further remarks, as "the embedder did not answer".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The share of the request, 0 to 1, that begins like the request before it in the same channel; a server may
    /// reuse its work on this part (GR5). Absent for the first request of a channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reusable_prefix: Option<f32>,
}

/// A receipt that events, store and API answers share. Its JSON is written once.
#[derive(Clone)]
pub struct SharedReceipt(Arc<Written>);

#[derive(Clone)]
struct Written {
    receipt: Receipt,
    json: OnceLock<Box<RawValue>>,
}

impl SharedReceipt {
    /// The receipt to be changed: a copy where others share it. Its JSON is written again.
    pub fn make_mut(&mut self) -> &mut Receipt {
        let written = Arc::make_mut(&mut self.0);
        written.json = OnceLock::new();
        &mut written.receipt
    }

    fn raw(&self) -> &RawValue {
        // serialisation cannot fail: texts and numbers under text keys always have a JSON form
        self.0.json.get_or_init(|| to_raw_value(&self.0.receipt).unwrap_or_default())
    }
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
    use super::*;

    #[test]
    fn a_shared_receipt_is_written_and_read_like_its_own() {
        let receipt = Receipt {
            model: "m".into(),
            window: 8,
            reserve: 1,
            counter: "len/4".into(),
            exact: false,
            budget: ContextBudget::default(),
            items: vec![ReceiptItem {
                section: Section::Memories,
                id: "m1".into(),
                preview: r#"she said "tea""#.into(),
                tokens: 7,
                score: Some(0.25),
                outcome: Outcome::Kept,
                reason: "fits".into(),
            }],
            notes: Vec::new(),
            reusable_prefix: None,
        };
        let shared = SharedReceipt::from(receipt.clone());
        assert_eq!(shared.raw().get(), serde_json::to_string(&receipt).unwrap());
        assert_eq!(serde_json::to_string(&shared).unwrap(), shared.raw().get());
        assert_eq!(serde_json::from_str::<SharedReceipt>(shared.raw().get()).unwrap(), shared);
    }
}
