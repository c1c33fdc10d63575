//! Token counting, budgets, project documents and the assembler: pure functions, no I/O but
//! reading project files.

mod assemble;
mod tokens;

pub use assemble::{
    AssembleError, Assembled, Assembly, HistoryEntry, MemoryBlock, MemoryEntry, ProjectDocument, assemble,
};
pub use tokens::{Layout, ModelProfile, TokenCounter};
