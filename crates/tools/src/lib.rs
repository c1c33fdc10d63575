//! The tool trait, the memory tools, the tools of MCP servers and the tool policy.
//!
//! A model asks for a call. [`Toolbox`] checks the permission and the arguments, a [`Tool`] runs, and [`LoopGuard`]
//! limits the number of calls. Nothing here ends a turn: errors go back to the model as text.
//!
#![doc = include_str!("../README.md")]

mod arguments;
mod forget;
mod guard;
mod list;
pub mod mcp;
mod recall;
mod remember;
#[cfg(test)]
mod tests;
mod tool;
mod toolbox;

pub use forget::Forget;
pub use guard::{LoopGuard, Verdict};
pub use list::List;
pub use recall::Recall;
pub use remember::{Host, Remember};
pub use tool::{Shown, Tool, ToolContext, ToolError};
pub use toolbox::{ToolOutcome, Toolbox, memory_tools};
