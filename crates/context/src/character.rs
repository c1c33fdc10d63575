//! The texts that a character card or a lorebook adds to a context (PF4, PF5).

use greenroom_core::Role;

/// The texts and their budget.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CharacterBlock {
    /// The texts of each place in the order they are shown.
    pub texts: Vec<CharacterText>,
    /// Tokens that the texts of lorebooks may take together.
    pub lore_budget: usize,
}

/// One text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CharacterText {
    /// Its id in the receipt, unique in the block.
    pub id: String,
    /// The text.
    pub text: String,
    /// Where it is shown.
    pub place: CharacterPlace,
    /// How it is treated when tokens are short.
    pub kind: CharacterKind,
    /// Why it is in the context.
    pub reason: String,
}

/// The place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CharacterPlace {
    /// Before the persona's prompt.
    BeforePrompt,
    /// After the persona's prompt.
    AfterPrompt,
    /// At the end of the system message.
    Examples,
    /// A message before all others, where the history is whole.
    Opening,
    /// A message among the others.
    Depth {
        /// Messages of the conversation after it.
        depth: usize,
        /// Who says it.
        role: Role,
    },
}

/// The kind of a text. Kinds get their tokens in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CharacterKind {
    /// Part of the character: before project, memories and history.
    Instruction,
    /// An entry of a lorebook, under the block's budget. A lower number gets its tokens first.
    Lore(usize),
    /// Gets only the tokens that the history leaves.
    Spare,
}
