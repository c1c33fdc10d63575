//! A block of memories: the entries, the text around them, and the place of the block.
//!
//! Recall makes the block; the assembler takes as many entries as fit and joins them. So a block is no text yet. It
//! holds the rules that turn any choice of its entries into a text.

use std::{fmt, ops::Range, sync::Arc};

use greenroom_core::MessageId;

/// Recalled memories, rendered, in the order they are shown.
#[derive(Debug, Clone, Default)]
pub struct MemoryBlock {
    /// The text above the entries, as `## Relevant Memories`; may have several lines.
    pub header: String,
    /// Runs of entries with lines around them, in order. Entries after the last group have no such lines.
    pub groups: Vec<MemoryGroup>,
    /// The entries.
    pub entries: Vec<MemoryEntry>,
    /// The text below the entries.
    pub footer: String,
    /// Whether a blank line separates two parts instead of a line break.
    pub spaced: bool,
    /// A template that replaces all of the above; if it fails, the above is used.
    pub template: Option<BlockTemplate>,
    /// The place of the block.
    pub place: MemoryPlace,
    /// How its own budget is counted.
    pub measure: Measure,
}

/// A run of entries and the lines around it, as `<preferences>` (JV5).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryGroup {
    /// The line above the first entry; left out when no entry of the group is shown.
    pub open: String,
    /// The line below the last one.
    pub close: String,
    /// How many entries, from where the group before it ends.
    pub size: usize,
}

/// One recalled memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryEntry {
    /// `m12` or `msg:34`.
    pub id: String,
    /// The id of a past message, if the entry is one: it is left out when the history contains the message.
    pub message: Option<MessageId>,
    /// True for a reply of a persona, which is no reliable statement.
    pub reply: bool,
    /// True for a message that the person told the persona alone in another chat (MP1).
    pub is_from_other_chat: bool,
    /// The text in the request: one line, or several of one entry.
    pub line: String,
    /// The bare text, for layouts without lines.
    pub text: String,
    /// Its relevance.
    pub score: f32,
}

/// The place of the block of memories (GR5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MemoryPlace {
    /// A section of the leading system message (WB1).
    #[default]
    System,
    /// A separate message right before the one being answered, so that everything before it stays the same from turn
    /// to turn.
    AfterHistory,
}

/// How the budget of a block is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Measure {
    /// In the model's own tokens.
    #[default]
    Tokens,
    /// A quarter of the length, rounded up (JV7). The window is always measured in tokens.
    Quarters,
}

/// A template over the entries. Its input is the choice of entries, its output the block, or an error in one line.
#[derive(Clone)]
pub struct BlockTemplate(Arc<Fill>);

type Fill = dyn Fn(&[usize]) -> Result<String, String> + Send + Sync;

impl BlockTemplate {
    /// A template that `fill` fills. The same entries must give the same text (WB9).
    pub fn new(fill: impl Fn(&[usize]) -> Result<String, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(fill))
    }

    /// The block with these entries.
    ///
    /// # Errors
    /// Why the template gives no text for them.
    pub fn fill(&self, kept: &[usize]) -> Result<String, String> {
        (self.0)(kept)
    }
}

impl fmt::Debug for BlockTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BlockTemplate")
    }
}

impl MemoryBlock {
    /// The block with the entries `kept`, in ascending order; without its template.
    pub fn text(&self, kept: &[usize]) -> String {
        let mut parts = vec![self.header.as_str()];
        for (run, group) in self.runs() {
            let from = kept.partition_point(|n| *n < run.start);
            let until = kept.partition_point(|n| *n < run.end);
            if from < until {
                parts.extend(group.map(|group| group.open.as_str()));
                parts.extend(kept[from..until].iter().map(|n| self.entries[*n].line.as_str()));
                parts.extend(group.map(|group| group.close.as_str()));
            }
        }
        parts.push(&self.footer);
        parts.retain(|part| !part.is_empty());
        parts.join(if self.spaced { "\n\n" } else { "\n" })
    }

    /// The entries of each group, then those in no group.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (Range<usize>, Option<&MemoryGroup>)> {
        let all = self.entries.len();
        let grouped: usize = self.groups.iter().map(|group| group.size).sum();
        let mut end = 0;
        let runs = self.groups.iter().map(move |group| {
            let start = end;
            end = (start + group.size).min(all);
            (start..end, Some(group))
        });
        runs.chain([(grouped.min(all)..all, None)])
    }
}
